//! Contact with colliders, friction and rebound there: each vertex by itself, in closed form.
//!
//! With w = 1/(κm), a vertex that is at a without the constraint's force f goes to x = a + w f(x):
//!
//! - contact pushes along the normal n at x, so that the distance without it is about
//!   d_a = d(x) − w n·f, and with it d = d_a/(1 + wk) for the spring, and
//!   d = −2|d_a|/(1 + √(1 + 12wk|d_a|)) for the cubic law;
//! - friction and rebound have directions that are frozen for the step, and answer how hard they
//!   resist ([`Rub::resisted`]).
//!
//! Both forces are minus their potentials' gradients where the vertex comes to be, so the fixed
//! point is that of the potentials.

use pliant_math::Row;
use pliant_math::team::{SharedSlice, Team};
use pliant_model::collider::Nearest;
use pliant_model::potentials::collider_friction::Rub;
use pliant_model::{Model, Response};

use crate::objective::{BLOCK, Forces, Objective};

/// Contact and friction of all free vertices, with the forces that they exert.
pub(super) struct Touch {
    /// Free vertices, collider after collider \[N\]: contact's, and friction's where there is any.
    contact: Vec<Row>,
    friction: Vec<Row>,
    /// Whether each free vertex meets obstacles.
    meets: Vec<bool>,
}

impl Touch {
    /// For a model's free vertices and its colliders.
    pub fn new(model: &Model) -> Self {
        let count = model.colliders().len() * model.free_count();
        let lossy = model.colliders().iter().any(|c| c.is_lossy());
        let forces = |count: usize| vec![Row::zero(); count];
        let mut meets = vec![false; model.free_count()];
        model.meeting().for_each(|v| meets[v] = true);
        Touch { contact: forces(count), friction: forces(if lossy { count } else { 0 }), meets }
    }

    /// Lets go of all forces.
    pub fn release(&mut self) {
        self.contact.fill(Row::zero());
        self.friction.fill(Row::zero());
    }

    /// Relaxes every vertex at every collider once.
    pub fn relax(
        &mut self,
        objective: &Objective,
        inverse_masses: &[f64],
        positions: SharedSlice<Row>,
        team: &Team,
    ) {
        let (model, drive) = (objective.model, objective.drive);
        let free = model.free_count();
        let has_friction = !self.friction.is_empty() && objective.forces == Forces::All;
        let meets = &self.meets;
        let contact = SharedSlice::new(&mut self.contact);
        let friction = SharedSlice::new(&mut self.friction);
        for (c, (collider, (before, now))) in
            model.colliders().iter().zip(drive.collider_steps()).enumerate()
        {
            let (placed, start) = (collider.placed(now), collider.placed(before));
            let rubs = has_friction && collider.is_lossy() && objective.rate > 0.0;
            team.each(free.div_ceil(BLOCK), &|block, _| {
                let block = block * BLOCK..((block + 1) * BLOCK).min(free);
                for v in block.filter(|&v| meets[v]) {
                    // SAFETY: each block has its own vertices, and their forces.
                    let (x, push) = unsafe { (positions.at(v), contact.at(c * free + v)) };
                    let w = inverse_masses[v] / objective.kappa;
                    let nearest = match placed.touch(x.xyz()) {
                        // Outside, and pushed there by contact itself, perhaps.
                        None if *push != Row::zero() => Some(placed.shape.nearest(x.xyz())),
                        other => other,
                    };
                    if let Some(Nearest { distance, normal, .. }) = nearest {
                        let alone = distance - w * normal.dot(push.xyz());
                        let softness = w * collider.stiffness;
                        let depth = settled(collider.response, softness, alone.min(0.0));
                        let wanted = Row::from(normal * collider.force(depth));
                        *x = x.plus_scaled(w, wanted - *push);
                        *push = wanted;
                    }
                    if rubs {
                        // SAFETY: as above.
                        let drag = unsafe { friction.at(c * free + v) };
                        let alone = x.plus_scaled(-w, *drag);
                        let ends = [objective.start[v].xyz(), alone.xyz()];
                        let rub = Rub::of(&start, [before, now], ends, objective.rate);
                        *drag = rub.map_or(Row::zero(), |rub| Row::from(rub.resisted(w)));
                        *x = alone.plus_scaled(w, *drag);
                    }
                }
            });
        }
    }
}

/// The distance d < 0 with d = alone + w f(d), where `softness` is wk.
fn settled(response: Response, softness: f64, alone: f64) -> f64 {
    match response {
        Response::Spring => alone / (1.0 + softness),
        Response::Cubic => 2.0 * alone / (1.0 + (1.0 - 12.0 * softness * alone).sqrt()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_model::{Collider, DVec3, Shape};

    #[test]
    fn the_settled_distance_balances_the_force() {
        for response in [Response::Spring, Response::Cubic] {
            let shape = Shape::plane(DVec3::ZERO, DVec3::Y);
            let collider = Collider { response, ..Collider::new(shape, 3e3) };
            for (w, alone) in [(1e-4, -0.3), (1e-2, -1e-6), (5.0, -2.0)] {
                let d = settled(response, w * collider.stiffness, alone);
                let off = d - alone - w * collider.force(d);
                assert!(off.abs() < 1e-14 * alone.abs(), "{response:?}: {off:e}");
            }
        }
    }
}

//! Wind on triangles: drag φ = ½ρA s|s| along the normal n frozen at the start of the step, with
//! the speed s = (wind − rate (x̄ − x̄ₙ))·n of the air towards the triangle.
//!
//! φ moves the centre by Ωφ, Ω = Σ w/9, so s = s′ − rate Ω φ with s′ the speed without φ: a
//! quadratic equation, |s| = 2|s′| / (1 + √(1 + 4a|s′|)), a = ½ρA rate Ω.

use glam::DVec3;
use pliant_math::Row;
use pliant_math::lanes::WIDTH_F64;
use pliant_math::team::{SharedSlice, Team};

use super::colored::{Batch, Colored, Run};
use crate::objective::Objective;

/// Numbers per triangle: ρ, 1/m of the corners, and its own among all.
const VALUES: usize = 5;

/// The surface triangles of all bodies.
pub(super) struct Drag {
    constraints: Colored<3, VALUES, 1>,
}

impl Drag {
    /// From triangles with their numbers and ρ [kg/m³], and the inverse masses of the model's
    /// vertices [1/kg].
    pub fn new(
        triangles: &[([u32; 3], u32, f64)],
        inverse_masses: &[f64],
        positions: &[DVec3],
    ) -> Self {
        let corners: Vec<[u32; 3]> = triangles.iter().map(|t| t.0).collect();
        let values = |t: usize| {
            let (corners, number, drag) = triangles[t];
            let [a, b, c] = corners.map(|v| inverse_masses[v as usize]);
            [drag, a, b, c, f64::from(number)]
        };
        Drag { constraints: Colored::new(&corners, positions, values) }
    }

    /// Lets go of all forces.
    pub fn release(&mut self) {
        self.constraints.release();
    }

    /// Relaxes every triangle once.
    pub fn relax(&mut self, objective: &Objective, positions: SharedSlice<Row>, team: &Team) {
        self.constraints.sweep(team, &|batches| {
            for run in batches.each() {
                let batches = match &run {
                    Run::One(one) => &one[..],
                    Run::Two(two) => &two[..],
                };
                for batch in batches {
                    for lane in 0..batch.used {
                        // SAFETY: lanes in use are valid, vertices are the model's, and no other
                        // thread has them.
                        unsafe { relax(objective, batch, lane, positions) }
                    }
                }
            }
        });
    }
}

/// Relaxes one triangle.
///
/// # Safety
/// `lane` of `batch` is in use, and nobody else touches its vertices.
unsafe fn relax(objective: &Objective, batch: &Batch, lane: usize, positions: SharedSlice<Row>) {
    // SAFETY: passed on to the caller.
    unsafe {
        let value = |k: usize| *batch.values.add(k * WIDTH_F64 + lane);
        let corners = [0, 1, 2].map(|c| *batch.corners.add(c * WIDTH_F64 + lane) as usize);
        let start = corners.map(|v| objective.start[v].xyz());
        let doubled = (start[1] - start[0]).cross(start[2] - start[0]);
        let length = doubled.length();
        if length < f64::MIN_POSITIVE {
            return;
        }
        let normal = doubled / length;
        let moved = (0..3).map(|c| positions.at(corners[c]).xyz() - start[c]).sum::<DVec3>() / 3.0;
        let w = [1, 2, 3].map(|k| value(k) / objective.kappa);
        let reach = objective.rate * (w[0] + w[1] + w[2]) / 9.0;
        let force = &mut *batch.forces.add(lane);
        let blow = objective.drive.air_on(value(4) as usize) - moved * objective.rate;
        let alone = reach.mul_add(*force, blow.dot(normal));
        let strength = 0.25 * value(0) * length;
        let root = (1.0 + 4.0 * strength * reach * alone.abs()).sqrt();
        let speed = 2.0 * alone / (1.0 + root);
        let wanted = strength * speed * speed.abs();
        let change = Row::from(normal * ((wanted - *force) / 3.0));
        *force = wanted;
        for (v, w) in corners.into_iter().zip(w) {
            let x = positions.at(v);
            *x = x.plus_scaled(w, change);
        }
    }
}

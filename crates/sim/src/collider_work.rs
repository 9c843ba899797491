//! The work that moving colliders do on bodies through contact.
//!
//! A force that a surface exerts while it moves by Δ does the work f·Δ. Steps feel the force at
//! their end, f₁, and books have half of its work with the step's own Δ and the other half, as ½
//! f₀·Δ, with the next one's: ½ (f₀ + f₁)·Δ, which is of second order and leaves a body alone that
//! is carried along. That is true while a contact lasts, and while a surface moves evenly. Else,
//! with the displacement u of the vertex:
//!
//! - A contact that has *ended* has not felt the whole of Δ: a sphere that rests, and is gone in
//!   the next step, would take f₀·2r of a contact that has stored E₀ = ½ f₀ d. A surface that
//!   vanishes takes what was stored and leaves what the vertex had of the force, ½ f₀·u − E₀. The
//!   work is the middle of these two and of ½ f₀·Δ₋, what would be owed if the surface went on as
//!   in the step before.
//! - A contact that has *begun* while the surface came from behind or from the side was given what
//!   is stored now, E₁ + ½ f₁·u, if that is more than ½ f₁·Δ.

use glam::DVec3;
use pliant_math::Row;
use pliant_model::collider::Nearest;
use pliant_model::potentials::collider_friction::carried;
use pliant_model::{Collider, Drive, Model, ModelBody, Placed, Rigid};

/// Cosine of the angle that the normal of one and the same contact may turn by in a step.
const ALIKE: f64 = 0.7;

/// Where a collider was at the start of the step before, at the start of this one, and at its end.
#[derive(Clone, Copy)]
struct Poses<'a> {
    last: &'a Rigid,
    start: &'a Rigid,
    end: &'a Rigid,
}

/// Work that moving colliders did on a body through contact \[J\] in a step from positions `x0` to
/// `x1`; `last` is where they were at the start of the step before (missing ones stood). That of
/// friction is not in it: it is part of the work of potentials that are not stored.
pub fn collider_work(
    model: &Model,
    body: &ModelBody,
    last: &[Rigid],
    [from, to]: [&Drive; 2],
    [x0, x1]: [&[Row]; 2],
) -> f64 {
    let mut work = 0.0;
    let poses = from.colliders.iter().zip(&to.colliders).enumerate();
    for (collider, (c, (start, end))) in model.colliders().iter().zip(poses) {
        let poses = Poses { last: last.get(c).unwrap_or(start), start, end };
        if poses.last == start && start == end {
            continue;
        }
        let placed = [start, end].map(|pose| collider.placed(pose));
        for v in body.meeting.iter().map(|&v| v as usize) {
            work += poses.work(collider, &placed, [x0[v].xyz(), x1[v].xyz()]);
        }
    }
    work
}

impl Poses<'_> {
    /// On one vertex.
    fn work(&self, collider: &Collider, placed: &[Placed; 2], [x0, x1]: [DVec3; 2]) -> f64 {
        let [before, after] = [placed[0].touch(x0), placed[1].touch(x1)];
        match (before, after) {
            (None, None) => 0.0,
            (Some(before), Some(after)) if self.lasts(&before, &after) => {
                let push = |at: &Nearest| collider.push(at);
                let back = -carried(after.point, [self.end, self.start]);
                0.5 * (push(&before).dot(self.moved(before.point)) + push(&after).dot(back))
            }
            (before, after) => {
                let ended = before.map_or(0.0, |at| self.ended(collider, &at, x1 - x0));
                ended + after.map_or(0.0, |at| self.begun(collider, &at, x1 - x0))
            }
        }
    }

    /// Of a contact that is no more, of a vertex that moved by u.
    fn ended(&self, collider: &Collider, at: &Nearest, u: DVec3) -> f64 {
        let half = 0.5 * collider.push(at);
        let carried_on = half.dot(-carried(at.point, [self.start, self.last]));
        let vanished = half.dot(u) - collider.energy(at.distance);
        middle(half.dot(self.moved(at.point)), carried_on, vanished)
    }

    /// Of a contact that was not there before.
    fn begun(&self, collider: &Collider, at: &Nearest, u: DVec3) -> f64 {
        let half = 0.5 * collider.push(at);
        let pushed = half.dot(-carried(at.point, [self.end, self.start]));
        pushed.max(half.dot(u) + collider.energy(at.distance))
    }

    /// Whether a vertex is still on the side where it was.
    fn lasts(&self, before: &Nearest, after: &Nearest) -> bool {
        let tip = before.point + before.normal;
        let normal = before.normal + self.moved(tip) - self.moved(before.point);
        normal.dot(after.normal) > ALIKE
    }

    /// What a surface point moves by in the step.
    fn moved(&self, point: DVec3) -> DVec3 {
        carried(point, [self.start, self.end])
    }
}

fn middle(a: f64, b: f64, c: f64) -> f64 {
    a.min(b).max(a.max(b).min(c))
}

#[cfg(test)]
mod tests {
    use super::middle;

    #[test]
    fn the_middle_of_three_is_between_the_others() {
        for (a, b, c) in [(1.0, 2.0, 3.0), (2.0, 3.0, 1.0), (3.0, 1.0, 2.0), (3.0, 2.0, 1.0)] {
            assert_eq!(middle(a, b, c), 2.0);
        }
    }
}

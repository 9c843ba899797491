//! A body in flight keeps its spin.
//!
//! Gravity changes a body's momentum, but has no torque about its centre of mass; so between two
//! contacts the angular momentum about that is to be kept, and across gravity the momentum that the
//! step left. Along gravity it is not: a projection may mend what a scheme loses in falling.

use pliant_math::Row;
use pliant_model::{DVec3, Drive, Frame, Model, ModelBody};

use super::fepr::Targets;
use crate::islands::Islands;

/// A step, uncorrected: what is driven, positions and velocities, at its start and at its end.
pub(super) struct Path<'a> {
    pub drives: [&'a Drive; 2],
    pub before: [&'a [Row]; 2],
    pub after: [&'a [Row]; 2],
}

/// The targets of an island of which no body was held, blown or touched in the step, with the
/// energy of its account; `None` for any other.
pub(super) fn targets(
    model: &Model,
    islands: &Islands,
    first: usize,
    path: &Path,
    account: Targets,
) -> Option<Targets> {
    let Path { drives: [from, to], before, after } = *path;
    let bodies = || islands.members(first).map(|body| &model.bodies()[body]);
    let is_touched = |body: &ModelBody| {
        touches(model, body, to, after[0]) || touches(model, body, from, before[0])
    };
    if model.has_wind() || bodies().any(|body| !body.is_loose || is_touched(body)) {
        return None;
    }
    let [begun, ended] = [before, after].map(|state| islands.momentum(model, first, state));
    let [start, about] = [before[0], after[0]].map(|x| centre(model, bodies(), x));
    let spin = begun.angular - start.cross(begun.linear);
    let gravity = to.gravity.to_array();
    Some(Targets {
        linear: std::array::from_fn(|k| (gravity[k] == 0.0).then_some(ended.linear[k])),
        angular: spin.to_array().map(Some),
        frame: Frame { about, ..Frame::default() },
        // Its own weight must not shift it against the point its spin is told about.
        is_centred: true,
        ..account
    })
}

/// Whether a vertex of a body is inside a collider.
fn touches(model: &Model, body: &ModelBody, drive: &Drive, positions: &[Row]) -> bool {
    model.colliders().iter().zip(&drive.colliders).any(|(collider, pose)| {
        let placed = collider.placed(pose);
        body.meeting.iter().any(|&v| placed.touch(positions[v as usize].xyz()).is_some())
    })
}

/// Centre of mass \[m\].
fn centre<'a>(
    model: &Model,
    bodies: impl Iterator<Item = &'a ModelBody>,
    positions: &[Row],
) -> DVec3 {
    let (mut mass, mut sum) = (0.0, DVec3::ZERO);
    for v in bodies.flat_map(|body| body.free.clone()) {
        mass += model.masses()[v];
        sum += positions[v].xyz() * model.masses()[v];
    }
    if mass > 0.0 { sum / mass } else { DVec3::ZERO }
}

//! Scaled velocities (Simo, Tarnow and Wong 1992; Su, Sheth and Fedkiw 2013): positions stay, and
//! velocities are scaled until the energy is right.
//!
//! Of a body that nothing touches, only what is not rigid motion is scaled, so that its momenta
//! stay; of any other, all. The kinetic energy of what is scaled cannot be less than none: where
//! the potential energy alone is too high the correction fails, with that motion stopped, and where
//! nothing moves there is nothing to scale. That is why positions have to move, too.

use pliant_math::Row;
use pliant_model::Model;

use super::fepr::Part;
use super::field;
use crate::report::StepReport;
use crate::rigid::RigidMotion;
use crate::state::State;
use crate::step::Times;
use crate::workspace::Workspace;

/// The energy may be off by this much of its scale.
const TOLERANCE: f64 = 1e-9;

/// Potential energy of each body.
pub struct VelocitySpace {
    potentials: Vec<f64>,
    parts: Vec<Part>,
}

impl VelocitySpace {
    /// For a model.
    pub fn new(model: &Model) -> Self {
        VelocitySpace {
            potentials: vec![0.0; model.bodies().len()],
            parts: super::bodies_as_parts(model),
        }
    }
}

/// Scales the velocities of each body until its energy is that of its account.
pub(super) fn apply(
    model: &Model,
    times: Times,
    state: &mut State,
    space: &mut VelocitySpace,
    workspace: &mut Workspace,
    report: &mut StepReport,
) {
    let Workspace { team, evaluation, vectors, .. } = workspace;
    let State { positions, velocities, accounts, .. } = state;
    let objective = field::stored(model, times.to, &vectors.inertia, &vectors.measured);
    field::energies(&objective, positions, evaluation, team, &mut space.potentials);
    report.energy.potential = space.potentials.iter().sum();
    for (b, part) in space.parts.iter().enumerate() {
        let points = part.free.clone();
        let rigid = if model.bodies()[b].is_held || model.has_wind() {
            None
        } else {
            let moving = |v: usize| velocities[v].xyz();
            RigidMotion::closest(points, model.masses(), positions, moving)
        };
        let wanted = accounts[b].target().unwrap_or_default();
        let energies = [space.potentials[b], wanted];
        let met = scale(model.masses(), part, energies, rigid, positions, velocities);
        report.correction_failed |= !met;
    }
    report.correction_iterations += 1;
}

/// Scales the free velocities of a part, less a rigid motion, until its potential and kinetic
/// energy are as much as wanted \[J\]; whether they are.
pub fn scale(
    masses: &[f64],
    part: &Part,
    [potential, wanted]: [f64; 2],
    rigid: Option<RigidMotion>,
    positions: &[Row],
    velocities: &mut [Row],
) -> bool {
    let kept = |i: usize| rigid.map_or(Row::zero(), |rigid| rigid.at(positions[i].xyz()).into());
    // ½ Σ m ‖k + s w‖² = K + s C + s² W.
    let (mut constant, mut linear, mut square) = (0.0, 0.0, 0.0);
    for i in part.free.clone() {
        let (m, k) = (masses[i], kept(i));
        let w = velocities[i] - k;
        constant += 0.5 * m * k.times(k).sum();
        linear += m * k.times(w).sum();
        square += 0.5 * m * w.times(w).sum();
    }
    for i in part.hard.clone() {
        constant += 0.5 * masses[i] * velocities[i].times(velocities[i]).sum();
    }
    let room = wanted - potential - constant;
    let scale = wanted.abs().max(potential.abs()).max(constant + square);
    if (room - linear - square).abs() <= TOLERANCE * scale {
        return true;
    }
    let discriminant = linear * linear + 4.0 * square * room;
    let root = (discriminant.max(0.0).sqrt() - linear) / (2.0 * square);
    let factor = if root.is_finite() { root.max(0.0) } else { 1.0 };
    for i in part.free.clone() {
        let k = kept(i);
        velocities[i] = k.plus_scaled(factor, velocities[i] - k);
    }
    let reached = constant + factor * (linear + factor * square);
    (reached + potential - wanted).abs() <= TOLERANCE * scale
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    fn rows(values: [[f64; 3]; 3]) -> [Row; 3] {
        values.map(|v| DVec3::from_array(v).into())
    }

    #[test]
    fn energy_is_met_and_momenta_stay() {
        let masses = [1.0, 2.0, 0.5];
        let part = Part { island: 0, free: 0..3, hard: 3..3 };
        let x = rows([[1.0, 0.0, 0.0], [0.0, 1.0, 0.2], [-1.0, 0.5, 1.0]]);
        let start = rows([[0.3, 1.0, 0.0], [-2.0, 0.4, 0.1], [0.0, 0.3, -1.0]]);
        let rigid = RigidMotion::closest(0..3, &masses, &x, |i| start[i].xyz());
        let mut v = start;
        assert!(scale(&masses, &part, [1.0, 9.0], rigid, &x, &mut v));
        let kinetic = crate::measure::kinetic(&masses, &v);
        assert!((kinetic - 8.0).abs() < 1e-12, "{kinetic}");
        let (was, is) = (
            crate::measure::momentum(&masses, &x, &start),
            crate::measure::momentum(&masses, &x, &v),
        );
        assert!(was.linear.distance(is.linear) < 1e-12 && was.angular.distance(is.angular) < 1e-12);
    }

    #[test]
    fn kinetic_energy_cannot_be_negative() {
        let part = Part { island: 0, free: 0..3, hard: 3..3 };
        let mut v = rows([[0.3, 1.0, 0.0], [-2.0, 0.4, 0.1], [0.0, 0.3, -1.0]]);
        let x = v;
        assert!(!scale(&[1.0; 3], &part, [10.0, 9.0], None, &x, &mut v));
        assert_eq!(v, [Row::zero(); 3]);
        // And none comes from nothing.
        assert!(!scale(&[1.0; 3], &part, [8.0, 9.0], None, &x, &mut v));
        assert_eq!(v, [Row::zero(); 3]);
    }
}

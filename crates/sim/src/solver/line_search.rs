//! The line search of Newton's method: halves steps until Armijo's condition holds, and lengthens
//! them where nothing has inertia.

use std::time::Instant;

use pliant_math::Row;
use pliant_math::team::Team;

use super::newton::NewtonSpace;
use super::{SolverInfo, rises};
use crate::objective::{EvaluationSpace, Objective, Sums};

const SHORTEST_STEP: f64 = 1e-8;
/// Steps are lengthened where the objective falls by more than this part of what its slope says,
/// and to no more than this.
const STRAIGHT: f64 = 0.7;
const LONGEST_STEP: f64 = 64.0;

/// Goes along the direction as far as the objective falls; where it never does, the search has
/// stalled.
pub(super) fn search(
    objective: &Objective,
    p: &mut [Row],
    (sums, slope): (&Sums, f64),
    space: &NewtonSpace,
    evaluation: &mut EvaluationSpace,
    info: &mut SolverInfo,
    team: &Team,
) {
    let mut step = 1.0;
    loop {
        space.advance(step, p);
        let clock = Instant::now();
        let value = objective.value(p, evaluation, team);
        info.timings.evaluate += clock.elapsed();
        info.evaluations += 1;
        if !rises(value, sums.value, step * slope, sums) {
            // Inertia bends every objective.
            if step == 1.0 && objective.kappa == 0.0 {
                let along = (sums.value, value, -slope);
                lengthen(objective, p, along, space, evaluation, info, team);
            }
            return;
        }
        step *= 0.5;
        if step < SHORTEST_STEP {
            p[..space.from.len()].copy_from_slice(&space.from);
            info.stalled = true;
            return;
        }
    }
}

/// Goes on along a direction while the objective falls as its slope says: there it bends less than
/// the projected Hessians, which know no buckling, or not at all. A value takes a hundredth of the
/// time of a factorisation.
fn lengthen(
    objective: &Objective,
    p: &mut [Row],
    (before, value, slope): (f64, f64, f64),
    space: &NewtonSpace,
    evaluation: &mut EvaluationSpace,
    info: &mut SolverInfo,
    team: &Team,
) {
    let (mut fallen, mut step) = (before - value, 1.0);
    // At the minimum of a parabola it has fallen by half of the slope.
    while fallen > STRAIGHT * step * slope && step < LONGEST_STEP {
        space.advance(2.0 * step, p);
        let clock = Instant::now();
        let further = before - objective.value(p, evaluation, team);
        info.timings.evaluate += clock.elapsed();
        info.evaluations += 1;
        if further <= fallen || further.is_nan() {
            space.advance(step, p);
            return;
        }
        (fallen, step) = (further, 2.0 * step);
    }
}

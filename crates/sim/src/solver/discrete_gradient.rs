//! The midpoint discrete gradient (Gonzalez 1996): a step that keeps the energy by construction.
//!
//! ```text
//! x₁ = x₀ + h (v₀ + v₁)/2,     M (v₁ − v₀)/h = −∇̄E(x₀, x₁),
//! ∇̄E = ∇E(p) + c MΔ′,     c = (E(x₁) − E(x₀) − ∇E(p)·Δ) / (Δ′·MΔ),     p = (x₀ + x₁)/2,
//! ```
//!
//! so that ∇̄E·Δ = E(x₁) − E(x₀) with Δ = x₁ − x₀. Gonzalez has the plain Δ in place of MΔ′.
//! Masses make the second term independent of how finely a body is cut; and Δ′ is Δ without the
//! rigid motion closest to it at p, for every body that nothing outside touches, so that the second
//! term has no momentum: the step then keeps energy *and* linear and angular momentum. The plain
//! form drags on a body that flies. Bodies that are held, or may touch a collider, have Δ′ = Δ.
//! What several bodies share is one c: their sum of energies is kept, not each.
//!
//! Where nothing moves but rigidly, numerator and denominator vanish together, and the term with
//! them; a numerator below its rounding error counts as none.
//!
//! Energies that depend on time (moving attachments, colliders) are taken at the middle of the
//! step. Potentials that are not stored (wind, friction) act as in implicit midpoint.
//!
//! This is no minimisation but a search for the root of
//!
//! ```text
//! r(p) = κM(p − ŷ) + ∇E(p) + c MΔ′,     ∂r/∂p ≈ (κ + 2c)M + ∇²E(p) + MΔ′ (∂c/∂p)ᵀ,
//! ```
//!
//! by Newton's method: a symmetric matrix and one of rank one (Sherman and Morrison), and steps
//! shortened until ‖r‖ is less than it was a few iterations ago. ‖r‖ can have minima that are no
//! roots. From one of those the search starts anew at the implicit midpoint step; if it ends in one
//! again, it says `stalled`, and the energy of that step is not kept. The FEPR paper (Fig. 15 and
//! 16) has such failures in a quartic well and with a ball on a floor. In the well there are none
//! here, and can be none: E is convex in one dimension. The ball of
//! `crates/sim/tests/discrete_gradient.rs`, 20 kPa soft, stalls in 1 of 90 steps of 33 ms, with a
//! mesh of 6³ cells in none; finer steps are no safer (1 of 250 at 3.3 ms).

use std::time::Instant;

use glam::DVec3;
use pliant_math::team::Team;
use pliant_math::woodbury::sherman_morrison;
use pliant_math::{Buffer, MathError, Row};
use pliant_model::Model;
use pliant_model::potentials::Curvature;

use super::SolverInfo;
use super::newton::{self, NewtonParams, NewtonSpace};
use crate::objective::{EvaluationSpace, Forces, Objective, Sums};
use crate::rigid::RigidMotion;

const SHORTEST_STEP: f64 = 1e-7;
/// Iterations back to which ‖r‖ may rise again: contact has kinks that a search which may only
/// descend gets caught in (Grippo, Lampariello and Lucidi 1986).
const MEMORY: usize = 5;
/// Of what an energy is summed up from, its rounding error.
const ROUNDING: f64 = 1e-15;

/// Matrix, factorisation and vectors of the search.
pub struct DiscreteGradientSpace {
    newton: NewtonSpace,
    /// x₁.
    end: Buffer<Row>,
    /// ∇E(x₁).
    end_gradient: Buffer<Row>,
    /// Stored part of ∇E(p).
    stored: Buffer<Row>,
    /// Δ′.
    deformed: Buffer<Row>,
    /// ω × Δ′, with the ω that was taken from Δ.
    turned: Buffer<Row>,
    /// r.
    residual: Buffer<Row>,
    from: Buffer<Row>,
    /// Where the search began.
    first: Buffer<Row>,
    /// A⁻¹ MΔ′, and ∂c/∂p.
    lifted: Vec<f64>,
    slope: Vec<f64>,
    /// Whether some potential is not stored.
    is_lossy: bool,
}

impl DiscreteGradientSpace {
    /// Analyses a model's matrix.
    pub fn new(model: &Model) -> Result<Self, MathError> {
        let (field, free) = (model.field(), model.free_count());
        let rows = || Buffer::zeroed(free);
        Ok(DiscreteGradientSpace {
            newton: NewtonSpace::new(model)?,
            end: Buffer::zeroed(model.vertex_count()),
            end_gradient: rows(),
            stored: rows(),
            deformed: rows(),
            turned: rows(),
            residual: rows(),
            from: rows(),
            first: rows(),
            lifted: vec![0.0; 3 * free],
            slope: vec![0.0; 3 * free],
            is_lossy: (0..field.task_count()).any(|t| !field.is_stored(t)),
        })
    }
}

/// r at one p, in numbers; its vectors are in the space.
#[derive(Clone, Copy)]
struct Root {
    /// c, and the denominator Δ′·MΔ.
    factor: f64,
    square: f64,
    /// ‖r‖² over measured vertices.
    merit: f64,
    /// How large ‖r‖ may be because forces and energies are rounded \[N\].
    noise: f64,
    sums: Sums,
}

impl Root {
    fn residual(&self) -> f64 {
        Sums { gradient: self.merit, ..self.sums }.residual()
    }
}

/// Searches the root from `p`.
pub fn solve(
    objective: &Objective,
    params: &NewtonParams,
    p: &mut [Row],
    gradient: &mut [Row],
    space: &mut DiscreteGradientSpace,
    evaluation: &mut EvaluationSpace,
    team: &Team,
) -> SolverInfo {
    let free = space.first.len();
    let still = Objective { kappa: 0.0, forces: Forces::Stored, ..*objective };
    let clock = Instant::now();
    let start = still.gradient(objective.start, gradient, None, evaluation, team);
    let mut info = SolverInfo { evaluations: 1, ..SolverInfo::default() };
    info.timings.evaluate += clock.elapsed();
    space.first.copy_from_slice(&p[..free]);
    search(objective, params, start, p, gradient, space, evaluation, team, &mut info);
    if info.stalled && params.iterations > 1 {
        p[..free].copy_from_slice(&space.first);
        let space_of_newton = &mut space.newton;
        let midpoint =
            newton::minimise(objective, params, p, gradient, space_of_newton, evaluation, team);
        info.iterations += midpoint.iterations;
        info.evaluations += midpoint.evaluations;
        info.timings.add_parts(&midpoint.timings);
        info.stalled = false;
        search(objective, params, start, p, gradient, space, evaluation, team, &mut info);
    }
    info
}

/// Newton's method from `p`, added to what `info` has.
#[allow(clippy::too_many_arguments, reason = "the arguments of a solver, and what is known before")]
fn search(
    objective: &Objective,
    params: &NewtonParams,
    start: Sums,
    p: &mut [Row],
    gradient: &mut [Row],
    space: &mut DiscreteGradientSpace,
    evaluation: &mut EvaluationSpace,
    team: &Team,
    info: &mut SolverInfo,
) {
    let free = space.from.len();
    let mut curvature = Curvature::Exact;
    let last = info.iterations.saturating_add(params.iterations);
    let linearised = params.iterations == 1;
    let mut evaluate = |p: &[Row], space: &mut DiscreteGradientSpace, info: &mut SolverInfo| {
        let clock = Instant::now();
        let root = root_at(objective, start, p, gradient, space, evaluation, team);
        info.timings.evaluate += clock.elapsed();
        info.evaluations += if space.is_lossy { 3 } else { 2 };
        root
    };
    let mut recent = [0.0; MEMORY];
    let mut now = evaluate(p, space, info);
    loop {
        (info.residual, info.stored) = (now.residual(), now.sums.stored);
        let is_root = !linearised && info.residual <= params.tolerance;
        if is_root || now.merit == 0.0 || info.iterations == last {
            return;
        }
        // −2c ≥ κ would take the inertia away that makes the matrix positive.
        let shift = (2.0 * now.factor).max(-0.5 * objective.kappa);
        let shifted = Objective { kappa: objective.kappa + shift, ..*objective };
        let newton = &mut space.newton;
        if newton::factor(&shifted, p, &mut curvature, newton, info, team).is_err()
            || !direction(&shifted, p, &now, space, info)
        {
            info.stalled = true;
            return;
        }
        info.iterations += 1;
        space.from.copy_from_slice(&p[..free]);
        let mut step = 1.0;
        loop {
            let directions = space.newton.direction.chunks_exact(3);
            for ((x, from), d) in p.iter_mut().zip(&*space.from).zip(directions) {
                *x = from.plus_scaled(step, Row::new(d[0], d[1], d[2]));
            }
            let next = evaluate(p, space, info);
            let highest = recent.iter().fold(now.merit, |most, m| most.max(*m));
            if linearised || next.merit <= highest - 2e-4 * step * now.merit {
                recent[info.iterations as usize % recent.len()] = now.merit;
                now = next;
                break;
            }
            step *= 0.5;
            if step < SHORTEST_STEP {
                p[..free].copy_from_slice(&space.from);
                now = evaluate(p, space, info);
                let noise = now.noise + position_noise(p, &space.newton);
                let is_rounding = now.merit.sqrt() <= noise;
                info.stalled = !is_rounding;
                (info.residual, info.stored) = (now.residual(), now.sums.stored);
                return;
            }
        }
    }
}

/// How large ‖r‖ may be because positions are rounded \[N\]; the matrix is that of the last
/// iteration.
fn position_noise(p: &[Row], newton: &NewtonSpace) -> f64 {
    let matrix = newton.layout.matrix();
    let diagonal = matrix.column_starts()[..matrix.size()].iter().map(|&s| matrix.values()[s]);
    let coordinates = p.iter().flat_map(|x| x.xyz().to_array());
    let squares = diagonal.zip(coordinates).map(|(k, x)| (k * x) * (k * x));
    ROUNDING * squares.sum::<f64>().sqrt()
}

/// r(p) into the space; the last evaluation is that of all forces at p.
fn root_at(
    objective: &Objective,
    start: Sums,
    p: &[Row],
    gradient: &mut [Row],
    space: &mut DiscreteGradientSpace,
    evaluation: &mut EvaluationSpace,
    team: &Team,
) -> Root {
    let (model, x0) = (objective.model, objective.start);
    let masses = model.masses();
    for ((end, p), x0) in space.end.iter_mut().zip(p).zip(x0) {
        *end = *p + (*p - *x0);
    }
    let still = Objective { kappa: 0.0, forces: Forces::Stored, ..*objective };
    let end = still.gradient(&space.end, &mut space.end_gradient, None, evaluation, team);
    let sums;
    if space.is_lossy {
        still.gradient(p, &mut space.stored, None, evaluation, team);
        sums = objective.gradient(p, gradient, None, evaluation, team);
    } else {
        sums = objective.gradient(p, gradient, None, evaluation, team);
        for (v, stored) in space.stored.iter_mut().enumerate() {
            let push = (p[v] - objective.inertia[v]) * (objective.kappa * masses[v]);
            *stored = gradient[v] - push;
        }
    }
    let moved = |v: usize| space.end[v] - x0[v];
    let mut linear = 0.0;
    for (v, stored) in space.stored.iter().enumerate() {
        linear += stored.times(moved(v)).sum();
    }
    for v in model.hard_vertices() {
        linear += objective.hard_gradient(evaluation, v).dot(moved(v).xyz());
    }
    let excess = end.stored - start.stored - linear;
    deform(model, p, x0, &mut space.deformed, &mut space.turned);
    let (mut square, mut weights) = (0.0, 0.0);
    for (v, deformed) in space.deformed.iter().enumerate() {
        square += masses[v] * deformed.times(moved(v)).sum();
        weights += masses[v] * masses[v] * deformed.times(*deformed).sum();
    }
    // Continuous in the excess: what is within its rounding error does not make ‖r‖ jump.
    let rounding = ROUNDING * (end.magnitude + start.magnitude + linear.abs());
    let beyond = excess.signum() * (excess.abs() - rounding).max(0.0);
    let is_moving = square > 0.0 && beyond != 0.0;
    let factor = if is_moving { beyond / square } else { 0.0 };
    let mut merit = 0.0;
    for (v, r) in space.residual.iter_mut().enumerate() {
        *r = gradient[v].plus_scaled(factor * masses[v], space.deformed[v]);
        merit += objective.measured[v] * r.times(*r).sum();
    }
    let forces = sums.inertial.sqrt() + sums.forces.sqrt();
    let uncertain = if is_moving { 10.0 * rounding * weights.sqrt() / square } else { 0.0 };
    let noise = uncertain + 1e-14 * forces;
    Root { factor, square, merit, noise, sums }
}

/// Δ′ and ω × Δ′ of the free vertices.
fn deform(model: &Model, p: &[Row], x0: &[Row], deformed: &mut [Row], turned: &mut [Row]) {
    for (v, out) in deformed.iter_mut().enumerate() {
        *out = (p[v] - x0[v]) * 2.0;
    }
    turned.fill(Row::zero());
    for (b, body) in model.bodies().iter().enumerate().filter(|(_, body)| !body.is_held) {
        let vertices = (0..body.vertex_count).map(|v| model.number(b, v));
        let vertices = vertices.filter(|&v| v < model.free_count());
        let moved = |v: usize| deformed[v].xyz();
        let rigid = RigidMotion::closest(vertices.clone(), model.masses(), p, moved);
        let Some(rigid) = rigid else { continue };
        for v in vertices {
            let rest: DVec3 = deformed[v].xyz() - rigid.at(p[v].xyz());
            deformed[v] = rest.into();
            turned[v] = rigid.spin.cross(rest).into();
        }
    }
}

/// −J⁻¹r into the direction of the Newton space, whose matrix A is factored at p; false when
/// it cannot be solved for.
fn direction(
    shifted: &Objective,
    p: &[Row],
    root: &Root,
    space: &mut DiscreteGradientSpace,
    info: &mut SolverInfo,
) -> bool {
    let clock = Instant::now();
    let masses = shifted.model.masses();
    let DiscreteGradientSpace { newton, lifted, slope, deformed, turned, .. } = space;
    for (out, r) in newton.direction.chunks_exact_mut(3).zip(space.residual.iter()) {
        out.copy_from_slice(&[-r.0[0], -r.0[1], -r.0[2]]);
    }
    let mut solved = newton.cholesky.solve(&mut newton.direction).is_ok();
    if root.factor != 0.0 {
        // ∂c/∂p = (2∇E(x₁) − 2∇E(p) − ∇²E(p)Δ − c ∂(Δ′·MΔ)/∂p) / Δ′·MΔ.
        for (v, out) in lifted.chunks_exact_mut(3).enumerate() {
            let moved = (p[v] - shifted.start[v]) * 2.0;
            out.copy_from_slice(&moved.0[..3]);
        }
        newton.layout.matrix().multiply(lifted, slope);
        for (v, out) in slope.chunks_exact_mut(3).enumerate() {
            let moved = (p[v] - shifted.start[v]) * 2.0;
            let bent =
                Row::new(out[0], out[1], out[2]).plus_scaled(-shifted.kappa * masses[v], moved);
            let forces = (space.end_gradient[v] - space.stored[v]) * 2.0 - bent;
            let grown = (deformed[v] * 2.0 + turned[v]) * (2.0 * masses[v]);
            let change = forces.plus_scaled(-root.factor, grown) * (1.0 / root.square);
            out.copy_from_slice(&change.0[..3]);
        }
        for (v, out) in lifted.chunks_exact_mut(3).enumerate() {
            out.copy_from_slice(&(deformed[v] * masses[v]).0[..3]);
        }
        solved &= newton.cholesky.solve(lifted).is_ok();
        sherman_morrison(&mut newton.direction, lifted, slope);
    }
    info.timings.solve += clock.elapsed();
    solved && newton.direction.iter().all(|d| d.is_finite())
}

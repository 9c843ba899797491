//! Time rules. The implicit ones have one shape (thesis Eq. 3.38): a step minimises
//! ½‖x − y‖²_M + α h² E(βx + z) and then follows a velocity rule.
//!
//! | scheme | α | β | y | z | v₁ |
//! |---|---|---|---|---|---|
//! | backward Euler | 1 | 1 | x₀ + h v₀ | 0 | (x₁ − x₀)/h |
//! | BDF2 | 4/9 | 1 | (4x₀ − x₋₁)/3 + h (8v₀ − 2v₋₁)/9 | 0 | 3/(2h) (x₁ − (4x₀ − x₋₁)/3) |
//! | implicit midpoint | 1 | ½ | x₀ + h v₀ | x₀/2 | 2/h (x₁ − x₀) − v₀ |
//! | trapezoidal | ¼ | 1 | x₀ + h v₀ + h²/4 M⁻¹f(x₀) | 0 | 2/h (x₁ − x₀) − v₀ |
//! | discrete gradient | 1 | ½ | x₀ + h v₀ | x₀/2 | 2/h (x₁ − x₀) − v₀ |
//! | quasi-static | ∞ | 1 | – | 0 | 0 |
//!
//! The explicit ones, with f(x₀) alone: forward Euler x₁ = x₀ + h v₀, v₁ = v₀ + h M⁻¹f(x₀);
//! symplectic Euler the same v₁, and x₁ = x₀ + h v₁.
//!
//! The discrete gradient has the constants of implicit midpoint, but is no minimisation: a term
//! that keeps the energy is added to ∇E (`solver/discrete_gradient.rs`).
//!
//! BDF2 takes its first step by implicit midpoint: started by backward Euler it loses an order
//! under energy projection when it starts at a turning point. External forces are part of E.

use pliant_math::Row;
use pliant_math::team::{SharedSlice, Team};
use pliant_model::Model;
use pliant_model::method::{Problem, Scheme};

use crate::blocks::{PerVertex, each_vertex};
use crate::state::State;

/// The objective's constants for one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// κ = 1/(α β² h²) \[1/s²\].
    pub kappa: f64,
    /// Velocity is (p − x₀) · rate \[1/s\].
    pub rate: f64,
    /// p = βx₁ + (1 − β)x₀: forces are evaluated at this fraction of the step.
    pub beta: f64,
}

/// The scheme that a step really follows: BDF2 needs a past.
pub fn effective(scheme: Scheme, state: &State) -> Scheme {
    match scheme {
        Scheme::Bdf2 if !state.past.is_valid => Scheme::ImplicitMidpoint,
        other => other,
    }
}

/// Whether a scheme needs no solver.
pub fn is_explicit(scheme: Scheme) -> bool {
    scheme.problem() == Problem::Explicit
}

/// Whether a scheme looks for equilibria: without inertia, nothing goes on from step to step.
pub fn is_equilibrium(scheme: Scheme) -> bool {
    scheme.problem() == Problem::Equilibrium
}

/// Whether elastic forces are those in the middle of a step, and those of contact at its end.
pub fn is_midpoint(scheme: Scheme) -> bool {
    scheme == Scheme::ImplicitMidpoint
}

/// Whether a scheme needs the forces at the start of the step.
pub fn needs_start_forces(scheme: Scheme) -> bool {
    is_explicit(scheme) || scheme == Scheme::Trapezoidal
}

/// Whether the forces of contact are those at the end of a step, and nothing else: what contact
/// takes then is known.
pub fn ends_in_contact(scheme: Scheme) -> bool {
    matches!(scheme, Scheme::BackwardEuler | Scheme::Bdf2 | Scheme::ImplicitMidpoint)
}

/// The constants of a scheme at step length h \[s\].
pub fn constants(scheme: Scheme, h: f64) -> Constants {
    let (alpha, beta) = match scheme {
        Scheme::QuasiStatic => return Constants { kappa: 0.0, rate: 0.0, beta: 1.0 },
        Scheme::BackwardEuler | Scheme::ForwardEuler | Scheme::SymplecticEuler => (1.0, 1.0),
        Scheme::Bdf2 => (4.0 / 9.0, 1.0),
        Scheme::ImplicitMidpoint | Scheme::DiscreteGradient => (1.0, 0.5),
        Scheme::Trapezoidal => (0.25, 1.0),
    };
    Constants { kappa: 1.0 / (alpha * beta * beta * h * h), rate: 1.0 / (beta * h), beta }
}

/// ŷ = βy + z for every vertex; `gradient` is ∇E(x₀) where [`needs_start_forces`].
pub fn pose(
    scheme: Scheme,
    h: f64,
    masses: &[f64],
    gradient: &[Row],
    state: &State,
    inertia: &mut [Row],
    team: &Team,
) {
    let inertia = SharedSlice::new(inertia);
    each_vertex(inertia.len(), team, &Posed { scheme, h, masses, gradient, state, inertia });
}

struct Posed<'a> {
    scheme: Scheme,
    h: f64,
    masses: &'a [f64],
    gradient: &'a [Row],
    state: &'a State,
    inertia: SharedSlice<'a, Row>,
}

impl PerVertex for Posed<'_> {
    #[inline(always)]
    unsafe fn at(&self, i: usize) {
        let (h, State { positions, velocities, past, .. }) = (self.h, self.state);
        let (x, v) = (positions[i], velocities[i]);
        let y = match self.scheme {
            Scheme::QuasiStatic => x,
            Scheme::ImplicitMidpoint | Scheme::DiscreteGradient => x.plus_scaled(0.5 * h, v),
            Scheme::Bdf2 => {
                let drift = v * (8.0 / 9.0) - past.velocities[i] * (2.0 / 9.0);
                bdf2_base(x, past.positions[i]).plus_scaled(h, drift)
            }
            Scheme::Trapezoidal => {
                let pushed = x.plus_scaled(h, v);
                match self.gradient.get(i) {
                    Some(&g) => pushed.plus_scaled(-0.25 * h * h / self.masses[i], g),
                    None => pushed,
                }
            }
            Scheme::BackwardEuler | Scheme::ForwardEuler | Scheme::SymplecticEuler => {
                x.plus_scaled(h, v)
            }
        };
        // SAFETY: every vertex has its own row.
        unsafe { *self.inertia.at(i) = y }
    }
}

/// (4x₀ − x₋₁)/3.
#[inline(always)]
fn bdf2_base(x: Row, past: Row) -> Row {
    x * (4.0 / 3.0) - past * (1.0 / 3.0)
}

/// The state after a step that was solved by `p`.
///
/// Hard vertices go exactly where they are driven, `hard`; a hard vertex's velocity is its
/// displacement divided by h, whatever the scheme.
pub fn finish(
    model: &Model,
    scheme: Scheme,
    h: f64,
    [p, hard]: [&[Row]; 2],
    state: &mut State,
    team: &Team,
) {
    let State { positions, velocities, accelerations, past, .. } = state;
    if scheme == Scheme::QuasiStatic {
        positions.copy_from_slice(p);
        velocities.fill(Row::zero());
        accelerations.fill(Row::zero());
        return;
    }
    let finished = Finished {
        scheme,
        h,
        free: model.free_count(),
        p,
        positions: SharedSlice::new(positions),
        velocities: SharedSlice::new(velocities),
        accelerations: SharedSlice::new(accelerations),
        past: [SharedSlice::new(&mut past.positions), SharedSlice::new(&mut past.velocities)],
    };
    each_vertex(p.len(), team, &finished);
    positions[model.free_count()..].iter_mut().zip(hard).for_each(|(x, &driven)| *x = driven);
    past.is_valid = true;
}

struct Finished<'a> {
    scheme: Scheme,
    h: f64,
    free: usize,
    p: &'a [Row],
    positions: SharedSlice<'a, Row>,
    velocities: SharedSlice<'a, Row>,
    accelerations: SharedSlice<'a, Row>,
    past: [SharedSlice<'a, Row>; 2],
}

impl PerVertex for Finished<'_> {
    #[inline(always)]
    unsafe fn at(&self, i: usize) {
        let Finished { scheme, h, positions, velocities, past: [last_x, last_v], .. } = *self;
        let is_midpoint = matches!(scheme, Scheme::ImplicitMidpoint | Scheme::DiscreteGradient);
        // SAFETY: every vertex has its own rows.
        unsafe {
            let (p, x0, v0) = (self.p[i], *positions.at(i), *velocities.at(i));
            let x1 = if is_midpoint { p + (p - x0) } else { p };
            let mean = (x1 - x0) * (1.0 / h);
            let v1 = match scheme {
                _ if i >= self.free => mean,
                _ if is_midpoint || scheme == Scheme::Trapezoidal => mean + (mean - v0),
                Scheme::Bdf2 => (x1 - bdf2_base(x0, *last_x.at(i))) * (1.5 / h),
                _ => mean,
            };
            *self.accelerations.at(i) = (v1 - v0) * (1.0 / h);
            (*last_x.at(i), *last_v.at(i)) = (x0, v0);
            (*positions.at(i), *velocities.at(i)) = (x1, v1);
        }
    }
}

/// The state after an explicit step; `gradient` is ∇E(x₀), `hard` where hard vertices go.
pub fn finish_explicit(
    model: &Model,
    scheme: Scheme,
    h: f64,
    gradient: &[Row],
    hard: &[Row],
    state: &mut State,
) {
    let State { positions, velocities, accelerations, .. } = state;
    for (i, &g) in gradient.iter().enumerate() {
        let acceleration = g * (-1.0 / model.masses()[i]);
        let next = velocities[i].plus_scaled(h, acceleration);
        let moving = if scheme == Scheme::ForwardEuler { velocities[i] } else { next };
        positions[i] = positions[i].plus_scaled(h, moving);
        velocities[i] = next;
        accelerations[i] = acceleration;
    }
    for (i, &to) in model.hard_vertices().zip(hard) {
        velocities[i] = (to - positions[i]) * (1.0 / h);
        positions[i] = to;
    }
}

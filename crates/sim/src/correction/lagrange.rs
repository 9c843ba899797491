//! Energy as a constraint of the step itself (Hughes, Caughey and Liu 1978): the step's
//! minimisation becomes the search for a stationary point of
//!
//! ```text
//! G(p) + λ (H(x₁(p), v₁(p)) − H),
//! ```
//!
//! where x₁ and v₁ are what the scheme makes of p, both linear in it: x₁ = a p + …, v₁ = b p + ….
//!
//! With A = κM + L, the projective matrix, ∇²G ≈ A and ∇²H ≈ a²A (κ = b²/a² in every scheme), so
//! that the quadratic model of the problem has its solution in closed form: with W_G = A⁻¹∇G, W_H =
//! A⁻¹∇H, w = W_H/a² and u = W_G − w,
//!
//! ```text
//! p −= η u + w,   η² = (∇H·w − 2c) / (a² u·Au),   λ = (1/η − 1)/a²,   c = H(x₁, v₁) − H.
//! ```
//!
//! That is iterated until c = 0 and p moves no more; where p does not settle (λ is then near −1/a²,
//! and very much energy is missing), the last iterates move along W_H alone, to c = 0. λ is larger
//! than −1/a² in all of it: at that value the objective would be linear.
//!
//! The energy is kept exactly. Momenta are not: ∇H has a share of them that λ puts in or takes out.
//! What backward Euler loses in its fast modes is taken from the slow ones or put into others, and
//! what swings or turns as a whole ends up as vibration (Dinev et al. 2018, Fig. 14).

use pliant_math::team::Team;
use pliant_math::{Buffer, Row};
use pliant_model::Model;
use pliant_model::method::Scheme;
use pliant_model::potentials::ProxyKind;

use super::fepr::Part;
use super::field;
use crate::measure;
use crate::objective::{EvaluationSpace, Forces, Objective};
use crate::report::StepReport;
use crate::scheme;
use crate::solver::projective::{ProjectiveSpace, Proxy, precondition};
use crate::state::State;
use crate::step::Times;
use crate::workspace::{SimError, Vectors, Workspace};

/// The energy may be off by this much of its scale.
const TOLERANCE: f64 = 1e-9;
/// Where another iteration would change G by no more than this much of the energy, p is found.
const SETTLED: f64 = 1e-8;
const ITERATIONS: u32 = 60;
/// More iterations that only look for the energy.
const LAST_ITERATIONS: u32 = 40;

/// Memory and factorisation of the constrained step.
pub struct LagrangeSpace {
    parts: Vec<Part>,
    targets: Vec<f64>,
    /// The projective matrix for one κ.
    factored: Option<(f64, ProjectiveSpace)>,
    search: Search,
    before: [Buffer<Row>; 2],
}

/// Vectors of the search.
struct Search {
    action_gradient: Vec<Row>,
    energy_gradient: Vec<Row>,
    action_direction: Vec<Row>,
    energy_direction: Vec<Row>,
    potentials: Vec<f64>,
    infos: Vec<LagrangeInfo>,
}

/// How the search went for an island.
#[derive(Clone, Copy, Debug, Default)]
struct LagrangeInfo {
    iterations: u32,
    /// Whether |c| is below the tolerance.
    converged: bool,
}

impl LagrangeSpace {
    /// For a model.
    pub fn new(model: &Model) -> Self {
        let (all, free, bodies) = (model.vertex_count(), model.free_count(), model.bodies().len());
        let rows = || vec![Row::zero(); free];
        LagrangeSpace {
            parts: super::bodies_as_parts(model),
            targets: vec![0.0; bodies],
            factored: None,
            search: Search {
                action_gradient: rows(),
                energy_gradient: rows(),
                action_direction: rows(),
                energy_direction: rows(),
                potentials: vec![0.0; bodies],
                infos: vec![LagrangeInfo::default(); bodies],
            },
            before: [Buffer::zeroed(all), Buffer::zeroed(all)],
        }
    }
}

/// Solves the step once more, from its solution, with each body's energy as in its account.
///
/// Where that does not succeed, the body stays as the step left it, and the report says so.
pub(super) fn apply(
    model: &Model,
    scheme: Scheme,
    times: Times,
    state: &mut State,
    space: &mut LagrangeSpace,
    workspace: &mut Workspace,
    report: &mut StepReport,
) -> Result<(), SimError> {
    let Workspace { team, evaluation, vectors, .. } = workspace;
    let LagrangeSpace { parts, targets, factored, search, before } = space;
    let constants = scheme::constants(scheme, times.h);
    if factored.as_ref().is_none_or(|(kappa, _)| *kappa != constants.kappa) {
        // A bound of the Hessian, so that iterations do not overshoot.
        let proxy = Proxy::new(model, constants.kappa, ProxyKind::Bound)?;
        *factored = Some((constants.kappa, ProjectiveSpace::new(model, proxy, 0, team)));
    }
    let Some((_, matrix)) = factored else { return Ok(()) };
    // x₁ and v₁ per p; κ = b²/a².
    let reach = 1.0 / constants.beta;
    let rates = [reach, reach * constants.kappa.sqrt()];
    for (target, account) in targets.iter_mut().zip(&state.accounts) {
        *target = account.target().unwrap_or_default();
    }
    before[0].copy_from_slice(&state.positions);
    before[1].copy_from_slice(&state.velocities);
    let Vectors { p, inertia, measured, before: [x0, _], .. } = vectors;
    let action = Objective {
        model,
        drive: times.at,
        start: x0,
        rate: constants.rate,
        kappa: constants.kappa,
        inertia,
        measured,
        forces: Forces::All,
        end: None,
        rubbing: &[],
    };
    let stored = field::stored(model, times.to, inertia, measured);
    let mut step = ConstrainedStep { action, stored, rates, matrix, evaluation, team };
    let State { positions, velocities, .. } = &mut *state;
    search.run(&mut step, parts, targets, p, [positions, velocities]);
    for (b, info) in search.infos.iter().enumerate() {
        report.correction_iterations += info.iterations;
        if !info.converged {
            report.correction_failed = true;
            let free = || model.bodies()[b].free.clone();
            positions[free()].copy_from_slice(&before[0][free()]);
            velocities[free()].copy_from_slice(&before[1][free()]);
        }
    }
    report.energy.potential = workspace.potential_energy(model, times.to, state);
    Ok(())
}

/// A step of a model, and its energy.
struct ConstrainedStep<'a> {
    /// G.
    action: Objective<'a>,
    /// E at the end of the step.
    stored: Objective<'a>,
    /// a, and b \[1/s\].
    rates: [f64; 2],
    /// A.
    matrix: &'a mut ProjectiveSpace,
    evaluation: &'a mut EvaluationSpace,
    team: &'a Team,
}

impl Search {
    /// Moves p, and the outcome of the step with it, until every island has the energy of its
    /// target.
    fn run(
        &mut self,
        step: &mut ConstrainedStep,
        parts: &[Part],
        targets: &[f64],
        p: &mut [Row],
        [positions, velocities]: [&mut [Row]; 2],
    ) {
        self.infos.fill(LagrangeInfo::default());
        let masses = step.action.model.masses();
        for iteration in 0..=ITERATIONS + LAST_ITERATIONS {
            self.evaluate(step, p, positions, velocities);
            let mut is_over = true;
            for (b, part) in parts.iter().enumerate() {
                let kinetic =
                    measure::kinetic(&masses[part.free.clone()], &velocities[part.free.clone()])
                        + measure::kinetic(
                            &masses[part.hard.clone()],
                            &velocities[part.hard.clone()],
                        );
                let scale = targets[b].abs().max(kinetic).max(self.potentials[b].abs());
                let c = self.potentials[b] + kinetic - targets[b];
                let is_last = iteration >= ITERATIONS;
                let model = self.model(part, c, step.rates[0], is_last);
                let info = &mut self.infos[b];
                info.converged = c.abs() <= TOLERANCE * scale;
                let is_settled = is_last || model.change <= SETTLED * scale;
                if (info.converged && is_settled)
                    || !model.change.is_finite()
                    || iteration == ITERATIONS + LAST_ITERATIONS
                {
                    continue;
                }
                is_over = false;
                info.iterations += 1;
                for i in part.free.clone() {
                    let moved = self.action_direction[i] * model.along_action
                        + self.energy_direction[i] * model.along_energy;
                    p[i] = p[i] - moved;
                    positions[i] = positions[i].plus_scaled(-step.rates[0], moved);
                    velocities[i] = velocities[i].plus_scaled(-step.rates[1], moved);
                }
            }
            if is_over {
                break;
            }
        }
    }

    /// Both gradients, and what A⁻¹ makes of them.
    fn evaluate(
        &mut self,
        step: &mut ConstrainedStep,
        p: &[Row],
        positions: &[Row],
        velocities: &[Row],
    ) {
        let ConstrainedStep { action, stored, rates: [a, b], matrix, evaluation, team } = step;
        action.gradient(p, &mut self.action_gradient, None, evaluation, team);
        stored.gradient(positions, &mut self.energy_gradient, None, evaluation, team);
        let gravity = stored.drive.gravity;
        let model = stored.model;
        measure::by_body(model, gravity, positions, &evaluation.energies, &mut self.potentials);
        for (i, g) in self.energy_gradient.iter_mut().enumerate() {
            *g = *g * *a + velocities[i] * (*b * model.masses()[i]);
        }
        precondition(&self.action_gradient, 1.0, matrix, &mut self.action_direction, team);
        precondition(&self.energy_gradient, 1.0, matrix, &mut self.energy_direction, team);
    }

    /// The solution of the quadratic model of one island, or of its constraint alone.
    fn model(&self, part: &Part, c: f64, a: f64, ignores_action: bool) -> Quadratic {
        let (mut gg, mut gh, mut hh) = (0.0, 0.0, 0.0);
        for i in part.free.clone() {
            gg += self.action_gradient[i].times(self.action_direction[i]).sum();
            gh += self.action_gradient[i].times(self.energy_direction[i]).sum();
            hh += self.energy_gradient[i].times(self.energy_direction[i]).sum();
        }
        let square = a * a;
        if ignores_action {
            let eta = (1.0 - 2.0 * square * c / hh).max(0.0).sqrt();
            let along_energy = (1.0 - eta) / square;
            let change = 0.5 * along_energy * along_energy * hh;
            return Quadratic { along_action: 0.0, along_energy, change };
        }
        // u·Au, of u = W_G − W_H/a².
        let uu = gg - 2.0 * gh / square + hh / (square * square);
        let eta = ((hh / square - 2.0 * c).max(0.0) / (square * uu)).sqrt();
        let along_energy = (1.0 - eta) / square;
        // d·Ad, of d = η W_G + (1 − η)/a² W_H.
        let length =
            eta * eta * gg + 2.0 * eta * along_energy * gh + along_energy * along_energy * hh;
        Quadratic { along_action: eta, along_energy, change: 0.5 * length.abs() }
    }
}

/// Where the model's solution is.
struct Quadratic {
    /// p moves by −(η W_G + (1 − η)/a² W_H).
    along_action: f64,
    along_energy: f64,
    /// What that changes G by, about \[J\].
    change: f64,
}

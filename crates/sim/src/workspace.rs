//! What a step needs besides the state: memory and factorisations. It can be dropped between
//! steps without changing a bit.

use glam::DVec3;
use thiserror::Error;

use pliant_math::team::Team;
use pliant_math::{Buffer, MathError, Row};
use pliant_model::method::{Damping, Problem, Solver};
use pliant_model::potentials::ProxyKind;
use pliant_model::touching::Touch;
use pliant_model::{Drive, Model};

use crate::correction::CorrectionSpace;
use crate::islands::Islands;
use crate::measure;
use crate::objective::{EvaluationSpace, Objective};
use crate::rayleigh::RayleighSpace;
use crate::scheme::Constants;
use crate::solver::discrete_gradient::{self, DiscreteGradientSpace};
use crate::solver::modified::{self, ModifiedSpace};
use crate::solver::newton::{self, NewtonParams, NewtonSpace};
use crate::solver::projective::{self, ProjectiveParams, ProjectiveSpace, Proxy};
use crate::solver::xpbd::{self, NoConstraint, XpbdParams, XpbdSpace};
use crate::solver::{SolverInfo, Start};
use crate::state::State;

/// Why a model cannot be stepped.
#[derive(Debug, Error)]
pub enum SimError {
    /// The solver's matrix cannot be factored.
    #[error("the solver's matrix cannot be factored: {0}")]
    Matrix(#[from] MathError),
    /// The solver has no constraint for one of the model's potentials.
    #[error(transparent)]
    Constraint(#[from] NoConstraint),
    /// A correction keeps accounts of bodies, which those in contact share.
    #[error(
        "bodies that touch each other share their energy, which only the correction `fepr` knows: \
            use it, or none"
    )]
    SharedEnergy,
    /// Only Newton's method has a tangent.
    #[error("the tangent of an equilibrium is that of Newton's method: use the solver `newton`")]
    NoTangent,
    /// The step length is not a positive number.
    #[error("the step length must be a positive number of seconds, not {0}")]
    StepLength(f64),
}

/// Memory and factorisations for stepping one model.
pub struct Workspace {
    pub(crate) team: Team,
    pub(crate) evaluation: EvaluationSpace,
    pub(crate) solver: SolverSpace,
    /// Diagonal of the elastic proxy [N/m].
    pub(crate) elastic: Vec<f64>,
    pub(crate) vectors: Vectors,
    /// Who touches whom at the start of a sub-step, and where its forces are evaluated.
    pub(crate) islands_before: Islands,
    pub(crate) islands: Islands,
    /// What touches at the start of a sub-step.
    pub(crate) touched: Vec<Touch>,
    /// The state before the step.
    pub(crate) saved: State,
    pub(crate) correction: Option<CorrectionSpace>,
    pub(crate) rayleigh: Option<RayleighSpace>,
    /// Start, end, and time of evaluation of a sub-step.
    pub(crate) drives: [Drive; 3],
    /// What contact took of each body in a step \[J\].
    pub(crate) lost: Vec<f64>,
    /// What each was given in it from outside \[J\].
    pub(crate) given: Vec<f64>,
    /// Stored energy of each body \[J\].
    potentials: Vec<f64>,
}

pub(crate) struct Vectors {
    pub p: Buffer<Row>,
    pub other: Buffer<Row>,
    /// Positions and velocities at the start of a sub-step.
    pub before: [Buffer<Row>; 2],
    pub inertia: Buffer<Row>,
    pub gradient: Buffer<Row>,
    /// Whether `gradient` is ∇E at the state, as the solver has left it, with the energies of the
    /// same evaluation in the evaluation space, and all of them stored.
    pub is_gradient_stored: bool,
    pub measured: Vec<f64>,
    /// ∇E at the hard vertices at the start of a sub-step, where the account needs it.
    pub hard_start: Vec<DVec3>,
}

pub(crate) enum SolverSpace {
    Projective {
        params: ProjectiveParams,
        kind: ProxyKind,
        cached: Vec<Factored>,
    },
    /// With matrices for a κ each, the last used first.
    Modified {
        params: ProjectiveParams,
        cached: Vec<(f64, ModifiedSpace)>,
    },
    Newton {
        params: NewtonParams,
        delta: f64,
        space: Box<NewtonSpace>,
    },
    Xpbd {
        params: XpbdParams,
        space: Box<XpbdSpace>,
    },
    DiscreteGradient {
        params: NewtonParams,
        space: Box<DiscreteGradientSpace>,
    },
}

/// A proxy factored for one κ.
pub(crate) struct Factored {
    kappa: f64,
    space: ProjectiveSpace,
}

impl Workspace {
    /// For steps of a model on `threads` threads.
    ///
    /// # Errors
    /// When the solver's matrix cannot be analysed.
    pub fn new(model: &Model, threads: usize) -> Result<Self, SimError> {
        let team = Team::new(threads);
        let is_root = model.method().scheme.problem() == Problem::Root;
        let solver = match model.method().solver {
            Solver::Newton { iterations, tolerance } if is_root => SolverSpace::DiscreteGradient {
                params: NewtonParams { iterations, tolerance },
                space: Box::new(DiscreteGradientSpace::new(model)?),
            },
            Solver::Projective { iterations, history, tolerance } => SolverSpace::Projective {
                params: ProjectiveParams { iterations, history, tolerance },
                kind: if history == 0 { ProxyKind::Bound } else { ProxyKind::Typical },
                cached: Vec::new(),
            },
            Solver::Modified { iterations, history, tolerance } => SolverSpace::Modified {
                params: ProjectiveParams { iterations, history, tolerance },
                cached: Vec::new(),
            },
            Solver::Xpbd { iterations } => SolverSpace::Xpbd {
                params: XpbdParams { iterations },
                space: Box::new(XpbdSpace::new(model)?),
            },
            Solver::Newton { iterations, tolerance } => SolverSpace::Newton {
                params: NewtonParams { iterations, tolerance },
                delta: 0.0,
                space: Box::new(NewtonSpace::new(model)?),
            },
            Solver::Linearised { delta } => SolverSpace::Newton {
                params: NewtonParams { iterations: 1, tolerance: 0.0 },
                delta,
                space: Box::new(NewtonSpace::new(model)?),
            },
        };
        let rayleigh = match model.method().damping {
            Some(Damping::Rayleigh { .. }) => Some(RayleighSpace::new(model)?),
            _ => None,
        };
        let (all, free) = (model.vertex_count(), model.free_count());
        Ok(Workspace {
            team,
            evaluation: EvaluationSpace::new(model),
            solver,
            elastic: model.field().elastic_diagonal(all),
            vectors: Vectors {
                p: Buffer::zeroed(all),
                other: Buffer::zeroed(all),
                before: [Buffer::zeroed(all), Buffer::zeroed(all)],
                inertia: Buffer::zeroed(all),
                gradient: Buffer::zeroed(free),
                is_gradient_stored: false,
                measured: vec![1.0; free],
                hard_start: Vec::with_capacity(all - free),
            },
            islands_before: Islands::new(model.bodies().len()),
            islands: Islands::new(model.bodies().len()),
            touched: Vec::new(),
            saved: State::initial(model),
            rayleigh,
            correction: CorrectionSpace::new(model)?,
            drives: std::array::from_fn(|_| Drive::default()),
            lost: vec![0.0; model.bodies().len()],
            given: vec![0.0; model.bodies().len()],
            potentials: vec![0.0; model.bodies().len()],
        })
    }

    /// Lets iterations end at another relative norm of the gradient from now on, where the solver
    /// has one.
    pub fn end_at(&mut self, norm: f64) {
        match &mut self.solver {
            SolverSpace::Projective { params, .. } | SolverSpace::Modified { params, .. } => {
                params.tolerance = norm;
            }
            SolverSpace::Newton { params, .. } | SolverSpace::DiscreteGradient { params, .. } => {
                params.tolerance = norm;
            }
            SolverSpace::Xpbd { .. } => {}
        }
    }

    /// Stored energy of a state at a drive \[J\].
    pub fn potential_energy(&mut self, model: &Model, drive: &Drive, state: &State) -> f64 {
        measure::potential(model, drive, state, &mut self.evaluation, &self.team)
    }

    /// Stored energy of each body of a state at a drive \[J\].
    pub fn potential_energies(&mut self, model: &Model, drive: &Drive, state: &State) -> &[f64] {
        self.potential_energy(model, drive, state);
        let Workspace { evaluation, potentials, .. } = self;
        measure::by_body(model, drive.gravity, &state.positions, &evaluation.energies, potentials);
        potentials
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        self.team.size()
    }

    /// The threads, for work beside the steps: a second team would spin while this one works.
    pub fn team(&self) -> &Team {
        &self.team
    }
}

impl SolverSpace {
    /// Whether the search has a start of its own: the last positions in the linearised scheme,
    /// where inertia leads in XPBD.
    pub fn has_own_start(&self) -> bool {
        let linearised = |params: &NewtonParams| params.iterations == 1;
        match self {
            SolverSpace::Newton { params, .. } => linearised(params),
            SolverSpace::Xpbd { .. } => true,
            SolverSpace::Projective { .. }
            | SolverSpace::Modified { .. }
            | SolverSpace::DiscreteGradient { .. } => false,
        }
    }

    /// How far along the velocities a start of its own is, in steps.
    pub fn lead(&self) -> f64 {
        match self {
            SolverSpace::Newton { delta, .. } => *delta,
            _ => 0.0,
        }
    }

    /// Whether this is local/global as it is in papers, with nothing remembered.
    pub fn is_plain(&self) -> bool {
        matches!(self, SolverSpace::Projective { params: ProjectiveParams { history: 0, .. }, .. })
    }

    /// Whether the gradient that the search leaves is that of where it ends.
    pub fn leaves_gradient(&self) -> bool {
        matches!(self, SolverSpace::Projective { .. } | SolverSpace::Modified { .. })
    }

    /// Factors what can be factored before the search, of a model with this elastic diagonal [N/m].
    pub fn prepare(
        &mut self,
        model: &Model,
        elastic: &[f64],
        constants: Constants,
        team: &Team,
    ) -> Result<(), SimError> {
        let kappa = match model.method().scheme.problem() {
            Problem::Equilibrium => regular_kappa(model, elastic),
            _ => constants.kappa,
        };
        let (params, kind, cached) = match self {
            SolverSpace::Projective { params, kind, cached } => (params, kind, cached),
            SolverSpace::Newton { space, .. } => {
                space.prepare(model, kappa, team);
                return Ok(());
            }
            SolverSpace::Modified { params, cached } => {
                match cached.iter().position(|(own, _)| *own == kappa) {
                    Some(found) => cached.swap(0, found),
                    None => {
                        let space = ModifiedSpace::new(model, kappa, params.history, team)?;
                        cached.insert(0, (kappa, space));
                    }
                }
                return Ok(());
            }
            SolverSpace::Xpbd { .. } | SolverSpace::DiscreteGradient { .. } => return Ok(()),
        };
        if let Some(found) = cached.iter().position(|f| f.kappa == kappa) {
            cached.swap(0, found);
            return Ok(());
        }
        let proxy = Proxy::new(model, kappa, *kind)?;
        let space = ProjectiveSpace::new(model, proxy, params.history, team);
        cached.insert(0, Factored { kappa, space });
        Ok(())
    }

    /// Minimises the objective from a start, or solves what stands in its place;
    /// [`SolverSpace::prepare`] comes first.
    pub fn minimise(
        &mut self,
        objective: &Objective,
        start: Start,
        evaluation: &mut EvaluationSpace,
        team: &Team,
    ) -> SolverInfo {
        let Start { p, gradient, known } = start;
        match self {
            SolverSpace::Projective { params, cached, .. } => match cached.first_mut() {
                Some(Factored { space, .. }) => {
                    let start = Start { p, gradient, known };
                    projective::minimise(objective, params, start, space, evaluation, team)
                }
                None => SolverInfo { stalled: true, ..SolverInfo::default() },
            },
            SolverSpace::Modified { params, cached } => match cached.first_mut() {
                Some((_, space)) => {
                    let start = Start { p, gradient, known };
                    modified::minimise(objective, params, start, space, evaluation, team)
                }
                None => SolverInfo { stalled: true, ..SolverInfo::default() },
            },
            SolverSpace::Xpbd { params, space } => {
                xpbd::minimise(objective, params, p, gradient, space, evaluation, team)
            }
            SolverSpace::DiscreteGradient { params, space } => {
                discrete_gradient::solve(objective, params, p, gradient, space, evaluation, team)
            }
            SolverSpace::Newton { params, space, .. } => {
                newton::minimise(objective, params, p, gradient, space, evaluation, team)
            }
        }
    }
}

impl SolverSpace {
    /// Improves a start by one projective iteration, or by all that Newton's method needs: the
    /// backward Euler step of thesis 3.3.1.3, which starts so near that one local/global iteration
    /// is enough.
    pub fn improve(
        &mut self,
        objective: &Objective,
        start: Start,
        evaluation: &mut EvaluationSpace,
        team: &Team,
    ) -> SolverInfo {
        if let SolverSpace::Projective { params, cached, .. } = self
            && let Some(Factored { space, .. }) = cached.first_mut()
        {
            let once = ProjectiveParams { iterations: 1, ..*params };
            return projective::minimise(objective, &once, start, space, evaluation, team);
        }
        self.minimise(objective, start, evaluation, team)
    }
}

/// A κ that makes the proxy of a body without inertia positive definite, and hardly changes it.
fn regular_kappa(model: &Model, elastic: &[f64]) -> f64 {
    let stiffness: f64 = elastic.iter().sum();
    let mass: f64 = model.masses().iter().sum();
    if stiffness > 0.0 && mass > 0.0 { 1e-6 * stiffness / mass } else { 1.0 }
}

//! The constrained simulation of Ω: Ω″ goes where the fitted input has it (Eq. 5, 9), everything else
//! by physics (Eq. 4), pulled to the input by the implicit blending force W(ū − u) (Eq. 11).
//!
//! Eq. 6–9 are one Newton iteration of backward Euler; here it is a step of the simulation, with any of
//! its schemes, solvers and corrections. ū is that at the *end* of the step: with the one at its start
//! everything lags a frame.

use glam::DVec3;
use pliant_math::Row;
use pliant_model::integrator::{Correction, Fepr, Integrator, Scheme, Solver};
use pliant_model::touching::TouchLaw;
use pliant_model::{
    BodySpec, Collider, Drive, ElasticModel, FrameInput, Hold, Lame, Matter, Model, ModelBuilder,
    Response, Shape,
};
use pliant_sim::{State, StepReport, Workspace, step};

use crate::bound::Bound;
use crate::error::EnrichError;

/// How to simulate.
#[derive(Clone, Debug)]
pub struct SimulationOptions {
    /// Energy density. The paper's is the invertible form of St. Venant–Kirchhoff, whose kinks the
    /// projective solver gets stuck at; the default is the stable neo-Hookean one.
    pub model: ElasticModel,
    /// Young's modulus of every tet \[Pa\].
    pub young: Vec<f64>,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// Gravity [m/s²].
    pub gravity: DVec3,
    /// How steps are taken.
    pub integrator: Integrator,
    /// Steps per frame.
    pub substeps: u32,
    /// Rate at which motion relative to the input dies [1/s].
    pub damping: f64,
    /// Height of a floor, if there is one \[m\].
    pub ground: Option<f64>,
    /// Whether the body touches itself.
    pub touches_itself: bool,
}

/// Young's modulus of flesh, per metre of the body [Pa/m]: a mouse and an elephant of the same
/// modulus would be stone and jelly, since weight grows with size and stiffness does not.
const FLESH: f64 = 3e4;

impl SimulationOptions {
    /// Flesh for a bound surface: the same everywhere, backward Euler with FEPR.
    pub fn flesh(bound: &Bound) -> Self {
        let length = bound.surface.bounds().map_or(1.0, |b| b.size().max_element());
        SimulationOptions {
            model: ElasticModel::NeoHookean,
            young: vec![FLESH * length; bound.solid.tets.len()],
            poisson: 0.45,
            density: 1000.0,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            integrator: Integrator {
                scheme: Scheme::BackwardEuler,
                solver: Solver::Projective { iterations: 20, history: 5, tolerance: 1e-3 },
                correction: Some(Correction::Fepr(Fepr::default())),
                damping: None,
            },
            substeps: 1,
            damping: 4.0,
            ground: None,
            touches_itself: false,
        }
    }
}

/// Ω moving from frame to frame.
pub struct Simulation {
    model: Model,
    state: State,
    workspace: Workspace,
    input: FrameInput,
    substeps: u32,
    /// Vertices of Ω in the order of [`Drive::hard`].
    hard: Vec<u32>,
    /// Vertices of Ω in the order of [`Drive::follow`].
    free: Vec<u32>,
}

impl Simulation {
    /// For Ω of a bound surface, of which `exact` follow exactly; `stiffness` is a W of every vertex
    /// that is typical [N/m]: the solver expects it.
    pub fn new(
        bound: &Bound,
        exact: &[u32],
        stiffness: &[f64],
        options: &SimulationOptions,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let (tets, count) = (bound.solid.tets.len(), bound.solid.positions.len());
        if options.young.len() != tets {
            let (what, found, expected) = ("Young's modulus", options.young.len(), tets);
            return Err(EnrichError::Count { what, found, expected });
        }
        let lame = options.young.iter().map(|&young| Lame::of(young, options.poisson)).collect();
        let matter = Matter::Solid { model: options.model, lame, density: options.density };
        let body = BodySpec::new("solid", bound.solid.clone(), matter);
        let mut is_exact = vec![false; count];
        for &vertex in exact {
            let what = "what follows exactly";
            *is_exact.get_mut(vertex as usize).ok_or(EnrichError::NoSuchVertex {
                what,
                vertex,
                count,
            })? = true;
        }
        let free: Vec<u32> = (0..count as u32).filter(|&v| !is_exact[v as usize]).collect();
        if stiffness.len() != count {
            let (what, found) = ("the blending force", stiffness.len());
            return Err(EnrichError::Count { what, found, expected: count });
        }
        let typical = free.iter().map(|&v| stiffness[v as usize]).collect();
        let mut builder = ModelBuilder::new()
            .body(body)
            .gravity(options.gravity)
            .hold(0, exact.to_vec(), Hold::Hard, None)
            .follow(0, free.clone(), typical)
            .ether(0, free.clone(), options.damping)
            .integrator(options.integrator);
        if let Some(height) = options.ground {
            builder = builder.collider(Collider {
                shape: Shape::plane(DVec3::Y * height, DVec3::Y),
                response: Response::Spring,
                stiffness: 1e4,
                friction: 0.5,
                restitution: 0.0,
                motion: None,
            });
        }
        if options.touches_itself {
            builder = builder.touching(TouchLaw::default());
        }
        let model = builder.build()?;
        let mut hard = vec![0; model.hard_vertices().len()];
        for v in 0..count {
            let number = model.number(0, v);
            if let Some(hard) = number.checked_sub(model.free_count()).and_then(|k| hard.get_mut(k))
            {
                *hard = v as u32;
            }
        }
        let mut input = FrameInput::default();
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        Ok(Simulation {
            state: State::initial(&model),
            workspace: Workspace::new(&model, threads)?,
            substeps: options.substeps.max(1),
            model,
            input,
            hard,
            free,
        })
    }

    /// Puts Ω where the input is \[m\], moving as it does [m/s].
    pub fn start(&mut self, positions: &[DVec3], velocities: &[DVec3]) {
        self.state = State::initial(&self.model);
        for (v, (&x, &velocity)) in positions.iter().zip(velocities).enumerate() {
            let number = self.model.number(0, v);
            self.state.positions[number] = x.into();
            self.state.velocities[number] = velocity.into();
        }
    }

    /// Gives everything the velocity of the input [m/s], in place of its own.
    pub fn push(&mut self, velocities: &[DVec3]) {
        for (v, &velocity) in velocities.iter().enumerate() {
            self.state.velocities[self.model.number(0, v)] = velocity.into();
        }
        self.state.accounts.iter_mut().for_each(|account| *account = Default::default());
    }

    /// A frame of `seconds`, during which the input goes from `from` to `to` \[m\]; `stiffness` is W,
    /// for every vertex of Ω [N/m]. Where Ω is then is written to `out` \[m\].
    pub fn advance(
        &mut self,
        seconds: f64,
        [from, to]: [&[DVec3]; 2],
        stiffness: &[f64],
        out: &mut [DVec3],
    ) -> StepReport {
        let Simulation { model, state, workspace, input, substeps, hard, free } = self;
        let set = |drive: &mut Drive, fraction: f64| {
            let at = |v: &u32| {
                let (a, b) = (from[*v as usize], to[*v as usize]);
                Row::from(if fraction == 1.0 { b } else { a + fraction * (b - a) })
            };
            drive.hard.clear();
            drive.hard.extend(hard.iter().map(at));
            drive.follow.clear();
            drive.follow.extend(free.iter().map(at));
            drive.follow_weights.clear();
            drive.follow_weights.extend(free.iter().map(|&v| stiffness[v as usize]));
        };
        input.h = seconds / f64::from(*substeps);
        let mut last = StepReport::default();
        for part in 0..*substeps {
            set(&mut input.start, f64::from(part) / f64::from(*substeps));
            set(&mut input.end, f64::from(part + 1) / f64::from(*substeps));
            last = step(model, input, state, workspace);
        }
        model.to_user_order(&state.positions, out);
        last
    }
}

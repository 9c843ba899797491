//! The constrained simulation of Ω: Ω″ goes where the fitted input has it (Eq. 5, 9), everything else
//! by physics (Eq. 4), pulled to the input by the implicit blending force W(ū − u) (Eq. 11).
//!
//! Eq. 6–9 are one Newton iteration of backward Euler; here it is a step of the simulation, with any of
//! its schemes, solvers and corrections. ū is that at the *end* of the step: with the one at its start
//! everything lags a frame.

use glam::DVec3;
use pliant_math::Row;
use pliant_math::team::Team;
use pliant_model::method::{Correction, Fepr, Method, Scheme, Solver};
use pliant_model::touching::TouchLaw;
use pliant_model::{
    Body, Collider, Drive, ElasticModel, FrameInput, Hold, Lame, Matter, Model, ModelBuilder,
    Rigid, Shape,
};
use pliant_sim::snapshot::{self, SnapshotError};
use pliant_sim::{State, StepReport, Workspace, step};

use crate::bound::Bound;
use crate::error::EnrichError;
use crate::objects::{self, Object, SoftBody};
use crate::pace::Pace;

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
    pub integrator: Method,
    /// Steps per frame; as many as [`Pace`] finds without.
    pub substeps: Option<u32>,
    /// Rate at which motion relative to the input dies [1/s].
    pub damping: f64,
    /// Height of a floor, if there is one \[m\].
    pub ground: Option<f64>,
    /// Whether the body touches itself.
    pub touches_itself: bool,
    /// What it meets besides.
    pub objects: Vec<Object>,
    /// Whether what is shown is blended after the simulation: then that shape meets rigid things, and
    /// this one feels it ([`Simulation::pushed`]).
    pub is_blended: bool,
}

/// Young's modulus of flesh, per metre of the body [Pa/m]: a mouse and an elephant of the same
/// modulus would be stone and jelly, since weight grows with size and stiffness does not.
const FLESH: f64 = 2e4;
/// Rate at which motion relative to the input dies, on bodies of up to 4 m [1/s].
const DAMPING: f64 = 4.0;
/// Stiffness of contact with what is rigid, in terms of a cell's own.
const CONTACT: f64 = 10.0;

impl SimulationOptions {
    /// Young's modulus of flesh for a body of this size \[Pa\].
    pub fn usual_young(bound: &Bound) -> f64 {
        FLESH * bound.length()
    }

    /// Flesh for a bound surface: the same everywhere, backward Euler with FEPR.
    pub fn flesh(bound: &Bound) -> Self {
        SimulationOptions {
            model: ElasticModel::NeoHookean,
            young: vec![SimulationOptions::usual_young(bound); bound.solid.tets.len()],
            poisson: 0.45,
            density: 1000.0,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            integrator: Method {
                scheme: Scheme::BackwardEuler,
                solver: Solver::Projective { iterations: 20, history: 5, tolerance: 1e-3 },
                correction: Some(Correction::Fepr(Fepr::default())),
                damping: None,
            },
            substeps: None,
            damping: DAMPING * bound.tempo(),
            ground: None,
            touches_itself: false,
            objects: Vec::new(),
            is_blended: false,
        }
    }
}

/// Ω moving from frame to frame.
pub struct Simulation {
    model: Model,
    state: State,
    workspace: Workspace,
    input: FrameInput,
    substeps: Option<u32>,
    pace: Pace,
    /// Steps of the last frame.
    taken: u32,
    /// Vertices of Ω in the order of [`Drive::hard`].
    hard: Vec<u32>,
    /// Vertices of Ω in the order of [`Drive::follow`].
    free: Vec<u32>,
    soft: Vec<SoftBody>,
    colliders: Vec<Collider>,
    /// Without a correction, for steps that went astray; made when the first does.
    calm: Option<Box<(Model, Workspace)>>,
    builder: ModelBuilder,
    /// Poses of what moves by itself, at both ends of a frame.
    poses: [Drive; 2],
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
        let mut is_exact = vec![false; count];
        for &vertex in exact {
            let what = "what follows exactly";
            *is_exact.get_mut(vertex as usize).ok_or(EnrichError::NoSuchVertex {
                what,
                vertex,
                count,
            })? = true;
        }
        // A tet that is driven as a whole has nothing to find, and however the input may squash it, that
        // is no energy of the body's: it would drown what the free part has.
        let is_driven = |tet: &[u32; 4]| tet.iter().all(|&v| is_exact[v as usize]);
        let stiffness_of = |(tet, &young): (&[u32; 4], &f64)| match is_driven(tet) {
            true => Lame { mu: 0.0, lambda: 0.0 },
            false => Lame::of(young, options.poisson),
        };
        let lame = bound.solid.tets.iter().zip(&options.young).map(stiffness_of).collect();
        let matter = Matter::Solid { model: options.model, lame, density: options.density };
        let body = Body::new("solid", bound.solid.clone(), matter);
        let free: Vec<u32> = (0..count as u32).filter(|&v| !is_exact[v as usize]).collect();
        if stiffness.len() != count {
            let (what, found) = ("the blending force", stiffness.len());
            return Err(EnrichError::Count { what, found, expected: count });
        }
        let typical = free.iter().map(|&v| stiffness[v as usize]).collect();
        let builder = ModelBuilder::new()
            .body(body)
            .gravity(options.gravity)
            .hold(0, exact.to_vec(), Hold::Hard, None)
            .follow(0, free.clone(), typical)
            .ether(0, free.clone(), options.damping)
            .method(options.integrator);
        let softest = options.young.iter().copied().fold(f64::INFINITY, f64::min);
        let contact = CONTACT * softest * bound.report.size;
        let team = Team::new(threads);
        let (mut builder, mut colliders, soft) =
            objects::add(builder, &options.objects, contact, &team)?;
        if let Some(height) = options.ground {
            colliders.push(Collider {
                friction: 0.5,
                restitution: 0.0,
                ..Collider::new(Shape::plane(DVec3::Y * height, DVec3::Y), contact)
            });
        }
        if !options.is_blended {
            builder = colliders.iter().fold(builder, |b, c| b.collider(c.clone()));
        }
        if options.touches_itself || !soft.is_empty() {
            builder = builder.touching(TouchLaw::default());
        }
        let model = builder.clone().build()?;
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
            substeps: options.substeps.map(|n| n.max(1)),
            pace: Pace::new(&bound.solid, &is_exact),
            taken: 0,
            model,
            input,
            hard,
            free,
            soft,
            colliders,
            calm: None,
            builder,
            poses: [Drive::default(), Drive::default()],
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

    /// Puts Ω where the input is \[m\], at rest; everything else stays.
    pub fn cut_to(&mut self, positions: &[DVec3]) {
        for (v, &x) in positions.iter().enumerate() {
            let number = self.model.number(0, v);
            self.state.positions[number] = x.into();
            self.state.velocities[number] = Row::zero();
            self.state.accelerations[number] = Row::zero();
        }
        self.state.past.is_valid = false;
    }

    /// Whether Ω meets soft things.
    pub fn meets_soft(&self) -> bool {
        !self.soft.is_empty()
    }

    /// Gives Ω the velocity of the input [m/s], in place of its own.
    pub fn push(&mut self, velocities: &[DVec3]) {
        for (v, &velocity) in velocities.iter().enumerate() {
            self.state.velocities[self.model.number(0, v)] = velocity.into();
        }
        self.state.accounts.iter_mut().for_each(|account| *account = Default::default());
    }

    /// Puts everything but Ω where it begins.
    pub fn put_back(&mut self) {
        let initial = State::initial(&self.model);
        for body in &self.soft {
            for v in 0..self.model.bodies()[body.body].vertex_count {
                let number = self.model.number(body.body, v);
                self.state.positions[number] = initial.positions[number];
                self.state.velocities[number] = initial.velocities[number];
                self.state.accelerations[number] = Row::zero();
            }
        }
    }

    /// Moves vertices of Ω \[m\], as if they had gone there in `seconds`.
    pub(crate) fn shift(&mut self, moved: &[DVec3], seconds: f64) {
        for (v, &way) in moved.iter().enumerate() {
            let number = self.model.number(0, v);
            let State { positions, velocities, .. } = &mut self.state;
            positions[number] = (positions[number].xyz() + way).into();
            velocities[number] = (velocities[number].xyz() + way / seconds).into();
        }
    }

    /// The state as bytes, marked with a key.
    pub fn snapshot(&self, key: u64) -> Vec<u8> {
        snapshot::encode(&self.state, key)
    }

    /// Takes the state from bytes with that key; where Ω is in it is written to `out` \[m\].
    pub fn resume(
        &mut self,
        bytes: &[u8],
        key: u64,
        out: &mut [DVec3],
    ) -> Result<(), SnapshotError> {
        self.state = snapshot::decode(bytes, &self.model, key)?;
        self.model.to_user_order(&self.state.positions, out);
        Ok(())
    }

    /// Steps that the last frame took.
    pub fn steps_taken(&self) -> u32 {
        self.taken
    }

    /// Where the surfaces of soft objects are \[m\].
    pub fn soft_surfaces(&self) -> Vec<Vec<DVec3>> {
        let at = |body: usize, v: usize| self.state.positions[self.model.number(body, v)].xyz();
        self.soft.iter().map(|soft| soft.surface(|v| at(soft.body, v))).collect()
    }

    /// Free vertices of Ω that are inside of something rigid at a time \[s\] when Ω is at `positions`
    /// \[m\]: with the way out \[m\], and the stiffness of contact [N/m].
    pub fn pushed(&self, time: f64, positions: &[DVec3]) -> Vec<(u32, DVec3, f64)> {
        let mut pushed = Vec::new();
        for collider in &self.colliders {
            let pose = collider.motion.as_ref().map_or(Rigid::default(), |m| m.at(time));
            let placed = collider.placed(&pose);
            let touch = |&v: &u32| {
                let nearest = placed.touch(positions[v as usize])?;
                Some((v, -nearest.distance * nearest.normal, collider.stiffness))
            };
            pushed.extend(self.free.iter().filter_map(touch));
        }
        pushed
    }

    /// A frame that ends at a time \[s\] after `seconds`, during which the input goes from `from` to
    /// `to` \[m\]; `stiffness` is W, for every vertex of Ω [N/m]. Where Ω is then is written to `out`
    /// \[m\].
    pub fn advance(
        &mut self,
        [time, seconds]: [f64; 2],
        [from, to]: [&[DVec3]; 2],
        stiffness: &[f64],
        out: &mut [DVec3],
    ) -> StepReport {
        let steps = self.substeps.unwrap_or_else(|| self.pace.steps(from, to));
        self.taken = steps;
        let Simulation { model, state, workspace, input, hard, free, poses, .. } = self;
        let Simulation { calm, builder, .. } = self;
        let [start, end] = poses;
        model.drive(time - seconds, start);
        model.drive(time, end);
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
            drive.colliders.clear();
            let moving = start.colliders.iter().zip(&end.colliders);
            drive.colliders.extend(moving.map(|(a, b)| a.between(b, fraction)));
        };
        input.h = seconds / f64::from(steps);
        let mut last = StepReport::default();
        let mut gave_way = false;
        for part in 0..steps {
            set(&mut input.start, f64::from(part) / f64::from(steps));
            set(&mut input.end, f64::from(part + 1) / f64::from(steps));
            // The work of what is driven is known to the order of the step: no debt outlives it.
            state.accounts.iter_mut().for_each(|account| *account = Default::default());
            let before = state.clone();
            last = step(model, input, state, workspace);
            if is_astray(&last) {
                *state = before;
                last = calmly(model, builder, calm, input, state, workspace);
            }
            gave_way |= last.gave_way();
        }
        last.correction_failed |= gave_way;
        model.to_user_order(&state.positions, out);
        last
    }
}

/// A residual beyond this is no solution of a step.
const ASTRAY: f64 = 0.2;
/// Iterations of a step that is taken again without a correction.
const CALM_ITERATIONS: u32 = 60;

/// Whether the account of a step, which a correction steers by, cannot be trusted.
fn is_astray(report: &StepReport) -> bool {
    let is_solved = report.residual <= ASTRAY;
    report.rolled_back || report.correction_failed || !is_solved
}

/// The step again, in halves and uncorrected: backward Euler only ever calms.
fn calmly(
    model: &Model,
    builder: &ModelBuilder,
    calm: &mut Option<Box<(Model, Workspace)>>,
    input: &FrameInput,
    state: &mut State,
    workspace: &mut Workspace,
) -> StepReport {
    if calm.is_none() {
        let usual = *model.method();
        let solver = match usual.solver {
            Solver::Projective { history, .. } => {
                Solver::Projective { iterations: CALM_ITERATIONS, history, tolerance: 1e-3 }
            }
            other => other,
        };
        let integrator =
            Method { scheme: Scheme::BackwardEuler, solver, correction: None, ..usual };
        let made = builder.clone().method(integrator).build().ok().and_then(|model| {
            let workspace = Workspace::new(&model, workspace.threads()).ok()?;
            Some(Box::new((model, workspace)))
        });
        *calm = made;
    }
    // What could be built once can be built again; else the step is taken as it was.
    let (model, workspace) = match calm {
        Some(calm) => (&calm.0, &mut calm.1),
        None => (model, workspace),
    };
    let mut half = FrameInput { h: 0.5 * input.h, ..input.clone() };
    half.end.set_between(&input.start, &input.end, 0.5);
    step(model, &half, state, workspace);
    half.start.set_between(&input.start, &input.end, 0.5);
    half.end.set_between(&input.start, &input.end, 1.0);
    let mut report = step(model, &half, state, workspace);
    report.correction_failed = true;
    report
}

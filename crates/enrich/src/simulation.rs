//! Constrained simulation of Ω (sections 5 and 7.1 of \[li2017enriching\]).
//!
//! Ω″ follows the fitted input (Eq. 5, 9). The rest moves by physics (Eq. 4), with the implicit
//! blending force W(ū − u) towards the input (Eq. 11). Eq. 6–9 are one Newton iteration of backward
//! Euler; here any scheme, solver and correction of the engine takes the step. ū is that at the
//! *end* of the step; with the one at its start everything lags a frame.

mod contact_objects;
mod substeps;

pub use contact_objects::{ContactObject, rigid_motion};
pub use substeps::SubstepRule;
pub(crate) use substeps::is_cut;

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

use self::contact_objects::{FRICTION, SoftBody};
use crate::embedding::EmbeddedSurface;
use crate::error::EnrichError;
use crate::numerics::vertex_flags;

/// Parameters of the simulation.
#[derive(Clone, Debug)]
pub struct SimulationOptions {
    /// Energy density. The default is stable neo-Hookean. The paper uses invertible St.
    /// Venant–Kirchhoff, at whose kinks the projective solver stalls.
    pub model: ElasticModel,
    /// Young's modulus of every tet \[Pa\].
    pub young: Vec<f64>,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// Gravity [m/s²].
    pub gravity: DVec3,
    /// Time integrator.
    pub integrator: Method,
    /// Steps per frame; determined by [`SubstepRule`] if `None`.
    pub substeps: Option<u32>,
    /// Decay rate of motion relative to the input [1/s].
    pub damping: f64,
    /// Height of the ground \[m\]; no ground if `None`.
    pub ground: Option<f64>,
    /// True for self-collision.
    pub touches_itself: bool,
    /// Objects that the body collides with.
    pub objects: Vec<ContactObject>,
    /// True if the result is blended after the simulation. The blended shape then collides with
    /// rigid objects, and passes the contact on ([`Simulation::penetrations`]).
    pub is_blended: bool,
}

/// Young's modulus of flesh per metre of the body [Pa/m]. Weight grows with size and stiffness does
/// not, so a fixed modulus would make a mouse rigid and an elephant liquid.
const FLESH: f64 = 2e4;
/// Decay rate of motion relative to the input, before scaling by the body's size [1/s].
const DAMPING: f64 = 4.0;
/// Stiffness of contact with rigid objects, relative to that of a cell.
const CONTACT: f64 = 10.0;

impl SimulationOptions {
    /// Default Young's modulus of flesh for a body of this size \[Pa\].
    pub fn default_young(embedded: &EmbeddedSurface) -> f64 {
        FLESH * embedded.length()
    }

    /// Uniform flesh for an embedded surface, integrated by backward Euler with FEPR.
    pub fn flesh(embedded: &EmbeddedSurface) -> Self {
        SimulationOptions {
            model: ElasticModel::NeoHookean,
            young: vec![SimulationOptions::default_young(embedded); embedded.solid.tets.len()],
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
            damping: DAMPING * embedded.frequency_scale(),
            ground: None,
            touches_itself: false,
            objects: Vec::new(),
            is_blended: false,
        }
    }
}

/// Simulation of Ω, frame by frame.
pub struct Simulation {
    model: Model,
    state: State,
    workspace: Workspace,
    input: FrameInput,
    substeps: Option<u32>,
    substep_rule: SubstepRule,
    /// Number of steps of the last frame.
    steps_taken: u32,
    /// Vertices of Ω in the order of [`Drive::hard`].
    hard: Vec<u32>,
    /// Vertices of Ω in the order of [`Drive::follow`].
    free: Vec<u32>,
    soft: Vec<SoftBody>,
    colliders: Vec<Collider>,
    /// Model without a correction, for repeating failed steps; built at the first failure.
    uncorrected: Option<Box<(Model, Workspace)>>,
    builder: ModelBuilder,
    /// Drives of moving colliders at both ends of a frame.
    drives: [Drive; 2],
}

impl Simulation {
    /// Builds the simulation of an embedded surface's Ω, in which vertices `exact` follow exactly.
    /// `stiffness` is a typical W of every vertex [N/m], for the solver's constant matrix.
    pub fn new(
        embedded: &EmbeddedSurface,
        exact: &[u32],
        stiffness: &[f64],
        options: &SimulationOptions,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let (tets, count) = (embedded.solid.tets.len(), embedded.solid.positions.len());
        if options.young.len() != tets {
            let (what, found, expected) = ("Young's modulus", options.young.len(), tets);
            return Err(EnrichError::Count { what, found, expected });
        }
        let is_exact = vertex_flags("what follows exactly", exact, count)?;
        // A tet with four driven vertices has no unknowns. Its energy, large where the input
        // compresses it, would dominate that of the free part.
        let is_driven = |tet: &[u32; 4]| tet.iter().all(|&v| is_exact[v as usize]);
        let stiffness_of = |(tet, &young): (&[u32; 4], &f64)| match is_driven(tet) {
            true => Lame { mu: 0.0, lambda: 0.0 },
            false => Lame::of(young, options.poisson),
        };
        let lame = embedded.solid.tets.iter().zip(&options.young).map(stiffness_of).collect();
        let matter = Matter::Solid { model: options.model, lame, density: options.density };
        let body = Body::new("solid", embedded.solid.clone(), matter);
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
        let contact = CONTACT * softest * embedded.report.size;
        let team = Team::new(threads);
        let (mut builder, mut colliders, soft) =
            contact_objects::add(builder, &options.objects, contact, &team)?;
        if let Some(height) = options.ground {
            colliders.push(Collider {
                friction: FRICTION,
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
            substep_rule: SubstepRule::new(&embedded.solid, &is_exact),
            steps_taken: 0,
            model,
            input,
            hard,
            free,
            soft,
            colliders,
            uncorrected: None,
            builder,
            drives: [Drive::default(), Drive::default()],
        })
    }

    /// Starts Ω at positions \[m\] and velocities [m/s].
    pub fn start(&mut self, positions: &[DVec3], velocities: &[DVec3]) {
        self.state = State::initial(&self.model);
        for (v, (&x, &velocity)) in positions.iter().zip(velocities).enumerate() {
            let number = self.model.number(0, v);
            self.state.positions[number] = x.into();
            self.state.velocities[number] = velocity.into();
        }
    }

    /// Moves Ω to positions \[m\], at rest; soft objects stay.
    pub fn cut_to(&mut self, positions: &[DVec3]) {
        for (v, &x) in positions.iter().enumerate() {
            let number = self.model.number(0, v);
            self.state.positions[number] = x.into();
            self.state.velocities[number] = Row::zero();
            self.state.accelerations[number] = Row::zero();
        }
        self.state.past.is_valid = false;
    }

    /// True if there are soft contact objects.
    pub fn has_soft_objects(&self) -> bool {
        !self.soft.is_empty()
    }

    /// Sets the velocities of Ω [m/s].
    pub fn set_velocities(&mut self, velocities: &[DVec3]) {
        for (v, &velocity) in velocities.iter().enumerate() {
            self.state.velocities[self.model.number(0, v)] = velocity.into();
        }
        self.state.accounts.iter_mut().for_each(|account| *account = Default::default());
    }

    /// Moves soft objects back to their initial states.
    pub fn reset_objects(&mut self) {
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

    /// Displaces vertices of Ω \[m\], and adds the velocity of doing so in `seconds`.
    pub(crate) fn displace(&mut self, moved: &[DVec3], seconds: f64) {
        for (v, &way) in moved.iter().enumerate() {
            let number = self.model.number(0, v);
            let State { positions, velocities, .. } = &mut self.state;
            positions[number] = (positions[number].xyz() + way).into();
            velocities[number] = (velocities[number].xyz() + way / seconds).into();
        }
    }

    /// Encodes the state as bytes, marked with a key.
    pub fn snapshot(&self, key: u64) -> Vec<u8> {
        snapshot::encode(&self.state, key)
    }

    /// Restores the state from bytes with that key, and writes the positions of Ω to `out` \[m\].
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

    /// Number of steps of the last frame.
    pub fn steps_taken(&self) -> u32 {
        self.steps_taken
    }

    /// Positions of the surfaces of soft objects \[m\].
    pub fn soft_surfaces(&self) -> Vec<Vec<DVec3>> {
        let at = |body: usize, v: usize| self.state.positions[self.model.number(body, v)].xyz();
        self.soft.iter().map(|soft| soft.surface(|v| at(soft.body, v))).collect()
    }

    /// Free vertices of Ω that penetrate a rigid object at a time \[s\] when Ω is at `positions`
    /// \[m\], each with the displacement out of it \[m\] and the contact stiffness [N/m].
    pub fn penetrations(&self, time: f64, positions: &[DVec3]) -> Vec<(u32, DVec3, f64)> {
        let mut penetrations = Vec::new();
        for collider in &self.colliders {
            let pose = collider.motion.as_ref().map_or(Rigid::default(), |m| m.at(time));
            let placed = collider.placed(&pose);
            let touch = |&v: &u32| {
                let nearest = placed.touch(positions[v as usize])?;
                Some((v, -nearest.distance * nearest.normal, collider.stiffness))
            };
            penetrations.extend(self.free.iter().filter_map(touch));
        }
        penetrations
    }

    /// Simulates a frame of `seconds` that ends at `time` \[s\], during which the input moves from
    /// `from` to `to` \[m\]. `stiffness` is W of every vertex of Ω [N/m]. Writes the positions of Ω
    /// to `out` \[m\].
    pub fn advance(
        &mut self,
        [time, seconds]: [f64; 2],
        [from, to]: [&[DVec3]; 2],
        stiffness: &[f64],
        out: &mut [DVec3],
    ) -> StepReport {
        let steps = self.substeps.unwrap_or_else(|| self.substep_rule.steps(from, to));
        self.steps_taken = steps;
        let Simulation { model, state, workspace, input, hard, free, drives, .. } = self;
        let Simulation { uncorrected, builder, .. } = self;
        let [start, end] = drives;
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
            // The work of driven vertices is known to the order of the step; reset its error each
            // step.
            state.accounts.iter_mut().for_each(|account| *account = Default::default());
            let before = state.clone();
            last = step(model, input, state, workspace);
            if has_failed(&last) {
                *state = before;
                last = retry_uncorrected(model, builder, uncorrected, input, state, workspace);
            }
            gave_way |= last.gave_way();
        }
        last.correction_failed |= gave_way;
        model.to_user_order(&state.positions, out);
        last
    }
}

/// Residual above which a step is not solved.
const UNSOLVED: f64 = 0.2;
/// Maximum number of iterations of a step repeated without a correction.
const RETRY_ITERATIONS: u32 = 60;

/// True if the energy budget of a step is unreliable, so that the correction cannot use it.
fn has_failed(report: &StepReport) -> bool {
    let is_solved = report.residual <= UNSOLVED;
    report.rolled_back || report.correction_failed || !is_solved
}

/// Repeats a step in two halves without a correction, by backward Euler, which only loses energy.
fn retry_uncorrected(
    model: &Model,
    builder: &ModelBuilder,
    uncorrected: &mut Option<Box<(Model, Workspace)>>,
    input: &FrameInput,
    state: &mut State,
    workspace: &mut Workspace,
) -> StepReport {
    if uncorrected.is_none() {
        let usual = *model.method();
        let solver = match usual.solver {
            Solver::Projective { history, .. } => {
                Solver::Projective { iterations: RETRY_ITERATIONS, history, tolerance: 1e-3 }
            }
            other => other,
        };
        let integrator =
            Method { scheme: Scheme::BackwardEuler, solver, correction: None, ..usual };
        *uncorrected = builder.clone().method(integrator).build().ok().and_then(|model| {
            let workspace = Workspace::new(&model, workspace.threads()).ok()?;
            Some(Box::new((model, workspace)))
        });
    }
    // The same body was built before, so this succeeds; otherwise the usual model repeats the step.
    let (model, workspace) = match uncorrected {
        Some(uncorrected) => (&uncorrected.0, &mut uncorrected.1),
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

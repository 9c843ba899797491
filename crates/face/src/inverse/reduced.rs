//! New expressions of a face whose muscle geometry is known (Dinev 2020, section 4.2.8): matrices of muscles and the jaw.
//!
//! These unknowns p are few, so that how the whole face answers them at rest is known beforehand, dx/dp = −K⁻¹B, and with it all of
//! Gauss–Newton's matrix, G = (dx/dp)ᵀ SᵀωS (dx/dp) + W, factored once per subject for every weight of the priors: a chord method. A step
//! is one division by K's factor for the adjoint, one by G's, and some iterations towards equilibrium on the matrix at rest; it is shortened
//! until J falls. Nothing of the size of flesh is factored. Weights that fall from stage to stage take flesh there by steps that it can follow:
//! with the last one from the beginning lips buckle on the way, and the method ends higher. Where relaxed flesh is with an open jaw is known
//! beforehand, too.
//!
//! A scan has artefacts, which muscles could make some part of by swelling in ways that they never do. Skin that is far off where muscles have been told all
//! but the last of it, while most is met, is therefore trusted less in the last stage.

use std::time::Instant;

use glam::DVec3;
use pliant_math::Row;
use pliant_math::cholesky::SparseCholesky;
use pliant_math::sparse::SymmetricMatrix;
use pliant_model::potentials::activation::{Activation, RELAXED};
use pliant_sim::SimError;

use super::blend::{Blend, give_way};
use super::dependence::Dependence;
use super::equilibrium::{Knobs, Tangent};
use super::fit::{ActivationModel, FaceFit, FitOptions, Fitted};
use super::gauss_newton::{Prior, dot_rows};
use super::geometry::{add_swelling, swelling};
use super::observation::Observation;
use super::residual::Residual;
use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::model::FaceModel;
use crate::simulation::{FaceSimulation, FaceSolver, JawKnobs, SimulationOptions};

/// Weights of the priors (mm²), one after the other.
const WEIGHTS: [f64; 4] = [10.0, 2.0, 0.5, 0.1];
/// Steps under the last weight of the priors at most, under each that comes before it, and iterations towards equilibrium in each.
const ROUNDS: u32 = 8;
const ROUNDS_BEFORE: u32 = 6;
const ITERATIONS: u32 = 8;
/// Steps end when a whole one would lower J by less than this part of it: under the last weight, and before.
const SETTLED: f64 = 0.03;
const SETTLED_BEFORE: f64 = 0.05;
/// A stage that has lowered J by this part of it is not tried again by shorter steps.
const GAINED: f64 = 0.1;
/// Skin is an artefact where it is further off than this (m), than so many times what half of the moved skin is, and than this part of what
/// the target moves it by.
const ARTEFACT: (f64, f64, f64) = (0.001, 6.0, 0.3);
/// How far the jaw opens to see what muscles yield (degrees).
const OPEN: f64 = 10.0;
/// Openings at most at which it is known where relaxed flesh is, and how far they are apart (degrees).
const OPENINGS: u32 = 13;
const APART: f64 = 2.5;
/// How often a step is tried, and what is left of it in the next trial.
const TRIALS: u32 = 2;
const SHORTER: f64 = 0.4;
/// What muscles' changes of volume cost (mm²).
const VOLUME: f64 = 0.01;
/// Rounds without unknowns that change at most, and what is left of forces on the way, and in equilibrium.
const LAST: u32 = 6;
const NEAR: f64 = 0.03;
const FOUND: f64 = 1e-3;

/// A step of the unknowns under the weight of a stage, and the most of it that is tried.
struct Advance<'a> {
    step: &'a [f64],
    longest: f64,
    stage: usize,
}

/// Fits muscles of a known geometry to one skin after the other.
pub struct Reduced<'a> {
    /// At rest, for good.
    fit: FaceFit<'a>,
    moving: FaceSimulation<'a>,
    blend: Blend,
    tangent: Tangent,
    /// How free vertices answer the knobs at rest.
    answers: Vec<Vec<Row>>,
    /// G's factor for every weight of the priors, with these.
    stages: Vec<(SparseCholesky, Prior)>,
    /// What relaxed muscles lengthen by per degree that the jaw opens.
    yielding: Vec<Activation>,
    /// Where flesh is with relaxed muscles and the jaw opened by so many times [`APART`], from none on.
    opened: Vec<Vec<Row>>,
    /// Seconds that this took.
    pub seconds: f64,
}

impl<'a> Reduced<'a> {
    /// For a face, with the geometry that it has learned, or as its muscles lie. The options' weights are not used.
    ///
    /// # Errors
    /// When the face cannot be simulated.
    pub fn new(face: &'a FaceModel, options: FitOptions) -> Result<Self, FaceError> {
        let clock = Instant::now();
        let options = FitOptions { model: ActivationModel::Geometry, ..options };
        let moving = SimulationOptions {
            solver: FaceSolver::Interactive { iterations: ITERATIONS },
            ..options.simulated()
        };
        let moving = FaceSimulation::new(face, &moving)?;
        let mut fit = FaceFit::new(face, options)?;
        let blend = Blend::of(face);
        let mut relaxed = blend.relaxed();
        let count = relaxed.len();
        relaxed.extend([0.0; JawKnobs::COUNT]);
        let still = vec![[0.0; 6]; blend.tets()];
        let observation = fit.observation(&face.skin.mesh.positions);
        let (tangent, columns) = columns(&mut fit, &blend)?;
        let gram = gram(&columns, &observation)?;
        let mut stages = Vec::new();
        for weight in WEIGHTS {
            let prior = fit.prior(&relaxed, &still, weight, count);
            stages.push((factor(&gram, &prior, blend.muscles)?, prior));
        }
        let answers = columns[count..].to_vec();
        let mut yielding = fit.drawn.yielded(&JawPose { open: OPEN, ..JawPose::default() });
        yielding.as_flattened_mut().iter_mut().for_each(|by| *by /= OPEN);
        let mut own = Reduced {
            fit,
            moving,
            blend,
            tangent,
            answers,
            stages,
            yielding,
            opened: Vec::new(),
            seconds: 0.0,
        };
        own.open();
        own.seconds = clock.elapsed().as_secs_f64();
        Ok(own)
    }

    /// Fits muscles and jaw to a skin (m), in the frame of the skull and the order of the face's own.
    ///
    /// # Errors
    /// When the skin has another number of vertices, or one that is no number.
    pub fn fit(&mut self, target: &[DVec3]) -> Result<Fitted, FaceError> {
        self.fit.check(target)?;
        let clock = Instant::now();
        let mut observation = self.fit.observation(target);
        let jaw = self.fit.jaw_of(target);
        self.moving.open(&jaw);
        let yielded = self.yielded(jaw.open);
        let mut unknowns = self.blend.relaxed();
        unknowns.extend(JawKnobs::numbers(&jaw));
        let mut fitted = Fitted { yielded, ..Fitted::default() };
        let towards = unknowns.clone();
        self.begin(&jaw);
        self.settle(&unknowns, &fitted.yielded, NEAR);
        for stage in 0..self.stages.len() {
            self.stages[stage].1.towards.copy_from_slice(&towards);
            let is_last = stage + 1 == self.stages.len();
            let (most, settled) = match is_last {
                true => (ROUNDS, SETTLED),
                false => (ROUNDS_BEFORE, SETTLED_BEFORE),
            };
            if is_last {
                observation = self.forgiving(observation);
            }
            let mut value = self.value(&observation, &unknowns, stage);
            // Steps with the weight before are shorter, and where flesh can follow none of these, those with the one before that.
            let (mut damped, mut longest) = (stage.saturating_sub(1), 1.0_f64);
            let at_first = value;
            for _ in 0..most {
                let before = value;
                let step = self.step(&observation, &unknowns, [stage, damped])?;
                let advance = Advance { step: &step, longest, stage };
                let (length, lower) =
                    self.advance(&observation, &advance, value, &mut unknowns, &mut fitted);
                (longest, value) = ((2.0 * length).min(1.0), lower);
                if value < before - settled * length * value {
                    continue;
                }
                if value < (1.0 - GAINED) * at_first || damped == 0 {
                    break;
                }
                (damped, longest) = (damped - 1, 1.0);
            }
        }
        self.settle(&unknowns, &fitted.yielded, FOUND);
        fitted.unknowns = unknowns;
        self.fit.dependence.yield_by(&fitted.yielded);
        self.fit.tell(&mut fitted);
        fitted.flesh = self.moving.positions();
        fitted.skin = self.fit.face.skin_at(&fitted.flesh);
        fitted.seconds = clock.elapsed().as_secs_f64();
        Ok(fitted)
    }

    /// Skin that is not met by where flesh is, as an artefact of a scan, counts for less, and all together for as much as before.
    fn forgiving(&mut self, observation: Observation) -> Observation {
        let rest = &self.fit.face.skin.mesh.positions;
        let at_rest = self.fit.vertices.iter().map(|&v| rest[v as usize]);
        let asked: Vec<f64> =
            at_rest.zip(&observation.samples).map(|(p, own)| p.distance(own.target)).collect();
        let positions = &self.moving.equilibrium().state.positions;
        let off = observation.distances(positions);
        let mut moved: Vec<f64> = (off.iter().zip(&asked))
            .filter_map(|(off, asked)| Residual::counts(*asked).then_some(*off))
            .collect();
        moved.sort_unstable_by(f64::total_cmp);
        let half = moved.get(moved.len() / 2).copied().unwrap_or(0.0);
        let (least, times, part) = ARTEFACT;
        let far = |k: usize| least.max(times * half).max(part * asked[k]);
        let trusts = observation.trusts(positions, far);
        let whole = |own: &Observation| own.samples.iter().map(|s| s.to_point).sum::<f64>();
        let before = whole(&observation);
        let mut trusted = observation.weighed(&trusts);
        trusted.scale(before / whole(&trusted).max(1e-12));
        trusted
    }

    /// Opens the jaw bit by bit, as far as it goes, and keeps where relaxed flesh is then.
    fn open(&mut self) {
        let mut unknowns = self.blend.relaxed();
        unknowns.extend([0.0; JawKnobs::COUNT]);
        let count = self.blend.count();
        for k in 0..OPENINGS {
            let jaw = JawPose { open: APART * f64::from(k), ..JawPose::default() };
            if k > 0 {
                if self.fit.face.hinge.limited(&jaw) != jaw {
                    break;
                }
                self.carry(&[APART]);
            }
            unknowns[count] = jaw.open;
            self.settle(&unknowns, &self.yielded(jaw.open), FOUND);
            self.opened.push(self.moving.equilibrium().state.positions.to_vec());
        }
    }

    /// What relaxed muscles have lengthened by where the jaw is open (degrees).
    fn yielded(&self, open: f64) -> Vec<Activation> {
        self.yielding.iter().map(|own| own.map(|by| by * open)).collect()
    }

    /// Goes along a step as far as J falls from a value, with flesh following; how far that was, and what J is there.
    fn advance(
        &mut self,
        observation: &Observation,
        &Advance { step, longest, stage }: &Advance,
        before: f64,
        unknowns: &mut [f64],
        fitted: &mut Fitted,
    ) -> (f64, f64) {
        let (count, from) = (self.blend.count(), unknowns.to_vec());
        let places = self.moving.equilibrium().state.positions.to_vec();
        let mut length = longest;
        for _ in 0..TRIALS {
            for ((unknown, from), by) in unknowns.iter_mut().zip(&from).zip(step) {
                *unknown = from - length * by;
            }
            self.blend.confine(&mut unknowns[..count]);
            let jaw = self.fit.face.hinge.limited(&JawKnobs::pose(&unknowns[count..]));
            unknowns[count..].copy_from_slice(&JawKnobs::numbers(&jaw));
            let turned = unknowns[count..].iter().zip(&from[count..]);
            self.carry(&turned.map(|(now, then)| now - then).collect::<Vec<f64>>());
            self.follow(unknowns, &fitted.yielded);
            fitted.steps += 1;
            let value = self.value(observation, unknowns, stage);
            if value < before {
                return (length, value);
            }
            length *= SHORTER;
            self.moving.equilibrium().state.positions.copy_from_slice(&places);
        }
        unknowns.copy_from_slice(&from);
        (length, before)
    }

    /// Puts flesh where it is with relaxed muscles and about this jaw.
    fn begin(&mut self, jaw: &JawPose) {
        let along = (jaw.open / APART).max(0.0);
        let [low, high] = [0, 1].map(|k| (along as usize + k).min(self.opened.len() - 1));
        let equilibrium = self.moving.equilibrium();
        // What drove it before is over.
        let input = equilibrium.input;
        input.end.activations.fill(RELAXED);
        self.fit.knobs.turn(&JawKnobs::numbers(jaw), &mut input.end);
        input.start.clone_from(&input.end);
        let places = self.opened[low].iter().zip(&self.opened[high]);
        for (x, (a, b)) in equilibrium.state.positions.iter_mut().zip(places) {
            *x = a.plus_scaled(along.fract(), *b + *a * -1.0);
        }
        let mut others = JawKnobs::numbers(jaw);
        others[0] = 0.0;
        self.carry(&others);
    }

    /// Moves flesh along with bone whose first knobs are turned, as it answers that at rest: what bone ran into would be crushed.
    fn carry(&mut self, knobs: &[f64]) {
        let state = self.moving.equilibrium().state;
        for (answer, by) in self.answers.iter().zip(knobs).filter(|(_, by)| **by != 0.0) {
            state.positions.iter_mut().zip(answer).for_each(|(x, a)| *x = x.plus_scaled(*by, *a));
        }
    }

    /// J under the weight of a stage, where flesh is.
    fn value(&mut self, observation: &Observation, unknowns: &[f64], stage: usize) -> f64 {
        observation.value(&self.moving.equilibrium().state.positions)
            + self.stages[stage].1.value(unknowns)
            + swelling(&unknowns[..self.blend.count()], VOLUME)
    }

    /// Takes flesh nearer to where the unknowns have it; what is left of forces then.
    fn follow(&mut self, unknowns: &[f64], yielded: &[Activation]) -> f64 {
        let (theta, knobs) = unknowns.split_at(self.blend.count());
        let mut activations = vec![RELAXED; self.blend.tets()];
        self.blend.activations(theta, &mut activations);
        give_way(&mut activations, yielded);
        let mut equilibrium = self.moving.equilibrium();
        self.fit.knobs.turn(knobs, &mut equilibrium.input.end);
        equilibrium.find(&activations).residual
    }

    /// Takes flesh there until so much is left of forces, or it takes too long; as much is enough for it from then on.
    fn settle(&mut self, unknowns: &[f64], yielded: &[Activation], enough: f64) {
        self.moving.equilibrium().workspace.end_at(enough);
        for _ in 0..LAST {
            let is_found = self.follow(unknowns, yielded) <= enough;
            if is_found {
                break;
            }
        }
    }

    /// G⁻¹ ∇J, with derivatives at rest, of J of a stage and G of one.
    fn step(
        &mut self,
        observation: &Observation,
        unknowns: &[f64],
        [stage, damped]: [usize; 2],
    ) -> Result<Vec<f64>, SimError> {
        let mut still = self.fit.simulation.equilibrium();
        let free = still.model.free_count();
        let (mut force, mut adjoint) = (vec![Row::zero(); free], vec![Row::zero(); free]);
        let moving = self.moving.equilibrium();
        observation.slope(&moving.state.positions, &mut force);
        // Flesh that has turned answers as it does at rest, along turned axes.
        for (row, turn) in force.iter_mut().zip(moving.workspace.turns(&moving.state.positions)) {
            *row = Row::from(turn.transpose() * row.xyz());
        }
        still.rough_answer(&force, &mut adjoint);
        adjoint.iter_mut().for_each(|row| *row = *row * -1.0);
        let mut pull = vec![[0.0; 6]; self.blend.tets()];
        self.tangent.pull(&adjoint, &mut pull);
        let mut slope = vec![0.0; unknowns.len()];
        let (of_theta, of_knobs) = slope.split_at_mut(self.blend.count());
        self.blend.gather(&unknowns[..of_theta.len()], &pull, of_theta);
        for (value, answer) in of_knobs.iter_mut().zip(&self.answers) {
            *value = dot_rows(answer, &force);
        }
        self.stages[stage].1.add_slope(unknowns, &mut slope);
        let count = self.blend.count();
        add_swelling(&unknowns[..count], VOLUME, &mut slope[..count]);
        self.stages[damped].0.solve(&mut slope)?;
        Ok(slope)
    }
}

/// dx/dp of the free vertices at rest, by unknown.
fn columns(fit: &mut FaceFit, blend: &Blend) -> Result<(Tangent, Vec<Vec<Row>>), FaceError> {
    let relaxed = blend.relaxed();
    let mut still = fit.simulation.equilibrium();
    let mut tangent = still.tangent()?;
    let free = still.model.free_count();
    let mut columns = Vec::with_capacity(relaxed.len() + JawKnobs::COUNT);
    let mut change = vec![0.0; relaxed.len()];
    let mut activations: Vec<Activation> = vec![[0.0; 6]; blend.tets()];
    for k in 0..relaxed.len() {
        change[k] = -1.0;
        blend.spread(&relaxed, &change, &mut activations);
        change[k] = 0.0;
        let mut column = vec![Row::zero(); free];
        still.rough_answer(tangent.force(&activations), &mut column);
        columns.push(column);
    }
    for k in 0..JawKnobs::COUNT {
        let mut force = still.knob_force(&fit.knobs, &[0.0; JawKnobs::COUNT], k);
        force.iter_mut().for_each(|row| *row = *row * -1.0);
        let mut column = vec![Row::zero(); free];
        still.rough_answer(&force, &mut column);
        columns.push(column);
    }
    Ok((tangent, columns))
}

/// G without W: its lower half, column by column.
fn gram(columns: &[Vec<Row>], observation: &Observation) -> Result<SymmetricMatrix, SimError> {
    let count = columns.len();
    let mut entries = Vec::with_capacity(count * (count + 1) / 2);
    let mut force = vec![Row::zero(); columns.first().map_or(0, Vec::len)];
    for (j, column) in columns.iter().enumerate() {
        observation.bend(column, &mut force);
        for (i, other) in columns.iter().enumerate().skip(j) {
            entries.push((i, j, dot_rows(other, &force)));
        }
    }
    Ok(SymmetricMatrix::from_triplets(count, entries)?)
}

/// G's factor.
fn factor(
    gram: &SymmetricMatrix,
    prior: &Prior,
    muscles: usize,
) -> Result<SparseCholesky, SimError> {
    let mut values = gram.values().to_vec();
    for (k, weight) in prior.weights.iter().enumerate() {
        if let Some(slot) = gram.slot(k, k) {
            values[slot] += weight;
        }
    }
    // Volumes at rest change by the trace.
    for muscle in 0..muscles {
        for (i, j) in [(0, 0), (3, 0), (5, 0), (3, 3), (5, 3), (5, 5)] {
            if let Some(slot) = gram.slot(6 * muscle + i, 6 * muscle + j) {
                values[slot] += VOLUME;
            }
        }
    }
    let order: Vec<usize> = (0..gram.size()).collect();
    let mut factor = SparseCholesky::analyse(gram, &order)?;
    factor.factor(&values)?;
    Ok(factor)
}

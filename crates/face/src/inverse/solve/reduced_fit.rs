//! Fast fits of further expressions once the muscle geometry is known.
//!
//! The method follows section 4.2.8 of \[dinev2020\]; unknowns are the muscle matrices and the jaw
//! pose. They are few. Their Jacobian at rest, dx/dp = −K⁻¹B, and the Gauss–Newton matrix G =
//! (dx/dp)ᵀ SᵀωS (dx/dp) + W are therefore computed in advance. G is factored once per subject for
//! each weight of the priors: a chord method.
//!
//! A step takes one back-substitution with K for the adjoint, one with G, and some iterations
//! towards equilibrium on the matrix at rest. It is shortened until J falls. Weights of the priors
//! fall from stage to stage, because flesh can follow such steps; with the last weight from the
//! start lips buckle. The positions of relaxed flesh with an open jaw are computed in advance as
//! well.
//!
//! Muscles could partly reproduce artefacts of a scan by swelling in unnatural ways. The last stage
//! therefore trusts skin less that is still far from its target while most of it is met.

use std::time::Instant;

use glam::DVec3;
use pliant_math::Row;
use pliant_math::cholesky::SparseCholesky;
use pliant_math::sparse::SymmetricMatrix;
use pliant_model::potentials::activation::{Activation, RELAXED};
use pliant_sim::SimError;

use super::{ActivationModel, FaceFit, FaceFitOptions, Fitted, QuadraticPrior, dot_rows};
use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::inverse::activation::{Parametrisation, add_passive_stretch};
use crate::inverse::equilibrium::{Knobs, Tangent, negate};
use crate::inverse::muscle_geometry::{GeometryMatrix, add_volume_gradient, volume_penalty};
use crate::inverse::targets::{Observation, Residual};
use crate::model::FaceModel;
use crate::simulation::{FaceSimulation, FaceSimulationOptions, FaceSolver, JawKnobs};

/// Weights of the priors (mm²), one per stage.
const WEIGHTS: [f64; 4] = [10.0, 2.0, 0.5, 0.1];
/// Step limits of the last stage and of the others, and iterations towards equilibrium per step.
const LAST_STEPS: u32 = 8;
const STAGE_STEPS: u32 = 6;
const STEP_ITERATIONS: u32 = 8;
/// Relative decrease of J by a full step below which a stage ends: the last, and the others.
const SETTLED: f64 = 0.03;
const STAGE_SETTLED: f64 = 0.05;
/// A stage with this relative decrease of J is not tried again with shorter steps.
const GAINED: f64 = 0.1;
/// Distance (m), multiple of the median residual, and share of the target's motion beyond which
/// skin is an artefact.
const ARTEFACT: (f64, f64, f64) = (0.001, 6.0, 0.3);
/// Jaw opening at which the passive stretch of muscles is measured (degrees).
const MEASURED_OPENING: f64 = 10.0;
/// Number of tabulated jaw openings, and their spacing (degrees).
const MOST_OPENINGS: u32 = 13;
const OPENING_SPACING: f64 = 2.5;
/// Trials of a step, and factor between their lengths.
const TRIALS: u32 = 2;
const STEP_FACTOR: f64 = 0.4;
/// Weight of muscles' changes of volume (mm²).
const VOLUME: f64 = 0.01;
/// Limit on rounds with constant unknowns, and residuals on the way and in equilibrium.
const LAST_ROUNDS: u32 = 6;
const NEAR: f64 = 0.03;
const FOUND: f64 = 1e-3;

/// A step of the unknowns in a stage, and the greatest part of it to try.
struct Advance<'a> {
    step: &'a [f64],
    longest: f64,
    stage: usize,
}

/// Fits muscle matrices and jaw pose to one skin after the other, with known geometry.
pub struct ReducedFit<'a> {
    /// The fit whose simulation stays at rest.
    fit: FaceFit<'a>,
    moving: FaceSimulation<'a>,
    geometry: GeometryMatrix,
    tangent: Tangent,
    /// Displacement of the free vertices at rest per unit of each knob.
    knob_responses: Vec<Vec<Row>>,
    /// Factor of G and the prior of each stage.
    stages: Vec<(SparseCholesky, QuadraticPrior)>,
    /// Passive stretch of muscles per degree of jaw opening.
    stretch_per_degree: Vec<Activation>,
    /// Positions with relaxed muscles at multiples of [`OPENING_SPACING`].
    opening_positions: Vec<Vec<Row>>,
    /// Duration of the preparation (s).
    pub seconds: f64,
}

impl<'a> ReducedFit<'a> {
    /// Prepares fits of a face with its learned geometry, or with its anatomy. The weights of the
    /// options are not used.
    ///
    /// # Errors
    /// When the face cannot be simulated.
    pub fn new(face: &'a FaceModel, options: FaceFitOptions) -> Result<Self, FaceError> {
        let clock = Instant::now();
        let options = FaceFitOptions { model: ActivationModel::Geometry, ..options };
        let moving = FaceSimulationOptions {
            solver: FaceSolver::Interactive { iterations: STEP_ITERATIONS },
            ..options.simulation_options()
        };
        let moving = FaceSimulation::new(face, &moving)?;
        let mut fit = FaceFit::new(face, options)?;
        let geometry = GeometryMatrix::of(face);
        let mut relaxed = geometry.relaxed();
        let count = relaxed.len();
        relaxed.extend([0.0; JawKnobs::COUNT]);
        let still = vec![[0.0; 6]; geometry.tets()];
        let observation = fit.observation(&face.skin.mesh.positions);
        let (tangent, jacobian_at_rest) = jacobian_at_rest(&mut fit, &geometry)?;
        let gauss_newton_matrix = gauss_newton_matrix(&jacobian_at_rest, &observation)?;
        let mut stages = Vec::new();
        for weight in WEIGHTS {
            let prior = fit.prior(&relaxed, &still, weight, count);
            stages.push((factor(&gauss_newton_matrix, &prior, geometry.muscles)?, prior));
        }
        let knob_responses = jacobian_at_rest[count..].to_vec();
        let mut stretch_per_degree = fit
            .attracted_flesh
            .passive_stretch(&JawPose { open: MEASURED_OPENING, ..JawPose::default() });
        stretch_per_degree.as_flattened_mut().iter_mut().for_each(|by| *by /= MEASURED_OPENING);
        let mut own = ReducedFit {
            fit,
            moving,
            geometry,
            tangent,
            knob_responses,
            stages,
            stretch_per_degree,
            opening_positions: Vec::new(),
            seconds: 0.0,
        };
        own.tabulate_openings();
        own.seconds = clock.elapsed().as_secs_f64();
        Ok(own)
    }

    /// Fits muscle matrices and jaw pose to a skin (m), in the frame of the skull and in the vertex
    /// order of the face's skin.
    ///
    /// # Errors
    /// When the skin has another number of vertices, or a coordinate is not finite.
    pub fn fit(&mut self, target: &[DVec3]) -> Result<Fitted, FaceError> {
        self.fit.check(target)?;
        let clock = Instant::now();
        let mut observation = self.fit.observation(target);
        let jaw = self.fit.estimate_jaw(target);
        self.moving.reset_with_jaw(&jaw);
        let passive_stretch = self.passive_stretch_at(jaw.open);
        let mut unknowns = self.geometry.relaxed();
        unknowns.extend(JawKnobs::numbers(&jaw));
        let mut fitted = Fitted { passive_stretch, ..Fitted::default() };
        let towards = unknowns.clone();
        self.place_relaxed(&jaw);
        self.settle(&unknowns, &fitted.passive_stretch, NEAR);
        for stage in 0..self.stages.len() {
            self.stages[stage].1.towards.copy_from_slice(&towards);
            let is_last = stage + 1 == self.stages.len();
            let (most, settled) = match is_last {
                true => (LAST_STEPS, SETTLED),
                false => (STAGE_STEPS, STAGE_SETTLED),
            };
            if is_last {
                observation = self.downweight_artefacts(observation);
            }
            let mut value = self.value(&observation, &unknowns, stage);
            // Steps use the greater weight of the stage before; if flesh cannot follow them, the
            // weight before that.
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
        self.settle(&unknowns, &fitted.passive_stretch, FOUND);
        fitted.unknowns = unknowns;
        self.fit.parametrisation.set_passive_stretch(&fitted.passive_stretch);
        self.fit.derive_results(&mut fitted);
        fitted.flesh = self.moving.positions();
        fitted.skin = self.fit.face.skin_at(&fitted.flesh);
        fitted.seconds = clock.elapsed().as_secs_f64();
        Ok(fitted)
    }

    /// Reduces the weights of skin that looks like an artefact, and keeps their sum.
    fn downweight_artefacts(&mut self, observation: Observation) -> Observation {
        let rest = &self.fit.face.skin.mesh.positions;
        let at_rest = self.fit.vertices.iter().map(|&v| rest[v as usize]);
        let asked: Vec<f64> =
            at_rest.zip(&observation.samples).map(|(p, own)| p.distance(own.target)).collect();
        let positions = &self.moving.equilibrium().state.positions;
        let off = observation.distances(positions);
        let mut moved: Vec<f64> = (off.iter().zip(&asked))
            .filter_map(|(off, asked)| Residual::is_counted(*asked).then_some(*off))
            .collect();
        moved.sort_unstable_by(f64::total_cmp);
        let half = moved.get(moved.len() / 2).copied().unwrap_or(0.0);
        let (least, times, part) = ARTEFACT;
        let far = |k: usize| least.max(times * half).max(part * asked[k]);
        let trust_weights = observation.trust_weights(positions, far);
        let whole = |own: &Observation| own.samples.iter().map(|s| s.to_point).sum::<f64>();
        let before = whole(&observation);
        let mut trusted = observation.reweighted(&trust_weights);
        trusted.scale(before / whole(&trusted).max(1e-12));
        trusted
    }

    /// Opens the jaw step by step and tabulates the positions of relaxed flesh.
    fn tabulate_openings(&mut self) {
        let mut unknowns = self.geometry.relaxed();
        unknowns.extend([0.0; JawKnobs::COUNT]);
        let count = self.geometry.count();
        for k in 0..MOST_OPENINGS {
            let jaw = JawPose { open: OPENING_SPACING * f64::from(k), ..JawPose::default() };
            if k > 0 {
                if self.fit.face.hinge.limited(&jaw) != jaw {
                    break;
                }
                self.move_with_knobs(&[OPENING_SPACING]);
            }
            unknowns[count] = jaw.open;
            self.settle(&unknowns, &self.passive_stretch_at(jaw.open), FOUND);
            self.opening_positions.push(self.moving.equilibrium().state.positions.to_vec());
        }
    }

    /// Passive stretch of muscles at a jaw opening (degrees).
    fn passive_stretch_at(&self, open: f64) -> Vec<Activation> {
        self.stretch_per_degree.iter().map(|own| own.map(|by| by * open)).collect()
    }

    /// Follows a step while J falls from `before`. Returns the length of the step and J there.
    fn advance(
        &mut self,
        observation: &Observation,
        &Advance { step, longest, stage }: &Advance,
        before: f64,
        unknowns: &mut [f64],
        fitted: &mut Fitted,
    ) -> (f64, f64) {
        let (count, from) = (self.geometry.count(), unknowns.to_vec());
        let places = self.moving.equilibrium().state.positions.to_vec();
        let mut length = longest;
        for _ in 0..TRIALS {
            for ((unknown, from), by) in unknowns.iter_mut().zip(&from).zip(step) {
                *unknown = from - length * by;
            }
            self.geometry.confine(&mut unknowns[..count]);
            let jaw = self.fit.face.hinge.limited(&JawKnobs::pose(&unknowns[count..]));
            unknowns[count..].copy_from_slice(&JawKnobs::numbers(&jaw));
            let turned = unknowns[count..].iter().zip(&from[count..]);
            self.move_with_knobs(&turned.map(|(now, then)| now - then).collect::<Vec<f64>>());
            self.iterate(unknowns, &fitted.passive_stretch);
            fitted.steps += 1;
            let value = self.value(observation, unknowns, stage);
            if value < before {
                return (length, value);
            }
            length *= STEP_FACTOR;
            self.moving.equilibrium().state.positions.copy_from_slice(&places);
        }
        unknowns.copy_from_slice(&from);
        (length, before)
    }

    /// Places the flesh for relaxed muscles and this jaw pose.
    fn place_relaxed(&mut self, jaw: &JawPose) {
        let along = (jaw.open / OPENING_SPACING).max(0.0);
        let [low, high] =
            [0, 1].map(|k| (along as usize + k).min(self.opening_positions.len() - 1));
        let equilibrium = self.moving.equilibrium();
        // Activations of the previous fit no longer apply.
        let input = equilibrium.input;
        input.end.activations.fill(RELAXED);
        self.fit.knobs.turn(&JawKnobs::numbers(jaw), &mut input.end);
        input.start.clone_from(&input.end);
        let places = self.opening_positions[low].iter().zip(&self.opening_positions[high]);
        for (x, (a, b)) in equilibrium.state.positions.iter_mut().zip(places) {
            *x = a.plus_scaled(along.fract(), *b + *a * -1.0);
        }
        let mut others = JawKnobs::numbers(jaw);
        others[0] = 0.0;
        self.move_with_knobs(&others);
    }

    /// Moves the flesh with the jaw by its linear response at rest; otherwise the bone would crush
    /// it.
    fn move_with_knobs(&mut self, knobs: &[f64]) {
        let state = self.moving.equilibrium().state;
        for (response, by) in self.knob_responses.iter().zip(knobs).filter(|(_, by)| **by != 0.0) {
            state.positions.iter_mut().zip(response).for_each(|(x, a)| *x = x.plus_scaled(*by, *a));
        }
    }

    /// J with the prior of a stage, at the current positions.
    fn value(&mut self, observation: &Observation, unknowns: &[f64], stage: usize) -> f64 {
        observation.value(&self.moving.equilibrium().state.positions)
            + self.stages[stage].1.value(unknowns)
            + volume_penalty(&unknowns[..self.geometry.count()], VOLUME)
    }

    /// Iterates towards the equilibrium of the unknowns; returns the residual.
    fn iterate(&mut self, unknowns: &[f64], passive_stretch: &[Activation]) -> f64 {
        let (theta, knobs) = unknowns.split_at(self.geometry.count());
        let mut activations = vec![RELAXED; self.geometry.tets()];
        self.geometry.activations(theta, &mut activations);
        add_passive_stretch(&mut activations, passive_stretch);
        let mut equilibrium = self.moving.equilibrium();
        self.fit.knobs.turn(knobs, &mut equilibrium.input.end);
        equilibrium.find(&activations).residual
    }

    /// Iterates until the residual is small enough, or the rounds are used up. The tolerance also
    /// holds for later calls.
    fn settle(&mut self, unknowns: &[f64], passive_stretch: &[Activation], enough: f64) {
        self.moving.equilibrium().workspace.end_at(enough);
        for _ in 0..LAST_ROUNDS {
            let is_found = self.iterate(unknowns, passive_stretch) <= enough;
            if is_found {
                break;
            }
        }
    }

    /// G⁻¹ ∇J with derivatives at rest, where J is that of one stage and G of another.
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
        observation.gradient(&moving.state.positions, &mut force);
        // Rotated flesh responds as at rest, along rotated axes.
        for (row, turn) in force.iter_mut().zip(moving.workspace.turns(&moving.state.positions)) {
            *row = Row::from(turn.transpose() * row.xyz());
        }
        still.approximate_stiffness_solve(&force, &mut adjoint);
        negate(&mut adjoint);
        let mut pull = vec![[0.0; 6]; self.geometry.tets()];
        self.tangent.apply_transposed(&adjoint, &mut pull);
        let mut slope = vec![0.0; unknowns.len()];
        let (of_theta, of_knobs) = slope.split_at_mut(self.geometry.count());
        self.geometry.apply_transposed_jacobian(&unknowns[..of_theta.len()], &pull, of_theta);
        for (value, response) in of_knobs.iter_mut().zip(&self.knob_responses) {
            *value = dot_rows(response, &force);
        }
        self.stages[stage].1.add_gradient(unknowns, &mut slope);
        let count = self.geometry.count();
        add_volume_gradient(&unknowns[..count], VOLUME, &mut slope[..count]);
        self.stages[damped].0.solve(&mut slope)?;
        Ok(slope)
    }
}

/// Jacobian dx/dp of the free vertices at rest, by columns.
fn jacobian_at_rest(
    fit: &mut FaceFit,
    geometry: &GeometryMatrix,
) -> Result<(Tangent, Vec<Vec<Row>>), FaceError> {
    let relaxed = geometry.relaxed();
    let mut still = fit.simulation.equilibrium();
    let mut tangent = still.tangent()?;
    let free = still.model.free_count();
    let mut jacobian_at_rest = Vec::with_capacity(relaxed.len() + JawKnobs::COUNT);
    let mut change = vec![0.0; relaxed.len()];
    let mut activations: Vec<Activation> = vec![[0.0; 6]; geometry.tets()];
    for k in 0..relaxed.len() {
        change[k] = -1.0;
        geometry.apply_jacobian(&relaxed, &change, &mut activations);
        change[k] = 0.0;
        let mut column = vec![Row::zero(); free];
        still.approximate_stiffness_solve(tangent.apply(&activations), &mut column);
        jacobian_at_rest.push(column);
    }
    for k in 0..JawKnobs::COUNT {
        let mut force = still.knob_force(&fit.knobs, &[0.0; JawKnobs::COUNT], k);
        negate(&mut force);
        let mut column = vec![Row::zero(); free];
        still.approximate_stiffness_solve(&force, &mut column);
        jacobian_at_rest.push(column);
    }
    Ok((tangent, jacobian_at_rest))
}

/// Gauss–Newton matrix without the prior: its lower half, column by column.
fn gauss_newton_matrix(
    jacobian_at_rest: &[Vec<Row>],
    observation: &Observation,
) -> Result<SymmetricMatrix, SimError> {
    let count = jacobian_at_rest.len();
    let mut entries = Vec::with_capacity(count * (count + 1) / 2);
    let mut force = vec![Row::zero(); jacobian_at_rest.first().map_or(0, Vec::len)];
    for (j, column) in jacobian_at_rest.iter().enumerate() {
        observation.apply_hessian(column, &mut force);
        for (i, other) in jacobian_at_rest.iter().enumerate().skip(j) {
            entries.push((i, j, dot_rows(other, &force)));
        }
    }
    Ok(SymmetricMatrix::from_triplets(count, entries)?)
}

/// Factor of the Gauss–Newton matrix with the prior and the volume penalty.
fn factor(
    gauss_newton_matrix: &SymmetricMatrix,
    prior: &QuadraticPrior,
    muscles: usize,
) -> Result<SparseCholesky, SimError> {
    let mut values = gauss_newton_matrix.values().to_vec();
    for (k, weight) in prior.weights.iter().enumerate() {
        if let Some(slot) = gauss_newton_matrix.slot(k, k) {
            values[slot] += weight;
        }
    }
    // Changes of volume at rest are traces.
    for muscle in 0..muscles {
        for (i, j) in [(0, 0), (3, 0), (5, 0), (3, 3), (5, 3), (5, 5)] {
            if let Some(slot) = gauss_newton_matrix.slot(6 * muscle + i, 6 * muscle + j) {
                values[slot] += VOLUME;
            }
        }
    }
    let order: Vec<usize> = (0..gauss_newton_matrix.size()).collect();
    let mut factor = SparseCholesky::analyse(gauss_newton_matrix, &order)?;
    factor.factor(&values)?;
    Ok(factor)
}

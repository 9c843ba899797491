//! Fits the tets to the input frame by frame.
//!
//! In every frame ū minimises
//!
//! ```text
//! ½ ‖C′u − q̄‖²_Λ + γ Φ(u)                                     (Eq. 1)
//! ```
//!
//! (\[li2017enriching\]), where Φ is the invertible St. Venant–Kirchhoff energy. Divided by γ, this
//! is a body in equilibrium under springs of λ = Λ/γ to the tracked points: a quasi-static step of
//! the simulation, with its solvers, line search and guard. C′ᵀΛC′ is constant, so the projective
//! solver's matrix is factored once for all frames; Eq. 3 needs a factorisation per iteration.

mod condensed_points;
pub mod gamma;
mod initial_guess;
pub(crate) mod overstretched;

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, Untangler, quality};
use pliant_model::method::{Method, Scheme, Solver};
use pliant_model::potentials::Tracked;
use pliant_model::{Body, ElasticModel, FrameInput, Material, Model, ModelBuilder};
use pliant_sim::{State, StepReport, Workspace, step};

use self::condensed_points::condense;
use self::initial_guess::InitialGuess;
use crate::embedding::EmbeddedSurface;
use crate::embedding::samples::Sample;
use crate::error::EnrichError;
use crate::numerics::poisson::Element;
use crate::numerics::vertex_flags;
use crate::numerics::weighted_sums::{WeightedSums, fill};

/// Parameters of the fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// Energy density of Φ; the paper's is the default.
    pub model: ElasticModel,
    /// Young's modulus of Φ \[Pa\]; γ is relative to it.
    pub young: f64,
    /// Poisson's ratio of Φ.
    pub poisson: f64,
    /// γ [m³/J]: weight of strain against distance.
    pub gamma: f64,
    /// Relative gradient norm at which the solver stops.
    pub tolerance: f64,
    /// Maximum number of iterations per frame.
    pub iterations: u32,
    /// True to repair inverted tets after the fit.
    pub untangles: bool,
}

impl Default for FitOptions {
    /// The paper's material (section 9).
    fn default() -> Self {
        FitOptions {
            model: ElasticModel::InvertibleStvk,
            young: 1e7,
            poisson: 0.45,
            gamma: 1e-9,
            tolerance: 1e-3,
            iterations: 200,
            untangles: true,
        }
    }
}

impl FitOptions {
    /// Options for a quick estimate: inverted tets stay, and the solver stops early.
    pub fn coarse(self) -> FitOptions {
        FitOptions { tolerance: 1e-2, iterations: 60, untangles: false, ..self }
    }
}

/// Distance from the input, relative to the body's size, below which the guess needs no solve.
const NEGLIGIBLE: f64 = 1e-6;

/// Share of the body's rest volume below which a frame flattens it.
const FLATTENED: f64 = 0.6;

/// Report of a fitted frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FitReport {
    /// Root mean square distance of tracked points from the input \[m\].
    pub rms: f64,
    /// Greatest distance \[m\].
    pub max: f64,
    /// Number of inverted tets.
    pub inverted: usize,
    /// Number of inverted tets before the repair.
    pub untangled: usize,
    /// True if the frame flattens the body; ū is then the initial guess.
    pub is_flattened: bool,
    /// Greatest mean stretch of a tet, ‖F‖ / √3; 1 for a rotation.
    pub stretch: f64,
    /// Iterations of the solver.
    pub iterations: u32,
    /// Relative gradient norm at which it stopped.
    pub residual: f64,
}

/// Solver that fits Ω to Γ′, frame by frame.
pub struct Fitting {
    model: Model,
    state: State,
    workspace: Workspace,
    input: FrameInput,
    guess: InitialGuess,
    samples: Vec<Sample>,
    /// Rows of C′ over Ω's vertices.
    points: Vec<Tracked>,
    /// Targets of the condensed points as sums of the samples' targets.
    condensed: WeightedSums<f64>,
    untangler: Untangler,
    untangles: bool,
    elements: Vec<Element>,
    /// Target position of each sample \[m\].
    targets: Vec<DVec3>,
    /// Distance of each sample from its target \[m\].
    distances: Vec<f64>,
}

impl Fitting {
    /// Prepares the fit to the vertices `tracked` of the surface, Γ′.
    pub fn new(
        embedded: &EmbeddedSurface,
        tracked: &[u32],
        options: &FitOptions,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let count = embedded.surface.positions.len();
        let is_tracked = vertex_flags("what is tracked", tracked, count)?;
        let team = Team::new(threads);
        let (samples, points) = embedded.tracked_points(&is_tracked, &team);
        let guess = InitialGuess::new(embedded, &samples, &points, &team)?;
        let (model, workspace, condensed) = relaxation(&embedded.solid, &points, options, threads)?;
        let mut input = FrameInput { h: 1.0, ..FrameInput::default() };
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        Ok(Fitting {
            state: State::initial(&model),
            untangler: Untangler::new(&embedded.solid, embedded.report.size),
            untangles: options.untangles,
            elements: Element::all(&embedded.solid),
            targets: vec![DVec3::ZERO; samples.len()],
            distances: vec![0.0; samples.len()],
            workspace,
            model,
            input,
            samples,
            points,
            condensed,
            guess,
        })
    }

    /// Changes the options; everything that does not depend on them is kept.
    pub fn with(
        self,
        embedded: &EmbeddedSurface,
        options: &FitOptions,
    ) -> Result<Self, EnrichError> {
        let threads = self.workspace.threads();
        let (model, workspace, condensed) =
            relaxation(&embedded.solid, &self.points, options, threads)?;
        let untangles = options.untangles;
        let state = State::initial(&model);
        Ok(Fitting { model, workspace, state, condensed, untangles, ..self })
    }

    /// Fits `solid`, the positions of Ω \[m\], to a frame of Γ \[m\], of which only tracked
    /// vertices count. The result does not depend on earlier frames.
    pub fn fit(&mut self, frame: &[DVec3], solid: &mut [DVec3]) -> FitReport {
        let Fitting { workspace, samples, targets, .. } = self;
        fill(targets, workspace.team(), |k| samples[k].position(frame));
        self.guess.compute(frame, targets, solid, workspace.team());
        let mut report = StepReport::default();
        // A compressed body with a fixed surface buckles until half of its tets are inverted. The
        // guess is linear and compresses all layers equally, so flattened frames keep it.
        let is_flattened = self.flattens(solid);
        // Where the guess is exact, forces are rounding errors, and their relative norm is not
        // small.
        if !is_flattened && self.farthest(solid) > NEGLIGIBLE * self.model.extent() {
            report = self.relax(solid);
        }
        let team = self.workspace.team();
        let untangled = quality::inverted_among(self.untangler.tets(), solid);
        let inverted = match self.untangles {
            true => self.untangler.untangle(solid, team),
            false => untangled,
        };
        let max = self.farthest(solid);
        let squares: f64 = self.distances.iter().map(|d| d * d).sum();
        let stretch = |e: &Element| (squared_norm(&e.deformation(solid)) / 3.0).sqrt();
        FitReport {
            rms: (squares / self.distances.len().max(1) as f64).sqrt(),
            max,
            inverted,
            untangled,
            is_flattened,
            stretch: self.elements.iter().map(stretch).fold(0.0, f64::max),
            iterations: report.iterations,
            residual: report.residual,
        }
    }

    /// True if too little of the body's rest volume is left.
    fn flattens(&self, solid: &[DVec3]) -> bool {
        let volumes = |e: &Element| (e.volume, e.volume * e.deformation(solid).determinant());
        let sum = |(a, b): (f64, f64), (c, d): (f64, f64)| (a + c, b + d);
        let (rest, left) = self.elements.iter().map(volumes).fold((0.0, 0.0), sum);
        left < FLATTENED * rest
    }

    /// Minimises Eq. 1, starting from `solid` \[m\].
    fn relax(&mut self, solid: &mut [DVec3]) -> StepReport {
        let Fitting { model, state, workspace, input, targets, condensed, .. } = self;
        for (v, &x) in solid.iter().enumerate() {
            state.positions[model.number(0, v)] = x.into();
        }
        let mut pulls = vec![DVec3::ZERO; model.tracked_points().len()];
        condensed.add(targets, &mut pulls, workspace.team());
        for drive in [&mut input.start, &mut input.end] {
            drive.tracked.clear();
            drive.tracked.extend(pulls.iter().map(|&x| Row::from(x)));
        }
        let report = step(model, input, state, workspace);
        model.to_user_order(&state.positions, solid);
        report
    }

    /// Updates the distances of the samples from the input, and returns the greatest \[m\].
    fn farthest(&mut self, solid: &[DVec3]) -> f64 {
        let Fitting { points, targets, distances, workspace, .. } = self;
        let position = |p: &Tracked| -> DVec3 {
            p.corners.iter().zip(p.weights).map(|(&v, w)| w * solid[v as usize]).sum()
        };
        fill(distances, workspace.team(), |k| position(&points[k]).distance(targets[k]));
        distances.iter().copied().fold(0.0, f64::max)
    }
}

/// ‖F‖², the squared Frobenius norm.
fn squared_norm(f: &DMat3) -> f64 {
    f.to_cols_array().iter().map(|x| x * x).sum()
}

/// Builds Eq. 1, divided by γ, as a model; returns also the sums that give the targets of its
/// condensed points. The stiffnesses of `points` are their areas.
fn relaxation(
    solid: &Mesh,
    points: &[Tracked],
    options: &FitOptions,
    threads: usize,
) -> Result<(Model, Workspace, WeightedSums<f64>), EnrichError> {
    let FitOptions { model, young, poisson, gamma, tolerance, iterations, .. } = *options;
    if !(gamma > 0.0 && gamma.is_finite()) {
        let (what, expected) = ("gamma", "a positive number");
        return Err(EnrichError::Number { what, found: gamma, expected });
    }
    let body =
        Body::solid("solid", solid.clone(), Material::elastic(model, young, poisson, 1000.0));
    let integrator = Method {
        scheme: Scheme::QuasiStatic,
        solver: Solver::Projective { iterations, history: 8, tolerance },
        correction: None,
        damping: None,
    };
    let pulled = |p: &Tracked| Tracked { stiffness: p.stiffness / gamma, ..*p };
    let (few, condensed) = condense(&points.iter().map(pulled).collect::<Vec<_>>());
    let model = ModelBuilder::new()
        .body(body)
        .gravity(DVec3::ZERO)
        .track(0, few)
        .method(integrator)
        .build()?;
    let workspace = Workspace::new(&model, threads)?;
    Ok((model, workspace, condensed))
}

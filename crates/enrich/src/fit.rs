//! Fitting tetrahedra to an input: for every frame the ū with least
//!
//! ```text
//! ½ ‖C′u − q̄‖²_Λ + γ Φ(u)                                     (Eq. 1)
//! ```
//!
//! where Φ is the invertible St. Venant–Kirchhoff energy. Divided by γ, this is a body at rest under
//! springs of λ = Λ/γ to the tracked points: a quasi-static step of the simulation, with its
//! solvers, line search and guard. C′ᵀΛC′ is constant, so the projective solver's matrix is factored
//! once for all frames, where Eq. 3 is a factorisation per iteration.

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_math::decomposition::polar;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, Untangler, quality};
use pliant_model::method::{Method, Scheme, Solver};
use pliant_model::potentials::Tracked;
use pliant_model::{Body, ElasticModel, FrameInput, Material, Model, ModelBuilder};
use pliant_sim::{State, StepReport, Workspace, step};

use crate::bound::Bound;
use crate::condensed::condense;
use crate::error::EnrichError;
use crate::guess::Guess;
use crate::poisson::Element;
use crate::samples::Sample;
use crate::sums::{WeightedSums, fill};

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// Energy density of Φ; the paper's is the default.
    pub model: ElasticModel,
    /// Young's modulus of Φ \[Pa\]: γ means nothing without.
    pub young: f64,
    /// Its Poisson ratio.
    pub poisson: f64,
    /// γ [m³/J]: how much strain counts against distance.
    pub gamma: f64,
    /// Relative gradient norm to stop at.
    pub tolerance: f64,
    /// Most iterations per frame.
    pub iterations: u32,
    /// Whether tets that are inside out are turned back.
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
    /// To look at a pose only: nothing is turned back, and the search ends early.
    pub fn roughly(self) -> FitOptions {
        FitOptions { tolerance: 1e-2, iterations: 60, untangles: false, ..self }
    }
}

/// Of the body's size: nearer than this the input is met.
const NOTHING: f64 = 1e-6;

/// A frame in which less than this part of the body's volume is left flattens it.
const FLATTENED: f64 = 0.6;

/// What came of fitting a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FitReport {
    /// Root mean square distance of tracked points from the input \[m\].
    pub rms: f64,
    /// The greatest \[m\].
    pub max: f64,
    /// Tets that are inside out.
    pub inverted: usize,
    /// Tets that were, before they were turned back.
    pub untangled: usize,
    /// Whether the frame flattens the body, so that the guess was left as it is.
    pub is_flattened: bool,
    /// The greatest mean stretch of a tet, ‖F‖ / √3: 1 for one that only turned.
    pub stretch: f64,
    /// Iterations of the solver.
    pub iterations: u32,
    /// Relative gradient norm when it stopped.
    pub residual: f64,
}

/// Ω following Γ′ from frame to frame.
pub struct Fitting {
    model: Model,
    state: State,
    workspace: Workspace,
    input: FrameInput,
    guess: Guess,
    samples: Vec<Sample>,
    /// C′, over Ω's vertices.
    points: Vec<Tracked>,
    /// Of the samples' targets: those of the points that the model has in their place.
    condensed: WeightedSums<f64>,
    untangler: Untangler,
    untangles: bool,
    elements: Vec<Element>,
    /// Where samples are to be \[m\], and how far from there they are.
    targets: Vec<DVec3>,
    distances: Vec<f64>,
}

impl Fitting {
    /// For the input of some of the surface's vertices, Γ′.
    pub fn new(
        bound: &Bound,
        tracked: &[u32],
        options: &FitOptions,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let count = bound.surface.positions.len();
        let mut is_tracked = vec![false; count];
        for &vertex in tracked {
            let what = "what is tracked";
            *is_tracked.get_mut(vertex as usize).ok_or(EnrichError::NoSuchVertex {
                what,
                vertex,
                count,
            })? = true;
        }
        let team = Team::new(threads);
        let (samples, points) = bound.tracked(&is_tracked, &team);
        let guess = Guess::new(bound, &samples, &points, &team)?;
        let (model, workspace, condensed) = relaxation(&bound.solid, &points, options, threads)?;
        let mut input = FrameInput { h: 1.0, ..FrameInput::default() };
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        Ok(Fitting {
            state: State::initial(&model),
            untangler: Untangler::new(&bound.solid, bound.report.size),
            untangles: options.untangles,
            elements: Element::all(&bound.solid),
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

    /// The same with other options; most of what was prepared is kept.
    pub fn with(self, bound: &Bound, options: &FitOptions) -> Result<Self, EnrichError> {
        let threads = self.workspace.threads();
        let (model, workspace, condensed) =
            relaxation(&bound.solid, &self.points, options, threads)?;
        let untangles = options.untangles;
        let state = State::initial(&model);
        Ok(Fitting { model, workspace, state, condensed, untangles, ..self })
    }

    /// Fits a frame: positions of all vertices of Γ, of which the tracked ones count, to positions
    /// of Ω, both \[m\]. The outcome depends on the frame alone, not on those before it.
    pub fn fit(&mut self, frame: &[DVec3], solid: &mut [DVec3]) -> FitReport {
        let Fitting { workspace, samples, targets, .. } = self;
        fill(targets, workspace.team(), |k| samples[k].position(frame));
        self.guess.of(frame, targets, solid, workspace.team());
        let mut report = StepReport::default();
        // What is pressed together with its surface held buckles, layer by layer, until half of it is
        // inside out. The guess does not: it is linear, and takes from all layers alike.
        let is_flattened = self.flattens(solid);
        // Where the guess is the answer, forces are rounding, and their ratio is not small.
        if !is_flattened && self.farthest(solid) > NOTHING * self.model.extent() {
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
        let stretch = |e: &Element| {
            let f = e.deformation(solid);
            let squares: f64 = f.to_cols_array().iter().map(|x| x * x).sum();
            (squares / 3.0).sqrt()
        };
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

    /// Whether too little of the body's volume is left.
    fn flattens(&self, solid: &[DVec3]) -> bool {
        let volumes = |e: &Element| (e.volume, e.volume * e.deformation(solid).determinant());
        let sum = |(a, b): (f64, f64), (c, d): (f64, f64)| (a + c, b + d);
        let (rest, left) = self.elements.iter().map(volumes).fold((0.0, 0.0), sum);
        left < FLATTENED * rest
    }

    /// The minimum of Eq. 1 that is found from where Ω is \[m\].
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

    /// How far samples are from the input, one by one, and at most \[m\].
    fn farthest(&mut self, solid: &[DVec3]) -> f64 {
        let Fitting { points, targets, distances, workspace, .. } = self;
        let carried = |p: &Tracked| -> DVec3 {
            p.corners.iter().zip(p.weights).map(|(&v, w)| w * solid[v as usize]).sum()
        };
        fill(distances, workspace.team(), |k| carried(&points[k]).distance(targets[k]));
        distances.iter().copied().fold(0.0, f64::max)
    }
}

/// Eq. 1 divided by γ as a model, and what its points' targets are sums of; `points` are pulled with their
/// areas.
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

/// Rotation R and centres a, b such that R(x − a) + b comes closest to `to` for x in `from`.
pub fn closest_rigid(from: &[DVec3], to: &[DVec3]) -> (DMat3, DVec3, DVec3) {
    let mean = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let (a, b) = (mean(from), mean(to));
    let outer = |x: DVec3, y: DVec3| DMat3::from_cols(y * x.x, y * x.y, y * x.z);
    let covariance =
        from.iter().zip(to).fold(DMat3::ZERO, |sum, (&x, &y)| sum + outer(x - a, y - b));
    let rotation = polar(&covariance);
    if rotation.is_finite() { (rotation, a, b) } else { (DMat3::IDENTITY, a, b) }
}

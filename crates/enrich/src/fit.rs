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
use pliant_mesh::{Untangler, quality};
use pliant_model::integrator::{Integrator, Scheme, Solver};
use pliant_model::potentials::Tracked;
use pliant_model::{BodySpec, ElasticModel, FrameInput, Model, ModelBuilder};
use pliant_sim::{State, StepReport, Workspace, step};

use crate::bound::Bound;
use crate::error::EnrichError;
use crate::guess::Guess;
use crate::poisson::Element;
use crate::samples::Sample;

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
    untangler: Untangler,
    untangles: bool,
    elements: Vec<Element>,
    team: Team,
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
        if !(options.gamma > 0.0 && options.gamma.is_finite()) {
            let (what, expected) = ("gamma", "a positive number");
            return Err(EnrichError::Number { what, found: options.gamma, expected });
        }
        let FitOptions { model, young, poisson, gamma, tolerance, iterations, untangles } =
            *options;
        let body = BodySpec::solid("solid", bound.solid.clone(), model, young, poisson, 1000.0);
        let integrator = Integrator {
            scheme: Scheme::QuasiStatic,
            solver: Solver::Projective { iterations, history: 8, tolerance },
            correction: None,
            damping: None,
        };
        let (samples, points) = bound.tracked(&is_tracked, gamma, &Team::new(threads));
        let guess = Guess::new(bound, samples.clone(), points.clone(), threads)?;
        let model = ModelBuilder::new()
            .body(body)
            .gravity(DVec3::ZERO)
            .track(0, points)
            .integrator(integrator)
            .build()?;
        let mut input = FrameInput { h: 1.0, ..FrameInput::default() };
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        Ok(Fitting {
            state: State::initial(&model),
            workspace: Workspace::new(&model, threads)?,
            untangler: Untangler::new(&bound.solid, bound.report.size),
            untangles,
            elements: Element::all(&bound.solid),
            team: Team::new(threads),
            model,
            input,
            samples,
            guess,
        })
    }

    /// Fits a frame: positions of all vertices of Γ, of which the tracked ones count, to positions
    /// of Ω, both \[m\]. The outcome depends on the frame alone, not on those before it.
    pub fn fit(&mut self, frame: &[DVec3], solid: &mut [DVec3]) -> FitReport {
        let targets: Vec<DVec3> = self.samples.iter().map(|s| s.position(frame)).collect();
        let points = self.model.tracked_points();
        self.guess.of(frame, solid);
        for (v, &x) in solid.iter().enumerate() {
            self.state.positions[self.model.number(0, v)] = x.into();
        }
        self.input.start.tracked.clear();
        let moved = points.iter().map(|p| p.position(&self.state.positions));
        self.input.start.tracked.extend(moved);
        self.input.end.tracked.clear();
        self.input.end.tracked.extend(targets.iter().map(|&x| Row::from(x)));
        let distance = |a: &Row, b: &Row| a.xyz().distance(b.xyz());
        let apart = self.input.start.tracked.iter().zip(&self.input.end.tracked);
        let farthest = apart.map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
        let mut report = StepReport::default();
        // Where the guess is the answer, forces are rounding, and their ratio is not small.
        if farthest > NOTHING * self.model.extent() {
            report = step(&self.model, &self.input, &mut self.state, &mut self.workspace);
        }
        self.model.to_user_order(&self.state.positions, solid);
        let untangled = quality::inverted_among(self.untangler.tets(), solid);
        let inverted = match self.untangles {
            true => self.untangler.untangle(solid, &self.team),
            false => untangled,
        };
        for (v, &x) in solid.iter().enumerate() {
            self.state.positions[self.model.number(0, v)] = x.into();
        }
        let stretch = |e: &Element| {
            let f = e.deformation(solid);
            let squares: f64 = f.to_cols_array().iter().map(|x| x * x).sum();
            (squares / 3.0).sqrt()
        };
        let off = |(point, target): (&Tracked, &DVec3)| {
            point.position(&self.state.positions).xyz().distance(*target)
        };
        let distances: Vec<f64> = points.iter().zip(&targets).map(off).collect();
        let squares: f64 = distances.iter().map(|d| d * d).sum();
        FitReport {
            rms: (squares / distances.len().max(1) as f64).sqrt(),
            max: distances.iter().copied().fold(0.0, f64::max),
            inverted,
            untangled,
            stretch: self.elements.iter().map(stretch).fold(0.0, f64::max),
            iterations: report.iterations,
            residual: report.residual,
        }
    }
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

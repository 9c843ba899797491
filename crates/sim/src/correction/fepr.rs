//! FEPR: fast energy projection (Dinev et al. 2018, "FEPR: Fast Energy Projection for Real-Time
//! Simulation of Deformable Objects").
//!
//! After any step, positions and velocities are moved as little as possible so that energy and
//! momenta are what they should be: the constraints c(x, v) = 0 with
//!
//! ```text
//! c_E = E(x) + ½‖v‖²_M − H,   c_P = Σ m v − P,   c_L = Σ x × m v − L.
//! ```
//!
//! Each iteration linearises c around the last iterate (Eq. 8) and moves along one direction W per
//! constraint, (x, v) −= Σ λⱼ Wⱼ with Σⱼ (∇cᵢ·Wⱼ) λⱼ = cᵢ, a system of at most 7 unknowns
//! (Eq. 13, 14). In the paper W = D⁻¹∇c with D = diag(M, h²M); on stiff fine meshes M⁻¹∇E
//! overshoots. [`Metric`] chooses others: `Diagonal` puts h² diag(A) in place of M, `Smooth` takes
//! W_E = (A⁻¹∇E, v/h²), W_P = (0, eₖ/h²), W_L = (0, (eₖ × x)/h²) with A = M + h²L the projective
//! matrix: one more solve per iteration, and corrections that are smooth in space.
//!
//! The energy's curvature along W_E is taken into account in the length of the step, which halves
//! the iterations.
//!
//! Momenta are held where nothing external acts. With [`Slack`] they are as in the paper's Eq. 1
//! instead, P(v) = P′ + s (P − P′) and L(x, v) = L′ + t (L − L′), with unknown s and t that cost
//! ½ε(s² + t²), and steps along the tangent. s and t are not confined to [0, 1].
//!
//! Bodies that do not touch are islands: each has targets of its own, and a system of its own; one
//! evaluation of the gradient serves them all.

pub(super) mod sums;

use std::ops::Range;

use glam::DVec3;
use pliant_math::Row;
use pliant_model::Frame;

use sums::{Multipliers, Sums};

/// The potential energy of positions, as much of it as a projection needs.
pub trait Energy {
    /// E of each island \[J\], into `energies`, and its gradient at the free vertices \[N\].
    fn gradient(&mut self, positions: &[Row], gradient: &mut [Row], energies: &mut [f64]);

    /// What a gradient is turned into for [`Metric::Smooth`]: A⁻¹g \[m/s²\], into `out`. Other
    /// metrics do not ask.
    fn smooth(&mut self, gradient: &[Row], out: &mut [Row]) {
        out.copy_from_slice(gradient);
    }
}

/// In which metric a correction is small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric<'a> {
    /// The paper's: masses.
    Mass,
    /// The diagonal of A = M + h²L \[kg\], per free vertex.
    Diagonal(&'a [f64]),
    /// A itself, through [`Energy::smooth`].
    Smooth,
}

/// Vertices of an island; it may have several parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Which island.
    pub island: usize,
    /// Vertices that may be moved.
    pub free: Range<usize>,
    /// Vertices that count, but are not moved.
    pub hard: Range<usize>,
}

/// What energy and momenta of an island should be; `None` where anything goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Targets {
    /// Total energy H \[J\].
    pub energy: f64,
    /// Components of the linear momentum \[kg m/s\].
    pub linear: [Option<f64>; 3],
    /// Components of the angular momentum, along the axes of the frame \[kg m²/s\].
    pub angular: [Option<f64>; 3],
    /// What the angular momentum is about: the origin, or where a body is held.
    pub frame: Frame,
    /// How the momenta may give way.
    pub slack: Option<Slack>,
    /// Whether W_E leaves the centre of mass where it is.
    pub is_centred: bool,
}

/// The paper's s and t: momenta may move away from their targets, by multiples of these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slack {
    /// P − P′ \[kg m/s\]: what s is a multiple of.
    pub linear: DVec3,
    /// L − L′ \[kg m²/s\]: what t is a multiple of.
    pub angular: DVec3,
    /// ε \[kg m²\].
    pub weight: f64,
}

/// What is projected, and how.
#[derive(Clone, Copy, Debug)]
pub struct Projection<'a> {
    /// Masses of all vertices \[kg\].
    pub masses: &'a [f64],
    /// Which of them belong to which island. Free vertices come before all hard ones.
    pub parts: &'a [Part],
    /// Step length \[s\].
    pub h: f64,
    /// Where to, per island.
    pub targets: &'a [Targets],
    /// In which metric.
    pub metric: Metric<'a>,
    /// Largest sum of the constraints, each relative to its own scale.
    pub tolerance: f64,
    /// Most iterations.
    pub iterations: u32,
}

/// How a projection went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeprInfo {
    /// Iterations done; each evaluated the energy once.
    pub iterations: u32,
    /// The constraints' sum at the end, relative.
    pub residual: f64,
    /// Whether it is below the tolerance.
    pub converged: bool,
    /// Potential energy at the end \[J\].
    pub potential: f64,
    /// s and t of Eq. 1; 0 without [`Slack`].
    pub given_way: [f64; 2],
}

/// Vectors of a projection, and how it went.
pub struct FeprSpace {
    gradient: Vec<Row>,
    direction: Vec<Row>,
    energies: Vec<f64>,
    sums: Vec<Sums>,
    centres: Vec<DVec3>,
    infos: Vec<FeprInfo>,
}

impl FeprSpace {
    /// For `free` vertices in at most so many islands.
    pub fn new(free: usize, islands: usize) -> Self {
        FeprSpace {
            gradient: vec![Row::zero(); free],
            direction: vec![Row::zero(); free],
            energies: vec![0.0; islands],
            sums: vec![Sums::default(); islands],
            centres: vec![DVec3::ZERO; islands],
            infos: vec![FeprInfo::default(); islands],
        }
    }

    /// How the last projection of each island went.
    pub fn infos(&self) -> &[FeprInfo] {
        &self.infos
    }
}

/// Projects a state onto its targets, after a step of whatever integrator; true when every island
/// reached its own. [`FeprSpace::infos`] tells more.
///
/// ```
/// use pliant_math::Row;
/// use pliant_sim::correction::fepr::{Energy, FeprSpace, Metric, Part, Projection, Targets, project};
///
/// /// A mass on a spring of length 1 m: ½ k (‖x‖² − 1)² (thesis Eq. 3.31).
/// struct Spring(f64);
/// impl Energy for Spring {
///     fn gradient(&mut self, x: &[Row], gradient: &mut [Row], energies: &mut [f64]) {
///         let stretch = x[0].times(x[0]).sum() - 1.0;
///         gradient[0] = x[0] * (2.0 * self.0 * stretch);
///         energies[0] = 0.5 * self.0 * stretch * stretch;
///     }
/// }
///
/// // Forward Euler, which explodes, and a projection after each of its steps.
/// let (mut spring, masses, h) = (Spring(100.0), [0.5], 0.01);
/// let (mut x, mut v, mut force) = ([Row::new(1.1, 0.0, 0.0)], [Row::new(0.0, 2.0, 0.0)], [Row::zero()]);
/// let mut potential = [0.0];
/// spring.gradient(&x, &mut force, &mut potential);
/// let energy = potential[0] + 0.25 * v[0].times(v[0]).sum();
/// let targets = [Targets { energy, angular: [None, None, Some(1.1)], ..Targets::default() }];
/// let parts = [Part { island: 0, free: 0..1, hard: 1..1 }];
/// let projection = Projection {
///     masses: &masses, parts: &parts, h, targets: &targets, metric: Metric::Mass, tolerance: 1e-12, iterations: 30
/// };
/// for _ in 0..1000 {
///     spring.gradient(&x, &mut force, &mut potential);
///     (x[0], v[0]) = (x[0].plus_scaled(h, v[0]), v[0].plus_scaled(-h / masses[0], force[0]));
///     assert!(project(&projection, &mut spring, &mut x, &mut v, &mut FeprSpace::new(1, 1)));
/// }
/// spring.gradient(&x, &mut force, &mut potential);
/// let now = potential[0] + 0.25 * v[0].times(v[0]).sum();
/// assert!((now - energy).abs() < 1e-11 * energy);
/// ```
///
/// An island that does not converge is left as far as it came; keep a copy to go back to.
pub fn project(
    projection: &Projection,
    energy: &mut dyn Energy,
    positions: &mut [Row],
    velocities: &mut [Row],
    space: &mut FeprSpace,
) -> bool {
    find_centres(projection, positions, &mut space.centres);
    space.infos.fill(FeprInfo::default());
    for iteration in 0..=projection.iterations {
        energy.gradient(positions, &mut space.gradient, &mut space.energies);
        precondition(projection, energy, space);
        let FeprSpace { gradient, direction, energies, sums, centres, infos, .. } = &mut *space;
        Sums::over(projection, positions, velocities, [gradient, direction], centres, sums);
        let mut done = true;
        for (island, targets) in projection.targets.iter().enumerate() {
            let (info, sums, centre) = (&mut infos[island], &sums[island], centres[island]);
            if iteration > 0 && info.iterations < iteration {
                continue;
            }
            info.potential = energies[island];
            let constraints = sums.constraints(targets, info, centre);
            info.residual = constraints.residual;
            info.converged = info.residual <= projection.tolerance;
            let hopeless = !info.residual.is_finite() || iteration == projection.iterations;
            if info.converged || hopeless {
                continue;
            }
            let lambda = sums.multipliers(projection.h, targets, &constraints);
            info.given_way[0] += lambda.slack[0];
            info.given_way[1] += lambda.slack[1];
            info.iterations = iteration + 1;
            done = false;
            for i in free_of(projection, island) {
                let (x, v) = (positions[i].xyz(), velocities[i].xyz());
                let turned = ratio(projection, i) * v.cross(lambda.angular);
                let x1 = x - lambda.energy * direction[i].xyz() - turned;
                positions[i] = x1.into();
                velocities[i] = follow(&lambda, projection.h, v, x - centre);
            }
        }
        if done {
            break;
        }
    }
    space.infos[..projection.targets.len()].iter().all(|info| info.converged)
}

/// The free vertices of an island.
fn free_of<'a>(projection: &Projection<'a>, island: usize) -> impl Iterator<Item = usize> + 'a {
    let parts = projection.parts.iter().filter(move |part| part.island == island);
    parts.flat_map(|part| part.free.clone())
}

/// A velocity after a step of multipliers, at r from the centre.
fn follow(lambda: &Multipliers, h: f64, v: DVec3, r: DVec3) -> Row {
    let pushed = lambda.energy * v + lambda.linear + lambda.angular.cross(r);
    (v - pushed * (1.0 / (h * h))).into()
}

/// What angular momentum is measured about: the centre of mass, which is better conditioned, where
/// the linear momentum across every angular target is a target, too (the constraint is then the
/// same); the frame's own point elsewhere.
pub(super) fn find_centres(projection: &Projection, positions: &[Row], centres: &mut [DVec3]) {
    for (island, targets) in projection.targets.iter().enumerate() {
        let Targets { linear, angular, slack, frame, .. } = targets;
        let held = |k: usize| linear[(k + 1) % 3].is_some() && linear[(k + 2) % 3].is_some();
        centres[island] = frame.about;
        if slack.is_some() || !(0..3).all(|k| angular[k].is_none() || held(k)) {
            continue;
        }
        let (mut mass, mut sum) = (0.0, DVec3::ZERO);
        for part in projection.parts.iter().filter(|part| part.island == island) {
            for i in part.free.clone().chain(part.hard.clone()) {
                mass += projection.masses[i];
                sum += positions[i].xyz() * projection.masses[i];
            }
        }
        if mass > 0.0 {
            centres[island] = sum / mass;
        }
    }
}

/// Mass over metric: how much a momentum constraint moves positions. Nothing in the smooth metric,
/// where only velocities are moved for momenta.
pub(super) fn ratio(projection: &Projection, i: usize) -> f64 {
    match projection.metric {
        Metric::Mass => 1.0,
        Metric::Diagonal(diagonal) => projection.masses[i] / diagonal[i],
        Metric::Smooth => 0.0,
    }
}

/// W_E's positions, from the gradient.
fn precondition(projection: &Projection, energy: &mut dyn Energy, space: &mut FeprSpace) {
    let FeprSpace { gradient, direction, .. } = space;
    match projection.metric {
        Metric::Mass | Metric::Diagonal(_) => {
            for i in projection.parts.iter().flat_map(|part| part.free.clone()) {
                direction[i] = gradient[i] * (ratio(projection, i) / projection.masses[i]);
            }
        }
        Metric::Smooth => energy.smooth(gradient, direction),
    }
    let centred = projection.targets.iter().enumerate().filter(|(_, targets)| targets.is_centred);
    for (island, _) in centred {
        let (mut mass, mut sum) = (0.0, Row::zero());
        for i in free_of(projection, island) {
            mass += projection.masses[i];
            sum = sum.plus_scaled(projection.masses[i], direction[i]);
        }
        let shift = sum * (1.0 / mass);
        for i in free_of(projection, island) {
            direction[i] = direction[i] - shift;
        }
    }
}

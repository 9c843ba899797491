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

use glam::DVec3;
use pliant_math::Row;

use super::dense::{self, MOST};

/// The potential energy of positions, as much of it as a projection needs.
pub trait Energy {
    /// E \[J\], and its gradient at the free vertices \[N\].
    fn gradient(&mut self, positions: &[Row], gradient: &mut [Row]) -> f64;

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

/// What energy and momenta should be; `None` where anything goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Targets {
    /// Total energy H \[J\].
    pub energy: f64,
    /// Components of the linear momentum \[kg m/s\].
    pub linear: [Option<f64>; 3],
    /// Components of the angular momentum about the origin \[kg m²/s\].
    pub angular: [Option<f64>; 3],
}

/// What is projected, and how.
#[derive(Clone, Copy, Debug)]
pub struct Projection<'a> {
    /// Masses of all vertices \[kg\].
    pub masses: &'a [f64],
    /// How many vertices may be moved: the first ones.
    pub free: usize,
    /// Step length \[s\].
    pub h: f64,
    /// Where to.
    pub targets: Targets,
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
    /// Iterations done; each evaluated the energy's gradient once.
    pub iterations: u32,
    /// The constraints' sum at the end, relative.
    pub residual: f64,
    /// Whether it is below the tolerance.
    pub converged: bool,
    /// Potential energy at the end \[J\].
    pub potential: f64,
}

/// Vectors of a projection.
pub struct FeprSpace {
    gradient: Vec<Row>,
    direction: Vec<Row>,
}

impl FeprSpace {
    /// For `free` vertices.
    pub fn new(free: usize) -> Self {
        FeprSpace { gradient: vec![Row::zero(); free], direction: vec![Row::zero(); free] }
    }
}

/// Projects a state onto its targets, after a step of whatever integrator.
///
/// ```
/// use pliant_math::Row;
/// use pliant_sim::correction::fepr::{Energy, FeprSpace, Metric, Projection, Targets, project};
///
/// /// A mass on a spring of length 1 m: ½ k (‖x‖² − 1)² (thesis Eq. 3.31).
/// struct Spring(f64);
/// impl Energy for Spring {
///     fn gradient(&mut self, x: &[Row], gradient: &mut [Row]) -> f64 {
///         let stretch = x[0].times(x[0]).sum() - 1.0;
///         gradient[0] = x[0] * (2.0 * self.0 * stretch);
///         0.5 * self.0 * stretch * stretch
///     }
/// }
///
/// // Forward Euler, which explodes, and a projection after each of its steps.
/// let (mut spring, masses, h) = (Spring(100.0), [0.5], 0.01);
/// let (mut x, mut v, mut force) = ([Row::new(1.1, 0.0, 0.0)], [Row::new(0.0, 2.0, 0.0)], [Row::zero()]);
/// let energy = spring.gradient(&x, &mut force) + 0.25 * v[0].times(v[0]).sum();
/// let targets = Targets { energy, angular: [None, None, Some(1.1)], ..Targets::default() };
/// let projection =
///     Projection { masses: &masses, free: 1, h, targets, metric: Metric::Mass, tolerance: 1e-12, iterations: 30 };
/// for _ in 0..1000 {
///     spring.gradient(&x, &mut force);
///     (x[0], v[0]) = (x[0].plus_scaled(h, v[0]), v[0].plus_scaled(-h / masses[0], force[0]));
///     let info = project(&projection, &mut spring, &mut x, &mut v, &mut FeprSpace::new(1));
///     assert!(info.converged);
/// }
/// let now = spring.gradient(&x, &mut force) + 0.25 * v[0].times(v[0]).sum();
/// assert!((now - energy).abs() < 1e-11 * energy);
/// ```
///
/// Where it does not converge, the state is left as far as it
/// came; keep a copy to go back to.
pub fn project(
    projection: &Projection,
    energy: &mut dyn Energy,
    positions: &mut [Row],
    velocities: &mut [Row],
    space: &mut FeprSpace,
) -> FeprInfo {
    let mut info = FeprInfo::default();
    let centre = centre_of_rotation(projection, positions);
    loop {
        info.potential = energy.gradient(positions, &mut space.gradient);
        precondition(projection, energy, space);
        let sums = Sums::over(projection, positions, velocities, space, centre);
        let constraints = sums.constraints(projection, info.potential, centre);
        info.residual = constraints.residual;
        info.converged = info.residual <= projection.tolerance;
        if info.converged || info.iterations == projection.iterations || !info.residual.is_finite()
        {
            return info;
        }
        let lambda = sums.multipliers(projection, &constraints);
        let (linear, angular) = (lambda.linear, lambda.angular);
        let inverse = 1.0 / (projection.h * projection.h);
        for i in 0..projection.free {
            let (x, v) = (positions[i].xyz(), velocities[i].xyz());
            let turned = ratio(projection, i) * v.cross(angular);
            let x1 = x - lambda.energy * space.direction[i].xyz() - turned;
            let pushed = lambda.energy * v + linear + angular.cross(x - centre);
            positions[i] = x1.into();
            velocities[i] = (v - pushed * inverse).into();
        }
        info.iterations += 1;
    }
}

/// What angular momentum is measured about: the centre of mass, which is better conditioned, where
/// the linear momentum across every angular target is a target, too (the constraint is then the
/// same); the origin elsewhere.
fn centre_of_rotation(projection: &Projection, positions: &[Row]) -> DVec3 {
    let Targets { linear, angular, .. } = projection.targets;
    let held = |k: usize| linear[(k + 1) % 3].is_some() && linear[(k + 2) % 3].is_some();
    if !(0..3).all(|k| angular[k].is_none() || held(k)) {
        return DVec3::ZERO;
    }
    let (mut mass, mut sum) = (0.0, DVec3::ZERO);
    for (&m, x) in projection.masses.iter().zip(positions) {
        mass += m;
        sum += x.xyz() * m;
    }
    if mass > 0.0 { sum / mass } else { DVec3::ZERO }
}

/// Mass over metric: how much a momentum constraint moves positions. Nothing in the smooth metric,
/// where only velocities are moved for momenta.
fn ratio(projection: &Projection, i: usize) -> f64 {
    match projection.metric {
        Metric::Mass => 1.0,
        Metric::Diagonal(diagonal) => projection.masses[i] / diagonal[i],
        Metric::Smooth => 0.0,
    }
}

/// W_E's positions, from the gradient.
fn precondition(projection: &Projection, energy: &mut dyn Energy, space: &mut FeprSpace) {
    let FeprSpace { gradient, direction } = space;
    match projection.metric {
        Metric::Mass | Metric::Diagonal(_) => {
            for i in 0..projection.free {
                direction[i] = gradient[i] * (ratio(projection, i) / projection.masses[i]);
            }
        }
        Metric::Smooth => energy.smooth(gradient, direction),
    }
}

/// Sums over the vertices. Everything angular is about the centre of rotation.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// Σ m ‖v‖², all vertices and the free ones.
    kinetic: [f64; 2],
    /// Σ ∇E·W, Σ m ‖W‖².
    slope: f64,
    length: f64,
    mass: f64,
    linear: DVec3,
    angular: DVec3,
    /// Σ m r, Σ m r rᵀ.
    first: DVec3,
    second: [DVec3; 3],
    /// Σ m W × v, Σ ρ ∇E × v, Σ m ρ v vᵀ, with ρ the ratio of mass and metric.
    energy_spin: DVec3,
    spin_energy: DVec3,
    spins: [DVec3; 3],
}

struct Constraints {
    values: [f64; MOST],
    /// Which of energy, 3 linear and 3 angular components each value is.
    kinds: [usize; MOST],
    count: usize,
    residual: f64,
}

struct Multipliers {
    energy: f64,
    linear: DVec3,
    angular: DVec3,
}

impl Sums {
    fn over(
        projection: &Projection,
        positions: &[Row],
        velocities: &[Row],
        space: &FeprSpace,
        centre: DVec3,
    ) -> Sums {
        let mut s = Sums::default();
        for (i, &m) in projection.masses.iter().enumerate() {
            let v = velocities[i].xyz();
            let twice = m * v.length_squared();
            s.kinetic[0] += twice;
            if i >= projection.free {
                continue;
            }
            let (g, w, r) =
                (space.gradient[i].xyz(), space.direction[i].xyz(), positions[i].xyz() - centre);
            let rho = ratio(projection, i);
            s.kinetic[1] += twice;
            s.slope += g.dot(w);
            s.length += m * w.length_squared();
            s.mass += m;
            s.linear += m * v;
            s.angular += m * r.cross(v);
            s.first += m * r;
            s.energy_spin += m * w.cross(v);
            s.spin_energy += rho * g.cross(v);
            for k in 0..3 {
                s.second[k] += m * r[k] * r;
                s.spins[k] += m * rho * v[k] * v;
            }
        }
        s
    }

    fn constraints(&self, projection: &Projection, potential: f64, centre: DVec3) -> Constraints {
        let Targets { energy, linear, angular } = projection.targets;
        let total = potential + 0.5 * self.kinetic[0];
        let energy_scale = energy.abs().max(0.5 * self.kinetic[0]).max(potential.abs());
        // The momentum of a body that moves as one with this kinetic energy.
        let push = (self.kinetic[0] * self.mass).sqrt();
        let trace = self.second[0].x + self.second[1].y + self.second[2].z;
        let spin = (self.kinetic[0] * trace).sqrt();
        let mut c = Constraints { values: [0.0; MOST], kinds: [0; MOST], count: 0, residual: 0.0 };
        c.add(0, total - energy, energy_scale);
        for k in 0..3 {
            if let Some(target) = linear[k] {
                c.add(1 + k, self.linear[k] - target, push);
            }
        }
        // Targets are about the origin, sums about the centre of rotation.
        let wanted = |k: usize| linear[k].unwrap_or(self.linear[k]);
        let moved = centre.cross(DVec3::new(wanted(0), wanted(1), wanted(2)));
        for k in 0..3 {
            if let Some(target) = angular[k] {
                let scale = spin + push * centre.length();
                c.add(4 + k, self.angular[k] + moved[k] - target, scale);
            }
        }
        c
    }

    /// λ of each direction, with the energy step's length corrected for curvature.
    fn multipliers(&self, projection: &Projection, constraints: &Constraints) -> Multipliers {
        let matrix = self.matrix(projection, constraints);
        let n = constraints.count;
        let mut lambda = dense::solve(&matrix, &constraints.values, n);
        // H along −λ W_E is H − λ s + ½ λ² q with the curvature q estimated by that of a quadratic
        // energy whose Hessian is A/h² − M/h²; the root of it instead of its tangent's.
        let inverse = 1.0 / (projection.h * projection.h);
        let curvature =
            self.kinetic[1] * inverse * inverse + (self.slope - self.length).max(0.0) * inverse;
        let (r, q) = (constraints.values[0].abs(), lambda[0] * lambda[0] * curvature);
        if r > 0.0 && q.is_finite() {
            let alpha = if constraints.values[0] < 0.0 {
                2.0 * r / (r + (r * r + 2.0 * q * r).sqrt())
            } else if r < 2.0 * q {
                r / q
            } else {
                2.0 * r / (r + (r * r - 2.0 * q * r).sqrt())
            };
            let mut values = constraints.values;
            values[0] *= alpha;
            lambda = dense::solve(&matrix, &values, n);
        }
        let mut all = [0.0; MOST];
        for (value, kind) in lambda.iter().zip(constraints.kinds).take(n) {
            all[kind] = *value;
        }
        Multipliers {
            energy: all[0],
            linear: DVec3::new(all[1], all[2], all[3]),
            angular: DVec3::new(all[4], all[5], all[6]),
        }
    }

    /// ∇cᵢ·Wⱼ.
    fn matrix(&self, projection: &Projection, constraints: &Constraints) -> [[f64; MOST]; MOST] {
        let inverse = 1.0 / (projection.h * projection.h);
        let axis = |k: usize| DVec3::AXES[k];
        let trace = |m: &[DVec3; 3]| m[0].x + m[1].y + m[2].z;
        // Σ m (eₖ × a)·(eⱼ × a) = δ Σ m ‖a‖² − Σ m aₖ aⱼ.
        let crossed = |m: &[DVec3; 3], k: usize, j: usize| {
            if k == j { trace(m) - m[k][j] } else { -m[k][j] }
        };
        let entry = |i: usize, j: usize| match (i, j) {
            (0, 0) => self.slope + self.kinetic[1] * inverse,
            (0, 1..=3) => self.linear[j - 1] * inverse,
            (1..=3, 0) => self.linear[i - 1] * inverse,
            (0, _) => self.spin_energy[j - 4] + self.angular[j - 4] * inverse,
            (_, 0) => self.energy_spin[i - 4] + self.angular[i - 4] * inverse,
            (1..=3, 1..=3) => {
                if i == j {
                    self.mass * inverse
                } else {
                    0.0
                }
            }
            (1..=3, _) => axis(j - 4).cross(self.first)[i - 1] * inverse,
            (_, 1..=3) => axis(i - 4).cross(self.first)[j - 1] * inverse,
            _ => {
                let (k, l) = (i - 4, j - 4);
                crossed(&self.spins, k, l) + crossed(&self.second, k, l) * inverse
            }
        };
        let mut a = [[0.0; MOST]; MOST];
        for i in 0..constraints.count {
            for j in 0..constraints.count {
                a[i][j] = entry(constraints.kinds[i], constraints.kinds[j]);
            }
        }
        a
    }
}

impl Constraints {
    fn add(&mut self, kind: usize, value: f64, scale: f64) {
        self.values[self.count] = value;
        self.kinds[self.count] = kind;
        self.count += 1;
        // Nothing there, nothing wrong: a body at rest in its rest shape.
        self.residual += if value == 0.0 { 0.0 } else { value.abs() / scale };
    }
}

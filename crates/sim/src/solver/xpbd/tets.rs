//! Tetrahedra, any material: C = VP(F)/k in nine components, compliance 1/k.
//!
//! A visit sees the energy Vψ as ½k|C|², with k the material's largest stiffness, so that
//! ∂C/∂F is at most the identity. For μ‖F − R‖² that is C = F − R and k = 2μV. The remembered
//! multiplier is a stress Σ, which pushes corner c with Σ∇N_c and so moves F by ΣQ with
//! Q = Σ_c w_c ∇N_c∇N_cᵀ. XPBD's block step for a constraint of several components,
//! ΔΣ = −(C + Σ/k)(Q + I/k)⁻¹, is
//!
//! ```text
//! ΔΣ = −(VP + Σ)(I + kQ)⁻¹,
//! ```
//!
//! which ends at Σ = −VP whatever k is; too small a k would overshoot. It is the material's bound
//! near rest, or the secant stiffness |VP|²/(2Vψ) where the material has stiffened.

use glam::DVec3;
use pliant_math::Row;
use pliant_math::decomposition::squared_norm;
use pliant_math::lanes::{Kernel, Lanes, WIDTH_F64, run64};
use pliant_math::team::{SharedSlice, Team};
use pliant_model::ElasticModel;
use pliant_model::material::{Density, VisitDensity};

use super::colored::{Batch, Batches, Colored, Run};

/// Numbers per tet: Dₘ⁻¹ (9), μV, λV, 1/m of the corners (4), k, κQ (6: xx, yy, zz, xy, xz, yz).
const VALUES: usize = 22;
/// Keeps 0/0 away: far below any energy.
const VANISHING: f64 = 1e-300;
/// How much stiffer than near rest a material may become. Next to rest the energy is rounding
/// alone, and the secant stiffness any number.
const STIFFENING: f64 = 1e4;

/// One tet.
pub(super) struct Tet {
    /// Model vertices.
    pub corners: [u32; 4],
    /// Dₘ⁻¹, row-major [1/m].
    pub inverse: [f64; 9],
    /// μV \[J\].
    pub mu: f64,
    /// λV \[J\].
    pub lambda: f64,
}

/// The tets of one material.
pub(super) struct Tets {
    model: ElasticModel,
    constraints: Colored<4, VALUES, 9>,
}

impl Tets {
    /// From tets, the inverse masses of the model's vertices [1/kg], and where these are \[m\].
    pub fn new(
        model: ElasticModel,
        tets: &[Tet],
        inverse_masses: &[f64],
        positions: &[DVec3],
    ) -> Self {
        let corners: Vec<[u32; 4]> = tets.iter().map(|t| t.corners).collect();
        let values = |t: usize| {
            let t = &tets[t];
            let w = t.corners.map(|v| inverse_masses[v as usize]);
            let mut values = [0.0; VALUES];
            values[..9].copy_from_slice(&t.inverse);
            values[9..11].copy_from_slice(&[t.mu, t.lambda]);
            values[11..15].copy_from_slice(&w);
            values[15] = stiffness(model, t.mu, t.lambda);
            values[16..].copy_from_slice(&mobility(&t.inverse, w));
            values
        };
        Tets { model, constraints: Colored::new(&corners, positions, values) }
    }

    /// Lets go of all forces.
    pub fn release(&mut self) {
        self.constraints.release();
    }

    /// Relaxes every tet once; `softness` is 1/κ \[s²\].
    pub fn relax(&mut self, positions: SharedSlice<Row>, softness: f64, team: &Team) {
        self.model.visit(RelaxAll { tets: &mut self.constraints, positions, softness, team });
    }
}

/// A visit to every tet, whose density is yet to be known.
struct RelaxAll<'a> {
    tets: &'a mut Colored<4, VALUES, 9>,
    positions: SharedSlice<'a, Row>,
    softness: f64,
    team: &'a Team,
}

impl VisitDensity for RelaxAll<'_> {
    type Output = ();

    fn visit<D: Density>(self) {
        let RelaxAll { tets, positions, softness, team } = self;
        let density = std::marker::PhantomData::<D>;
        tets.sweep(team, &|batches| run64(Relax { batches, positions, softness, density }));
    }
}

/// Curvature of Vψ over F that no direction exceeds by much near rest \[J\].
fn stiffness(model: ElasticModel, mu: f64, lambda: f64) -> f64 {
    let (_, bound) = model.visit(Proxy { mu, lambda });
    bound
}

struct Proxy {
    mu: f64,
    lambda: f64,
}

impl VisitDensity for Proxy {
    type Output = (f64, f64);

    fn visit<D: Density>(self) -> (f64, f64) {
        D::proxy(self.mu, self.lambda)
    }
}

/// Σ_c w_c ∇N_c ∇N_cᵀ [1/(kg m²)]: xx, yy, zz, xy, xz, yz.
fn mobility(inverse: &[f64; 9], w: [f64; 4]) -> [f64; 6] {
    let rows = [0, 3, 6].map(|k| DVec3::new(inverse[k], inverse[k + 1], inverse[k + 2]));
    let gradients = [-(rows[0] + rows[1] + rows[2]), rows[0], rows[1], rows[2]];
    [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
        .map(|(i, j)| gradients.iter().zip(w).map(|(g, w)| w * g[i] * g[j]).sum())
}

struct Relax<'a, D> {
    batches: Batches<'a, 4, VALUES, 9>,
    positions: SharedSlice<'a, Row>,
    softness: f64,
    density: std::marker::PhantomData<D>,
}

impl<L: Lanes<Real = f64>, D: Density> Kernel<L> for Relax<'_, D> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let (x, softness) = (self.positions.ptr(), self.softness);
        for run in self.batches.each() {
            // SAFETY: inside a kernel of L; vertices are the model's, lanes of a run share none,
            // and no other thread has them.
            unsafe {
                match run {
                    Run::One(batches) => relax::<L, D, 1>(batches, softness, x),
                    Run::Two(batches) => relax::<L, D, 2>(batches, softness, x),
                }
            }
        }
    }
}

/// Relaxes the tets of N batches, in passes so that they fill each other's pauses.
///
/// # Safety
/// Inside a kernel of L; all corners are valid, no two of them the same, and nobody else's.
#[inline(always)]
unsafe fn relax<L: Lanes<Real = f64>, D: Density, const N: usize>(
    batches: [Batch; N],
    softness: f64,
    positions: *mut Row,
) {
    // SAFETY: passed on to the caller.
    unsafe {
        let (zero, softness) = (L::splat(0.0), L::splat(softness));
        let mut x = [[[zero; 3]; 4]; N];
        let (mut f, mut p, mut energy) = ([[zero; 9]; N], [[zero; 9]; N], [zero; N]);
        for n in 0..N {
            for c in 0..4 {
                x[n][c] = L::gather_rows(positions, batches[n].corners.add(c * WIDTH_F64));
            }
            f[n] = deformation(&x[n], &matrix9(batches[n].values));
        }
        for n in 0..N {
            let mu = L::load(batches[n].values.add(9 * WIDTH_F64));
            let lambda = L::load(batches[n].values.add(10 * WIDTH_F64));
            (energy[n], p[n]) = D::lanes::<L, true>(&f[n], mu, lambda);
        }
        let mut damping = [[[zero; 3]; 3]; N];
        for n in 0..N {
            let square = (energy[n] + energy[n]).max(L::splat(VANISHING));
            let stiff = L::load(batches[n].values.add(15 * WIDTH_F64));
            let secant = squared_norm(&p[n]).div(square).min(stiff * L::splat(STIFFENING));
            let stiff = softness * stiff.max(secant);
            let mut matrix = [zero; 6];
            for (k, value) in matrix.iter_mut().enumerate() {
                *value = stiff * L::load(batches[n].values.add((16 + k) * WIDTH_F64));
            }
            damping[n] = inverse_of_identity_plus(&matrix);
        }
        for n in 0..N {
            let Batch { corners, values, forces, .. } = batches[n];
            let stress: [L; 9] = matrix9(forces);
            let mut change = [zero; 9];
            for i in 0..3 {
                let mut gap = [zero; 3];
                for j in 0..3 {
                    gap[j] = stress[3 * i + j] + p[n][3 * i + j];
                }
                for j in 0..3 {
                    change[3 * i + j] = -dot(&gap, &damping[n][j]);
                    let sum = stress[3 * i + j] + change[3 * i + j];
                    sum.store(forces.add((3 * i + j) * WIDTH_F64));
                }
            }
            let push = corner_forces(&change, &matrix9(values));
            for c in 0..4 {
                let w = softness * L::load(values.add((11 + c) * WIDTH_F64));
                for i in 0..3 {
                    x[n][c][i] = w.mul_add(push[c][i], x[n][c][i]);
                }
                L::scatter_rows(x[n][c], positions, corners.add(c * WIDTH_F64));
            }
        }
    }
}

/// Nine numbers of each lane.
///
/// # Safety
/// Inside a kernel of L; nine times `WIDTH` numbers.
#[inline(always)]
unsafe fn matrix9<L: Lanes<Real = f64>>(from: *const f64) -> [L; 9] {
    // SAFETY: passed on to the caller.
    unsafe {
        let mut matrix = [L::splat(0.0); 9];
        for (k, value) in matrix.iter_mut().enumerate() {
            *value = L::load(from.add(k * WIDTH_F64));
        }
        matrix
    }
}

/// (I + A)⁻¹ of symmetric, positive semidefinite A: xx, yy, zz, xy, xz, yz.
#[inline(always)]
fn inverse_of_identity_plus<L: Lanes>(matrix: &[L; 6]) -> [[L; 3]; 3] {
    let one = matrix[0].constant(1.0);
    let [a, b, c] = [matrix[0] + one, matrix[1] + one, matrix[2] + one];
    let [d, e, f] = [matrix[3], matrix[4], matrix[5]];
    let xx = f.neg_mul_add(f, b * c);
    let xy = e.mul_add(f, -(d * c));
    let xz = d.mul_add(f, -(e * b));
    let scale = one.div(a.mul_add(xx, d.mul_add(xy, e * xz)));
    let yy = e.neg_mul_add(e, a * c);
    let yz = d.mul_add(e, -(a * f));
    let zz = d.neg_mul_add(d, a * b);
    let [xx, xy, xz, yy, yz, zz] = [xx, xy, xz, yy, yz, zz].map(|v| v * scale);
    [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
}

/// F = Dₛ Dₘ⁻¹, row-major.
#[inline(always)]
fn deformation<L: Lanes<Real = f64>>(x: &[[L; 3]; 4], inverse: &[L; 9]) -> [L; 9] {
    let mut f = *inverse;
    for i in 0..3 {
        let edges = [x[1][i] - x[0][i], x[2][i] - x[0][i], x[3][i] - x[0][i]];
        for j in 0..3 {
            let last = edges[2] * inverse[6 + j];
            f[3 * i + j] = edges[0].mul_add(inverse[j], edges[1].mul_add(inverse[3 + j], last));
        }
    }
    f
}

/// P∇N_c of all corners.
#[inline(always)]
fn corner_forces<L: Lanes<Real = f64>>(p: &[L; 9], inverse: &[L; 9]) -> [[L; 3]; 4] {
    let mut forces = [[p[0].constant(0.0); 3]; 4];
    for c in 0..3 {
        for i in 0..3 {
            let last = p[3 * i + 2] * inverse[3 * c + 2];
            let force =
                p[3 * i].mul_add(inverse[3 * c], p[3 * i + 1].mul_add(inverse[3 * c + 1], last));
            forces[c + 1][i] = force;
            forces[0][i] = forces[0][i] - force;
        }
    }
    forces
}

#[inline(always)]
fn dot<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> L {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

//! Active tissue: ψ(F, S) = min_R μ‖F − R S‖² + λ/2 (det F − det S)², S the activation.
//!
//! Ichim, Kadleček, Kavan, Pauly 2017, "Phace: physics-based face modeling and animation", Eq. 2,
//! there without the ½. S is symmetric: it distorts, and cannot turn. The best rotation is that of
//! F S, not of F, and with G = F S and the sum N(G) = σ₁ + σ₂ + σ₃ of its singular values
//!
//! ```text
//! ψ = μ (‖F‖² + ‖S‖² − 2 N(F S)) + λ/2 (det F − det S)²,
//! ```
//!
//! of which ∂N/∂G = R, and ∂²N/∂G² has the eigenvalue 2/(σᵢ + σⱼ) on each twist U (eᵢeⱼᵀ −
//! eⱼeᵢᵀ)/√2 Vᵀ and no other (Smith, de Goes, Kim 2019). Derivatives by F, by S and mixed follow
//! from these.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::{
    cofactors, determinant, polar_lanes, product, squared_norm, svd_rotation_variant,
};
use pliant_math::lanes::Lanes;

use super::definite::without_negative;
use crate::material::density::Matrix9;
use crate::material::isotropic::{self, Spectrum, area, scalar_cofactors, twist_sum};

/// A symmetric matrix: xx, xy, xz, yy, yz, zz.
pub type Activation = [f64; 6];

/// What relaxed tissue has.
pub const RELAXED: Activation = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0];

/// Rows and columns of the six numbers.
const PLACES: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// S(a).
pub fn matrix([xx, xy, xz, yy, yz, zz]: &Activation) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(*xx, *xy, *xz),
        DVec3::new(*xy, *yy, *yz),
        DVec3::new(*xz, *yz, *zz),
    )
}

/// The activation of fibres along a unit vector that shorten by a part of their length, at constant
/// volume: 1 − c along them, 1/√(1 − c) across. One degree of freedom, as muscle models before the
/// paper's have it. Contraction stays below 0.9; a negative one is a stretch.
///
/// ```
/// use pliant_model::DVec3;
/// use pliant_model::potentials::activation::{fibre, matrix};
/// let squeeze = matrix(&fibre(DVec3::X, 0.36));
/// assert!((squeeze.determinant() - 1.0).abs() < 1e-15);
/// assert!((squeeze.col(0).x - 0.64).abs() < 1e-15 && (squeeze.col(1).y - 1.25).abs() < 1e-15);
/// ```
pub fn fibre(along: DVec3, contraction: f64) -> Activation {
    let stretch = 1.0 - contraction.clamp(-4.0, 0.9);
    let across = 1.0 / stretch.sqrt();
    let entry = |(i, j): (usize, usize)| {
        let own = (stretch - across) * along[i] * along[j];
        if i == j { own + across } else { own }
    };
    PLACES.map(entry)
}

/// ψ, and its derivatives, of one element \[J/m³\].
#[derive(Clone, Copy, Debug)]
pub struct Active {
    f: DMat3,
    s: DMat3,
    rotation: DMat3,
    /// vec(U (eᵢeⱼᵀ − eⱼeᵢᵀ)/√2 Vᵀ), and 2/(σᵢ + σⱼ).
    twists: [(DMat3, f64); 3],
    mu: f64,
    lambda: f64,
}

impl Active {
    /// At a deformation gradient and an activation, with Lamé parameters \[Pa\].
    ///
    /// ```
    /// use glam::DMat3;
    /// use pliant_model::DVec3;
    /// use pliant_model::potentials::activation::{Active, fibre, matrix};
    /// // A muscle that has the shape it wants is at rest.
    /// let wanted = fibre(DVec3::X, 0.2);
    /// assert!(Active::new(&matrix(&wanted), &wanted, 1.0, 3.0).energy().abs() < 1e-15);
    /// ```
    pub fn new(f: &DMat3, activation: &Activation, mu: f64, lambda: f64) -> Self {
        let s = matrix(activation);
        let svd = svd_rotation_variant(&(*f * s));
        let twist = |k: usize| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let dyad = |a: usize, b: usize| outer(svd.u.col(a), svd.v.col(b));
            let mode = (dyad(i, j) - dyad(j, i)) * std::f64::consts::FRAC_1_SQRT_2;
            (mode, 2.0 / twist_sum(svd.sigma, i, j))
        };
        Active { f: *f, s, rotation: svd.rotation(), twists: [0, 1, 2].map(twist), mu, lambda }
    }

    /// det F − det S.
    fn swell(&self) -> f64 {
        self.f.determinant() - self.s.determinant()
    }

    /// ψ.
    pub fn energy(&self) -> f64 {
        let away = self.f - self.rotation * self.s;
        self.mu * contract(&away, &away) + 0.5 * self.lambda * self.swell() * self.swell()
    }

    /// ∂ψ/∂μ and ∂ψ/∂λ.
    pub fn terms(&self) -> [f64; 2] {
        let away = self.f - self.rotation * self.s;
        [contract(&away, &away), 0.5 * self.swell() * self.swell()]
    }

    /// ∂ψ/∂F.
    pub fn stress(&self) -> DMat3 {
        let shear = (self.f - self.rotation * self.s) * (2.0 * self.mu);
        shear + scalar_cofactors(&self.f) * (self.lambda * self.swell())
    }

    /// ∂²ψ/∂F².
    pub fn hessian(&self) -> Matrix9 {
        let mut hessian = isotropic::hessian(&self.f, |sigma| self.volume_spectrum(sigma));
        (0..9).for_each(|k| hessian[k][k] += 2.0 * self.mu);
        for (mode, weight) in self.twists {
            add_square(&mut hessian, -2.0 * self.mu * weight, &(mode * self.s));
        }
        hessian
    }

    /// The same with its negative eigenvalues set to zero.
    pub fn projected_hessian(&self) -> Matrix9 {
        if self.s == DMat3::from_diagonal(DVec3::splat(self.s.x_axis.x)) {
            return isotropic::projected_hessian(&self.f, |sigma| self.grown_spectrum(sigma));
        }
        let exact = self.hessian();
        if is_semidefinite(exact) {
            return exact;
        }
        without_negative(&exact)
    }

    /// ∂ψ/∂a.
    pub fn activation_gradient(&self) -> Activation {
        let shear = (self.s - self.rotation.transpose() * self.f) * (2.0 * self.mu);
        let whole = shear - scalar_cofactors(&self.s) * (self.lambda * self.swell());
        PLACES.map(|place| contract(&whole, &basis(place)))
    }

    /// ∂²ψ/∂a².
    pub fn activation_hessian(&self) -> [[f64; 6]; 6] {
        let cofactors = scalar_cofactors(&self.s);
        let moved = PLACES.map(|place| self.f * basis(place));
        std::array::from_fn(|p| {
            std::array::from_fn(|q| {
                let (dp, dq) = (basis(PLACES[p]), basis(PLACES[q]));
                let twisted = self.twist_product(&moved[p], &moved[q]);
                let shear = contract(&dp, &dq) - twisted;
                let volume = contract(&cofactors, &dp) * contract(&cofactors, &dq)
                    - self.swell() * second_determinant(&self.s, &dp, &dq);
                2.0 * self.mu * shear + self.lambda * volume
            })
        })
    }

    /// ∂²ψ/∂F∂a: for every number of the activation a matrix.
    pub fn mixed(&self) -> [DMat3; 6] {
        let (of_f, of_s) = (scalar_cofactors(&self.f), scalar_cofactors(&self.s));
        PLACES.map(|place| {
            let change = basis(place);
            let moved = self.f * change;
            let mut twisted = DMat3::ZERO;
            for (mode, weight) in self.twists {
                twisted += mode * self.s * (weight * contract(&mode, &moved));
            }
            let shear = (self.rotation * change + twisted) * (-2.0 * self.mu);
            shear - of_f * (self.lambda * contract(&of_s, &change))
        })
    }

    fn twist_product(&self, a: &DMat3, b: &DMat3) -> f64 {
        let part = |(mode, weight): &(DMat3, f64)| weight * contract(mode, a) * contract(mode, b);
        self.twists.iter().map(part).sum()
    }

    /// Of all of ψ where S = s I: that of tissue (`tissue.rs`), with s in the place of 1.
    fn grown_spectrum(&self, sigma: DVec3) -> Spectrum {
        let (mu, lambda, s) = (self.mu, self.lambda, self.s.x_axis.x);
        let pressure = lambda * (sigma.element_product() - s * s * s);
        Spectrum::new(
            |i, j| {
                let own = if i == j { 2.0 * mu } else { pressure * sigma[3 - i - j] };
                own + lambda * area(sigma, i) * area(sigma, j)
            },
            |i, j, k| 2.0 * mu - 4.0 * mu * s / twist_sum(sigma, i, j) + pressure * sigma[k],
            |_, _, k| 2.0 * mu - pressure * sigma[k],
        )
    }

    fn volume_spectrum(&self, sigma: DVec3) -> Spectrum {
        let lambda = self.lambda;
        let pressure = lambda * (sigma.element_product() - self.s.determinant());
        Spectrum::new(
            |i, j| {
                let own = if i == j { 0.0 } else { pressure * sigma[3 - i - j] };
                own + lambda * area(sigma, i) * area(sigma, j)
            },
            |_, _, k| pressure * sigma[k],
            |_, _, k| -pressure * sigma[k],
        )
    }
}

/// ψ and ∂ψ/∂F of `L::WIDTH` elements; the latter may be anything when `STRESS` is false.
///
/// # Safety
/// Inside a kernel of L.
#[inline(always)]
pub(super) unsafe fn active_lanes<L: Lanes<Real = f64>, const STRESS: bool>(
    f: &[L; 9],
    a: &[L; 6],
    mu: L,
    lambda: L,
) -> (L, [L; 9]) {
    let [xx, xy, xz, yy, yz, zz] = *a;
    let s = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
    let of_f = cofactors(f);
    let of_s = cofactors(&s);
    let swell = determinant(f, &of_f, 0.0) - determinant(&s, &of_s, 0.0);
    let pressure = lambda * swell;
    // SAFETY: the caller is a kernel of L.
    let (rotation, _) = unsafe { polar_lanes(&product(f, &s)) };
    let wanted = product(&rotation, &s);
    let (mut away, mut stress) = (*f, *f);
    let twice = mu + mu;
    for k in 0..9 {
        away[k] = f[k] - wanted[k];
        if STRESS {
            stress[k] = twice.mul_add(away[k], pressure * of_f[k]);
        }
    }
    (mu.mul_add(squared_norm(&away), pressure * swell * mu.constant(0.5)), stress)
}

/// ∂S/∂a of one number.
fn basis((i, j): (usize, usize)) -> DMat3 {
    let mut columns = [[0.0; 3]; 3];
    columns[i][j] = 1.0;
    columns[j][i] = 1.0;
    DMat3::from_cols_array_2d(&columns)
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn contract(a: &DMat3, b: &DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

/// ∂² det M along two directions: the determinant is a product of columns.
fn second_determinant(m: &DMat3, a: &DMat3, b: &DMat3) -> f64 {
    let triple = |x: DVec3, y: DVec3, z: DVec3| x.dot(y.cross(z));
    triple(a.x_axis, b.y_axis, m.z_axis)
        + triple(b.x_axis, a.y_axis, m.z_axis)
        + triple(a.x_axis, m.y_axis, b.z_axis)
        + triple(b.x_axis, m.y_axis, a.z_axis)
        + triple(m.x_axis, a.y_axis, b.z_axis)
        + triple(m.x_axis, b.y_axis, a.z_axis)
}

/// Adds weight · vec(m) vec(m)ᵀ, rows first.
fn add_square(hessian: &mut Matrix9, weight: f64, m: &DMat3) {
    let entries: [f64; 9] = std::array::from_fn(|k| m.col(k % 3)[k / 3]);
    for (row, a) in hessian.iter_mut().zip(entries) {
        for (out, b) in row.iter_mut().zip(entries) {
            *out += weight * a * b;
        }
    }
}

/// By elimination, with room for rounding.
fn is_semidefinite(mut m: Matrix9) -> bool {
    let room = 1e-12 * (0..9).map(|k| m[k][k].abs()).fold(0.0, f64::max);
    for k in 0..9 {
        let pivot = m[k][k] + room;
        if pivot <= 0.0 || pivot.is_nan() {
            return room == 0.0 && m.iter().flatten().all(|x| *x == 0.0);
        }
        let row = m[k];
        for (i, below) in m.iter_mut().enumerate().skip(k + 1) {
            let factor = row[i] / pivot;
            below.iter_mut().zip(row).for_each(|(b, r)| *b -= factor * r);
        }
    }
    true
}

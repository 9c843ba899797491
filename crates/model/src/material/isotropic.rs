//! Hessians of isotropic energy densities from their principal stretches.
//!
//! An isotropic ψ(F) is a function of the signed singular values σ of F = U diag(σ) Vᵀ. Its
//! Hessian is then known mode by mode (Smith, de Goes, Kim 2019, "Analytic Eigensystems for
//! Isotropic Distortion Energies", Section 4): with ψᵢ = ∂ψ/∂σᵢ, and i, j the axes other than k,
//!
//! - stretch modes U eᵢeᵢᵀ Vᵀ carry the 3×3 matrix ∂²ψ/∂σᵢ∂σⱼ,
//! - twist modes U (eᵢeⱼᵀ − eⱼeᵢᵀ)/√2 Vᵀ are eigenvectors of (ψᵢ + ψⱼ)/(σᵢ + σⱼ),
//! - flip modes U (eᵢeⱼᵀ + eⱼeᵢᵀ)/√2 Vᵀ are eigenvectors of (ψᵢ − ψⱼ)/(σᵢ − σⱼ).
//!
//! Each material gives both quotients in closed form, so equal stretches need no limit.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::{Svd, SymmetricEigen, svd_rotation_variant, symmetric_eigen};

use super::density::Matrix9;

/// What the Hessian of an isotropic density consists of, in Pa.
pub struct Spectrum {
    /// ∂²ψ/∂σᵢ∂σⱼ.
    pub stretch: [[f64; 3]; 3],
    /// (ψᵢ + ψⱼ)/(σᵢ + σⱼ), at the index of the third axis.
    pub twist: [f64; 3],
    /// (ψᵢ − ψⱼ)/(σᵢ − σⱼ), at the index of the third axis.
    pub flip: [f64; 3],
}

impl Spectrum {
    /// A spectrum from its parts, given by axes: `twist` and `flip` receive (i, j, k) with k
    /// the axis that the mode leaves alone.
    pub fn new(
        stretch: impl Fn(usize, usize) -> f64,
        twist: impl Fn(usize, usize, usize) -> f64,
        flip: impl Fn(usize, usize, usize) -> f64,
    ) -> Self {
        Spectrum {
            stretch: std::array::from_fn(|i| std::array::from_fn(|j| stretch(i, j))),
            twist: std::array::from_fn(|k| twist((k + 1) % 3, (k + 2) % 3, k)),
            flip: std::array::from_fn(|k| flip((k + 1) % 3, (k + 2) % 3, k)),
        }
    }

    /// Negative eigenvalues set to zero: the closest positive semi-definite Hessian.
    pub(crate) fn clamped(self) -> Self {
        Spectrum {
            stretch: clamp_symmetric(self.stretch),
            twist: self.twist.map(|w| w.max(0.0)),
            flip: self.flip.map(|w| w.max(0.0)),
        }
    }

    /// ∂²ψ/∂F² from the modes.
    fn assemble(&self, svd: &Svd) -> Matrix9 {
        let dyad = |i: usize, j: usize| -> [f64; 9] {
            let (u, v) = (svd.u.col(i), svd.v.col(j));
            std::array::from_fn(|k| u[k / 3] * v[k % 3])
        };
        let stretches: [[f64; 9]; 3] = std::array::from_fn(|i| dyad(i, i));
        let mut hessian = [[0.0; 9]; 9];
        for i in 0..3 {
            let column: [f64; 9] =
                std::array::from_fn(|k| (0..3).map(|j| self.stretch[i][j] * stretches[j][k]).sum());
            add_upper(&mut hessian, 1.0, &stretches[i], &column);
        }
        for k in 0..3 {
            let (a, b) = (dyad((k + 1) % 3, (k + 2) % 3), dyad((k + 2) % 3, (k + 1) % 3));
            let twist: [f64; 9] = std::array::from_fn(|m| a[m] - b[m]);
            let flip: [f64; 9] = std::array::from_fn(|m| a[m] + b[m]);
            add_upper(&mut hessian, 0.5 * self.twist[k], &twist, &twist);
            add_upper(&mut hessian, 0.5 * self.flip[k], &flip, &flip);
        }
        for row in 1..9 {
            for column in 0..row {
                hessian[row][column] = hessian[column][row];
            }
        }
        hessian
    }
}

/// The exact Hessian of a density with this spectrum.
pub(crate) fn hessian(f: &DMat3, spectrum: impl Fn(DVec3) -> Spectrum) -> Matrix9 {
    let svd = svd_rotation_variant(f);
    spectrum(svd.sigma).assemble(&svd)
}

/// The Hessian with its negative eigenvalues set to zero.
pub(crate) fn projected_hessian(f: &DMat3, spectrum: impl Fn(DVec3) -> Spectrum) -> Matrix9 {
    let svd = svd_rotation_variant(f);
    spectrum(svd.sigma).clamped().assemble(&svd)
}

/// U diag(slopes) Vᵀ: the stress of ψᵢ = ∂ψ/∂σᵢ.
pub(crate) fn stress(svd: &Svd, slopes: DVec3) -> DMat3 {
    svd.u * DMat3::from_diagonal(slopes) * svd.v.transpose()
}

/// σᵢ + σⱼ ≥ 0, kept off zero, where energies that see the rotation R have a crease and their
/// twist eigenvalue a pole.
pub(crate) fn twist_sum(sigma: DVec3, i: usize, j: usize) -> f64 {
    (sigma[i] + sigma[j]).max(1e-8)
}

/// σⱼσₖ = ∂J/∂σᵢ.
pub(crate) fn area(sigma: DVec3, i: usize) -> f64 {
    sigma[(i + 1) % 3] * sigma[(i + 2) % 3]
}

/// ∂ det F / ∂F of one matrix.
pub(crate) fn scalar_cofactors(f: &DMat3) -> DMat3 {
    DMat3::from_cols(f.y_axis.cross(f.z_axis), f.z_axis.cross(f.x_axis), f.x_axis.cross(f.y_axis))
}

fn add_upper(hessian: &mut Matrix9, weight: f64, a: &[f64; 9], b: &[f64; 9]) {
    for row in 0..9 {
        for column in row..9 {
            hessian[row][column] += weight * a[row] * b[column];
        }
    }
}

fn clamp_symmetric(matrix: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let [[a, d, e], [_, b, g], [_, _, c]] = matrix;
    let whole = a * (b * c - g * g) - d * (d * c - e * g) + e * (d * g - e * b);
    // Sylvester's criterion, with room for rounding.
    let size = a.abs().max(b.abs()).max(c.abs());
    if a > 0.0 && a * b - d * d > 1e-9 * size * size && whole > 1e-9 * size * size * size {
        return matrix;
    }
    let SymmetricEigen { values, vectors } = symmetric_eigen(&DMat3::from_cols_array_2d(&matrix));
    if values.min_element() >= 0.0 {
        return matrix;
    }
    let clamped = DMat3::from_diagonal(values.max(DVec3::ZERO));
    let product = (vectors * clamped * vectors.transpose()).to_cols_array_2d();
    std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (product[i][j] + product[j][i])))
}

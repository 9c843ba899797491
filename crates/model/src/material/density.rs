//! What a hyperelastic material is to the engine: an energy density ψ(F) of the deformation
//! gradient, with derivatives, homogeneous of degree one in (μ, λ).

use glam::{DMat3, DVec3};
use pliant_math::lanes::Lanes;

use super::isotropic::{self, Spectrum};

/// A 9×9 matrix over vec(F), row-major: index 3·i + j stands for F\[i\]\[j\] (row i, column j).
pub type Matrix9 = [[f64; 9]; 9];

/// A material model. All functions are per rest volume [J/m³]; μ and λ in Pa.
///
/// The engine multiplies μ and λ by the rest volume before the call, so every function must be
/// homogeneous of degree one in (μ, λ), and must return finite zeros for μ = λ = 0 (padding
/// lanes). ψ(R) = 0 for every rotation R.
pub trait Density: Copy + Send + Sync + 'static {
    /// As written in scene files.
    const NAME: &'static str;
    /// Whether the energy is finite, and pushes back, for inverted elements (det F < 0).
    const RECOVERS_FROM_INVERSION: bool;

    /// ψ(F) and P = ∂ψ/∂F, one element.
    fn stress(f: &DMat3, mu: f64, lambda: f64) -> (f64, DMat3);

    /// ∂²ψ/∂F² in terms of the principal stretches σ of F.
    fn spectrum(sigma: DVec3, mu: f64, lambda: f64) -> Spectrum;

    /// ∂²ψ/∂F², exact.
    fn hessian(f: &DMat3, mu: f64, lambda: f64) -> Matrix9 {
        isotropic::hessian(f, |sigma| Self::spectrum(sigma, mu, lambda))
    }

    /// ∂²ψ/∂F² with negative eigenvalues set to zero, by the analytic eigensystem of isotropic
    /// energies.
    fn projected_hessian(f: &DMat3, mu: f64, lambda: f64) -> Matrix9 {
        isotropic::projected_hessian(f, |sigma| Self::spectrum(sigma, mu, lambda))
    }

    /// ψ and P of `L::WIDTH` elements; P may be anything when `STRESS` is false.
    /// `f[3·i + j]` is F\[i\]\[j\].
    ///
    /// # Safety
    /// Called inside a kernel of `L`.
    unsafe fn lanes<L: Lanes<Real = f64>, const STRESS: bool>(
        f: &[L; 9],
        mu: L,
        lambda: L,
    ) -> (L, [L; 9]);

    /// The model's own (μ, λ) that agree with linear elasticity of these Lamé parameters near
    /// rest \[Pa\].
    fn own_parameters(mu: f64, lambda: f64) -> (f64, f64) {
        (mu, lambda)
    }

    /// The Lamé parameters of linear elasticity that the model agrees with near rest \[Pa\]: the
    /// inverse of [`own_parameters`](Self::own_parameters).
    fn lame_at_rest(mu: f64, lambda: f64) -> (f64, f64) {
        (mu, lambda)
    }

    /// Curvature w of the quadratic proxy ½ w ‖F − R‖² that the projective solver factors once:
    /// `(typical, bound)`.
    ///
    /// Shear has curvature 2μ, a change of volume 2μ + 3λ. `typical` lies between: L-BFGS learns
    /// the rest, and back-tracks less than with 2μ alone when λ is large. `bound` is at least half
    /// the largest curvature, so that plain local/global does not overshoot.
    fn proxy(mu: f64, lambda: f64) -> (f64, f64) {
        let (mu, lambda) = Self::lame_at_rest(mu, lambda);
        let lambda = lambda.max(0.0);
        (2.0 * mu + 0.5 * lambda, (2.0 * mu + lambda).max(mu + 1.5 * lambda))
    }
}

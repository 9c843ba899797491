//! Inverse physics (Ichim et al. 2017, section 5): which activations, and which pose of the jaw, make a skin?
//!
//! Eq. 4 is minimised over what activations depend on, θ, with equilibrium as a constraint that holds in the end:
//!
//! ```text
//! J(θ) = ½ Σ ω_s |S_s x − t_s|² + ½ Σ w_k (θ_k − θ̄_k)²,     ∇E(x, a(θ)) = 0.
//! ```
//!
//! | file | what |
//! |---|---|
//! | [`equilibrium`] | x for a, and how x answers changes of a |
//! | [`observation`] | S, t and ω: skin that is to be somewhere |
//! | [`dependence`] | a(θ): a matrix per tet, fibres, muscles, or blends of muscles' matrices |
//! | [`blend`], [`geometry`] | a(θ, S): muscles' matrices and what tets take of them, learned from several skins (Dinev 2020, ch. 4) |
//! | [`gauss_newton`] | the minimisation |
//! | [`fit`], [`priors`] | a face, a skin, priors: Eq. 4 whole |
//! | [`lesson`] | several skins of a face, and what its muscles' geometry must be for them |
//! | [`reduced`] | one more skin, with geometry that is known: fast |
//! | [`residual`] | how well a skin is met |
//! | [`drawn`], [`guided`], `jaw` | where it begins, and the way from there |
//! | [`activity`] | how sparse activations are, and how well they follow fibres |
//! | [`factors`] | where geometry begins: activations by tet, factored |
//! | [`over`] | shapes that are fitted over others |
//! | [`gamma`] | the local step of R_act |
//!
//! The gradient is the adjoint one, exact to rounding: with Kλ = −Sᵀω(Sx − t), dJ/da = Bᵀλ, where K = ∇²E
//! and B = ∂∇E/∂a. Steps are Gauss–Newton's, (K⁻¹B)ᵀ SᵀωS (K⁻¹B) + W, by conjugate gradients that never form the
//! matrix; there K is its own factor or, where that would be too large, the matrix at rest, turned.

pub mod activity;
pub mod blend;
pub mod dependence;
pub mod drawn;
pub mod equilibrium;
pub mod factors;
pub mod fit;
pub mod gamma;
pub mod gauss_newton;
pub mod geometry;
pub mod guided;
mod jaw;
pub mod lesson;
pub mod observation;
pub mod over;
pub mod priors;
pub mod reduced;
pub mod residual;

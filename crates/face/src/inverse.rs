//! Inverse physics: find the activations and the jaw pose that make a given skin.
//!
//! Eq. 4 of \[ichim2017phace\] is minimised over parameters θ of the activations a, with
//! equilibrium as a constraint:
//!
//! ```text
//! J(θ) = ½ Σ ω_s |S_s x − t_s|² + ½ Σ w_k (θ_k − θ̄_k)²,     ∇E(x, a(θ)) = 0.
//! ```
//!
//! | room | content |
//! |---|---|
//! | [`targets`] | S, t and ω: where the skin has to be, and the residual |
//! | [`activation`] | a(θ): a matrix per tet, fibre contractions, or muscle matrices |
//! | [`equilibrium`] | x for a, and the derivative of x by a |
//! | [`initial_guess`] | activations and jaw pose at which the solver starts |
//! | [`solve`] | Gauss–Newton, the priors, and the fit of a face to one skin |
//! | [`muscle_geometry`] | a(θ, S): muscle matrices, and the geometry S learned from several skins |
//!
//! The adjoint gradient is exact to rounding: with Kλ = −Sᵀω(Sx − t), dJ/da = Bᵀλ, where K = ∇²E
//! and B = ∂∇E/∂a. Conjugate gradients solve each Gauss–Newton step with the matrix
//! (K⁻¹B)ᵀ SᵀωS (K⁻¹B) + W, which is never formed. K is factored there; where it is too large, the
//! rotated matrix at rest replaces it.

pub mod activation;
pub mod equilibrium;
pub mod initial_guess;
pub mod muscle_geometry;
pub mod solve;
pub mod targets;

//! Potentials, a file each: energies of the positions, with gradient, Hessian and a constant
//! quadratic proxy.
//!
//! | file | energy |
//! |---|---|
//! | [`tetrahedra`] | Σ V ψ(F) over a body's tetrahedra, with a density of [`crate::material`] |
//! | [`activation`], [`muscles`] | Σ V ψ(F, S): tissue that contracts |
//! | [`springs`] | Σ ½ k (‖xᵢ − xⱼ‖ − r)² |
//! | [`attachment`] | Σ ½ k ‖x − t‖² to driven points |
//! | [`sliding`] | Σ ½ k ((x − p)·n)² of points on driven planes |
//! | [`follow`] | Σ ½ W ‖x − x̄‖² to an input animation |
//! | [`tracking`] | Σ ½ λ ‖Σ wⱼxⱼ − q̄‖² of points bound to tets |
//! | [`gravity`], [`burden`] | −Σ m g·x; the same of masses without inertia |
//! | [`body_contact`] | Σ ½ k d² of surface vertices inside bodies |
//! | [`body_friction`] | what sliding and rebound lose between bodies |
//! | [`collider_contact`] | Σ ½ k d² or −Σ k d³ of vertices inside moving obstacles |
//! | [`collider_friction`] | what sliding and rebound lose there, as a convex function of the displacement |
//! | [`point_energy`] | Σ E(x), a function that the user of the library brings along |
//! | [`wind`] | drag of moving air, as a convex function of the displacement |
//!
//! [`Potential`] is the interface of all of them. [`compliant`] hands out their elements one by
//! one; `stiffness` has the tetrahedra's Hessians.

pub mod activation;
pub mod attachment;
mod batches;
pub mod body_contact;
pub mod body_friction;
pub mod body_touch;
pub mod burden;
mod chunks;
pub mod collider_contact;
pub mod collider_friction;
pub mod compliant;
mod contact_potential;
mod definite;
mod driven;
pub mod follow;
pub mod gravity;
pub mod muscles;
pub mod point_energy;
mod potential;
mod situation;
pub mod sliding;
pub mod springs;
mod stiffness;
pub mod tetrahedra;
pub mod tracking;
mod turning;
pub mod wind;

pub use chunks::{Chunk, bisect};
pub use compliant::{CompliantElement, CompliantPotential, CompliantTet};
pub(crate) use contact_potential::square;
pub use contact_potential::{ContactPotential, VisitTerm};
pub use driven::{DrivenPotential, MixedDerivative};
pub use point_energy::PointResponse;
pub use potential::{Curvature, Potential, ProxyKind};
pub use situation::Situation;
pub use tracking::Tracked;
pub use turning::Turning;

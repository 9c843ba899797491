//! A physics-based face (Ichim et al. 2017, "Phace"; Dinev 2020, chapter 4): its template so far.
//!
//! - [`anatomy`]: the built-in head as functions of space: skin, bones, teeth, muscles
//! - [`expression`]: sculpted shapes, 52 of them with the names of ARKit, and action units
//! - [`Template`]: all parts of a head as meshes, built in or read from a folder ([`folder`])
//! - [`Performance`]: weights of shapes over time, from Live Link Face or from a table

pub mod anatomy;
mod error;
pub mod expression;
pub mod folder;
pub mod performance;
mod template;

pub use error::FaceError;
pub use performance::Performance;
pub use template::{Eye, Shape, Template};

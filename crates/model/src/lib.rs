//! From a scene file to a model: bodies, materials and the potentials that act on them.
//!
//! Nothing here knows of time steps.

pub mod potentials;
pub mod scene;

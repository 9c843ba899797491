//! Numerical helpers shared by all modules.

pub(crate) mod edges;
pub(crate) mod poisson;
mod rigid;
mod shortest_paths;
mod vertex_flags;
pub(crate) mod weighted_sums;

pub(crate) use rigid::closest_rigid;
pub(crate) use shortest_paths::extend_distances;
pub(crate) use vertex_flags::{FreeVertices, vertex_flags};

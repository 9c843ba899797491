//! Bodies that suites step: boxes of any material, stand-ins for the bodies of papers, the head.

mod block;
mod head;
mod stand_in;

pub use block::{Block, DENSITY, Material, POISSON, start, vertices_where};
pub use head::build_head;
pub use stand_in::{Cloth, stand_in};

//! File formats, both ways: the only library of pliant that touches the disk.
//!
//! - [`read_mesh`]: Gmsh, Medit, TetGen, VTK, VTU and OBJ, by the ending of the name
//! - [`write_obj`], [`Pc2Writer`], [`Pc2Reader`], [`Animation`]
//! - [`read_ids`]: selections kept in files
//! - [`atomic`]: how outputs come to be whole
//!
//! Readers never panic, refuse what a file claims but cannot hold before they allocate it, and
//! name the path and the line or byte in every error. Coordinates that are infinite or not a
//! number are kept: diagnosis reports them.

mod animation;
pub mod atomic;
mod cursor;
mod error;
mod gmsh;
mod ids;
mod loaded;
mod medit;
mod obj;
mod pc2;
mod polygon;
mod read;
mod tetgen;
mod vtk;

pub use animation::Animation;
pub use error::{IoError, Place};
pub use ids::read_ids;
pub use loaded::Loaded;
pub use obj::{obj_text, write_obj};
pub use pc2::{Pc2Header, Pc2Reader, Pc2Writer};
pub use read::{MeshFormat, parse_mesh, parse_tetgen, read_mesh};

/// How many cases property tests try: `PLIANT_CASES`, or a few hundred.
#[cfg(test)]
fn property_cases() -> u32 {
    std::env::var("PLIANT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

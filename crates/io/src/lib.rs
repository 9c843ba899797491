//! Reads and writes files of all formats.
//!
//! - [`Format`]: the registry of formats
//! - [`read_mesh`] and [`write_mesh`]: one mesh, in the format of the file's ending
//! - [`Animation`] and [`AnimationWriter`]: a mesh that moves, one frame in memory at a time
//! - [`Pc2Reader`], [`Pc2Writer`], [`MddReader`], [`MddWriter`]: caches of vertices alone
//! - [`read_blendshapes`] and [`write_blendshapes`]: a mesh with named shapes
//! - [`read_ids`]: selections kept in files
//! - [`atomic`]: how outputs come to be whole
//!
//! Readers never panic, refuse what a file claims but cannot hold before they allocate it, and
//! name the path and the line or byte in every error. Coordinates that are infinite or not a
//! number are kept: diagnosis reports them.

mod animation;
pub mod atomic;
mod attribute;
mod beside;
mod cursor;
mod error;
mod format;
mod groups;
mod ids;
mod loaded;
mod paged;
mod polygon;
mod read;
mod scalar;
mod unit;
mod write;

pub use animation::{Animation, AnimationOptions};
pub use error::{IoError, Place};
pub use format::gltf::{Blendshapes, read_blendshapes, write_blendshapes};
pub use format::mdd::{MddReader, MddWriter};
pub use format::obj::{obj_text, write_obj};
pub use format::pc2::{Pc2Header, Pc2Reader, Pc2Writer};
pub use format::{Attributes, Format};
pub use ids::read_ids;
pub use loaded::Loaded;
pub use pliant_mesh::{Attribute, Polygons};
pub use read::{files_in, parse_mesh, parse_tetgen, read_bytes, read_mesh, read_text};
pub use unit::{guess_unit, unit_named};
pub use write::{AnimationWriter, check_mesh_name, write_mesh};

/// How many cases property tests try: `PLIANT_CASES`, or a few hundred.
#[cfg(test)]
fn property_cases() -> u32 {
    std::env::var("PLIANT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

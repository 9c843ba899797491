//! PLY, the Polygon File Format of Stanford: a header declares elements and their properties; then
//! come their values, as text or binary of either byte order.

mod header;
mod read;
mod write;

use crate::format::{Attributes, Description, Reader, Writer};

/// PLY in the registry.
pub const FORMAT: Description = Description {
    written: &["ply"],
    polygons: true,
    attributes: Attributes::All,
    writer: Some(Writer::Mesh(|_, loaded| Ok(write::bytes(loaded)))),
    ..Description::new("PLY", &["ply"], Reader::Mesh(|path, bytes, _| read::parse(path, bytes)))
};

#[cfg(test)]
mod tests;

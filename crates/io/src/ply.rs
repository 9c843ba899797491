//! PLY, the Polygon File Format of Stanford: a header that declares elements and their
//! properties, then their values as text or binary, in either order of bytes.

mod header;
mod read;
mod write;

pub use read::parse;
pub use write::bytes;

#[cfg(test)]
mod tests;

//! The formats of VTK: legacy `.vtk` and XML `.vtu`.

mod arrays;
mod cells;
mod encoding;
mod legacy;
mod write;
mod xml;

pub use legacy::parse as parse_legacy;
pub use write::{legacy_text, xml_text};
pub use xml::parse as parse_xml;

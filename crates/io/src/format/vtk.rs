//! The formats of VTK: legacy `.vtk`, and XML `.vtu` and `.vtp`.

mod cells;
mod encoding;
mod legacy;
mod write;
mod xml;

use crate::format::{Attributes, Description, Reader, Writer};

/// Legacy VTK in the registry.
pub const LEGACY: Description = Description {
    written: &["vtk"],
    polygons: true,
    tets: true,
    writer: Some(Writer::Mesh(|_, loaded| Ok(write::legacy_text(loaded).into_bytes()))),
    ..Description::new("VTK", &["vtk"], Reader::Mesh(|path, bytes, _| legacy::parse(path, bytes)))
};

/// VTK's XML in the registry.
pub const XML: Description = Description {
    written: &["vtu"],
    polygons: true,
    tets: true,
    attributes: Attributes::All,
    writer: Some(Writer::Mesh(|_, loaded| Ok(write::xml_text(loaded).into_bytes()))),
    ..Description::new(
        "VTK XML",
        &["vtu", "vtp"],
        Reader::Mesh(|path, bytes, _| xml::parse(path, bytes)),
    )
};

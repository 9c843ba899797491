//! Writes unstructured grids as text, in the old form and in XML.

use std::fmt::Write;

use quick_xml::escape::escape;

use super::cells::{POLYGON, TET};
use crate::loaded::Loaded;

/// The cells of a mesh: tets, or else faces.
struct Cells<'a> {
    kind: u64,
    list: Vec<&'a [u32]>,
}

impl<'a> Cells<'a> {
    fn of(loaded: &'a Loaded) -> Self {
        let tets = &loaded.mesh.tets;
        match tets.is_empty() {
            false => Cells { kind: TET, list: tets.iter().map(|t| &t[..]).collect() },
            true => Cells { kind: POLYGON, list: loaded.faces().collect() },
        }
    }

    fn corners(&self) -> usize {
        self.list.iter().map(|cell| cell.len()).sum()
    }
}

/// The text of a legacy VTK file.
pub fn legacy_text(loaded: &Loaded) -> String {
    let cells = Cells::of(loaded);
    let mut text = String::from(
        "# vtk DataFile Version 3.0\nwritten by pliant\nASCII\nDATASET UNSTRUCTURED_GRID\n",
    );
    // Writing to a String cannot fail.
    let _ = writeln!(text, "POINTS {} double", loaded.mesh.positions.len());
    points(loaded, &mut text);
    let count = cells.list.len();
    let _ = writeln!(text, "CELLS {count} {}", count + cells.corners());
    for cell in &cells.list {
        let _ = write!(text, "{}", cell.len());
        row(cell, &mut text);
    }
    let _ = writeln!(text, "CELL_TYPES {count}");
    for _ in &cells.list {
        let _ = writeln!(text, "{}", cells.kind);
    }
    text
}

/// The text of a VTU file.
pub fn xml_text(loaded: &Loaded) -> String {
    let cells = Cells::of(loaded);
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" \
            byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n",
    );
    let _ = writeln!(
        text,
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>\n<DataArray type=\"Float64\" \
            NumberOfComponents=\"3\" format=\"ascii\">",
        loaded.mesh.positions.len(),
        cells.list.len()
    );
    points(loaded, &mut text);
    text.push_str("</DataArray>\n</Points>\n<PointData>\n");
    for attribute in &loaded.attributes {
        let (name, count) = (escape(attribute.plain_name()), attribute.components);
        let _ = writeln!(
            text,
            "<DataArray type=\"Float64\" Name=\"{name}\" NumberOfComponents=\"{count}\" \
                format=\"ascii\">"
        );
        for value in &attribute.values {
            let _ = writeln!(text, "{value}");
        }
        text.push_str("</DataArray>\n");
    }
    text.push_str(
        "</PointData>\n<Cells>\n<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">",
    );
    cells.list.iter().for_each(|cell| row(cell, &mut text));
    text.push_str("</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n");
    let mut end = 0;
    for cell in &cells.list {
        end += cell.len();
        let _ = writeln!(text, "{end}");
    }
    text.push_str("</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n");
    for _ in &cells.list {
        let _ = writeln!(text, "{}", cells.kind);
    }
    text.push_str("</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    text
}

fn points(loaded: &Loaded, text: &mut String) {
    for p in &loaded.mesh.positions {
        let _ = writeln!(text, "{} {} {}", p.x, p.y, p.z);
    }
}

fn row(cell: &[u32], text: &mut String) {
    for v in cell {
        let _ = write!(text, " {v}");
    }
    text.push('\n');
}

//! Legacy VTK: unstructured grids and polygonal data, text or big-endian binary, with cells in
//! the old layout (each with its count) or that of version 5 (offsets and connectivity).

use std::path::Path;

use glam::DVec3;

use super::cells::add_cells;
use crate::cursor::{Cursor, Endian, missing, unexpected};
use crate::error::IoError;
use crate::loaded::{Loaded, Parts};
use crate::scalar::Scalar;

/// Reads the bytes of a legacy VTK file; `path` is only for errors.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    let mut cursor = Cursor::new(path, bytes);
    if !cursor.rest().to_ascii_lowercase().starts_with(b"# vtk datafile") {
        return Err(cursor.error("expected \"# vtk DataFile Version\""));
    }
    cursor.line();
    cursor.line();
    let before = cursor.at_word();
    let binary = match cursor.word() {
        Some(word) if word.eq_ignore_ascii_case(b"ASCII") => false,
        Some(word) if word.eq_ignore_ascii_case(b"BINARY") => true,
        Some(word) => return Err(before.error(unexpected("ASCII or BINARY", word))),
        None => return Err(before.error(missing("ASCII or BINARY"))),
    };
    cursor.expect("DATASET")?;
    let before = cursor.at_word();
    match cursor.word() {
        Some(b"UNSTRUCTURED_GRID" | b"POLYDATA") => {}
        Some(word) => return Err(before.error(unexpected("UNSTRUCTURED_GRID or POLYDATA", word))),
        None => return Err(before.error(missing("UNSTRUCTURED_GRID or POLYDATA"))),
    }
    cursor.endian = Endian::Big;
    if binary {
        cursor.set_binary();
    }
    let mut file = Legacy { cursor, binary, parts: Parts::default(), cells: None, types: None };
    file.read_blocks()?;
    file.finish(path)
}

/// Where cells end in the list of their corners, and that list.
type Cells = (Vec<u64>, Vec<u64>);

struct Legacy<'a> {
    cursor: Cursor<'a>,
    binary: bool,
    parts: Parts,
    cells: Option<Cells>,
    types: Option<Vec<u64>>,
}

impl Legacy<'_> {
    fn read_blocks(&mut self) -> Result<(), IoError> {
        while let Some(keyword) = self.cursor.word() {
            match keyword.to_ascii_uppercase().as_slice() {
                b"POINTS" => self.read_points()?,
                b"CELLS" => self.cells = Some(self.read_cells()?),
                b"CELL_TYPES" => {
                    let count = self.cursor.count("the number of cell types", 2)?;
                    self.types = Some(self.indices(count, Scalar::I32, "cell types")?);
                }
                b"POLYGONS" => {
                    let (ends, corners) = self.read_cells()?;
                    self.types = Some(vec![7; ends.len()]);
                    self.cells = Some((ends, corners));
                }
                b"VERTICES" => self.skip_cells("points")?,
                b"LINES" => self.skip_cells("lines")?,
                b"TRIANGLE_STRIPS" => self.skip_cells("triangle strips")?,
                b"METADATA" => {
                    self.cursor.line();
                    while self.cursor.line().is_some_and(|l| !l.trim_ascii().is_empty()) {}
                }
                // Values at points and cells come last, and are not needed.
                b"POINT_DATA" | b"CELL_DATA" => break,
                _ => {
                    return Err(self
                        .cursor
                        .error(unexpected("POINTS, CELLS or POLYGONS", keyword)));
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, path: &Path) -> Result<Loaded, IoError> {
        if let Some((ends, corners)) = self.cells {
            let types = self.types.unwrap_or_default();
            add_cells(&mut self.parts, 0, &types, &ends, &corners)
                .map_err(|problem| IoError::content(path, problem))?;
        }
        self.parts.finish(path)
    }

    fn read_points(&mut self) -> Result<(), IoError> {
        let claimed: u64 = self.cursor.number("the number of points")?;
        let scalar = self.scalar()?;
        let least = if self.binary { 3 * scalar.size() } else { 6 };
        let count = self.cursor.claim(claimed, "the number of points", least)?;
        let coordinates = if self.binary {
            self.cursor.line();
            let bytes = self.cursor.take(3 * count * scalar.size(), "points")?;
            scalar.reals(bytes, self.cursor.endian)
        } else {
            (0..3 * count).map(|_| self.cursor.number("a coordinate")).collect::<Result<_, _>>()?
        };
        self.parts.positions = coordinates.chunks_exact(3).map(DVec3::from_slice).collect();
        Ok(())
    }

    fn read_cells(&mut self) -> Result<Cells, IoError> {
        let first = self.cursor.count("the number of cells", 2)?;
        let second = self.cursor.count("the size of the list of cells", 2)?;
        // In binary what follows the line may look like anything, so look at the line's start.
        let mut ahead = self.cursor.clone();
        ahead.line();
        if ahead.rest().starts_with(b"OFFSETS") {
            return self.read_offsets(first, second);
        }
        let list = self.indices(second, Scalar::I32, "cells")?;
        let mut ends = Vec::with_capacity(first.min(list.len()));
        let mut corners = Vec::with_capacity(list.len());
        let mut at = 0;
        while at < list.len() {
            let length = usize::try_from(list[at]).unwrap_or(usize::MAX);
            let Some(cell) = at.checked_add(1).and_then(|s| list.get(s..s.checked_add(length)?))
            else {
                let problem = format!(
                    "cell {} has {length} corners, more than the list has left",
                    ends.len()
                );
                return Err(self.cursor.error(problem));
            };
            corners.extend_from_slice(cell);
            ends.push(corners.len() as u64);
            at += 1 + length;
        }
        if ends.len() != first {
            return Err(self.cursor.error(format!("expected {first} cells, found {}", ends.len())));
        }
        Ok((ends, corners))
    }

    /// Version 5: one more offset than cells, the first being 0.
    fn read_offsets(&mut self, offsets: usize, corners: usize) -> Result<Cells, IoError> {
        self.cursor.expect("OFFSETS")?;
        let scalar = self.scalar()?;
        let mut ends = self.indices(offsets, scalar, "offsets")?;
        if ends.first().is_some_and(|&start| start != 0) {
            return Err(self.cursor.error("expected the first offset to be 0"));
        }
        ends.drain(..ends.len().min(1));
        self.cursor.expect("CONNECTIVITY")?;
        let scalar = self.scalar()?;
        Ok((ends, self.indices(corners, scalar, "connectivity")?))
    }

    fn skip_cells(&mut self, what: &'static str) -> Result<(), IoError> {
        let count = self.read_cells()?.0.len();
        self.parts.ignore(what, count);
        Ok(())
    }

    fn scalar(&mut self) -> Result<Scalar, IoError> {
        let before = self.cursor.at_word();
        let word = self.cursor.word().ok_or_else(|| before.error(missing("a type of number")))?;
        scalar_named(word).ok_or_else(|| before.error(unexpected("a type of number", word)))
    }

    fn indices(&mut self, count: usize, scalar: Scalar, what: &str) -> Result<Vec<u64>, IoError> {
        if !self.binary {
            return (0..count).map(|_| self.cursor.number(what)).collect();
        }
        self.cursor.line();
        let bytes = self.cursor.take(count * scalar.size(), what)?;
        let indices = scalar.indices(bytes, self.cursor.endian);
        indices
            .ok_or_else(|| self.cursor.error(format!("expected {what} without negative numbers")))
    }
}

/// Type of numbers with this name in legacy files.
fn scalar_named(name: &[u8]) -> Option<Scalar> {
    Some(match name.to_ascii_lowercase().as_slice() {
        b"char" => Scalar::I8,
        b"unsigned_char" => Scalar::U8,
        b"short" => Scalar::I16,
        b"unsigned_short" => Scalar::U16,
        b"int" | b"vtktypeint32" => Scalar::I32,
        b"unsigned_int" | b"vtktypeuint32" => Scalar::U32,
        b"long" | b"vtkidtype" | b"vtktypeint64" => Scalar::I64,
        b"unsigned_long" | b"vtktypeuint64" => Scalar::U64,
        b"float" => Scalar::F32,
        b"double" => Scalar::F64,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# vtk DataFile Version 3.0\na tet\nASCII\nDATASET UNSTRUCTURED_GRID\n\
        POINTS 4 float\n0 0 0 1 0 0\n0 1 0 0 0 1\n\nCELLS 2 8\n4 0 1 2 3\n2 0 1\nCELL_TYPES 2\n10\n3\n\
        POINT_DATA 4\nSCALARS s float\nLOOKUP_TABLE default\n0 0 0 0\n";

    fn read(bytes: &[u8]) -> Result<Loaded, String> {
        parse(Path::new("m.vtk"), bytes).map_err(|e| e.to_string())
    }

    fn binary() -> Vec<u8> {
        let mut bytes =
            b"# vtk DataFile Version 2.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
                .to_vec();
        let points = [0.0f64, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        points.iter().for_each(|v| bytes.extend(v.to_be_bytes()));
        bytes.extend(b"\nCELLS 1 5\n");
        [4i32, 0, 1, 2, 3].iter().for_each(|v| bytes.extend(v.to_be_bytes()));
        bytes.extend(b"\nCELL_TYPES 1\n\0\0\0\x0a\n");
        bytes
    }

    #[test]
    fn text_and_binary_are_read() {
        let text = read(TEXT.as_bytes()).unwrap();
        assert_eq!(text.mesh.tets, [[0, 1, 2, 3]]);
        assert_eq!(text.notes, ["ignored 1 lines"]);
        assert_eq!(read(&binary()).unwrap().mesh, text.mesh);
    }

    #[test]
    fn the_cells_of_version_5_are_read() {
        let text = TEXT
            .replace(
                "CELLS 2 8\n4 0 1 2 3\n2 0 1",
                "CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3",
            )
            .replace("CELL_TYPES 2\n10\n3", "CELL_TYPES 1\n10");
        assert_eq!(read(text.as_bytes()).unwrap().mesh.tets, [[0, 1, 2, 3]]);
    }

    #[test]
    fn polygons_become_triangles() {
        let text = "# vtk DataFile Version 4.2\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n\
            0 0 0 1 0 0 1 1 0 0 1 0\nMETADATA\nINFORMATION 0\n\nPOLYGONS 1 5\n4 0 1 2 3\n";
        assert_eq!(read(text.as_bytes()).unwrap().mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn errors_say_where_and_what() {
        let change = |from: &str, to: &str| read(TEXT.replace(from, to).as_bytes()).unwrap_err();
        assert!(change("ASCII", "ASKII").starts_with("m.vtk, line 3: expected ASCII or BINARY"));
        assert!(change("4 0 1 2 3", "4 0 1 2 9").contains("cell 0 names point 9, but there are 4"));
        assert!(change("4 0 1 2 3", "3 0 1 2 3").contains("cell 0 of type 10 has 3 corners"));
        assert!(change("POINTS 4", "POINTS 4000000").contains("cannot hold that many"));
        let bytes = binary();
        assert!(read(&bytes[..150]).unwrap_err().starts_with("m.vtk, byte "));
    }
}

//! STL: triangles with their corners written out, as text or binary. Corners at the same place
//! are made one vertex.
//!
//! Binary: 80 bytes of anything, the number of triangles (u32), then 50 bytes per triangle: normal,
//! three corners (f32 × 12, little-endian), and two bytes to spare.

use std::collections::HashMap;
use std::path::Path;

use glam::{DVec3, Vec3};
use pliant_mesh::{Group, Mesh};

use crate::cursor::{Cursor, missing, parse as number, unexpected};
use crate::error::IoError;
use crate::format::{Description, Reader, Writer};
use crate::loaded::{Loaded, Parts};

const HEADER: usize = 80;
const TRIANGLE: usize = 50;

/// STL in the registry.
pub const FORMAT: Description = Description {
    written: &["stl"],
    writer: Some(Writer::Mesh(|path, loaded| bytes(path, &loaded.mesh))),
    ..Description::new("STL", &["stl"], Reader::Mesh(|path, bytes, _| parse(path, bytes)))
};

/// Reads the bytes of an STL file; `path` is only for errors.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    let text = bytes.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    // Binary files may start with "solid", too; their length gives them away.
    if text && binary_length(bytes) != Some(bytes.len()) {
        parse_text(path, bytes)
    } else {
        parse_binary(path, bytes)
    }
}

/// How long a binary file with this header is.
fn binary_length(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEADER..HEADER + 4)?;
    let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]);
    usize::try_from(count).ok()?.checked_mul(TRIANGLE)?.checked_add(HEADER + 4)
}

fn parse_binary(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    let mut cursor = Cursor::new(path, bytes);
    cursor.set_binary();
    cursor.take(HEADER, "the header")?;
    let claimed: u32 = cursor.binary("the number of triangles")?;
    let count = cursor.claim(u64::from(claimed), "the number of triangles", TRIANGLE)?;
    let mut welder = Welder::default();
    for _ in 0..count {
        cursor.take(12, "a normal")?;
        let mut corners = [DVec3::ZERO; 3];
        for corner in &mut corners {
            for axis in 0..3 {
                corner[axis] = f64::from(cursor.binary::<f32>("a corner")?);
            }
        }
        cursor.take(2, "the end of a triangle")?;
        welder.add(corners);
    }
    if cursor.remaining() > 0 {
        welder.parts.notes.push(format!("ignored {} bytes at the end", cursor.remaining()));
    }
    welder.parts.finish(path)
}

fn parse_text(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    let mut cursor = Cursor::new(path, bytes);
    let mut welder = Welder::default();
    while cursor.peek().is_some() {
        cursor.expect("solid")?;
        let name = String::from_utf8_lossy(cursor.line().unwrap_or_default()).trim().to_owned();
        let first = welder.parts.triangles.len();
        loop {
            let at = cursor.at_word();
            let word = cursor.word().ok_or_else(|| at.error(missing("endsolid")))?;
            if word.eq_ignore_ascii_case(b"endsolid") {
                cursor.line();
                break;
            }
            if !word.eq_ignore_ascii_case(b"facet") {
                return Err(at.error(unexpected("facet or endsolid", word)));
            }
            welder.add(read_facet(&mut cursor)?);
        }
        let corners = welder.parts.triangles[first..].iter().flatten().copied();
        let vertices: Vec<u32> = corners.collect();
        if !name.is_empty() && !vertices.is_empty() {
            welder.parts.groups.push(Group::new(name, vertices));
        }
    }
    welder.parts.finish(path)
}

fn read_facet(cursor: &mut Cursor) -> Result<[DVec3; 3], IoError> {
    // The normal may be missing or wrong; it follows from the corners.
    while cursor.peek().is_some_and(|w| w.eq_ignore_ascii_case(b"normal") || is_number(w)) {
        cursor.word();
    }
    cursor.expect("outer")?;
    cursor.expect("loop")?;
    let mut corners = [DVec3::ZERO; 3];
    for corner in &mut corners {
        cursor.expect("vertex")?;
        *corner = DVec3::new(cursor.number("x")?, cursor.number("y")?, cursor.number("z")?);
    }
    cursor.expect("endloop")?;
    cursor.expect("endfacet")?;
    Ok(corners)
}

fn is_number(word: &[u8]) -> bool {
    number::<f64>(word).is_some()
}

/// Makes corners at the same place one vertex.
#[derive(Default)]
struct Welder {
    parts: Parts,
    vertices: HashMap<[u64; 3], u32>,
}

impl Welder {
    fn add(&mut self, corners: [DVec3; 3]) {
        let triangle = corners.map(|corner| {
            // Adding zero makes −0 and 0 the same place.
            let place = corner.to_array().map(|x| (x + 0.0).to_bits());
            *self.vertices.entry(place).or_insert_with(|| {
                self.parts.positions.push(corner);
                (self.parts.positions.len() - 1) as u32
            })
        });
        self.parts.triangles.push(triangle);
    }
}

/// The bytes of a binary STL file.
pub fn bytes(path: &Path, mesh: &Mesh) -> Result<Vec<u8>, IoError> {
    let Ok(count) = u32::try_from(mesh.triangles.len()) else {
        let problem = format!("STL cannot hold {} triangles", mesh.triangles.len());
        return Err(IoError::content(path, problem));
    };
    let mut bytes = vec![0; HEADER];
    bytes.reserve(4 + TRIANGLE * mesh.triangles.len());
    bytes.extend(count.to_le_bytes());
    let position = |v: u32| mesh.positions.get(v as usize).copied().unwrap_or(DVec3::NAN).as_vec3();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(position);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for Vec3 { x, y, z } in [normal, a, b, c] {
            bytes.extend([x, y, z].iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend([0, 0]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    const PATH: &str = "m.stl";
    const TEXT: &str = "solid left\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
        vertex 0 1 0\nendloop\nendfacet\nendsolid left\nsolid right\nfacet normal nan 0 0\n\
        outer loop\nvertex 1 0 0\nvertex 1 1 -0\nvertex 0 1 -0.0\nendloop\nendfacet\nendsolid\n";

    fn read(bytes: &[u8]) -> Result<Loaded, String> {
        parse(Path::new(PATH), bytes).map_err(|e| e.to_string())
    }

    #[test]
    fn corners_at_the_same_place_are_one_vertex() {
        let mesh = read(TEXT.as_bytes()).unwrap().mesh;
        assert_eq!(mesh.positions.len(), 4);
        assert_eq!(mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
        let named: Vec<_> = mesh.groups.iter().map(|g| (g.name.as_str(), &g.vertices)).collect();
        assert_eq!(named, [("left", &vec![0, 1, 2]), ("right", &vec![1, 2, 3])]);
    }

    #[test]
    fn what_is_written_reads_back() {
        let cube = shapes::solid_box(DVec3::ONE, [2, 2, 2]).unwrap();
        let mut file = bytes(Path::new(PATH), &cube).unwrap();
        // Some programs start binary files like text.
        file[..5].copy_from_slice(b"solid");
        let again = read(&file).unwrap().mesh;
        assert_eq!(again.triangles.len(), cube.triangles.len());
        assert!((again.volume() - 1.0).abs() < 1e-12);
        assert_eq!(again.positions.len(), 26);
    }

    #[test]
    fn errors_name_the_place() {
        let error = read(&TEXT.as_bytes()[..60]).unwrap_err();
        assert!(error.starts_with("m.stl, line 5: expected"), "{error}");
        let mut huge = vec![0; 84];
        huge[80..].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = read(&huge).unwrap_err();
        assert!(error.contains("byte 84") && error.contains("cannot hold that many"), "{error}");
        assert!(read(b"").unwrap_err().contains(PATH));
    }
}

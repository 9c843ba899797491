//! Medit `.mesh`, in text: keywords, each followed by a count and that many rows.

use std::fmt::Write;
use std::path::Path;

use glam::DVec3;
use pliant_mesh::Mesh;

use crate::cursor::{Cursor, missing, parse as number, unexpected};
use crate::error::IoError;
use crate::format::{Description, Reader, Writer};
use crate::loaded::{Loaded, Parts};

/// Medit in the registry.
pub const FORMAT: Description = Description {
    written: &["mesh"],
    tets: true,
    writer: Some(Writer::Mesh(|_, loaded| Ok(text(&loaded.mesh).into_bytes()))),
    ..Description::new("Medit", &["mesh"], Reader::Mesh(|path, bytes, _| parse(path, bytes)))
};

/// Reads the bytes of a Medit file; `path` is only for errors.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    let mut cursor = Cursor::new(path, bytes).with_comments(b'#');
    cursor.expect("MeshVersionFormatted")?;
    cursor.number::<u32>("the version of the format")?;
    let mut parts = Parts::default();
    let mut ended = false;
    while let Some(keyword) = cursor.word() {
        match keyword.to_ascii_lowercase().as_slice() {
            b"dimension" => {
                let dimension = cursor.number::<u32>("the dimension")?;
                if dimension != 3 {
                    return Err(cursor.error(format!("expected dimension 3, found {dimension}")));
                }
            }
            b"vertices" => {
                let count = cursor.count("the number of vertices", 8)?;
                parts.positions.reserve(count);
                for _ in 0..count {
                    let [x, y, z] = [cursor.number("x")?, cursor.number("y")?, cursor.number("z")?];
                    parts.positions.push(DVec3::new(x, y, z));
                    skip_reference(&mut cursor)?;
                }
            }
            b"triangles" => parts.triangles = elements(&mut cursor, "triangles", &parts)?,
            b"tetrahedra" => parts.tets = elements(&mut cursor, "tets", &parts)?,
            b"edges" => ignored::<2>(&mut cursor, "edges", &mut parts)?,
            b"quadrilaterals" => ignored::<4>(&mut cursor, "quadrangles", &mut parts)?,
            b"prisms" => ignored::<6>(&mut cursor, "prisms", &mut parts)?,
            b"hexahedra" | b"hexaedra" => ignored::<8>(&mut cursor, "hexahedra", &mut parts)?,
            b"end" => {
                ended = true;
                break;
            }
            _ if number::<f64>(keyword).is_some() => {
                return Err(cursor.error(unexpected("a keyword", keyword)));
            }
            // Normals, corners, required vertices …: nothing but numbers up to the next keyword.
            _ => {
                while cursor.peek().is_some_and(|word| number::<f64>(word).is_some()) {
                    cursor.word();
                }
            }
        }
    }
    if !ended {
        return Err(cursor.error(missing("End")));
    }
    parts.finish(path)
}

fn elements<const N: usize>(
    cursor: &mut Cursor,
    what: &str,
    parts: &Parts,
) -> Result<Vec<[u32; N]>, IoError> {
    let count = cursor.count(&format!("the number of {what}"), 2 * N + 2)?;
    let mut elements = Vec::with_capacity(count);
    for id in 1..=count {
        let mut element = [0; N];
        for vertex in &mut element {
            let written: u32 = cursor.number("the number of a vertex")?;
            let vertices = parts.positions.len();
            // Where the vertices come later in the file, the upper limit is checked at its end.
            if written == 0 || (vertices > 0 && written as usize > vertices) {
                let problem =
                    format!("number {id} of the {what} names vertex {written} of {vertices}");
                return Err(cursor.error(problem));
            }
            *vertex = written - 1;
        }
        skip_reference(cursor)?;
        elements.push(element);
    }
    Ok(elements)
}

fn ignored<const N: usize>(
    cursor: &mut Cursor,
    what: &'static str,
    parts: &mut Parts,
) -> Result<(), IoError> {
    let count = elements::<N>(cursor, what, parts)?.len();
    parts.ignore(what, count);
    Ok(())
}

/// Every row ends with the number of a surface or region, which we do not use; some writers put
/// it as a real number.
fn skip_reference(cursor: &mut Cursor) -> Result<(), IoError> {
    cursor.number::<f64>("a reference number").map(drop)
}

/// The text of a Medit file: tets, or else triangles.
pub fn text(mesh: &Mesh) -> String {
    let mut text = String::from("MeshVersionFormatted 2\nDimension 3\n");
    // Writing to a String cannot fail.
    let _ = writeln!(text, "Vertices\n{}", mesh.positions.len());
    for p in &mesh.positions {
        let _ = writeln!(text, "{} {} {} 0", p.x, p.y, p.z);
    }
    let mut rows = |keyword: &str, count: usize, elements: &mut dyn Iterator<Item = &[u32]>| {
        let _ = writeln!(text, "{keyword}\n{count}");
        for element in elements {
            for &v in element {
                let _ = write!(text, "{} ", u64::from(v) + 1);
            }
            text.push_str("0\n");
        }
    };
    match mesh.tets.is_empty() {
        false => rows("Tetrahedra", mesh.tets.len(), &mut mesh.tets.iter().map(|t| &t[..])),
        true => rows("Triangles", mesh.triangles.len(), &mut mesh.triangles.iter().map(|t| &t[..])),
    }
    text.push_str("End\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TET: &str = "MeshVersionFormatted 1\nDimension\n3\n# a comment\nVertices\n4\n0 0 0 0\n1 \
        0 0 0\n0 1 0 0\n0 0 1 0\n\
        Corners\n2\n1\n2\nTriangles 1\n1 2 3 7\nTetrahedra\n1\n1 2 3 4 1\nEdges 0\n End\n";

    fn read(text: &str) -> Result<Loaded, String> {
        parse(Path::new("m.mesh"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn a_tet_is_read() {
        let loaded = read(TET).unwrap();
        assert_eq!(loaded.mesh.tets, [[0, 1, 2, 3]]);
        assert_eq!(loaded.mesh.triangles.len(), 4);
    }

    #[test]
    fn errors_say_where_and_what() {
        let change = |from: &str, to: &str| read(&TET.replace(from, to)).unwrap_err();
        assert_eq!(change("\n3\n", "\n2\n"), "m.mesh, line 3: expected dimension 3, found 2");
        assert!(
            change("1 2 3 4 1", "1 2 3 5 1").contains("number 1 of the tets names vertex 5 of 4")
        );
        assert!(change("1 2 3 4 1", "0 2 3 4 1").contains("names vertex 0 of 4"));
        assert!(change("Vertices\n4", "Vertices\n400000").contains("cannot hold that many"));
        assert!(change(" End", "").contains("expected End"));
        assert!(
            change("MeshVersion", "Mash")
                .starts_with("m.mesh, line 1: expected MeshVersionFormatted")
        );
    }
}

//! TetGen: vertices in `.node`, tets in `.ele`, numbered from 0 or from 1.

use std::fmt::Write;
use std::path::Path;

use glam::DVec3;
use pliant_mesh::Mesh;

use crate::atomic::write_whole;
use crate::cursor::Cursor;
use crate::error::IoError;
use crate::format::{Description, Reader, Writer};
use crate::loaded::{Loaded, Parts};
use crate::read::read_bytes;

/// TetGen in the registry.
pub const FORMAT: Description = Description {
    written: &["node", "ele"],
    companions: &[("node", "ele"), ("ele", "node")],
    tets: true,
    writer: Some(Writer::Files(write)),
    ..Description::new("TetGen", &["node", "ele"], Reader::Files(read))
};

/// Reads the two files, of which either is named.
fn read(path: &Path) -> Result<Loaded, IoError> {
    let (nodes, tets) = (path.with_extension("node"), path.with_extension("ele"));
    parse((&nodes, &read_bytes(&nodes)?), (&tets, &read_bytes(&tets)?))
}

/// Writes the two files, of which either is named.
fn write(path: &Path, loaded: &Loaded) -> Result<(), IoError> {
    if loaded.mesh.tets.is_empty() {
        return Err(IoError::content(path, "TetGen files hold tets, but this is a surface"));
    }
    let (nodes, tets) = texts(&loaded.mesh);
    write_whole(&path.with_extension("node"), nodes.as_bytes())?;
    write_whole(&path.with_extension("ele"), tets.as_bytes())
}

/// Reads the bytes of the two files; the paths are only for errors.
pub fn parse(
    (node_path, node_bytes): (&Path, &[u8]),
    (ele_path, ele_bytes): (&Path, &[u8]),
) -> Result<Loaded, IoError> {
    let mut parts = Parts::default();
    let base = read_nodes(Cursor::new(node_path, node_bytes).with_comments(b'#'), &mut parts)?;
    read_tets(Cursor::new(ele_path, ele_bytes).with_comments(b'#'), base, &mut parts)?;
    parts.finish(ele_path)
}

/// Returns the number of the first vertex.
fn read_nodes(mut cursor: Cursor, parts: &mut Parts) -> Result<u64, IoError> {
    let count = cursor.count("the number of vertices", 8)?;
    let dimension: u32 = cursor.number("the dimension")?;
    if dimension != 3 {
        return Err(cursor.error(format!("expected dimension 3, found {dimension}")));
    }
    let attributes = cursor.count("the number of attributes", 2)?;
    let markers = cursor.count("the number of boundary markers", 2)?;
    parts.positions.reserve(count);
    let mut base = 0;
    for index in 0..count as u64 {
        let number: u64 = cursor.number("the number of a vertex")?;
        if index == 0 {
            base = number;
        }
        in_sequence(&cursor, "vertex", number, base, index)?;
        let [x, y, z] = [cursor.number("x")?, cursor.number("y")?, cursor.number("z")?];
        parts.positions.push(DVec3::new(x, y, z));
        skip_numbers(&mut cursor, attributes + markers)?;
    }
    Ok(base)
}

fn read_tets(mut cursor: Cursor, base: u64, parts: &mut Parts) -> Result<(), IoError> {
    let count = cursor.count("the number of tets", 10)?;
    let corners: u32 = cursor.number("the number of corners")?;
    if corners != 4 && corners != 10 {
        return Err(cursor.error(format!("expected 4 or 10 nodes per tet, found {corners}")));
    }
    let attributes = cursor.count("the number of attributes", 2)?;
    let vertices = parts.positions.len();
    parts.tets.reserve(count);
    let mut first = 0;
    for index in 0..count as u64 {
        let number: u64 = cursor.number("the number of a tet")?;
        if index == 0 {
            first = number;
        }
        in_sequence(&cursor, "tet", number, first, index)?;
        let mut tet = [0; 4];
        for corner in &mut tet {
            let written: u64 = cursor.number("the number of a vertex")?;
            let index = written.checked_sub(base).filter(|&v| v < vertices as u64);
            *corner = index.and_then(|v| u32::try_from(v).ok()).ok_or_else(|| {
                cursor.error(format!(
                    "tet {number} names vertex {written}, but there are {vertices} (from {base})"
                ))
            })?;
        }
        parts.tets.push(tet);
        skip_numbers(&mut cursor, corners as usize - 4 + attributes)?;
    }
    if corners == 10 {
        parts.notes.push("kept the four corners of every 10-node tet".to_owned());
    }
    Ok(())
}

fn in_sequence(
    cursor: &Cursor,
    what: &str,
    found: u64,
    base: u64,
    index: u64,
) -> Result<(), IoError> {
    let expected = base.checked_add(index);
    if base <= 1 && expected == Some(found) {
        return Ok(());
    }
    let expected = if base > 1 { "0 or 1".to_owned() } else { (base + index).to_string() };
    Err(cursor.error(format!("expected {what} number {expected}, found {found}")))
}

fn skip_numbers(cursor: &mut Cursor, count: usize) -> Result<(), IoError> {
    (0..count).try_for_each(|_| cursor.number::<f64>("an attribute or marker").map(drop))
}

/// The texts of the `.node` and the `.ele` file, numbered from 1.
fn texts(mesh: &Mesh) -> (String, String) {
    // Writing to a String cannot fail.
    let mut nodes = format!("{} 3 0 0\n", mesh.positions.len());
    for (number, p) in (1..).zip(&mesh.positions) {
        let _ = writeln!(nodes, "{number} {} {} {}", p.x, p.y, p.z);
    }
    let mut tets = format!("{} 4 0\n", mesh.tets.len());
    for (number, tet) in (1..).zip(&mesh.tets) {
        let [a, b, c, d] = tet.map(|v| u64::from(v) + 1);
        let _ = writeln!(tets, "{number} {a} {b} {c} {d}");
    }
    (nodes, tets)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: &str = "# made by hand\n4 3 1 1\n1 0 0 0 0.5 1\n2 1 0 0 0.5 1 # second\n3 0 1 0 \
        0.5 1\n4 0 0 1 0.5 1\n";
    const TETS: &str = "1 4 1\n1 1 2 3 4 77\n# end";

    fn read(nodes: &str, tets: &str) -> Result<Loaded, String> {
        let (node, ele) = (Path::new("m.node"), Path::new("m.ele"));
        parse((node, nodes.as_bytes()), (ele, tets.as_bytes())).map_err(|e| e.to_string())
    }

    #[test]
    fn both_numberings_are_read() {
        let from_one = read(NODES, TETS).unwrap().mesh;
        assert_eq!(from_one.tets, [[0, 1, 2, 3]]);
        let nodes = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
        assert_eq!(read(nodes, "1 4 0\n0 0 1 2 3\n").unwrap().mesh, from_one);
        let curved = "1 10 0\n1 1 2 3 4 1 1 1 1 1 1\n";
        assert_eq!(read(NODES, curved).unwrap().mesh, from_one);
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let error = read(NODES, "1 4 0\n1 1 2 3 5\n").unwrap_err();
        assert_eq!(error, "m.ele, line 2: tet 1 names vertex 5, but there are 4 (from 1)");
        let error = read(&NODES.replace("\n3 0", "\n5 0"), TETS).unwrap_err();
        assert_eq!(error, "m.node, line 5: expected vertex number 3, found 5");
        let error = read("999999 3 0 0\n", TETS).unwrap_err();
        assert!(error.contains("cannot hold that many"), "{error}");
        let error = read(&NODES[..40], TETS).unwrap_err();
        assert!(error.starts_with("m.node, line"), "{error}");
    }
}

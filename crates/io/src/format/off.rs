//! OFF, the Object File Format of Geomview, in text: `OFF`, counts, vertices, faces. Letters
//! before `OFF` say what stands behind the coordinates: normals (N), colours (C), texture
//! coordinates (ST).

use std::fmt::Write;
use std::path::Path;

use glam::DVec3;

use crate::attribute::Attribute;
use crate::cursor::{Cursor, parse as number, unexpected};
use crate::error::IoError;
use crate::format::{Attributes, Description, Reader, Writer};
use crate::loaded::{Loaded, Parts};

/// OFF in the registry.
pub const FORMAT: Description = Description {
    written: &["off"],
    polygons: true,
    attributes: Attributes::Color,
    writer: Some(Writer::Mesh(|_, loaded| Ok(text(loaded).into_bytes()))),
    ..Description::new("OFF", &["off"], Reader::Mesh(|path, bytes, _| parse(path, bytes)))
};

/// Reads the bytes of an OFF file; `path` is only for errors.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    let mut cursor = Cursor::new(path, bytes).with_comments(b'#');
    let columns = read_header(&mut cursor)?;
    let vertices = cursor.count("the number of vertices", 4)?;
    let faces = cursor.count("the number of faces", 4)?;
    cursor.number::<u64>("the number of edges")?;
    let mut parts = Parts::default();
    parts.positions.reserve(vertices);
    let mut colors = Vec::new();
    for _ in 0..vertices {
        let [x, y, z] = [cursor.number("x")?, cursor.number("y")?, cursor.number("z")?];
        parts.positions.push(DVec3::new(x, y, z));
        for _ in 0..columns.before_color {
            cursor.number::<f64>("a normal or a fourth coordinate")?;
        }
        if columns.color {
            colors.extend(read_color(&mut cursor)?);
        }
        if columns.texture {
            cursor.number::<f64>("a texture coordinate")?;
            cursor.number::<f64>("a texture coordinate")?;
        }
    }
    let mut corners = Vec::new();
    for face in 0..faces {
        let count = cursor.count("the number of corners", 2)?;
        corners.clear();
        for _ in 0..count {
            let vertex: u32 = cursor.number("the number of a vertex")?;
            if vertex as usize >= vertices {
                let problem =
                    format!("face {face} names vertex {vertex}, but there are {vertices} (from 0)");
                return Err(cursor.error(problem));
            }
            corners.push(vertex);
        }
        // What is left of the line is the face's colour.
        cursor.line();
        match corners.len() {
            0 => parts.ignore("faces without corners", 1),
            1 => parts.ignore("points", 1),
            2 => parts.ignore("lines", 1),
            _ => parts.add_polygon(&corners, || format!("face {face}")),
        }
    }
    parts.attributes.extend(color_attribute(colors));
    parts.finish(path)
}

/// What a vertex has besides three coordinates.
#[derive(Default)]
struct Columns {
    before_color: usize,
    color: bool,
    texture: bool,
}

fn read_header(cursor: &mut Cursor) -> Result<Columns, IoError> {
    let before = cursor.at_word();
    // The keyword may be missing: then the file starts with its counts.
    let Some(word) = cursor.peek().filter(|word| number::<u64>(word).is_none()) else {
        return Ok(Columns::default());
    };
    cursor.word();
    let fail = || before.error(unexpected("OFF", word));
    let mut letters = word.strip_suffix(b"OFF").ok_or_else(fail)?;
    let mut takes = |prefix: &[u8]| {
        let rest = letters.strip_prefix(prefix);
        letters = rest.unwrap_or(letters);
        rest.is_some()
    };
    let (texture, color, normal) = (takes(b"ST"), takes(b"C"), takes(b"N"));
    let homogeneous = takes(b"4");
    if !letters.is_empty() {
        return Err(before.error(unexpected("OFF, COFF, NOFF, STOFF or 4OFF", word)));
    }
    if cursor.peek().is_some_and(|word| word.eq_ignore_ascii_case(b"BINARY")) {
        return Err(before.error("is a binary OFF file; expected one in text"));
    }
    let before_color = 3 * usize::from(normal) + usize::from(homogeneous);
    Ok(Columns { before_color, color, texture })
}

/// Red, green, blue and, if the line has a fourth number, alpha.
fn read_color(cursor: &mut Cursor) -> Result<[f64; 4], IoError> {
    let mut color = [1.0; 4];
    let mut whole = true;
    for value in &mut color[..3] {
        let at = cursor.at_word();
        let word = cursor.word().unwrap_or_default();
        whole &= !word.contains(&b'.');
        *value = number(word).ok_or_else(|| at.error(unexpected("a colour", word)))?;
    }
    let line = cursor.rest().split(|&b| b == b'\n').next().unwrap_or_default();
    let next = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
    let alpha = next.and_then(number::<f64>);
    if let Some(alpha) = alpha {
        cursor.word();
        color[3] = alpha;
    }
    // Whole numbers go up to 255.
    if whole {
        let scaled = if alpha.is_some() { 4 } else { 3 };
        color[..scaled].iter_mut().for_each(|value| *value /= 255.0);
    }
    Ok(color)
}

fn color_attribute(colors: Vec<f64>) -> Option<Attribute> {
    (!colors.is_empty()).then(|| Attribute {
        name: Attribute::COLOR.into(),
        components: 4,
        values: colors,
    })
}

/// The text of an OFF file: positions, faces, and colours if there are any.
pub fn text(loaded: &Loaded) -> String {
    let positions = &loaded.mesh.positions;
    let color = loaded.attributes.iter().find(|attribute| attribute.is_color());
    let mut text = String::with_capacity(40 * positions.len() + 24 * loaded.face_count());
    // Writing to a String cannot fail.
    text.push_str(if color.is_some() { "COFF\n" } else { "OFF\n" });
    let _ = writeln!(text, "{} {} 0", positions.len(), loaded.face_count());
    for (vertex, p) in positions.iter().enumerate() {
        let _ = write!(text, "{} {} {}", p.x, p.y, p.z);
        if let Some(color) = color {
            let rgb = color.of(vertex);
            // A point in every number: whole ones would be read as 0 to 255.
            for component in rgb.iter().chain(&[1.0][..usize::from(rgb.len() == 3)]) {
                let _ = write!(text, " {component:?}");
            }
        }
        text.push('\n');
    }
    for face in loaded.faces() {
        let _ = write!(text, "{}", face.len());
        for corner in face {
            let _ = write!(text, " {corner}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Loaded, String> {
        parse(Path::new("m.off"), text.as_bytes()).map_err(|e| e.to_string())
    }

    const ROWS: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

    #[test]
    fn every_header_is_understood() {
        let plain = read(&format!("OFF # square\n4 1 0\n\n{ROWS}4 0 1 2 3\n")).unwrap();
        assert_eq!(plain.mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(plain.polygons.len(), 1);
        let no_keyword = read(&format!("4 1 0\n{ROWS}4 0 1 2 3 0.5 0.5 0.5\n")).unwrap();
        assert_eq!(no_keyword, plain);
        let normals = ROWS.replace("0\n", "0 0 0 1\n");
        let with_normals = read(&format!("NOFF 4 1 0\n{normals}4 0 1 2 3 255 0 0\n")).unwrap();
        assert_eq!(with_normals, plain);
        let colors = ROWS.replace("0\n", "0 255 0 51 255\n");
        let colored = read(&format!("COFF\n4 1 0\n{colors}4 0 1 2 3\n")).unwrap();
        assert_eq!(colored.attributes[0].of(2), [1.0, 0.0, 0.2, 1.0]);
        assert!(read("4OFF BINARY\n\0\0").unwrap_err().contains("binary OFF"));
    }

    #[test]
    fn what_is_written_reads_back() {
        let colors = ROWS.replace("0\n", "0 0.25 1.0 0.125\n");
        let loaded = read(&format!("COFF\n4 1 0\n{colors}4 0 1 2 3\n")).unwrap();
        assert_eq!(read(&text(&loaded)).unwrap(), loaded);
    }

    #[test]
    fn errors_name_the_line() {
        let error = read(&format!("OFF\n4 1 0\n{ROWS}3 0 1 4\n")).unwrap_err();
        assert_eq!(error, "m.off, line 7: face 0 names vertex 4, but there are 4 (from 0)");
        let error = read("OOF\n4 1 0\n").unwrap_err();
        assert_eq!(error, "m.off, line 1: expected OFF, found \"OOF\"");
        let error = read(&format!("OFF\n4 1 0\n{ROWS}3 0 1")).unwrap_err();
        assert_eq!(error, "m.off, line 7: expected the number of a vertex, found the end");
        assert!(read("OFF\n999999999 1 0\n").unwrap_err().contains("cannot hold that many"));
    }
}

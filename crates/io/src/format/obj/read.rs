//! Reads OBJ: `v`, `f`, `g` and `o`; everything else is decoration to us.

use std::path::Path;

use glam::DVec3;

use crate::attribute::Attribute;
use crate::cursor::{missing, parse as number, unexpected};
use crate::error::{IoError, Place, Problem};
use crate::groups::GroupMembers;
use crate::loaded::{Loaded, Parts};

/// A face as written, until all vertices are known: positive indices may point ahead.
struct Face {
    line: usize,
    corners: Vec<i64>,
    /// Vertices before the face, which negative indices count from.
    vertices_before: usize,
    groups: usize,
}

/// Reads the bytes of an OBJ file; `path` is only for errors.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    refuse_utf16(path, bytes)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let at = |line: usize| {
        move |problem: Problem| IoError::Syntax {
            path: path.to_owned(),
            place: Place::Line(line),
            problem: problem.into(),
        }
    };
    let mut parts = Parts::default();
    let mut colors = Colors::default();
    let mut faces: Vec<Face> = Vec::new();
    // Sets of group names, as `g` lines select them; a face refers to one.
    let mut group_sets: Vec<Vec<String>> = vec![Vec::new()];
    let mut object: Option<String> = None;
    let mut lines_drawn = 0;
    let mut joined = Vec::new();
    let mut lines = bytes.split(|&b| b == b'\n').enumerate();
    while let Some((index, line)) = lines.next() {
        let number_of_line = index + 1;
        let line = join_continued(line, &mut lines, &mut joined);
        let mut words = line
            .split(|&b| b == b'#')
            .next()
            .unwrap_or_default()
            .split(u8::is_ascii_whitespace)
            .filter(|w| !w.is_empty());
        match words.next() {
            Some(b"v") => {
                parts.positions.push(position(&mut words).map_err(at(number_of_line))?);
                colors.add(words);
            }
            Some(b"f") => faces.push(Face {
                line: number_of_line,
                corners: corners(words).map_err(at(number_of_line))?,
                vertices_before: parts.positions.len(),
                groups: group_sets.len() - 1,
            }),
            Some(b"g") => {
                let names = words.map(|w| String::from_utf8_lossy(w).into_owned());
                let names = object.iter().cloned().chain(names).collect();
                group_sets.push(names);
            }
            Some(b"o") => {
                object = words.next().map(|w| String::from_utf8_lossy(w).into_owned());
                group_sets.push(object.iter().cloned().collect());
            }
            Some(b"l") => lines_drawn += 1,
            Some(b"p") => parts.ignore("points", 1),
            _ => {}
        }
    }

    // Beside faces they are helpers of a modeller, or keep vertices that no face uses.
    if faces.is_empty() {
        parts.ignore("lines", lines_drawn);
    }
    let mut members = GroupMembers::default();
    for face in &faces {
        let corners = resolve(face, parts.positions.len()).map_err(at(face.line))?;
        members.add(&group_sets[face.groups], &corners);
        parts.add_polygon(&corners, || format!("line {}", face.line));
    }
    parts.groups = members.finish();
    parts.attributes.extend(colors.finish(parts.positions.len()));
    parts.finish(path)
}

fn refuse_utf16(path: &Path, bytes: &[u8]) -> Result<(), IoError> {
    let marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let start = &bytes[..bytes.len().min(256)];
    let zeros = start.iter().filter(|&&b| b == 0).count();
    if marked || (start.len() >= 8 && 3 * zeros >= start.len()) {
        let problem = "is written in UTF-16; expected UTF-8 or ASCII: save it again as such";
        return Err(IoError::content(path, problem));
    }
    Ok(())
}

/// A line that ends with a backslash goes on with the next.
fn join_continued<'b, 'a: 'b>(
    line: &'a [u8],
    lines: &mut impl Iterator<Item = (usize, &'a [u8])>,
    joined: &'b mut Vec<u8>,
) -> &'b [u8] {
    let trimmed = |line: &'a [u8]| line.strip_suffix(b"\r").unwrap_or(line);
    let Some(mut start) = trimmed(line).strip_suffix(b"\\") else { return line };
    joined.clear();
    loop {
        joined.extend_from_slice(start);
        joined.push(b' ');
        let Some((_, next)) = lines.next() else { break };
        match trimmed(next).strip_suffix(b"\\") {
            Some(more) => start = more,
            None => {
                joined.extend_from_slice(next);
                break;
            }
        }
    }
    joined
}

fn position<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> Result<DVec3, Problem> {
    let mut coordinates = [0.0; 3];
    for (value, what) in coordinates.iter_mut().zip(["x", "y", "z"]) {
        let word = words.next().ok_or_else(|| missing(what))?;
        *value = number(word).ok_or_else(|| unexpected(&format!("{what} as a number"), word))?;
    }
    Ok(DVec3::from(coordinates))
}

/// Colours behind the coordinates, as many programs write them: `v x y z r g b`.
#[derive(Default)]
struct Colors {
    values: Vec<f64>,
}

impl Colors {
    fn add<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) {
        let color: Vec<f64> = words.take(4).map_while(number).collect();
        // One number more is a weight, and no colour.
        if let [_, _, _] = color[..] {
            self.values.extend(color);
        }
    }

    /// Colours, if every vertex has one. Those written from 0 to 255 are brought to 0 to 1.
    fn finish(mut self, vertices: usize) -> Option<Attribute> {
        if vertices == 0 || self.values.len() != 3 * vertices {
            return None;
        }
        if self.values.iter().any(|&value| value > 1.0) {
            self.values.iter_mut().for_each(|value| *value /= 255.0);
        }
        Some(Attribute { name: Attribute::COLOR.into(), components: 3, values: self.values })
    }
}

/// The vertex of every `v`, `v/vt`, `v//vn` or `v/vt/vn`.
fn corners<'a>(words: impl Iterator<Item = &'a [u8]>) -> Result<Vec<i64>, Problem> {
    let corners: Vec<i64> = words
        .map(|word| {
            let vertex = word.split(|&b| b == b'/').next().unwrap_or_default();
            number(vertex).ok_or_else(|| unexpected("a vertex number", word))
        })
        .collect::<Result<_, _>>()?;
    if corners.len() < 3 {
        return Err(
            format!("expected a face of at least 3 vertices, found {}", corners.len()).into()
        );
    }
    Ok(corners)
}

fn resolve(face: &Face, count: usize) -> Result<Vec<u32>, Problem> {
    let vertex = |&corner: &i64| {
        let index = if corner < 0 {
            usize::try_from(corner.unsigned_abs())
                .ok()
                .and_then(|back| face.vertices_before.checked_sub(back))
        } else {
            usize::try_from(corner - 1).ok()
        };
        index
            .filter(|&i| i < count)
            .and_then(|i| u32::try_from(i).ok())
            .ok_or_else(|| format!("the face names vertex {corner}, but there are {count}").into())
    };
    face.corners.iter().map(vertex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Loaded, String> {
        parse(Path::new("m.obj"), text.as_bytes()).map_err(|e| e.to_string())
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn all_spellings_of_a_face_are_understood() {
        let text = format!("{SQUARE}vt 0 0\nvn 0 0 1\nf 1 2/1 3//1\nf -4/1/1 -2 4 # end\r\n");
        assert_eq!(read(&text).unwrap().mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        let continued = format!("{SQUARE}f 1 2 \\\n3 \\\r\n 4");
        assert_eq!(read(&continued).unwrap().mesh.triangles.len(), 2);
        let ahead = format!("f 1 2 3\n{SQUARE}");
        assert_eq!(read(&ahead).unwrap().mesh.triangles, [[0, 1, 2]]);
    }

    #[test]
    fn groups_and_objects_collect_their_vertices() {
        let text = format!("{SQUARE}o body\ng ear lobe\nf 1 2 3\ng\nf 1 3 4\n");
        let groups = read(&text).unwrap().mesh.groups;
        let named: Vec<_> = groups.iter().map(|g| (g.name.as_str(), g.vertices.len())).collect();
        assert_eq!(named, [("body", 4), ("ear", 3), ("lobe", 3)]);
    }

    #[test]
    fn errors_name_the_line() {
        let with = |line: &str| read(&format!("{SQUARE}{line}\nf 1 2 3\n")).unwrap_err();
        assert_eq!(with("f 1 2 9"), "m.obj, line 5: the face names vertex 9, but there are 4");
        assert_eq!(with("f 0 1 2"), "m.obj, line 5: the face names vertex 0, but there are 4");
        assert_eq!(with("f -5 1 2"), "m.obj, line 5: the face names vertex -5, but there are 4");
        assert_eq!(with("f"), "m.obj, line 5: expected a face of at least 3 vertices, found 0");
        assert_eq!(with("v 1 x 0"), "m.obj, line 5: expected y as a number, found \"x\"");
        assert_eq!(with("v 1 2"), "m.obj, line 5: expected z, found the end");
        assert!(read("").unwrap_err().contains("expected vertices"));
        assert!(read(&format!("{SQUARE}p 1 2\n")).unwrap_err().ends_with("found only 1 points"));
        assert!(read(&format!("{SQUARE}l 1 2\n")).unwrap_err().ends_with("found only 1 lines"));
        assert_eq!(read(&format!("{SQUARE}f 1 2 3\nl 1 4\n")).unwrap().notes, [""; 0]);
    }

    #[test]
    fn infinite_and_unknown_coordinates_are_kept() {
        let mesh = read("v nan inf -inf\nv 1 0 0\nv 0 1 0\nf 1 2 3").unwrap().mesh;
        assert!(mesh.positions[0].x.is_nan() && mesh.positions[0].y == f64::INFINITY);
    }

    #[test]
    fn utf16_is_refused_with_a_sentence() {
        let utf16: Vec<u8> = SQUARE.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let error = parse(Path::new("m.obj"), &utf16).unwrap_err().to_string();
        assert!(error.contains("UTF-16"), "{error}");
    }
}

//! Vega `.veg`: sections `*VERTICES`, `*ELEMENTS`, `*MATERIAL`, `*SET`, `*REGION`, and `*INCLUDE`
//! wherever lines may stand. Sets of elements become groups of their vertices.

use std::path::Path;

use glam::DVec3;
use pliant_mesh::Group;

use crate::beside::Beside;
use crate::cursor::{Cursor, parse as number, unexpected};
use crate::error::IoError;
use crate::format::{Description, Reader as FormatReader};
use crate::loaded::{Loaded, Parts};

/// Files within files, at most.
const DEEPEST: usize = 8;
/// Included files are lists and meshes; longer ones are a mistake.
const LONGEST: u64 = 1 << 32;

/// Vega in the registry.
pub const FORMAT: Description =
    Description { tets: true, ..Description::new("Vega", &["veg"], FormatReader::Mesh(parse)) };

/// Reads the bytes of a Vega file; `beside` finds what it includes.
pub fn parse(path: &Path, bytes: &[u8], beside: Beside) -> Result<Loaded, IoError> {
    let mut reader = Reader::default();
    reader.read(path, bytes, beside, DEEPEST)?;
    reader.finish_sets();
    reader.parts.finish(path)
}

#[derive(Default)]
struct Reader {
    parts: Parts,
    section: Section,
    first_vertex: u64,
    first_element: u64,
    /// Names with numbers of elements.
    sets: Vec<(String, Vec<u64>)>,
    /// Corners of every element, of whatever kind, for the sets.
    elements: Vec<Vec<u32>>,
}

#[derive(Default, PartialEq)]
enum Section {
    #[default]
    None,
    Vertices,
    Elements,
    Set,
}

impl Reader {
    fn read(
        &mut self,
        path: &Path,
        bytes: &[u8],
        beside: Beside,
        depth: usize,
    ) -> Result<(), IoError> {
        let mut cursor = Cursor::new(path, bytes).with_comments(b'#');
        loop {
            let at = cursor.at_word();
            let Some(word) = cursor.peek() else { return Ok(()) };
            let Some(keyword) = word.strip_prefix(b"*") else {
                self.rows(&mut cursor)?;
                continue;
            };
            cursor.word();
            let name = text_before_comment(cursor.line());
            match keyword.to_ascii_uppercase().as_slice() {
                b"VERTICES" => self.section = Section::Vertices,
                b"ELEMENTS" => self.section = Section::Elements,
                b"SET" => {
                    self.section = Section::Set;
                    self.sets.push((name, Vec::new()));
                }
                b"INCLUDE" => self.include(&at, &name, beside, depth)?,
                _ => self.section = Section::None,
            }
        }
    }

    fn include(
        &mut self,
        at: &Cursor,
        name: &str,
        beside: Beside,
        depth: usize,
    ) -> Result<(), IoError> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(at.error(format!("expected at most {DEEPEST} files within each other")));
        };
        match beside.read(name, LONGEST) {
            Ok(bytes) => self.read(Path::new(name), &bytes, beside, depth),
            // A set is a choice among what is there; without it the mesh is whole.
            Err(error) if self.section == Section::Set => {
                let set = self.sets.pop().map_or(String::new(), |(name, _)| name);
                self.parts.notes.push(format!("left out the set {set}: {error}"));
                self.section = Section::None;
                Ok(())
            }
            Err(error) => Err(at.error(format!("*INCLUDE: {error}"))),
        }
    }

    /// What stands below a keyword, up to the next.
    fn rows(&mut self, cursor: &mut Cursor) -> Result<(), IoError> {
        match self.section {
            Section::None => drop(cursor.line()),
            Section::Vertices => self.vertices(cursor)?,
            Section::Elements => self.elements(cursor)?,
            Section::Set => {
                let at = cursor.at_word();
                let word = cursor.word().unwrap_or_default();
                let Some((_, members)) = self.sets.last_mut() else { return Ok(()) };
                for id in word.split(|&b| b == b',').filter(|id| !id.is_empty()) {
                    let id = number(id).ok_or_else(|| at.error(unexpected("an element", id)))?;
                    members.push(id);
                }
            }
        }
        Ok(())
    }

    fn vertices(&mut self, cursor: &mut Cursor) -> Result<(), IoError> {
        let count = cursor.count("the number of vertices", 8)?;
        let dimension: u32 = cursor.number("the dimension")?;
        if dimension != 3 {
            return Err(cursor.error(format!("expected dimension 3, found {dimension}")));
        }
        cursor.line();
        self.parts.positions.reserve(count);
        for index in 0..count as u64 {
            let id: u64 = cursor.number("the number of a vertex")?;
            if index == 0 {
                self.first_vertex = id;
            }
            let expected = self.first_vertex.checked_add(index);
            if expected != Some(id) {
                let problem = format!("expected vertices numbered without gaps, found {id}");
                return Err(cursor.error(problem));
            }
            let [x, y, z] = [cursor.number("x")?, cursor.number("y")?, cursor.number("z")?];
            self.parts.positions.push(DVec3::new(x, y, z));
        }
        self.section = Section::None;
        Ok(())
    }

    fn elements(&mut self, cursor: &mut Cursor) -> Result<(), IoError> {
        let at = cursor.at_word();
        let kind = cursor.word().unwrap_or_default().to_ascii_uppercase();
        let count = cursor.count("the number of elements", 10)?;
        let corners = cursor.count("the number of corners", 2)?;
        let expected = match kind.as_slice() {
            b"TET" | b"TETS" => 4,
            b"CUBIC" | b"CUBE" | b"CUBES" => 8,
            _ => return Err(at.error(unexpected("TET or CUBIC", &kind))),
        };
        if corners != expected {
            let problem = format!("expected {expected} corners per element, found {corners}");
            return Err(cursor.error(problem));
        }
        cursor.line();
        let vertices = self.parts.positions.len() as u64;
        for index in 0..count {
            let id: u64 = cursor.number("the number of an element")?;
            if index == 0 {
                self.first_element = id;
            }
            let mut element = Vec::with_capacity(corners);
            for _ in 0..corners {
                let written: u64 = cursor.number("the number of a vertex")?;
                let vertex = written.checked_sub(self.first_vertex).filter(|&v| v < vertices);
                element.push(vertex.and_then(|v| u32::try_from(v).ok()).ok_or_else(|| {
                    cursor.error(format!(
                        "element {id} names vertex {written}, but there are {vertices} (from {})",
                        self.first_vertex
                    ))
                })?);
            }
            match element[..] {
                [a, b, c, d] => self.parts.tets.push([a, b, c, d]),
                _ => self.parts.ignore("hexahedra", 1),
            }
            self.elements.push(element);
        }
        self.section = Section::None;
        Ok(())
    }

    fn finish_sets(&mut self) {
        for (name, members) in std::mem::take(&mut self.sets) {
            let element = |id: u64| {
                let index = usize::try_from(id.checked_sub(self.first_element)?).ok()?;
                self.elements.get(index)
            };
            let vertices = members.into_iter().filter_map(element).flatten().copied().collect();
            self.parts.groups.push(Group::new(name, vertices));
        }
    }
}

fn text_before_comment(line: Option<&[u8]>) -> String {
    let text = line.unwrap_or_default().split(|&b| b == b'#').next().unwrap_or_default();
    String::from_utf8_lossy(text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TET: &str = "# by hand\n*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\n\
        *ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n\n*MATERIAL body\nENU, 1000, 1e6, 0.45\n*REGION\nall, body\n";

    fn read(text: &str) -> Result<Loaded, String> {
        let path = Path::new("m.veg");
        parse(path, text.as_bytes(), Beside::Nothing).map_err(|e| e.to_string())
    }

    #[test]
    fn tets_and_sets_are_read() {
        let mesh = read(&format!("{TET}*SET half\n1, 9,\n")).unwrap().mesh;
        assert_eq!(mesh.tets, [[0, 1, 2, 3]]);
        assert_eq!(mesh.groups, [Group::new("half", vec![0, 1, 2, 3])]);
    }

    #[test]
    fn includes_are_read_from_the_same_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.veg");
        std::fs::write(folder.path().join("half.txt"), "1,\n").unwrap();
        let text = format!("{TET}*SET half\n*INCLUDE half.txt\n*SET gone\n*INCLUDE gone.txt\n");
        let loaded = parse(&path, text.as_bytes(), Beside::Of(&path)).unwrap();
        assert_eq!(loaded.mesh.groups.len(), 1);
        assert!(loaded.notes[0].starts_with("left out the set gone: "), "{:?}", loaded.notes);
        std::fs::write(folder.path().join("self.veg"), "*INCLUDE self.veg\n").unwrap();
        let error = parse(&path, b"*INCLUDE self.veg\n", Beside::Of(&path)).unwrap_err();
        assert!(error.to_string().contains("at most 8 files"), "{error}");
        let error = read("*VERTICES\n*INCLUDE v.txt\n").unwrap_err();
        assert!(error.starts_with("m.veg, line 2: *INCLUDE: v.txt: is named"), "{error}");
    }

    #[test]
    fn errors_name_the_line() {
        let error = read(&TET.replace("1 1 2 3 4", "1 1 2 3 5")).unwrap_err();
        assert!(error.contains("line 12: element 1 names vertex 5, but there are 4"), "{error}");
        let error = read(&TET.replace("TET", "SPLINE")).unwrap_err();
        assert_eq!(error, "m.veg, line 10: expected TET or CUBIC, found \"SPLINE\"");
        assert!(read("*VERTICES\n99999999 3 0 0\n").unwrap_err().contains("cannot hold"));
    }
}

//! Gmsh `.msh`: versions 1.0, 2.x and 4.1, in text, and the latter two in binary.
//!
//! Tets are kept, or triangles where there are no tets. Physical groups become groups of
//! vertices, whatever the elements in them; those without a name are called
//! `physical-DIMENSION-TAG`.

mod elements;
mod nodes;
mod version1;
mod version2;
mod version4;
mod write;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use glam::DVec3;
use pliant_mesh::Group;

use crate::cursor::{Cursor, Endian, missing, parse as number, unexpected};
use crate::error::IoError;
use crate::format::{Description, Reader, Writer};
use crate::loaded::{Loaded, Parts};
use elements::ElementKind;
use nodes::NodeTags;

/// Gmsh in the registry.
pub const FORMAT: Description = Description {
    written: &["msh"],
    tets: true,
    writer: Some(Writer::Mesh(|_, loaded| Ok(write::text(&loaded.mesh).into_bytes()))),
    ..Description::new("Gmsh", &["msh"], Reader::Mesh(|path, bytes, _| parse(path, bytes)))
};

/// Reads the bytes of a Gmsh file; `path` is only for errors.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    let cursor = Cursor::new(path, bytes);
    let mut file = Gmsh::default();
    match cursor.peek() {
        Some(b"$NOD") => version1::read(cursor, &mut file)?,
        Some(b"$MeshFormat") => read_sections(cursor, &mut file)?,
        Some(word) => return Err(cursor.error(unexpected("$MeshFormat or $NOD", word))),
        None => return Err(cursor.error(missing("$MeshFormat or $NOD"))),
    }
    file.finish(path)
}

/// What the sections of a file add up to.
#[derive(Default)]
struct Gmsh {
    parts: Parts,
    tags: NodeTags,
    /// Names of physical groups by dimension and tag.
    names: HashMap<(i64, i64), String>,
    /// Vertices of physical groups by dimension and tag.
    physical: BTreeMap<(i64, i64), Vec<u32>>,
}

impl Gmsh {
    /// Reads a node; `position` follows `tag` at once or later, as the version has it.
    fn add_node(&mut self, numbers: &Numbers, tag: u64, position: DVec3) -> Result<(), IoError> {
        let vertex = self.parts.positions.len() as u32;
        if !self.tags.add(tag, vertex) {
            return Err(numbers.cursor.error(format!("two nodes have the tag {tag}")));
        }
        self.parts.positions.push(position);
        Ok(())
    }

    /// Reads the nodes of an element and takes it in.
    fn read_element(
        &mut self,
        numbers: &mut Numbers,
        element: u64,
        kind: &ElementKind,
        physical: &[i64],
    ) -> Result<(), IoError> {
        let mut vertices = [0u32; elements::MOST_NODES];
        let vertices = &mut vertices[..kind.nodes];
        for vertex in vertices.iter_mut() {
            let tag = numbers.node_tag()?;
            *vertex = self.tags.index(tag).ok_or_else(|| {
                numbers
                    .cursor
                    .error(format!("element {element} names node {tag}, which does not exist"))
            })?;
        }
        for &tag in physical.iter().filter(|&&tag| tag != 0) {
            let group = self.physical.entry((kind.dimension, tag.saturating_abs())).or_default();
            group.extend_from_slice(vertices);
        }
        match (kind.id, &*vertices) {
            (elements::TRIANGLE, &[a, b, c]) => self.parts.triangles.push([a, b, c]),
            (elements::TET, &[a, b, c, d]) => self.parts.tets.push([a, b, c, d]),
            _ => self.parts.ignore(kind.name, 1),
        }
        Ok(())
    }

    fn finish(mut self, path: &Path) -> Result<Loaded, IoError> {
        for ((dimension, tag), vertices) in self.physical {
            let name = self.names.remove(&(dimension, tag));
            let name = name.unwrap_or_else(|| format!("physical-{dimension}-{tag}"));
            self.parts.groups.push(Group::new(name, vertices));
        }
        self.parts.finish(path)
    }
}

/// Text or binary numbers, as the header of the file says.
struct Numbers<'a> {
    cursor: Cursor<'a>,
    binary: bool,
    /// Bytes of counts and tags in a binary file.
    size_bytes: u64,
}

impl Numbers<'_> {
    fn int(&mut self, what: &str) -> Result<i64, IoError> {
        if self.binary {
            self.cursor.binary::<i32>(what).map(i64::from)
        } else {
            self.cursor.number(what)
        }
    }

    fn size(&mut self, what: &str) -> Result<u64, IoError> {
        match (self.binary, self.size_bytes) {
            (false, _) => self.cursor.number(what),
            (true, 4) => self.cursor.binary::<u32>(what).map(u64::from),
            (true, _) => self.cursor.binary(what),
        }
    }

    fn node_tag(&mut self) -> Result<u64, IoError> {
        self.size("the tag of a node")
    }

    /// Three coordinates.
    fn position(&mut self) -> Result<DVec3, IoError> {
        Ok(DVec3::new(self.real("x")?, self.real("y")?, self.real("z")?))
    }

    /// A known kind of element.
    fn element_kind(&mut self) -> Result<ElementKind, IoError> {
        let before = self.cursor.at_word();
        let id = self.int("a kind of element")?;
        elements::element_kind(id)
            .ok_or_else(|| before.error(format!("expected a kind of element, found {id}")))
    }

    fn real(&mut self, what: &str) -> Result<f64, IoError> {
        if self.binary { self.cursor.binary(what) } else { self.cursor.number(what) }
    }

    /// A count of things that take `numbers` numbers of at least `bytes` bytes each in binary.
    fn claim(
        &self,
        count: u64,
        what: &str,
        numbers: usize,
        bytes: usize,
    ) -> Result<usize, IoError> {
        let each = if self.binary { bytes } else { 2 };
        self.cursor.claim(count, what, numbers * each)
    }
}

fn read_sections(mut cursor: Cursor, file: &mut Gmsh) -> Result<(), IoError> {
    cursor.expect("$MeshFormat")?;
    let before = cursor.at_word();
    let version = cursor.word().ok_or_else(|| before.error(missing("a version number")))?;
    let major = match version {
        b"4.1" => 4,
        _ if version.first() == Some(&b'2') && number::<f64>(version).is_some_and(|v| v < 3.0) => 2,
        _ => return Err(before.error(unexpected("version 1.0, 2.x or 4.1", version))),
    };
    let binary = cursor.number::<u8>("0 (text) or 1 (binary)")? != 0;
    let size_bytes = cursor.number::<u64>("the size of numbers in bytes")?;
    cursor.line();
    if binary {
        cursor.set_binary();
        match cursor.binary::<i32>("a 1 that shows the byte order")? {
            1 => {}
            0x0100_0000 => cursor.endian = Endian::Big,
            other => return Err(cursor.error(format!("expected a binary 1, found {other}"))),
        }
        let sizes: &[u64] = if major == 4 { &[4, 8] } else { &[8] };
        if !sizes.contains(&size_bytes) {
            return Err(before.error(format!("expected numbers of 8 bytes, found {size_bytes}")));
        }
    }
    // Tags are counts in version 4, and 4-byte integers before.
    let size_bytes = if major == 4 { size_bytes } else { 4 };
    let mut numbers = Numbers { cursor, binary, size_bytes };
    skip_to_end(&mut numbers.cursor, b"$MeshFormat")?;
    let mut entities = HashMap::new();
    while let Some(section) = numbers.cursor.word() {
        if !section.starts_with(b"$") {
            return Err(numbers.cursor.error(unexpected("the start of a section", section)));
        }
        numbers.cursor.line();
        match (section, major) {
            (b"$PhysicalNames", _) => read_names(&mut numbers.cursor, &mut file.names)?,
            (b"$Entities", 4) => entities = version4::read_entities(&mut numbers)?,
            (b"$Nodes", 4) => version4::read_nodes(&mut numbers, file)?,
            (b"$Nodes", _) => version2::read_nodes(&mut numbers, file)?,
            (b"$Elements", 4) => version4::read_elements(&mut numbers, &entities, file)?,
            (b"$Elements", _) => version2::read_elements(&mut numbers, file)?,
            _ => {}
        }
        skip_to_end(&mut numbers.cursor, section)?;
    }
    Ok(())
}

fn skip_to_end(cursor: &mut Cursor, section: &[u8]) -> Result<(), IoError> {
    let mut end = b"$End".to_vec();
    end.extend_from_slice(&section[1..]);
    if cursor.skip_past(&end) {
        Ok(())
    } else {
        Err(cursor.error(missing(&String::from_utf8_lossy(&end))))
    }
}

/// `$PhysicalNames` is text in every file: a count, then lines of dimension, tag, "name".
fn read_names(cursor: &mut Cursor, names: &mut HashMap<(i64, i64), String>) -> Result<(), IoError> {
    let count = cursor.count("the number of physical names", 6)?;
    for _ in 0..count {
        let dimension = cursor.number("the dimension of a physical group")?;
        let tag = cursor.number("the tag of a physical group")?;
        let line = cursor.line().unwrap_or_default();
        let name = String::from_utf8_lossy(line);
        let name = name.trim().trim_matches('"');
        if name.is_empty() {
            return Err(cursor.error("expected the name of a physical group in quotation marks"));
        }
        names.insert((dimension, tag), name.to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests;

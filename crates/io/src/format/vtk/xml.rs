//! VTU and VTP, the XML forms of unstructured grids and of polygons: arrays as text, in base64, or
//! appended.

use std::borrow::Cow;
use std::path::Path;

use glam::DVec3;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::cells::{POLYGON, add_cells};
use super::encoding::{Encoding, Source};
use crate::attribute::{self, Painted};
use crate::cursor::{Endian, parse as number, unexpected};
use crate::error::{IoError, Place, Problem};
use crate::loaded::{Loaded, Parts};
use crate::scalar::Scalar;

/// Reads the bytes of a VTU or VTP file; `path` is only for errors.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    // Appended raw data is no XML, and has to be cut off first.
    let (markup, appended) = split_appended(bytes);
    let document = Document { path, bytes };
    let markup = std::str::from_utf8(markup)
        .map_err(|e| document.error(e.valid_up_to(), "expected UTF-8 text"))?;
    let file = File::read(&document, markup)?;
    let mut parts = Parts::default();
    let mut painted = Vec::new();
    for piece in &file.pieces {
        file.add_piece(&document, piece, appended, &mut parts, &mut painted)?;
    }
    parts.attributes = attribute::join(&painted, parts.positions.len());
    parts.finish(path)
}

/// For errors.
struct Document<'a> {
    path: &'a Path,
    bytes: &'a [u8],
}

impl Document<'_> {
    fn error(&self, offset: usize, problem: impl Into<String>) -> IoError {
        let before = &self.bytes[..offset.min(self.bytes.len())];
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        IoError::Syntax {
            path: self.path.to_owned(),
            place: Place::Line(line),
            problem: problem.into(),
        }
    }
}

/// Data after the markup, and how it is written.
fn split_appended(bytes: &[u8]) -> (&[u8], Option<Source<'_>>) {
    const TAG: &[u8] = b"<AppendedData";
    let Some(start) = bytes.windows(TAG.len()).position(|w| w == TAG) else { return (bytes, None) };
    let (markup, rest) = bytes.split_at(start);
    let tag_end = rest.iter().position(|&b| b == b'>').unwrap_or(rest.len());
    let (tag, data) = rest.split_at(tag_end);
    let base64 = tag.windows(6).any(|w| w == b"base64");
    // The data starts behind an underscore.
    let underscore = data.iter().position(|&b| b == b'_').map_or(data.len(), |at| at + 1);
    let data = &data[underscore..];
    (markup, Some(if base64 { Source::Base64(data) } else { Source::Raw(data) }))
}

struct File<'a> {
    encoding: Encoding,
    /// All cells are polygons, and have no types.
    polygons: bool,
    pieces: Vec<Piece<'a>>,
}

#[derive(Default)]
struct Piece<'a> {
    points: Option<Array<'a>>,
    connectivity: Option<Array<'a>>,
    offsets: Option<Array<'a>>,
    types: Option<Array<'a>>,
    attributes: Vec<Array<'a>>,
}

struct Array<'a> {
    /// Where the element ends that describes it.
    place: usize,
    name: &'static str,
    scalar: Scalar,
    content: Content<'a>,
    /// Of data per point, what it is called and how many numbers a point has.
    attribute: Option<(String, usize)>,
}

enum Content<'a> {
    Text(Cow<'a, str>),
    Base64(Cow<'a, str>),
    Appended(usize),
}

impl<'a> File<'a> {
    fn read(document: &Document, markup: &'a str) -> Result<Self, IoError> {
        let mut reader = Reader::from_str(markup);
        let encoding = Encoding { endian: Endian::Little, wide_headers: false, compressed: false };
        let mut file = File { encoding, polygons: false, pieces: Vec::new() };
        let mut rooted = false;
        // The section of a piece that the reader is in.
        let mut section = String::new();
        let mut open: Option<Array<'a>> = None;
        loop {
            let event = reader.read_event();
            let place = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            let event = event.map_err(|e| document.error(place, format!("expected XML: {e}")))?;
            let at = |problem: Problem| document.error(place, problem);
            let empty = matches!(event, Event::Empty(_));
            match event {
                Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                    "VTKFile" => {
                        (file.encoding, file.polygons) = read_root(&tag).map_err(at)?;
                        rooted = true;
                    }
                    "Piece" => file.pieces.push(Piece::default()),
                    "DataArray" => {
                        open = read_array(&tag, &section, place).map_err(at)?;
                        if empty {
                            file.keep(open.take());
                        }
                    }
                    name if !empty => section = name.to_owned(),
                    _ => {}
                },
                Event::Text(text) => {
                    if let Some(Content::Text(content) | Content::Base64(content)) =
                        open.as_mut().map(|array| &mut array.content)
                    {
                        *content = text.into_inner();
                    }
                }
                Event::End(tag) if tag.name().as_ref() == "DataArray" => file.keep(open.take()),
                Event::Eof => break,
                _ => {}
            }
        }
        if !rooted {
            return Err(document.error(0, "expected a VTKFile"));
        }
        if open.is_some() {
            return Err(
                document.error(markup.len(), "expected the end of a DataArray, found the end")
            );
        }
        Ok(file)
    }

    fn keep(&mut self, array: Option<Array<'a>>) {
        if let (Some(piece), Some(array)) = (self.pieces.last_mut(), array) {
            if array.attribute.is_some() {
                piece.attributes.push(array);
                return;
            }
            let slot = match array.name {
                "points" => &mut piece.points,
                "connectivity" => &mut piece.connectivity,
                "offsets" => &mut piece.offsets,
                _ => &mut piece.types,
            };
            *slot = Some(array);
        }
    }

    fn add_piece(
        &self,
        document: &Document,
        piece: &Piece,
        appended: Option<Source>,
        parts: &mut Parts,
        painted: &mut Vec<Painted>,
    ) -> Result<(), IoError> {
        let content = |problem: Problem| IoError::content(document.path, problem);
        let reals = |array: &Array| match &array.content {
            Content::Text(text) => words(text, "a number"),
            _ => Ok(array.scalar.reals(&self.bytes(array, appended)?, self.encoding.endian)),
        };
        let indices = |array: &Array| match &array.content {
            Content::Text(text) => words(text, "an index"),
            _ => array
                .scalar
                .indices(&self.bytes(array, appended)?, self.encoding.endian)
                .ok_or_else(|| "expected whole numbers that are not negative".into()),
        };
        let first_vertex = parts.positions.len();
        if let Some(points) = &piece.points {
            let coordinates =
                reals(points).map_err(|p| document.error(points.place, format!("points: {p}")))?;
            if coordinates.len() % 3 != 0 {
                return Err(content(
                    format!(
                        "expected three coordinates per point, found {} in all",
                        coordinates.len()
                    )
                    .into(),
                ));
            }
            parts.positions.extend(coordinates.chunks_exact(3).map(DVec3::from_slice));
        }
        let count = parts.positions.len() - first_vertex;
        for array in &piece.attributes {
            let Some((name, width)) = array.attribute.clone() else { continue };
            // Data that does not fit its points says nothing about them.
            let values = reals(array).ok().filter(|values| values.len() == width * count);
            painted.extend(values.map(|values| Painted {
                name,
                first: first_vertex,
                width,
                values,
            }));
        }
        let of_cells = |array: &Option<Array>| match array {
            Some(array) => indices(array)
                .map_err(|p| document.error(array.place, format!("{}: {p}", array.name))),
            None => Ok(Vec::new()),
        };
        let ends = of_cells(&piece.offsets)?;
        let types = match self.polygons {
            true => vec![POLYGON; ends.len()],
            false => of_cells(&piece.types)?,
        };
        let corners = of_cells(&piece.connectivity)?;
        add_cells(parts, first_vertex, &types, &ends, &corners).map_err(content)
    }

    fn bytes(&self, array: &Array, appended: Option<Source>) -> Result<Vec<u8>, Problem> {
        match &array.content {
            Content::Text(_) => Ok(Vec::new()),
            Content::Base64(text) => {
                let letters: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
                self.encoding.decode(Source::Base64(&letters))
            }
            Content::Appended(offset) => {
                let source = match appended.ok_or("expected AppendedData, found none")? {
                    Source::Raw(bytes) => Source::Raw(bytes.get(*offset..).unwrap_or_default()),
                    Source::Base64(text) => Source::Base64(text.get(*offset..).unwrap_or_default()),
                };
                self.encoding.decode(source)
            }
        }
    }
}

fn value_of<'t>(tag: &'t BytesStart, name: &str) -> Result<Option<Cow<'t, str>>, Problem> {
    let found = tag.try_get_attribute(name).map_err(|e| format!("expected attributes: {e}"))?;
    Ok(found.map(|a| a.value))
}

/// How arrays are written, and whether the cells are polygons.
fn read_root(tag: &BytesStart) -> Result<(Encoding, bool), Problem> {
    let polygons = match value_of(tag, "type")?.as_deref() {
        Some("UnstructuredGrid") => false,
        Some("PolyData") => true,
        other => {
            let found = other.unwrap_or("nothing").as_bytes();
            return Err(unexpected("an UnstructuredGrid or PolyData", found).into());
        }
    };
    let big = value_of(tag, "byte_order")?.as_deref() == Some("BigEndian");
    let wide_headers = value_of(tag, "header_type")?.as_deref() == Some("UInt64");
    let compressed = match value_of(tag, "compressor")?.as_deref() {
        None | Some("") => false,
        Some("vtkZLibDataCompressor") => true,
        Some(other) => {
            return Err(unexpected("compression by vtkZLibDataCompressor", other.as_bytes()).into());
        }
    };
    let endian = if big { Endian::Big } else { Endian::Little };
    Ok((Encoding { endian, wide_headers, compressed }, polygons))
}

/// An array that describes points or cells; others are of no interest.
fn read_array<'a>(
    tag: &BytesStart,
    section: &str,
    place: usize,
) -> Result<Option<Array<'a>>, Problem> {
    let written = value_of(tag, "Name")?;
    let mut per_point = None;
    let name = match (section, written.as_deref()) {
        ("Points", _) => "points",
        ("Cells" | "Polys", Some("connectivity")) => "connectivity",
        ("Cells" | "Polys", Some("offsets")) => "offsets",
        ("Cells", Some("types")) => "types",
        // Normals follow from the faces, and would be wrong once these move.
        ("PointData", Some(name)) if !name.eq_ignore_ascii_case("normals") => {
            let written = value_of(tag, "NumberOfComponents")?;
            let width = written.map_or(Some(1), |width| number(width.as_bytes()));
            let Some(width) = width.filter(|width| (1..=4).contains(width)) else {
                return Ok(None);
            };
            per_point = Some((name.to_owned(), width));
            "data per point"
        }
        _ => return Ok(None),
    };
    let kind = value_of(tag, "type")?.unwrap_or_default();
    if per_point.is_some() && scalar_named(kind.as_bytes()).is_none() {
        return Ok(None);
    }
    let scalar = scalar_named(kind.as_bytes())
        .ok_or_else(|| unexpected("a type of number", kind.as_bytes()))?;
    let content = match value_of(tag, "format")?.as_deref() {
        Some("ascii") | None => Content::Text(Cow::Borrowed("")),
        Some("binary") => Content::Base64(Cow::Borrowed("")),
        Some("appended") => {
            let offset = value_of(tag, "offset")?.unwrap_or_default();
            let offset = number(offset.as_bytes());
            Content::Appended(offset.ok_or("expected the offset of an appended array")?)
        }
        Some(other) => return Err(unexpected("ascii, binary or appended", other.as_bytes()).into()),
    };
    Ok(Some(Array { place, name, scalar, content, attribute: per_point }))
}

fn words<T: std::str::FromStr>(text: &str, what: &str) -> Result<Vec<T>, Problem> {
    text.split_ascii_whitespace()
        .map(|word| word.parse().map_err(|_| unexpected(what, word.as_bytes()).into()))
        .collect()
}

/// Type of numbers with this name in XML files.
fn scalar_named(name: &[u8]) -> Option<Scalar> {
    Some(match name {
        b"Int8" => Scalar::I8,
        b"UInt8" => Scalar::U8,
        b"Int16" => Scalar::I16,
        b"UInt16" => Scalar::U16,
        b"Int32" => Scalar::I32,
        b"UInt32" => Scalar::U32,
        b"Int64" => Scalar::I64,
        b"UInt64" => Scalar::U64,
        b"Float32" => Scalar::F32,
        b"Float64" => Scalar::F64,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;

//! The header: which elements there are, how many, and what each has.

use crate::cursor::{Cursor, Endian, missing, parse as number, unexpected};
use crate::error::IoError;
use crate::scalar::Scalar;

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Text,
    Binary(Endian),
}

/// Type of numbers with this name.
fn scalar_named(name: &[u8]) -> Option<Scalar> {
    Some(match name {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        _ => return None,
    })
}

/// Reads a value of a type.
pub fn read_value(scalar: Scalar, cursor: &mut Cursor, encoding: Encoding) -> Result<f64, IoError> {
    const WHAT: &str = "a value";
    match encoding {
        Encoding::Text => cursor.number(WHAT),
        Encoding::Binary(endian) => Ok(scalar.real(cursor.take(scalar.size(), WHAT)?, endian)),
    }
}

pub struct Property {
    pub name: String,
    pub scalar: Scalar,
    /// Of a list, how its length is written.
    pub length: Option<Scalar>,
}

pub struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

impl Element {
    /// The fewest bytes that one of these takes.
    pub fn least_bytes(&self, encoding: Encoding) -> usize {
        let each = self.properties.iter().map(|property| match encoding {
            // A digit and a blank.
            Encoding::Text => 2,
            Encoding::Binary(_) => property.length.unwrap_or(property.scalar).size(),
        });
        each.sum()
    }
}

/// Reads up to and with `end_header`.
pub fn read(cursor: &mut Cursor) -> Result<(Encoding, Vec<Element>), IoError> {
    if cursor.line().map(<[u8]>::trim_ascii) != Some(b"ply") {
        return Err(cursor.error("expected the first line to be ply"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let at = cursor.at_word();
        let line = cursor.line().ok_or_else(|| at.error(missing("end_header")))?;
        let fail = |what: &str| at.error(unexpected(what, line));
        let words: Vec<&[u8]> =
            line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).collect();
        let named = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        match words[..] {
            [b"end_header"] => break,
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", kind, _] => {
                encoding = Some(match kind {
                    b"ascii" => Encoding::Text,
                    b"binary_little_endian" => Encoding::Binary(Endian::Little),
                    b"binary_big_endian" => Encoding::Binary(Endian::Big),
                    _ => return Err(fail("format ascii or binary_…_endian")),
                });
            }
            [b"element", name, count] => elements.push(Element {
                name: named(name),
                count: number(count).ok_or_else(|| fail("element NAME COUNT"))?,
                properties: Vec::new(),
            }),
            [b"property", ref rest @ ..] => {
                let element = elements.last_mut().ok_or_else(|| fail("an element first"))?;
                let scalar = |name: &[u8]| scalar_named(name).ok_or_else(|| fail("a known type"));
                element.properties.push(match *rest {
                    [b"list", length, kind, name] => Property {
                        name: named(name),
                        scalar: scalar(kind)?,
                        length: Some(scalar(length)?),
                    },
                    [kind, name] => {
                        Property { name: named(name), scalar: scalar(kind)?, length: None }
                    }
                    _ => return Err(fail("property TYPE NAME or property list TYPE TYPE NAME")),
                });
            }
            _ => return Err(fail("format, element, property or end_header")),
        }
    }
    let encoding = encoding.ok_or_else(|| cursor.error("expected a format before end_header"))?;
    if let Encoding::Binary(endian) = encoding {
        cursor.set_binary();
        cursor.endian = endian;
    }
    Ok((encoding, elements))
}

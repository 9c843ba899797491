//! Reads vertices with everything they carry, and faces.

use std::path::Path;

use glam::DVec3;

use super::header::{self, Element, Encoding, Property, read_value};
use crate::attribute::Attribute;
use crate::cursor::Cursor;
use crate::error::IoError;
use crate::loaded::{Loaded, Parts};

/// Reads the bytes of a PLY file; `path` is only for errors.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    let mut cursor = Cursor::new(path, bytes);
    let (encoding, elements) = header::read(&mut cursor)?;
    let mut parts = Parts::default();
    let mut faces = Vec::new();
    for element in &elements {
        let what = format!("the number of elements {}", element.name);
        let count = cursor.claim(element.count, &what, element.least_bytes(encoding))?;
        match element.name.as_str() {
            "vertex" => read_vertices(&mut cursor, encoding, element, count, &mut parts)?,
            "face" => read_faces(&mut cursor, encoding, element, count, &mut faces)?,
            _ => {
                for _ in 0..count {
                    skip(&mut cursor, encoding, &element.properties)?;
                }
                parts.ignore("elements that are neither vertices nor faces", count);
            }
        }
    }
    add_faces(path, &faces, &mut parts)?;
    parts.finish(path)
}

fn read_vertices(
    cursor: &mut Cursor,
    encoding: Encoding,
    element: &Element,
    count: usize,
    parts: &mut Parts,
) -> Result<(), IoError> {
    let scalars: Vec<&Property> =
        element.properties.iter().filter(|p| p.length.is_none()).collect();
    let place = |name: &str| scalars.iter().position(|p| p.name == name);
    let (Some(x), Some(y), Some(z)) = (place("x"), place("y"), place("z")) else {
        return Err(cursor.error("expected the vertices to have x, y and z"));
    };
    let columns = columns(&scalars);
    let mut values = vec![Vec::new(); columns.len()];
    let mut row = Vec::new();
    for _ in 0..count {
        row.clear();
        for property in &element.properties {
            match property.length {
                None => row.push(read_value(property.scalar, cursor, encoding)?),
                Some(_) => skip_list(cursor, encoding, property)?,
            }
        }
        parts.positions.push(DVec3::new(row[x], row[y], row[z]));
        for (column, values) in columns.iter().zip(&mut values) {
            values.extend(column.places.iter().map(|&place| row[place] / column.full));
        }
    }
    for (Column { name, places, .. }, values) in columns.into_iter().zip(values) {
        parts.attributes.push(Attribute { name, components: places.len(), values });
    }
    Ok(())
}

/// Properties that make one attribute.
struct Column {
    name: String,
    places: Vec<usize>,
    /// What stands for 1.
    full: f64,
}

/// Colours are one attribute, `name_x`, `name_y` … in a row are one, and all others one each;
/// positions and normals are none.
fn columns(scalars: &[&Property]) -> Vec<Column> {
    const PLACED: [&str; 6] = ["x", "y", "z", "nx", "ny", "nz"];
    const COLORS: [[&str; 4]; 3] = [
        ["red", "green", "blue", "alpha"],
        ["diffuse_red", "diffuse_green", "diffuse_blue", "diffuse_alpha"],
        ["r", "g", "b", "a"],
    ];
    let mut columns = Vec::new();
    let mut taken: Vec<bool> = scalars.iter().map(|p| PLACED.contains(&p.name.as_str())).collect();
    let place = |name: &str| scalars.iter().position(|p| p.name == name);
    for names in COLORS {
        let places: Vec<usize> = names.iter().map_while(|name| place(name)).collect();
        if places.len() >= 3 && columns.is_empty() {
            places.iter().for_each(|&p| taken[p] = true);
            let full = scalars[places[0]].scalar.full();
            columns.push(Column { name: Attribute::COLOR.into(), places, full });
        }
    }
    for first in 0..scalars.len() {
        if taken[first] {
            continue;
        }
        let mut places = vec![first];
        let mut name = scalars[first].name.clone();
        if let Some(stem) = name.strip_suffix("_x").filter(|stem| !stem.is_empty()) {
            let follows = |offset: usize, letter: &str| {
                let next = scalars.get(first + offset);
                next.is_some_and(|p| p.name == format!("{stem}{letter}")) && !taken[first + offset]
            };
            let more = ["_y", "_z", "_w"].iter().zip(1..);
            let more = more.take_while(|(letter, offset)| follows(*offset, letter)).count();
            if more > 0 {
                places.extend(first + 1..=first + more);
                name = stem.to_owned();
            }
        }
        places.iter().for_each(|&p| taken[p] = true);
        columns.push(Column { name, places, full: 1.0 });
    }
    columns
}

/// Corners of all faces, each after how many they are.
fn read_faces(
    cursor: &mut Cursor,
    encoding: Encoding,
    element: &Element,
    count: usize,
    faces: &mut Vec<Vec<f64>>,
) -> Result<(), IoError> {
    let is_corners = |p: &&Property| {
        p.length.is_some() && ["vertex_indices", "vertex_index"].contains(&p.name.as_str())
    };
    let corners = element.properties.iter().find(is_corners).map(|p| p.name.as_str());
    let Some(corners) = corners.or((count == 0).then_some("")) else {
        return Err(cursor.error("expected the faces to have a list vertex_indices"));
    };
    for _ in 0..count {
        for property in &element.properties {
            if property.length.is_some() && property.name == corners {
                let length = list_length(cursor, encoding, property)?;
                let read = |_| read_value(property.scalar, cursor, encoding);
                faces.push((0..length).map(read).collect::<Result<_, _>>()?);
            } else {
                skip(cursor, encoding, std::slice::from_ref(property))?;
            }
        }
    }
    Ok(())
}

fn add_faces(path: &Path, faces: &[Vec<f64>], parts: &mut Parts) -> Result<(), IoError> {
    let vertices = parts.positions.len();
    let mut corners = Vec::new();
    for (face, written) in faces.iter().enumerate() {
        corners.clear();
        for &value in written {
            if !(value >= 0.0 && value < vertices as f64 && value.fract() == 0.0) {
                let problem =
                    format!("face {face} names vertex {value}, but there are {vertices} (from 0)");
                return Err(IoError::content(path, problem));
            }
            corners.push(value as u32);
        }
        match corners.len() {
            0..3 => parts.ignore("faces of fewer than three corners", 1),
            _ => parts.add_polygon(&corners, || format!("face {face}")),
        }
    }
    Ok(())
}

fn list_length(
    cursor: &mut Cursor,
    encoding: Encoding,
    property: &Property,
) -> Result<usize, IoError> {
    let Some(length) = property.length else { return Ok(1) };
    let length = read_value(length, cursor, encoding)?;
    if !(length >= 0.0 && length.fract() == 0.0) {
        return Err(cursor.error(format!("expected the length of a list, found {length}")));
    }
    let least = if encoding == Encoding::Text { 2 } else { property.scalar.size() };
    cursor.claim(length as u64, "the length of a list", least)
}

fn skip_list(cursor: &mut Cursor, encoding: Encoding, property: &Property) -> Result<(), IoError> {
    let length = list_length(cursor, encoding, property)?;
    (0..length).try_for_each(|_| read_value(property.scalar, cursor, encoding).map(drop))
}

fn skip(cursor: &mut Cursor, encoding: Encoding, properties: &[Property]) -> Result<(), IoError> {
    properties.iter().try_for_each(|property| skip_list(cursor, encoding, property))
}

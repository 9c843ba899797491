//! Writes binary, little-endian PLY: single precision where it holds every value, else double.

use std::fmt::Write;

use crate::attribute::Attribute;
use crate::loaded::Loaded;

/// The bytes of a PLY file: positions, attributes, faces.
pub fn bytes(loaded: &Loaded) -> Vec<u8> {
    let mesh = &loaded.mesh;
    let coordinates = || mesh.positions.iter().flat_map(|p| p.to_array());
    let place = Number::holding(coordinates());
    let numbers: Vec<Number> = loaded.attributes.iter().map(number_of).collect();
    let mut header = String::from("ply\nformat binary_little_endian 1.0\n");
    // Writing to a String cannot fail.
    let _ = writeln!(header, "element vertex {}", mesh.positions.len());
    for axis in ["x", "y", "z"] {
        let _ = writeln!(header, "property {} {axis}", place.name());
    }
    for (attribute, number) in loaded.attributes.iter().zip(&numbers) {
        for name in property_names(attribute) {
            let _ = writeln!(header, "property {} {name}", number.name());
        }
    }
    let longest = loaded.faces().map(<[u32]>::len).max().unwrap_or(3);
    let length = if longest < 256 { Number::Byte } else { Number::Whole };
    let _ = writeln!(header, "element face {}", loaded.face_count());
    let _ = writeln!(header, "property list {} int vertex_indices\nend_header", length.name());
    let mut bytes = header.into_bytes();
    for (vertex, position) in mesh.positions.iter().enumerate() {
        position.to_array().iter().for_each(|&x| place.append(x, &mut bytes));
        for (attribute, number) in loaded.attributes.iter().zip(&numbers) {
            let full = if *number == Number::Byte { 255.0 } else { 1.0 };
            attribute.of(vertex).iter().for_each(|&x| number.append(x * full, &mut bytes));
        }
    }
    for face in loaded.faces() {
        length.append(face.len() as f64, &mut bytes);
        face.iter().for_each(|corner| bytes.extend(corner.to_le_bytes()));
    }
    bytes
}

/// Names of the properties that hold an attribute.
fn property_names(attribute: &Attribute) -> Vec<String> {
    if attribute.is_color() {
        let names = ["red", "green", "blue", "alpha"];
        return names[..attribute.components].iter().map(|name| (*name).to_owned()).collect();
    }
    let plain = attribute.plain_name().replace(char::is_whitespace, "_");
    match attribute.components {
        1 => vec![plain],
        count => ["x", "y", "z", "w"].iter().take(count).map(|c| format!("{plain}_{c}")).collect(),
    }
}

/// Colours are bytes, as every program expects, where bytes hold them.
fn number_of(attribute: &Attribute) -> Number {
    let byte = |&x: &f64| {
        let scaled = x * 255.0;
        (0.0..=255.0).contains(&scaled) && (scaled - scaled.round()).abs() < 1e-4
    };
    if attribute.is_color() && attribute.values.iter().all(byte) {
        return Number::Byte;
    }
    Number::holding(attribute.values.iter().copied())
}

#[derive(Clone, Copy, PartialEq)]
enum Number {
    Byte,
    Whole,
    Single,
    Double,
}

impl Number {
    /// The smallest floating-point number that holds all values.
    fn holding(mut values: impl Iterator<Item = f64>) -> Number {
        let single = values.all(|x| f64::from(x as f32) == x || x.is_nan());
        if single { Number::Single } else { Number::Double }
    }

    fn name(self) -> &'static str {
        match self {
            Number::Byte => "uchar",
            Number::Whole => "int",
            Number::Single => "float",
            Number::Double => "double",
        }
    }

    fn append(self, value: f64, bytes: &mut Vec<u8>) {
        match self {
            Number::Byte => bytes.push(value.round() as u8),
            Number::Whole => bytes.extend((value as i32).to_le_bytes()),
            Number::Single => bytes.extend((value as f32).to_le_bytes()),
            Number::Double => bytes.extend(value.to_le_bytes()),
        }
    }
}

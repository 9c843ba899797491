use std::path::Path;

use super::read::parse;
use super::write::bytes;
use crate::attribute::Attribute;
use crate::loaded::Loaded;
use glam::DVec3;
use pliant_mesh::Mesh;

fn read(bytes: &[u8]) -> Result<Loaded, String> {
    parse(Path::new("m.ply"), bytes).map_err(|e| e.to_string())
}

const TEXT: &str = "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\n\
    property float y\nproperty float z\nproperty uchar red\nproperty uchar green\n\
    property uchar blue\nproperty float weight\nproperty list uchar int friends\n\
    element face 1\nproperty uchar mark\nproperty list uchar int vertex_index\nend_header\n\
    0 0 0 255 0 51 0.5 0\n1 0 0 255 0 51 1 2 7 8\n1 1 0 255 0 51 0 0\n0 1 0 255 0 51 0 0\n\
    9 4 0 1 2 3\n";

#[test]
fn text_has_faces_colours_and_whatever_else_is_declared() {
    let loaded = read(TEXT.as_bytes()).unwrap();
    assert_eq!(loaded.mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(loaded.polygons.iter().collect::<Vec<_>>(), [[0, 1, 2, 3]]);
    assert_eq!(loaded.attributes[0].of(0), [1.0, 0.0, 0.2]);
    assert_eq!(loaded.attributes[1].name, "weight");
    assert_eq!(loaded.attributes[1].values, [0.5, 1.0, 0.0, 0.0]);
    let groups = loaded.into_selectable().groups;
    assert!(groups.iter().any(|g| g.name == "weight" && g.vertices == [1]), "{groups:?}");
}

/// A square with a vector, a number that needs double precision, and an odd name.
fn square() -> Loaded {
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.1), DVec3::Y];
    let mut loaded = Loaded::from(Mesh::surface(positions, vec![[0, 1, 2], [0, 2, 3]]));
    loaded.polygons.push(&[0, 1, 2, 3]);
    let numbers = |count: usize| (0..4 * count).map(|i| i as f64 / 16.0).collect();
    for (name, components) in [("color", 4), ("flow", 3), ("pair", 2), ("_mass", 1)] {
        let values = numbers(components);
        loaded.attributes.push(Attribute { name: name.into(), components, values });
    }
    loaded
}

#[test]
fn what_is_written_reads_back() {
    let loaded = square();
    let mut expected = loaded.clone();
    expected.attributes[3].name = "mass".into();
    assert_eq!(read(&bytes(&loaded)).unwrap(), expected);
}

/// The same file in the other order of bytes.
#[test]
fn big_endian_is_read() {
    let mut loaded = square();
    loaded.attributes.clear();
    let little = bytes(&loaded);
    let body = little.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let mut big =
        String::from_utf8(little[..body].to_vec()).unwrap().replace("little", "big").into_bytes();
    let (vertices, faces) = little[body..].split_at(4 * 24);
    vertices.chunks(8).for_each(|value| big.extend(value.iter().rev()));
    big.push(faces[0]);
    faces[1..].chunks(4).for_each(|value| big.extend(value.iter().rev()));
    assert_eq!(read(&big).unwrap(), loaded);
}

#[test]
fn errors_say_what_was_expected() {
    let error = read(TEXT.replace("9 4 0 1 2 3", "9 4 0 1 2 4").as_bytes()).unwrap_err();
    assert_eq!(error, "m.ply: face 0 names vertex 4, but there are 4 (from 0)");
    let error = read(TEXT.replace("property float x", "property quad x").as_bytes()).unwrap_err();
    assert!(error.contains("line 5: expected a known type"), "{error}");
    let error = read(TEXT.replace("vertex 4", "vertex 99999999").as_bytes()).unwrap_err();
    assert!(error.contains("99999999, but the"), "{error}");
    let error = read(b"ply\nformat ascii 1.0\nelement vertex 1\nend_header\n").unwrap_err();
    assert!(error.contains("x, y and z"), "{error}");
    assert!(read(b"plu\n").unwrap_err().contains("first line"));
}

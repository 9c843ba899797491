//! Wavefront OBJ: the surface format that every program reads.

mod read;

use std::fmt::Write;
use std::path::Path;

use pliant_mesh::Mesh;

use crate::atomic::write_whole;
use crate::attribute::Attribute;
use crate::error::IoError;
use crate::format::{Attributes, Description, Groups, Reader, Writer};
use crate::loaded::Loaded;

pub use read::parse;

/// Wavefront OBJ in the registry.
pub const FORMAT: Description = Description {
    written: &["obj"],
    polygons: true,
    attributes: Attributes::Color,
    groups: Groups::All,
    writer: Some(Writer::Mesh(|_, loaded| Ok(text(loaded).into_bytes()))),
    ..Description::new("OBJ", &["obj"], Reader::Mesh(|path, bytes, _| parse(path, bytes)))
};

/// Writes positions, triangles and groups; of a solid, the boundary. All vertices are written,
/// in order, so that caches of the same mesh fit; those of no face are ends of lines.
///
/// ```
/// use pliant_mesh::{DVec3, shapes};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("cube.obj");
/// let cube = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
/// pliant_io::write_obj(&path, &cube)?;
/// let again = pliant_io::read_mesh(&path)?.mesh;
/// assert_eq!(again.positions, cube.positions);
/// assert_eq!(again.triangles, cube.triangles);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_obj(path: &Path, mesh: &Mesh) -> Result<(), IoError> {
    write_whole(path, obj_text(mesh).as_bytes())
}

/// The text of an OBJ file. Coordinates have the fewest digits that read back to the same bits.
///
/// A face is in a group when all its vertices are; blanks in names become `_`.
pub fn obj_text(mesh: &Mesh) -> String {
    text_of(mesh, None, mesh.triangles.iter().map(|t| &t[..]))
}

/// The same with faces of any number of corners, and colours behind the coordinates.
pub fn text(loaded: &Loaded) -> String {
    let color = loaded.attributes.iter().find(|attribute| attribute.is_color());
    text_of(&loaded.mesh, color, loaded.faces())
}

fn text_of<'a>(
    mesh: &Mesh,
    color: Option<&Attribute>,
    faces: impl Iterator<Item = &'a [u32]>,
) -> String {
    let mut unused = vec![true; mesh.positions.len()];
    let mut text = String::with_capacity(40 * mesh.positions.len() + 24 * mesh.triangles.len());
    // Writing to a String cannot fail.
    for (vertex, p) in mesh.positions.iter().enumerate() {
        let _ = write!(text, "v {} {} {}", p.x, p.y, p.z);
        if let Some([r, g, b, ..]) = color.map(|color| color.of(vertex)) {
            let _ = write!(text, " {r} {g} {b}");
        }
        text.push('\n');
    }
    let membership = Membership::of(mesh);
    let mut current: Vec<usize> = Vec::new();
    for face in faces {
        let groups = membership.of_face(face);
        if groups != current {
            let blank_free = |name: &str| name.replace(char::is_whitespace, "_");
            let names: Vec<String> =
                groups.iter().map(|&group| blank_free(&mesh.groups[group].name)).collect();
            // The blank matters: without it, Blender does not know an empty `g`.
            let _ = writeln!(text, "g {}", names.join(" "));
            current = groups;
        }
        text.push('f');
        for &v in face {
            let _ = write!(text, " {}", u64::from(v) + 1);
            if let Some(unused) = unused.get_mut(v as usize) {
                *unused = false;
            }
        }
        text.push('\n');
    }
    if unused.contains(&false) {
        join_unused(&unused, &mut text);
    }
    text
}

/// Vertices of no face, such as those inside of a solid, as ends of lines, in pairs. Blender drops
/// what nothing uses; its numbers would no longer be those of a cache.
fn join_unused(unused: &[bool], text: &mut String) {
    let numbers: Vec<usize> = (1..=unused.len()).filter(|number| unused[number - 1]).collect();
    for pair in numbers.chunks(2) {
        let (a, b) = match *pair {
            [a, b] => (a, b),
            // The odd one, with any other: a face has been written, so there is one.
            _ => (pair[0], if pair[0] == 1 { 2 } else { pair[0] - 1 }),
        };
        let _ = writeln!(text, "l {a} {b}");
    }
}

/// Which groups each vertex is in.
struct Membership {
    of_vertex: Vec<Vec<usize>>,
}

impl Membership {
    fn of(mesh: &Mesh) -> Self {
        let named = mesh.groups.iter().enumerate().filter(|(_, g)| !g.name.trim().is_empty());
        let mut of_vertex = Vec::new();
        for (id, group) in named {
            of_vertex.resize(mesh.positions.len(), Vec::new());
            for &vertex in &group.vertices {
                if let Some(groups) = of_vertex.get_mut(vertex as usize) {
                    groups.push(id);
                }
            }
        }
        Membership { of_vertex }
    }

    fn of_face(&self, face: &[u32]) -> Vec<usize> {
        let groups = |&v: &u32| self.of_vertex.get(v as usize).map_or(&[][..], Vec::as_slice);
        let Some((first, others)) = face.split_first() else { return Vec::new() };
        let shared = |id: &usize| others.iter().all(|v| groups(v).contains(id));
        groups(first).iter().copied().filter(shared).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use pliant_mesh::Group;
    use proptest::prelude::*;

    #[test]
    fn groups_are_written_where_they_change() {
        let mut mesh = Mesh::surface(
            vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            vec![[0, 1, 2], [0, 1, 3], [0, 2, 3]],
        );
        mesh.groups = vec![Group::new("left ear", vec![0, 1, 2])];
        let text = obj_text(&mesh);
        assert!(text.ends_with("g left_ear\nf 1 2 3\ng \nf 1 2 4\nf 1 3 4\n"), "{text}");
    }

    #[test]
    fn every_vertex_is_used_by_something() {
        let ends = |vertices: usize, face: [u32; 3]| {
            let text = obj_text(&Mesh::surface(vec![DVec3::X; vertices], vec![face]));
            let lines = text.lines().filter(|line| line.starts_with('l'));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(ends(3, [0, 1, 2]), [""; 0]);
        assert_eq!(ends(4, [1, 2, 3]), ["l 1 2"]);
        assert_eq!(ends(6, [0, 4, 2]), ["l 2 4", "l 6 5"]);
    }

    #[test]
    fn polygons_and_colours_come_back() {
        let square =
            "v 0 0 0 1 0 0.5\nv 1 0 0 1 0 0.5\nv 1 1 0 1 0 0.5\nv 0 1 0 0 0 0\nf 1 2 3 4\n";
        let loaded = parse(Path::new("a.obj"), square.as_bytes()).unwrap();
        assert_eq!((loaded.polygons.len(), loaded.mesh.triangles.len()), (1, 2));
        assert_eq!(loaded.attributes[0].of(1), [1.0, 0.0, 0.5]);
        assert_eq!(text(&loaded), square);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::property_cases()))]
        #[test]
        fn every_finite_number_comes_back_bit_by_bit(
            x in proptest::collection::vec(proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO, 9)
        ) {
            let positions: Vec<DVec3> = x.chunks(3).map(DVec3::from_slice).collect();
            let mesh = Mesh::surface(positions, vec![[0, 1, 2]]);
            let again = parse(Path::new("a.obj"), obj_text(&mesh).as_bytes()).unwrap().mesh;
            let bits = |m: &Mesh| m.positions.iter().flat_map(|p| p.to_array()).map(f64::to_bits).collect::<Vec<_>>();
            prop_assert_eq!(bits(&again), bits(&mesh));
            prop_assert_eq!(again.triangles, mesh.triangles);
        }
    }
}

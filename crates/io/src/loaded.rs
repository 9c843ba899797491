//! From what a reader collected to a mesh that keeps the promises of [`Mesh`].

use std::collections::BTreeMap;
use std::path::Path;

use glam::DVec3;
use pliant_mesh::{Group, Mesh, Polygons, Surface, boundary_of_tets};

use crate::attribute::{self, Attribute, Painted};
use crate::error::IoError;
use crate::polygon::triangulate;

/// A mesh from a file, and what its reader has to say about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// The mesh: tets with their boundary, or triangles.
    pub mesh: Mesh,
    /// The faces as they were before they were cut into the mesh's triangles; empty when all of
    /// them were triangles, and for tets.
    pub polygons: Polygons,
    /// Numbers per vertex.
    pub attributes: Vec<Attribute>,
    /// Sentences for the user: what was ignored, what was turned round.
    pub notes: Vec<String>,
}

impl From<Mesh> for Loaded {
    fn from(mesh: Mesh) -> Loaded {
        Loaded { mesh, ..Loaded::default() }
    }
}

impl Loaded {
    /// The corners of every face: the polygons, or else the triangles.
    pub fn faces(&self) -> Box<dyn Iterator<Item = &[u32]> + '_> {
        match self.polygons.is_empty() {
            true => Box::new(self.mesh.triangles.iter().map(|t| &t[..])),
            false => Box::new(self.polygons.iter()),
        }
    }

    /// Number of faces.
    pub fn face_count(&self) -> usize {
        match self.polygons.is_empty() {
            true => self.mesh.triangles.len(),
            false => self.polygons.len(),
        }
    }

    /// Everything but the notes.
    pub fn into_surface(self) -> Surface {
        let Loaded { mesh, polygons, attributes, .. } = self;
        Surface { mesh, polygons, attributes }
    }

    /// The mesh, its attributes made groups where it has none of that name: what a selection can
    /// choose from.
    pub fn into_selectable(self) -> Mesh {
        let surface = self.into_surface();
        Mesh { groups: surface.selectable(), ..surface.mesh }
    }

    /// Several meshes as one, their vertices one after the other. Where one has not the attribute
    /// of another it is 0, and a colour 1.
    pub fn join(parts: impl IntoIterator<Item = Surface>) -> Loaded {
        let (mut whole, mut painted) = (Loaded::default(), Vec::new());
        let mut polygons = Polygons::default();
        for part in parts {
            let first = whole.mesh.positions.len();
            // Fewer than 2³²: they are numbered so in their own meshes, which fit into memory.
            let shift = |v: &u32| v + first as u32;
            let faces = Loaded { polygons: part.polygons, ..Loaded::from(part.mesh) };
            for face in faces.faces() {
                polygons.push(&face.iter().map(shift).collect::<Vec<_>>());
            }
            let mesh = faces.mesh;
            whole.mesh.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| shift(&v))));
            whole.mesh.tets.extend(mesh.tets.iter().map(|t| t.map(|v| shift(&v))));
            for group in mesh.groups {
                let vertices = group.vertices.iter().map(shift);
                match whole.mesh.groups.iter_mut().find(|known| known.name == group.name) {
                    Some(known) => known.vertices.extend(vertices),
                    None => {
                        let vertices = vertices.collect();
                        whole.mesh.groups.push(Group { name: group.name, vertices });
                    }
                }
            }
            whole.mesh.positions.extend(mesh.positions);
            painted.extend(part.attributes.into_iter().map(|attribute| {
                let Attribute { name, components: width, values } = attribute;
                Painted { name, first, width, values }
            }));
        }
        whole.attributes = attribute::join(&painted, whole.mesh.positions.len());
        if !polygons.only_triangles() {
            whole.polygons = polygons;
        }
        whole
    }
}

/// What a reader collects.
#[derive(Default)]
pub struct Parts {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    pub tets: Vec<[u32; 4]>,
    pub groups: Vec<Group>,
    pub attributes: Vec<Attribute>,
    polygons: Polygons,
    /// How many polygons could not be cut properly, and which was the first.
    fans: Option<(usize, String)>,
    /// Kinds of elements passed over, with how many there were.
    pub ignored: BTreeMap<&'static str, usize>,
    pub notes: Vec<String>,
}

impl Parts {
    pub fn ignore(&mut self, kind: &'static str, count: usize) {
        if count > 0 {
            *self.ignored.entry(kind).or_default() += count;
        }
    }

    /// Adds a face of at least three known vertices; `place` names it for notes.
    pub fn add_polygon(&mut self, corners: &[u32], place: impl FnOnce() -> String) {
        self.polygons.push(corners);
        if !triangulate(&self.positions, corners, &mut self.triangles) {
            match &mut self.fans {
                Some((count, _)) => *count += 1,
                None => self.fans = Some((1, place())),
            }
        }
    }

    /// Checks indices, settles the orientation of the tets, and gives them their boundary.
    pub fn finish(mut self, path: &Path) -> Result<Loaded, IoError> {
        let count = self.positions.len();
        if count == 0 {
            return Err(IoError::content(path, "expected vertices, found none"));
        }
        let missing = |vertex: &&u32| **vertex as usize >= count;
        for (id, tet) in self.tets.iter().enumerate() {
            if let Some(v) = tet.iter().find(missing) {
                let problem = format!("tet {id} names vertex {v}, but there are {count} (from 0)");
                return Err(IoError::content(path, problem));
            }
        }
        for (id, triangle) in self.triangles.iter().enumerate() {
            if let Some(v) = triangle.iter().find(missing) {
                let problem =
                    format!("triangle {id} names vertex {v}, but there are {count} (from 0)");
                return Err(IoError::content(path, problem));
            }
        }
        if !self.tets.is_empty() {
            self.ignore(
                "triangles (the boundary of the tets takes their place)",
                self.triangles.len(),
            );
            self.orient();
            self.triangles = boundary_of_tets(&self.tets);
        }
        let ignored = self.ignored.iter().map(|(kind, n)| format!("{n} {kind}"));
        let ignored = ignored.collect::<Vec<_>>().join(", ");
        if self.triangles.is_empty() && self.tets.is_empty() {
            let found =
                if ignored.is_empty() { "none".to_owned() } else { format!("only {ignored}") };
            return Err(IoError::content(
                path,
                format!("expected tetrahedra or triangles, found {found}"),
            ));
        }
        if let Some((count, first)) = &self.fans {
            self.notes.push(match count {
                1 => format!(
                    "{first}: the polygon crosses itself, is flat or too large; it was \
                    cut into a fan"
                ),
                _ => format!(
                    "{count} polygons cross themselves, are flat or too large, the first \
                    at {first}; they were cut into fans"
                ),
            });
        }
        if !ignored.is_empty() {
            self.notes.push(format!("ignored {ignored}"));
        }
        // A reader adds a value per vertex; less would be its fault, and is not passed on.
        self.attributes.retain(|attribute| {
            attribute.components > 0 && attribute.values.len() == count * attribute.components
        });
        if !self.tets.is_empty() || self.polygons.only_triangles() {
            self.polygons = Polygons::default();
        }
        let Parts { positions, triangles, tets, groups, attributes, polygons, notes, .. } = self;
        let mesh = Mesh { positions, triangles, tets, groups };
        Ok(Loaded { mesh, polygons, attributes, notes })
    }

    /// Turns all tets round when all are negative: some programs number them the other way. A
    /// mixture is left as it is, for diagnosis to find.
    fn orient(&mut self) {
        let mut negative = 0;
        for tet in &self.tets {
            let [a, b, c, d] = tet.map(|v| self.positions[v as usize]);
            let determinant = (b - a).dot((c - a).cross(d - a));
            if determinant > 0.0 {
                return;
            }
            negative += usize::from(determinant < 0.0);
        }
        if negative > 0 {
            self.tets.iter_mut().for_each(|tet| tet.swap(2, 3));
            self.notes.push(format!(
                "turned round all {} tets: they had negative volume",
                self.tets.len()
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(tets: &[[u32; 4]]) -> Parts {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE];
        Parts { positions, tets: tets.to_vec(), ..Parts::default() }
    }

    #[test]
    fn tets_are_turned_round_only_together() {
        let path = Path::new("a.msh");
        let turned = parts(&[[1, 0, 2, 3]]).finish(path).unwrap();
        assert_eq!(turned.mesh.tets, [[1, 0, 3, 2]]);
        assert!(turned.mesh.volume() > 0.0);
        assert_eq!(turned.notes.len(), 1);
        let mixed = parts(&[[1, 0, 2, 3], [0, 1, 2, 3]]).finish(path).unwrap();
        assert_eq!(mixed.mesh.tets, [[1, 0, 2, 3], [0, 1, 2, 3]]);
        assert!(mixed.notes.is_empty());
    }

    #[test]
    fn joined_meshes_keep_faces_groups_and_colours() {
        let square = |color: bool| {
            let mut mesh = parts(&[]).positions;
            mesh.truncate(4);
            let mut mesh = Mesh::surface(mesh, vec![[0, 1, 2], [0, 2, 3]]);
            mesh.groups = vec![Group::new("all", vec![0, 1, 2, 3])];
            let mut polygons = Polygons::default();
            polygons.push(&[0, 1, 2, 3]);
            let painted = Attribute { name: "color".into(), components: 3, values: vec![0.5; 12] };
            Surface { mesh, polygons, attributes: vec![painted; usize::from(color)] }
        };
        let triangle = Mesh::surface(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]);
        let whole = Loaded::join([square(true), triangle.into(), square(false)]);
        let faces: Vec<&[u32]> = whole.faces().collect();
        assert_eq!(faces, [&[0, 1, 2, 3][..], &[4, 5, 6], &[7, 8, 9, 10]]);
        assert_eq!(whole.mesh.triangles[4], [7, 9, 10]);
        assert_eq!(whole.mesh.groups, [Group::new("all", vec![0, 1, 2, 3, 7, 8, 9, 10])]);
        assert_eq!(
            (whole.attributes[0].of(3), whole.attributes[0].of(4)),
            (&[0.5; 3][..], &[1.0; 3][..])
        );
    }

    #[test]
    fn what_cannot_be_a_mesh_is_refused_with_the_element() {
        let path = Path::new("a.msh");
        let error = parts(&[[0, 1, 2, 3], [0, 1, 2, 5]]).finish(path).unwrap_err().to_string();
        assert_eq!(error, "a.msh: tet 1 names vertex 5, but there are 5 (from 0)");
        let mut only_hexes = parts(&[]);
        only_hexes.ignore("hexahedra", 7);
        let error = only_hexes.finish(path).unwrap_err().to_string();
        assert!(error.ends_with("found only 7 hexahedra"), "{error}");
    }

    #[test]
    fn triangles_beside_tets_give_way_to_the_boundary() {
        let mut both = parts(&[[0, 1, 2, 3]]);
        both.triangles = vec![[0, 1, 4]];
        let loaded = both.finish(Path::new("a.msh")).unwrap();
        assert_eq!(loaded.mesh.triangles.len(), 4);
        assert!(loaded.notes[0].starts_with("ignored 1 triangles"));
    }
}

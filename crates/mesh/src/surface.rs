//! A mesh with what files say about it besides: faces as they were, and numbers per vertex.

use crate::attribute::Attribute;
use crate::mesh::{Group, Mesh};
use crate::polygons::Polygons;

/// A mesh, its faces before they were cut into triangles, and its attributes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Positions (m), triangles and groups.
    pub mesh: Mesh,
    /// The faces that the triangles were cut from; empty when all of them were triangles.
    pub polygons: Polygons,
    /// Numbers per vertex.
    pub attributes: Vec<Attribute>,
}

impl From<Mesh> for Surface {
    fn from(mesh: Mesh) -> Surface {
        Surface { mesh, ..Surface::default() }
    }
}

impl Surface {
    /// What a selection can choose by name: the mesh's groups, and its attributes where there is no
    /// group of that name.
    ///
    /// ```
    /// use pliant_mesh::{Attribute, Surface};
    /// let painted = Attribute { name: "_soft".into(), components: 1, values: vec![0.2, 0.9] };
    /// let surface = Surface { attributes: vec![painted], ..Surface::default() };
    /// let groups = surface.selectable();
    /// assert_eq!((groups[1].name.as_str(), &groups[1].vertices[..]), ("soft", &[1][..]));
    /// ```
    pub fn selectable(&self) -> Vec<Group> {
        let mut groups = self.mesh.groups.clone();
        for group in self.attributes.iter().flat_map(Attribute::groups) {
            if groups.iter().all(|known| known.name != group.name) {
                groups.push(group);
            }
        }
        groups
    }
}

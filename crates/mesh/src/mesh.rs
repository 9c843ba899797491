//! The one mesh type: positions with triangles, tetrahedra, or both.

use glam::{DMat3, DVec3};

use crate::topology::boundary_of_tets;

/// Positions in metres, with triangles and tetrahedra that index them.
///
/// A surface has triangles only; a solid has tetrahedra, positively oriented
/// (det[x₁−x₀, x₂−x₀, x₃−x₀] > 0), and its triangles are the boundary, facing outward.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions (m).
    pub positions: Vec<DVec3>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Named sets of vertices, in file order.
    pub groups: Vec<Group>,
}

/// A named set of vertices: an OBJ group, a physical group of a Gmsh file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// As written in the file.
    pub name: String,
    /// Ascending, without duplicates.
    pub vertices: Vec<u32>,
}

/// The smallest axis-aligned box around something (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least x, y and z.
    pub min: DVec3,
    /// The greatest x, y and z.
    pub max: DVec3,
}

impl Bounds {
    /// Around all finite positions; `None` when there are none.
    pub fn of(positions: &[DVec3]) -> Option<Bounds> {
        positions.iter().filter(|p| p.is_finite()).fold(None, |bounds, &p| match bounds {
            None => Some(Bounds { min: p, max: p }),
            Some(b) => Some(Bounds { min: b.min.min(p), max: b.max.max(p) }),
        })
    }

    /// Lengths of the sides (m).
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    /// The middle (m).
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }
}

impl Group {
    /// A group of these vertices, sorted and without duplicates.
    pub fn new(name: impl Into<String>, mut vertices: Vec<u32>) -> Self {
        vertices.sort_unstable();
        vertices.dedup();
        Group { name: name.into(), vertices }
    }
}

impl Mesh {
    /// A solid of these tetrahedra; its triangles are their boundary.
    ///
    /// ```
    /// use pliant_mesh::{DVec3, Mesh};
    /// let corner = Mesh::solid(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], vec![[0, 1, 2, 3]]);
    /// assert_eq!(corner.triangles.len(), 4);
    /// assert!((corner.volume() - 1.0 / 6.0).abs() < 1e-15);
    /// ```
    pub fn solid(positions: Vec<DVec3>, tets: Vec<[u32; 4]>) -> Self {
        let triangles = boundary_of_tets(&tets);
        Mesh { positions, triangles, tets, groups: Vec::new() }
    }

    /// A surface of these triangles.
    pub fn surface(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        Mesh { positions, triangles, ..Mesh::default() }
    }

    /// The box around all finite positions; `None` when there are none.
    pub fn bounds(&self) -> Option<Bounds> {
        Bounds::of(&self.positions)
    }

    /// The four corners of a tet; `None` when it or one of its vertices does not exist.
    pub fn corners(&self, tet: usize) -> Option<[DVec3; 4]> {
        let [a, b, c, d] = *self.tets.get(tet)?;
        Some([self.position(a)?, self.position(b)?, self.position(c)?, self.position(d)?])
    }

    /// Signed volume (m³): the sum over the tets, or, for a surface, the volume its triangles
    /// enclose (¹⁄₆ Σ det[a, b, c], exact for a closed surface). Elements that index missing
    /// vertices count nothing.
    pub fn volume(&self) -> f64 {
        self.moments().0
    }

    /// Centre of the volume (m); of a surface that encloses none, the mean of the positions.
    pub fn centroid(&self) -> DVec3 {
        let (volume, moment) = self.moments();
        let centroid = moment / volume;
        if volume != 0.0 && centroid.is_finite() {
            return centroid;
        }
        let count = self.positions.len().max(1) as f64;
        self.positions.iter().sum::<DVec3>() / count
    }

    fn position(&self, vertex: u32) -> Option<DVec3> {
        self.positions.get(vertex as usize).copied()
    }

    /// ∫ 1 and ∫ x over the volume. Cones are taken from the first vertex rather than from the
    /// origin, which keeps the digits of a small body far away.
    fn moments(&self) -> (f64, DVec3) {
        let apex = self.positions.first().copied().unwrap_or(DVec3::ZERO);
        let mut volume = 0.0;
        let mut moment = DVec3::ZERO;
        let mut add = |corners: [DVec3; 4]| {
            let v = signed_volume(corners);
            volume += v;
            moment += v * 0.25 * corners.iter().map(|&x| x - apex).sum::<DVec3>();
        };
        if self.tets.is_empty() {
            for &[a, b, c] in &self.triangles {
                if let (Some(a), Some(b), Some(c)) =
                    (self.position(a), self.position(b), self.position(c))
                {
                    add([apex, a, b, c]);
                }
            }
        } else {
            (0..self.tets.len()).filter_map(|t| self.corners(t)).for_each(&mut add);
        }
        (volume, moment + volume * apex)
    }
}

/// ¹⁄₆ det[x₁−x₀, x₂−x₀, x₃−x₀] (m³).
pub(crate) fn signed_volume([x0, x1, x2, x3]: [DVec3; 4]) -> f64 {
    (x1 - x0).dot((x2 - x0).cross(x3 - x0)) / 6.0
}

/// The three edges of a tet from its first corner, as columns: D of its corners' positions.
///
/// ```
/// use pliant_mesh::{DVec3, edge_matrix};
/// let edges = edge_matrix([DVec3::ONE, DVec3::ONE + DVec3::X, DVec3::ONE + DVec3::Y, DVec3::ONE + DVec3::Z]);
/// assert_eq!(edges.determinant() / 6.0, 1.0 / 6.0);
/// ```
pub fn edge_matrix([a, b, c, d]: [DVec3; 4]) -> DMat3 {
    DMat3::from_cols(b - a, c - a, d - a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    #[test]
    fn a_moved_box_has_its_volume_and_centroid() {
        let mut solid = shapes::solid_box(DVec3::new(2.0, 3.0, 4.0), [2, 3, 2]).unwrap();
        let shift = DVec3::new(1e3, -2e3, 5.0);
        solid.positions.iter_mut().for_each(|p| *p += shift);
        assert!((solid.volume() - 24.0).abs() < 1e-9);
        assert!((solid.centroid() - shift).length() < 1e-9);
        let shell = Mesh::surface(solid.positions.clone(), solid.triangles.clone());
        assert!((shell.volume() - 24.0).abs() < 1e-9, "boundary faces outward and is closed");
        assert!((shell.centroid() - shift).length() < 1e-9);
        let bounds = solid.bounds().unwrap();
        assert_eq!(bounds.size(), DVec3::new(2.0, 3.0, 4.0));
        assert_eq!(bounds.center(), shift);
    }

    #[test]
    fn bounds_ignore_what_is_not_a_number() {
        let positions = [DVec3::new(f64::NAN, 9.0, 9.0), DVec3::ONE, DVec3::ZERO];
        assert_eq!(Bounds::of(&positions), Some(Bounds { min: DVec3::ZERO, max: DVec3::ONE }));
        assert_eq!(Bounds::of(&positions[..1]), None);
    }

    #[test]
    fn an_empty_or_flat_mesh_has_a_finite_centroid() {
        assert_eq!(Mesh::default().centroid(), DVec3::ZERO);
        let flat =
            Mesh::surface(vec![DVec3::ZERO, 3.0 * DVec3::X, 3.0 * DVec3::Z], vec![[0, 1, 2]]);
        assert_eq!(flat.centroid(), DVec3::new(1.0, 0.0, 1.0));
    }

    #[test]
    fn missing_vertices_do_not_panic() {
        let broken = Mesh { tets: vec![[0, 1, 2, 9]], ..Mesh::default() };
        assert_eq!(broken.volume(), 0.0);
        assert_eq!(broken.corners(0), None);
    }
}

//! Faces of any number of corners, as files have them; meshes hold them cut into triangles.

/// Polygons over the vertices of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polygons {
    /// Where each polygon ends in `corners`.
    ends: Vec<usize>,
    /// Vertices of all polygons, one after the other.
    corners: Vec<u32>,
}

impl Polygons {
    /// Adds a polygon.
    pub fn push(&mut self, corners: &[u32]) {
        self.corners.extend_from_slice(corners);
        self.ends.push(self.corners.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none: the triangles of the mesh are all its faces.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The corners of every polygon, in order.
    ///
    /// ```
    /// let mut polygons = pliant_mesh::Polygons::default();
    /// polygons.push(&[0, 1, 2, 3]);
    /// assert_eq!(polygons.iter().collect::<Vec<_>>(), [[0, 1, 2, 3]]);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.corners[start..end])
    }

    /// Whether no polygon has more than three corners.
    pub fn only_triangles(&self) -> bool {
        self.iter().all(|corners| corners.len() == 3)
    }
}

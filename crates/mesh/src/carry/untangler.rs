//! Tets that something else has moved, turned back where it turned them inside out.

use glam::{DMat3, DVec3};
use pliant_math::team::Team;

use super::edges;
use super::untangle::{Around, FLAT, Tangle};
use crate::mesh::{Mesh, signed_volume};
use crate::quality;

/// Rounds that are spent on making tets better than just positive.
const PATIENCE: usize = 3;

/// The shapes that tets should have, for any number of positions that they are moved to.
///
/// ```
/// use pliant_math::team::Team;
/// use pliant_mesh::{DVec3, Untangler, quality, shapes};
/// let cube = shapes::solid_box(DVec3::ONE, [3, 3, 3])?;
/// let mut moved = cube.clone();
/// // A vertex inside is pulled out through the other side of its tets.
/// let inside = moved.positions.iter_mut().find(|x| x.abs().max_element() < 0.4).unwrap();
/// *inside = -*inside * 2.5;
/// assert!(quality::inverted(&moved) > 0);
/// let left = Untangler::new(&cube, 1.0 / 3.0).untangle(&mut moved.positions, &Team::new(1));
/// assert_eq!((left, quality::inverted(&moved)), (0, 0));
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Untangler {
    tets: Vec<[u32; 4]>,
    around: Around,
    shapes: Vec<(DMat3, f64)>,
    size: f64,
}

impl Untangler {
    /// For a solid at rest whose cells have sides of `size` \[m\].
    pub fn new(rest: &Mesh, size: f64) -> Self {
        let shape = |t: usize| {
            let corners = rest.corners(t).unwrap_or_default();
            (edges(corners).inverse(), signed_volume(corners))
        };
        let shapes = (0..rest.tets.len()).map(shape).collect();
        let around = Around::new(rest.positions.len(), rest.tets.iter().copied());
        Untangler { tets: rest.tets.clone(), around, shapes, size }
    }

    /// The tets.
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// Moves vertices around tets that have less than a fiftieth of their volume until none has,
    /// or, where that takes long, until none is inside out. Returns how many are inside out in the
    /// end; nothing moves where none is so bad.
    pub fn untangle(&self, positions: &mut [DVec3], team: &Team) -> usize {
        let part = |t: usize, x: &[DVec3]| {
            signed_volume(self.tets[t].map(|v| x[v as usize])) / self.shapes[t].1
        };
        if (0..self.tets.len()).all(|t| part(t, positions) >= FLAT) {
            return 0;
        }
        let Untangler { tets, around, shapes, size } = self;
        let tangle = Tangle { tets, around, shapes, points: &[], size: *size, patience: PATIENCE };
        tangle.resolve(positions, team);
        quality::inverted_among(tets, positions)
    }
}

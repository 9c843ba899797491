//! Isosurface stuffing: good tetrahedra inside of any function of space.
//!
//! Labelle and Shewchuk 2007, "Isosurface stuffing: fast tetrahedral meshes with good dihedral
//! angles".

pub mod cover;
pub mod field;
pub mod lattice;
pub mod octree;
pub mod stencil;

use pliant_math::team::Team;

use crate::error::MeshError;
use crate::signed_distance::evaluate;
use field::Field;
use lattice::{Lattice, unpack};
use octree::{Frame, Octree};
use stencil::{Filling, fill};

/// Fills the inside of a field, refining where a coarse cell would be cut.
pub fn stuff(
    field: &dyn Field,
    frame: Frame,
    depth: u8,
    coarsest: u8,
    team: &Team,
) -> Result<Filling, MeshError> {
    let mut tree = Octree::new(frame, depth, coarsest, field, team)?;
    loop {
        let lattice = Lattice::new(&tree);
        let values = evaluate(&lattice.keys, team, |key| field.value(frame.place(unpack(key))));
        match fill(&lattice, &frame, &values) {
            Ok(filling) => return Ok(filling),
            Err(coarse) => tree.refine(&coarse, field, coarsest, team)?,
        }
    }
}

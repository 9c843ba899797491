//! Tets between a skin and bones, with boundary vertices on those surfaces.
//!
//! The space inside the first surface and outside of all others is filled by isosurface stuffing;
//! every vertex of the boundary is then moved onto the surface that it is nearest to, as far as
//! the tets around it stay well-shaped, and labelled by it.

use glam::DVec3;
use pliant_math::team::Team;

use crate::error::MeshError;
use crate::mesh::{Bounds, Mesh, signed_volume};
use crate::quality::{self, dihedral_range};
use crate::signed_distance::{SignedDistance, evaluate};
use crate::soup::put_in_order;
use crate::stuffing::field::{Between, Field};
use crate::stuffing::lattice::{Lattice, unpack};
use crate::stuffing::octree::Octree;
use crate::stuffing::stencil::fill;
use crate::tetrahedralise::{PADDING, TetOptions, frame};

/// Tets between surfaces.
#[derive(Clone, Debug, Default)]
pub struct Conforming {
    /// The tets, and their boundary.
    pub solid: Mesh,
    /// For every vertex the surface that it lies on: 0 the skin, then the bones; `None` inside, and
    /// on the boundary where a surface is open and there is nothing to lie on.
    pub surfaces: Vec<Option<u32>>,
    /// For every tet the first region around its centre; `None` where there is none.
    pub regions: Vec<Option<u32>>,
    /// The least dihedral angle (degrees).
    pub min_dihedral: f64,
    /// The greatest distance of a labelled vertex from its surface (m).
    pub furthest: f64,
}

/// Moving a vertex onto its surface may not make an angle smaller than this (degrees).
const LEAST_ANGLE: f64 = 8.0;
/// A vertex of the boundary that is further than this from all surfaces, in cells, lies where one
/// is open: across a neck, say.
const OPEN: f64 = 0.75;

/// Fills the space inside `skin` and outside of `bones`, and labels tets by `regions`.
///
/// ```
/// use pliant_math::team::Team;
/// use pliant_mesh::{DVec3, TetOptions, shapes, tetrahedralise_between};
/// let skin = shapes::solid_box(DVec3::splat(2.0), [2, 2, 2])?;
/// let bone = shapes::solid_box(DVec3::splat(1.0), [2, 2, 2])?;
/// let options = TetOptions::default();
/// let flesh = tetrahedralise_between(&skin, &[&bone], &[], &options, &Team::new(1))?;
/// assert!((flesh.solid.volume() / 7.0 - 1.0).abs() < 0.02);
/// assert!(flesh.surfaces.contains(&Some(1)));
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn tetrahedralise_between(
    skin: &Mesh,
    bones: &[&Mesh],
    regions: &[&Mesh],
    options: &TetOptions,
    team: &Team,
) -> Result<Conforming, MeshError> {
    let ordered = put_in_order(skin).mesh;
    let corners = ordered.triangles.iter().flatten().map(|&v| ordered.positions[v as usize]);
    let bounds = Bounds::of(&corners.collect::<Vec<_>>()).ok_or(MeshError::NothingToFill)?;
    let (frame, depth) = frame(&bounds, options, PADDING)?;
    let mut surfaces = vec![SignedDistance::new(&ordered)];
    surfaces.extend(bones.iter().map(|bone| SignedDistance::new(&put_in_order(bone).mesh)));
    let field = Between { surfaces: &surfaces, limit: frame.size };
    let mut tree = Octree::new(frame, depth, options.coarsening, &field, team)?;
    let filling = loop {
        let lattice = Lattice::new(&tree);
        let values = evaluate(&lattice.keys, team, |key| field.value(frame.place(unpack(key))));
        match fill(&lattice, &frame, &values) {
            Ok(filling) => break filling,
            Err(coarse) => tree.refine(&coarse, &field, options.coarsening, team)?,
        }
    };
    let mut solid = Mesh::solid(filling.positions, filling.tets);
    let mut on_boundary = vec![false; solid.positions.len()];
    solid.triangles.iter().flatten().for_each(|&v| on_boundary[v as usize] = true);
    let labels: Vec<Option<u32>> = solid
        .positions
        .iter()
        .zip(&on_boundary)
        .map(|(&p, on)| on.then(|| nearest_surface(&surfaces, p, OPEN * frame.size)).flatten())
        .collect();
    let furthest = project(&mut solid, &labels, &surfaces);
    let inside: Vec<SignedDistance> =
        regions.iter().map(|region| SignedDistance::new(&put_in_order(region).mesh)).collect();
    let centers: Vec<DVec3> = (0..solid.tets.len())
        .map(|t| solid.corners(t).unwrap_or_default().iter().sum::<DVec3>() * 0.25)
        .collect();
    let regions = evaluate(&centers, team, |p| {
        inside.iter().position(|region| region.winding(p) >= 0.5).map(|r| r as u32)
    });
    let min_dihedral = quality::min_dihedral(&solid);
    Ok(Conforming { solid, surfaces: labels, regions, min_dihedral, furthest })
}

fn nearest_surface(surfaces: &[SignedDistance], point: DVec3, mut reach: f64) -> Option<u32> {
    let mut best = None;
    for (number, surface) in (0u32..).zip(surfaces) {
        if let Some(found) = surface.tree().closest_within(point, reach) {
            (best, reach) = (Some(number), found.distance);
        }
    }
    best
}

/// Moves labelled vertices onto their surfaces, one after the other, all the way or a part of it.
fn project(solid: &mut Mesh, labels: &[Option<u32>], surfaces: &[SignedDistance]) -> f64 {
    let mut around = vec![Vec::new(); solid.positions.len()];
    for (t, tet) in (0u32..).zip(&solid.tets) {
        tet.iter().for_each(|&v| around[v as usize].push(t));
    }
    let mut furthest = 0.0f64;
    for (v, label) in labels.iter().enumerate() {
        let Some(label) = *label else { continue };
        let from = solid.positions[v];
        let Some(found) = surfaces[label as usize].tree().closest(from) else { continue };
        let worst = |solid: &Mesh| {
            let angle = |&t: &u32| solid.corners(t as usize).map_or(0.0, |c| dihedral_range(c).0);
            around[v].iter().map(angle).fold(f64::INFINITY, f64::min)
        };
        for part in [1.0, 0.75, 0.5, 0.25, 0.0] {
            solid.positions[v] = from.lerp(found.point, part);
            let flat = |&t: &u32| {
                let volume = solid.corners(t as usize).map_or(0.0, signed_volume);
                volume <= 0.0 || volume.is_nan()
            };
            if part == 0.0 || (!around[v].iter().any(flat) && worst(solid) >= LEAST_ANGLE) {
                furthest = furthest.max((1.0 - part) * found.distance);
                break;
            }
        }
    }
    furthest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;
    use crate::tetrahedralise::Resolution;

    #[test]
    fn flesh_lies_on_skin_and_bone_and_knows_which() {
        let skin = shapes::jelly(16).unwrap();
        let size = skin.bounds().unwrap().size();
        let mut bone = shapes::solid_box(0.3 * size, [3, 3, 3]).unwrap();
        let center = skin.centroid();
        bone.positions.iter_mut().for_each(|x| *x += center);
        let mut half = shapes::solid_box(2.0 * size, [1, 1, 1]).unwrap();
        half.positions.iter_mut().for_each(|x| *x += center + DVec3::X * size.x);
        let options = TetOptions { resolution: Resolution::Cells(30), ..TetOptions::default() };
        let flesh =
            tetrahedralise_between(&skin, &[&bone], &[&half], &options, &Team::new(2)).unwrap();
        assert!(flesh.min_dihedral >= 8.0, "{}", flesh.min_dihedral);
        assert_eq!(quality::inverted(&flesh.solid), 0);
        let exact = skin.volume() - bone.volume();
        assert!((flesh.solid.volume() / exact - 1.0).abs() < 0.03);
        let cell = size.max_element() / 30.0;
        assert!(flesh.furthest < 0.2 * cell, "{} of {cell}", flesh.furthest);
        let surfaces = [SignedDistance::new(&skin), SignedDistance::new(&bone)];
        let mut exactly = 0;
        for (p, label) in flesh.solid.positions.iter().zip(&flesh.surfaces) {
            let Some(label) = label else { continue };
            let away = surfaces[*label as usize].at(*p).abs();
            assert!(away <= flesh.furthest + 1e-9, "{away}");
            exactly += usize::from(away < 1e-9);
        }
        let labelled = flesh.surfaces.iter().flatten().count();
        assert!(exactly * 100 > 95 * labelled, "{exactly} of {labelled}");
        assert!(flesh.surfaces.contains(&Some(0)) && flesh.surfaces.contains(&Some(1)));
        for (t, region) in flesh.regions.iter().enumerate() {
            let middle: DVec3 = flesh.solid.corners(t).unwrap().iter().sum::<DVec3>() * 0.25;
            // A tet's centre may lie in the plane itself.
            if (middle.x - center.x).abs() > 1e-9 {
                assert_eq!(*region == Some(0), middle.x > center.x, "tet {t}");
            }
        }
    }

    #[test]
    fn where_the_skin_is_open_vertices_lie_on_nothing() {
        let solid = shapes::solid_box(DVec3::splat(2.0), [8, 8, 8]).unwrap();
        let mut skin = Mesh::surface(solid.positions.clone(), solid.triangles);
        // Without a floor.
        let low = |v: u32| solid.positions[v as usize].y < -0.99;
        skin.triangles.retain(|t| !t.iter().all(|&v| low(v)));
        let bone = shapes::solid_box(DVec3::splat(0.6), [2, 2, 2]).unwrap();
        let options = TetOptions { resolution: Resolution::Cells(24), ..TetOptions::default() };
        let flesh = tetrahedralise_between(&skin, &[&bone], &[], &options, &Team::new(1)).unwrap();
        assert!(flesh.furthest < 0.5 * 2.0 / 24.0, "{}", flesh.furthest);
        let mut cut = vec![false; flesh.solid.positions.len()];
        flesh.solid.triangles.iter().flatten().for_each(|&v| cut[v as usize] = true);
        let loose = (0..cut.len()).filter(|&v| cut[v] && flesh.surfaces[v].is_none());
        let loose: Vec<DVec3> = loose.map(|v| flesh.solid.positions[v]).collect();
        assert!(loose.len() > 50 && loose.iter().all(|x| x.y < 0.0), "{}", loose.len());
        assert!(flesh.min_dihedral >= 8.0);
    }
}

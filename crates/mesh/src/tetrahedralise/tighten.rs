//! What enclosing has pushed out too far, drawn back to the surface.
//!
//! Around thin parts the lattice is filled further out than the surface. Vertices of the boundary
//! that are well outside are moved towards the surface, one after the other, as far as angles stay
//! good and every point that was inside of the tets around them still is.

use glam::DVec3;
use pliant_math::team::Team;

use crate::embedding::{INSIDE, Locator, barycentric};
use crate::mesh::{Mesh, signed_volume};
use crate::quality::dihedral_range;
use crate::signed_distance::evaluate;
use crate::stuffing::field::Field;

/// Vertices that are further outside than this are moved, in cells.
const LOOSE: f64 = 0.01;
/// They stop at this distance from the surface, in cells.
const GAP: f64 = 0.003;
/// No angle is made smaller than this (degrees).
const LEAST_ANGLE: f64 = 9.5;
/// Passes over the vertices, and the parts of the way that are tried.
const PASSES: usize = 3;
const PARTS: [f64; 4] = [1.0, 0.7, 0.4, 0.2];

/// Draws the boundary of `solid` towards that of `field`, without losing any of `points`, which
/// are all inside.
pub fn tighten(solid: &mut Mesh, points: &[DVec3], field: &dyn Field, size: f64, team: &Team) {
    let mut boundary: Vec<u32> = solid.triangles.iter().flatten().copied().collect();
    boundary.sort_unstable();
    boundary.dedup();
    let places: Vec<DVec3> = boundary.iter().map(|&v| solid.positions[v as usize]).collect();
    let targets = evaluate(&places, team, |p| target(field, p, size));
    let loose: Vec<(u32, DVec3)> =
        boundary.into_iter().zip(targets).filter_map(|(v, to)| Some((v, to?))).collect();
    if loose.is_empty() {
        return;
    }
    let locator = Locator::new(solid);
    let homes = evaluate(points, team, |p| locator.find(p).map(|(tet, _)| tet));
    let mut tightener = Tightener::new(solid, points, &homes);
    for _ in 0..PASSES {
        for &(vertex, to) in &loose {
            tightener.draw(vertex, to);
        }
    }
}

/// Where a vertex should be, if it is too far outside.
fn target(field: &dyn Field, from: DVec3, size: f64) -> Option<DVec3> {
    if field.value(from) > -LOOSE * size {
        return None;
    }
    let near = field.closest(from, field.limit())?;
    let away = (from - near).normalize_or_zero();
    Some(near + GAP * size * away)
}

struct Tightener<'a> {
    solid: &'a mut Mesh,
    points: &'a [DVec3],
    /// Tets around every vertex.
    around: Vec<Vec<u32>>,
    /// Points in every tet.
    held: Vec<Vec<u32>>,
}

impl<'a> Tightener<'a> {
    fn new(solid: &'a mut Mesh, points: &'a [DVec3], homes: &[Option<u32>]) -> Self {
        let mut around = vec![Vec::new(); solid.positions.len()];
        for (t, tet) in (0u32..).zip(&solid.tets) {
            tet.iter().for_each(|&v| around[v as usize].push(t));
        }
        let mut held = vec![Vec::new(); solid.tets.len()];
        for (p, home) in (0u32..).zip(homes) {
            if let Some(tet) = home {
                held[*tet as usize].push(p);
            }
        }
        Tightener { solid, points, around, held }
    }

    /// Moves a vertex as far as may be.
    fn draw(&mut self, vertex: u32, to: DVec3) {
        let from = self.solid.positions[vertex as usize];
        let angle = self.worst_angle(vertex);
        for part in PARTS {
            self.solid.positions[vertex as usize] = from.lerp(to, part);
            let now = self.worst_angle(vertex);
            if (now >= LEAST_ANGLE || now >= angle)
                && let Some(moved) = self.still_held(vertex)
            {
                let around = &self.around[vertex as usize];
                around.iter().for_each(|&t| self.held[t as usize].clear());
                moved.into_iter().for_each(|(p, t)| self.held[t as usize].push(p));
                return;
            }
        }
        self.solid.positions[vertex as usize] = from;
    }

    /// The least angle around a vertex; negative where a tet is inverted.
    fn worst_angle(&self, vertex: u32) -> f64 {
        let angle = |&t: &u32| match self.solid.corners(t as usize) {
            Some(corners) if signed_volume(corners) > 0.0 => dihedral_range(corners).0,
            _ => -1.0,
        };
        self.around[vertex as usize].iter().map(angle).fold(f64::INFINITY, f64::min)
    }

    /// In which of the tets around a vertex their points are now; `None` if one is in none.
    fn still_held(&self, vertex: u32) -> Option<Vec<(u32, u32)>> {
        let around = &self.around[vertex as usize];
        let holds = |t: u32, p: u32| {
            let corners = self.solid.corners(t as usize).unwrap_or_default();
            // Stricter than being inside: what comes after must find it, too.
            let weights = barycentric(corners, self.points[p as usize]);
            weights.iter().all(|w| *w >= 0.1 * INSIDE)
        };
        let held = around.iter().flat_map(|&t| self.held[t as usize].iter().map(move |&p| (p, t)));
        held.map(|(p, t)| {
            let home =
                if holds(t, p) { Some(t) } else { around.iter().copied().find(|&t| holds(t, p)) };
            home.map(|t| (p, t))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality;
    use crate::shapes;
    use crate::tetrahedralise::{Resolution, TetOptions, tetrahedralise};

    #[test]
    fn a_slanted_plate_keeps_its_volume() {
        let plate = shapes::solid_box(DVec3::new(1.0, 0.03, 0.8), [20, 1, 16]).unwrap();
        let mut plate = Mesh::surface(plate.positions, plate.triangles);
        let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.4, 0.7, 0.3);
        plate.positions.iter_mut().for_each(|x| *x = turn * *x);
        let options = TetOptions { resolution: Resolution::Cells(60), ..TetOptions::default() };
        let filled = tetrahedralise(&plate, &options, &Team::new(2)).unwrap();
        let ratio = filled.solid.volume() / plate.volume();
        assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
        assert_eq!(filled.report.embedded, plate.positions.len());
        assert!(quality::min_dihedral(&filled.solid) > 9.0);
    }
}

//! What enclosing has pushed out too far, drawn back to the surface.
//!
//! Around thin parts the lattice is filled further out than the surface. Vertices of the boundary
//! that are well outside are moved towards the surface, one after the other, as far as angles stay
//! good and every point that was inside of the tets around them still is. A surface that is finer
//! than the cells touches a wall in points that bar the way; there, vertices go whichever way makes
//! the volume smaller.

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
/// Where the solid is larger than the surface by more than this part, what is left is pressed.
const SLACK: f64 = 0.02;
/// What is larger by this factor was a sheet, whose thickness is of the covering's making.
const SHEET: f64 = 2.0;
/// Steps of pressing, in cells, with so many sweeps over what bars the way.
const PRESSES: [f64; 6] = [0.2, 0.2, 0.1, 0.1, 0.05, 0.02];
const SWEEPS: usize = 30;

/// Draws the boundary of `solid` towards that of `field`, without losing any of `points`, which
/// are all inside. The surface encloses a volume (m³).
pub fn tighten(
    solid: &mut Mesh,
    (points, enclosed): (&[DVec3], f64),
    field: &dyn Field,
    size: f64,
    team: &Team,
) {
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
    let loose: Vec<u32> = loose
        .into_iter()
        .filter(|&(v, to)| tightener.solid.positions[v as usize].distance(to) > LOOSE * size)
        .map(|(v, _)| v)
        .collect();
    let walls = tightener.walls();
    for step in PRESSES {
        let ratio = tightener.solid.volume() / enclosed;
        if !(1.0 + SLACK..SHEET).contains(&ratio) {
            return;
        }
        for &vertex in &loose {
            let is_outside = |x: DVec3| field.value(x) < -GAP * size;
            tightener.press(vertex, &walls[vertex as usize], step * size, is_outside);
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

    /// Triangles of the boundary around every vertex, each with the tet behind it.
    fn walls(&self) -> Vec<Vec<(u32, u32)>> {
        let mut walls = vec![Vec::new(); self.solid.positions.len()];
        for (t, triangle) in (0u32..).zip(&self.solid.triangles) {
            let is_behind =
                |tet: &&u32| triangle.iter().all(|v| self.solid.tets[**tet as usize].contains(v));
            if let Some(&tet) = self.around[triangle[0] as usize].iter().find(is_behind) {
                triangle.iter().for_each(|&v| walls[v as usize].push((t, tet)));
            }
        }
        walls
    }

    /// Moves a vertex towards a place as far as may be.
    fn draw(&mut self, vertex: u32, to: DVec3) {
        let from = self.solid.positions[vertex as usize];
        let _ = PARTS.into_iter().any(|part| self.put(vertex, from.lerp(to, part), |_| true));
    }

    /// Moves a vertex in the direction in which the volume falls fastest, by a step at most, turned
    /// aside where points on the walls bar the way: the nearest displacement d that keeps all of
    /// them behind their walls, n · d ≥ −s, found by projecting on one such half-space after the
    /// other (Hildreth 1957).
    fn press(&mut self, vertex: u32, walls: &[(u32, u32)], step: f64, may: impl Fn(DVec3) -> bool) {
        let place = |v: u32| self.solid.positions[v as usize];
        let from = place(vertex);
        let mut area = DVec3::ZERO;
        let mut bars: Vec<(DVec3, f64, f64)> = Vec::new();
        for &(wall, tet) in walls {
            let [a, b, c] = self.solid.triangles[wall as usize];
            // The side opposite of the vertex, as the wall is wound.
            let [a, b] = [[a, b, c], [b, c, a], [c, a, b]]
                .into_iter()
                .find(|turned| turned[0] == vertex)
                .map_or([a, b], |turned| [turned[1], turned[2]])
                .map(place);
            area += (a - from).cross(b - from);
            for &p in &self.held[tet as usize] {
                // Volume of the wall and the point: linear in the vertex.
                let point = self.points[p as usize];
                let slope = (a - point).cross(b - point);
                if let Some(normal) = slope.try_normalize() {
                    bars.push((normal, normal.dot(from - point).max(0.0), 0.0));
                }
            }
        }
        let mut way = -step * area.normalize_or_zero();
        for _ in 0..SWEEPS {
            for (normal, slack, pushed) in &mut bars {
                let push = (*pushed - normal.dot(way) - *slack).max(0.0);
                way += (push - *pushed) * *normal;
                *pushed = push;
            }
        }
        if way.length() > 0.01 * step {
            let _ = PARTS.into_iter().any(|part| self.put(vertex, from + part * way, &may));
        }
    }

    /// Puts a vertex somewhere, if angles stay good, all points inside, and if it `may` be there.
    fn put(&mut self, vertex: u32, to: DVec3, may: impl Fn(DVec3) -> bool) -> bool {
        let from = self.solid.positions[vertex as usize];
        let angle = self.worst_angle(vertex);
        self.solid.positions[vertex as usize] = to;
        let now = self.worst_angle(vertex);
        if (now >= LEAST_ANGLE || now >= angle)
            && let Some(moved) = self.still_held(vertex)
            && may(to)
        {
            let around = &self.around[vertex as usize];
            around.iter().for_each(|&t| self.held[t as usize].clear());
            moved.into_iter().for_each(|(p, t)| self.held[t as usize].push(p));
            return true;
        }
        self.solid.positions[vertex as usize] = from;
        false
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

    /// A slanted plate that waves by so much (m).
    fn plate(cells: [usize; 3], wave: f64) -> Mesh {
        let plate = shapes::solid_box(DVec3::new(1.0, 0.03, 0.8), cells).unwrap();
        let mut plate = Mesh::surface(plate.positions, plate.triangles);
        let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.4, 0.7, 0.3);
        for x in &mut plate.positions {
            x.y += wave * (45.0 * x.x).sin() * (51.0 * x.z).cos();
            *x = turn * *x;
        }
        plate
    }

    fn filled_volume(surface: &Mesh) -> f64 {
        let options = TetOptions { resolution: Resolution::Cells(60), ..TetOptions::default() };
        let filled = tetrahedralise(surface, &options, &Team::new(2)).unwrap();
        assert_eq!(filled.report.embedded, surface.positions.len());
        assert!(quality::min_dihedral(&filled.solid) > 9.0);
        filled.solid.volume() / surface.volume()
    }

    #[test]
    fn a_slanted_plate_keeps_its_volume() {
        let ratio = filled_volume(&plate([20, 1, 16], 0.0));
        assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    }

    #[test]
    fn a_wavy_sheet_finer_than_the_cells_keeps_its_volume() {
        let ratio = filled_volume(&plate([120, 2, 96], 0.01));
        assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    }
}

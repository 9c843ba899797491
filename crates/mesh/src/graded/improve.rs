//! Better shapes: flat tets are taken off the boundary, vertices moved where tets are bad.

use glam::DVec3;

use crate::delaunay::noise;
use crate::mesh::{Mesh, signed_volume};
use crate::quality;
use crate::signed_distance::SignedDistance;
use crate::topology::boundary_of_tets;

/// Tets worse than this are improved; worse than the other, taken off where that is possible.
const GOOD: f64 = 0.32;
const FLAT: f64 = 0.15;
/// Places that are tried for a vertex, and how far away they are, in edges.
const TRIES: u32 = 14;
const REACH: [f64; 3] = [0.30, 0.12, 0.04];
const PASSES: u32 = 4;

/// Tets in the making.
pub struct Sheet {
    pub positions: Vec<DVec3>,
    pub labels: Vec<Option<u32>>,
    pub tets: Vec<[u32; 4]>,
}

impl Sheet {
    /// Only the vertices that tets use, and their old numbers.
    pub fn compact(
        points: &[DVec3],
        labels: &[Option<u32>],
        tets: Vec<[u32; 4]>,
    ) -> (Self, Vec<u32>) {
        let mut numbers: Vec<u32> = tets.iter().flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let place = |v: u32| numbers.binary_search(&v).unwrap_or_default() as u32;
        let sheet = Sheet {
            positions: numbers.iter().map(|&v| points[v as usize]).collect(),
            labels: numbers.iter().map(|&v| labels[v as usize]).collect(),
            tets: tets.into_iter().map(|tet| tet.map(place)).collect(),
        };
        (sheet, numbers)
    }

    fn shape(&self, tet: &[u32; 4]) -> f64 {
        shape(tet.map(|v| self.positions[v as usize]))
    }
}

/// 6√2 V / l³ with the root mean square l of the edges: 1 for a regular tet, 0 for a flat one.
fn shape(corners: [DVec3; 4]) -> f64 {
    let mut squares = 0.0;
    for i in 1..4 {
        for j in 0..i {
            squares += corners[i].distance_squared(corners[j]);
        }
    }
    let length = (squares / 6.0).sqrt();
    6.0 * std::f64::consts::SQRT_2 * signed_volume(corners) / (length * length * length)
}

/// Takes off flat tets that have two faces or more on the boundary: what is behind them is then the
/// boundary, and lies on the same surface.
pub fn peel(sheet: &mut Sheet, is_cut: &[bool]) {
    loop {
        let mut faces: Vec<[u32; 3]> = boundary_of_tets(&sheet.tets)
            .into_iter()
            .map(|mut face| {
                face.sort_unstable();
                face
            })
            .collect();
        faces.sort_unstable();
        let before = sheet.tets.len();
        let on_boundary = |tet: &[u32; 4]| {
            (0..4)
                .filter(|&skip| {
                    let mut face: Vec<u32> =
                        (0..4).filter(|&k| k != skip).map(|k| tet[k]).collect();
                    face.sort_unstable();
                    faces.binary_search(&[face[0], face[1], face[2]]).is_ok()
                })
                .count()
        };
        let is_flat = |tet: &[u32; 4]| {
            let label = sheet.labels[tet[0] as usize];
            let same = label.is_some() && tet.iter().all(|&v| sheet.labels[v as usize] == label);
            let cut = tet.iter().all(|&v| is_cut[v as usize]);
            (same || cut) && sheet.shape(tet) < FLAT && on_boundary(tet) >= 2
        };
        let kept: Vec<[u32; 4]> = sheet.tets.iter().filter(|tet| !is_flat(tet)).copied().collect();
        sheet.tets = kept;
        if sheet.tets.len() == before {
            return;
        }
    }
}

/// Moves the vertices of bad tets to where the worst tet around them is better; those on a surface
/// stay on it.
pub fn improve(sheet: &mut Sheet, surfaces: &[SignedDistance], round: u32) {
    let labels = sheet.labels.clone();
    let onto = |v: u32, to: DVec3, edge: f64| match labels[v as usize] {
        None => Some(to),
        Some(label) => {
            let found = surfaces[label as usize].tree().closest_within(to, 2.0 * edge);
            found.map(|found| found.point)
        }
    };
    climb(&mut sheet.positions, &sheet.tets, GOOD, &onto, round);
}

/// Moves vertices until no tet around them is worse than it must be: for solids that have been
/// deformed since they were made. `onto` tells where a vertex may go when it is asked to go
/// somewhere: not at all, there, or onto a surface nearby. Returns how many tets are still turned
/// over.
///
/// ```
/// use pliant_mesh::{DVec3, improve_shapes, shapes};
/// let mut solid = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
/// let inside = |p: &DVec3| p.abs().max_element() < 0.49;
/// let middle = solid.positions.iter().position(inside).unwrap_or_default();
/// solid.positions[middle] = DVec3::new(0.6, 0.1, 0.0);
/// let onto = |v: u32, to: DVec3| (v as usize == middle).then_some(to);
/// assert_eq!(improve_shapes(&mut solid, &onto), 0);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn improve_shapes(solid: &mut Mesh, onto: &dyn Fn(u32, DVec3) -> Option<DVec3>) -> usize {
    let onto = |v: u32, to: DVec3, _: f64| onto(v, to);
    for round in 0..8 {
        climb(&mut solid.positions, &solid.tets, GOOD, &onto, round);
        if round > 0 && quality::inverted(solid) == 0 {
            break;
        }
    }
    quality::inverted(solid)
}

/// One round: every vertex of a tet that is worse than `good` tries places around it.
fn climb(
    positions: &mut [DVec3],
    tets: &[[u32; 4]],
    good: f64,
    onto: &dyn Fn(u32, DVec3, f64) -> Option<DVec3>,
    round: u32,
) {
    let mut around = vec![Vec::new(); positions.len()];
    for (t, tet) in (0u32..).zip(tets) {
        tet.iter().for_each(|&v| around[v as usize].push(t));
    }
    let of = |positions: &[DVec3], t: u32| shape(tets[t as usize].map(|v| positions[v as usize]));
    for pass in 0..PASSES {
        let mut bad: Vec<u32> = (0..tets.len() as u32)
            .filter(|&t| of(positions, t) < good)
            .flat_map(|t| tets[t as usize])
            .collect();
        bad.sort_unstable();
        bad.dedup();
        for v in bad {
            let own = &around[v as usize];
            let worst = |positions: &[DVec3]| {
                own.iter().map(|&t| of(positions, t)).fold(f64::INFINITY, f64::min)
            };
            let (mut best, mut from) = (worst(positions), positions[v as usize]);
            if best >= good {
                continue;
            }
            let edge = tets[own[0] as usize]
                .iter()
                .map(|&w| positions[w as usize].distance(from))
                .fold(0.0, f64::max);
            let seed = (v.wrapping_mul(31).wrapping_add(pass)).wrapping_mul(17).wrapping_add(round);
            for k in 0..TRIES * REACH.len() as u32 {
                let reach = REACH[(k / TRIES) as usize] * edge;
                let to = from + reach * noise(seed.wrapping_mul(64).wrapping_add(k));
                let Some(to) = onto(v, to, edge) else { continue };
                positions[v as usize] = to;
                let now = worst(positions);
                if now > best {
                    (best, from) = (now, to);
                }
            }
            positions[v as usize] = from;
        }
    }
}

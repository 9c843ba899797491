//! A pair of horns that cross at their tips: what a lattice would weld, and what keeps it apart.

use glam::DVec3;
use pliant_math::team::Team;

use super::at_least;
use crate::carry::tetrahedralise_separated;
use crate::error::MeshError;
use crate::mesh::{Group, Mesh};
use crate::tetrahedralise::{Resolution, TetOptions};

/// Half of the way between the tips in the pose in which they are filled (m).
const APART: f64 = 0.07;
/// Thickness at the base, half of it (m), and the part of it that is lost towards the tips.
const RADIUS: f64 = 0.03;
const TAPER: f64 = 0.65;
/// Rings of vertices along each horn, around each, and over each tip.
const ALONG: usize = 64;
const AROUND: usize = 24;
const OVER: usize = 4;

/// Two horns that grow from a common base, 0.25 m high, standing on y = 0, whose tips cross each
/// other at rest: filled where they are apart and carried back, so that nothing is welded.
///
/// `resolution` is the number of cells along the height. The groups are `base`, `left` and
/// `right`: the foot, and the tips towards −x and +x.
///
/// ```
/// let horns = pliant_mesh::shapes::horns(24)?;
/// assert_eq!(pliant_mesh::quality::inverted(&horns), 0);
/// assert_eq!(horns.groups[1].name, "left");
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn horns(resolution: usize) -> Result<Mesh, MeshError> {
    at_least("horns", "resolution", resolution, 16)?;
    let cells = u32::try_from(resolution).unwrap_or(u32::MAX);
    let options = TetOptions { resolution: Resolution::Cells(cells), ..TetOptions::default() };
    let (shut, open) = (horns_surface(0.0), horns_surface(APART));
    let filled = tetrahedralise_separated(&shut, &open, &options, &Team::new(1))?;
    let mut solid = filled.solid;
    // Which of two overlapping tips a vertex belongs to is told where they are apart.
    let (left, right): (Vec<usize>, Vec<usize>) =
        (0..open.positions.len()).partition(|&v| open.positions[v].x < 0.0);
    let tip = |side: &[usize]| {
        let high = side.iter().filter(|&&v| shut.positions[v].y > 0.9 * HEIGHT);
        high.flat_map(|&v| solid.tets[filled.embedding.tets[v] as usize]).collect()
    };
    let low = |(v, x): (u32, &DVec3)| (x.y < 0.04 * HEIGHT).then_some(v);
    let base = (0u32..).zip(&solid.positions).filter_map(low).collect();
    solid.groups = vec![
        Group::new("base", base),
        Group::new("left", tip(&left)),
        Group::new("right", tip(&right)),
    ];
    Ok(solid)
}

const HEIGHT: f64 = 0.25;

/// The surface of the horns, each tip moved by `apart` (m); 0 is the rest, where they cross.
pub(crate) fn horns_surface(apart: f64) -> Mesh {
    let mut positions = Vec::new();
    // From tip to tip: a ring is where along the horns, how far past it, and how wide.
    let mut rings: Vec<(f64, f64, f64)> = Vec::new();
    let cap = |k: usize| (0.5 * std::f64::consts::PI * k as f64 / (OVER + 1) as f64).sin_cos();
    rings.extend((1..=OVER).rev().map(cap).map(|(past, wide)| (-1.0, -past, wide)));
    let middle = ALONG as i32;
    rings.extend((-middle..=middle).map(|k| (f64::from(k) / f64::from(middle), 0.0, 1.0)));
    rings.extend((1..=OVER).map(cap).map(|(past, wide)| (1.0, past, wide)));
    for &(s, past, wide) in &rings {
        let radius = radius(s);
        let along = (spine(s + 1e-6, apart) - spine(s - 1e-6, apart)).normalize();
        let center = spine(s, apart) + past * radius * along;
        let across = along.cross(DVec3::Z);
        for k in 0..AROUND {
            let (sine, cosine) = (std::f64::consts::TAU * k as f64 / AROUND as f64).sin_cos();
            positions.push(center + wide * radius * (cosine * across + sine * DVec3::Z));
        }
    }
    let at = |ring: usize, k: usize| (ring * AROUND + k % AROUND) as u32;
    let mut triangles = Vec::new();
    for ring in 1..rings.len() {
        for k in 0..AROUND {
            let [a, b] = [at(ring - 1, k), at(ring - 1, k + 1)];
            let [c, d] = [at(ring, k), at(ring, k + 1)];
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    for (end, ring) in [(-1.0, 0), (1.0, rings.len() - 1)] {
        let along = (spine(end + 1e-6, apart) - spine(end - 1e-6, apart)).normalize();
        let tip = positions.len() as u32;
        positions.push(spine(end, apart) + end * radius(end) * along);
        for k in 0..AROUND {
            let [a, b] = [at(ring, k), at(ring, k + 1)];
            triangles.push(if end < 0.0 { [a, b, tip] } else { [b, a, tip] });
        }
    }
    Mesh::surface(positions, triangles)
}

fn radius(s: f64) -> f64 {
    RADIUS * (1.0 - TAPER * s.abs().min(1.0))
}

/// The middle of the horns, from the left tip at −1 over the base at 0 to the right tip.
fn spine(s: f64, apart: f64) -> DVec3 {
    let u = s.abs();
    // Out and in again as a lyre, then along each other, deeper than touching.
    let lyre = 0.09 * (std::f64::consts::PI * u / 0.9).sin();
    let grown = (2.0 * u).min(1.0);
    let beside = 0.8 * radius(s) * grown * grown * (3.0 - 2.0 * grown);
    let x = 0.5 * (lyre + beside + ((lyre - beside).powi(2) + 1e-4 * u * u).sqrt());
    let y = RADIUS + 0.82 * HEIGHT * (1.0 - (0.5 * std::f64::consts::PI * u).cos());
    DVec3::new(s.signum() * (x + apart * u * u), y, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::findings;
    use crate::testing::euler;
    use crate::tetrahedralise::tetrahedralise;

    #[test]
    fn horns_that_cross_are_two_all_the_same() {
        let horns = horns(32).unwrap();
        assert_eq!(euler(&horns), 1);
        assert_eq!(crate::quality::inverted(&horns), 0);
        let welded = tetrahedralise(
            &horns_surface(0.0),
            &TetOptions { resolution: Resolution::Cells(32), ..TetOptions::default() },
            &Team::new(1),
        );
        assert_ne!(euler(&welded.unwrap().solid), 1);
        for group in &horns.groups {
            assert!(group.vertices.len() > 20, "{}", group.name);
        }
        let shared = |v: &&u32| horns.groups[2].vertices.contains(v);
        assert_eq!(horns.groups[1].vertices.iter().filter(shared).count(), 0);
    }

    #[test]
    fn the_surface_crosses_itself_at_rest_only() {
        let crossing = |apart: f64| {
            let found = findings(&horns_surface(apart));
            found.iter().map(|f| f.kind).collect::<Vec<_>>()
        };
        assert!(crossing(APART).is_empty(), "{:?}", crossing(APART));
        assert!(!crossing(0.0).is_empty());
        assert!(horns_surface(APART).volume() > 0.0);
    }
}

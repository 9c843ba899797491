//! A moulded jelly: twelve flutes, a rounded shoulder, a dimple on top.
//!
//! A disc of concentric rings (ring r has 6r vertices) is extruded into layers of prisms, each
//! prism cut into three tets, and the cylinder is bent into the mould. Unlike a square grid
//! pressed into a disc, rings have no corners whose angle would open to 180°.

use std::f64::consts::TAU;

use glam::DVec3;

use super::{at_least, element_count};
use crate::error::MeshError;
use crate::mesh::{Group, Mesh, signed_volume};

/// Height over the plate (m), before the dimple.
const HEIGHT: f64 = 0.10;
/// Radius of the base, over the flutes (m).
const BASE_RADIUS: f64 = 0.065;
/// Radius that the flanks taper to (m); the shoulder takes more.
const TOP_RADIUS: f64 = 0.052;
/// Vertical flutes around the side.
const FLUTES: f64 = 12.0;
/// Depth of the grooves between flutes, relative to the radius.
const GROOVE: f64 = 0.13;
/// Depth of the dimple on top (m).
const DIMPLE: f64 = 0.007;
/// How far the shoulder is drawn in, and how suddenly. At SHOULDER · SHARPNESS = 1 − SHOULDER
/// flank and top would meet without an edge, and the tets there would be flat: stay below.
const SHOULDER: f64 = 0.17;
const SHARPNESS: f64 = 3.4;

/// A fluted jelly 0.10 m tall and 0.13 m wide that stands on y = 0, centred on the y axis.
///
/// `resolution` is the number of cells across, rounded to a multiple of four so that all flutes
/// are alike. The vertices on y = 0 are the group `base`.
///
/// ```
/// let jelly = pliant_mesh::shapes::jelly(16)?;
/// let size = jelly.bounds().unwrap().size();
/// assert!((size.x - 0.13).abs() < 1e-3 && (size.y - 0.10).abs() < 0.01);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn jelly(resolution: usize) -> Result<Mesh, MeshError> {
    at_least("jelly", "resolution", resolution, 8)?;
    element_count("jelly", &[resolution, resolution, resolution])?;
    let rings = 2 * ((resolution + 2) / 4);
    let layers = (rings as f64 * HEIGHT / BASE_RADIUS).round() as usize;
    let disc = Disc::new(rings);
    let tet_count = element_count("jelly", &[3, disc.triangles.len(), layers])?;
    let per_level = disc.points.len();

    let mut positions = Vec::with_capacity(per_level * (layers + 1));
    for level in 0..=layers {
        let height = level as f64 / layers as f64;
        positions.extend(disc.points.iter().map(|p| {
            let across = p.ring as f64 / rings as f64;
            mould(across, TAU * p.step as f64 / (6 * p.ring).max(1) as f64, height)
        }));
    }
    // The cut of every prism follows this order of the vertices. Highest and outermost first:
    // cuts leave the top edge inward, halving the angle that the shoulder opens to 180°.
    let rank = |vertex: u32| {
        let (level, at) = (vertex as usize / per_level, vertex as usize % per_level);
        let p = &disc.points[at];
        (layers - level, rings - p.ring, p.step % 2, p.step)
    };
    let mut tets = Vec::with_capacity(tet_count);
    for level in 0..layers {
        let [low, high] = [level * per_level, (level + 1) * per_level];
        for triangle in &disc.triangles {
            let prism = [low, high].map(|start| triangle.map(|v| (start + v) as u32));
            tets.extend(split_prism(prism, rank).map(|tet| oriented(tet, &positions)));
        }
    }
    let mut mesh = Mesh::solid(positions, tets);
    mesh.groups.push(Group::new("base", (0..per_level as u32).collect()));
    Ok(mesh)
}

/// Where the mould puts the point at `across` (0 axis … 1 side), `angle` and `height` (0 … 1).
fn mould(across: f64, angle: f64, height: f64) -> DVec3 {
    let radius = TOP_RADIUS + (BASE_RADIUS - TOP_RADIUS) * (1.0 - height).powf(1.4);
    let drawn_in = 1.0 - SHOULDER * height.powf(SHARPNESS);
    let drawn_down = 1.0 - SHOULDER * across.powf(SHARPNESS);
    // |cos| makes round lobes with narrow grooves; the small constant rounds the groove itself.
    let lobe = (0.98 * (0.5 * FLUTES * angle).cos().powi(2) + 0.02).sqrt();
    let fluted = 1.0 - GROOVE * (1.0 - lobe) * across.powi(2) * (1.0 - 0.25 * height);
    let r = across * radius * drawn_in * fluted;
    let dimple = DIMPLE * height.powi(3) * (-(across / 0.38).powi(2)).exp();
    DVec3::new(r * angle.cos(), HEIGHT * height * drawn_down - dimple, r * angle.sin())
}

struct DiscPoint {
    ring: usize,
    step: usize,
}

/// Concentric rings of near-equilateral triangles.
struct Disc {
    points: Vec<DiscPoint>,
    triangles: Vec<[usize; 3]>,
}

impl Disc {
    fn new(rings: usize) -> Self {
        let points = std::iter::once(DiscPoint { ring: 0, step: 0 })
            .chain(
                (1..=rings)
                    .flat_map(|ring| (0..6 * ring).map(move |step| DiscPoint { ring, step })),
            )
            .collect();
        let vertex = |ring: usize, step: usize| match ring {
            0 => 0,
            _ => 1 + 3 * ring * (ring - 1) + step % (6 * ring),
        };
        let mut triangles = Vec::with_capacity(6 * rings * rings);
        for ring in 1..=rings {
            for sector in 0..6 {
                for step in 0..ring {
                    let outer = |s| vertex(ring, sector * ring + s);
                    let inner = |s| vertex(ring - 1, sector * (ring - 1) + s);
                    triangles.push([inner(step), outer(step), outer(step + 1)]);
                    if step + 1 < ring {
                        triangles.push([inner(step), outer(step + 1), inner(step + 1)]);
                    }
                }
            }
        }
        Disc { points, triangles }
    }
}

/// Three tets of a prism given as two triangles; every square side is cut through its
/// first-ranked vertex, so that neighbouring prisms agree.
fn split_prism<R: Ord>(prism: [[u32; 3]; 2], rank: impl Fn(u32) -> R) -> [[u32; 4]; 3] {
    let first = |choices: [(usize, usize); 6]| {
        choices.into_iter().min_by_key(|&(end, column)| rank(prism[end][column])).unwrap_or((0, 0))
    };
    let (end, column) = first([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
    let turned = |end: usize| [0, 1, 2].map(|c| prism[end][(column + c) % 3]);
    let [a0, a1, a2] = turned(end);
    let [b0, b1, b2] = turned(1 - end);
    let through_a1 = rank(a1).min(rank(b2)) < rank(a2).min(rank(b1));
    if through_a1 {
        [[a0, b0, b1, b2], [a0, a1, a2, b2], [a0, a1, b2, b1]]
    } else {
        [[a0, b0, b1, b2], [a0, a1, a2, b1], [a0, a2, b2, b1]]
    }
}

fn oriented(tet: [u32; 4], positions: &[DVec3]) -> [u32; 4] {
    let [a, b, c, d] = tet;
    if signed_volume(tet.map(|v| positions[v as usize])) < 0.0 { [a, c, b, d] } else { tet }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest angle between two faces of a tet, in degrees.
    fn smallest_dihedral(corners: [DVec3; 4]) -> f64 {
        let center = corners.iter().sum::<DVec3>() / 4.0;
        let normals = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]].map(|face| {
            let [a, b, c] = face.map(|v: usize| corners[v]);
            let n = (b - a).cross(c - a).normalize();
            if n.dot(a - center) < 0.0 { -n } else { n }
        });
        let pairs = (0..4).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.map(|(i, j)| (-normals[i].dot(normals[j])).acos().to_degrees()).fold(180.0, f64::min)
    }

    #[test]
    fn every_tet_is_positive_and_well_shaped() {
        for resolution in [8, 12, 16, 24, 32, 40, 60] {
            let mesh = jelly(resolution).unwrap();
            let mut total = 0.0;
            let mut worst = 180.0f64;
            for t in 0..mesh.tets.len() {
                let corners = mesh.corners(t).unwrap();
                assert!(signed_volume(corners) > 0.0, "tet {t} at resolution {resolution}");
                total += signed_volume(corners);
                worst = worst.min(smallest_dihedral(corners));
            }
            assert!(worst >= 8.0, "{worst}° at resolution {resolution}");
            // Cracks between prisms would show as a boundary that encloses another volume.
            let shell = Mesh::surface(mesh.positions.clone(), mesh.triangles.clone());
            assert!((shell.volume() - total).abs() < 1e-9 * total);
            assert!(crate::diagnosis::findings(&mesh).is_empty());
        }
    }

    #[test]
    fn it_has_the_promised_size_and_stands_on_its_base() {
        let mesh = jelly(24).unwrap();
        let bounds = mesh.bounds().unwrap();
        assert!((bounds.size().x - 0.13).abs() < 1e-9);
        assert!((bounds.max.y - 0.10).abs() < 0.005 && bounds.min.y == 0.0);
        assert!(mesh.groups[0].vertices.iter().all(|&v| mesh.positions[v as usize].y == 0.0));
        let lowest = mesh.positions.iter().filter(|p| p.y == 0.0).count();
        assert_eq!(mesh.groups[0].vertices.len(), lowest);
        let top = mesh.positions.iter().map(|p| p.y).fold(0.0, f64::max);
        let on_axis = mesh.positions.iter().filter(|p| p.x == 0.0 && p.z == 0.0).map(|p| p.y);
        assert!(on_axis.fold(0.0, f64::max) < top - 0.003, "there is a dimple");
    }

    #[test]
    fn absurd_resolutions_are_refused() {
        assert!(matches!(jelly(0), Err(MeshError::TooFewCells { .. })));
        for resolution in [usize::MAX, 1_000_000, 368] {
            assert!(matches!(jelly(resolution), Err(MeshError::TooManyElements { .. })));
        }
    }
}

//! Where vertices go: onto surfaces, by meshing these anew, and between them.

use glam::DVec3;
use pliant_math::team::Team;

use super::{Flesh, GradedOptions};
use crate::delaunay::noise;
use crate::error::MeshError;
use crate::isosurface::{Remesh, remesh};
use crate::mesh::{Bounds, Mesh};
use crate::signed_distance::{SignedDistance, evaluate};

/// Rounds of meshing anew.
const ROUNDS: usize = 6;
/// Points this far out of what is to be filled are still made, in sizes: tets are cut off between
/// them.
const BEYOND: f64 = 1.5;
/// Inner points are at least this far from surfaces and from each other, in sizes.
const FROM_SURFACE: f64 = 0.55;
const APART: f64 = 0.72;
/// A cube gives points when its side is at most this, in sizes.
const CUBE: f64 = 1.25;
/// Inner points are moved by this much of a size: no five of them are on a sphere.
const SHAKE: f64 = 0.04;
/// The most points.
const MOST: usize = 4_000_000;

/// Vertices of the surface meshed anew, near enough to what is to be filled.
pub fn surface_points(
    surface: &Mesh,
    distance: &SignedDistance,
    options: &GradedOptions,
    team: &Team,
) -> Vec<DVec3> {
    let normals: Vec<DVec3> = surface
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| surface.positions[v as usize]);
            (b - a).cross(c - a)
        })
        .collect();
    // Near the surface the side is that of the nearest triangle: no winding number is needed.
    let field = |p: DVec3| {
        let Some(found) = distance.tree().closest(p) else { return 0.0 };
        found.distance.copysign((p - found.point).dot(normals[found.triangle as usize]))
    };
    let shortest =
        surface.positions.iter().map(|p| (options.size)(*p)).fold(f64::INFINITY, f64::min);
    let asked = Remesh { field: &field, size: options.size, step: 0.02 * shortest, rounds: ROUNDS };
    let even = remesh(surface.clone(), &asked, team);
    let mut used = vec![false; even.positions.len()];
    even.triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    let onto = |p: DVec3| distance.tree().closest(p).map_or(p, |found| found.point);
    let near = |p: DVec3| (options.within)(p) > -BEYOND * (options.size)(p);
    let points = even.positions.iter().zip(used).filter(|(p, used)| *used && near(**p));
    points.map(|(p, _)| onto(*p)).collect()
}

/// Points in the flesh, off its boundary, as far from each other as is asked.
pub fn inner_points(
    flesh: &Flesh,
    options: &GradedOptions,
    team: &Team,
) -> Result<Vec<DVec3>, MeshError> {
    let Some(bounds) = flesh.distances.first().and_then(|d| d.tree().bvh().bounds()) else {
        return Ok(Vec::new());
    };
    let mut cubes = vec![(bounds.center(), bounds.size().max_element())];
    let mut candidates: Vec<DVec3> = Vec::new();
    while !cubes.is_empty() {
        let answers = evaluate(&cubes, team, |(center, side)| {
            let reach = 0.5 * 3f64.sqrt() * side;
            let size = (options.size)(center);
            if (options.within)(center) < -reach - BEYOND * size {
                return (false, f64::INFINITY);
            }
            (flesh.depth(center) > -reach, size)
        });
        let mut finer = Vec::new();
        for ((center, side), (near, size)) in cubes.into_iter().zip(answers) {
            if !near {
                continue;
            }
            let corners = (0..8).map(|k: i32| {
                DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1)) - 0.5
            });
            if side <= CUBE * size {
                // The middle and one corner: the others are corners of neighbours.
                candidates.push(center);
                candidates.extend(corners.map(|c| center + side * c));
            } else {
                finer.extend(corners.map(|c| (center + 0.5 * side * c, 0.5 * side)));
            }
        }
        if candidates.len() > MOST || finer.len() > MOST {
            return Err(MeshError::TooManyElements { shape: "flesh", limit: MOST });
        }
        cubes = finer;
    }
    let shaken: Vec<DVec3> = (0u32..)
        .zip(&candidates)
        .map(|(k, p)| *p + SHAKE * (options.size)(*p) * noise(k))
        .collect();
    let inside = evaluate(&shaken, team, |p| {
        let size = (options.size)(p);
        (options.within)(p) > -BEYOND * size && flesh.depth(p) > FROM_SURFACE * size
    });
    let points = shaken.into_iter().zip(inside).filter(|(_, inside)| *inside).map(|(p, _)| p);
    Ok(apart(points, &bounds, options))
}

/// Those that are far enough from all before them.
fn apart(
    points: impl Iterator<Item = DVec3>,
    bounds: &Bounds,
    options: &GradedOptions,
) -> Vec<DVec3> {
    const SIDE: usize = 48;
    let scale = (SIDE - 1) as f64 / bounds.size().max(DVec3::splat(f64::MIN_POSITIVE));
    let cell = |p: DVec3| {
        let at = ((p - bounds.min) * scale).clamp(DVec3::ZERO, DVec3::splat((SIDE - 1) as f64));
        [at.x as usize, at.y as usize, at.z as usize]
    };
    let mut cells: Vec<Vec<u32>> = vec![Vec::new(); SIDE * SIDE * SIDE];
    let mut kept: Vec<DVec3> = Vec::new();
    for p in points {
        let least = APART * (options.size)(p);
        let ([a, b, c], [d, e, f]) = (cell(p - least), cell(p + least));
        let mut near = (a..=d).flat_map(|x| {
            (b..=e).flat_map(move |y| (c..=f).map(move |z| (x * SIDE + y) * SIDE + z))
        });
        if near.any(|n| cells[n].iter().any(|&q| kept[q as usize].distance(p) < least)) {
            continue;
        }
        let [x, y, z] = cell(p);
        cells[(x * SIDE + y) * SIDE + z].push(kept.len() as u32);
        kept.push(p);
    }
    kept
}

//! Profiles turned about the y axis.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec2, DVec3};

use crate::mesh::Mesh;

/// The surface that a profile of distances from the axis and heights (m) sweeps, from a point on
/// the axis to another: facing outward when it runs from top to bottom.
///
/// ```
/// use glam::DVec2;
/// let half_circle = (0..=12).map(|k| DVec2::from_angle(0.26179938779914943 * f64::from(k)));
/// let profile: Vec<DVec2> = half_circle.map(|p| DVec2::new(p.y, p.x)).collect();
/// let ball = pliant_mesh::shapes::revolved(&profile, 24);
/// assert!((ball.volume() / 4.19 - 1.0).abs() < 0.05);
/// ```
pub fn revolved(profile: &[DVec2], segments: usize) -> Mesh {
    let [top, rings @ .., bottom] = profile else { return Mesh::default() };
    let mut positions = vec![DVec3::new(0.0, top.y, 0.0)];
    rings.iter().for_each(|ring| positions.extend(turned(*ring, segments)));
    let last = positions.len() as u32;
    positions.push(DVec3::new(0.0, bottom.y, 0.0));

    let vertex = |ring: usize, s: usize| (1 + ring * segments + s % segments) as u32;
    let mut triangles = Vec::with_capacity(2 * segments * rings.len());
    for s in 0..segments {
        triangles.push([0, vertex(0, s + 1), vertex(0, s)]);
        for ring in 1..rings.len() {
            triangles.extend(quad(
                [vertex(ring - 1, s), vertex(ring - 1, s + 1)],
                [vertex(ring, s), vertex(ring, s + 1)],
            ));
        }
        triangles.push([last, vertex(rings.len() - 1, s), vertex(rings.len() - 1, s + 1)]);
    }
    Mesh::surface(positions, triangles)
}

/// A capsule up the y axis, its lower centre at the origin; a ball if it has no length.
///
/// ```
/// let capsule = pliant_mesh::shapes::capsule(2.0, 0.5, 48);
/// assert!((capsule.volume() / 2.09 - 1.0).abs() < 0.05);
/// ```
pub fn capsule(length: f64, radius: f64, segments: usize) -> Mesh {
    let arc = |k: usize| {
        let angle = PI * k as f64 / segments as f64;
        let lift = if 2 * k <= segments { length } else { 0.0 };
        DVec2::new(radius * angle.sin(), radius * angle.cos() + lift)
    };
    let profile: Vec<DVec2> = (0..=segments).map(arc).collect();
    revolved(&profile, segments)
}

/// Turns a mesh from the y axis towards another, then shifts it.
pub fn placed(mut mesh: Mesh, axis: DVec3, shift: DVec3) -> Mesh {
    let turn = DQuat::from_rotation_arc(DVec3::Y, axis.try_normalize().unwrap_or(DVec3::Y));
    mesh.positions.iter_mut().for_each(|x| *x = turn * *x + shift);
    mesh
}

/// The surface that a closed profile sweeps, without touching the axis: facing outward when it
/// runs over the top from the inside to the outside.
///
/// ```
/// use glam::DVec2;
/// let circle = (0..24).map(|k| DVec2::from_angle(-0.2617993877991494 * f64::from(k)));
/// let profile: Vec<DVec2> = circle.map(|p| DVec2::new(1.0, 0.0) + 0.2 * p).collect();
/// let torus = pliant_mesh::shapes::ring(&profile, 48);
/// assert!((torus.volume() / 0.79 - 1.0).abs() < 0.05);
/// ```
pub fn ring(profile: &[DVec2], segments: usize) -> Mesh {
    let positions = profile.iter().flat_map(|p| turned(*p, segments)).collect();
    let count = profile.len();
    let vertex = |ring: usize, s: usize| ((ring % count) * segments + s % segments) as u32;
    let triangles = (0..count).flat_map(|ring| {
        (0..segments).flat_map(move |s| {
            quad(
                [vertex(ring, s), vertex(ring, s + 1)],
                [vertex(ring + 1, s), vertex(ring + 1, s + 1)],
            )
        })
    });
    Mesh::surface(positions, triangles.collect())
}

fn turned(point: DVec2, segments: usize) -> impl Iterator<Item = DVec3> {
    (0..segments).map(move |s| {
        let angle = TAU * s as f64 / segments as f64;
        DVec3::new(point.x * angle.cos(), point.y, point.x * angle.sin())
    })
}

fn quad([a, b]: [u32; 2], [c, d]: [u32; 2]) -> [[u32; 3]; 2] {
    [[a, b, d], [a, d, c]]
}

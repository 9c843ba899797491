//! Meshes of the functions of space.
//!
//! Half of each part is meshed and mirrored. Everything is exactly symmetric, and every vertex
//! knows its mirror image.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::isosurface::{Lattice, Remesh, march, mirrored, remesh};
use pliant_mesh::{Mesh, MeshError};

use super::Anatomy;
use super::distance_fields::Ellipsoid;
use super::edge_lengths::edge_length;
use super::eye;
use super::mouth::close_lips;

/// Cubes that find the skin: lids are not two of them thick (m).
const SKIN_CUBE: f64 = 0.0011;
/// In the chart the slit between the lips is this many cubes wide.
const OPEN_CUBES: f64 = 2.6;
/// Distances are of first order: how far values may be off (m).
const SLACK: f64 = 0.004;
const ROUNDS: usize = 7;

/// The skin with edges of `size` on the cheek (m), and the mirror image of every vertex.
pub fn skin(anatomy: &Anatomy, size: f64, team: &Team) -> Result<(Mesh, Vec<u32>), MeshError> {
    let cube = SKIN_CUBE.min(0.5 * size);
    let open = OPEN_CUBES * cube;
    let field = |p: DVec3| anatomy.skin(close_lips(p, open));
    let lattice = half(DVec3::new(0.096, 0.12, 0.06), DVec3::new(0.0, -0.200, -0.190), cube);
    let rough = march(&field, &lattice, team)?;
    let length = |p: DVec3| edge_length(p, size);
    let asked = Remesh { field: &field, size: &length, step: 1e-4, rounds: ROUNDS };
    let mut even = remesh(rough, &asked, team);
    // Open or shut, the chart leaves x as it is: the plane of symmetry stays one.
    even.positions.iter_mut().for_each(|p| *p = close_lips(*p, open));
    Ok(mirrored(&even))
}

/// The skull without teeth.
pub fn skull(anatomy: &Anatomy, size: f64, team: &Team) -> Result<Mesh, MeshError> {
    const FACE: Ellipsoid = Ellipsoid::new([0.0, -0.018, -0.030], [0.066, 0.046, 0.066]);
    let scale = size / super::edge_lengths::DEFAULT_SIZE;
    let length = |p: DVec3| scale * (0.0019 + 0.15 * FACE.distance(p).max(0.0)).min(0.0060);
    let lattice = half(DVec3::new(0.080, 0.115, 0.035), DVec3::new(0.0, -0.075, -0.185), 0.0013);
    part(&|p| anatomy.skull(p), &length, &lattice, team)
}

/// The mandible without teeth.
pub fn mandible(anatomy: &Anatomy, size: f64, team: &Team) -> Result<Mesh, MeshError> {
    let length = 0.9 * size;
    let lattice = half(DVec3::new(0.070, 0.0, 0.035), DVec3::new(0.0, -0.125, -0.095), 0.0012);
    part(&|p| anatomy.mandible(p), &|_| length, &lattice, team)
}

/// The teeth of a jaw, upper or lower.
pub fn teeth(anatomy: &Anatomy, upper: bool, size: f64, team: &Team) -> Result<Mesh, MeshError> {
    let row = if upper { anatomy.upper_teeth() } else { anatomy.lower_teeth() };
    let length = 0.4 * size;
    part(&|p| row.distance(p), &|_| length, &tooth_lattice(0.0006), team)
}

/// The same as one ridge of few triangles, to compute contact with.
pub fn teeth_proxy(anatomy: &Anatomy, upper: bool, team: &Team) -> Result<Mesh, MeshError> {
    let row = if upper { anatomy.upper_teeth() } else { anatomy.lower_teeth() };
    part(&|p| row.ridge(p), &|_| 0.0032, &tooth_lattice(0.0010), team)
}

/// An eyeball with its cornea, looking along +z; rings are around its axis.
pub fn eyeball(center: DVec3) -> Mesh {
    const RINGS: u32 = 44;
    const AROUND: u32 = 64;
    let place = |direction: DVec3| center + eye::reach(direction) * direction;
    let mut positions = vec![place(DVec3::Z)];
    for ring in 1..RINGS {
        // Denser towards the front, where iris and pupil are.
        let angle = std::f64::consts::PI * (f64::from(ring) / f64::from(RINGS)).powf(1.4);
        for k in 0..AROUND {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
            positions.push(place(DVec3::new(angle.sin() * cos, angle.sin() * sin, angle.cos())));
        }
    }
    positions.push(place(DVec3::NEG_Z));
    let last = positions.len() as u32 - 1;
    let at = |ring: u32, k: u32| match ring {
        0 => 0,
        RINGS => last,
        _ => 1 + (ring - 1) * AROUND + k % AROUND,
    };
    let mut triangles = Vec::new();
    for (ring, k) in (0..RINGS).flat_map(|ring| (0..AROUND).map(move |k| (ring, k))) {
        let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k), at(ring + 1, k + 1)];
        triangles.extend((ring + 1 < RINGS).then_some([a, c, d]));
        triangles.extend((ring > 0).then_some([a, d, b]));
    }
    Mesh::surface(positions, triangles)
}

fn half(max: DVec3, min: DVec3, size: f64) -> Lattice {
    Lattice { min, max, size, slack: SLACK }
}

fn tooth_lattice(size: f64) -> Lattice {
    half(DVec3::new(0.045, -0.050, 0.030), DVec3::new(0.0, -0.100, -0.050), size)
}

fn part(
    field: &(dyn Fn(DVec3) -> f64 + Sync),
    length: &(dyn Fn(DVec3) -> f64 + Sync),
    lattice: &Lattice,
    team: &Team,
) -> Result<Mesh, MeshError> {
    let rough = march(field, lattice, team)?;
    let asked = Remesh { field, size: length, step: 1e-4, rounds: ROUNDS };
    Ok(mirrored(&remesh(rough, &asked, team)).0)
}

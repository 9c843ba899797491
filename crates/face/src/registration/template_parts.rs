//! Warps the template's parts into your head, under its skin.

use glam::DVec3;
use pliant_math::team::{SharedSlice, Team};
use pliant_mesh::{Attribute, Group, Mesh, Polygons, Surface};

use super::OwnHead;
use super::connected_pieces::{ConnectedPiece, part};
use super::containment::SkinCover;
use super::warp::SpaceWarp;
use crate::anatomy::hinge::Hinge;
use crate::anatomy::{Fibres, MuscleVolume, colours};
use crate::template::{BARED, Eye, TEETH, in_the_open};

/// How deep bones and muscles are at least (m).
const BONE_DEPTH: f64 = 0.0023;
const MUSCLE_DEPTH: f64 = 0.0004;
/// Bone at the wall of the mouth that is less deep than this stands in it, as teeth do (m).
const IN_THE_OPEN: f64 = 0.0006;
/// The colour of bone that stands in the mouth.
pub const GUM: [f64; 3] = [0.72, 0.40, 0.38];

/// A mesh in the other head.
pub fn moved(mesh: &Mesh, warp: &SpaceWarp, team: &Team) -> Mesh {
    let mut positions = mesh.positions.clone();
    let shared = SharedSlice::new(&mut positions);
    team.each(mesh.positions.len(), &|v, _thread| {
        // SAFETY: every item has its own vertex.
        unsafe { *shared.at(v) = warp.at(mesh.positions[v]) };
    });
    Mesh { positions, ..mesh.clone() }
}

/// A bone under the new skin, with teeth of its own or the template's. What of it comes to stand in
/// the mouth is bared.
pub fn bone(
    bone: &Surface,
    own_teeth: Option<&Surface>,
    warp: &SpaceWarp,
    cover: &SkinCover,
    team: &Team,
) -> Surface {
    let open = in_the_open(bone, &[TEETH]);
    let of = |teeth: bool| -> Vec<[u32; 3]> {
        let all = bone.mesh.triangles.iter();
        all.filter(|t| t.iter().any(|&v| open[v as usize]) == teeth).copied().collect()
    };
    let (mut rest, _) = part(bone, &of(false));
    rest.mesh = moved(&rest.mesh, warp, team);
    cover.push(&mut rest.mesh, BONE_DEPTH, false, team);
    let depths = cover.depths(&rest.mesh.positions, team);
    let is_bared = |v: usize| depths[v] < IN_THE_OPEN && cover.is_at_mouth(rest.mesh.positions[v]);
    // Whole triangles: that is how files tell groups.
    let triangles = rest.mesh.triangles.iter().filter(|t| t.iter().any(|&v| is_bared(v as usize)));
    let mut bared: Vec<u32> = triangles.flatten().copied().collect();
    bared.sort_unstable();
    bared.dedup();
    for colour in rest.attributes.iter_mut().filter(|a| a.name == Attribute::COLOR) {
        for &v in &bared {
            let own = colour.values.get_mut(3 * v as usize..3 * v as usize + 3);
            own.into_iter().for_each(|own| own.copy_from_slice(&GUM));
        }
    }
    let teeth = own_teeth.cloned().unwrap_or_else(|| {
        let (teeth, _) = part(bone, &of(true));
        Surface { mesh: moved(&teeth.mesh, warp, team), ..teeth }
    });
    let (first, count) = (rest.mesh.positions.len() as u32, teeth.mesh.positions.len() as u32);
    rest.mesh.positions.extend(&teeth.mesh.positions);
    rest.mesh.triangles.extend(teeth.mesh.triangles.iter().map(|t| t.map(|v| v + first)));
    let buried = (0..first).filter(|v| bared.binary_search(v).is_err()).collect();
    rest.mesh.groups = vec![
        Group::new("bone", buried),
        Group::new(BARED, bared),
        Group::new(TEETH, (first..first + count).collect()),
    ];
    rest.mesh.groups.retain(|group| !group.vertices.is_empty());
    rest.polygons = Polygons::default();
    rest.attributes.retain(|a| a.name == Attribute::COLOR);
    for colour in &mut rest.attributes {
        let own = teeth.attributes.iter().find(|a| a.name == Attribute::COLOR);
        colour.values.extend(own.into_iter().flat_map(|a| &a.values));
        colour.values.resize(3 * (first + count) as usize, 0.9);
    }
    rest
}

pub fn muscle(
    muscle: &MuscleVolume,
    warp: &SpaceWarp,
    cover: &SkinCover,
    team: &Team,
) -> MuscleVolume {
    let mut solid = moved(&muscle.solid, warp, team);
    cover.push(&mut solid, MUSCLE_DEPTH, true, team);
    let fibres = muscle.solid.positions.iter().zip(&muscle.fibres.direction);
    let turned = |(p, d): (&DVec3, &DVec3)| warp.direction(*p, *d).normalize_or(*d);
    MuscleVolume {
        curve: muscle.curve.iter().map(|p| warp.at(*p)).collect(),
        fibres: Fibres {
            along: muscle.fibres.along.clone(),
            direction: fibres.map(turned).collect(),
        },
        solid,
        ..muscle.clone()
    }
}

/// The piece of the head that is where an eyeball is expected, or else the template's.
pub fn own_eye(
    eye: &Eye,
    warp: &SpaceWarp,
    own: &OwnHead,
    pieces: &[ConnectedPiece],
    team: &Team,
) -> Eye {
    let center = warp.at(eye.center);
    let radius = eye.radius * warp.similarity.scale;
    let fits = |piece: &&ConnectedPiece| {
        let (size, away) = (piece.bounds.size(), piece.bounds.center().distance(center));
        away < 0.6 * radius && size.max_element() < 4.0 * radius && size.min_element() > radius
    };
    let triangles: Vec<[u32; 3]> =
        pieces.iter().filter(fits).flat_map(|piece| piece.triangles.iter().copied()).collect();
    if triangles.is_empty() {
        let surface = Surface { mesh: moved(&eye.surface.mesh, warp, team), ..eye.surface.clone() };
        return Eye { center, radius, surface };
    }
    let (mut surface, _) = part(&own.surface, &triangles);
    let Some(bounds) = surface.mesh.bounds() else { return eye.clone() };
    // A cornea stands out at the front: the ball is as round as it is wide.
    let radius = 0.25 * (bounds.size().x + bounds.size().y);
    let center = DVec3 { z: bounds.min.z + radius, ..bounds.center() };
    let scale = eye.radius / radius;
    let paint = |p: &DVec3| colours::eyeball(scale * (*p - center));
    let values = surface.mesh.positions.iter().flat_map(paint).collect();
    surface.attributes =
        vec![Attribute { name: Attribute::COLOR.to_owned(), components: 3, values }];
    Eye { center, radius, surface }
}

pub fn hinge(hinge: &Hinge, warp: &SpaceWarp) -> Hinge {
    let carried = |d: DVec3| warp.similarity.scale * d;
    Hinge {
        point: warp.at(hinge.point),
        axis: warp.direction(hinge.point, hinge.axis).normalize_or(hinge.axis),
        vertical: warp.direction(hinge.point, hinge.vertical).normalize_or(hinge.vertical),
        slide: carried(hinge.slide),
        shift: hinge.shift.map(carried),
        ..*hinge
    }
}

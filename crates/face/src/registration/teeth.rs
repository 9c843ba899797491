//! Teeth, gums and tongue of your head mesh: the pieces inside its mouth.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::diagnosis::{Finding, FindingKind, findings};
use pliant_mesh::isosurface::{Lattice, Remesh, march, remesh};
use pliant_mesh::{Attribute, Bounds, Mesh, SignedDistance, Surface};

use super::OwnHead;
use super::connected_pieces::{ConnectedPiece, part};
use super::template_parts::GUM;
use crate::error::FaceError;

const ENAMEL: [f64; 3] = [0.93, 0.91, 0.84];
/// Fewer triangles than these are no row of teeth.
const FEWEST: usize = 100;
/// Proxies: edges, cubes that their surface is looked for in, and how far they are outside of the
/// teeth, so that gaps between these are closed (m).
const EDGE: f64 = 0.0032;
const CUBE: f64 = 0.0010;
const AROUND: f64 = 0.0002;

/// What moves with the skull, and with the mandible: all of it, and closed ridges for contact.
pub struct OwnTeeth {
    pub rows: [Surface; 2],
    pub proxies: [Mesh; 2],
}

/// The teeth of a head whose mouth is in `mouth`; `None` where it has none. `opening` is what
/// opening the jaw does to all vertices (m); without it what is below `middle` is of the mandible.
pub fn own_teeth(
    own: &OwnHead,
    pieces: &[ConnectedPiece],
    mouth: &Bounds,
    opening: Option<&[DVec3]>,
    middle: DVec3,
    team: &Team,
) -> Result<Option<OwnTeeth>, FaceError> {
    let room = 0.003;
    let inside = |piece: &&ConnectedPiece| {
        (piece.bounds.min + room).cmpge(mouth.min).all()
            && (piece.bounds.max - room).cmple(mouth.max).all()
    };
    let is_closed = |piece: &ConnectedPiece| {
        let open = |f: &Finding| f.kind == FindingKind::OpenEdge;
        !findings(&part(&own.surface, &piece.triangles).0.mesh).iter().any(open)
    };
    let found = pieces.iter().filter(inside);
    let found: Vec<(&ConnectedPiece, bool)> =
        found.map(|piece| (piece, is_closed(piece))).collect();
    let way = |triangles: &[[u32; 3]]| {
        let moved = triangles.iter().flatten();
        let sum: f64 = moved.map(|&v| opening.map_or(0.0, |o| o[v as usize].length())).sum();
        sum / (3 * triangles.len()) as f64
    };
    let furthest = found.iter().map(|(piece, _)| way(&piece.triangles)).fold(0.0, f64::max);
    let height = |triangles: &[[u32; 3]]| {
        let sum: f64 =
            triangles.iter().flatten().map(|&v| own.surface.mesh.positions[v as usize].y).sum();
        sum / (3 * triangles.len()) as f64
    };
    let is_lower = |triangles: &[[u32; 3]]| {
        if furthest > 0.0 { way(triangles) > 0.5 * furthest } else { height(triangles) < middle.y }
    };
    let mut rows = [Surface::default(), Surface::default()];
    let mut proxies = [Mesh::default(), Mesh::default()];
    for (k, (row, proxy)) in rows.iter_mut().zip(&mut proxies).enumerate() {
        let (mut teeth, mut all) = (Vec::new(), Vec::new());
        for (piece, is_closed) in &found {
            if *is_closed && is_lower(&piece.triangles) == (k == 1) {
                teeth.extend_from_slice(&piece.triangles);
            } else if !is_closed {
                // Gums may be one with a tongue, and both with those of the other jaw.
                let here = |t: &&[u32; 3]| is_lower(std::slice::from_ref(*t)) == (k == 1);
                all.extend(piece.triangles.iter().filter(here));
            }
        }
        all.extend_from_slice(&teeth);
        if teeth.len() < FEWEST {
            return Ok(None);
        }
        let (mut surface, used) = part(&own.surface, &all);
        let (ridge, enamel) = part(&own.surface, &teeth);
        let paint = |v: &u32| if enamel.binary_search(v).is_ok() { ENAMEL } else { GUM };
        let values = used.iter().flat_map(paint).collect();
        surface.attributes =
            vec![Attribute { name: Attribute::COLOR.to_owned(), components: 3, values }];
        *proxy = ridge_around(&ridge.mesh, team)?;
        *row = surface;
    }
    Ok(Some(OwnTeeth { rows, proxies }))
}

/// One closed surface of few triangles around teeth.
fn ridge_around(teeth: &Mesh, team: &Team) -> Result<Mesh, FaceError> {
    let distance = SignedDistance::new(teeth);
    let field = |p: DVec3| -distance.at(p) - AROUND;
    let Some(Bounds { min, max }) = teeth.bounds() else { return Ok(Mesh::default()) };
    let room = 4.0 * CUBE;
    let lattice = Lattice { min: min - room, max: max + room, size: CUBE, slack: AROUND };
    let rough = march(&field, &lattice, team)?;
    let asked = Remesh { field: &field, size: &|_| EDGE, step: 1e-4, rounds: 5 };
    Ok(remesh(rough, &asked, team))
}

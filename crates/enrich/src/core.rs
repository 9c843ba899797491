//! What should follow the input when nobody said so: the bones that every animated creature has,
//! found from its shape and from where it stands.
//!
//! 1. How thick is the body at a vertex? R, the radius of the ball that it belongs to, of those that fit
//!    inside of the surface ([`crate::balls`]); B is the greatest of all.
//! 2. Where R ≥ 0.35 B the body is thick; the rest are *limbs*, each a connected piece.
//! 3. A limb that the input sets on the ground *supports*: it is part of the skeleton, and what touches
//!    the ground follows exactly, so that no foot slides. Ears, tails, trunks and fins do not.
//! 4. Deep inside (depth ≥ 0.45 R) thick parts and supports follow exactly; their flesh is free. Supports
//!    thinner than about a cell follow exactly as a whole: nothing of them is deep for tets to tell.
//! 5. Other limbs follow softly, stiffly at the root and less towards the tip: as springs with the
//!    frequencies of [`ROOT`] and [`TIP`] would, slower on bodies longer than 4 m ([`Bound::tempo`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;
use pliant_math::sparse::Adjacency;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, SignedDistance, edges_of_tets};

use crate::balls;
use crate::bound::Bound;
use crate::error::EnrichError;

/// Of the thickest part's radius: what is thinner is a limb.
const THIN: f64 = 0.35;
/// Of the local radius: what is deeper is bone.
const DEEP: f64 = 0.45;
/// Of a cell: a supporting limb of less radius has no flesh that tets could show.
const BARE: f64 = 1.2;
/// Of all vertices: a piece with fewer is a tooth or an eye.
const SMALL: f64 = 0.05;
/// Of the body's height: what comes this near to the ground stands on it.
const NEAR_GROUND: f64 = 0.02;
/// Frequency of following at the root of a limb \[Hz\].
pub const ROOT: f64 = 8.0;
/// And at its tip \[Hz\].
pub const TIP: f64 = 2.5;

/// What follows the input, and how firmly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Following {
    /// Vertices of Ω that follow exactly, ascending: Ω″.
    pub exact: Vec<u32>,
    /// For every vertex of Ω the frequency of the spring that pulls it to the input \[Hz\]; 0 for none.
    pub frequencies: Vec<f64>,
    /// Vertices of Γ that stand on the ground in some frame.
    pub supports: Vec<u32>,
}

/// What follows: the tets that hold the vertices of Γ that were named, or else what is found.
pub fn named_or_found(
    bound: &Bound,
    named: Option<&[u32]>,
    poses: &[Vec<DVec3>],
    team: &Team,
) -> Result<Following, EnrichError> {
    match named {
        None => find(bound, poses, team),
        Some(vertices) => Ok(Following {
            exact: bound.holders(vertices),
            frequencies: vec![0.0; bound.solid.positions.len()],
            supports: Vec::new(),
        }),
    }
}

/// Finds what should follow, from the shape and some poses of it.
pub fn find(bound: &Bound, poses: &[Vec<DVec3>], team: &Team) -> Result<Following, EnrichError> {
    let solid = &bound.solid;
    let count = solid.positions.len();
    let pairs = edges_of_tets(&solid.tets).into_iter().map(|[a, b]| (a as usize, b as usize));
    let graph = Adjacency::from_pairs(count, pairs)?;
    let surface = facing_outward(&bound.surface);
    let distance = SignedDistance::new(&surface);
    let depths = distance.at_all(&solid.positions, team);
    let balls = balls::inside(&surface, &distance, bound.report.size, team);
    let radius = |v: usize| balls::radius_around(&balls, solid.positions[v]).max(depths[v]);
    let radii: Vec<f64> = (0..count).map(radius).collect();
    let thickest = radii.iter().copied().fold(0.0, f64::max);
    let is_thin: Vec<bool> = radii.iter().map(|&r| r < THIN * thickest).collect();
    let supports = supports(bound, poses);
    let (limb_of, limbs) = pieces(&graph, &is_thin);
    let mut supporting = vec![false; limbs];
    let held = bound.holders(&supports);
    for &v in &held {
        if is_thin[v as usize] {
            supporting[limb_of[v as usize] as usize] = true;
        }
    }
    let is_bone = |v: usize| {
        let supports = is_thin[v] && supporting[limb_of[v] as usize];
        let is_bare = supports && radii[v] < BARE * bound.report.size;
        let is_deep = depths[v] > 0.0 && depths[v] >= DEEP * radii[v];
        is_bare || (!is_thin[v] || supports) && is_deep
    };
    let mut exact: Vec<u32> = (0..count).filter(|&v| is_bone(v)).map(|v| v as u32).collect();
    exact.extend(&held);
    hold_every_piece(&graph, &depths, &mut exact);
    exact.sort_unstable();
    exact.dedup();
    let is_loose = |v: usize| is_thin[v] && !supporting[limb_of[v] as usize];
    let along = along_limbs(&solid.positions, &graph, &is_loose, &limb_of, limbs);
    let tempo = bound.tempo();
    let frequency =
        |v: usize| if is_loose(v) { tempo * (ROOT + along[v] * (TIP - ROOT)) } else { 0.0 };
    Ok(Following { exact, frequencies: (0..count).map(frequency).collect(), supports })
}

/// A surface whose triangles face inward, turned.
fn facing_outward(surface: &Mesh) -> Mesh {
    let mut turned = surface.clone();
    let volume = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| surface.positions[v as usize]);
        a.dot(b.cross(c))
    };
    if surface.triangles.iter().map(volume).sum::<f64>() < 0.0 {
        turned.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    }
    turned
}

/// A piece of Ω on its own would fall: a small one follows exactly, of a large one the deepest tenth.
fn hold_every_piece(graph: &Adjacency, depths: &[f64], exact: &mut Vec<u32>) {
    let (piece_of, count) = pieces(graph, &vec![true; depths.len()]);
    let mut is_held = vec![false; count];
    exact.iter().for_each(|&v| is_held[piece_of[v as usize] as usize] = true);
    for piece in (0..count).filter(|&p| !is_held[p]) {
        let mut own: Vec<usize> =
            (0..depths.len()).filter(|&v| piece_of[v] as usize == piece).collect();
        if own.len() as f64 > SMALL * depths.len() as f64 {
            own.sort_by(|&a, &b| depths[b].total_cmp(&depths[a]).then(a.cmp(&b)));
            own.truncate(own.len().div_ceil(10));
        }
        exact.extend(own.into_iter().map(|v| v as u32));
    }
}

/// Vertices of Γ that come down to a ground that is where it is: nothing where the lowest point
/// of the body itself goes up and down, as that of a swimmer does.
fn supports(bound: &Bound, poses: &[Vec<DVec3>]) -> Vec<u32> {
    let mut used: Vec<usize> =
        bound.surface.triangles.iter().flatten().map(|&v| v as usize).collect();
    used.sort_unstable();
    used.dedup();
    let lowest = |pose: &Vec<DVec3>| used.iter().map(|&v| pose[v].y).fold(f64::INFINITY, f64::min);
    let floors: Vec<f64> = poses.iter().map(lowest).filter(|y| y.is_finite()).collect();
    let Some(bounds) = bound.surface.bounds() else { return Vec::new() };
    let near = NEAR_GROUND * bounds.size().max_element();
    let mut sorted = floors.clone();
    sorted.sort_by(f64::total_cmp);
    let Some(&ground) = sorted.get(sorted.len() / 2) else { return Vec::new() };
    // A jump leaves the ground for less than half of the frames.
    let standing = floors.iter().filter(|y| (**y - ground).abs() <= near).count();
    if poses.len() < 2 || standing * 2 < poses.len() {
        return Vec::new();
    }
    let stands = |v: usize| poses.iter().any(|pose| pose[v].y <= ground + near);
    used.into_iter().filter(|&v| stands(v)).map(|v| v as u32).collect()
}

/// Connected pieces of the vertices that `is_in`: the piece of each, and how many there are.
fn pieces(graph: &Adjacency, is_in: &[bool]) -> (Vec<u32>, usize) {
    let mut of = vec![u32::MAX; is_in.len()];
    let mut count = 0;
    for seed in 0..is_in.len() {
        if !is_in[seed] || of[seed] != u32::MAX {
            continue;
        }
        let mut front = vec![seed];
        of[seed] = count;
        while let Some(v) = front.pop() {
            for &n in graph.neighbours(v) {
                if is_in[n] && of[n] == u32::MAX {
                    of[n] = count;
                    front.push(n);
                }
            }
        }
        count += 1;
    }
    (of, count as usize)
}

/// How far out on its limb a loose vertex is, from 0 at the root to 1 at the tip, along edges.
fn along_limbs(
    positions: &[DVec3],
    graph: &Adjacency,
    is_loose: &dyn Fn(usize) -> bool,
    limb_of: &[u32],
    limbs: usize,
) -> Vec<f64> {
    let mut distance = vec![f64::INFINITY; positions.len()];
    let mut front = BinaryHeap::new();
    for v in (0..positions.len()).filter(|&v| is_loose(v)) {
        if graph.neighbours(v).iter().any(|&n| !is_loose(n)) {
            distance[v] = 0.0;
            front.push(Reverse((0u64, v)));
        }
    }
    // Positive numbers are in the order of their bits.
    while let Some(Reverse((bits, v))) = front.pop() {
        let far = f64::from_bits(bits);
        if far > distance[v] {
            continue;
        }
        for &n in graph.neighbours(v).iter().filter(|n| is_loose(**n)) {
            let through = far + positions[v].distance(positions[n]);
            if through < distance[n] {
                distance[n] = through;
                front.push(Reverse((through.to_bits(), n)));
            }
        }
    }
    let mut length = vec![0.0f64; limbs];
    for v in (0..positions.len()).filter(|&v| distance[v].is_finite()) {
        let limb = &mut length[limb_of[v] as usize];
        *limb = limb.max(distance[v]);
    }
    (0..positions.len())
        .map(|v| match limb_of[v] {
            u32::MAX => 0.0,
            // A piece of its own hangs on nothing, and follows like a root.
            limb if !distance[v].is_finite() || length[limb as usize] == 0.0 => 0.0,
            limb => distance[v] / length[limb as usize],
        })
        .collect()
}

//! Vertices that follow the input when the project names none.
//!
//! A skeleton is found from the rest shape and some poses:
//!
//! 1. The local thickness R of a vertex is the radius of its inscribed ball; B is the greatest
//!    radius.
//! 2. Parts with R ≥ 0.35 B are thick; the rest are *limbs*, each a connected piece.
//! 3. A limb that stands on the ground in the input is a *support*. It belongs to the skeleton, and
//!    its vertices at the ground follow exactly, so that no foot slides. Ears, tails, trunks and
//!    fins do not support.
//! 4. Thick parts and supports follow exactly where they are deep (depth ≥ 0.45 R); their flesh is
//!    free. Supports thinner than about a cell follow exactly as a whole.
//! 5. Other limbs follow softly, by springs with frequencies from [`ROOT`] at the root to [`TIP`]
//!    at the tip, lower on long bodies ([`EmbeddedSurface::frequency_scale`]).

mod inscribed_balls;

use glam::DVec3;
use pliant_math::sparse::Adjacency;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, SignedDistance, edges_of_tets};

use crate::embedding::EmbeddedSurface;
use crate::error::EnrichError;
use crate::numerics::extend_distances;

/// Radius below which a part is a limb, relative to the thickest part's.
const THIN: f64 = 0.35;
/// Depth from which a vertex belongs to the skeleton, relative to the local radius.
const DEEP: f64 = 0.45;
/// Radius in cells below which a supporting limb follows exactly as a whole.
const BARE: f64 = 1.2;
/// Share of all vertices below which a piece is small, such as a tooth or an eye.
const SMALL: f64 = 0.05;
/// Distance from the ground at which a vertex stands on it, relative to the body's height.
const NEAR_GROUND: f64 = 0.02;
/// Frequency of the following spring at the root of a limb \[Hz\].
pub const ROOT: f64 = 8.0;
/// Frequency of the following spring at the tip of a limb \[Hz\].
pub const TIP: f64 = 2.5;

/// Vertices that follow the input, exactly or by springs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Following {
    /// Vertices of Ω that follow exactly, ascending: Ω″.
    pub exact: Vec<u32>,
    /// Frequency of the spring that pulls each vertex of Ω to the input \[Hz\]; 0 for no spring.
    pub frequencies: Vec<f64>,
    /// Vertices of Γ that stand on the ground in some frame.
    pub supports: Vec<u32>,
}

/// Following vertices from a selection on Γ, or found by [`find`] without one.
pub fn selected_or_found(
    embedded: &EmbeddedSurface,
    selected: Option<&[u32]>,
    poses: &[Vec<DVec3>],
    team: &Team,
) -> Result<Following, EnrichError> {
    match selected {
        None => find(embedded, poses, team),
        Some(vertices) => Ok(Following {
            exact: embedded.supporting_vertices(vertices),
            frequencies: vec![0.0; embedded.solid.positions.len()],
            supports: Vec::new(),
        }),
    }
}

/// Finds the following vertices from the rest shape and some poses.
pub fn find(
    embedded: &EmbeddedSurface,
    poses: &[Vec<DVec3>],
    team: &Team,
) -> Result<Following, EnrichError> {
    let solid = &embedded.solid;
    let count = solid.positions.len();
    let pairs = edges_of_tets(&solid.tets).into_iter().map(|[a, b]| (a as usize, b as usize));
    let graph = Adjacency::from_pairs(count, pairs)?;
    let surface = facing_outward(&embedded.surface);
    let distance = SignedDistance::new(&surface);
    let depths = distance.at_all(&solid.positions, team);
    let balls = inscribed_balls::find(&surface, &distance, embedded.report.size, team);
    let radius =
        |v: usize| inscribed_balls::local_radius(&balls, solid.positions[v]).max(depths[v]);
    let radii: Vec<f64> = (0..count).map(radius).collect();
    let thickest = radii.iter().copied().fold(0.0, f64::max);
    let is_thin: Vec<bool> = radii.iter().map(|&r| r < THIN * thickest).collect();
    let supports = supports(embedded, poses);
    let (limb_of, limbs) = pieces(&graph, &is_thin);
    let mut supporting = vec![false; limbs];
    let held = embedded.supporting_vertices(&supports);
    for &v in &held {
        if is_thin[v as usize] {
            supporting[limb_of[v as usize] as usize] = true;
        }
    }
    let is_bone = |v: usize| {
        let supports = is_thin[v] && supporting[limb_of[v] as usize];
        let is_bare = supports && radii[v] < BARE * embedded.report.size;
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
    let tempo = embedded.frequency_scale();
    let frequency =
        |v: usize| if is_loose(v) { tempo * (ROOT + along[v] * (TIP - ROOT)) } else { 0.0 };
    Ok(Following { exact, frequencies: (0..count).map(frequency).collect(), supports })
}

/// Returns a surface with its triangles flipped if they face inward.
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

/// Fixes pieces of Ω without exact vertices, which would fall: all of a small one, the deepest
/// tenth of a large one.
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

/// Vertices of Γ that touch the ground in some pose. There is no ground if the body's lowest point
/// moves up and down, as that of a swimmer does.
fn supports(embedded: &EmbeddedSurface, poses: &[Vec<DVec3>]) -> Vec<u32> {
    let mut used: Vec<usize> =
        embedded.surface.triangles.iter().flatten().map(|&v| v as usize).collect();
    used.sort_unstable();
    used.dedup();
    let lowest = |pose: &Vec<DVec3>| used.iter().map(|&v| pose[v].y).fold(f64::INFINITY, f64::min);
    let floors: Vec<f64> = poses.iter().map(lowest).filter(|y| y.is_finite()).collect();
    let Some(bounds) = embedded.surface.bounds() else { return Vec::new() };
    let near = NEAR_GROUND * bounds.size().max_element();
    let mut sorted = floors.clone();
    sorted.sort_by(f64::total_cmp);
    let Some(&ground) = sorted.get(sorted.len() / 2) else { return Vec::new() };
    // A jump leaves the ground for less than half of the poses.
    let standing = floors.iter().filter(|y| (**y - ground).abs() <= near).count();
    if poses.len() < 2 || standing * 2 < poses.len() {
        return Vec::new();
    }
    let stands = |v: usize| poses.iter().any(|pose| pose[v].y <= ground + near);
    used.into_iter().filter(|&v| stands(v)).map(|v| v as u32).collect()
}

/// Connected pieces of the vertices marked `is_in`: the piece of each vertex, and their number.
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

/// Position of each loose vertex along its limb, from 0 at the root to 1 at the tip, along edges.
fn along_limbs(
    positions: &[DVec3],
    graph: &Adjacency,
    is_loose: &dyn Fn(usize) -> bool,
    limb_of: &[u32],
    limbs: usize,
) -> Vec<f64> {
    let mut distance = vec![f64::INFINITY; positions.len()];
    let is_root = |v: &usize| is_loose(*v) && graph.neighbours(*v).iter().any(|&n| !is_loose(n));
    let roots: Vec<usize> = (0..positions.len()).filter(is_root).collect();
    roots.iter().for_each(|&v| distance[v] = 0.0);
    let loose_neighbours = |v: usize| graph.neighbours(v).iter().copied().filter(|&n| is_loose(n));
    extend_distances(positions, loose_neighbours, &roots, &mut distance, |_| {});
    let mut length = vec![0.0f64; limbs];
    for v in (0..positions.len()).filter(|&v| distance[v].is_finite()) {
        let limb = &mut length[limb_of[v] as usize];
        *limb = limb.max(distance[v]);
    }
    (0..positions.len())
        .map(|v| match limb_of[v] {
            u32::MAX => 0.0,
            // A separate piece has no root, and follows like one.
            limb if !distance[v].is_finite() || length[limb as usize] == 0.0 => 0.0,
            limb => distance[v] / length[limb as usize],
        })
        .collect()
}

//! Which surface vertices are inside of a body, and how deep: what contact between bodies and of a
//! body with itself is made of.
//!
//! A vertex x inside of a deformed tet is at the tet's material point X = Σ wᵢ Xᵢ, with x = Σ wᵢ xᵢ;
//! its depth d is the distance of X from the body's surface *at rest*. So depth is continuous from
//! tet to tet and zero at the surface, however the body is deformed (Hirota et al. 2001, "An
//! implicit finite element method for elastic solids in contact"). With the tet's deformation
//! gradient F and N = ∂d/∂X, |N| = 1:
//!
//! ```text
//! ∂d/∂x = n = F⁻ᵀN,     ∂d/∂xᵢ = −wᵢ n.
//! ```
//!
//! What pushes x is taken from the corners by their weights: no momentum is made, linear or
//! angular. A vertex in several tets of a body counts in the one where it is deepest, which is
//! continuous, too. In its own body it counts only beyond its neighbourhood of radius r at rest,
//! with the depth min(d, ‖X − X_v‖ − r).
//!
//! Vertices are tested against tets: edges that cross while no vertex is inside are not seen, and
//! a vertex that has passed the middle of a thin part leaves on the other side.

mod solids;

use std::ops::Range;

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_math::team::{SharedSlice, Team};
use pliant_mesh::{Bounds, Bvh};

pub(crate) use solids::SolidSpec;
pub use solids::Solids;
use solids::{Block, around};

/// Tets per item of work.
const TETS: usize = 1024;
/// Tets flatter than this share of their rest volume hold nothing: their forces would be boundless.
const FLATTEST: f64 = 1e-6;

/// A surface vertex inside of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The model vertex.
    pub vertex: u32,
    /// Its body.
    pub owner: u32,
    /// The body it is in.
    pub body: u32,
    /// Corners of the tet it is in: model vertices.
    pub corners: [u32; 4],
    /// Their weights.
    pub weights: [f64; 4],
    /// How deep \[m\], at rest.
    pub depth: f64,
    /// ∂depth/∂x: inward.
    pub normal: DVec3,
    /// Of the contact [N/m].
    pub stiffness: f64,
}

/// What touches at some positions, and a memory of what was near: it saves time, and changes no bit.
#[derive(Default)]
pub struct Touching {
    touches: Vec<Touch>,
    /// Where everything was when what is near was looked up.
    looked: Vec<Row>,
    boxes: Vec<Vec<Bounds>>,
    trees: Vec<Bvh>,
    blocks: Vec<Found>,
    /// How often what is near was looked up.
    lookups: u64,
}

/// Of a block of vertices.
#[derive(Default)]
struct Found {
    /// Vertex, body, tet.
    near: Vec<[u32; 3]>,
    touches: Vec<Touch>,
}

impl Touching {
    /// Finds what touches at positions \[m\] of all model vertices; nothing where bodies pass through
    /// each other. Memory grows until it has seen the most that touches at a time.
    pub fn find(&mut self, solids: Option<&Solids>, positions: &[Row], team: &Team) {
        self.touches.clear();
        let Some(solids) = solids else { return };
        if !self.is_near(solids, positions) {
            self.look_up(solids, positions, team);
        }
        let blocks = SharedSlice::new(&mut self.blocks);
        team.each(blocks.len(), &|b, _| {
            // SAFETY: each item has its own block.
            let Found { near, touches } = unsafe { blocks.at(b) };
            narrow(solids, positions, near, touches);
        });
        for block in &self.blocks {
            self.touches.extend_from_slice(&block.touches);
        }
    }

    /// What touches, in an order that positions alone determine.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// How often all bodies were searched for what is near, not only what was found near then.
    pub fn lookups(&self) -> u64 {
        self.lookups
    }

    /// Whether everything is still so near to where it was that nothing new can touch.
    fn is_near(&self, solids: &Solids, positions: &[Row]) -> bool {
        let most = 0.5 * solids.margin;
        let moved = |(a, b): (&Row, &Row)| (*a - *b).xyz().abs().max_element() <= most;
        self.looked.len() == positions.len() && positions.iter().zip(&self.looked).all(moved)
    }

    fn look_up(&mut self, solids: &Solids, positions: &[Row], team: &Team) {
        self.lookups += 1;
        self.looked.clear();
        self.looked.extend_from_slice(positions);
        if self.trees.len() != solids.bodies.len() {
            self.trees = solids.bodies.iter().map(|body| body.tree.clone()).collect();
            let none = Bounds { min: DVec3::NAN, max: DVec3::NAN };
            self.boxes = solids.bodies.iter().map(|body| vec![none; body.tets.len()]).collect();
            self.blocks = solids.blocks.iter().map(|_| Found::default()).collect();
        }
        for (boxes, body) in self.boxes.iter_mut().zip(&solids.bodies) {
            let (boxes, tets) = (SharedSlice::new(boxes), &body.tets);
            team.each(tets.len().div_ceil(TETS), &|item, _| {
                let Range { start, end } = item * TETS..((item + 1) * TETS).min(tets.len());
                // SAFETY: each item has its own boxes.
                let own = unsafe { boxes.range(start, end) };
                for (bounds, tet) in own.iter_mut().zip(&tets[start..end]) {
                    *bounds = around(tet.map(|v| positions[v as usize].xyz()), solids.margin);
                }
            });
        }
        let (trees, boxes) = (SharedSlice::new(&mut self.trees), &self.boxes);
        // SAFETY: each item has its own tree.
        team.each(boxes.len(), &|b, _| unsafe { trees.at(b).refit(&boxes[b]) });
        let (blocks, trees) = (SharedSlice::new(&mut self.blocks), &self.trees);
        team.each(blocks.len(), &|b, _| {
            // SAFETY: each item has its own block.
            let near = unsafe { &mut blocks.at(b).near };
            broad(solids, positions, &solids.blocks[b], trees, boxes, near);
        });
    }
}

/// The tets near a block's vertices, vertex by vertex, body by body.
fn broad(
    solids: &Solids,
    positions: &[Row],
    block: &Block,
    trees: &[Bvh],
    boxes: &[Vec<Bounds>],
    near: &mut Vec<[u32; 3]>,
) {
    near.clear();
    let at = |v: u32| positions[v as usize].xyz();
    let low = block.vertices.iter().fold(DVec3::INFINITY, |a, &v| a.min(at(v)));
    let high = block.vertices.iter().fold(DVec3::NEG_INFINITY, |a, &v| a.max(at(v)));
    for (b, tree) in (0u32..).zip(trees) {
        let Some(whole) = tree.bounds() else { continue };
        let apart = low.cmpgt(whole.max).any() || high.cmplt(whole.min).any();
        if apart {
            continue;
        }
        let (body, boxes) = (&solids.bodies[b as usize], &boxes[b as usize]);
        for &v in &block.vertices {
            let x = at(v);
            tree.containing(x, |t| {
                let Bounds { min, max } = boxes[t as usize];
                let inside = x.cmpge(min).all() && x.cmple(max).all();
                if inside && (b != block.body || !is_own(solids, v, body.tets[t as usize])) {
                    near.push([v, b, t]);
                }
                true
            });
        }
    }
    near.sort_unstable();
}

/// Whether a tet is all in a vertex's own neighbourhood.
fn is_own(solids: &Solids, vertex: u32, tet: [u32; 4]) -> bool {
    let (x, reach) = (solids.rest[vertex as usize], solids.reach[vertex as usize]);
    // A ball is convex.
    tet.iter().all(|&v| solids.rest[v as usize].distance(x) <= reach)
}

/// The deepest of what is near, per vertex and body.
fn narrow(solids: &Solids, positions: &[Row], near: &[[u32; 3]], touches: &mut Vec<Touch>) {
    touches.clear();
    for &[vertex, body, tet] in near {
        let Some(touch) = touch(solids, positions, [vertex, body, tet]) else { continue };
        match touches.last_mut() {
            Some(last) if last.vertex == vertex && last.body == body => {
                if touch.depth > last.depth {
                    *last = touch;
                }
            }
            _ => touches.push(touch),
        }
    }
}

/// A vertex in a tet, if it is.
fn touch(solids: &Solids, positions: &[Row], [vertex, b, t]: [u32; 3]) -> Option<Touch> {
    let body = &solids.bodies[b as usize];
    let corners = body.tets[t as usize];
    let at = |v: u32| positions[v as usize].xyz();
    let edges = |[a, b, c, d]: [DVec3; 4]| DMat3::from_cols(b - a, c - a, d - a);
    let deformed = edges(corners.map(at));
    let rest = corners.map(|v| solids.rest[v as usize]);
    let shape = edges(rest);
    let (volume, rest_volume) = (deformed.determinant(), shape.determinant());
    let is_flat = volume.abs() <= FLATTEST * rest_volume.abs();
    if is_flat || !volume.is_finite() {
        return None;
    }
    let inverse = deformed.inverse();
    let w = inverse * (at(vertex) - at(corners[0]));
    let weights = [1.0 - w.x - w.y - w.z, w.x, w.y, w.z];
    // False for what is no number.
    if !weights.iter().all(|w| *w >= 0.0) {
        return None;
    }
    let material = rest[0] + shape * w;
    let closest = body.surface.closest(material)?;
    let (mut depth, mut outward) = (closest.distance, material - closest.point);
    let owner = solids.owner[vertex as usize];
    if owner == b {
        let away = material - solids.rest[vertex as usize];
        let beyond = away.length() - solids.reach[vertex as usize];
        if beyond < depth {
            (depth, outward) = (beyond, away);
        }
    }
    let slope = outward.try_normalize()?;
    if !(depth > 0.0) {
        return None;
    }
    let own = &solids.bodies[owner as usize];
    Some(Touch {
        vertex,
        owner,
        body: b,
        corners,
        weights,
        depth,
        // F⁻ᵀ = (shape deformed⁻¹)ᵀ.
        normal: (shape * inverse).transpose() * slope,
        stiffness: (own.stiffness * body.stiffness).sqrt(),
    })
}

#[cfg(test)]
mod tests;

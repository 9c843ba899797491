//! Which surface vertices are inside of a body, and how deep: what contact between bodies and of a
//! body with itself is made of.
//!
//! A vertex x inside of a deformed tet is at a depth d below the body's deformed surface: the
//! distance of the surface point c nearest to it, which is continuous, and smooth but for ridges
//! that nothing comes to rest on. With n = (x − c)/d and the weights wᵢ of the corners of c's
//! triangle:
//!
//! ```text
//! ∂d/∂x = n,     ∂d/∂xᵢ = −wᵢ n.
//! ```
//!
//! What pushes x is taken from the corners by their weights: no momentum is made, linear or
//! angular. Why not the depth at rest of the tet's material point (Hirota et al. 2001)? Its slope
//! is F⁻ᵀN and jumps from tet to tet, into creases where no minimiser can move on.
//!
//! Hard vertices go where they are told: among them there is no contact, and no energy of it, which
//! could only drown that of what is free.
//!
//! In its own body a vertex touches only what is beyond its neighbourhood, a ball of radius r at
//! rest: no triangle with a corner in there counts, and the depth is at most ‖X − X_v‖ − r at the
//! material point X, so that contact begins at nothing there, too.
//!
//! Vertices are tested against tets, and sharp edges against each other (`crossing.rs`): they may
//! cross while no vertex is inside of anything. A vertex that has passed the middle of a thin part
//! leaves on the other side. Sheets (`sheets.rs`) have no inside; their vertices keep a distance.

mod crossing;
mod dual;
mod law;
mod nearest;
mod sharp;
mod sheets;
mod solids;

use std::ops::Range;

use glam::DVec3;
use pliant_math::Row;
use pliant_math::team::{SharedSlice, Team};
use pliant_mesh::{Bounds, Bvh};

use crossing::{DEEPEST, may_cross};
pub use law::TouchLaw;
use nearest::{Inside, Surface, around};
use sharp::Sharp;
use sheets::Sheets;
use solids::Block;
pub(crate) use solids::SolidSpec;
pub use solids::Solids;

/// Tets, triangles and edges per item of work.
const TETS: usize = 1024;
const TRIANGLES: usize = 1024;
const EDGES: usize = 256;

/// A surface vertex inside of a body, or two edges that have cut into each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Whose mean x is: a model vertex, twice, or the ends of an edge.
    pub points: [u32; 2],
    /// Their shares, which sum to 1; a vertex's last is zero.
    pub shares: [f64; 2],
    /// Their body.
    pub owner: u32,
    /// The body x is in.
    pub body: u32,
    /// Corners of the triangle or edge x should leave through, or of the tet it is in: model
    /// vertices.
    pub corners: [u32; 4],
    /// Their weights, which sum to 1; a triangle's last is zero.
    pub weights: [f64; 4],
    /// How deep \[m\].
    pub depth: f64,
    /// How much of it is the thickness of a sheet, and no penetration \[m\].
    pub thickness: f64,
    /// ∂depth/∂x: inward.
    pub normal: DVec3,
    /// Whether the depth does not change along the surface; else it is nearest to an edge or a
    /// corner, which it would have to go round.
    pub is_flat: bool,
    /// Of the contact [N/m].
    pub stiffness: f64,
    /// How much it counts: 1, or less where edges are not what is nearest; the stiffness has it.
    pub share: f64,
    /// The sides of the points' edge: model vertices its stiffness depends on, too.
    pub sides: [u32; 2],
    /// Slopes of the stiffness at points, sides and corners [N/m²]; that of a vertex is constant.
    pub slopes: [DVec3; 8],
}

/// What touches at some positions, and a memory of what was near: it saves time, and changes no
/// bit.
#[derive(Default)]
pub struct Touching {
    touches: Vec<Touch>,
    /// Where everything was when what is near was looked up.
    looked: Vec<Row>,
    boxes: Vec<Vec<Bounds>>,
    /// Of each body, as its own.
    trees: Vec<Vec<[Bvh; 2]>>,
    surfaces: Vec<Surface>,
    blocks: Vec<Found>,
    /// Sharp edges' boxes, and pairs that are near.
    edges: Option<Bvh>,
    edge_boxes: Vec<Bounds>,
    near_edges: Vec<NearEdges>,
    edge_blocks: Vec<Vec<NearEdges>>,
    sheets: Sheets,
    /// How often what is near was looked up.
    lookups: u64,
}

/// Of a block of vertices.
#[derive(Default)]
struct Found {
    near: Vec<Near>,
    /// The least of their gaps \[m\].
    least: f64,
    /// Of sheets: vertex, body, triangle.
    close: Vec<[u32; 3]>,
    /// Those of them that hold the vertex, one per vertex and body.
    inside: Vec<Inside>,
    touches: Vec<Touch>,
}

/// A vertex near a tet.
#[derive(Clone, Copy)]
struct Near {
    /// Vertex, body, tet.
    pair: [u32; 3],
    /// How far the vertex was from the tet's box along some axis \[m\]: before it is in it, the two
    /// have moved by that much.
    gap: f64,
}

/// Two sharp edges that are near each other.
#[derive(Clone, Copy)]
struct NearEdges {
    pair: [u32; 2],
    /// How far their boxes were apart along some axis \[m\].
    gap: f64,
}

impl Touching {
    /// Finds what touches at positions \[m\] of all model vertices; nothing where bodies pass
    /// through each other. Memory grows until it has seen the most that touches at a time.
    pub fn find(&mut self, solids: Option<&Solids>, positions: &[Row], team: &Team) {
        self.touches.clear();
        let Some(solids) = solids else { return };
        let moved = self.moved(solids, positions);
        // Also for what is no number.
        let is_known = moved <= 0.5 * solids.margin;
        if !is_known {
            self.look_up(solids, positions, team);
        }
        // By how much two things may have come nearer to each other, and some rounding.
        let nearer = if is_known { 2.0 * moved } else { 0.0 } + 1e-6 * solids.margin;
        let may_hold = |block: &Found| block.least <= nearer;
        self.blocks.iter_mut().for_each(|block| block.inside.clear());
        if self.blocks.iter().any(may_hold) {
            let blocks = SharedSlice::new(&mut self.blocks);
            team.each(blocks.len(), &|b, _| {
                // SAFETY: each item has its own block.
                let Found { near, inside, .. } = unsafe { blocks.at(b) };
                contain(solids, positions, nearer, near, inside);
            });
            self.fit_surfaces(solids, positions, team);
        }
        if self.blocks.iter().any(|block| !block.inside.is_empty() || !block.close.is_empty()) {
            let (blocks, surfaces) = (SharedSlice::new(&mut self.blocks), &self.surfaces);
            team.each(blocks.len(), &|b, _| {
                // SAFETY: each item has its own block.
                let Found { inside, close, touches, .. } = unsafe { blocks.at(b) };
                touches.clear();
                let found = inside.iter().filter_map(|i| i.touch(solids, positions, surfaces));
                touches.extend(found);
                sheets::touch(solids, positions, close, inside, touches);
            });
            for block in &self.blocks {
                self.touches.extend_from_slice(&block.touches);
            }
        }
        let reach = DEEPEST * solids.margin + nearer;
        for near in self.near_edges.iter().filter(|near| near.gap <= reach) {
            let edges = near.pair.map(|e| &solids.edges[e as usize]);
            self.touches.extend(Touch::of_edges(solids, positions, edges));
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

    /// How far anything that can touch has moved along an axis since what is near was looked up
    /// \[m\], apart from what moves everything alike and brings nothing nearer; no number if it
    /// never was.
    fn moved(&self, solids: &Solids, positions: &[Row]) -> f64 {
        if self.looked.len() != positions.len() {
            return f64::NAN;
        }
        // Where sides are told, what is on none touches nothing.
        let can_touch = |v: usize| solids.sides.get(v).is_none_or(|side| *side > 0);
        let all = || positions.iter().zip(&self.looked).enumerate();
        let pairs = || all().filter(|(v, _)| can_touch(*v)).map(|(_, pair)| pair);
        let (sum, count) = pairs().fold((Row::zero(), 0u32), |(sum, count), (&now, &then)| {
            (sum + (now - then), count + 1)
        });
        let drift = sum * (1.0 / f64::from(count.max(1)));
        let (mut most, mut sum) = ([0.0_f64; 3], Row::zero());
        for (&now, &then) in pairs() {
            let by = now - then - drift;
            for (most, by) in most.iter_mut().zip(by.0) {
                *most = most.max(by.abs());
            }
            // Maxima pass over what is no number.
            sum = sum + by;
        }
        if sum.xyz().is_finite() { most[0].max(most[1]).max(most[2]) } else { f64::NAN }
    }

    /// Takes the surfaces of bodies that hold something to where they are.
    fn fit_surfaces(&mut self, solids: &Solids, positions: &[Row], team: &Team) {
        self.surfaces.iter_mut().for_each(|surface| surface.is_asked = false);
        for inside in self.blocks.iter().flat_map(|block| &block.inside) {
            self.surfaces[inside.body as usize].is_asked = true;
        }
        for (surface, body) in self.surfaces.iter_mut().zip(&solids.bodies) {
            if surface.is_asked {
                surface.fit(body, positions, team);
            }
        }
    }

    fn look_up(&mut self, solids: &Solids, positions: &[Row], team: &Team) {
        self.lookups += 1;
        self.looked.clear();
        self.looked.extend_from_slice(positions);
        if self.trees.len() != solids.bodies.len() {
            self.trees = solids.bodies.iter().map(|body| body.trees.clone()).collect();
            let none = Bounds { min: DVec3::NAN, max: DVec3::NAN };
            self.boxes = solids.bodies.iter().map(|body| vec![none; body.tets.len()]).collect();
            self.surfaces = solids.bodies.iter().map(Surface::of).collect();
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
        let boxes = &self.boxes;
        for (trees, boxes) in self.trees.iter_mut().zip(boxes) {
            let trees = SharedSlice::new(trees.as_flattened_mut());
            // SAFETY: each item has its own tree.
            team.each(trees.len(), &|item, _| unsafe { trees.at(item).refit(boxes) });
        }
        let (blocks, trees) = (SharedSlice::new(&mut self.blocks), &self.trees);
        team.each(blocks.len(), &|b, _| {
            // SAFETY: each item has its own block.
            let Found { near, least, .. } = unsafe { blocks.at(b) };
            broad(solids, positions, &solids.blocks[b], trees, boxes, near);
            *least = near.iter().fold(f64::INFINITY, |least, near| least.min(near.gap));
        });
        if solids.radius > 0.0 {
            self.sheets.fit(solids, positions, team);
            let (blocks, sheets) = (SharedSlice::new(&mut self.blocks), &self.sheets);
            team.each(blocks.len(), &|b, _| {
                // SAFETY: each item has its own block.
                let close = unsafe { &mut blocks.at(b).close };
                sheets.near(solids, positions, &solids.blocks[b], close);
            });
        }
        self.look_up_edges(solids, positions, team);
    }

    fn look_up_edges(&mut self, solids: &Solids, positions: &[Row], team: &Team) {
        let Touching { edges, edge_boxes, near_edges, edge_blocks, .. } = self;
        let ends = |edge: &Sharp| edge.ends.map(|v| positions[v as usize].xyz());
        edge_boxes.clear();
        // Together as wide as crossings are deep, and the margin that vertices may move by.
        let wide = 0.5 * (DEEPEST + 1.0) * solids.margin;
        edge_boxes.extend(solids.edges.iter().map(|e| around(ends(e), wide)));
        let tree = edges.get_or_insert_with(|| solids.edge_tree.clone());
        tree.refit(edge_boxes);
        edge_blocks.resize_with(edge_boxes.len().div_ceil(EDGES), Vec::new);
        let (blocks, tree, edge_boxes) = (SharedSlice::new(edge_blocks), &*tree, &*edge_boxes);
        team.each(blocks.len(), &|block, _| {
            // SAFETY: each item has its own block.
            let near = unsafe { blocks.at(block) };
            near.clear();
            for i in block * EDGES..((block + 1) * EDGES).min(edge_boxes.len()) {
                let bounds = &edge_boxes[i];
                tree.overlapping(bounds, |j| {
                    let Bounds { min, max } = edge_boxes[j as usize];
                    let apart = (min - bounds.max).max(bounds.min - max).max_element();
                    let pair = [i as u32, j];
                    let [one, other] = pair.map(|e| &solids.edges[e as usize]);
                    if pair[0] < j && apart <= 0.0 && may_cross(solids, one, other) {
                        near.push(NearEdges { pair, gap: apart + 2.0 * wide });
                    }
                });
            }
            near.sort_unstable_by_key(|near| near.pair);
        });
        near_edges.clear();
        edge_blocks.iter().for_each(|block| near_edges.extend_from_slice(block));
    }
}

/// The tets near a block's vertices, vertex by vertex, body by body.
fn broad(
    solids: &Solids,
    positions: &[Row],
    block: &Block,
    trees: &[Vec<[Bvh; 2]>],
    boxes: &[Vec<Bounds>],
    near: &mut Vec<Near>,
) {
    near.clear();
    let at = |v: u32| positions[v as usize].xyz();
    let low = block.vertices.iter().fold(DVec3::INFINITY, |a, &v| a.min(at(v)));
    let high = block.vertices.iter().fold(DVec3::NEG_INFINITY, |a, &v| a.max(at(v)));
    for (b, trees) in (0u32..).zip(trees) {
        let body = &solids.bodies[b as usize];
        let Some(trees) = trees.get(usize::from(block.side)) else { continue };
        let tree = &trees[usize::from(block.is_hard && body.is_partly_hard)];
        let Some(whole) = tree.bounds() else { continue };
        let apart = low.cmpgt(whole.max).any() || high.cmplt(whole.min).any();
        if apart {
            continue;
        }
        let boxes = &boxes[b as usize];
        for &v in &block.vertices {
            let x = at(v);
            tree.containing(x, |t| {
                let Bounds { min, max } = boxes[t as usize];
                let inside = x.cmpge(min).all() && x.cmple(max).all();
                let tet = body.tets[t as usize];
                let own = || b == block.body && is_own(solids, v, tet);
                if inside && !solids.passes(v, &tet, own) {
                    let gap = (min - x).max(x - max).max_element() + solids.margin;
                    near.push(Near { pair: [v, b, t], gap });
                }
                true
            });
        }
    }
    near.sort_unstable_by_key(|near| near.pair);
}

/// Whether a tet is all in a vertex's own neighbourhood.
fn is_own(solids: &Solids, vertex: u32, tet: [u32; 4]) -> bool {
    let (x, reach) = (solids.rest[vertex as usize], solids.reach[vertex as usize]);
    // A ball is convex.
    tet.iter().all(|&v| solids.rest[v as usize].distance(x) <= reach)
}

/// The first tet that holds a vertex, per vertex and body, of those that have come so much
/// `nearer`.
fn contain(
    solids: &Solids,
    positions: &[Row],
    nearer: f64,
    near: &[Near],
    inside: &mut Vec<Inside>,
) {
    for &Near { pair: [vertex, body, tet], .. } in near.iter().filter(|near| near.gap <= nearer) {
        let found = inside.last().is_some_and(|i: &Inside| i.vertex == vertex && i.body == body);
        // In its own body the one that is farthest from its neighbourhood.
        let is_own = solids.owner[vertex as usize] == body;
        if found && !is_own {
            continue;
        }
        let Some(new) = Inside::of(solids, positions, [vertex, body, tet]) else { continue };
        match inside.last_mut().filter(|_| found) {
            Some(last) if new.beyond > last.beyond => *last = new,
            Some(_) => {}
            None => inside.push(new),
        }
    }
}

#[cfg(test)]
mod tests;

//! Contact of sheets: cloth with itself, with other cloth, and on solids.
//!
//! A sheet has no inside, but a thickness r: a vertex of it that is nearer than that to a triangle
//! of another part, at c, is too near by d = r − ‖x − c‖, on whichever side it is. As the nearest
//! point of a triangle is stationary,
//!
//! ```text
//! ∂d/∂x = (c − x)/‖x − c‖ = n,     ∂d/∂xᵢ = −wᵢ n:
//! ```
//!
//! the same law as for what is inside of a body. Of each body, the nearest triangle counts, and the
//! nearest of those on the other side of the vertex, so that a layer between two others feels both.
//! At solids the depth goes on inside, as r + d.
//!
//! Only vertices of sheets are tested, against triangles. Edges that meet edge on may still cross;
//! and what moves farther than r in a step may have passed.

use glam::DVec3;
use pliant_math::Row;
use pliant_math::team::{SharedSlice, Team};
use pliant_mesh::{Bounds, Bvh};

use super::Touch;
use super::nearest::{Inside, around, is_in_neighbourhood, nearest_on};
use super::solids::{Block, Solids};

/// A memory of which triangles are near which vertices of sheets.
#[derive(Default)]
pub(super) struct Sheets {
    trees: Vec<Bvh>,
    boxes: Vec<Vec<Bounds>>,
}

impl Sheets {
    /// Takes all triangles to where they are.
    pub fn fit(&mut self, solids: &Solids, positions: &[Row], team: &Team) {
        if self.trees.len() != solids.bodies.len() {
            self.trees = solids.bodies.iter().map(|body| body.surface.clone()).collect();
            let none = Bounds { min: DVec3::NAN, max: DVec3::NAN };
            let boxes = |count: usize| vec![none; count];
            self.boxes = solids.bodies.iter().map(|body| boxes(body.triangles.len())).collect();
        }
        let (trees, boxes) = (SharedSlice::new(&mut self.trees), SharedSlice::new(&mut self.boxes));
        team.each(solids.bodies.len(), &|b, _| {
            // SAFETY: each item has its own tree and boxes.
            let (tree, boxes) = unsafe { (trees.at(b), boxes.at(b)) };
            for (bounds, triangle) in boxes.iter_mut().zip(&solids.bodies[b].triangles) {
                let corners = triangle.map(|v| positions[v as usize].xyz());
                *bounds = around(corners, solids.margin + solids.radius);
            }
            tree.refit(boxes);
        });
    }

    /// The triangles near a block's vertices, as vertex, body, triangle.
    pub fn near(
        &self,
        solids: &Solids,
        positions: &[Row],
        block: &Block,
        close: &mut Vec<[u32; 3]>,
    ) {
        close.clear();
        if !solids.bodies[block.body as usize].is_sheet {
            return;
        }
        for (b, (tree, boxes)) in (0u32..).zip(self.trees.iter().zip(&self.boxes)) {
            let body = &solids.bodies[b as usize];
            for &v in &block.vertices {
                let x = positions[v as usize].xyz();
                tree.containing(x, |t| {
                    let Bounds { min, max } = boxes[t as usize];
                    let is_in = x.cmpge(min).all() && x.cmple(max).all();
                    let is_own = b == block.body
                        && is_in_neighbourhood(solids, v, body.triangles[t as usize]);
                    if is_in && !is_own {
                        close.push([v, b, t]);
                    }
                    true
                });
            }
        }
        close.sort_unstable();
    }
}

/// Where a vertex is nearest to a triangle.
#[derive(Clone, Copy)]
struct Near {
    triangle: [u32; 3],
    weights: [f64; 3],
    is_face: bool,
    /// c − x.
    way: DVec3,
    distance: f64,
}

/// What a block's vertices are too near to; those `inside` of a solid have left its surface behind.
pub(super) fn touch(
    solids: &Solids,
    positions: &[Row],
    close: &[[u32; 3]],
    inside: &[Inside],
    touches: &mut Vec<Touch>,
) {
    let at = |v: u32| positions[v as usize].xyz();
    for pairs in close.chunk_by(|a, b| a[..2] == b[..2]) {
        let [vertex, body, _] = pairs[0];
        if inside.iter().any(|i| i.vertex == vertex && i.body == body) {
            continue;
        }
        let x = at(vertex);
        let all = pairs.iter().filter_map(|&[_, _, t]| {
            let triangle = solids.bodies[body as usize].triangles[t as usize];
            Near::of(x, triangle, triangle.map(at)).filter(|near| near.distance < solids.radius)
        });
        let nearer = |best: Option<Near>, near: Near| match best {
            Some(best) if best.distance <= near.distance => Some(best),
            _ => Some(near),
        };
        let Some(first) = all.clone().fold(None, nearer) else { continue };
        let other = all.filter(|near| near.way.dot(first.way) < 0.0).fold(None, nearer);
        for near in [Some(first), other].into_iter().flatten() {
            let [a, b, c] = near.triangle;
            let [p, q, r] = near.weights;
            touches.push(Touch {
                corners: [a, b, c, c],
                weights: [p, q, r, 0.0],
                depth: solids.radius - near.distance,
                thickness: solids.radius,
                normal: near.way / near.distance,
                is_flat: near.is_face,
                ..Touch::of_vertex(solids, vertex, body)
            });
        }
    }
}

impl Near {
    fn of(x: DVec3, triangle: [u32; 3], corners: [DVec3; 3]) -> Option<Near> {
        let on = nearest_on(x, corners);
        let way = (0..3).map(|k| corners[k] * on.weights[k]).sum::<DVec3>() - x;
        let distance = way.length();
        let near = Near { triangle, weights: on.weights, is_face: on.is_face, way, distance };
        (distance > 0.0).then_some(near)
    }
}

//! Candidates of contact: the surface vertices that may touch at all.

use pliant_model::{Drive, Model};

use super::NONE;

/// Surface vertices this near to a collider that stays may touch it, in edge lengths. One that
/// moves may touch all.
const NEAR: f64 = 2.5;
/// With more candidates than this, columns of the inverse would take too much memory: contact is
/// left out of the preconditioner.
const MOST_CANDIDATES: usize = 8192;

/// The candidates of a model.
#[derive(Default)]
pub(super) struct Candidates {
    /// Model vertices, ascending.
    pub vertices: Vec<u32>,
    /// Index of each free vertex among the candidates, or [`NONE`].
    pub places: Vec<u32>,
    /// Indices of those that may touch where no collider moves.
    pub near: Vec<u32>,
}

impl Candidates {
    /// Of a model whose colliders are at rest as driven.
    pub fn new(model: &Model, drive: &Drive) -> Self {
        let free = model.free_count();
        let tidied = |mut vertices: Vec<u32>| {
            vertices.retain(|&v| (v as usize) < free);
            vertices.sort_unstable();
            vertices.dedup();
            if vertices.len() > MOST_CANDIDATES { Vec::new() } else { vertices }
        };
        let near = tidied(near_vertices(model, drive));
        let mut vertices = near.clone();
        if model.colliders().iter().any(|collider| collider.motion.is_some()) {
            vertices.extend(model.meeting().map(|v| v as u32));
            vertices = tidied(vertices);
            if vertices.is_empty() {
                vertices.clone_from(&near);
            }
        }
        let mut places = vec![NONE; free];
        for (place, &v) in (0u32..).zip(&vertices) {
            places[v as usize] = place;
        }
        let near = near.iter().map(|&v| places[v as usize]).collect();
        Candidates { vertices, places, near }
    }
}

/// Vertices that may touch another body, and those near colliders that stay; some more than once.
fn near_vertices(model: &Model, drive: &Drive) -> Vec<u32> {
    let mut vertices: Vec<u32> =
        model.solids().map(|solids| solids.vertices().collect()).unwrap_or_default();
    let colliders = model.colliders().iter().zip(&drive.colliders);
    for (collider, pose) in colliders.filter(|(collider, _)| collider.motion.is_none()) {
        let placed = collider.placed(pose);
        for (b, body) in model.bodies().iter().enumerate() {
            let number = |v: u32| model.number(b, v as usize);
            for triangle in &body.triangles {
                let corners = triangle.map(|v| model.rest()[number(v)].xyz());
                let edge = corners[0].distance(corners[1]).max(corners[0].distance(corners[2]));
                for (&v, x) in triangle.iter().zip(corners) {
                    let own = number(v) as u32;
                    let meets = body.meeting.binary_search(&own).is_ok();
                    if meets && placed.shape.nearest(x).distance < NEAR * edge {
                        vertices.push(own);
                    }
                }
            }
        }
    }
    vertices
}

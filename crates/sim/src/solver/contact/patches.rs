//! The common stiffness of many touching vertices, beside a matrix that stays factored.
//!
//! A touching vertex is stiffer by H. If each is softened on its own, a face that lies on something
//! stays as free to move as a whole as without contact, some hundred times too soft: A alone hardly
//! resists that motion. Surfaces are cut into patches of some dozens of vertices, with indicators
//! pⱼ. With the patches of which at least half of the vertices touch the matrix is
//!
//! ```text
//! M = A + Σ pⱼ Dⱼ pⱼᵀ,   Dⱼ = Σ H / mⱼ²   over the vertices of patch j, mⱼ of them,
//! ```
//!
//! which is right for motion that is the same all over a patch. Its inverse is that of A and a
//! dense system per body ([`Woodbury`], with Dⱼ = Lⱼ² and Y = A⁻¹P):
//!
//! ```text
//! M⁻¹r = y − Y L (I + L PᵀY L)⁻¹ L Pᵀy,   y = A⁻¹r.
//! ```
//!
//! The columns of Y are columns of A⁻¹, and stay: each is solved for when its patch first touches.
//! Softening vertex by vertex then acts on the differences from a patch's mean alone.

use std::ops::Range;

use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::decomposition::symmetric_eigen;
use pliant_math::team::{SharedSlice, Team};
use pliant_math::woodbury::Woodbury;
use pliant_math::{DMat3, Row};
use pliant_model::potentials::bisect;
use pliant_model::{DVec3, Model};

use super::NONE;
use super::learned::StiffVertex;
use crate::blocks::each_block;

/// ContactPatches of a body, about, and the least vertices of one.
const PATCHES: usize = 32;
const SMALLEST: usize = 16;
/// Columns that one solve is good for: x, y and z.
const AT_ONCE: usize = 3;

/// The patches of a model, and which of them touch in a search.
#[derive(Default)]
pub(super) struct ContactPatches {
    /// Of each free vertex.
    of: Vec<u32>,
    patches: Vec<ContactPatch>,
    /// Columns are those of A⁻¹ times this: the mean of A's diagonal [N/m].
    scale: f64,
    /// ContactPatches that touch, and the systems of their bodies.
    held: Vec<PressedPatch>,
    systems: Vec<BodySystem>,
    /// How many of `systems` are in use.
    used: usize,
    right_hand_side: Vec<Row<f32>>,
}

struct ContactPatch {
    /// The free vertices of its body.
    body: Range<usize>,
    vertices: Vec<u32>,
    /// Y's column over the body; empty before it is needed.
    column: Vec<f32>,
    /// Which of those that touch it is, if it does.
    place: u32,
    /// Of its touching vertices: how many, and Σ H.
    count: u32,
    stiffness: DMat3,
}

/// A patch that touches.
struct PressedPatch {
    patch: u32,
    /// L.
    root: DMat3,
    /// A mean over its touching vertices.
    mean: DVec3,
    count: f64,
    /// Factor of its column that is taken off.
    load: DVec3,
}

/// I + L PᵀY L over the patches of one body, factored.
#[derive(Default)]
struct BodySystem {
    held: Range<usize>,
    update: Woodbury,
}

impl ContactPatches {
    /// Of a model's bodies, beside a matrix with this diagonal.
    pub fn new(model: &Model, diagonal: &[f64]) -> Self {
        let mut patches = ContactPatches {
            of: vec![NONE; diagonal.len()],
            scale: diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64,
            right_hand_side: vec![Row::zero(); diagonal.len()],
            ..ContactPatches::default()
        };
        for (b, body) in model.bodies().iter().enumerate() {
            let outer = outer_vertices(model, b);
            let total = outer.iter().map(Vec::len).sum::<usize>();
            let most = total.div_ceil(PATCHES).max(SMALLEST);
            for side in &outer {
                let at = |&v: &u32| model.rest()[v as usize].xyz();
                let points: Vec<DVec3> = side.iter().map(at).collect();
                for group in bisect(&points, most) {
                    let vertices: Vec<u32> = group.iter().map(|&i| side[i as usize]).collect();
                    let number = patches.patches.len() as u32;
                    vertices.iter().for_each(|&v| patches.of[v as usize] = number);
                    patches.patches.push(ContactPatch {
                        body: body.free.clone(),
                        vertices,
                        column: Vec::new(),
                        place: NONE,
                        count: 0,
                        stiffness: DMat3::ZERO,
                    });
                }
            }
        }
        patches
    }

    /// Forgets what touches.
    pub fn clear(&mut self) {
        for held in self.held.drain(..) {
            self.patches[held.patch as usize].place = NONE;
        }
        self.used = 0;
    }

    /// Takes over which vertices touch.
    pub fn fit(
        &mut self,
        stiff: &[StiffVertex],
        factor: &PanelCholesky<f32>,
        panels: &mut PanelWork<f32>,
        team: &Team,
    ) {
        self.clear();
        let ContactPatches { of, patches, held, .. } = self;
        for patch in patches.iter_mut() {
            (patch.count, patch.stiffness) = (0, DMat3::ZERO);
        }
        for known in stiff {
            let (patch, stiffness) = (of[known.vertex as usize], known.stiffness());
            if patch != NONE && stiffness != DMat3::ZERO {
                patches[patch as usize].count += 1;
                patches[patch as usize].stiffness += stiffness;
            }
        }
        for (number, patch) in (0u32..).zip(patches.iter_mut()) {
            let size = patch.vertices.len();
            if patch.count == 0 || 2 * (patch.count as usize) < size {
                continue;
            }
            patch.place = held.len() as u32;
            let eigen = symmetric_eigen(&(patch.stiffness * (1.0 / (size * size) as f64)));
            let roots = eigen.values.max(DVec3::ZERO).to_array().map(f64::sqrt);
            let root =
                eigen.vectors * DMat3::from_diagonal(roots.into()) * eigen.vectors.transpose();
            let count = f64::from(patch.count);
            held.push(PressedPatch {
                patch: number,
                root,
                mean: DVec3::ZERO,
                count,
                load: DVec3::ZERO,
            });
        }
        self.solve_columns(factor, panels, team);
        self.factor_systems();
    }

    /// The columns of Y that are needed now and were not before.
    fn solve_columns(
        &mut self,
        factor: &PanelCholesky<f32>,
        panels: &mut PanelWork<f32>,
        team: &Team,
    ) {
        let ContactPatches { patches, held, scale, right_hand_side: rows, .. } = self;
        let mut held = held.iter().map(|held| held.patch as usize).peekable();
        while held.peek().is_some() {
            let mut wanted = [usize::MAX; AT_ONCE];
            let new = held.by_ref().filter(|&patch| patches[patch].column.is_empty());
            let count = wanted.iter_mut().zip(new).map(|(slot, patch)| *slot = patch).count();
            if count == 0 {
                break;
            }
            rows.fill(Row::zero());
            for (axis, &patch) in wanted[..count].iter().enumerate() {
                for &v in &patches[patch].vertices {
                    rows[v as usize].0[axis] = *scale as f32;
                }
            }
            factor.solve(rows, panels, team);
            for (axis, &patch) in wanted[..count].iter().enumerate() {
                let body = patches[patch].body.clone();
                patches[patch].column.extend(rows[body].iter().map(|row| row.0[axis]));
            }
        }
    }

    fn factor_systems(&mut self) {
        let ContactPatches { patches, held, systems, scale, used, .. } = self;
        let mut start = 0;
        while start < held.len() {
            let body = &patches[held[start].patch as usize].body;
            let same = |h: &&PressedPatch| patches[h.patch as usize].body == *body;
            let end = start + held[start..].iter().take_while(same).count();
            if systems.len() == *used {
                systems.push(BodySystem::default());
            }
            let system = &mut systems[*used];
            system.held = start..end;
            let own = &held[start..end];
            system.update.begin(3 * own.len());
            for (i, one) in own.iter().enumerate() {
                let ContactPatch { vertices, body, .. } = &patches[one.patch as usize];
                for (j, other) in own[..=i].iter().enumerate() {
                    let column = &patches[other.patch as usize].column;
                    let value = |&v: &u32| f64::from(column[v as usize - body.start]);
                    let coupling = vertices.iter().map(value).sum::<f64>() / *scale;
                    let block = one.root * other.root * coupling;
                    for (row, col) in (0..9).map(|k| (k / 3, k % 3)) {
                        system.update.set(3 * i + row, 3 * j + col, block.col(col)[row]);
                    }
                }
            }
            if system.update.factor() {
                *used += 1;
            } else {
                // Where numbers are NaN: as if nothing touched there.
                for held in &held[start..end] {
                    patches[held.patch as usize].place = NONE;
                }
            }
            start = end;
        }
    }

    /// Takes the mean of every patch that touches out of its touching vertices' rows.
    pub fn begin_softening(&mut self, stiff: &[StiffVertex], rows: &mut [Row<f32>]) {
        self.take_means(stiff, rows);
        self.shift(stiff, rows, -1.0);
        self.held.iter_mut().for_each(|held| held.load = held.mean);
    }

    /// Puts it back in place of what is their mean now.
    pub fn end_softening(&mut self, stiff: &[StiffVertex], rows: &mut [Row<f32>]) {
        self.take_means(stiff, rows);
        self.held.iter_mut().for_each(|held| held.mean = held.load - held.mean);
        self.shift(stiff, rows, 1.0);
    }

    fn take_means(&mut self, stiff: &[StiffVertex], rows: &[Row<f32>]) {
        let ContactPatches { of, patches, held, .. } = self;
        held.iter_mut().for_each(|held| held.mean = DVec3::ZERO);
        each_held(of, patches, stiff, |v, place| held[place].mean += rows[v].widen().xyz());
        held.iter_mut().for_each(|held| held.mean /= held.count);
    }

    fn shift(&self, stiff: &[StiffVertex], rows: &mut [Row<f32>], sign: f64) {
        each_held(&self.of, &self.patches, stiff, |v, place| {
            rows[v] = Row::from(rows[v].widen().xyz() + self.held[place].mean * sign).narrow();
        });
    }

    /// Makes M⁻¹r of A⁻¹r.
    pub fn hold(&mut self, rows: &mut [Row<f32>], team: &Team) {
        let ContactPatches { patches, held, systems, used, scale, .. } = self;
        for system in &mut systems[..*used] {
            let own = &mut held[system.held.clone()];
            for (h, part) in own.iter().zip(system.update.weights.chunks_exact_mut(3)) {
                let vertices = &patches[h.patch as usize].vertices;
                let sum: DVec3 = vertices.iter().map(|&v| rows[v as usize].widen().xyz()).sum();
                part.copy_from_slice(&(h.root * sum).to_array());
            }
            system.update.solve();
            for (h, part) in own.iter_mut().zip(system.update.weights.chunks_exact(3)) {
                h.load = h.root * DVec3::from_slice(part) / *scale;
            }
            let Some(first) = own.first() else { continue };
            let body = patches[first.patch as usize].body.clone();
            let (own, patches) = (&*own, &*patches);
            let shared = SharedSlice::new(&mut rows[body]);
            each_block(shared.len(), team, &|_, block| {
                // SAFETY: each block writes its own rows.
                let rows = unsafe { shared.range(block.start, block.end) };
                for h in own {
                    let load = [h.load.x as f32, h.load.y as f32, h.load.z as f32, 0.0];
                    let column = &patches[h.patch as usize].column[block.clone()];
                    for (row, &y) in rows.iter_mut().zip(column) {
                        for (x, load) in row.0.iter_mut().zip(load) {
                            *x -= y * load;
                        }
                    }
                }
            });
        }
    }
}

/// Calls `f(vertex, place)` for the touching vertices of patches that touch.
fn each_held(
    of: &[u32],
    patches: &[ContactPatch],
    stiff: &[StiffVertex],
    mut f: impl FnMut(usize, usize),
) {
    for known in stiff.iter().filter(|known| known.stiffness() != DMat3::ZERO) {
        let patch = of[known.vertex as usize];
        if patch != NONE && patches[patch as usize].place != NONE {
            f(known.vertex as usize, patches[patch as usize].place as usize);
        }
    }
}

/// The free vertices of a body's surface by the direction that they face: along x, against x, …
fn outer_vertices(model: &Model, b: usize) -> [Vec<u32>; 6] {
    let body = &model.bodies()[b];
    let mut normals = vec![DVec3::ZERO; body.vertex_count];
    let rest = |v: u32| model.rest()[model.number(b, v as usize)].xyz();
    for triangle in &body.triangles {
        let [p, q, r] = triangle.map(rest);
        triangle.iter().for_each(|&v| normals[v as usize] += (q - p).cross(r - p));
    }
    let mut sides: [Vec<u32>; 6] = Default::default();
    for (v, normal) in normals.iter().enumerate().filter(|(_, normal)| **normal != DVec3::ZERO) {
        let number = model.number(b, v);
        let axis = normal.abs().max_position();
        let side = 2 * axis + usize::from(normal[axis] < 0.0);
        if number < model.free_count() {
            sides[side].push(number as u32);
        }
    }
    sides
}

//! Mass–spring networks: Σ ½ k (‖xᵢ − xⱼ‖ − r)² (slides "Physics-Based Animation", Mass-Spring
//! Potential Energy; the local/global solver's GᵀG is this file's proxy).

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_math::lanes::{Kernel, Lanes, Quad, WIDTH_F64, run64};

use super::batches::{Batches, LaneChunk, LocalRows};
use super::chunks::{CHUNK_ELEMENTS, Chunk};
use super::compliant::{CompliantElement, CompliantPotential};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;

/// Shorter springs than this \[m\] have no direction, and no force.
const SHORTEST: f64 = 1e-150;
/// Numbers per spring: stiffness k, rest length r.
const VALUES: usize = 2;
const MOST_VERTICES: usize = 2 * CHUNK_ELEMENTS;

/// Springs of one body.
pub struct Springs {
    batches: Batches<2, VALUES>,
}

/// One spring between two model vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The vertices it joins.
    pub ends: [u32; 2],
    /// Stiffness k [N/m].
    pub stiffness: f64,
    /// Rest length r \[m\].
    pub rest_length: f64,
}

impl Springs {
    /// Groups springs by the rest positions \[m\] of their ends.
    pub fn new(rest: &[Row], springs: &[Spring]) -> Self {
        let ends: Vec<[u32; 2]> = springs.iter().map(|s| s.ends).collect();
        let values = |s: usize, silent: bool| {
            let Spring { stiffness, rest_length, .. } = springs[s];
            [if silent { 0.0 } else { stiffness }, rest_length]
        };
        Springs { batches: Batches::new(rest, &ends, values) }
    }
}

impl Potential for Springs {
    fn name(&self) -> &'static str {
        "springs"
    }

    fn chunk_count(&self) -> usize {
        self.batches.chunks.len()
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        self.batches.chunks[chunk].view(2)
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let chunk = &self.batches.chunks[chunk];
        let out = gradient.unwrap_or(&mut []);
        run64(Evaluate { springs: self, chunk, positions: at.positions, out })
    }

    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        let chunk = &self.batches.chunks[chunk];
        for (e, out) in out.chunks_exact_mut(36).enumerate() {
            let end = |c: usize| at.positions[chunk.elements[2 * e + c] as usize].xyz();
            let [stiffness, rest_length] = self.batches.element(chunk, e);
            let block = hessian(end(0) - end(1), stiffness, rest_length, curvature);
            for a in 0..2 {
                for b in 0..2 {
                    let sign = if a == b { 1.0 } else { -1.0 };
                    for i in 0..3 {
                        for j in 0..3 {
                            out[(3 * a + i) * 6 + 3 * b + j] = sign * block.col(j)[i];
                        }
                    }
                }
            }
        }
    }

    fn proxy(&self, _: ProxyKind, add: &mut dyn FnMut(u32, u32, f64)) {
        for chunk in &self.batches.chunks {
            for (e, ends) in chunk.elements.chunks_exact(2).enumerate() {
                let [stiffness, _] = self.batches.element(chunk, e);
                for (i, j, sign) in [(0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0)] {
                    add(ends[i], ends[j], sign * stiffness);
                }
            }
        }
    }

    fn as_compliant(&self) -> Option<&dyn CompliantPotential> {
        Some(self)
    }
}

impl CompliantPotential for Springs {
    fn visit_elements(&self, visit: &mut dyn FnMut(CompliantElement)) {
        for chunk in &self.batches.chunks {
            for (e, ends) in chunk.elements.chunks_exact(2).enumerate() {
                let [stiffness, rest_length] = self.batches.element(chunk, e);
                visit(CompliantElement::Spring(Spring {
                    ends: [ends[0], ends[1]],
                    stiffness,
                    rest_length,
                }));
            }
        }
    }
}

/// k [(1 − r/l) (I − n nᵀ) + n nᵀ]; a compressed spring's negative part is dropped when a
/// definite matrix is wanted.
fn hessian(d: DVec3, stiffness: f64, rest_length: f64, curvature: Curvature) -> DMat3 {
    let length = d.length();
    if length < SHORTEST {
        return DMat3::ZERO;
    }
    let n = d / length;
    let along = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
    let across = 1.0 - rest_length / length;
    let across = if curvature == Curvature::Definite { across.max(0.0) } else { across };
    (along + (DMat3::IDENTITY - along) * across) * stiffness
}

struct Evaluate<'a> {
    springs: &'a Springs,
    chunk: &'a LaneChunk,
    positions: &'a [Row],
    /// Empty when only the energy is wanted.
    out: &'a mut [Row],
}

impl<L: Lanes<Real = f64>> Kernel<L> for Evaluate<'_> {
    type Output = f64;

    #[inline(always)]
    unsafe fn run(self) -> f64 {
        let Evaluate { springs, chunk, positions, out } = self;
        let mut rows = LocalRows::<MOST_VERTICES>::new();
        let local = rows.gather(chunk, positions);
        let wanted = !out.is_empty();
        out.fill(Row([0.0; 4]));
        let mut scratch = [Row([0.0; 4]); WIDTH_F64];
        let mut sums = [0.0; WIDTH_F64];
        // SAFETY: inside a kernel of L; ends are below the chunk's vertex count, `out`'s length.
        unsafe {
            let mut energy = L::splat(0.0);
            for (values, ends) in springs.batches.of(chunk) {
                let (stiffness, rest) = (L::load(values), L::load(values.add(WIDTH_F64)));
                let a = L::gather_rows(local, ends);
                let b = L::gather_rows(local, ends.add(WIDTH_F64));
                let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
                let squared = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2] * d[2]));
                let length = squared.sqrt().max(L::splat(SHORTEST));
                let longer = length - rest;
                let pull = stiffness * longer;
                energy = pull.mul_add(longer, energy);
                if wanted {
                    let scale = pull.div(length);
                    L::store_rows([scale * d[0], scale * d[1], scale * d[2]], scratch.as_mut_ptr());
                    let out = out.as_mut_ptr();
                    for (l, force) in scratch.iter().enumerate() {
                        let force = L::Quad::load(force);
                        let first: *mut Row = out.add(*ends.add(l) as usize);
                        (L::Quad::load(first) + force).store(first);
                        let second: *mut Row = out.add(*ends.add(WIDTH_F64 + l) as usize);
                        (L::Quad::load(second) - force).store(second);
                    }
                }
            }
            energy.store(sums.as_mut_ptr());
        }
        0.5 * sums.iter().sum::<f64>()
    }
}

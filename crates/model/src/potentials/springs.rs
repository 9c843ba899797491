//! Mass–spring networks: Σ ½ k (‖xᵢ − xⱼ‖ − r)² (slides "Physics-Based Animation", Mass-Spring
//! Potential Energy; the local/global solver's GᵀG is this file's proxy).

use glam::{DMat3, DVec3};
use pliant_math::lanes::{Kernel, Lanes, WIDTH_F64, run64};
use pliant_math::{Buffer, Row};

use super::potential::{
    CHUNK_ELEMENTS, Curvature, Potential, ProxyKind, Situation, bisect, localise,
};

/// Shorter springs than this \[m\] have no direction, and no force.
const SHORTEST: f64 = 1e-150;
/// Numbers per spring: stiffness k, rest length r.
const VALUES: usize = 2;
const MOST_VERTICES: usize = 2 * CHUNK_ELEMENTS;

/// Springs of one body.
pub struct Springs {
    chunks: Vec<Chunk>,
    values: Buffer<f64>,
    ends: Buffer<u16>,
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

struct Chunk {
    vertices: Vec<u32>,
    /// Model vertices, two per spring.
    elements: Vec<u32>,
    first_batch: usize,
    batches: usize,
}

impl Springs {
    /// Groups springs by the rest positions \[m\] of their ends.
    pub fn new(rest: &[Row], springs: &[Spring]) -> Self {
        let centre =
            |s: &Spring| (rest[s.ends[0] as usize].xyz() + rest[s.ends[1] as usize].xyz()) * 0.5;
        let centres: Vec<DVec3> = springs.iter().map(centre).collect();
        let (mut chunks, mut values, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for ids in bisect(&centres, CHUNK_ELEMENTS) {
            let elements: Vec<u32> = ids.iter().flat_map(|&s| springs[s as usize].ends).collect();
            let (vertices, local) = localise(&elements);
            let first_batch = ends.len() / (2 * WIDTH_F64);
            for (b, batch) in ids.chunks(WIDTH_F64).enumerate() {
                // Empty lanes repeat the last spring without stiffness.
                let lane = |l: usize| l.min(batch.len() - 1);
                let full = |l: usize| if l < batch.len() { 1.0 } else { 0.0 };
                let spring = |l: usize| &springs[batch[lane(l)] as usize];
                values.extend((0..WIDTH_F64).map(|l| full(l) * spring(l).stiffness));
                values.extend((0..WIDTH_F64).map(|l| spring(l).rest_length));
                for c in 0..2 {
                    ends.extend((0..WIDTH_F64).map(|l| local[2 * (b * WIDTH_F64 + lane(l)) + c]));
                }
            }
            let batches = ids.len().div_ceil(WIDTH_F64);
            chunks.push(Chunk { vertices, elements, first_batch, batches });
        }
        Springs { chunks, values: Buffer::from(&values[..]), ends: Buffer::from(&ends[..]) }
    }

    /// Stiffness and rest length of spring `e` of a chunk.
    fn spring(&self, chunk: &Chunk, e: usize) -> (f64, f64) {
        let base = (chunk.first_batch + e / WIDTH_F64) * VALUES * WIDTH_F64 + e % WIDTH_F64;
        (self.values[base], self.values[base + WIDTH_F64])
    }
}

impl Potential for Springs {
    fn name(&self) -> &'static str {
        "springs"
    }

    fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    fn chunk_vertices(&self, chunk: usize) -> &[u32] {
        &self.chunks[chunk].vertices
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let chunk = &self.chunks[chunk];
        let out = gradient.unwrap_or(&mut []);
        run64(Evaluate { springs: self, chunk, positions: at.positions, out })
    }

    fn corners(&self) -> usize {
        2
    }

    fn chunk_elements(&self, chunk: usize) -> &[u32] {
        &self.chunks[chunk].elements
    }

    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        let chunk = &self.chunks[chunk];
        for (e, out) in out.chunks_exact_mut(36).enumerate() {
            let end = |c: usize| at.positions[chunk.elements[2 * e + c] as usize].xyz();
            let (stiffness, rest_length) = self.spring(chunk, e);
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
        for chunk in &self.chunks {
            for (e, ends) in chunk.elements.chunks_exact(2).enumerate() {
                let (stiffness, _) = self.spring(chunk, e);
                for (i, j, sign) in [(0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0)] {
                    add(ends[i], ends[j], sign * stiffness);
                }
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
    chunk: &'a Chunk,
    positions: &'a [Row],
    /// Empty when only the energy is wanted.
    out: &'a mut [Row],
}

impl<L: Lanes<Real = f64>> Kernel<L> for Evaluate<'_> {
    type Output = f64;

    #[inline(always)]
    unsafe fn run(self) -> f64 {
        let Evaluate { springs, chunk, positions, out } = self;
        let mut local = [const { std::mem::MaybeUninit::<Row>::uninit() }; MOST_VERTICES];
        for (row, &v) in local.iter_mut().zip(&chunk.vertices) {
            row.write(positions[v as usize]);
        }
        let local: *const Row = local.as_ptr().cast();
        let wanted = !out.is_empty();
        out.fill(Row([0.0; 4]));
        let mut scratch = [Row([0.0; 4]); WIDTH_F64];
        let mut sums = [0.0; WIDTH_F64];
        // SAFETY: inside a kernel of L; batches lie within `values` and `ends`, and local numbers
        // are below the chunk's vertex count (`out`'s length), all by construction in `new`.
        unsafe {
            let mut energy = L::splat(0.0);
            for batch in chunk.first_batch..chunk.first_batch + chunk.batches {
                let values = springs.values.as_ptr().add(batch * VALUES * WIDTH_F64);
                let ends = springs.ends.as_ptr().add(batch * 2 * WIDTH_F64);
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
                    for (l, force) in scratch.iter().enumerate() {
                        let first = &mut out.get_unchecked_mut(*ends.add(l) as usize).0;
                        for i in 0..4 {
                            first[i] += force.0[i];
                        }
                        let second =
                            &mut out.get_unchecked_mut(*ends.add(WIDTH_F64 + l) as usize).0;
                        for i in 0..4 {
                            second[i] -= force.0[i];
                        }
                    }
                }
            }
            energy.store(sums.as_mut_ptr());
        }
        0.5 * sums.iter().sum::<f64>()
    }
}

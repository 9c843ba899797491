//! Points bound to tetrahedra, pulled to where an input has them: ½ Σ λ ‖Σⱼ wⱼ xⱼ − q̄‖², the first
//! term of Eq. 1 in "Enriching triangle mesh animations with physically based simulation", with
//! C′ → [`Tracked::weights`], Λ → [`Tracked::stiffness`] and q̄ → [`crate::Drive::tracked`].
//!
//! The tets' vertices need not lie on the surface that is tracked: C′ᵀΛC′ couples the four corners
//! of a point's tet, so it adds no entry to the elastic matrix.

use pliant_math::Row;
use pliant_math::lanes::{Kernel, Lanes, Quad, run64};

use super::chunks::{CHUNK_ELEMENTS, Chunk, driven, localise};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;

/// A point of a tracked surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracked {
    /// Vertices of the tet that it is bound to.
    pub corners: [u32; 4],
    /// Their weights; they sum to 1 for a point of the body, and to anything for one that stands
    /// for several.
    pub weights: [f64; 4],
    /// λ [N/m].
    pub stiffness: f64,
}

impl Tracked {
    /// Where the point is \[m\].
    pub fn position(&self, positions: &[Row]) -> Row {
        let weighted = self.corners.iter().zip(self.weights);
        weighted.fold(Row::zero(), |at, (&v, w)| at.plus_scaled(w, positions[v as usize]))
    }
}

/// The tracked points of a body; targets are [`crate::Drive::tracked`].
pub struct Tracking {
    first: usize,
    chunks: Vec<TrackedChunk>,
}

struct TrackedChunk {
    vertices: Vec<u32>,
    corners: Vec<u32>,
    local: Vec<u16>,
    points: Vec<Tracked>,
}

impl Tracking {
    /// Points over model vertices; their targets begin at `first` of the drive's.
    pub fn new(first: usize, points: &[Tracked]) -> Self {
        let chunk = |points: &[Tracked]| {
            let corners: Vec<u32> = points.iter().flat_map(|p| p.corners).collect();
            let (vertices, local) = localise(&corners);
            TrackedChunk { vertices, corners, local, points: points.to_vec() }
        };
        Tracking { first, chunks: points.chunks(CHUNK_ELEMENTS).map(chunk).collect() }
    }
}

impl Potential for Tracking {
    fn name(&self) -> &'static str {
        "tracking"
    }

    fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        let TrackedChunk { vertices, corners, .. } = &self.chunks[chunk];
        Chunk { vertices, corners: 4, elements: corners }
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let targets = driven(&at.drive.tracked, self.first, chunk);
        let (chunk, positions) = (&self.chunks[chunk], at.positions);
        run64(Evaluate { chunk, targets, positions, out: gradient.unwrap_or(&mut []) })
    }

    fn hessians(&self, chunk: usize, _: &Situation, _: Curvature, out: &mut [f64]) {
        out.fill(0.0);
        for (out, point) in out.chunks_exact_mut(144).zip(&self.chunks[chunk].points) {
            for (a, wa) in point.weights.into_iter().enumerate() {
                for (b, wb) in point.weights.into_iter().enumerate() {
                    for c in 0..3 {
                        out[(3 * a + c) * 12 + 3 * b + c] = point.stiffness * wa * wb;
                    }
                }
            }
        }
    }

    fn proxy(&self, _: ProxyKind, add: &mut dyn FnMut(u32, u32, f64)) {
        for point in self.chunks.iter().flat_map(|chunk| &chunk.points) {
            for (a, wa) in point.corners.into_iter().zip(point.weights) {
                for (b, wb) in point.corners.into_iter().zip(point.weights) {
                    add(a, b, point.stiffness * wa * wb);
                }
            }
        }
    }
}

/// Energy of a chunk and, where there is room for it, its gradient.
struct Evaluate<'a> {
    chunk: &'a TrackedChunk,
    targets: &'a [Row],
    positions: &'a [Row],
    out: &'a mut [Row],
}

impl<L: Lanes<Real = f64>> Kernel<L> for Evaluate<'_> {
    type Output = f64;

    #[inline(always)]
    unsafe fn run(self) -> f64 {
        let Evaluate {
            chunk: TrackedChunk { vertices, local, points, .. },
            targets,
            positions,
            out,
        } = self;
        assert!(out.is_empty() || out.len() == vertices.len());
        out.fill(Row::zero());
        let mut energy = 0.0;
        for ((point, local), target) in points.iter().zip(local.chunks_exact(4)).zip(targets) {
            // SAFETY: inside a kernel of `L`; rows are those of references.
            unsafe {
                let mut place = L::Quad::splat(0.0);
                for (&v, weight) in point.corners.iter().zip(point.weights) {
                    let corner = L::Quad::load(&positions[v as usize]);
                    place = corner.mul_add(L::Quad::splat(weight), place);
                }
                let away = place - L::Quad::load(target);
                energy += 0.5 * point.stiffness * (away * away).sum();
                if !out.is_empty() {
                    for (&corner, weight) in local.iter().zip(point.weights) {
                        let row = &mut out[corner as usize];
                        let pull = L::Quad::splat(point.stiffness * weight);
                        away.mul_add(pull, L::Quad::load(row)).store(row);
                    }
                }
            }
        }
        energy
    }
}

//! Elements in batches of vector lanes, grouped in spatially compact chunks.
//!
//! A batch holds the numbers of [`WIDTH_F64`] elements, value by value, and their corners as
//! 16-bit numbers of the chunk's own vertices: a chunk copies its vertices to a local array,
//! works on that, and all of it stays in the first-level cache.

use glam::DVec3;
use pliant_math::lanes::WIDTH_F64;
use pliant_math::{Buffer, Row};

use super::chunks::{CHUNK_ELEMENTS, Chunk, bisect, localise};

/// Elements of `CORNERS` vertices with `VALUES` numbers each.
pub(super) struct Batches<const CORNERS: usize, const VALUES: usize> {
    pub chunks: Vec<LaneChunk>,
    /// Per batch `VALUES` × lanes.
    values: Buffer<f64>,
    /// Per batch `CORNERS` × lanes.
    corners: Buffer<u16>,
}

/// A chunk of elements with its batches.
pub(super) struct LaneChunk {
    /// Its model vertices, ascending.
    pub vertices: Vec<u32>,
    /// Model vertices of its elements.
    pub elements: Vec<u32>,
    first_batch: usize,
    batches: usize,
}

impl LaneChunk {
    /// Vertices and elements of `corners` vertices.
    pub fn view(&self, corners: usize) -> Chunk<'_> {
        Chunk { vertices: &self.vertices, corners, elements: &self.elements }
    }
}

impl<const CORNERS: usize, const VALUES: usize> Batches<CORNERS, VALUES> {
    /// Groups elements by the rest positions \[m\] of their corners. `values` gives an element's
    /// numbers, or (when told so) those of a copy of it without stiffness, to fill a batch.
    pub fn new(
        rest: &[Row],
        elements: &[[u32; CORNERS]],
        values: impl Fn(usize, bool) -> [f64; VALUES],
    ) -> Self {
        let middle = |e: &[u32; CORNERS]| {
            e.iter().map(|&v| rest[v as usize].xyz()).sum::<DVec3>() / CORNERS as f64
        };
        let centres: Vec<DVec3> = elements.iter().map(middle).collect();
        let (mut chunks, mut all_values, mut all_corners) = (Vec::new(), Vec::new(), Vec::new());
        for ids in bisect(&centres, CHUNK_ELEMENTS) {
            let flat: Vec<u32> = ids.iter().flat_map(|&e| elements[e as usize]).collect();
            let (vertices, local) = localise(&flat);
            let first_batch = all_corners.len() / (CORNERS * WIDTH_F64);
            for (b, batch) in ids.chunks(WIDTH_F64).enumerate() {
                // Empty lanes repeat the last element.
                let lane = |l: usize| l.min(batch.len() - 1);
                let lanes: [[f64; VALUES]; WIDTH_F64] =
                    std::array::from_fn(|l| values(batch[lane(l)] as usize, l >= batch.len()));
                all_values.extend((0..VALUES).flat_map(|k| lanes.map(|lane| lane[k])));
                for c in 0..CORNERS {
                    let corner = |l: usize| local[CORNERS * (b * WIDTH_F64 + lane(l)) + c];
                    all_corners.extend((0..WIDTH_F64).map(corner));
                }
            }
            let batches = ids.len().div_ceil(WIDTH_F64);
            chunks.push(LaneChunk { vertices, elements: flat, first_batch, batches });
        }
        Batches {
            chunks,
            values: Buffer::from(&all_values[..]),
            corners: Buffer::from(&all_corners[..]),
        }
    }

    /// The numbers of element `e` of a chunk.
    pub fn element(&self, chunk: &LaneChunk, e: usize) -> [f64; VALUES] {
        let base = (chunk.first_batch + e / WIDTH_F64) * VALUES * WIDTH_F64 + e % WIDTH_F64;
        std::array::from_fn(|k| self.values[base + k * WIDTH_F64])
    }

    /// Pointers to the values and corners of each batch of a chunk. Corners are below the number
    /// of the chunk's vertices.
    #[inline(always)]
    pub fn of(&self, chunk: &LaneChunk) -> impl Iterator<Item = (*const f64, *const u16)> {
        let values = &self.values[chunk.first_batch * VALUES * WIDTH_F64..];
        let corners = &self.corners[chunk.first_batch * CORNERS * WIDTH_F64..];
        values
            .chunks_exact(VALUES * WIDTH_F64)
            .zip(corners.chunks_exact(CORNERS * WIDTH_F64))
            .take(chunk.batches)
            .map(|(values, corners)| (values.as_ptr(), corners.as_ptr()))
    }
}

/// A chunk's vertices in one place, on the stack.
pub(super) struct LocalRows<const N: usize>([std::mem::MaybeUninit<Row>; N]);

impl<const N: usize> LocalRows<N> {
    /// Room for them.
    #[inline(always)]
    pub fn new() -> Self {
        LocalRows([const { std::mem::MaybeUninit::uninit() }; N])
    }

    /// Copies the chunk's rows, and points to the first; as many are valid as the chunk has
    /// vertices. In place: what holds thousands of rows must not be returned by value.
    #[inline(always)]
    pub fn gather(&mut self, chunk: &LaneChunk, rows: &[Row]) -> *const Row {
        for (row, &v) in self.0.iter_mut().zip(&chunk.vertices) {
            row.write(rows[v as usize]);
        }
        self.0.as_ptr().cast()
    }
}

//! Constraints in batches of vector lanes, colour after colour.

use std::ops::Range;

use pliant_math::coloring::Coloring;
use pliant_math::lanes::{Lanes, WIDTH_F64};
use pliant_math::team::{SharedSlice, Team};
use pliant_math::{Buffer, Row};

/// Batches per item of a task: fixed, and enough work to be worth handing out.
const BATCHES: usize = 8;

const IN_ORDER: [u16; WIDTH_F64] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Constraints on `CORNERS` vertices, with `VALUES` numbers each that stay, and `FORCES` that are
/// what they push with.
pub(super) struct Colored<const CORNERS: usize, const VALUES: usize, const FORCES: usize> {
    /// The batches of each colour.
    colors: Vec<Range<usize>>,
    /// Per batch `CORNERS` × lanes.
    corners: Buffer<u32>,
    /// How many lanes of a batch are in use.
    used: Vec<u8>,
    /// Per batch `VALUES` × lanes.
    values: Buffer<f64>,
    /// Per batch `FORCES` × lanes.
    forces: Buffer<f64>,
}

/// Pointers into one batch.
#[derive(Clone, Copy)]
pub(super) struct Batch {
    pub corners: *const u32,
    pub used: usize,
    pub values: *const f64,
    pub forces: *mut f64,
}

impl<const CORNERS: usize, const VALUES: usize, const FORCES: usize>
    Colored<CORNERS, VALUES, FORCES>
{
    /// Colours constraints. Lanes that fill up a batch repeat its last constraint, and are never
    /// written back.
    pub fn new(corners: &[[u32; CORNERS]], values: &[[f64; VALUES]]) -> Self {
        let (mut colors, mut used) = (Vec::new(), Vec::new());
        let (mut all_corners, mut all_values) = (Vec::new(), Vec::new());
        for color in Coloring::greedy(corners).colors() {
            let first = used.len();
            for batch in color.chunks(WIDTH_F64) {
                let lane = |l: usize| batch[l.min(batch.len() - 1)] as usize;
                for c in 0..CORNERS {
                    all_corners.extend((0..WIDTH_F64).map(|l| corners[lane(l)][c]));
                }
                for k in 0..VALUES {
                    all_values.extend((0..WIDTH_F64).map(|l| values[lane(l)][k]));
                }
                used.push(batch.len() as u8);
            }
            colors.push(first..used.len());
        }
        Colored {
            colors,
            corners: Buffer::from(&all_corners[..]),
            values: Buffer::from(&all_values[..]),
            forces: Buffer::zeroed(used.len() * FORCES * WIDTH_F64),
            used,
        }
    }

    /// Lets go of all forces.
    pub fn release(&mut self) {
        self.forces.fill(0.0);
    }

    /// Calls `relax` for consecutive batches, colour after colour; within a colour on all
    /// threads, in any order.
    pub fn sweep(
        &mut self,
        team: &Team,
        relax: &(dyn Fn(Batches<CORNERS, VALUES, FORCES>) + Sync),
    ) {
        let Colored { colors, corners, used, values, forces } = self;
        let forces = SharedSlice::new(forces);
        for color in colors {
            team.each(color.len().div_ceil(BATCHES), &|item, _| {
                let first = color.start + item * BATCHES;
                let range = first..(first + BATCHES).min(color.end);
                relax(Batches { range, corners, used, values, forces });
            });
        }
    }
}

/// Consecutive batches of one colour: no two constraints in them share a vertex.
pub(super) struct Batches<'a, const CORNERS: usize, const VALUES: usize, const FORCES: usize> {
    range: Range<usize>,
    corners: &'a [u32],
    used: &'a [u8],
    values: &'a [f64],
    forces: SharedSlice<'a, f64>,
}

impl<const CORNERS: usize, const VALUES: usize, const FORCES: usize>
    Batches<'_, CORNERS, VALUES, FORCES>
{
    /// One batch after the other.
    #[inline(always)]
    pub fn each(self) -> impl Iterator<Item = Batch> {
        let Batches { range, corners, used, values, forces } = self;
        range.map(move |b| Batch {
            corners: corners[b * CORNERS * WIDTH_F64..(b + 1) * CORNERS * WIDTH_F64].as_ptr(),
            used: used[b] as usize,
            values: values[b * VALUES * WIDTH_F64..(b + 1) * VALUES * WIDTH_F64].as_ptr(),
            // SAFETY: every batch has its own forces, and one item.
            forces: unsafe {
                forces.range(b * FORCES * WIDTH_F64, (b + 1) * FORCES * WIDTH_F64).as_mut_ptr()
            },
        })
    }
}

/// Positions of one corner of a batch.
///
/// # Safety
/// Inside a kernel of L; `corners` valid for a batch, and `positions` for its vertices.
#[inline(always)]
pub(super) unsafe fn gather<L: Lanes<Real = f64>>(
    positions: *const Row,
    corners: *const u32,
) -> [L; 3] {
    let mut rows = [Row([0.0; 4]); WIDTH_F64];
    // SAFETY: passed on to the caller.
    unsafe {
        for (l, row) in rows.iter_mut().enumerate() {
            *row = *positions.add(*corners.add(l) as usize);
        }
        L::gather_rows(rows.as_ptr(), IN_ORDER.as_ptr())
    }
}

/// Writes the positions of one corner back, in the lanes that are in use.
///
/// # Safety
/// As [`gather`], and nobody else reads or writes those vertices.
#[inline(always)]
pub(super) unsafe fn scatter<L: Lanes<Real = f64>>(
    xyz: [L; 3],
    positions: *mut Row,
    corners: *const u32,
    used: usize,
) {
    let mut rows = [Row([0.0; 4]); WIDTH_F64];
    // SAFETY: passed on to the caller.
    unsafe {
        L::store_rows(xyz, rows.as_mut_ptr());
        for (l, row) in rows.iter().enumerate().take(used) {
            *positions.add(*corners.add(l) as usize) = *row;
        }
    }
}

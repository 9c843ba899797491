//! Constraints in batches of vector lanes, meeting after meeting.

use std::ops::Range;

use glam::DVec3;
use pliant_math::Buffer;
use pliant_math::lanes::WIDTH_F64;
use pliant_math::team::{SharedSlice, Team};

use super::domains::Domains;

/// How many batches side by side are known to share no vertex: the processor has work from one
/// while it waits for the other.
const SIDES: usize = 2;

/// Constraints on `CORNERS` vertices, with `VALUES` numbers each that stay, and `FORCES` that are
/// what they push with.
pub(super) struct Colored<const CORNERS: usize, const VALUES: usize, const FORCES: usize> {
    /// The items of each meeting of the threads.
    meetings: Vec<Range<usize>>,
    /// First run of each item, and the end.
    items: Vec<u32>,
    /// First batch of each run, and the end: the one or two batches of a run share no vertex.
    runs: Vec<u32>,
    /// Which constraint each lane has.
    constraints: Vec<u32>,
    /// Per batch `CORNERS` × lanes.
    corners: Buffer<u32>,
    /// How many lanes of a batch are in use. The others repeat the last of them: they compute the
    /// same bits from the same numbers, and write them to the same place.
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
    /// Colours constraints at vertices that are at `positions` \[m\].
    pub fn new(
        corners: &[[u32; CORNERS]],
        positions: &[DVec3],
        values: impl Fn(usize) -> [f64; VALUES],
    ) -> Self {
        let Domains { meetings, items: members } = Domains::new(corners, positions);
        let (mut items, mut runs, mut used) = (vec![0], vec![0], Vec::new());
        let (mut constraints, mut all_corners) = (Vec::new(), Vec::new());
        for item in &members {
            for run in item.iter().flat_map(|color| color.chunks(SIDES * WIDTH_F64)) {
                for side in run.chunks(WIDTH_F64) {
                    let lanes: [u32; WIDTH_F64] =
                        std::array::from_fn(|l| side[l.min(side.len() - 1)]);
                    for c in 0..CORNERS {
                        all_corners.extend(lanes.map(|e| corners[e as usize][c]));
                    }
                    constraints.extend(lanes);
                    used.push(side.len() as u8);
                }
                runs.push(used.len() as u32);
            }
            items.push(runs.len() as u32 - 1);
        }
        let mut colored = Colored {
            meetings,
            items,
            runs,
            constraints,
            corners: Buffer::from(&all_corners[..]),
            values: Buffer::zeroed(used.len() * VALUES * WIDTH_F64),
            forces: Buffer::zeroed(used.len() * FORCES * WIDTH_F64),
            used,
        };
        colored.assign(values);
        colored
    }

    /// Gives every constraint other values.
    pub fn assign(&mut self, values: impl Fn(usize) -> [f64; VALUES]) {
        let batches = self.values.chunks_exact_mut(VALUES * WIDTH_F64);
        for (batch, lanes) in batches.zip(self.constraints.chunks_exact(WIDTH_F64)) {
            for (l, &constraint) in lanes.iter().enumerate() {
                for (k, value) in values(constraint as usize).into_iter().enumerate() {
                    batch[k * WIDTH_F64 + l] = value;
                }
            }
        }
    }

    /// Lets go of all forces.
    pub fn release(&mut self) {
        self.forces.fill(0.0);
    }

    /// Calls `relax` for the batches of every item, meeting after meeting; in between on all
    /// threads, in any order.
    pub fn sweep(
        &mut self,
        team: &Team,
        relax: &(dyn Fn(Batches<CORNERS, VALUES, FORCES>) + Sync),
    ) {
        let Colored { meetings, items, runs, corners, used, values, forces, .. } = self;
        let forces = SharedSlice::new(forces);
        for meeting in meetings {
            team.each(meeting.len(), &|k, _| {
                let item = meeting.start + k;
                let runs = &runs[items[item] as usize..=items[item + 1] as usize];
                relax(Batches { runs, corners, used, values, forces });
            });
        }
    }
}

/// The batches of one item: no other item of its meeting has their vertices.
pub(super) struct Batches<'a, const CORNERS: usize, const VALUES: usize, const FORCES: usize> {
    runs: &'a [u32],
    corners: &'a [u32],
    used: &'a [u8],
    values: &'a [f64],
    forces: SharedSlice<'a, f64>,
}

/// One batch, or two that share no vertex.
pub(super) enum Run {
    One([Batch; 1]),
    Two([Batch; SIDES]),
}

impl<const CORNERS: usize, const VALUES: usize, const FORCES: usize>
    Batches<'_, CORNERS, VALUES, FORCES>
{
    /// One run after the other: the lanes of a run share no vertex.
    #[inline(always)]
    pub fn each(self) -> impl Iterator<Item = Run> {
        (0..self.runs.len() - 1).map(move |r| {
            let first = self.runs[r] as usize;
            if self.runs[r + 1] as usize - first == SIDES {
                Run::Two([self.batch(first), self.batch(first + 1)])
            } else {
                Run::One([self.batch(first)])
            }
        })
    }

    #[inline(always)]
    fn batch(&self, b: usize) -> Batch {
        Batch {
            corners: self.corners[b * CORNERS * WIDTH_F64..(b + 1) * CORNERS * WIDTH_F64].as_ptr(),
            used: self.used[b] as usize,
            values: self.values[b * VALUES * WIDTH_F64..(b + 1) * VALUES * WIDTH_F64].as_ptr(),
            // SAFETY: every batch has its own forces, and one item.
            forces: unsafe {
                let range = b * FORCES * WIDTH_F64..(b + 1) * FORCES * WIDTH_F64;
                self.forces.range(range.start, range.end).as_mut_ptr()
            },
        }
    }
}

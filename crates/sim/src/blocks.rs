//! Vertices in blocks of a fixed size: passes that any number of threads does alike.

use std::ops::Range;

use pliant_math::Row;
use pliant_math::lanes::{Kernel, Lanes, run64};
use pliant_math::team::{SharedSlice, Team};

/// Vertices per block: fixed, so that sums do not depend on the number of threads.
pub(crate) const BLOCK: usize = 96;

/// Passes of a step over fewer vertices are done before another thread has noticed them.
const WORTH_SHARING: usize = 3000;

/// Runs a piece of work for every block of vertices.
pub(crate) fn each_block(
    vertices: usize,
    team: &Team,
    work: &(dyn Fn(usize, Range<usize>) + Sync),
) {
    team.each(vertices.div_ceil(BLOCK), &|b, _| {
        work(b, b * BLOCK..((b + 1) * BLOCK).min(vertices))
    });
}

/// Something small that is done to every vertex. Mark the implementation `#[inline(always)]`:
/// closures would be compiled for any machine.
pub(crate) trait PerVertex: Sync {
    /// Does it.
    ///
    /// # Safety
    /// `vertex` is below the number given to [`each_vertex`], and nobody else is at it.
    unsafe fn at(&self, vertex: usize);
}

/// Runs something small for every vertex.
pub(crate) fn each_vertex(vertices: usize, team: &Team, work: &impl PerVertex) {
    if vertices < WORTH_SHARING || team.size() == 1 {
        return run64(EachVertex(0..vertices, work));
    }
    let parts = 4 * team.size();
    team.each(parts, &|part, _| {
        let (start, end) = (vertices * part / parts, vertices * (part + 1) / parts);
        run64(EachVertex(start..end, work));
    });
}

/// Copies rows.
pub(crate) fn copy(from: &[Row], to: &mut [Row], team: &Team) {
    assert_eq!(from.len(), to.len(), "rows are copied one to one");
    each_vertex(from.len(), team, &Copied { from, to: SharedSlice::new(to) });
}

struct Copied<'a> {
    from: &'a [Row],
    to: SharedSlice<'a, Row>,
}

impl PerVertex for Copied<'_> {
    #[inline(always)]
    unsafe fn at(&self, vertex: usize) {
        // SAFETY: every vertex has its own row.
        unsafe { *self.to.at(vertex) = self.from[vertex] }
    }
}

/// Sums up what a block of vertices amounts to, in the order of blocks; `sums` is memory.
pub(crate) fn sum<T: Copy + Send>(
    vertices: usize,
    sums: &mut [T],
    team: &Team,
    of: &(dyn Fn(Range<usize>) -> T + Sync),
    mut add: impl FnMut(T),
) {
    let blocks = vertices.div_ceil(BLOCK);
    let shared = SharedSlice::new(&mut sums[..blocks]);
    // SAFETY: each block writes its own sum.
    each_block(vertices, team, &|block, range| unsafe { *shared.at(block) = of(range) });
    sums[..blocks].iter().for_each(|&sum| add(sum));
}

struct EachVertex<'a, W>(Range<usize>, &'a W);

impl<L: Lanes, W: PerVertex> Kernel<L> for EachVertex<'_, W> {
    type Output = ();
    #[inline(always)]
    unsafe fn run(self) {
        for vertex in self.0 {
            // SAFETY: ranges of vertices do not overlap.
            unsafe { self.1.at(vertex) }
        }
    }
}

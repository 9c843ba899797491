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

/// Runs something small for every vertex, compiled for this machine; vertices must not depend on
/// each other.
pub(crate) fn each_vertex(vertices: usize, team: &Team, work: &(impl Fn(usize) + Sync)) {
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
    let to = SharedSlice::new(to);
    // SAFETY: every vertex has its own row.
    each_vertex(from.len(), team, &|i| unsafe { *to.at(i) = from[i] });
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

struct EachVertex<'a, F>(Range<usize>, &'a F);

impl<L: Lanes, F: Fn(usize)> Kernel<L> for EachVertex<'_, F> {
    type Output = ();
    #[inline(always)]
    unsafe fn run(self) {
        for i in self.0 {
            (self.1)(i);
        }
    }
}

//! Solves, refactorisations and tasks of a team must not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant_math::Row;
use pliant_math::cholesky::{PanelCholesky, PanelWork, SparseCholesky};
use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::SymmetricMatrix;
use pliant_math::team::Team;

struct Counting;
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all work is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The fewest of several tries: the test harness allocates now and then on its own thread.
fn allocations(mut task: impl FnMut()) -> usize {
    let mut once = || {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        task();
        ALLOCATIONS.load(Ordering::Relaxed) - before
    };
    (0..5).map(|_| once()).fold(usize::MAX, usize::min)
}

// One test, so that no other one allocates meanwhile.
#[test]
fn nothing_is_allocated_per_solve() {
    const SIDE: usize = 16;
    let size = SIDE * SIDE * SIDE;
    let mut entries: Vec<_> = (0..size).map(|k| (k, k, 7.0)).collect();
    for step in [1, SIDE, SIDE * SIDE] {
        entries.extend((step..size).map(|k| (k, k - step, -1.0)));
    }
    let matrix = SymmetricMatrix::from_triplets(size, entries).unwrap();
    let order = nested_dissection(&matrix.adjacency()).unwrap();

    let panels = PanelCholesky::<f32>::new(&matrix.permuted(&order).unwrap()).unwrap();
    let team = Team::new(2);
    let mut work = PanelWork::new(&panels, team.size());
    let mut rows = vec![Row([1.0f32, 2.0, 3.0, 0.0]); size];
    panels.solve(&mut rows, &mut work, &team);
    assert_eq!(allocations(|| panels.solve(&mut rows, &mut work, &team)), 0);
    assert_eq!(allocations(|| team.each(1000, &|_, _| {})), 0);
    assert_eq!(allocations(|| drop(vec![0u8; 1])), 1, "the counter counts");

    let mut factor = SparseCholesky::analyse(&matrix, &order).unwrap();
    let mut x = vec![1.0; size];
    factor.factor(matrix.values()).unwrap();
    factor.solve(&mut x).unwrap();
    let again = allocations(|| {
        factor.factor(matrix.values()).unwrap();
        factor.solve(&mut x).unwrap();
    });
    assert_eq!(again, 0);
}

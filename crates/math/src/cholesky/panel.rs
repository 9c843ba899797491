//! Three right-hand sides, or one, against a fixed factor, at streaming speed.
//!
//! Every supernode's trapezoid [L₁₁; L₂₁] is replaced by the panel P = [L₁₁⁻¹; −L₂₁ L₁₁⁻¹]. No
//! triangular dependency is left: both sweeps are small dense products with three columns or one. P
//! and Pᵀ are stored apart, in tiles of one or two vectors of *outputs*, in the order in which
//! they are read: no horizontal sums, and each solve reads every byte once.
//!
//! Updates travel from child to parent as in a multifrontal method (Duff and Reid 1983), not
//! into a shared vector: any schedule over the tree gives the same bits.

use std::marker::PhantomData;
use std::ops::{Add, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use super::schedule::Schedule;
use super::side::Side;
use super::sweep::{
    Direction, Front, Part, SharedFront, Sweep, Vectors, gather_backward, gather_forward,
    scatter_backward, scatter_forward,
};
use super::tiles::Tiles;
use crate::lanes::{WIDTH_F32, WIDTH_F64, run32, run64};
use crate::row::{Buffer, Real, Row, Zeroable};
use crate::team::{SharedSlice, Team};

mod build;
mod corrected;

pub use corrected::Correction;
use corrected::Partial;

/// What a panel factor can be stored in: f64, or f32 where it serves as a preconditioner.
pub trait PanelReal: Real + Zeroable + Add<Output = Self> {
    /// Numbers in a vector.
    const WIDTH: usize;
    /// Smaller numbers than this are slow to compute with, and stored as zero.
    const SMALLEST: f64;
    /// Runs a sweep on the best instruction set of this machine.
    #[doc(hidden)]
    fn sweep<S: Side<Self>>(sweep: Sweep<'_, Self, S>);
}

impl PanelReal for f64 {
    const WIDTH: usize = WIDTH_F64;
    const SMALLEST: f64 = f64::MIN_POSITIVE;
    fn sweep<S: Side<f64>>(sweep: Sweep<'_, f64, S>) {
        run64(sweep)
    }
}

impl PanelReal for f32 {
    const WIDTH: usize = WIDTH_F32;
    const SMALLEST: f64 = f32::MIN_POSITIVE as f64;
    fn sweep<S: Side<f32>>(sweep: Sweep<'_, f32, S>) {
        run32(sweep)
    }
}

/// A Cholesky factor prepared for many solves with three right-hand sides, or one.
///
/// The factorisation is in f64; `E` is what is stored, and what a solve computes in. With f32,
/// the numbers of right-hand sides and solutions, and the square roots of both the matrix's
/// entries and their inverses, should stay between 1e-30 and 1e30: diagonals of 1e30 beside 1e3
/// are fine. Smaller intermediate numbers fade to zero, larger ones overflow.
///
/// Solves return the same bits on any team and instruction set for the same factor. faer chooses
/// its own instructions for the factorisation, so the last bits of a factor are those of the
/// machine.
///
/// ```
/// use pliant_math::Row;
/// use pliant_math::cholesky::{PanelCholesky, PanelWork};
/// use pliant_math::ordering::nested_dissection;
/// use pliant_math::sparse::SymmetricMatrix;
/// use pliant_math::team::Team;
///
/// let chain = (0..9).flat_map(|k| [(k, k, 3.0), (k + 1, k, -1.0)]).chain([(9, 9, 3.0)]);
/// let a = SymmetricMatrix::from_triplets(10, chain)?;
/// let order = nested_dissection(&a.adjacency())?;
/// let factor = PanelCholesky::<f64>::new(&a.permuted(&order)?)?;
///
/// let team = Team::new(2);
/// let mut work = PanelWork::new(&factor, team.size());
/// let mut x = vec![Row::new(1.0, 2.0, 3.0); 10]; // in elimination order
/// factor.solve(&mut x, &mut work, &team);
/// assert!((x[0].0[1] - 2.0 * x[0].0[0]).abs() < 1e-12);
/// # Ok::<(), pliant_math::MathError>(())
/// ```
pub struct PanelCholesky<E: PanelReal> {
    /// Tells factors apart, so that no work is used with a factor it was not made for.
    identity: u64,
    size: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) children: Vec<u32>,
    parents: Vec<u32>,
    /// Rows below each panel's columns, and where they stand in the parent's front.
    pub(super) rows: Vec<u32>,
    pub(super) places: Vec<u32>,
    pub(super) forward: Buffer<E>,
    pub(super) backward: Buffer<E>,
    /// Estimated cycles per panel.
    costs: Vec<f64>,
    /// Rows of the largest front, padding included.
    front: usize,
    stored_values: usize,
}

/// A panel: its columns `start..start + columns`, and where its parts begin.
pub(super) struct Node {
    start: u32,
    columns: u32,
    rows: u32,
    pub rows_at: usize,
    pub forward: usize,
    pub backward: usize,
    pub children: Range<usize>,
}

impl Node {
    #[inline(always)]
    pub fn start(&self) -> usize {
        self.start as usize
    }
    #[inline(always)]
    pub fn columns(&self) -> usize {
        self.columns as usize
    }
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.rows as usize
    }
    #[inline(always)]
    pub fn height(&self) -> usize {
        self.columns() + self.rows()
    }
}

/// Memory of a solve, and its plan for a number of threads.
///
/// It fits itself to the factor and team it is used with; made with [`PanelWork::new`] for them,
/// solves allocate nothing.
pub struct PanelWork<E: PanelReal, S: Side<E> = Row<E>> {
    identity: u64,
    pub(super) schedule: Schedule,
    updates: Buffer<S>,
    fronts: Vec<Front<S>>,
    /// Of a second right-hand side in some panels, made when one is first asked for.
    partial: Option<Partial<S>>,
    real: PhantomData<E>,
}

impl<E: PanelReal, S: Side<E>> PanelWork<E, S> {
    /// Work for a factor on a team of `threads`.
    pub fn new(factor: &PanelCholesky<E>, threads: usize) -> Self {
        let threads = threads.max(1);
        let in_turn: Vec<f64> = (0..factor.nodes.len())
            .map(|k| {
                if factor.is_shared(k) { factor.costs[k] / threads as f64 } else { factor.costs[k] }
            })
            .collect();
        PanelWork {
            identity: factor.identity,
            schedule: Schedule::new(&factor.parents, &factor.costs, &in_turn, threads),
            updates: Buffer::zeroed(factor.rows.len()),
            fronts: (0..threads).map(|_| Front::new(factor.front)).collect(),
            partial: None,
            real: PhantomData,
        }
    }
}

/// Panels above the subtrees with at least so many bytes a sweep are multiplied by the whole
/// team. An estimate, not a fit: some 4 µs of streaming, well above the start of a task.
const SHARED_BYTES: usize = 1 << 17;

impl<E: PanelReal> PanelCholesky<E> {
    /// Rows (and columns) of the matrix.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Numbers in the panels without tile padding: the factor's non-zeros, plus the zeros that
    /// merging of supernodes has let in.
    pub fn stored_values(&self) -> usize {
        self.stored_values
    }

    /// Bytes of panels, which is what a solve reads.
    pub fn bytes(&self) -> usize {
        (self.forward.len() + self.backward.len()) * size_of::<E>()
    }

    /// How many panels.
    pub fn panels(&self) -> usize {
        self.nodes.len()
    }

    /// x ← A⁻¹ x, in elimination order; the same bits for any team. Rows have three right-hand
    /// sides, plain numbers one.
    ///
    /// # Panics
    /// If `x` is not as long as the matrix.
    pub fn solve<S: Side<E>>(&self, x: &mut [S], work: &mut PanelWork<E, S>, team: &Team) {
        self.solve_through(x, work, team, E::sweep);
    }

    /// Solves with sweeps run by `run`, which decides on the instruction set.
    pub(super) fn solve_through<S: Side<E>>(
        &self,
        x: &mut [S],
        work: &mut PanelWork<E, S>,
        team: &Team,
        run: fn(Sweep<'_, E, S>),
    ) {
        self.fit(x, work, team);
        self.sweep(x, work, Direction::Forward, team, run);
        self.sweep(x, work, Direction::Backward, team, run);
    }

    /// Makes sure that right-hand sides and work are of this factor and this team.
    fn fit<S: Side<E>>(&self, x: &[S], work: &mut PanelWork<E, S>, team: &Team) {
        assert_eq!(x.len(), self.size, "right-hand sides must fit the matrix");
        if work.identity != self.identity || work.fronts.len() != team.size() {
            *work = PanelWork::new(self, team.size());
        }
    }

    /// One sweep over all panels.
    fn sweep<S: Side<E>>(
        &self,
        x: &mut [S],
        work: &mut PanelWork<E, S>,
        direction: Direction,
        team: &Team,
        run: fn(Sweep<'_, E, S>),
    ) {
        let PanelWork { schedule, updates, fronts, .. } = work;
        let vectors = Vectors { x: SharedSlice::new(x), updates: SharedSlice::new(updates) };
        let fronts = SharedSlice::new(fronts);
        let sweep_subtrees = || {
            team.split(&schedule.bounds, &|subtree, thread| {
                // SAFETY: at any time a thread number belongs to one thread.
                let front = unsafe { fronts.at(thread) }.share();
                let part = Part::Panels(schedule.subtree(subtree), vectors);
                run(Sweep { factor: self, direction, front, part });
            });
        };
        let sweep_top = || {
            // SAFETY: no task is running.
            let front = unsafe { fronts.at(0) }.share();
            Top { factor: self, vectors, front, team, run }.sweep(&schedule.top, direction);
        };
        match direction {
            Direction::Forward => {
                sweep_subtrees();
                sweep_top();
            }
            Direction::Backward => {
                sweep_top();
                sweep_subtrees();
            }
        }
    }

    /// Whether a panel, when above the subtrees, is multiplied by the whole team.
    pub(super) fn is_shared(&self, k: usize) -> bool {
        let node = &self.nodes[k];
        node.columns() * node.height() * size_of::<E>() >= SHARED_BYTES
    }
}

/// The panels above all subtrees, one after the other; large ones are shared by the team.
struct Top<'a, E: PanelReal, S> {
    factor: &'a PanelCholesky<E>,
    vectors: Vectors<'a, S>,
    front: SharedFront<'a, S>,
    team: &'a Team,
    run: fn(Sweep<'_, E, S>),
}

impl<E: PanelReal, S: Side<E>> Top<'_, E, S> {
    fn sweep(&self, panels: &[u32], direction: Direction) {
        for at in 0..panels.len() {
            let at = if direction == Direction::Forward { at } else { panels.len() - 1 - at };
            if self.factor.is_shared(panels[at] as usize) {
                self.share_panel(panels[at], direction);
            } else {
                self.run_part(Part::Panels(&panels[at..=at], self.vectors), direction);
            }
        }
    }

    fn share_panel(&self, panel: u32, direction: Direction) {
        let (factor, vectors, front) = (self.factor, self.vectors, self.front);
        let node = &factor.nodes[panel as usize];
        let outputs = if direction == Direction::Forward { node.height() } else { node.columns() };
        let tiles = Tiles::new(outputs, E::WIDTH).count();
        // SAFETY: vectors and front fit the factor; between tasks only this thread is here, and
        // the items of the task write different tiles of the output.
        unsafe {
            match direction {
                Direction::Forward => gather_forward(factor, node, vectors, front),
                Direction::Backward => gather_backward(factor, node, vectors, front),
            }
            let parts = tiles.min(4 * self.team.size());
            self.team.each(parts, &|part, _| {
                let (first, end) = (tiles * part / parts, tiles * (part + 1) / parts);
                self.run_part(Part::Tiles { panel, first, end }, direction);
            });
            match direction {
                Direction::Forward => scatter_forward::<E, S>(node, vectors, front),
                Direction::Backward => scatter_backward(node, vectors, front),
            }
        }
    }

    fn run_part(&self, part: Part<'_, S>, direction: Direction) {
        (self.run)(Sweep { factor: self.factor, direction, front: self.front, part });
    }
}

fn next_identity() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

//! All potentials of a model as one list of independent tasks, and how their gradient rows add
//! up per vertex.
//!
//! Every chunk of every potential is a task with its own rows of an output array; a vertex sums
//! the rows that belong to it in task order. Any schedule of tasks gives the same bits.

use glam::DMat3;
use pliant_math::Row;
use pliant_math::team::{SharedSlice, Team};

use crate::potentials::{
    Compliant, Curvature, Mixed, Potential, ProxyKind, Situation, Turning, VisitTerm,
};

/// The potentials of a model.
pub struct Field {
    potentials: Vec<Box<dyn Potential>>,
    tasks: Vec<Task>,
    rows: usize,
    /// `slots[starts[v]..starts[v + 1]]` are the output rows of vertex v.
    starts: Vec<u32>,
    slots: Vec<u32>,
}

struct Task {
    potential: usize,
    chunk: usize,
    first_row: usize,
    row_count: usize,
    /// The body whose vertices it moves, or the first of several.
    body: usize,
}

/// A task's elements, for assembling Hessians.
pub struct TaskElements<'a> {
    /// Vertices per element, k.
    pub corners: usize,
    /// Model vertices, k per element.
    pub vertices: &'a [u32],
}

/// Model vertices with their blocks of a Hessian [N/m].
pub type StiffPoints = Vec<(u32, DMat3)>;

impl Field {
    /// Lays out the tasks of `potentials` over vertices that belong to these bodies.
    pub fn new(potentials: Vec<Box<dyn Potential>>, bodies: &[u32]) -> Self {
        let vertices = bodies.len();
        let mut tasks = Vec::new();
        let mut rows = 0;
        for (p, potential) in potentials.iter().enumerate() {
            for chunk in 0..potential.chunk_count() {
                let moved = potential.chunk_vertices(chunk);
                let row_count = moved.len();
                let body = moved.first().map_or(0, |&v| bodies[v as usize] as usize);
                tasks.push(Task { potential: p, chunk, first_row: rows, row_count, body });
                rows += row_count;
            }
        }
        let vertices_of = |t: &Task| potentials[t.potential].chunk_vertices(t.chunk);
        let mut starts = vec![0u32; vertices + 1];
        for &v in tasks.iter().flat_map(vertices_of) {
            starts[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut slots = vec![0; rows];
        for task in &tasks {
            for (k, &v) in vertices_of(task).iter().enumerate() {
                let slot = &mut next[v as usize];
                slots[*slot as usize] = (task.first_row + k) as u32;
                *slot += 1;
            }
        }
        Field { potentials, tasks, rows, starts, slots }
    }

    /// How many tasks an evaluation has.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// How many gradient rows all tasks write.
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// Where a task's rows are in the output array.
    pub fn task_rows(&self, task: usize) -> std::ops::Range<usize> {
        let task = &self.tasks[task];
        task.first_row..task.first_row + task.row_count
    }

    /// Runs a task: returns its energy \[J\], and writes its gradient rows \[N\] when they are given.
    pub fn evaluate(&self, task: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let task = &self.tasks[task];
        self.potentials[task.potential].evaluate(task.chunk, at, gradient)
    }

    /// The body that a task acts on, or the first of several.
    pub fn task_body(&self, task: usize) -> usize {
        self.tasks[task].body
    }

    /// Whether a task's energy is stored, or only dissipated within the step.
    pub fn is_stored(&self, task: usize) -> bool {
        self.potentials[self.tasks[task].potential].is_stored()
    }

    /// Whether the constant proxy stands for a task's stiffness; see [`Potential::is_in_proxy`].
    pub fn is_lasting(&self, task: usize) -> bool {
        self.potentials[self.tasks[task].potential].is_in_proxy()
    }

    /// Whether a task's potential tells what joins points; see [`Potential::joins`].
    pub fn is_joining(&self, task: usize) -> bool {
        self.potentials[self.tasks[task].potential].is_joining()
    }

    /// Whether all energies are stored, and all stiffness lasts: nothing blows, rubs or touches.
    pub fn is_constant(&self) -> bool {
        self.potentials.iter().all(|p| p.is_stored() && p.is_in_proxy())
    }

    /// The output rows that add up to vertex `v`'s gradient, in this order; below
    /// [`Field::row_count`].
    #[inline(always)]
    pub fn vertex_rows(&self, v: usize) -> &[u32] {
        let (start, end) = (self.starts[v] as usize, self.starts[v + 1] as usize);
        // SAFETY: starts ascend, and end at the number of slots.
        unsafe { self.slots.get_unchecked(start..end) }
    }

    /// The elements of a task.
    pub fn task_elements(&self, task: usize) -> TaskElements<'_> {
        let task = &self.tasks[task];
        let potential = &self.potentials[task.potential];
        TaskElements {
            corners: potential.corners(),
            vertices: potential.chunk_elements(task.chunk),
        }
    }

    /// Element Hessians of a task [N/m]; see [`Potential::hessians`].
    pub fn hessians(&self, task: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        let task = &self.tasks[task];
        self.potentials[task.potential].hessians(task.chunk, at, curvature, out);
    }

    /// Calls `visit(model vertex, Hessian)` for what a task of points is stiff at [N/m], any number of
    /// times each, to be added up; `blocks` is memory. See [`Potential::stiff_points`].
    pub fn stiff_points(
        &self,
        task: usize,
        at: &Situation,
        curvature: Curvature,
        blocks: &mut Vec<f64>,
        mut visit: impl FnMut(u32, DMat3),
    ) {
        let Task { potential, chunk, .. } = self.tasks[task];
        let potential = &self.potentials[potential];
        let vertices = potential.chunk_vertices(chunk);
        let mut placed = |place: usize, hessian: DMat3| visit(vertices[place], hessian);
        if !potential.stiff_points(chunk, at, curvature, None, &mut placed) {
            blocks.resize(9 * vertices.len(), 0.0);
            potential.hessians(chunk, at, curvature, blocks);
            let stiff = blocks.chunks_exact(9).map(DMat3::from_cols_slice).enumerate();
            stiff.filter(|(_, hessian)| *hessian != DMat3::ZERO).for_each(|(v, h)| placed(v, h));
        }
    }

    /// ∂∇E/∂a of every activated tet, in the order of activations; see [`Potential::mixed`].
    pub fn mixed(&self, at: &Situation) -> Vec<Mixed> {
        let mut all = Vec::new();
        for potential in &self.potentials {
            for chunk in 0..potential.chunk_count() {
                potential.mixed(chunk, at, &mut |one| all.push(one));
            }
        }
        all.sort_unstable_by_key(|one| one.activation);
        all
    }

    /// Terms of the Hessian that join points; see [`Potential::joins`].
    pub fn joins(&self, at: &Situation, curvature: Curvature, visit: VisitTerm) {
        for potential in &self.potentials {
            potential.joins(at, curvature, visit);
        }
    }

    /// What the exact Hessian has beyond them; see [`Potential::turnings`].
    pub fn turnings(&self, at: &Situation, visit: &mut dyn FnMut(Turning)) {
        for potential in &self.potentials {
            potential.turnings(at, visit);
        }
    }

    /// All that comes and goes as terms g e″ gᵀ [N/m], with the weights g of model vertices: what joins
    /// points, and the stiffness of those that nothing joins, which the team looks for. `felt` are all rows of the
    /// gradient there, where they are known, and `found` is memory.
    pub fn passing_terms(
        &self,
        at: &Situation,
        curvature: Curvature,
        felt: Option<&[Row]>,
        found: &mut Vec<StiffPoints>,
        team: &Team,
        visit: VisitTerm,
    ) {
        let mut next = 0;
        for potential in &self.potentials {
            let chunks = potential.chunk_count();
            let first = next;
            next += chunks;
            if potential.corners() != 1 || potential.is_in_proxy() {
                continue;
            }
            if potential.joins(at, curvature, visit) {
                continue;
            }
            found.resize_with(chunks.max(found.len()), Vec::new);
            let shared = SharedSlice::new(&mut found[..chunks]);
            team.each(chunks, &|chunk, _| {
                // SAFETY: each chunk has its own list.
                let own = unsafe { shared.at(chunk) };
                own.clear();
                let vertices = potential.chunk_vertices(chunk);
                let felt = felt.map(|rows| &rows[self.task_rows(first + chunk)]);
                potential.stiff_points(chunk, at, curvature, felt, &mut |place, bend| {
                    own.push((vertices[place], bend));
                });
            });
            for &(v, bend) in found[..chunks].iter().flatten() {
                visit(&[(v, 1.0)], bend);
            }
        }
    }

    /// Calls `book(body, work)` with what driven quantities do on a task's body between two
    /// situations \[J\]; see [`Potential::driven_work`].
    pub fn driven_work(&self, ends: [&Situation; 2], mut book: impl FnMut(usize, f64)) {
        for task in &self.tasks {
            let work = self.potentials[task.potential].driven_work(task.chunk, ends);
            book(task.body, work);
        }
    }

    /// The tasks of points whose stiffness comes and goes, and so is not in the proxy.
    pub fn passing_tasks(&self) -> impl Iterator<Item = usize> {
        let passing = |task: &Task| {
            let potential = &self.potentials[task.potential];
            potential.corners() == 1 && !potential.is_in_proxy()
        };
        (0..self.tasks.len()).filter(move |&t| passing(&self.tasks[t]))
    }

    /// Entries of the constant proxy L [N/m]; see [`Potential::proxy`].
    pub fn proxy(&self, kind: ProxyKind, add: &mut dyn FnMut(u32, u32, f64)) {
        for potential in &self.potentials {
            potential.proxy(kind, add);
        }
    }

    /// Visits all elements one by one; see [`Potential::compliant`].
    ///
    /// # Errors
    /// The name of a potential that cannot be relaxed element by element.
    pub fn compliant(&self, visit: &mut dyn FnMut(Compliant)) -> Result<(), &'static str> {
        self.potentials.iter().try_for_each(|potential| {
            if potential.compliant(visit) { Ok(()) } else { Err(potential.name()) }
        })
    }

    /// Diagonal of the proxy of all potentials that join vertices [N/m]: stiffness without the
    /// attachments' and following's own.
    pub fn elastic_diagonal(&self, vertices: usize) -> Vec<f64> {
        let mut diagonal = vec![0.0; vertices];
        for potential in self.potentials.iter().filter(|p| p.corners() > 1) {
            potential.proxy(ProxyKind::Typical, &mut |i, j, w| {
                if i == j {
                    diagonal[i as usize] += w;
                }
            });
        }
        diagonal
    }

    /// The model vertices of a task's rows.
    pub fn task_vertices(&self, task: usize) -> &[u32] {
        let task = &self.tasks[task];
        self.potentials[task.potential].chunk_vertices(task.chunk)
    }

    /// The potentials by name, in evaluation order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.potentials.iter().map(|p| p.name())
    }
}

//! All potentials of a model as one list of independent tasks, and how their gradient rows add
//! up per vertex.
//!
//! Every chunk of every potential is a task with its own rows of an output array; a vertex sums
//! the rows that belong to it in task order. Any schedule of tasks gives the same bits.

use glam::DMat3;
use pliant_math::Row;
use pliant_math::team::{SharedSlice, Team};

use crate::potentials::{
    Chunk, CompliantElement, ContactPotential, Curvature, MixedDerivative, Potential, ProxyKind,
    Situation, Turning, VisitTerm,
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
                let moved = potential.chunk(chunk).vertices;
                let row_count = moved.len();
                let body = moved.first().map_or(0, |&v| bodies[v as usize] as usize);
                tasks.push(Task { potential: p, chunk, first_row: rows, row_count, body });
                rows += row_count;
            }
        }
        let vertices_of = |t: &Task| potentials[t.potential].chunk(t.chunk).vertices;
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

    /// Runs a task: returns its energy \[J\], and writes its gradient rows \[N\] when they are
    /// given.
    pub fn evaluate(&self, task: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        self.potential(task).evaluate(self.tasks[task].chunk, at, gradient)
    }

    /// The body that a task acts on, or the first of several.
    pub fn task_body(&self, task: usize) -> usize {
        self.tasks[task].body
    }

    /// Model vertices and elements of a task; its gradient rows are in the order of the vertices.
    pub fn task_chunk(&self, task: usize) -> Chunk<'_> {
        self.potential(task).chunk(self.tasks[task].chunk)
    }

    fn potential(&self, task: usize) -> &dyn Potential {
        &*self.potentials[self.tasks[task].potential]
    }

    /// True if a task's energy is stored, false if the step dissipates it.
    pub fn is_stored(&self, task: usize) -> bool {
        self.potential(task).is_stored()
    }

    /// True if the constant proxy stands for a task's stiffness; see [`Potential::is_in_proxy`].
    pub fn is_in_proxy(&self, task: usize) -> bool {
        self.potential(task).is_in_proxy()
    }

    /// True if a task's Hessian couples different vertices by contact; see
    /// [`ContactPotential::couplings`].
    pub fn couples_vertices(&self, task: usize) -> bool {
        self.potential(task).as_contact().is_some_and(|contact| contact.couples_vertices())
    }

    /// True if all energies are stored, and all stiffness is in the proxy: no wind, friction or
    /// contact.
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

    /// Element Hessians of a task [N/m]; see [`Potential::hessians`].
    pub fn hessians(&self, task: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        self.potential(task).hessians(self.tasks[task].chunk, at, curvature, out);
    }

    /// Calls `visit(model vertex, Hessian)` for the stiff vertices of a task of points [N/m], any
    /// number of times each; the Hessians add up. `blocks` is memory.
    pub fn stiff_points(
        &self,
        task: usize,
        at: &Situation,
        curvature: Curvature,
        blocks: &mut Vec<f64>,
        mut visit: impl FnMut(u32, DMat3),
    ) {
        let chunk = self.tasks[task].chunk;
        let potential = self.potential(task);
        let vertices = potential.chunk(chunk).vertices;
        let mut placed = |place: usize, hessian: DMat3| visit(vertices[place], hessian);
        if let Some(contact) = potential.as_contact() {
            contact.stiff_points(chunk, at, curvature, None, &mut placed);
            return;
        }
        blocks.resize(9 * vertices.len(), 0.0);
        potential.hessians(chunk, at, curvature, blocks);
        let stiff = blocks.chunks_exact(9).map(DMat3::from_cols_slice).enumerate();
        stiff.filter(|(_, hessian)| *hessian != DMat3::ZERO).for_each(|(v, h)| placed(v, h));
    }

    /// ∂∇E/∂a of every activated tet, in the order of activations; see
    /// [`crate::potentials::DrivenPotential::mixed_derivatives`].
    pub fn mixed_derivatives(&self, at: &Situation) -> Vec<MixedDerivative> {
        let mut all = Vec::new();
        for potential in &self.potentials {
            let Some(driven) = potential.as_driven() else { continue };
            for chunk in 0..potential.chunk_count() {
                driven.mixed_derivatives(chunk, at, &mut |one| all.push(one));
            }
        }
        all.sort_unstable_by_key(|one| one.activation);
        all
    }

    fn contacts(&self) -> impl Iterator<Item = &dyn ContactPotential> {
        self.potentials.iter().filter_map(|potential| potential.as_contact())
    }

    /// Terms of contact's Hessian that couple vertices; see [`ContactPotential::couplings`].
    pub fn couplings(&self, at: &Situation, curvature: Curvature, visit: VisitTerm) {
        self.contacts().for_each(|contact| contact.couplings(at, curvature, visit));
    }

    /// Calls `visit` for the part of contact's exact Hessian beyond them; see
    /// [`ContactPotential::turnings`].
    pub fn turnings(&self, at: &Situation, visit: &mut dyn FnMut(Turning)) {
        self.contacts().for_each(|contact| contact.turnings(at, visit));
    }

    /// Contact's Hessian as terms g e″ gᵀ [N/m], with the weights g of model vertices: couplings,
    /// and the stiffness of vertices that nothing couples, which all threads search for. `felt`
    /// are all rows of the gradient there, if they are known, and `found` is memory.
    pub fn contact_terms(
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
            let Some(contact) = potential.as_contact() else { continue };
            if contact.couples_vertices() {
                contact.couplings(at, curvature, visit);
                continue;
            }
            found.resize_with(chunks.max(found.len()), Vec::new);
            let shared = SharedSlice::new(&mut found[..chunks]);
            team.each(chunks, &|chunk, _| {
                // SAFETY: each chunk has its own list.
                let own = unsafe { shared.at(chunk) };
                own.clear();
                let vertices = potential.chunk(chunk).vertices;
                let felt = felt.map(|rows| &rows[self.task_rows(first + chunk)]);
                contact.stiff_points(chunk, at, curvature, felt, &mut |place, bend| {
                    own.push((vertices[place], bend));
                });
            });
            for &(v, bend) in found[..chunks].iter().flatten() {
                visit(&[(v, 1.0)], bend);
            }
        }
    }

    /// Calls `book(body, work)` with the work of driven quantities on a task's body between two
    /// situations \[J\]; see [`crate::potentials::DrivenPotential::driven_work`].
    pub fn driven_work(&self, ends: [&Situation; 2], mut book: impl FnMut(usize, f64)) {
        for task in &self.tasks {
            if let Some(driven) = self.potentials[task.potential].as_driven() {
                book(task.body, driven.driven_work(task.chunk, ends));
            }
        }
    }

    /// The tasks of points whose stiffness comes and goes, and so is not in the proxy.
    pub fn passing_tasks(&self) -> impl Iterator<Item = usize> {
        let is_passing = |&t: &usize| !self.is_in_proxy(t) && self.task_chunk(t).corners == 1;
        (0..self.tasks.len()).filter(is_passing)
    }

    /// Entries of the constant proxy L [N/m]; see [`Potential::proxy`].
    pub fn proxy(&self, kind: ProxyKind, add: &mut dyn FnMut(u32, u32, f64)) {
        for potential in &self.potentials {
            potential.proxy(kind, add);
        }
    }

    /// Visits the elements of all potentials one by one; see
    /// [`crate::potentials::CompliantPotential`].
    ///
    /// # Errors
    /// The name of a potential that cannot be relaxed element by element.
    pub fn visit_elements(
        &self,
        visit: &mut dyn FnMut(CompliantElement),
    ) -> Result<(), &'static str> {
        for potential in &self.potentials {
            potential.as_compliant().ok_or(potential.name())?.visit_elements(visit);
        }
        Ok(())
    }

    /// Diagonal of the proxy of all potentials that join vertices [N/m]: stiffness without that
    /// of attachments and following.
    pub fn elastic_diagonal(&self, vertices: usize) -> Vec<f64> {
        let mut diagonal = vec![0.0; vertices];
        let joins = |p: &&dyn Potential| p.chunk_count() > 0 && p.chunk(0).corners > 1;
        for potential in self.potentials.iter().map(|p| &**p).filter(joins) {
            add_diagonal(potential, &mut diagonal);
        }
        diagonal
    }

    /// The potentials by name, in evaluation order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.potentials.iter().map(|p| p.name())
    }
}

/// Adds the diagonal of a potential's proxy at all model vertices [N/m].
pub(crate) fn add_diagonal(potential: &dyn Potential, diagonal: &mut [f64]) {
    potential.proxy(ProxyKind::Typical, &mut |i, j, w| {
        if i == j {
            diagonal[i as usize] += w;
        }
    });
}

//! The function that a step minimises,
//!
//! ```text
//! G(p) = ½ κ ‖p − ŷ‖²_M + E(p),
//! ```
//!
//! over the free vertices' positions p where forces are evaluated. Every implicit scheme
//! g(x) = ½‖x − y‖²_M + α h² E(βx + z) (thesis Eq. 3.38) has this shape after p = βx + z and
//! division by α h²: κ = 1/(α β² h²), ŷ = βy + z.

use std::ops::Range;

use glam::DVec3;
use pliant_math::lanes::{Kernel, Lanes, run64};
use pliant_math::lbfgs::MAX_HISTORY;
use pliant_math::team::{SharedSlice, Team};
use pliant_math::{Buffer, Row};
use pliant_model::potentials::Situation;
use pliant_model::touching::{Touch, Touching};
use pliant_model::{Drive, Model};

pub(crate) use crate::blocks::BLOCK;
use crate::blocks::{self, PerVertex};
use crate::gather::{Companions, Gather};
use crate::measure::{self, Momentum};

/// G at one step.
#[derive(Clone, Copy)]
pub struct Objective<'a> {
    /// What is simulated.
    pub model: &'a Model,
    /// The animated quantities at the time of p.
    pub drive: &'a Drive,
    /// Positions at the start of the step \[m\].
    pub start: &'a [Row],
    /// Velocity is (p − start) · rate [1/s].
    pub rate: f64,
    /// κ [1/s²].
    pub kappa: f64,
    /// ŷ \[m\].
    pub inertia: &'a [Row],
    /// Which potentials count.
    pub forces: Forces,
    /// Where contact is felt if not at p; see [`Situation::end`].
    pub end: Option<&'a Drive>,
    /// What touches at the start of the step; see [`Situation::rubbing`].
    pub rubbing: &'a [Touch],
    /// 1 per free vertex whose gradient is measured; 0 where a constraint so stiff holds it that
    /// its reaction is below what positions can resolve.
    pub measured: &'a [f64],
}

/// Which potentials a gradient is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forces {
    /// All of them.
    All,
    /// Those whose energy is stored: not wind, not friction.
    Stored,
    /// Of these, those that the constant proxy stands for: not contact, which comes and goes.
    Lasting,
}

/// Arrays that evaluations write to.
pub struct EvaluationSpace {
    /// Gradient rows of all tasks.
    rows: Buffer<Row>,
    /// Energy of each task \[J\].
    pub(crate) energies: Vec<f64>,
    /// What touches where the last evaluation was.
    pub(crate) touching: Touching,
    /// Where contact is felt, if not where all else is.
    ends: Vec<Row>,
    sums: Vec<Sums>,
    /// For sums of one number over vertices.
    pub(crate) rises: Vec<f64>,
    /// For sums of kinetic energy and momenta.
    pub(crate) motions: Vec<(f64, Momentum)>,
}

impl EvaluationSpace {
    /// For evaluations of a model's objective.
    pub fn new(model: &Model) -> Self {
        EvaluationSpace {
            rows: Buffer::zeroed(model.field().row_count()),
            energies: vec![0.0; model.field().task_count()],
            touching: Touching::default(),
            ends: Vec::new(),
            sums: vec![Sums::default(); model.vertex_count().div_ceil(BLOCK)],
            rises: vec![0.0; model.vertex_count().div_ceil(BLOCK)],
            motions: vec![Default::default(); model.vertex_count().div_ceil(BLOCK)],
        }
    }

    /// Rows of all tasks of the last gradient \[N\].
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }
}

/// G, and the sums over vertices that solvers need.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// G(p) \[J\].
    pub value: f64,
    /// Sum of the absolute values G is made of \[J\].
    pub magnitude: f64,
    /// How far rounding may put G off \[J\]: relative to what is summed up, and by forces times
    /// the rounding of positions, which is all that is left near rest.
    pub rounding: f64,
    /// Stored energy E(p), gravity included \[J\].
    pub stored: f64,
    /// ‖∇G‖² over measured vertices \[N²\].
    pub gradient: f64,
    /// ‖κ M (p − ŷ)‖² \[N²\].
    pub inertial: f64,
    /// What ∇E is made of, over measured vertices \[N²\]: squared forces of the potentials'
    /// chunks, and weights. At equilibrium these cancel, and ‖∇E‖² itself would be no scale.
    pub forces: f64,
    /// ∇G · d₋.
    pub previous: f64,
    /// ∇G · sᵢ.
    pub s: [f64; MAX_HISTORY],
    /// ∇G · zᵢ.
    pub z: [f64; MAX_HISTORY],
}

impl Sums {
    /// ‖∇G‖ relative to the forces it is made of.
    pub fn residual(&self) -> f64 {
        let scale = self.inertial.sqrt() + self.forces.sqrt();
        // Not `scale > 0`: what is no number must not look converged.
        if scale == 0.0 { 0.0 } else { self.gradient.sqrt() / scale }
    }
}

impl Objective<'_> {
    /// G(p) alone.
    pub fn value(&self, p: &[Row], space: &mut EvaluationSpace, team: &Team) -> f64 {
        let field = self.model.field();
        self.touch(p, space, team);
        let at = self.situation(p, space.touching.touches());
        let energies = SharedSlice::new(&mut space.energies);
        // SAFETY: each task writes its own entry.
        team.each(field.task_count(), &|t, _| unsafe {
            *energies.at(t) = field.evaluate(t, &at, None)
        });
        let mut value: f64 = space.energies.iter().sum();
        let of = |vertices: Range<usize>| run64(Inertia { objective: self, p, vertices });
        blocks::sum(self.model.free_count(), &mut space.rises, team, &of, |sum| value += sum);
        value
    }

    /// G and ∇G(p), with the dot products that `companions` ask for.
    pub fn gradient(
        &self,
        p: &[Row],
        gradient: &mut [Row],
        companions: Option<Companions>,
        space: &mut EvaluationSpace,
        team: &Team,
    ) -> Sums {
        let field = self.model.field();
        self.touch(p, space, team);
        let at = self.situation(p, space.touching.touches());
        let rows = SharedSlice::new(&mut space.rows);
        let energies = SharedSlice::new(&mut space.energies);
        team.each(field.task_count(), &|t, _| {
            let Range { start, end } = field.task_rows(t);
            // SAFETY: each task writes its own rows and its own energy.
            let (energy, rows) = unsafe { (energies.at(t), rows.range(start, end)) };
            let counts = match self.forces {
                Forces::All => true,
                Forces::Stored => field.is_stored(t),
                Forces::Lasting => field.is_stored(t) && field.is_in_proxy(t),
            };
            if !counts {
                rows.fill(Row::zero());
                *energy = 0.0;
            } else {
                *energy = field.evaluate(t, &at, Some(rows));
            }
        });
        let free = self.model.free_count();
        let blocks = free.div_ceil(BLOCK);
        let (rows, sums) = (&space.rows[..], SharedSlice::new(&mut space.sums));
        let gradient = SharedSlice::new(gradient);
        team.each(blocks, &|b, _| {
            let vertices = b * BLOCK..((b + 1) * BLOCK).min(free);
            // SAFETY: each block writes its own vertices and its own sums.
            let (gradient, sum) =
                unsafe { (gradient.range(vertices.start, vertices.end), sums.at(b)) };
            *sum = run64(Gather { objective: self, p, rows, vertices, gradient, companions });
        });
        self.total(p, space, blocks)
    }

    /// Turns ∇G(p) into ∇E(p).
    pub(crate) fn take_inertia_off(&self, p: &[Row], gradient: &mut [Row], team: &Team) {
        let without = Without { objective: self, p, gradient: SharedSlice::new(gradient) };
        blocks::each_vertex(without.gradient.len(), team, &without);
    }

    /// Forces that hold the hard vertices are minus these rows \[N\]: ∇E at them, from the last
    /// gradient evaluation.
    pub fn hard_gradient(&self, space: &EvaluationSpace, vertex: usize) -> DVec3 {
        let rows = self.model.field().vertex_rows(vertex);
        let elastic = rows.iter().fold(Row::zero(), |sum, &r| sum + space.rows[r as usize]);
        elastic.xyz() - self.drive.gravity * self.model.masses()[vertex]
    }

    /// Calls `book(body, work)` with the work of the step's dissipative potentials (wind) on
    /// vertices that move from `before` to `after` \[J\], with the forces of the last gradient
    /// evaluation.
    pub fn dissipative_work(
        &self,
        [before, after]: [&[Row]; 2],
        space: &EvaluationSpace,
        mut book: impl FnMut(usize, f64),
    ) {
        let field = self.model.field();
        for task in (0..field.task_count()).filter(|&t| !field.is_stored(t)) {
            let rows = &space.rows[field.task_rows(task)];
            let mut work = 0.0;
            for (&v, row) in field.task_chunk(task).vertices.iter().zip(rows) {
                let moved = after[v as usize] - before[v as usize];
                work -= row.times(moved).sum();
            }
            book(field.task_body(task), work);
        }
    }

    /// Where the potentials are evaluated, and what touches there.
    pub fn situation<'p>(&'p self, p: &'p [Row], touches: &'p [Touch]) -> Situation<'p> {
        let Objective { start, rate, drive, end, rubbing, .. } = *self;
        Situation { positions: p, start, rate, drive, end, touches, rubbing }
    }

    /// Finds what touches where contact is felt at p.
    pub(crate) fn touch(&self, p: &[Row], space: &mut EvaluationSpace, team: &Team) {
        let EvaluationSpace { touching, ends, .. } = space;
        self.find_touches(p, touching, ends, team);
    }

    /// The same, into memory of one's own.
    pub(crate) fn find_touches(
        &self,
        p: &[Row],
        touching: &mut Touching,
        ends: &mut Vec<Row>,
        team: &Team,
    ) {
        let solids = self.model.solids();
        if self.end.is_some() && solids.is_some() {
            ends.clear();
            ends.extend(p.iter().zip(self.start).map(|(&p, &x)| p + (p - x)));
            touching.find(solids, ends, team);
        } else {
            touching.find(solids, p, team);
        }
    }

    fn total(&self, p: &[Row], space: &EvaluationSpace, blocks: usize) -> Sums {
        let mut total = Sums::default();
        for (task, &energy) in space.energies.iter().enumerate() {
            total.value += energy;
            total.magnitude += energy.abs();
            if self.model.field().is_stored(task) {
                total.stored += energy;
            }
        }
        for sum in &space.sums[..blocks] {
            total.value += sum.value;
            total.magnitude += sum.magnitude;
            total.stored += sum.stored;
            total.gradient += sum.gradient;
            total.inertial += sum.inertial;
            total.forces += sum.forces;
            total.previous += sum.previous;
            for k in 0..MAX_HISTORY {
                total.s[k] += sum.s[k];
                total.z[k] += sum.z[k];
            }
        }
        // Hard vertices are no unknowns, but they have weight.
        let hard = self.model.hard_vertices();
        total.stored +=
            measure::weight(&self.model.masses()[hard.clone()], &p[hard], self.drive.gravity);
        let forces = total.forces.sqrt() + total.inertial.sqrt();
        total.rounding = 1e-14 * total.magnitude + 1e-15 * forces * self.model.extent();
        total
    }
}

struct Without<'a, 'o> {
    objective: &'a Objective<'o>,
    p: &'a [Row],
    gradient: SharedSlice<'a, Row>,
}

impl PerVertex for Without<'_, '_> {
    #[inline(always)]
    unsafe fn at(&self, i: usize) {
        let Objective { model, kappa, inertia, .. } = *self.objective;
        // SAFETY: every vertex has its own row.
        let g = unsafe { self.gradient.at(i) };
        *g = *g - (self.p[i] - inertia[i]) * (kappa * model.masses()[i]);
    }
}

/// ½ κ ‖p − ŷ‖²_M and the weight of some vertices \[J\].
struct Inertia<'a, 'o> {
    objective: &'a Objective<'o>,
    p: &'a [Row],
    vertices: Range<usize>,
}

impl<L: Lanes> Kernel<L> for Inertia<'_, '_> {
    type Output = f64;
    #[inline(always)]
    unsafe fn run(self) -> f64 {
        let Inertia { objective, p, vertices } = self;
        let mut value = 0.0;
        for i in vertices {
            let mass = objective.model.masses()[i];
            let away = p[i] - objective.inertia[i];
            value += 0.5 * objective.kappa * mass * away.times(away).sum();
            value -= mass * objective.drive.gravity.dot(p[i].xyz());
        }
        value
    }
}

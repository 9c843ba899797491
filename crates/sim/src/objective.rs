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

use crate::measure;

/// Vertices per partial sum: fixed, so that sums do not depend on the number of threads.
pub(crate) const BLOCK: usize = 256;

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
        }
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

/// Vectors that a gradient is multiplied with while it is in registers.
#[derive(Clone, Copy)]
pub struct Companions<'a> {
    /// d of the previous iterate.
    pub previous: &'a [Row<f32>],
    /// Per vertex: `stride` s, then `stride` z.
    pub history: &'a [Row<f32>],
    /// Slots per vertex.
    pub stride: usize,
    /// How many slots are filled.
    pub used: usize,
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
        for i in 0..self.model.free_count() {
            let mass = self.model.masses()[i];
            let away = p[i] - self.inertia[i];
            value += 0.5 * self.kappa * mass * away.times(away).sum();
            value -= mass * self.drive.gravity.dot(p[i].xyz());
        }
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
                Forces::Lasting => field.is_stored(t) && field.is_lasting(t),
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
            for (&v, row) in field.task_vertices(task).iter().zip(rows) {
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

/// Sums the tasks' rows per vertex, adds inertia and gravity, and takes all dot products.
struct Gather<'a, 'o> {
    objective: &'a Objective<'o>,
    p: &'a [Row],
    rows: &'a [Row],
    vertices: Range<usize>,
    gradient: &'a mut [Row],
    companions: Option<Companions<'a>>,
}

impl<L: Lanes<Real = f64>> Kernel<L> for Gather<'_, '_> {
    type Output = Sums;

    #[inline(always)]
    unsafe fn run(self) -> Sums {
        let Gather { objective, p, rows, vertices, gradient, companions } = self;
        let (field, masses) = (objective.model.field(), objective.model.masses());
        let gravity = Row::from(objective.drive.gravity);
        let zero = Row([0.0; 4]);
        let (mut spring, mut weight, mut weights) = (zero, zero, 0.0);
        let (mut gg, mut ii, mut ff, mut previous) = (zero, zero, zero, zero);
        let (mut s, mut z) = ([zero; MAX_HISTORY], [zero; MAX_HISTORY]);
        for (i, out) in vertices.zip(gradient) {
            let mut force = zero;
            for &row in field.vertex_rows(i) {
                let part = rows[row as usize];
                force = force + part;
                ff = ff.plus_scaled(objective.measured[i], part.times(part));
            }
            let mass = masses[i];
            let away = p[i] - objective.inertia[i];
            let push = away * (objective.kappa * mass);
            let pull = gravity * mass;
            let heavy = pull.times(p[i]);
            weight = weight - heavy;
            weights += heavy.sum().abs();
            spring = spring + push.times(away);
            force = force - pull;
            let g = force + push;
            gg = gg.plus_scaled(objective.measured[i], g.times(g));
            ii = ii + push.times(push);
            ff = ff + pull.times(pull);
            *out = g;
            if let Some(c) = companions {
                previous = previous + g.times(c.previous[i].widen());
                let history = &c.history[i * 2 * c.stride..(i + 1) * 2 * c.stride];
                for k in 0..c.used {
                    s[k] = s[k] + g.times(history[k].widen());
                    z[k] = z[k] + g.times(history[c.stride + k].widen());
                }
            }
        }
        let (inertial, stored) = (0.5 * spring.sum(), weight.sum());
        Sums {
            value: inertial + stored,
            magnitude: inertial + weights,
            rounding: 0.0,
            stored,
            gradient: gg.sum(),
            inertial: ii.sum(),
            forces: ff.sum(),
            previous: previous.sum(),
            s: s.map(Row::sum),
            z: z.map(Row::sum),
        }
    }
}

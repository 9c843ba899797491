//! Newton's matrix at rest, factored once: what equilibria are looked for with.
//!
//! A = κM + ∇²E(X) knows volumes and fibres, which the projective matrix does not: flesh that
//! hardly changes its volume needs a tenth of the iterations. Flesh that has turned is as stiff as
//! before, along turned axes: with the rotation R of every vertex's surroundings the matrix is R A
//! Rᵀ (stiffness warping, Müller et al. 2002). What touches is put around it by `compliance.rs`.
//!
//! The factor is single precision: it is a preconditioner, and half the bytes are half the time.

use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::decomposition::closest_rotations;
use pliant_math::team::{SharedSlice, Team};
use pliant_math::{Buffer, DMat3, DVec3, MathError, Row};
use pliant_model::potentials::Curvature;
use pliant_model::touching::Touch;
use pliant_model::{Drive, Model};

use super::contact::compliance::ContactCompliance;
use super::hessian::HessianLayout;
use crate::blocks::each_block;
use crate::objective::{Forces, Objective};

/// The factored matrix, how the surroundings of vertices have turned, and what touches.
pub struct AtRest {
    factor: PanelCholesky<f32>,
    panels: PanelWork<f32, f32>,
    /// Of each unknown.
    numbers: Buffer<f32>,
    /// What columns are solved for in, three at once.
    columns: Option<(PanelWork<f32>, Buffer<Row<f32>>)>,
    surroundings: Surroundings,
    /// R of every free vertex.
    turns: Vec<DMat3>,
    compliance: ContactCompliance,
}

/// Who is around each free vertex.
struct Surroundings {
    /// Those around vertex v are `around[starts[v]..starts[v + 1]]`, with where they are from it at
    /// rest \[m\].
    starts: Vec<u32>,
    around: Vec<(u32, DVec3)>,
    /// (Σ D Dᵀ)⁻¹ of these D [1/m²]; zero where they are all in a plane.
    spreads: Vec<DMat3>,
}

impl AtRest {
    /// Assembles and factors A for a κ [1/s²], without what comes and goes.
    ///
    /// # Errors
    /// When it is not positive definite: a body that nothing holds, without inertia.
    pub fn new(model: &Model, kappa: f64, team: &Team) -> Result<Self, MathError> {
        let mut layout = HessianLayout::new(model)?;
        let (rest, free) = (model.rest(), model.free_count());
        let mut drive = Drive::default();
        model.drive(0.0, &mut drive);
        let objective = Objective {
            model,
            drive: &drive,
            start: rest,
            rate: 0.0,
            kappa,
            inertia: rest,
            forces: Forces::Lasting,
            end: None,
            rubbing: &[],
            measured: &[],
        };
        let field = model.field();
        let lasts = |task: usize| field.is_stored(task) && field.is_in_proxy(task);
        layout.assemble(&objective, rest, Curvature::Definite, 0.0, &lasts, team);
        let factor = PanelCholesky::new(layout.matrix())?;
        Ok(AtRest {
            panels: PanelWork::new(&factor, team.size()),
            numbers: Buffer::zeroed(3 * free),
            columns: None,
            surroundings: Surroundings::new(model),
            turns: vec![DMat3::IDENTITY; free],
            compliance: ContactCompliance::new(model, &drive),
            factor,
        })
    }

    /// Does in advance what would be done when vertices first touch, if those that may are not too
    /// many: for what must not wait.
    pub fn hurry(&mut self, team: &Team) {
        self.compliance.ask_all();
        self.solve_columns(team);
    }

    fn solve_columns(&mut self, team: &Team) {
        let AtRest { factor, columns, numbers, compliance, .. } = self;
        compliance.solve_columns(|solve| {
            let (panels, rows) = columns.get_or_insert_with(|| {
                (PanelWork::new(factor, team.size()), Buffer::zeroed(numbers.len()))
            });
            solve(rows, &mut |rows| factor.solve(rows, panels, team));
        });
    }

    /// Takes over how everything has turned at `p`.
    pub fn turn(&mut self, p: &[Row], team: &Team) {
        let Surroundings { starts, around, spreads } = &self.surroundings;
        let turns = SharedSlice::new(&mut self.turns);
        each_block(starts.len() - 1, team, &|_, block| {
            // SAFETY: each block has its own vertices.
            let turns = unsafe { turns.range(block.start, block.end) };
            for (turn, v) in turns.iter_mut().zip(block) {
                let x = p[v].xyz();
                let mut sum = DMat3::ZERO;
                for (w, from) in &around[starts[v] as usize..starts[v + 1] as usize] {
                    let now = p[*w as usize].xyz() - x;
                    sum += DMat3::from_cols(now * from.x, now * from.y, now * from.z);
                }
                *turn = sum * spreads[v];
            }
        });
        for turn in self.turns.iter_mut().filter(|turn| !turn.is_finite() || **turn == DMat3::ZERO)
        {
            *turn = DMat3::IDENTITY;
        }
        closest_rotations(&mut self.turns, team);
    }

    /// How the surroundings of free vertices had turned when that was last taken over.
    pub fn turns(&self) -> &[DMat3] {
        &self.turns
    }

    /// Takes over what touches at `p`, and says how much that is. `felt` are all rows of the
    /// gradient there, where they are known.
    pub fn meet(
        &mut self,
        objective: &Objective,
        p: &[Row],
        touches: &[Touch],
        curvature: Curvature,
        felt: Option<&[Row]>,
        team: &Team,
    ) -> usize {
        let at = objective.situation(p, touches);
        self.compliance.find(objective.model, &at, curvature, felt, &self.turns, team);
        self.solve_columns(team);
        self.compliance.factor();
        self.compliance.count()
    }

    /// out ← rows divided by the matrix; `scale` is about their size, because single precision has
    /// no room for extremes.
    pub fn divide(&mut self, rows: &[Row], scale: f64, out: &mut [Row], team: &Team) {
        let AtRest { factor, panels, numbers, turns, compliance, .. } = self;
        let shared = SharedSlice::new(numbers);
        each_block(rows.len(), team, &|_, block| {
            // SAFETY: each block has its own numbers.
            let numbers = unsafe { shared.range(3 * block.start, 3 * block.end) };
            for (three, v) in numbers.chunks_exact_mut(3).zip(block) {
                let own = turns[v].transpose() * (rows[v].xyz() / scale);
                for (number, x) in three.iter_mut().zip(own.to_array()) {
                    *number = x as f32;
                }
            }
        });
        match compliance.reaction() {
            Some((unknowns, mut reaction)) => {
                factor.solve_corrected(numbers, unknowns, &mut reaction, panels, team);
            }
            None => factor.solve(numbers, panels, team),
        }
        for ((out, three), turn) in out.iter_mut().zip(numbers.chunks_exact(3)).zip(&*turns) {
            let own = DVec3::from_array([0, 1, 2].map(|k| f64::from(three[k])));
            *out = Row::from(*turn * own * scale);
        }
    }
}

impl Surroundings {
    fn new(model: &Model) -> Self {
        let (field, free) = (model.field(), model.free_count());
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for task in 0..field.task_count() {
            let chunk = field.task_chunk(task);
            for corners in chunk.elements.chunks_exact(chunk.corners) {
                for &i in corners.iter().filter(|&&i| (i as usize) < free) {
                    pairs.extend(corners.iter().filter(|&&j| j != i).map(|&j| (i, j)));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; free + 1];
        pairs.iter().for_each(|(v, _)| starts[*v as usize + 1] += 1);
        for v in 0..free {
            starts[v + 1] += starts[v];
        }
        let at = |v: u32| model.rest()[v as usize].xyz();
        let around: Vec<(u32, DVec3)> = pairs.iter().map(|&(v, w)| (w, at(w) - at(v))).collect();
        let spread = |v: usize| {
            let own = &around[starts[v] as usize..starts[v + 1] as usize];
            let dyad = |d: &DVec3| DMat3::from_cols(*d * d.x, *d * d.y, *d * d.z);
            let sum = own.iter().fold(DMat3::ZERO, |sum, (_, d)| sum + dyad(d));
            let size = (sum.x_axis.x + sum.y_axis.y + sum.z_axis.z) / 3.0;
            let is_flat = sum.determinant() < 1e-6 * size * size * size || size <= 0.0;
            if is_flat { DMat3::ZERO } else { sum.inverse() }
        };
        let spreads = (0..free).map(spread).collect();
        Surroundings { starts, around, spreads }
    }
}

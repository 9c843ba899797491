//! The closest state on the manifold of energy and momenta, exactly (Dinev et al. 2018, Eq. 2):
//!
//! ```text
//! minimise ½‖q − q̂‖²_D   subject to c(q) = 0,   q = (x, v, s, t),   D = diag(M, h²M, ε, ε)
//! ```
//!
//! by Newton's method on the conditions of Karush, Kuhn and Tucker (Eq. 6). The matrix
//! D + Σ λᵢ∇²cᵢ couples x and v only vertex by vertex, through the angular momentum, so that v is
//! eliminated and a sparse matrix in x is left,
//!
//! ```text
//! D_x + λ_E ∇²E − m (‖λ_L‖² I − λ_L λ_Lᵀ)/(h² + λ_E)   (the last per vertex),
//! ```
//!
//! which is factored once per iteration, and solved for one right-hand side per constraint and one
//! more. Where it is not positive definite D_x is enlarged; steps are shortened until
//! ½‖q − q̂‖²_D + Σ ρᵢ|cᵢ| decreases.
//!
//! Without ∇²c this is Eq. 7: cheap, but the iterates oscillate, and often never settle. FEPR
//! itself (Eq. 8, in `fepr`) is as cheap, and nearly as close.

use glam::{DMat3, DVec3};
use pliant_math::Row;

use super::dense::{self, MOST};
use super::fepr::sums::{Constraints, Sums};
use super::fepr::{Energy, FeprInfo, Projection, Targets, find_centres, ratio};

/// What is left of the gradient of the Lagrangian, relative to the distance.
const STATIONARY: f64 = 1e-6;
/// Shifts by 1e-2, 1e-1, … of D_x before curvature is left out.
const MOST_SHIFTS: u32 = 8;
const MOST_HALVINGS: u32 = 12;

/// The energy's second derivatives, as a projection needs them.
pub trait Hessian {
    /// Factors diag(blocks) + scaleᵢ ∇²E over the free vertices, with a scale per vertex; false
    /// where that is not positive definite.
    fn factor(&mut self, positions: &[Row], scales: &[f64], blocks: &[DMat3]) -> bool;
    /// Solves for one vector.
    fn solve(&mut self, x: &mut [Row]) -> bool;
}

/// Vectors of the search, and how it went.
pub struct SqpSpace {
    /// q̂ of the free vertices.
    anchor: [Vec<Row>; 2],
    from: [Vec<Row>; 2],
    gradient: Vec<Row>,
    /// Right-hand sides, one per constraint, and D(q − q̂); and what the matrix makes of them.
    columns: Vec<[Vec<Row>; 2]>,
    solved: Vec<[Vec<Row>; 2]>,
    step: [Vec<Row>; 2],
    scales: Vec<f64>,
    blocks: Vec<DMat3>,
    energies: Vec<f64>,
    sums: Vec<Sums>,
    centres: Vec<DVec3>,
    islands: Vec<Island>,
    infos: Vec<FeprInfo>,
}

/// Where the search of an island is.
#[derive(Clone, Copy, Debug, Default)]
struct Island {
    /// λ, by kind of constraint.
    lambda: [f64; MOST],
    /// What s and t would grow by, and what they were.
    slack_step: [f64; 2],
    slack_from: [f64; 2],
    /// The merit before the step, and its slope.
    merit: f64,
    slope: f64,
    length: f64,
    is_over: bool,
    is_accepted: bool,
}

impl SqpSpace {
    /// For so many free vertices and islands.
    pub fn new(free: usize, islands: usize) -> Self {
        let rows = || vec![Row::zero(); free];
        let pair = || [rows(), rows()];
        let pairs = || (0..=MOST).map(|_| pair()).collect();
        SqpSpace {
            anchor: pair(),
            from: pair(),
            gradient: rows(),
            columns: pairs(),
            solved: pairs(),
            step: pair(),
            scales: vec![0.0; free],
            blocks: vec![DMat3::ZERO; free],
            energies: vec![0.0; islands],
            sums: vec![Sums::default(); islands],
            centres: vec![DVec3::ZERO; islands],
            islands: vec![Island::default(); islands],
            infos: vec![FeprInfo::default(); islands],
        }
    }

    /// How the last projection of each island went.
    pub fn infos(&self) -> &[FeprInfo] {
        &self.infos
    }
}

/// Projects a state onto its targets as closely as can be (Eq. 2), or, without a Hessian, as Eq. 7
/// does; true when every island reached its own.
pub fn project<H: Hessian>(
    projection: &Projection,
    energy: &mut dyn Energy,
    mut hessian: Option<&mut H>,
    positions: &mut [Row],
    velocities: &mut [Row],
    space: &mut SqpSpace,
) -> bool {
    let free = space.gradient.len();
    space.anchor[0].copy_from_slice(&positions[..free]);
    space.anchor[1].copy_from_slice(&velocities[..free]);
    find_centres(projection, positions, &mut space.centres);
    space.infos.fill(FeprInfo::default());
    space.islands.fill(Island::default());
    let is_exact = hessian.is_some();
    for iteration in 0..=projection.iterations {
        space.measure(projection, energy, positions, velocities);
        for (b, targets) in projection.targets.iter().enumerate() {
            let constraints = space.constraints(b, targets);
            let info = &mut space.infos[b];
            info.residual = constraints.residual;
            info.potential = space.energies[b];
            let is_met = info.residual <= projection.tolerance;
            let is_stationary =
                !is_exact || space.is_stationary(projection, b, positions, velocities);
            let info = &mut space.infos[b];
            info.converged = is_met && is_stationary;
            let hopeless = !info.residual.is_finite() || iteration == projection.iterations;
            space.islands[b].is_over |= info.converged || hopeless;
        }
        if space.islands[..projection.targets.len()].iter().all(|island| island.is_over) {
            break;
        }
        space.factor(projection, hessian.as_deref_mut(), positions);
        space.solve(projection, hessian.as_deref_mut(), positions, velocities);
        for b in 0..projection.targets.len() {
            if !space.islands[b].is_over {
                space.direct(projection, b, positions, velocities, is_exact);
                space.infos[b].iterations = iteration + 1;
            }
        }
        space.advance(projection, energy, positions, velocities, is_exact);
    }
    space.infos[..projection.targets.len()].iter().all(|info| info.converged)
}

impl SqpSpace {
    /// Gradient, energies and sums of a state.
    fn measure(
        &mut self,
        projection: &Projection,
        energy: &mut dyn Energy,
        positions: &[Row],
        velocities: &[Row],
    ) {
        energy.gradient(positions, &mut self.gradient, &mut self.energies);
        let directions = [&self.gradient[..], &self.gradient];
        Sums::over(projection, positions, velocities, directions, &self.centres, &mut self.sums);
    }

    fn constraints(&self, b: usize, targets: &Targets) -> Constraints {
        let info = FeprInfo { potential: self.energies[b], ..self.infos[b] };
        self.sums[b].constraints(targets, &info, self.centres[b])
    }

    /// D_x of a free vertex \[kg\].
    fn weight(projection: &Projection, i: usize) -> f64 {
        projection.masses[i] / ratio(projection, i)
    }

    /// ∇c of one kind at a vertex, for x and v.
    fn slope(
        &self,
        projection: &Projection,
        kind: usize,
        [b, i]: [usize; 2],
        r: DVec3,
        v: DVec3,
    ) -> [DVec3; 2] {
        let (m, frame) = (projection.masses[i], &projection.targets[b].frame);
        match kind {
            0 => [self.gradient[i].xyz(), m * v],
            1..=3 => [DVec3::ZERO, m * DVec3::AXES[kind - 1]],
            _ => {
                let axis = frame.axes[kind - 4];
                [m * v.cross(axis), m * axis.cross(r)]
            }
        }
    }

    /// Whether D(q − q̂) + ∇c λ is nothing, in the metric D⁻¹, compared with ‖q − q̂‖_D.
    fn is_stationary(&self, projection: &Projection, b: usize, x: &[Row], v: &[Row]) -> bool {
        let h2 = projection.h * projection.h;
        let lambda = &self.islands[b].lambda;
        let (mut left, mut distance) = (0.0, 0.0);
        for i in free_of(projection, b) {
            let (m, w) = (projection.masses[i], Self::weight(projection, i));
            let away = [(x[i] - self.anchor[0][i]).xyz(), (v[i] - self.anchor[1][i]).xyz()];
            let mut rest = [away[0] * w, away[1] * (h2 * m)];
            let r = x[i].xyz() - self.centres[b];
            for (kind, &lambda) in lambda.iter().enumerate().filter(|(_, lambda)| **lambda != 0.0) {
                let slope = self.slope(projection, kind, [b, i], r, v[i].xyz());
                rest[0] += lambda * slope[0];
                rest[1] += lambda * slope[1];
            }
            left += rest[0].length_squared() / w + rest[1].length_squared() / (h2 * m);
            distance += w * away[0].length_squared() + h2 * m * away[1].length_squared();
        }
        left.sqrt() <= STATIONARY * distance.sqrt()
    }

    /// h² + λ_E, kept away from zero.
    fn stiffness(projection: &Projection, island: &Island) -> f64 {
        let h2 = projection.h * projection.h;
        (h2 + island.lambda[0]).max(0.1 * h2)
    }

    /// Factors the matrix in x.
    fn factor<H: Hessian>(
        &mut self,
        projection: &Projection,
        hessian: Option<&mut H>,
        positions: &[Row],
    ) {
        let Some(hessian) = hessian else { return };
        for shifts in 0..=MOST_SHIFTS + 1 {
            let shift = if shifts == 0 { 0.0 } else { 1e-3 * 10f64.powi(shifts as i32) };
            for (b, island) in self.islands.iter().enumerate().take(projection.targets.len()) {
                let spin = angular(projection, b, &island.lambda);
                let outer = DMat3::from_cols(spin * spin.x, spin * spin.y, spin * spin.z);
                let turned = DMat3::from_diagonal(DVec3::splat(spin.length_squared())) - outer;
                let by = 1.0 / Self::stiffness(projection, island);
                for i in free_of(projection, b) {
                    let w = Self::weight(projection, i) * (1.0 + shift);
                    let own = DMat3::from_diagonal(DVec3::splat(w));
                    // The last resort is D alone.
                    let is_plain = shifts > MOST_SHIFTS;
                    self.scales[i] = if is_plain { 0.0 } else { island.lambda[0] };
                    self.blocks[i] =
                        if is_plain { own } else { own - turned * (by * projection.masses[i]) };
                }
            }
            if hessian.factor(positions, &self.scales, &self.blocks) {
                return;
            }
        }
    }

    /// The columns of ∇c and D(q − q̂), and the matrix' inverse times them.
    fn solve<H: Hessian>(
        &mut self,
        projection: &Projection,
        mut hessian: Option<&mut H>,
        x: &[Row],
        v: &[Row],
    ) {
        let h2 = projection.h * projection.h;
        for column in 0..=MOST {
            for b in 0..projection.targets.len() {
                for i in free_of(projection, b) {
                    let [right_x, right_v] = if column == MOST {
                        let away = [x[i] - self.anchor[0][i], v[i] - self.anchor[1][i]];
                        let m = projection.masses[i];
                        [away[0].xyz() * Self::weight(projection, i), away[1].xyz() * (h2 * m)]
                    } else {
                        let r = x[i].xyz() - self.centres[b];
                        self.slope(projection, column, [b, i], r, v[i].xyz())
                    };
                    self.columns[column][0][i] = right_x.into();
                    self.columns[column][1][i] = right_v.into();
                }
            }
            let [solved_x, solved_v] = &mut self.solved[column];
            let [right_x, right_v] = &self.columns[column];
            for (b, island) in self.islands.iter().enumerate().take(projection.targets.len()) {
                let (spin, by) = (
                    angular(projection, b, &island.lambda),
                    1.0 / Self::stiffness(projection, island),
                );
                for i in free_of(projection, b) {
                    solved_x[i] = if hessian.is_some() {
                        right_x[i] - Row::from(right_v[i].xyz().cross(spin) * by)
                    } else {
                        right_x[i] * (1.0 / Self::weight(projection, i))
                    };
                }
            }
            if let Some(hessian) = hessian.as_deref_mut()
                && !hessian.solve(solved_x)
            {
                solved_x.fill(Row::new(f64::NAN, f64::NAN, f64::NAN));
            }
            for (b, island) in self.islands.iter().enumerate().take(projection.targets.len()) {
                let spin = angular(projection, b, &island.lambda);
                let by = 1.0 / Self::stiffness(projection, island);
                for i in free_of(projection, b) {
                    let m = projection.masses[i];
                    solved_v[i] = if hessian.is_some() {
                        let coupled = spin.cross(solved_x[i].xyz()) * m;
                        (right_v[i] - Row::from(coupled)) * (by / m)
                    } else {
                        right_v[i] * (1.0 / (h2 * m))
                    };
                }
            }
        }
    }

    /// The new multipliers of an island, and its step.
    fn direct(&mut self, projection: &Projection, b: usize, x: &[Row], v: &[Row], is_exact: bool) {
        let targets = &projection.targets[b];
        let constraints = self.constraints(b, targets);
        let Constraints { values, kinds, count, .. } = constraints;
        let dot = |a: &[Vec<Row>; 2], c: &[Vec<Row>; 2]| -> f64 {
            let at = |i: usize| (a[0][i].times(c[0][i]) + a[1][i].times(c[1][i])).sum();
            free_of(projection, b).map(at).sum()
        };
        let given = self.infos[b].given_way;
        // ΔP and ΔL, as the constraints have them, and ε.
        let yields = |kind: usize| -> [f64; 2] {
            match (targets.slack, kind) {
                (Some(slack), 1..=3) => [slack.linear[kind - 1], 0.0],
                (Some(slack), 4..) => [0.0, slack.angular[kind - 4]],
                _ => [0.0; 2],
            }
        };
        let epsilon = targets.slack.map_or(1.0, |slack| slack.weight);
        let (mut matrix, mut right) = ([[0.0; MOST]; MOST], [0.0; MOST]);
        for i in 0..count {
            let (column, slack) = (&self.columns[kinds[i]], yields(kinds[i]));
            right[i] = values[i] - dot(column, &self.solved[MOST])
                + slack[0] * given[0]
                + slack[1] * given[1];
            for j in 0..count {
                let other = yields(kinds[j]);
                matrix[i][j] = dot(column, &self.solved[kinds[j]])
                    + (slack[0] * other[0] + slack[1] * other[1]) / epsilon;
            }
        }
        let solution = dense::solve(&matrix, &right, count);
        let mut lambda = [0.0; MOST];
        let mut slack_step = given.map(|s| -s);
        for (&kind, &value) in kinds.iter().zip(&solution).take(count) {
            lambda[kind] = value;
            let slack = yields(kind);
            slack_step[0] += slack[0] * value / epsilon;
            slack_step[1] += slack[1] * value / epsilon;
        }
        let h2 = projection.h * projection.h;
        let mut slope = epsilon * (given[0] * slack_step[0] + given[1] * slack_step[1]);
        for i in free_of(projection, b) {
            for k in 0..2 {
                let mut moved = self.solved[MOST][k][i] * -1.0;
                for (kind, &lambda) in lambda.iter().enumerate().filter(|(_, l)| **l != 0.0) {
                    moved = moved.plus_scaled(-lambda, self.solved[kind][k][i]);
                }
                self.step[k][i] = moved;
                let now = if k == 0 { x[i] } else { v[i] };
                self.from[k][i] = now;
                let w =
                    if k == 0 { Self::weight(projection, i) } else { h2 * projection.masses[i] };
                slope += w * (now - self.anchor[k][i]).times(moved).sum();
            }
        }
        for k in 0..count {
            slope -= 2.0 * lambda[kinds[k]].abs() * values[k].abs();
        }
        let slack_from = given;
        let island = &mut self.islands[b];
        *island = Island {
            lambda,
            slack_step,
            slack_from,
            merit: 0.0,
            slope,
            length: 1.0,
            is_over: false,
            is_accepted: !is_exact,
        };
        self.islands[b].merit = self.merit(projection, b, x, v);
    }

    /// ½‖q − q̂‖²_D + Σ ρ|c|, with ρ = 2|λ|.
    fn merit(&self, projection: &Projection, b: usize, x: &[Row], v: &[Row]) -> f64 {
        let targets = &projection.targets[b];
        let Constraints { values, kinds, count, .. } = self.constraints(b, targets);
        let h2 = projection.h * projection.h;
        let distance = |i: usize| {
            let away = [x[i] - self.anchor[0][i], v[i] - self.anchor[1][i]];
            Self::weight(projection, i) * away[0].times(away[0]).sum()
                + h2 * projection.masses[i] * away[1].times(away[1]).sum()
        };
        let mut merit = 0.5 * free_of(projection, b).map(distance).sum::<f64>();
        if let Some(slack) = targets.slack {
            let [s, t] = self.infos[b].given_way;
            merit += 0.5 * slack.weight * (s * s + t * t);
        }
        let lambda = &self.islands[b].lambda;
        merit + (0..count).map(|k| 2.0 * lambda[kinds[k]].abs() * values[k].abs()).sum::<f64>()
    }

    /// Takes the steps, shortened until each island's merit decreases.
    fn advance(
        &mut self,
        projection: &Projection,
        energy: &mut dyn Energy,
        positions: &mut [Row],
        velocities: &mut [Row],
        is_exact: bool,
    ) {
        for halvings in 0..=MOST_HALVINGS {
            for b in 0..projection.targets.len() {
                let island = self.islands[b];
                if island.is_over || (island.is_accepted && halvings > 0) {
                    continue;
                }
                for i in free_of(projection, b) {
                    positions[i] = self.from[0][i].plus_scaled(island.length, self.step[0][i]);
                    velocities[i] = self.from[1][i].plus_scaled(island.length, self.step[1][i]);
                }
                self.infos[b].given_way = std::array::from_fn(|k| {
                    island.slack_from[k] + island.length * island.slack_step[k]
                });
            }
            if !is_exact {
                return;
            }
            self.measure(projection, energy, positions, velocities);
            let mut is_over = true;
            for b in 0..projection.targets.len() {
                if self.islands[b].is_over || self.islands[b].is_accepted {
                    continue;
                }
                let merit = self.merit(projection, b, positions, velocities);
                let island = &mut self.islands[b];
                let rounding = 1e-12 * island.merit.abs();
                let enough = island.merit + 1e-4 * island.length * island.slope + rounding;
                island.is_accepted = merit <= enough || halvings == MOST_HALVINGS;
                if !island.is_accepted {
                    island.length *= 0.5;
                    is_over = false;
                }
            }
            if is_over {
                return;
            }
        }
    }
}

/// λ_L of an island.
fn angular(projection: &Projection, b: usize, lambda: &[f64; MOST]) -> DVec3 {
    projection.targets[b].frame.sum([lambda[4], lambda[5], lambda[6]])
}

/// The free vertices of an island.
fn free_of<'a>(projection: &'a Projection, b: usize) -> impl Iterator<Item = usize> + use<'a> {
    let own = projection.parts.iter().filter(move |part| part.island == b);
    own.flat_map(|part| part.free.clone())
}

//! Where to trust the capture, and where the prediction.
//!
//! A prediction errs by what it does not know: in proportion to the part r of the mouth's motion
//! that no corrected frame shows. How much, at every vertex, is learned by leaving out one
//! corrected frame after the other: κ² = Σ|e|² ÷ Σr². Where the capture d is no farther from the
//! prediction than its expected error κr, there is no reason to think that it is damaged, and it
//! stays; where it is much farther, it is damaged, and the prediction takes its place. In between
//! it is Wiener's filter:
//!
//! x = prediction + G (capture − prediction), G = κ²r² ÷ max(d², κ²r²),
//!
//! with d² averaged over the neighbourhood. Corrected frames have r = 0, and come out as they were
//! drawn.

use glam::DVec3;
use pliant_math::Row;
use pliant_math::sparse::Adjacency;
use pliant_math::team::Team;

use crate::error::LipsError;
use crate::gradients::Gradients;
use crate::reconstruction::Reconstruction;
use crate::region::Region;
use crate::regression::Regression;

/// κ²r² is the mean of errors, and half of them are larger.
const CAUTION: f64 = 2.0;
/// The neighbourhood's radius, in lengths of the inner lip, and the most rounds of averaging that
/// make it.
const RADIUS: f64 = 0.03;
const MOST_ROUNDS: usize = 30;

/// The expected error of predictions on the inner lip.
pub struct Trust {
    /// κ² of every row of the reconstruction \[m²\].
    scale: Vec<f64>,
    neighbours: Adjacency,
    rounds: usize,
}

impl Trust {
    /// Of a region, before anything is known: predictions are taken as they are.
    ///
    /// # Errors
    /// When the region is too large.
    pub fn new(region: &Region, reconstruction: &Reconstruction) -> Result<Trust, LipsError> {
        let mut number = vec![usize::MAX; region.rest.len()];
        reconstruction.free().iter().zip(0..).for_each(|(v, row)| number[*v as usize] = row);
        let sides = region.inner.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let pairs: Vec<(usize, usize)> = sides
            .map(|(a, b)| (number[a as usize], number[b as usize]))
            .filter(|(a, b)| *a != usize::MAX && *b != usize::MAX)
            .collect();
        let at = |row: usize| region.rest[reconstruction.free()[row] as usize];
        let length = pairs.iter().map(|(a, b)| at(*a).distance(at(*b))).sum::<f64>();
        let edge = length / pairs.len().max(1) as f64;
        let places: Vec<DVec3> = (0..reconstruction.free().len()).map(at).collect();
        let size = pliant_mesh::Bounds::of(&places).map_or(0.0, |b| b.size().max_element());
        // A round of averaging spreads as a step of a random walk does.
        let rounds = (RADIUS * size / edge.max(f64::MIN_POSITIVE)).powi(2).ceil();
        Ok(Trust {
            scale: vec![0.0; places.len()],
            neighbours: Adjacency::from_pairs(places.len(), pairs)?,
            rounds: (rounds as usize).clamp(1, MOST_ROUNDS),
        })
    }

    /// Learns κ from examples, each left out in turn.
    pub fn learn(
        &mut self,
        regression: &Regression,
        inner: &Gradients,
        reconstruction: &Reconstruction,
        team: &Team,
    ) {
        self.scale.fill(0.0);
        let mut work = reconstruction.work(team.size());
        let mut sum = 0.0;
        if regression.outputs().is_empty() {
            return;
        }
        for (error, unknown) in regression.left_out() {
            let pushed = reconstruction.push(inner, &error);
            let mut rows: Vec<Row> = pushed.into_iter().map(Row::from).collect();
            reconstruction.solve(&mut rows, |_| DVec3::ZERO, &mut work, team);
            let squares = rows.iter().map(|row| row.xyz().length_squared());
            self.scale.iter_mut().zip(squares).for_each(|(scale, square)| *scale += square);
            sum += unknown * unknown;
        }
        if sum > 0.0 {
            self.scale.iter_mut().for_each(|scale| *scale /= sum);
            let mut spare = self.scale.clone();
            self.average(&mut spare);
            self.scale = spare;
        }
    }

    /// Room for squared distances and their averages.
    pub fn room(&self) -> Vec<f64> {
        vec![0.0; self.scale.len()]
    }

    /// Moves predictions towards the capture, where that can be trusted; `unknown` is r.
    pub fn blend(
        &self,
        unknown: f64,
        predicted: &mut [Row],
        captured: impl Fn(usize) -> Row,
        squares: &mut [f64],
    ) {
        if unknown <= 0.0 {
            return;
        }
        for (row, square) in squares.iter_mut().enumerate() {
            *square = (captured(row) - predicted[row]).xyz().length_squared();
        }
        self.average(squares);
        for (row, (square, scale)) in squares.iter().zip(&self.scale).enumerate() {
            let expected = CAUTION * scale * unknown * unknown;
            if expected > 0.0 {
                let gain = expected / square.max(expected);
                predicted[row] = predicted[row] + (captured(row) - predicted[row]) * gain;
            }
        }
    }

    /// Averages over neighbours, in place: each round goes through rows in their order, and a row
    /// takes over half of what its neighbours have by then.
    fn average(&self, values: &mut [f64]) {
        for round in 0..self.rounds {
            for k in 0..values.len() {
                // Back and forth, so that nothing drifts along the order.
                let row = if round % 2 == 0 { k } else { values.len() - 1 - k };
                let around = self.neighbours.neighbours(row);
                if !around.is_empty() {
                    let sum: f64 = around.iter().map(|n| values[*n]).sum();
                    values[row] = 0.5 * values[row] + 0.5 * sum / around.len() as f64;
                }
            }
        }
    }
}

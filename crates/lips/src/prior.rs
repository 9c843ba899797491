//! What a capture itself tells: how its inner lips follow its mouth, over all of its frames.
//!
//! Dinev 2020 learns from the corrected frames alone, and a motion that none of them shows leaves
//! the inner lip where it was at rest. But the capture has seen that motion, only not quite right:
//! x = θ₀y, fitted to every frame by least squares, has the motion, lost the noise, and keeps that
//! part of the damage which goes with the mouth. Corrected frames then teach what is missing, x −
//! θ₀y. It is the same map, and as fast, but it errs by the damage where it would have erred by the
//! motion.
//!
//! θ₀ is kept as a few frames of the capture that span its motion, each with the lips that θ₀ gives
//! it.

use glam::DVec3;
use pliant_math::Row;
use pliant_math::team::Team;

use crate::gradients::Gradients;
use crate::model::Sample;
use crate::reconstruction::Reconstruction;
use crate::reduction::{Reduction, dot, norm, small_svd};
use crate::region::Region;

/// So many frames span a capture, or fewer where less is left over than this part of the most
/// extreme.
const FRAMES: usize = 24;
const LEFT: f64 = 0.005;
/// Directions in which the frames differ by less than this part are held back: what the lips seem
/// to do there is damage rather than motion.
const FAINT: f64 = 0.03;

/// A region as fits need it.
pub struct Fit<'a> {
    pub region: &'a Region,
    pub mouth: &'a Gradients,
    pub inner: &'a Gradients,
    pub reconstruction: &'a Reconstruction,
}

impl Fit<'_> {
    /// The frames that span a capture, with fitted lips. Positions are those of the region.
    pub fn capture(&self, frames: &[Sample], team: &Team) -> Vec<Sample> {
        let ys: Vec<Vec<f64>> = frames.iter().map(|f| self.mouth.column(&f.positions)).collect();
        let (basis, chosen) = span(&ys);
        let coefficients: Vec<Vec<f64>> =
            ys.iter().map(|y| basis.basis().iter().map(|q| dot(q, y)).collect()).collect();
        drop(ys);
        let fitted = self.least_squares(frames, &coefficients);
        let mut work = self.reconstruction.work(team.size());
        let mut spanning = Vec::new();
        for &place in &chosen {
            let Sample { frame, positions } = &frames[place];
            let mut x = vec![0.0; Gradients::NUMBERS * self.inner.len()];
            for (column, c) in fitted.iter().zip(&coefficients[place]) {
                x.iter_mut().zip(column).for_each(|(x, v)| *x += c * v);
            }
            let pushed = self.reconstruction.push(self.inner, &x);
            let mut rows: Vec<Row> = pushed.into_iter().map(Row::from).collect();
            let rest = &self.region.rest;
            let border = |v: u32| positions[v as usize] - rest[v as usize];
            self.reconstruction.solve(&mut rows, border, &mut work, team);
            let mut positions: Vec<DVec3> = positions.clone();
            for (row, v) in rows.iter().zip(self.reconstruction.free()) {
                positions[*v as usize] = rest[*v as usize] + row.xyz();
            }
            spanning.push(Sample { frame: *frame, positions });
        }
        spanning
    }

    /// θ₀ on the basis, a column each: X V f(Σ) Uᵀ with U Σ Vᵀ the coefficients of all frames.
    fn least_squares(&self, frames: &[Sample], coefficients: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let svd = small_svd(coefficients.to_vec());
        let rank = coefficients.first().map_or(0, Vec::len);
        let largest = svd.values.first().copied().unwrap_or(0.0);
        let held = (FAINT * largest).powi(2);
        let mut columns = vec![vec![0.0; Gradients::NUMBERS * self.inner.len()]; rank];
        for (place, frame) in frames.iter().enumerate() {
            let x = self.inner.column(&frame.positions);
            for (k, column) in columns.iter_mut().enumerate() {
                let parts = svd.u.iter().zip(&svd.v).zip(&svd.values);
                let weight: f64 =
                    parts.map(|((u, v), s)| v[place] * s / (s * s + held) * u[k]).sum();
                column.iter_mut().zip(&x).for_each(|(c, x)| *c += weight * x);
            }
        }
        columns
    }
}

/// A basis of most of the columns, and those it is made of: always the one with most that is new.
fn span(columns: &[Vec<f64>]) -> (Reduction, Vec<usize>) {
    let (mut basis, mut chosen) = (Reduction::default(), Vec::new());
    let mut left: Vec<f64> = columns.iter().map(|y| norm(y).powi(2)).collect();
    let most = left.iter().copied().fold(0.0, f64::max);
    while chosen.len() < FRAMES {
        let next = (0..left.len()).max_by(|a, b| left[*a].total_cmp(&left[*b]).then(b.cmp(a)));
        let Some(next) = next.filter(|k| left[*k] > LEFT * LEFT * most) else { break };
        let before = basis.rank();
        basis.append(columns[next].clone());
        chosen.push(next);
        left[next] = 0.0;
        if let Some(q) = basis.basis().get(before) {
            for (left, y) in left.iter_mut().zip(columns) {
                *left -= dot(q, y).powi(2);
            }
        }
    }
    (basis, chosen)
}

//! The muscle geometry matrix S (Dinev 2020, sections 4.2.4 and 4.2.5): a matrix per muscle, and what every tet takes
//! of those near it.
//!
//! Eq. 4.5 is a_i = Σ_j s_ij a_j. Column 0 is passive tissue (Eq. 4.7), a₀ = I for good; muscle m is column m + 1. Rows are on the simplex,
//! s_ij ≥ 0 and Σ_j s_ij = 1 (Eq. 4.8f, 4.8g), and have entries only for muscles in reach.

use glam::DVec3;
use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};
use pliant_model::potentials::activation::{Activation, RELAXED, matrix as activation_matrix};

use super::dependence::Dependence;
use super::drawn::{STRETCHES, bound};
use crate::model::{FaceModel, Vicinity};

/// How far from where they are muscles may come to be (m): between corners of tets.
pub const REACH: f64 = 0.01;

/// What a tet takes of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Entry {
    /// 0 is passive tissue, m + 1 is muscle m.
    pub column: u32,
    /// From 0 to 1.
    pub weight: f64,
}

/// S, by its rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blend {
    /// How many muscles there are.
    pub muscles: usize,
    /// Of tet i: `entries[starts[i]..starts[i + 1]]`.
    pub starts: Vec<u32>,
    pub entries: Vec<Entry>,
}

impl Blend {
    /// From rows of weights with the columns that they may have; weights are put on the simplex.
    ///
    /// ```
    /// use pliant_face::inverse::blend::{Blend, Entry};
    /// let row = [Entry { column: 0, weight: 0.9 }, Entry { column: 1, weight: 0.3 }];
    /// let blend = Blend::new(1, [&row[..]]);
    /// assert!((blend.row(0)[1].weight - 0.2).abs() < 1e-12);
    /// ```
    pub fn new<'a>(muscles: usize, rows: impl IntoIterator<Item = &'a [Entry]>) -> Blend {
        let mut blend = Blend { muscles, starts: vec![0], entries: Vec::new() };
        for row in rows {
            blend.entries.extend_from_slice(row);
            blend.starts.push(blend.entries.len() as u32);
        }
        blend.project();
        blend
    }

    /// What a face has learned, or where its muscles are.
    pub fn of(face: &FaceModel) -> Blend {
        match face.geometry.tets() == face.active_tets().len() {
            true => face.geometry.clone(),
            false => Blend::of_muscles(face),
        }
    }

    /// Where a face's muscles are: tets that have muscle in them take what of it is theirs, those that are lent passive tissue; all may
    /// come to take of muscles within [`REACH`], and of passive tissue.
    pub fn of_muscles(face: &FaceModel) -> Blend {
        let vicinity = Vicinity::of(face, REACH);
        let mut rows = Vec::new();
        for shares in face.shares.chunk_by(|a, b| a.tet == b.tet) {
            let whole = shares.iter().map(|s| s.fraction).sum::<f64>();
            let of = |muscle: usize| Entry {
                column: muscle as u32 + 1,
                weight: shares
                    .iter()
                    .filter(|share| share.muscle as usize == muscle)
                    .map(|share| share.fraction / whole.max(1e-12))
                    .sum(),
            };
            let near = vicinity.muscles(face.solid.tets[shares[0].tet as usize]).map(of);
            // What is lent begins as what it is.
            let passive = Entry { column: 0, weight: f64::from(whole == 0.0) };
            rows.push([passive].into_iter().chain(near).collect::<Vec<Entry>>());
        }
        Blend::new(face.muscles.len(), rows.iter().map(|row| &row[..]))
    }

    /// Matrices of muscles that come nearest to activations of tets: their means over what takes of them.
    pub(super) fn matrices(&self, activations: &[Activation]) -> Vec<f64> {
        let mut sums = vec![[0.0; 7]; self.muscles];
        for (tet, own) in activations.iter().enumerate() {
            for entry in self.row(tet) {
                let Some(muscle) = (entry.column as usize).checked_sub(1) else { continue };
                let sum = &mut sums[muscle];
                (0..6).for_each(|k| sum[k] += entry.weight * own[k]);
                sum[6] += entry.weight;
            }
        }
        let mean = |sum: &[f64; 7]| -> Activation {
            if sum[6] > 0.0 { std::array::from_fn(|k| sum[k] / sum[6]) } else { RELAXED }
        };
        sums.iter().flat_map(mean).collect()
    }

    /// How many tets there are.
    pub fn tets(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn range(&self, tet: usize) -> std::ops::Range<usize> {
        self.starts[tet] as usize..self.starts[tet + 1] as usize
    }

    /// What a tet takes.
    pub fn row(&self, tet: usize) -> &[Entry] {
        &self.entries[self.range(tet)]
    }

    /// Puts every row on the simplex, as near to where it is as that can be.
    pub fn project(&mut self) {
        let mut weights = Vec::new();
        for tet in 0..self.tets() {
            let range = self.range(tet);
            let row = &mut self.entries[range];
            weights.clear();
            weights.extend(row.iter().map(|entry| entry.weight));
            let level = level(&mut weights);
            row.iter_mut().for_each(|entry| entry.weight = (entry.weight - level).max(0.0));
        }
    }

    /// With weights changed by so much, put back onto the simplex.
    pub(super) fn moved(&self, change: &[f64]) -> Blend {
        let mut moved = self.clone();
        moved.entries.iter_mut().zip(change).for_each(|(entry, by)| entry.weight += by);
        moved.project();
        moved
    }

    /// out ← ∂a/∂S dS, beside what is there.
    pub(super) fn add_spread(&self, theta: &[f64], change: &[f64], out: &mut [Activation]) {
        for (tet, out) in out.iter_mut().enumerate() {
            for (entry, by) in self.row(tet).iter().zip(&change[self.range(tet)]) {
                let own = matrix(theta, entry.column);
                (0..6).for_each(|k| out[k] += by * own[k]);
            }
        }
    }

    /// out ← out + (∂a/∂S)ᵀ g.
    pub(super) fn add_gather(&self, theta: &[f64], slope: &[Activation], out: &mut [f64]) {
        for (tet, slope) in slope.iter().enumerate() {
            for (entry, out) in self.row(tet).iter().zip(&mut out[self.range(tet)]) {
                let own = matrix(theta, entry.column);
                *out += (0..6).map(|k| own[k] * slope[k]).sum::<f64>();
            }
        }
    }

    /// How far entries can go against a slope: as far as they are from zero where they fall, or a little further than that, and further where
    /// they rise (Coleman and Li 1996, with rows' sums as they are). An entry falls where its slope is above the row's mean, as the row has it.
    pub(super) fn room(&self, slope: &[f64]) -> Vec<f64> {
        /// Of what falls and is above zero, and of what rises, at least.
        const LEAST: [f64; 2] = [0.1, 0.5];
        let mut room = vec![0.0; self.entries.len()];
        for tet in 0..self.tets() {
            let range = self.range(tet);
            let (row, slope) = (self.row(tet), &slope[range.clone()]);
            let mean: f64 = row.iter().zip(slope).map(|(entry, s)| entry.weight * s).sum();
            for ((room, entry), s) in room[range].iter_mut().zip(row).zip(slope) {
                *room = match (*s > mean, entry.weight > 0.0) {
                    (true, false) => 0.0,
                    (true, true) => entry.weight.max(LEAST[0]),
                    (false, _) => entry.weight.max(LEAST[1]),
                };
            }
        }
        room
    }

    /// Scales a change by how far entries can go, and leaves rows' sums as they are: (D − D 1 1ᵀ D / 1ᵀ D 1) of it, D the scales.
    pub(super) fn keep_within(&self, scales: &[f64], change: &mut [f64]) {
        for tet in 0..self.tets() {
            let range = self.range(tet);
            let (scales, change) = (&scales[range.clone()], &mut change[range]);
            let sum: f64 = change.iter().zip(scales).map(|(by, scale)| by * scale).sum();
            let mean = sum / scales.iter().sum::<f64>().max(1e-300);
            for (by, scale) in change.iter_mut().zip(scales) {
                *by = scale * (*by - mean);
            }
        }
    }
}

/// The matrix of a column.
fn matrix(theta: &[f64], column: u32) -> Activation {
    match (column as usize).checked_sub(1) {
        None => RELAXED,
        Some(muscle) => std::array::from_fn(|k| theta[6 * muscle + k]),
    }
}

/// Stretches of muscles that are at their ends, and would go beyond them against a slope: where the muscle's numbers begin, and the dyad of the
/// stretch's axis.
pub(super) fn ends(theta: &[f64], slope: &[f64]) -> Vec<(usize, Activation)> {
    /// As near as this is there.
    const NEAR: f64 = 1e-6;
    let mut ends = Vec::new();
    for (m, (a, slope)) in theta.as_chunks().0.iter().zip(slope.as_chunks::<6>().0).enumerate() {
        let SymmetricEigen { values, vectors } = symmetric_eigen(&activation_matrix(a));
        for (value, axis) in values.to_array().iter().zip([0, 1, 2].map(|k| vectors.col(k))) {
            let DVec3 { x, y, z } = axis;
            let dyad = [x * x, x * y, x * z, y * y, y * z, z * z];
            let rises: f64 = dyad.iter().zip(slope).map(|(d, s)| d * s).sum();
            let is_out = *value <= STRETCHES[0] + NEAR && rises > 0.0
                || *value >= STRETCHES[1] - NEAR && rises < 0.0;
            if is_out {
                ends.push((6 * m, dyad));
            }
        }
    }
    ends
}

/// Takes off changes of muscles' matrices what changes stretches that are at their ends.
pub(super) fn keep_ends(ends: &[(usize, Activation)], change: &mut [f64]) {
    for (at, dyad) in ends {
        let own = &mut change[*at..at + 6];
        let twice = |k: usize| if matches!(k, 1 | 2 | 4) { 2.0 } else { 1.0 };
        let by: f64 = (0..6).map(|k| twice(k) * dyad[k] * own[k]).sum();
        own.iter_mut().zip(dyad).for_each(|(own, d)| *own -= by * d);
    }
}

/// Takes a row to the nearest on the simplex.
pub(super) fn onto_simplex(row: &mut [f64], scratch: &mut Vec<f64>) {
    scratch.clear();
    scratch.extend_from_slice(row);
    let level = level(scratch);
    row.iter_mut().for_each(|weight| *weight = (*weight - level).max(0.0));
}

/// What is taken off weights, and off none below zero, for them to add up to 1 (Held, Wolfe, Crowder 1974).
fn level(weights: &mut [f64]) -> f64 {
    weights.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut level) = (0.0, 0.0);
    for (k, weight) in weights.iter().enumerate() {
        sum += weight;
        let next = (sum - 1.0) / (k + 1) as f64;
        if *weight > next {
            level = next;
        }
    }
    level
}

/// With S as it is, six numbers per muscle.
impl Dependence for Blend {
    fn count(&self) -> usize {
        6 * self.muscles
    }

    fn relaxed(&self) -> Vec<f64> {
        RELAXED.repeat(self.muscles)
    }

    fn confine(&self, theta: &mut [f64]) {
        let own = theta.as_chunks_mut().0.iter_mut();
        own.for_each(bound);
    }

    fn activations(&self, theta: &[f64], out: &mut [Activation]) {
        for (tet, out) in out.iter_mut().enumerate() {
            *out = [0.0; 6];
            for entry in self.row(tet) {
                let own = matrix(theta, entry.column);
                (0..6).for_each(|k| out[k] += entry.weight * own[k]);
            }
        }
    }

    fn spread(&self, _: &[f64], change: &[f64], out: &mut [Activation]) {
        for (tet, out) in out.iter_mut().enumerate() {
            *out = [0.0; 6];
            for entry in self.row(tet) {
                let Some(muscle) = (entry.column as usize).checked_sub(1) else { continue };
                (0..6).for_each(|k| out[k] += entry.weight * change[6 * muscle + k]);
            }
        }
    }

    fn gather(&self, _: &[f64], slope: &[Activation], out: &mut [f64]) {
        out.fill(0.0);
        for (tet, slope) in slope.iter().enumerate() {
            for entry in self.row(tet) {
                let Some(muscle) = (entry.column as usize).checked_sub(1) else { continue };
                (0..6).for_each(|k| out[6 * muscle + k] += entry.weight * slope[k]);
            }
        }
    }
}

/// S where the jaw may be open: a_i = Y_i + Σ_j s_ij a_j, as muscles act beyond what relaxed flesh lengthens by to let it go, Y.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Yielding {
    pub blend: Blend,
    /// Y, by tet; none where it is nothing.
    pub yielded: Vec<Activation>,
}

impl Yielding {
    /// Nothing has yielded yet.
    pub fn new(blend: Blend) -> Yielding {
        Yielding { blend, yielded: Vec::new() }
    }
}

impl Dependence for Yielding {
    fn count(&self) -> usize {
        self.blend.count()
    }

    fn relaxed(&self) -> Vec<f64> {
        self.blend.relaxed()
    }

    fn confine(&self, theta: &mut [f64]) {
        self.blend.confine(theta);
    }

    fn activations(&self, theta: &[f64], out: &mut [Activation]) {
        self.blend.activations(theta, out);
        give_way(out, &self.yielded);
    }

    fn spread(&self, theta: &[f64], change: &[f64], out: &mut [Activation]) {
        self.blend.spread(theta, change, out);
    }

    fn gather(&self, theta: &[f64], slope: &[Activation], out: &mut [f64]) {
        self.blend.gather(theta, slope, out);
    }
}

/// Activations of tets, and what these have yielded by.
pub(super) fn give_way(activations: &mut [Activation], yielded: &[Activation]) {
    for (own, by) in activations.iter_mut().zip(yielded) {
        (0..6).for_each(|k| own[k] += by[k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entries(weights: &[f64]) -> Vec<Entry> {
        (0..).zip(weights).map(|(column, &weight)| Entry { column, weight }).collect()
    }

    proptest! {
        #[test]
        fn rows_go_to_the_nearest_point_of_the_simplex(
            weights in prop::collection::vec(-2.0..2.0_f64, 1..6),
            others in prop::collection::vec(0.0..1.0_f64, 6),
        ) {
            let row = entries(&weights);
            let blend = Blend::new(5, [&row[..]]);
            let on: Vec<f64> = blend.row(0).iter().map(|entry| entry.weight).collect();
            prop_assert!(on.iter().all(|w| *w >= 0.0));
            prop_assert!((on.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            // No other point of it is nearer.
            let sum: f64 = others[..weights.len()].iter().sum();
            let other: Vec<f64> = others.iter().map(|w| w / sum.max(1e-9)).collect();
            let away = |from: &[f64]| -> f64 {
                from.iter().zip(&weights).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            prop_assert!(away(&on) <= away(&other) + 1e-12);
        }
    }

    #[test]
    fn a_change_that_is_confined_keeps_sums_and_goes_downhill() {
        let row = entries(&[0.5, 0.5, 0.0, 0.0]);
        let blend = Blend::new(3, [&row[..]]);
        let slope = [1.0, -1.0, -3.0, 5.0];
        let room = blend.room(&slope);
        assert!(room[..3].iter().all(|room| *room > 0.0) && room[3] == 0.0, "{room:?}");
        let mut change = slope.map(|s| -s);
        blend.keep_within(&room, &mut change);
        assert!(change.iter().sum::<f64>().abs() < 1e-15 && change[2] > 0.0 && change[3] == 0.0);
        assert!(change.iter().zip(slope).map(|(a, b)| a * b).sum::<f64>() < 0.0);
    }

    #[test]
    fn stretches_stay_at_their_ends() {
        // The second muscle is as short along x as it can be, and as long along y.
        let theta = [RELAXED, [STRETCHES[0], 0.0, 0.0, STRETCHES[1], 0.0, 1.0]].concat();
        // Downhill is shorter along x and z, and shorter along y.
        let slope = [[0.0; 6], [1.0, 0.3, 0.2, 2.0, -0.1, 1.0]].concat();
        let found = ends(&theta, &slope);
        assert_eq!(found.len(), 1);
        let mut change: Vec<f64> = slope.iter().map(|s| -s).collect();
        keep_ends(&found, &mut change);
        assert!(change[6].abs() < 1e-12, "{change:?}");
        assert_eq!(&change[7..], &slope[7..].iter().map(|s| -s).collect::<Vec<f64>>()[..]);
    }

    #[test]
    fn derivatives_match_differences() {
        let rows = [entries(&[0.2, 0.5, 0.3]), entries(&[0.0, 0.6, 0.4])];
        let blend = Blend::new(2, rows.iter().map(|row| &row[..]));
        let theta: Vec<f64> = (0..12).map(|k| 1.0 + 0.1 * f64::from(k)).collect();
        let by: Vec<f64> = (0..6).map(|k| 0.3 - 0.1 * f64::from(k)).collect();
        let mut moved = blend.clone();
        moved.entries.iter_mut().zip(&by).for_each(|(entry, by)| entry.weight += by);
        let [mut a, mut b, mut slope] = [[[0.0; 6]; 2]; 3];
        blend.activations(&theta, &mut a);
        moved.activations(&theta, &mut b);
        blend.add_spread(&theta, &by, &mut slope);
        for ((a, b), slope) in a.iter().zip(&b).zip(&slope) {
            (0..6).for_each(|k| assert!((b[k] - a[k] - slope[k]).abs() < 1e-14));
        }
        let pull = [[0.3, -0.2, 0.9, 0.1, 0.5, -0.4], [1.0, 0.2, -0.3, 0.6, 0.7, 0.8]];
        let mut gathered = vec![0.0; 6];
        blend.add_gather(&theta, &pull, &mut gathered);
        let one: f64 = gathered.iter().zip(&by).map(|(a, b)| a * b).sum();
        let other: f64 =
            pull.as_flattened().iter().zip(slope.as_flattened()).map(|(a, b)| a * b).sum();
        assert!((one - other).abs() < 1e-13);
    }
}

//! The muscle geometry matrix S: the weights with which muscles act in tets.
//!
//! Eq. 4.5 of \[dinev2020\] is a_i = Σ_j s_ij a_j. Column 0 is passive tissue with a₀ = I (Eq.
//! 4.7), and muscle m is column m + 1. Rows are on the simplex, s_ij ≥ 0 and Σ_j s_ij = 1 (Eq.
//! 4.8f, 4.8g), and have entries only for muscles in reach.

use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};
use pliant_model::potentials::activation::{Activation, RELAXED, matrix as activation_matrix};

use super::simplex::project_onto_simplex;
use crate::inverse::activation::{
    MULTIPLICITY, Parametrisation, STRETCH_BOUNDS, add_passive_stretch, clamp_stretches, dyad,
};
use crate::model::{FaceModel, NearbyMuscles};

/// Distance between corners of tets within which a muscle may come to act (m).
pub const REACH: f64 = 0.01;

/// An entry of a row of S.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GeometryEntry {
    /// 0 is passive tissue, m + 1 is muscle m.
    pub column: u32,
    /// Weight from 0 to 1.
    pub weight: f64,
}

/// S, stored by rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeometryMatrix {
    /// Number of muscles.
    pub muscles: usize,
    /// Tet i has `entries[starts[i]..starts[i + 1]]`.
    pub starts: Vec<u32>,
    pub entries: Vec<GeometryEntry>,
}

impl GeometryMatrix {
    /// Makes S from rows; the weights of each row are projected onto the simplex.
    ///
    /// ```
    /// use pliant_face::inverse::muscle_geometry::{GeometryEntry, GeometryMatrix};
    /// let entry = |column, weight| GeometryEntry { column, weight };
    /// let row = [entry(0, 0.9), entry(1, 0.3)];
    /// let geometry = GeometryMatrix::new(1, [&row[..]]);
    /// assert!((geometry.row(0)[1].weight - 0.2).abs() < 1e-12);
    /// ```
    pub fn new<'a>(
        muscles: usize,
        rows: impl IntoIterator<Item = &'a [GeometryEntry]>,
    ) -> GeometryMatrix {
        let mut geometry = GeometryMatrix { muscles, starts: vec![0], entries: Vec::new() };
        for row in rows {
            geometry.entries.extend_from_slice(row);
            geometry.starts.push(geometry.entries.len() as u32);
        }
        geometry.project();
        geometry
    }

    /// The geometry that a face has learned, or else that of its anatomy.
    pub fn of(face: &FaceModel) -> GeometryMatrix {
        match face.geometry.tets() == face.active_tets().len() {
            true => face.geometry.clone(),
            false => GeometryMatrix::from_anatomy(face),
        }
    }

    /// The geometry of a face's anatomy. Tets with muscle have the muscles' shares, assignable
    /// tissue is passive; rows have entries for passive tissue and the muscles within [`REACH`].
    pub fn from_anatomy(face: &FaceModel) -> GeometryMatrix {
        let nearby_muscles = NearbyMuscles::of(face, REACH);
        let mut rows = Vec::new();
        for shares in face.shares.chunk_by(|a, b| a.tet == b.tet) {
            let whole = shares.iter().map(|s| s.fraction).sum::<f64>();
            let of = |muscle: usize| GeometryEntry {
                column: muscle as u32 + 1,
                weight: shares
                    .iter()
                    .filter(|share| share.muscle as usize == muscle)
                    .map(|share| share.fraction / whole.max(1e-12))
                    .sum(),
            };
            let near = nearby_muscles.muscles(face.solid.tets[shares[0].tet as usize]).map(of);
            // Assignable tissue starts passive.
            let passive = GeometryEntry { column: 0, weight: f64::from(whole == 0.0) };
            rows.push([passive].into_iter().chain(near).collect::<Vec<GeometryEntry>>());
        }
        GeometryMatrix::new(face.muscles.len(), rows.iter().map(|row| &row[..]))
    }

    /// Muscle matrices nearest to activations of tets: their means, weighted by S.
    pub(crate) fn mean_muscle_matrices(&self, activations: &[Activation]) -> Vec<f64> {
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

    /// Number of tets.
    pub fn tets(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn range(&self, tet: usize) -> std::ops::Range<usize> {
        self.starts[tet] as usize..self.starts[tet + 1] as usize
    }

    /// The row of a tet.
    pub fn row(&self, tet: usize) -> &[GeometryEntry] {
        &self.entries[self.range(tet)]
    }

    /// Projects every row onto the simplex.
    pub fn project(&mut self) {
        let (mut weights, mut scratch) = (Vec::new(), Vec::new());
        for tet in 0..self.tets() {
            let range = self.range(tet);
            let row = &mut self.entries[range];
            weights.clear();
            weights.extend(row.iter().map(|entry| entry.weight));
            project_onto_simplex(&mut weights, &mut scratch);
            row.iter_mut().zip(&weights).for_each(|(entry, weight)| entry.weight = *weight);
        }
    }

    /// S with changed weights, projected onto the simplex.
    pub(crate) fn with_changes(&self, change: &[f64]) -> GeometryMatrix {
        let mut moved = self.clone();
        moved.entries.iter_mut().zip(change).for_each(|(entry, by)| entry.weight += by);
        moved.project();
        moved
    }

    /// out ← out + ∂a/∂S dS.
    pub(crate) fn add_weight_jacobian(
        &self,
        theta: &[f64],
        change: &[f64],
        out: &mut [Activation],
    ) {
        for (tet, out) in out.iter_mut().enumerate() {
            for (entry, by) in self.row(tet).iter().zip(&change[self.range(tet)]) {
                let own = matrix(theta, entry.column);
                (0..6).for_each(|k| out[k] += by * own[k]);
            }
        }
    }

    /// out ← out + (∂a/∂S)ᵀ g.
    pub(crate) fn add_transposed_weight_jacobian(
        &self,
        theta: &[f64],
        gradient: &[Activation],
        out: &mut [f64],
    ) {
        for (tet, gradient) in gradient.iter().enumerate() {
            for (entry, out) in self.row(tet).iter().zip(&mut out[self.range(tet)]) {
                let own = matrix(theta, entry.column);
                *out += (0..6).map(|k| own[k] * gradient[k]).sum::<f64>();
            }
        }
    }

    /// Scales of the entries for a descent direction: their distance from the bound that they move
    /// to \[coleman1996\]. An entry falls where its gradient is above the weighted mean of its row.
    pub(crate) fn scales(&self, gradient: &[f64]) -> Vec<f64> {
        /// Least scale of an entry that falls and is above zero, and of one that rises.
        const LEAST: [f64; 2] = [0.1, 0.5];
        let mut scales = vec![0.0; self.entries.len()];
        for tet in 0..self.tets() {
            let range = self.range(tet);
            let (row, gradient) = (self.row(tet), &gradient[range.clone()]);
            let mean: f64 = row.iter().zip(gradient).map(|(entry, s)| entry.weight * s).sum();
            for ((scale, entry), s) in scales[range].iter_mut().zip(row).zip(gradient) {
                *scale = match (*s > mean, entry.weight > 0.0) {
                    (true, false) => 0.0,
                    (true, true) => entry.weight.max(LEAST[0]),
                    (false, _) => entry.weight.max(LEAST[1]),
                };
            }
        }
        scales
    }

    /// Scales a change by D and keeps the sums of rows: (D − D 1 1ᵀ D / 1ᵀ D 1) of it.
    pub(crate) fn scale_change(&self, scales: &[f64], change: &mut [f64]) {
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

/// Muscle stretches at a bound that the negative gradient would cross: index of the muscle's first
/// number, and dyad of the stretch's axis.
pub(crate) fn stretches_at_bounds(theta: &[f64], gradient: &[f64]) -> Vec<(usize, Activation)> {
    /// Tolerance of the bounds.
    const NEAR: f64 = 1e-6;
    let mut stretches_at_bounds = Vec::new();
    for (m, (a, gradient)) in
        theta.as_chunks().0.iter().zip(gradient.as_chunks::<6>().0).enumerate()
    {
        let SymmetricEigen { values, vectors } = symmetric_eigen(&activation_matrix(a));
        for (value, axis) in values.to_array().iter().zip([0, 1, 2].map(|k| vectors.col(k))) {
            let dyad = dyad(axis.to_array());
            let rises: f64 = dyad.iter().zip(gradient).map(|(d, s)| d * s).sum();
            let is_out = *value <= STRETCH_BOUNDS[0] + NEAR && rises > 0.0
                || *value >= STRETCH_BOUNDS[1] - NEAR && rises < 0.0;
            if is_out {
                stretches_at_bounds.push((6 * m, dyad));
            }
        }
    }
    stretches_at_bounds
}

/// Removes the changes of stretches at their bounds from a change of muscle matrices.
pub(crate) fn remove_stretch_changes(
    stretches_at_bounds: &[(usize, Activation)],
    change: &mut [f64],
) {
    for (at, dyad) in stretches_at_bounds {
        let own = &mut change[*at..at + 6];
        let by: f64 = (0..6).map(|k| MULTIPLICITY[k] * dyad[k] * own[k]).sum();
        own.iter_mut().zip(dyad).for_each(|(own, d)| *own -= by * d);
    }
}

/// Six numbers per muscle, with constant S.
impl Parametrisation for GeometryMatrix {
    fn count(&self) -> usize {
        6 * self.muscles
    }

    fn relaxed(&self) -> Vec<f64> {
        RELAXED.repeat(self.muscles)
    }

    fn confine(&self, theta: &mut [f64]) {
        let own = theta.as_chunks_mut().0.iter_mut();
        own.for_each(clamp_stretches);
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

    fn apply_jacobian(&self, _: &[f64], change: &[f64], out: &mut [Activation]) {
        for (tet, out) in out.iter_mut().enumerate() {
            *out = [0.0; 6];
            for entry in self.row(tet) {
                let Some(muscle) = (entry.column as usize).checked_sub(1) else { continue };
                (0..6).for_each(|k| out[k] += entry.weight * change[6 * muscle + k]);
            }
        }
    }

    fn apply_transposed_jacobian(&self, _: &[f64], gradient: &[Activation], out: &mut [f64]) {
        out.fill(0.0);
        for (tet, gradient) in gradient.iter().enumerate() {
            for entry in self.row(tet) {
                let Some(muscle) = (entry.column as usize).checked_sub(1) else { continue };
                (0..6).for_each(|k| out[6 * muscle + k] += entry.weight * gradient[k]);
            }
        }
    }
}

/// S with passive stretch: a_i = Y_i + Σ_j s_ij a_j. Relaxed muscles stretch by Y when the jaw
/// opens, and activations add to that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StretchedGeometry {
    pub geometry: GeometryMatrix,
    /// Y by tet; empty if there is none.
    pub passive_stretch: Vec<Activation>,
}

impl StretchedGeometry {
    /// Without passive stretch.
    pub fn new(geometry: GeometryMatrix) -> StretchedGeometry {
        StretchedGeometry { geometry, passive_stretch: Vec::new() }
    }
}

impl Parametrisation for StretchedGeometry {
    fn count(&self) -> usize {
        self.geometry.count()
    }

    fn relaxed(&self) -> Vec<f64> {
        self.geometry.relaxed()
    }

    fn confine(&self, theta: &mut [f64]) {
        self.geometry.confine(theta);
    }

    fn activations(&self, theta: &[f64], out: &mut [Activation]) {
        self.geometry.activations(theta, out);
        add_passive_stretch(out, &self.passive_stretch);
    }

    fn apply_jacobian(&self, theta: &[f64], change: &[f64], out: &mut [Activation]) {
        self.geometry.apply_jacobian(theta, change, out);
    }

    fn apply_transposed_jacobian(&self, theta: &[f64], gradient: &[Activation], out: &mut [f64]) {
        self.geometry.apply_transposed_jacobian(theta, gradient, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(weights: &[f64]) -> Vec<GeometryEntry> {
        (0..).zip(weights).map(|(column, &weight)| GeometryEntry { column, weight }).collect()
    }

    #[test]
    fn a_change_that_is_confined_keeps_sums_and_goes_downhill() {
        let row = entries(&[0.5, 0.5, 0.0, 0.0]);
        let geometry = GeometryMatrix::new(3, [&row[..]]);
        let slope = [1.0, -1.0, -3.0, 5.0];
        let scales = geometry.scales(&slope);
        assert!(scales[..3].iter().all(|scale| *scale > 0.0) && scales[3] == 0.0, "{scales:?}");
        let mut change = slope.map(|s| -s);
        geometry.scale_change(&scales, &mut change);
        assert!(change.iter().sum::<f64>().abs() < 1e-15 && change[2] > 0.0 && change[3] == 0.0);
        assert!(change.iter().zip(slope).map(|(a, b)| a * b).sum::<f64>() < 0.0);
    }

    #[test]
    fn stretches_stay_at_their_ends() {
        // The second muscle is at its lower bound along x, and at its upper bound along y.
        let theta = [RELAXED, [STRETCH_BOUNDS[0], 0.0, 0.0, STRETCH_BOUNDS[1], 0.0, 1.0]].concat();
        // Descent would shorten x and z, and shorten y.
        let slope = [[0.0; 6], [1.0, 0.3, 0.2, 2.0, -0.1, 1.0]].concat();
        let found = stretches_at_bounds(&theta, &slope);
        assert_eq!(found.len(), 1);
        let mut change: Vec<f64> = slope.iter().map(|s| -s).collect();
        remove_stretch_changes(&found, &mut change);
        assert!(change[6].abs() < 1e-12, "{change:?}");
        assert_eq!(&change[7..], &slope[7..].iter().map(|s| -s).collect::<Vec<f64>>()[..]);
    }

    #[test]
    fn derivatives_match_differences() {
        let rows = [entries(&[0.2, 0.5, 0.3]), entries(&[0.0, 0.6, 0.4])];
        let geometry = GeometryMatrix::new(2, rows.iter().map(|row| &row[..]));
        let theta: Vec<f64> = (0..12).map(|k| 1.0 + 0.1 * f64::from(k)).collect();
        let by: Vec<f64> = (0..6).map(|k| 0.3 - 0.1 * f64::from(k)).collect();
        let mut moved = geometry.clone();
        moved.entries.iter_mut().zip(&by).for_each(|(entry, by)| entry.weight += by);
        let [mut a, mut b, mut slope] = [[[0.0; 6]; 2]; 3];
        geometry.activations(&theta, &mut a);
        moved.activations(&theta, &mut b);
        geometry.add_weight_jacobian(&theta, &by, &mut slope);
        for ((a, b), slope) in a.iter().zip(&b).zip(&slope) {
            (0..6).for_each(|k| assert!((b[k] - a[k] - slope[k]).abs() < 1e-14));
        }
        let pull = [[0.3, -0.2, 0.9, 0.1, 0.5, -0.4], [1.0, 0.2, -0.3, 0.6, 0.7, 0.8]];
        let mut gathered = vec![0.0; 6];
        geometry.add_transposed_weight_jacobian(&theta, &pull, &mut gathered);
        let one: f64 = gathered.iter().zip(&by).map(|(a, b)| a * b).sum();
        let other: f64 =
            pull.as_flattened().iter().zip(slope.as_flattened()).map(|(a, b)| a * b).sum();
        assert!((one - other).abs() < 1e-13);
    }
}

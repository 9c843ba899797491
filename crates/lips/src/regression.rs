//! The linear map x = θy from mouth to inner lip: "User-guided lip correction for facial
//! performance capture" (Dinev et al. 2018; Dinev 2020, Section 2.2), Eq. 2.1–2.6.
//!
//! min over θ of ‖θY − X‖² (Eq. 2.2), a column per corrected frame. With Y = U_Y C_Y and X = U_X
//! C_X the same is min over Θ̄ of ‖Θ̄ C_Y − C_X‖² (Eq. 2.5), of the size of the number of frames,
//! and θ = U_X Θ̄ U_Yᵀ is never formed. Any orthonormal bases of the columns will do for U; those
//! here are of the factorisation Y = QR.
//!
//! The normal equations Θ̄ C_Y C_Yᵀ = C_X C_Yᵀ (Eq. 2.6) are singular as soon as two frames are
//! alike. Here Θ̄ = C_X V f(Σ) Uᵀ with C_Y = U Σ Vᵀ, where f(σ) = σ ÷ (σ² + λ) for singular values
//! above a threshold, and 0 below: the minimum-norm solution, regularised by λ when asked.

use crate::error::LipsError;
use crate::reduction::{Reduction, small_svd};

/// How examples that nearly contradict each other are settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegressionOptions {
    /// λ of ridge regression, in parts of the largest σ²: 0 goes through every example.
    pub ridge: f64,
    /// Singular values below this part of the largest count as zero.
    pub truncation: f64,
}

impl Default for RegressionOptions {
    fn default() -> Self {
        RegressionOptions { ridge: 0.0, truncation: 1e-6 }
    }
}

impl RegressionOptions {
    /// Whether the numbers make sense.
    ///
    /// # Errors
    /// Names the one that does not.
    pub fn check(&self) -> Result<(), LipsError> {
        let RegressionOptions { ridge, truncation } = *self;
        if !(ridge.is_finite() && ridge >= 0.0) {
            let expected = "a number from 0";
            return Err(LipsError::Number { what: "ridge", found: ridge, expected });
        }
        if !(truncation > 0.0 && truncation < 1.0) {
            let expected = "between 0 and 1";
            return Err(LipsError::Number { what: "truncation", found: truncation, expected });
        }
        Ok(())
    }
}

/// Examples (y, x), and the map that they teach.
///
/// ```
/// use pliant_lips::{Regression, RegressionOptions};
/// let mut regression = Regression::new(RegressionOptions::default());
/// regression.append(vec![1.0, 0.0, 0.0], vec![2.0, 2.0]);
/// regression.append(vec![0.0, 1.0, 0.0], vec![0.0, 3.0]);
/// regression.append(vec![0.0, 1.0, 0.0], vec![0.0, 3.0]); // said twice: as if said once
/// regression.solve();
/// let x = regression.predict(&[0.5, 1.0, 9.0]); // what it never saw has no effect
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 4.0).abs() < 1e-14);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Regression {
    options: RegressionOptions,
    y: Reduction,
    x: Reduction,
    /// Θ̄ from coefficients in the basis of Y to those in the basis of X, row by row.
    map: Vec<f64>,
    /// Rows: what of the basis of Y is known, orthonormal.
    known: Vec<Vec<f64>>,
}

impl Regression {
    /// Without examples.
    pub fn new(options: RegressionOptions) -> Regression {
        Regression { options, ..Regression::default() }
    }

    /// Adds an example; [`Regression::solve`] makes it count.
    pub fn append(&mut self, y: Vec<f64>, x: Vec<f64>) {
        self.y.append(y);
        self.x.append(x);
    }

    /// Θ̄ of all examples.
    pub fn solve(&mut self) {
        let (weights, known) = self.weights(&self.y.coefficients());
        let x = self.x.coefficients();
        let (rank_y, rank_x) = (self.y.rank(), self.x.rank());
        self.map = vec![0.0; rank_x * rank_y];
        for (column, weights) in x.iter().zip(&weights) {
            for row in 0..rank_x {
                for (slot, weight) in self.map[row * rank_y..].iter_mut().zip(weights) {
                    *slot += column[row] * weight;
                }
            }
        }
        self.known = known;
    }

    /// V f(Σ) Uᵀ, a row per example, and the columns of U that count.
    fn weights(&self, y: &[Vec<f64>]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let rank = y.first().map_or(0, Vec::len);
        let svd = small_svd(y.to_vec());
        let largest = svd.values.first().copied().unwrap_or(0.0);
        let ridge = self.options.ridge * largest * largest;
        let mut weights = vec![vec![0.0; rank]; y.len()];
        let mut known = Vec::new();
        for ((u, v), sigma) in svd.u.into_iter().zip(&svd.v).zip(svd.values) {
            if sigma < self.options.truncation * largest {
                break;
            }
            let factor = sigma / (sigma * sigma + ridge);
            for (row, v) in weights.iter_mut().zip(v) {
                row.iter_mut().zip(&u).for_each(|(slot, u)| *slot += v * factor * u);
            }
            known.push(u);
        }
        (weights, known)
    }

    /// Of every example, what the others get wrong: x less their prediction, and the length of the
    /// part of y that they do not show.
    pub fn left_out(&self) -> Vec<(Vec<f64>, f64)> {
        let (y, x) = (self.y.coefficients(), self.x.coefficients());
        let mut errors = Vec::new();
        for (place, (own_y, own_x)) in y.iter().zip(&x).enumerate() {
            let others: Vec<Vec<f64>> =
                y.iter().enumerate().filter(|(k, _)| *k != place).map(|(_, y)| y.clone()).collect();
            if others.is_empty() {
                break;
            }
            let (weights, known) = self.weights(&others);
            let along = |u: &Vec<f64>| u.iter().zip(own_y).map(|(a, b)| a * b).sum::<f64>();
            let mut error = own_x.clone();
            for (weights, (_, x)) in
                weights.iter().zip(x.iter().enumerate().filter(|(k, _)| *k != place))
            {
                let weight = along(weights);
                error.iter_mut().zip(x).for_each(|(e, x)| *e -= weight * x);
            }
            let shown: f64 = known.iter().map(|u| along(u).powi(2)).sum();
            let whole: f64 = own_y.iter().map(|c| c * c).sum();
            errors.push((self.output(&error), (whole - shown).max(0.0).sqrt()));
        }
        errors
    }

    /// From coefficients in the basis of the xs to an x.
    fn output(&self, coefficients: &[f64]) -> Vec<f64> {
        let length = self.outputs().first().map_or(0, Vec::len);
        let at = |k: usize| self.outputs().iter().zip(coefficients).map(|(q, c)| q[k] * c).sum();
        (0..length).map(at).collect()
    }

    /// The orthonormal basis of the ys.
    pub fn inputs(&self) -> &[Vec<f64>] {
        self.y.basis()
    }

    /// The orthonormal basis of the xs.
    pub fn outputs(&self) -> &[Vec<f64>] {
        self.x.basis()
    }

    /// How many directions of the ys count.
    pub fn rank(&self) -> usize {
        self.known.len()
    }

    /// Θ̄c, from the coefficients of a y to those of its x.
    pub fn map(&self, inputs: &[f64], outputs: &mut [f64]) {
        for (output, row) in outputs.iter_mut().zip(self.map.chunks_exact(inputs.len().max(1))) {
            *output = row.iter().zip(inputs).map(|(a, b)| a * b).sum();
        }
    }

    /// The squared length of the part of y that examples know, from its coefficients.
    pub fn known_square(&self, inputs: &[f64]) -> f64 {
        let along = |u: &Vec<f64>| u.iter().zip(inputs).map(|(a, b)| a * b).sum::<f64>();
        self.known.iter().map(|u| along(u).powi(2)).sum()
    }

    /// x = θy.
    pub fn predict(&self, y: &[f64]) -> Vec<f64> {
        let inputs: Vec<f64> = self.inputs().iter().map(|q| crate::reduction::dot(q, y)).collect();
        let mut outputs = vec![0.0; self.x.rank()];
        self.map(&inputs, &mut outputs);
        self.output(&outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_example_is_followed_in_proportion() {
        let mut regression = Regression::new(RegressionOptions::default());
        regression.append(vec![3.0, 4.0], vec![1.0, -2.0]);
        regression.solve();
        assert_eq!(regression.rank(), 1);
        let x = regression.predict(&[1.5, 2.0]);
        assert!((x[0] - 0.5).abs() < 1e-15 && (x[1] + 1.0).abs() < 1e-15);
        assert_eq!(regression.predict(&[0.0, 0.0]), [0.0, 0.0]);
    }

    #[test]
    fn contradicting_examples_are_averaged() {
        let mut regression = Regression::new(RegressionOptions::default());
        regression.append(vec![1.0, 1.0], vec![1.0]);
        regression.append(vec![1.0, 1.0], vec![2.0]);
        regression.solve();
        assert!((regression.predict(&[1.0, 1.0])[0] - 1.5).abs() < 1e-14);
    }

    #[test]
    fn nearly_equal_examples_do_not_blow_up() {
        // The second differs by 1e-9 from the first, and asks for something else.
        let mut regression = Regression::new(RegressionOptions::default());
        regression.append(vec![1.0, 0.0], vec![1.0]);
        regression.append(vec![1.0, 1e-9], vec![2.0]);
        regression.solve();
        assert_eq!(regression.rank(), 1);
        assert!((regression.predict(&[1.0, 0.1])[0] - 1.5).abs() < 1e-6);
    }

    #[test]
    fn a_ridge_pulls_towards_rest() {
        let with = |ridge: f64| {
            let mut regression =
                Regression::new(RegressionOptions { ridge, ..RegressionOptions::default() });
            regression.append(vec![2.0], vec![1.0]);
            regression.solve();
            regression.predict(&[2.0])[0]
        };
        assert!((with(0.0) - 1.0).abs() < 1e-15);
        assert!((with(1.0) - 0.5).abs() < 1e-15);
        assert!(RegressionOptions { ridge: -1.0, truncation: 0.1 }.check().is_err());
        assert!(RegressionOptions { ridge: 0.0, truncation: f64::NAN }.check().is_err());
    }

    #[test]
    fn without_examples_nothing_is_predicted() {
        let mut regression = Regression::new(RegressionOptions::default());
        regression.solve();
        assert!(regression.predict(&[1.0, 2.0]).is_empty());
        assert_eq!(regression.known_square(&[]), 0.0);
    }
}

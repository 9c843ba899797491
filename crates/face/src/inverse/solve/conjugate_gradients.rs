//! Preconditioned conjugate gradients \[golub2013\] on products with a matrix that is not formed.

use pliant_math::Row;

/// An approximate solution of H x = b.
pub(crate) struct ConjugateSolution {
    /// x.
    pub solution: Vec<f64>,
    /// H x.
    pub image: Vec<f64>,
    /// Products with H.
    pub products: u32,
    /// bᵀ P b of the right-hand side b with the preconditioner P.
    pub size: f64,
}

/// Solves H x = b, until the residual has fallen to `tolerance` or after `most` products.
pub(crate) fn conjugate_gradients(
    b: Vec<f64>,
    (most, tolerance): (u32, f64),
    precondition: impl Fn(&[f64]) -> Vec<f64>,
    mut product: impl FnMut(&[f64]) -> Vec<f64>,
) -> ConjugateSolution {
    let [mut solution, mut image] = [vec![0.0; b.len()], vec![0.0; b.len()]];
    let mut residual = b;
    let mut along = precondition(&residual);
    let mut size = dot(&residual, &along);
    let (first, goal) = (size, tolerance * tolerance * size);
    let mut products = 0;
    while products < most && size > goal && size.is_finite() {
        let own = product(&along);
        products += 1;
        let curvature = dot(&along, &own);
        if curvature <= 0.0 || curvature.is_nan() {
            break;
        }
        let length = size / curvature;
        for k in 0..solution.len() {
            solution[k] += length * along[k];
            image[k] += length * own[k];
            residual[k] -= length * own[k];
        }
        let next = precondition(&residual);
        let before = size;
        size = dot(&residual, &next);
        let keep = size / before;
        along.iter_mut().zip(&next).for_each(|(a, n)| *a = n + keep * *a);
    }
    ConjugateSolution { solution, image, products, size: first }
}

pub(crate) fn dot_rows(a: &[Row], b: &[Row]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.xyz().dot(b.xyz())).sum()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

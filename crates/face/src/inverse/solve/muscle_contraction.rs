//! The local step of R_act: the best contraction γ of a whole muscle.
//!
//! R_act wants Qᵀ diag(1/γ, √γ, √γ) Q in a muscle's tets, with the fibres along the first row of Q.
//! For given S(a) the best γ minimises Σ f ((1/γ − b₁)² + (√γ − b₂)² + (√γ − b₃)²), with b the
//! diagonal of Q S Qᵀ. With u = √γ and F = Σ f, its derivative vanishes where
//!
//! ```text
//! 2F u⁶ − Σ f (b₂ + b₃) u⁵ + 2 Σ f b₁ u² − 2F = 0.
//! ```

/// Contraction 1 − 1/γ from F, Σ f b₁ and Σ f (b₂ + b₃); 0 for muscles in no tet.
///
/// ```
/// use pliant_face::inverse::solve::optimal_contraction;
/// // Two tets that want the matrices of fibres shortened by a fifth.
/// let across = 2.0 / 0.8f64.sqrt();
/// assert!((optimal_contraction(2.0, 2.0 * 0.8, 2.0 * across) - 0.2).abs() < 1e-12);
/// assert_eq!(optimal_contraction(0.0, 0.0, 0.0), 0.0);
/// ```
pub fn optimal_contraction(whole: f64, along: f64, across: f64) -> f64 {
    if !(whole > 0.0 && along.is_finite() && across.is_finite()) {
        return 0.0;
    }
    let slope = |u: f64| {
        let square = u * u;
        let fifth = square * square * u;
        2.0 * whole * (fifth * u - 1.0) - across * fifth + 2.0 * along * square
    };
    // Bounds of γ, 0.2 and 10: fibres five times as long, or a tenth.
    let (mut low, mut high) = (0.2f64.sqrt(), 10f64.sqrt());
    if slope(low) >= 0.0 {
        return 1.0 - 1.0 / (low * low);
    }
    if slope(high) <= 0.0 {
        return 1.0 - 1.0 / (high * high);
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    let u = 0.5 * (low + high);
    1.0 - 1.0 / (u * u)
}

//! A light low-pass filter before the projection.
//!
//! Implicit midpoint keeps what large steps cannot resolve as jitter, and a projection of the total
//! energy keeps it alive. Before projecting, positions and velocities lose a share γ of their
//! stiffest part,
//!
//! ```text
//! x −= γ Â⁻¹ (∇E(x₁) − ∇E(x₀)),   v −= γ Â⁻¹ K v,   Â = 4M/h² + L,
//! ```
//!
//! where L is the projective matrix: slow modes (K ≪ 4M/h²) hardly notice, the stiffest lose γ per
//! step. K v is a difference of gradients. What the filter takes is put back by the projection,
//! into the motion that is left.

use pliant_math::Row;

/// Vectors of the filter.
pub struct FilterSpace {
    start: Vec<Row>,
    end: Vec<Row>,
    ahead: Vec<Row>,
    moved: Vec<Row>,
    direction: Vec<Row>,
}

impl FilterSpace {
    /// For `free` of `all` vertices.
    pub fn new(all: usize, free: usize) -> Self {
        let rows = |count| vec![Row::zero(); count];
        FilterSpace {
            start: rows(free),
            end: rows(free),
            ahead: rows(free),
            moved: rows(all),
            direction: rows(free),
        }
    }
}

/// What the filter asks: gradients of the stored energy, and Â⁻¹.
pub trait Stiffness {
    /// ∇E at the free vertices \[N\], at the start of the step.
    fn gradient_at_start(&mut self, positions: &[Row], gradient: &mut [Row]);
    /// The same at its end.
    fn gradient_at_end(&mut self, positions: &[Row], gradient: &mut [Row]);
    /// Â⁻¹ applied to forces \[N\], giving displacements \[m\].
    fn relax(&mut self, forces: &[Row], out: &mut [Row]);
}

/// Filters the state (`positions`, `velocities`) after a step of length h \[s\] that began at
/// `before`, with the share γ.
pub fn soften(
    share: f64,
    h: f64,
    stiffness: &mut dyn Stiffness,
    before: &[Row],
    positions: &mut [Row],
    velocities: &mut [Row],
    space: &mut FilterSpace,
) {
    let FilterSpace { start, end, ahead, moved, direction } = space;
    stiffness.gradient_at_start(before, start);
    stiffness.gradient_at_end(positions, end);
    // Far enough for the difference to have digits, near enough to be a derivative.
    let reach = 1e-3 * h;
    for ((to, &x), &v) in moved.iter_mut().zip(&*positions).zip(&*velocities) {
        *to = x.plus_scaled(reach, v);
    }
    stiffness.gradient_at_end(moved, ahead);
    for ((ahead, &end), start) in ahead.iter_mut().zip(&*end).zip(start.iter_mut()) {
        *ahead = (*ahead - end) * (1.0 / reach);
        *start = end - *start;
    }
    stiffness.relax(start, direction);
    for (x, &d) in positions.iter_mut().zip(&*direction) {
        *x = x.plus_scaled(-share, d);
    }
    stiffness.relax(ahead, direction);
    for (v, &d) in velocities.iter_mut().zip(&*direction) {
        *v = v.plus_scaled(-share, d);
    }
}

//! Springs: C = l − r along n = (x₀ − x₁)/l, compliance 1/k.
//!
//! With W = w₀ + w₁ and the remembered force f on x₀ (−f on x₁), XPBD's step along n is
//! Δf·n = −(C + f·n/k)/(W + 1/k). The same step for all three components,
//!
//! ```text
//! Δf = −(k C n + f)/(1 + k W),
//! ```
//!
//! lets the force turn with the spring as well, and no spring is stiffer than k across.

use glam::DVec3;
use pliant_math::Row;
use pliant_math::lanes::{Kernel, Lanes, WIDTH_F64, run64};
use pliant_math::team::{SharedSlice, Team};
use pliant_model::potentials::springs::Spring;

use super::colored::{Batch, Batches, Colored, Run};

/// Numbers per spring: k, r, w of both ends, 1/(1 + kW).
const VALUES: usize = 5;
/// Squared lengths \[m²\] that have a direction.
const SHORTEST: f64 = 1e-36;
const LONGEST: f64 = 1e36;

/// The springs of all bodies.
pub(super) struct Springs {
    constraints: Colored<2, VALUES, 3>,
    springs: Vec<Spring>,
    /// 1/κ that the constraints' values are for \[s²\].
    softness: f64,
}

impl Springs {
    /// From springs at vertices that are at `positions` \[m\].
    pub fn new(springs: Vec<Spring>, positions: &[DVec3]) -> Self {
        let ends: Vec<[u32; 2]> = springs.iter().map(|s| s.ends).collect();
        let constraints = Colored::new(&ends, positions, |_| [0.0; VALUES]);
        Springs { constraints, springs, softness: 0.0 }
    }

    /// Lets go of all forces; `softness` of the sweeps to come is 1/κ \[s²\], and the inverse
    /// masses are those of the model's vertices [1/kg].
    pub fn release(&mut self, softness: f64, inverse_masses: &[f64]) {
        self.constraints.release();
        if softness != self.softness {
            self.softness = softness;
            let springs = &self.springs;
            self.constraints.assign(|s| {
                let Spring { ends, stiffness, rest_length, .. } = springs[s];
                let [a, b] = ends.map(|v| softness * inverse_masses[v as usize]);
                [stiffness, rest_length, a, b, 1.0 / (1.0 + stiffness * (a + b))]
            });
        }
    }

    /// Relaxes every spring once.
    pub fn relax(&mut self, positions: SharedSlice<Row>, team: &Team) {
        self.constraints.sweep(team, &|batches| run64(Relax { batches, positions }));
    }
}

struct Relax<'a> {
    batches: Batches<'a, 2, VALUES, 3>,
    positions: SharedSlice<'a, Row>,
}

impl<L: Lanes<Real = f64>> Kernel<L> for Relax<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let x = self.positions.ptr();
        for run in self.batches.each() {
            // SAFETY: inside a kernel of L; vertices are the model's, lanes of a run share none,
            // and no other thread has them.
            unsafe {
                match run {
                    Run::One(batches) => relax::<L, 1>(batches, x),
                    Run::Two(batches) => relax::<L, 2>(batches, x),
                }
            }
        }
    }
}

/// Relaxes the springs of N batches, in three passes so that they fill each other's pauses.
///
/// # Safety
/// Inside a kernel of L; all ends are valid, no two of them the same, and nobody else's.
#[inline(always)]
unsafe fn relax<L: Lanes<Real = f64>, const N: usize>(batches: [Batch; N], x: *mut Row) {
    // SAFETY: passed on to the caller.
    unsafe {
        let zero = L::splat(0.0);
        let (mut a, mut b) = ([[zero; 3]; N], [[zero; 3]; N]);
        let mut squared = [zero; N];
        for n in 0..N {
            a[n] = L::gather_rows(x, batches[n].corners);
            b[n] = L::gather_rows(x, batches[n].corners.add(WIDTH_F64));
            let d = [a[n][0] - b[n][0], a[n][1] - b[n][1], a[n][2] - b[n][2]];
            let sum = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2] * d[2]));
            squared[n] = sum.max(L::splat(SHORTEST)).min(L::splat(LONGEST));
        }
        let mut pull = [zero; N];
        for n in 0..N {
            let inverse = squared[n].inverse_sqrt();
            let length = squared[n] * inverse;
            // A step towards √ of what is left: exact where a spring is at rest.
            let half = inverse * L::splat(0.5);
            let length = length.neg_mul_add(length, squared[n]).mul_add(half, length);
            let stretch = length - L::load(batches[n].values.add(WIDTH_F64));
            pull[n] = L::load(batches[n].values) * stretch * inverse;
        }
        for n in 0..N {
            let Batch { corners, values, forces, .. } = batches[n];
            let w0 = L::load(values.add(2 * WIDTH_F64));
            let w1 = L::load(values.add(3 * WIDTH_F64));
            let share = L::load(values.add(4 * WIDTH_F64));
            for i in 0..3 {
                let f = L::load(forces.add(i * WIDTH_F64));
                let change = -(pull[n].mul_add(a[n][i] - b[n][i], f) * share);
                (f + change).store(forces.add(i * WIDTH_F64));
                a[n][i] = w0.mul_add(change, a[n][i]);
                b[n][i] = w1.neg_mul_add(change, b[n][i]);
            }
            L::scatter_rows(a[n], x, corners);
            L::scatter_rows(b[n], x, corners.add(WIDTH_F64));
        }
    }
}

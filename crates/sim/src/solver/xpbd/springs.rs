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

use pliant_math::Row;
use pliant_math::lanes::{Kernel, Lanes, WIDTH_F64, run64};
use pliant_math::team::{SharedSlice, Team};
use pliant_model::potentials::springs::Spring;

use super::colored::{Batches, Colored, gather, scatter};

/// Numbers per spring: k, r, 1/m of both ends.
const VALUES: usize = 4;
/// Shorter springs than this \[m\] have no direction.
const SHORTEST: f64 = 1e-150;

/// The springs of all bodies.
pub(super) struct Springs {
    constraints: Colored<2, VALUES, 3>,
}

impl Springs {
    /// From springs and the inverse masses of the model's vertices [1/kg].
    pub fn new(springs: &[Spring], inverse_masses: &[f64]) -> Self {
        let ends: Vec<[u32; 2]> = springs.iter().map(|s| s.ends).collect();
        let values = |s: &Spring| {
            let [a, b] = s.ends.map(|v| inverse_masses[v as usize]);
            [s.stiffness, s.rest_length, a, b]
        };
        let values: Vec<[f64; VALUES]> = springs.iter().map(values).collect();
        Springs { constraints: Colored::new(&ends, &values) }
    }

    /// Lets go of all forces.
    pub fn release(&mut self) {
        self.constraints.release();
    }

    /// Relaxes every spring once; `softness` is 1/κ \[s²\].
    pub fn relax(&mut self, positions: SharedSlice<Row>, softness: f64, team: &Team) {
        self.constraints.sweep(team, &|batches| run64(Relax { batches, positions, softness }));
    }
}

struct Relax<'a> {
    batches: Batches<'a, 2, VALUES, 3>,
    positions: SharedSlice<'a, Row>,
    softness: f64,
}

impl<L: Lanes<Real = f64>> Kernel<L> for Relax<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let x = self.positions.ptr();
        for batch in self.batches.each() {
            // SAFETY: inside a kernel of L; vertices are the model's, and no two constraints of a
            // colour share one.
            unsafe {
                let (zero, one) = (L::splat(0.0), L::splat(1.0));
                let softness = L::splat(self.softness);
                let value = |k: usize| L::load(batch.values.add(k * WIDTH_F64));
                let (stiffness, rest) = (value(0), value(1));
                let (w0, w1) = (softness * value(2), softness * value(3));
                let ends = [batch.corners, batch.corners.add(WIDTH_F64)];
                let [mut a, mut b] = [gather::<L>(x, ends[0]), gather::<L>(x, ends[1])];
                let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
                let squared = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2] * d[2]));
                let length = squared.sqrt().max(L::splat(SHORTEST));
                let mut f = [zero; 3];
                for (i, f) in f.iter_mut().enumerate() {
                    *f = L::load(batch.forces.add(i * WIDTH_F64));
                }
                let both = w0 + w1;
                let pull = stiffness * (length - rest).div(length);
                let share = one.div(stiffness.mul_add(both, one));
                for i in 0..3 {
                    let change = -(pull.mul_add(d[i], f[i]) * share);
                    (f[i] + change).store(batch.forces.add(i * WIDTH_F64));
                    a[i] = w0.mul_add(change, a[i]);
                    b[i] = w1.neg_mul_add(change, b[i]);
                }
                scatter(a, x, ends[0], batch.used);
                scatter(b, x, ends[1], batch.used);
            }
        }
    }
}

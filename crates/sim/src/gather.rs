//! The pass over vertices that completes a gradient: it sums the tasks' rows, adds inertia and
//! gravity, and takes all dot products while the gradient is in registers.

use std::ops::Range;

use pliant_math::Row;
use pliant_math::lanes::{Kernel, Lanes, Quad};
use pliant_math::lbfgs::MAX_HISTORY;
use pliant_math::team::SharedSlice;

use crate::objective::{Objective, Sums};

/// Vectors that a gradient is multiplied with while it is in registers, and where it is wanted in
/// single precision.
#[derive(Clone, Copy)]
pub struct Companions<'a> {
    /// d of the previous iterate.
    pub previous: &'a [Row<f32>],
    /// Per vertex: `stride` s, then `stride` z.
    pub history: &'a [Row<f32>],
    /// Slots per vertex.
    pub stride: usize,
    /// How many slots are filled.
    pub used: usize,
    /// Takes ∇G · `factor`, narrowed.
    pub narrowed: SharedSlice<'a, Row<f32>>,
    /// See `narrowed`.
    pub factor: f64,
}

/// The pass over some of the free vertices.
pub(crate) struct Gather<'a, 'o> {
    pub objective: &'a Objective<'o>,
    pub p: &'a [Row],
    pub rows: &'a [Row],
    pub vertices: Range<usize>,
    pub gradient: &'a mut [Row],
    pub companions: Option<Companions<'a>>,
}

impl<L: Lanes<Real = f64>> Kernel<L> for Gather<'_, '_> {
    type Output = Sums;

    #[inline(always)]
    unsafe fn run(self) -> Sums {
        let Gather { objective, p, rows, vertices, gradient, companions } = self;
        let (field, masses) = (objective.model.field(), objective.model.masses());
        let (inertia, measured) = (objective.inertia, objective.measured);
        let lengths = [p.len(), masses.len(), inertia.len(), measured.len()];
        assert!(lengths.iter().all(|&len| vertices.end <= len));
        assert!(vertices.len() == gradient.len() && rows.len() == field.row_count());
        let companions = companions.filter(|c| {
            assert!(vertices.end <= c.previous.len().min(c.narrowed.len()));
            assert!(vertices.end * 2 * c.stride <= c.history.len());
            assert!(c.used <= c.stride && c.stride <= MAX_HISTORY);
            true
        });
        // SAFETY: inside a kernel of L; all indices were compared above, those of the field's rows
        // are below their count; blocks of `narrowed` do not overlap, as those of `gradient`.
        unsafe {
            let zero = L::Quad::splat(0.0);
            let gravity = Row::from(objective.drive.gravity);
            let (gravity, kappa) = (L::Quad::load(&gravity), L::Quad::splat(objective.kappa));
            let (mut spring, mut weight, mut weights) = (zero, zero, zero);
            let (mut gg, mut ii, mut ff, mut previous) = (zero, zero, zero, zero);
            let (mut s, mut z) = ([zero; MAX_HISTORY], [zero; MAX_HISTORY]);
            for (out, i) in gradient.iter_mut().zip(vertices) {
                let (mut force, mut squares) = (zero, zero);
                for &row in field.vertex_rows(i) {
                    let part = L::Quad::load(rows.as_ptr().add(row as usize));
                    force = force + part;
                    squares = part.mul_add(part, squares);
                }
                let mass = L::Quad::splat(*masses.get_unchecked(i));
                let counts = L::Quad::splat(*measured.get_unchecked(i));
                let x = L::Quad::load(p.as_ptr().add(i));
                let away = x - L::Quad::load(inertia.as_ptr().add(i));
                let (push, pull) = (away * (kappa * mass), gravity * mass);
                let heavy = pull * x;
                let g = force - pull + push;
                g.store(out);
                weight = weight - heavy;
                weights = weights + heavy.abs();
                spring = push.mul_add(away, spring);
                gg = (counts * g).mul_add(g, gg);
                ii = push.mul_add(push, ii);
                ff = counts.mul_add(squares, pull.mul_add(pull, ff));
                if let Some(c) = companions {
                    (g * L::Quad::splat(c.factor)).narrow(c.narrowed.ptr().add(i));
                    previous = g.mul_add(L::Quad::widen(c.previous.as_ptr().add(i)), previous);
                    let history = c.history.as_ptr().add(i * 2 * c.stride);
                    // A fixed number of turns keeps the sums in registers.
                    for k in 0..MAX_HISTORY {
                        if k < c.used {
                            s[k] = g.mul_add(L::Quad::widen(history.add(k)), s[k]);
                            z[k] = g.mul_add(L::Quad::widen(history.add(c.stride + k)), z[k]);
                        }
                    }
                }
            }
            let (inertial, stored) = (0.5 * spring.sum(), weight.sum());
            let mut sums = Sums {
                value: inertial + stored,
                magnitude: inertial + weights.sum(),
                rounding: 0.0,
                stored,
                gradient: gg.sum(),
                inertial: ii.sum(),
                forces: ff.sum(),
                previous: previous.sum(),
                s: [0.0; MAX_HISTORY],
                z: [0.0; MAX_HISTORY],
            };
            for k in 0..MAX_HISTORY {
                (sums.s[k], sums.z[k]) = (s[k].sum(), z[k].sum());
            }
            sums
        }
    }
}

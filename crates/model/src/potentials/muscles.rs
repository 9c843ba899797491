//! Σ V ψ(F, S) over the active tets of a body: tissue that contracts (`activation.rs`).
//!
//! The activations arrive in [`crate::Drive::activations`], factors on the stiffness in
//! [`crate::Drive::firmness`]. They change the gradient alone: the proxy that the projective solver
//! factors, and Newton's matrix at rest, are those of relaxed tissue.

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_math::lanes::{Kernel, Lanes, Quad, WIDTH_F64, run64};

use super::activation::{Activation, Active, RELAXED, active_lanes};
use super::batches::{Batches, LaneChunk, LocalRows};
use super::chunks::Chunk;
use super::driven::{DrivenPotential, MixedDerivative};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;
use super::tetrahedra::{Lame, MOST_VERTICES, deformation, rest_shapes, shape_gradients};
use crate::error::ModelError;
use crate::material::tissue::Tissue;
use crate::material::{Density, Matrix9};

/// Numbers per element: Dₘ⁻¹ (9, row-major), μV, λV, its number.
const VALUES: usize = 12;

/// Active tissue in some tets of a body.
pub struct Muscles {
    batches: Batches<4, VALUES>,
    /// Its activations begin here.
    first: usize,
}

impl Muscles {
    /// From rest positions \[m\] and tets over model vertices, with Lamé parameters times the part
    /// of each tet that is active; their activations begin at `first` of the drive's.
    ///
    /// # Errors
    /// [`ModelError::BadTets`] names tets whose rest volume is not positive.
    pub fn new(
        first: usize,
        rest: &[Row],
        tets: &[[u32; 4]],
        lame: &[Lame],
    ) -> Result<Self, ModelError> {
        let shapes = rest_shapes(rest, tets)?;
        let values = |t: usize, silent: bool| {
            let (inverse, volume) = &shapes[t];
            let volume = if silent { 0.0 } else { *volume };
            std::array::from_fn(|k| match k {
                9 => lame[t].mu * volume,
                10 => lame[t].lambda * volume,
                11 => t as f64,
                _ => inverse.col(k % 3)[k / 3],
            })
        };
        Ok(Muscles { batches: Batches::new(rest, tets, values), first })
    }

    fn activation<'a>(&self, at: &'a Situation, element: f64) -> &'a Activation {
        at.drive.activations.get(self.first + element as usize).unwrap_or(&RELAXED)
    }

    fn firmness(&self, at: &Situation, element: f64) -> [f64; 2] {
        at.drive.firmness.get(self.first + element as usize).copied().unwrap_or([1.0; 2])
    }

    /// ψ of an element times its volume, where it is in a situation.
    fn active(&self, chunk: &LaneChunk, e: usize, at: &Situation) -> Active {
        let (inverse, [mu, lambda, number]) = self.element(chunk, e);
        let x: [DVec3; 4] =
            std::array::from_fn(|c| at.positions[chunk.elements[4 * e + c] as usize].xyz());
        let f = DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]) * inverse;
        let firm = self.firmness(at, number);
        Active::new(&f, self.activation(at, number), firm[0] * mu, firm[1] * lambda)
    }

    fn element(&self, chunk: &LaneChunk, e: usize) -> (DMat3, [f64; 3]) {
        let [a, b, c, d, e, f, g, h, i, mu, lambda, number] = self.batches.element(chunk, e);
        (DMat3::from_cols_array(&[a, d, g, b, e, h, c, f, i]), [mu, lambda, number])
    }
}

impl Potential for Muscles {
    fn name(&self) -> &'static str {
        "muscles"
    }

    fn chunk_count(&self) -> usize {
        self.batches.chunks.len()
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        self.batches.chunks[chunk].view(4)
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let chunk = &self.batches.chunks[chunk];
        match gradient {
            Some(out) => run64(Evaluate::<true> { muscles: self, chunk, at, out }),
            None => run64(Evaluate::<false> { muscles: self, chunk, at, out: &mut [] }),
        }
    }

    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        let chunk = &self.batches.chunks[chunk];
        for (e, out) in out.chunks_exact_mut(144).enumerate() {
            let (inverse, _) = self.element(chunk, e);
            let active = self.active(chunk, e, at);
            let hessian = match curvature {
                Curvature::Exact => active.hessian(),
                Curvature::Definite => active.projected_hessian(),
            };
            spread(&hessian, &shape_gradients(&inverse), out);
        }
    }

    fn proxy(&self, kind: ProxyKind, add: &mut dyn FnMut(u32, u32, f64)) {
        for chunk in &self.batches.chunks {
            for (e, corners) in chunk.elements.chunks_exact(4).enumerate() {
                let (inverse, [mu, lambda, _]) = self.element(chunk, e);
                let (typical, bound) = Tissue::proxy(mu, lambda);
                let weight = if kind == ProxyKind::Typical { typical } else { bound };
                let gradients = shape_gradients(&inverse);
                for a in 0..4 {
                    for b in 0..4 {
                        add(corners[a], corners[b], weight * gradients[a].dot(gradients[b]));
                    }
                }
            }
        }
    }

    fn as_driven(&self) -> Option<&dyn DrivenPotential> {
        Some(self)
    }
}

impl DrivenPotential for Muscles {
    fn driven_work(&self, chunk: usize, ends: [&Situation; 2]) -> f64 {
        let chunk = &self.batches.chunks[chunk];
        let mut work = 0.0;
        for e in 0..chunk.elements.len() / 4 {
            let (_, [mu, lambda, number]) = self.element(chunk, e);
            let [from, to] = ends.map(|at| self.activation(at, number));
            let [firm, firmer] = ends.map(|at| self.firmness(at, number));
            if from == to && firm == firmer {
                continue;
            }
            for at in ends {
                let active = self.active(chunk, e, at);
                let slope = active.activation_gradient();
                work += (0..6).map(|k| 0.5 * slope[k] * (to[k] - from[k])).sum::<f64>();
                let [shear, swell] = active.terms();
                work += 0.5 * mu * shear * (firmer[0] - firm[0]);
                work += 0.5 * lambda * swell * (firmer[1] - firm[1]);
            }
        }
        work
    }

    fn mixed_derivatives(
        &self,
        chunk: usize,
        at: &Situation,
        visit: &mut dyn FnMut(MixedDerivative),
    ) {
        let chunk = &self.batches.chunks[chunk];
        for (e, corners) in chunk.elements.chunks_exact(4).enumerate() {
            let (inverse, [_, _, number]) = self.element(chunk, e);
            let gradients = shape_gradients(&inverse);
            let mixed = self.active(chunk, e, at).mixed();
            visit(MixedDerivative {
                activation: (self.first + number as usize) as u32,
                corners: [corners[0], corners[1], corners[2], corners[3]],
                slopes: mixed.map(|slope| gradients.map(|gradient| slope * gradient)),
            });
        }
    }
}

/// ∂²/∂x² of an element from ∂²/∂F²: F\[i\]\[j\] moves by ∇Nₐ\[j\] with component i of corner a.
fn spread(hessian: &Matrix9, gradients: &[DVec3; 4], out: &mut [f64]) {
    for a in 0..4 {
        for i in 0..3 {
            let row: [f64; 9] = std::array::from_fn(|k| {
                (0..3).map(|j| gradients[a][j] * hessian[3 * i + j][k]).sum()
            });
            for b in 0..4 {
                for k in 0..3 {
                    let entry: f64 = (0..3).map(|l| row[3 * k + l] * gradients[b][l]).sum();
                    out[12 * (3 * a + i) + 3 * b + k] = entry;
                }
            }
        }
    }
    // Rounding makes the halves differ.
    for row in 1..12 {
        for column in 0..row {
            out[12 * row + column] = out[12 * column + row];
        }
    }
}

struct Evaluate<'a, const GRADIENT: bool> {
    muscles: &'a Muscles,
    chunk: &'a LaneChunk,
    at: &'a Situation<'a>,
    out: &'a mut [Row],
}

impl<L: Lanes<Real = f64>, const GRADIENT: bool> Kernel<L> for Evaluate<'_, GRADIENT> {
    type Output = f64;

    #[inline(always)]
    unsafe fn run(self) -> f64 {
        let Evaluate { muscles, chunk, at, out } = self;
        let mut rows = LocalRows::<MOST_VERTICES>::new();
        let local = rows.gather(chunk, at.positions);
        if GRADIENT {
            assert_eq!(out.len(), chunk.vertices.len());
            out.fill(Row([0.0; 4]));
        }
        let mut scratch = [Row([0.0; 4]); 4 * WIDTH_F64];
        let mut sums = [0.0; WIDTH_F64];
        let mut given = [[0.0; WIDTH_F64]; 6];
        let mut firm = [[1.0; WIDTH_F64]; 2];
        let is_firm = !at.drive.firmness.is_empty();
        // SAFETY: we are inside a kernel of L; a batch has VALUES times WIDTH_F64 numbers, and its
        // corners are below the chunk's vertex count.
        unsafe {
            let mut energy = L::splat(0.0);
            for (values, corners) in muscles.batches.of(chunk) {
                for lane in 0..WIDTH_F64 {
                    let number = *values.add(11 * WIDTH_F64 + lane);
                    let own = muscles.activation(at, number);
                    for (given, own) in given.iter_mut().zip(own) {
                        given[lane] = *own;
                    }
                    if is_firm {
                        [firm[0][lane], firm[1][lane]] = muscles.firmness(at, number);
                    }
                }
                let mut activation = [energy; 6];
                for (lanes, given) in activation.iter_mut().zip(&given) {
                    *lanes = L::load(given.as_ptr());
                }
                let (f, inverse, mut mu, mut lambda) = deformation::<L>(values, corners, local);
                if is_firm {
                    mu = mu * L::load(firm[0].as_ptr());
                    lambda = lambda * L::load(firm[1].as_ptr());
                }
                let (own, p) = active_lanes::<L, GRADIENT>(&f, &activation, mu, lambda);
                energy = energy + own;
                if GRADIENT {
                    let mut forces = [[L::splat(0.0); 3]; 4];
                    for c in 0..3 {
                        for i in 0..3 {
                            let last = p[3 * i + 2] * inverse[3 * c + 2];
                            let force = p[3 * i].mul_add(
                                inverse[3 * c],
                                p[3 * i + 1].mul_add(inverse[3 * c + 1], last),
                            );
                            forces[c + 1][i] = force;
                            forces[0][i] = forces[0][i] - force;
                        }
                    }
                    for c in 0..4 {
                        L::store_rows(forces[c], scratch.as_mut_ptr().add(c * WIDTH_F64));
                    }
                    // One after the other: two lanes may share a vertex.
                    for (k, force) in scratch.iter().enumerate() {
                        let sum: *mut Row = out.as_mut_ptr().add(*corners.add(k) as usize);
                        (L::Quad::load(sum) + L::Quad::load(force)).store(sum);
                    }
                }
            }
            energy.store(sums.as_mut_ptr());
        }
        sums.iter().sum()
    }
}

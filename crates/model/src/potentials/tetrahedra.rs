//! Σ V ψ(F) over the tetrahedra of a body, in batches of vector lanes.
//!
//! F = Dₛ Dₘ⁻¹, with the edges x₁−x₀, x₂−x₀, x₃−x₀ as the columns of Dₛ (deformed) and Dₘ
//! (rest); V = det Dₘ / 6. The gradient at corner c is V P ∇N_c, with the shape functions'
//! gradients ∇N₁..₃ the rows of Dₘ⁻¹ and ∇N₀ = −Σ ∇N₁..₃.

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_math::lanes::{Kernel, Lanes, Quad, WIDTH_F64, run64};
use pliant_mesh::edge_matrix;

use super::batches::{Batches, LaneChunk, LocalRows};
use super::chunks::{CHUNK_ELEMENTS, Chunk};
use super::compliant::{CompliantElement, CompliantPotential, CompliantTet};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;
use super::stiffness::Stiffness;
use crate::error::ModelError;
use crate::material::ElasticModel;
use crate::material::density::Density;

/// Numbers per element: Dₘ⁻¹ (9, row-major), μV, λV.
const VALUES: usize = 11;
/// A chunk of tets has at most this many vertices.
pub(super) const MOST_VERTICES: usize = 4 * CHUNK_ELEMENTS;

/// Lamé parameters of one element \[Pa\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// Shear modulus μ.
    pub mu: f64,
    /// First parameter λ.
    pub lambda: f64,
}

/// The tetrahedra of one body, with density `D`.
pub struct Tetrahedra<D> {
    pub(super) batches: Batches<4, VALUES>,
    density: std::marker::PhantomData<D>,
}

impl<D: Density> Tetrahedra<D> {
    /// From rest positions \[m\] and tets over model vertices, with one pair of Lamé parameters
    /// per tet.
    ///
    /// # Errors
    /// [`ModelError::BadTets`] names tets whose rest volume is not positive.
    pub fn new(rest: &[Row], tets: &[[u32; 4]], lame: &[Lame]) -> Result<Self, ModelError> {
        let shapes = rest_shapes(rest, tets)?;
        let values = |t: usize, silent: bool| {
            let (inverse, volume) = &shapes[t];
            let volume = if silent { 0.0 } else { *volume };
            std::array::from_fn(|k| match k {
                9 => lame[t].mu * volume,
                10 => lame[t].lambda * volume,
                _ => inverse.col(k % 3)[k / 3],
            })
        };
        let batches = Batches::new(rest, tets, values);
        Ok(Tetrahedra { batches, density: std::marker::PhantomData })
    }

    /// Dₘ⁻¹, μV and λV of element `e` of a chunk.
    fn element(&self, chunk: &LaneChunk, e: usize) -> (DMat3, f64, f64) {
        let [a, b, c, d, e, f, g, h, i, mu, lambda] = self.batches.element(chunk, e);
        (DMat3::from_cols_array(&[a, d, g, b, e, h, c, f, i]), mu, lambda)
    }
}

/// Dₘ⁻¹ and V of tets over model vertices.
///
/// # Errors
/// [`ModelError::BadTets`] names tets whose rest volume is not positive.
pub(super) fn rest_shapes(
    rest: &[Row],
    tets: &[[u32; 4]],
) -> Result<Vec<(DMat3, f64)>, ModelError> {
    let shape = |tet: &[u32; 4]| {
        let edges = edge_matrix(tet.map(|v| rest[v as usize].xyz()));
        (edges.inverse(), edges.determinant() / 6.0)
    };
    let shapes: Vec<(DMat3, f64)> = tets.iter().map(shape).collect();
    let good = |(inverse, volume): &(DMat3, f64)| {
        *volume > 0.0 && volume.is_finite() && inverse.is_finite()
    };
    let bad: Vec<u32> = (0u32..).zip(&shapes).filter(|(_, s)| !good(s)).map(|(t, _)| t).collect();
    if bad.is_empty() { Ok(shapes) } else { Err(ModelError::BadTets { tets: bad }) }
}

/// ∇N of the four corners from Dₘ⁻¹.
pub(super) fn shape_gradients(inverse: &DMat3) -> [DVec3; 4] {
    let rows = inverse.transpose();
    [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis]
}

impl<D: Density> Potential for Tetrahedra<D> {
    fn name(&self) -> &'static str {
        D::NAME
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
            Some(out) => {
                run64(Evaluate::<D, true> { tets: self, chunk, positions: at.positions, out })
            }
            None => run64(Evaluate::<D, false> {
                tets: self,
                chunk,
                positions: at.positions,
                out: &mut [],
            }),
        }
    }

    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        let chunk = &self.batches.chunks[chunk];
        run64(Stiffness { tets: self, chunk, positions: at.positions, curvature, out });
    }

    fn proxy(&self, kind: ProxyKind, add: &mut dyn FnMut(u32, u32, f64)) {
        for chunk in &self.batches.chunks {
            for (e, corners) in chunk.elements.chunks_exact(4).enumerate() {
                let (inverse, mu, lambda) = self.element(chunk, e);
                let (typical, bound) = D::proxy(mu, lambda);
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

    fn as_compliant(&self) -> Option<&dyn CompliantPotential> {
        let is_known = D::NAME.parse::<ElasticModel>().is_ok();
        is_known.then_some(self as &dyn CompliantPotential)
    }
}

impl<D: Density> CompliantPotential for Tetrahedra<D> {
    fn visit_elements(&self, visit: &mut dyn FnMut(CompliantElement)) {
        let Ok(model) = D::NAME.parse::<ElasticModel>() else { return };
        for chunk in &self.batches.chunks {
            for (e, corners) in chunk.elements.chunks_exact(4).enumerate() {
                let values = self.batches.element(chunk, e);
                visit(CompliantElement::Tet(CompliantTet {
                    corners: [corners[0], corners[1], corners[2], corners[3]],
                    inverse: std::array::from_fn(|k| values[k]),
                    mu: values[9],
                    lambda: values[10],
                    model,
                }));
            }
        }
    }
}

struct Evaluate<'a, D, const GRADIENT: bool> {
    tets: &'a Tetrahedra<D>,
    chunk: &'a LaneChunk,
    positions: &'a [Row],
    out: &'a mut [Row],
}

impl<L: Lanes<Real = f64>, D: Density, const GRADIENT: bool> Kernel<L>
    for Evaluate<'_, D, GRADIENT>
{
    type Output = f64;

    #[inline(always)]
    unsafe fn run(self) -> f64 {
        let Evaluate { tets, chunk, positions, out } = self;
        let mut rows = LocalRows::<MOST_VERTICES>::new();
        let local = rows.gather(chunk, positions);
        if GRADIENT {
            assert_eq!(out.len(), chunk.vertices.len());
            out.fill(Row([0.0; 4]));
        }
        let mut scratch = [Row([0.0; 4]); 4 * WIDTH_F64];
        let mut sums = [0.0; WIDTH_F64];
        // SAFETY: we are inside a kernel of L; corners are below the chunk's vertex count.
        unsafe {
            let mut energy = L::splat(0.0);
            for (values, corners) in tets.batches.of(chunk) {
                let (e, forces) = batch_of::<L, D, GRADIENT>(values, corners, local);
                energy = energy + e;
                if GRADIENT {
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

/// Energy and corner forces of one batch.
///
/// # Safety
/// Inside a kernel of L; pointers valid for a batch, local numbers valid for `local`.
#[inline(always)]
unsafe fn batch_of<L: Lanes<Real = f64>, D: Density, const GRADIENT: bool>(
    values: *const f64,
    corners: *const u16,
    local: *const Row,
) -> (L, [[L; 3]; 4]) {
    // SAFETY: passed on to the caller.
    unsafe {
        let (f, inverse, mu, lambda) = deformation::<L>(values, corners, local);
        let (energy, p) = D::lanes::<L, GRADIENT>(&f, mu, lambda);
        let mut forces = [[L::splat(0.0); 3]; 4];
        if GRADIENT {
            for c in 0..3 {
                for i in 0..3 {
                    let last = p[3 * i + 2] * inverse[3 * c + 2];
                    let force = p[3 * i]
                        .mul_add(inverse[3 * c], p[3 * i + 1].mul_add(inverse[3 * c + 1], last));
                    forces[c + 1][i] = force;
                    forces[0][i] = forces[0][i] - force;
                }
            }
        }
        (energy, forces)
    }
}

/// F, Dₘ⁻¹, μV and λV of one batch.
///
/// # Safety
/// Inside a kernel of L; pointers valid for a batch, local numbers valid for `local`.
#[inline(always)]
pub(super) unsafe fn deformation<L: Lanes<Real = f64>>(
    values: *const f64,
    corners: *const u16,
    local: *const Row,
) -> ([L; 9], [L; 9], L, L) {
    // SAFETY: passed on to the caller.
    unsafe {
        let mut inverse = [L::splat(0.0); 9];
        for (k, value) in inverse.iter_mut().enumerate() {
            *value = L::load(values.add(k * WIDTH_F64));
        }
        let mu = L::load(values.add(9 * WIDTH_F64));
        let lambda = L::load(values.add(10 * WIDTH_F64));
        let origin = L::gather_rows(local, corners);
        let mut edges = [origin; 3];
        for (c, edge) in edges.iter_mut().enumerate() {
            let corner = L::gather_rows(local, corners.add((c + 1) * WIDTH_F64));
            for i in 0..3 {
                edge[i] = corner[i] - origin[i];
            }
        }
        let mut f = [origin[0]; 9];
        for i in 0..3 {
            for j in 0..3 {
                let last = edges[2][i] * inverse[6 + j];
                f[3 * i + j] =
                    edges[0][i].mul_add(inverse[j], edges[1][i].mul_add(inverse[3 + j], last));
            }
        }
        (f, inverse, mu, lambda)
    }
}

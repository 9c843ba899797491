//! Hessians ∂²E/∂x² of tetrahedra, eight at a time.
//!
//! With F = U diag(σ) Vᵀ, the Hessian of an isotropic ψ(F) couples, in the frames of U and V, only
//! the stretches with each other and F\[i\]\[j\] with F\[j\]\[i\] (`isotropic.rs`). So it is never
//! formed: with aᵢ = ∇Nₐ·vᵢ the shape functions' gradients in the frame of V, block (a, b) of the
//! stiffness matrix is U K Uᵀ with
//!
//! ```text
//! K[i][i] = A[i][i] aᵢbᵢ + Σ_{j≠i} p[ij] aⱼbⱼ,     p = ½ (flip + twist),
//! K[i][j] = A[i][j] aᵢbⱼ + q[ij] aⱼbᵢ,             q = ½ (flip − twist),
//! ```
//!
//! A = ∂²ψ/∂σᵢ∂σⱼ. Corner 0 takes minus the sum of the others: a translation costs nothing.

use pliant_math::Row;
use pliant_math::decomposition::{SvdLanes, product, product_with_transpose, svd_lanes};
use pliant_math::lanes::{Kernel, Lanes, WIDTH_F64};

use super::batches::{LaneChunk, LocalRows};
use super::potential::Curvature;
use super::tetrahedra::{MOST_VERTICES, Tetrahedra, deformation};
use crate::material::density::Density;
use crate::material::isotropic::Spectrum;

/// Numbers per tet: 12 × 12, row-major, corners in threes.
const ENTRIES: usize = 144;

/// Writes the Hessians of a chunk's tets, one after the other.
pub(super) struct Stiffness<'a, D> {
    pub tets: &'a Tetrahedra<D>,
    pub chunk: &'a LaneChunk,
    pub positions: &'a [Row],
    pub curvature: Curvature,
    pub out: &'a mut [f64],
}

impl<L: Lanes<Real = f64>, D: Density> Kernel<L> for Stiffness<'_, D> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Stiffness { tets, chunk, positions, curvature, out } = self;
        let mut rows = LocalRows::<MOST_VERTICES>::new();
        let local = rows.gather(chunk, positions);
        let mut entries = [[0.0; WIDTH_F64]; ENTRIES];
        for ((values, corners), out) in
            tets.batches.of(chunk).zip(out.chunks_mut(ENTRIES * WIDTH_F64))
        {
            // SAFETY: we are inside a kernel of L; the batch is the chunk's own.
            unsafe {
                let (f, inverse, mu, lambda) = deformation::<L>(values, corners, local);
                let svd = svd_lanes(&f);
                let modes = Modes::of::<D>(&svd.sigma, mu, lambda, curvature);
                store_blocks(&blocks(&svd, &inverse, &modes), &mut entries);
            }
            for (lane, out) in out.chunks_exact_mut(ENTRIES).enumerate() {
                for (out, entry) in out.iter_mut().zip(&entries) {
                    *out = entry[lane];
                }
            }
        }
    }
}

/// What a batch's densities couple, in lanes.
struct Modes<L> {
    /// A, row-major.
    stretch: [L; 9],
    /// p, at the index of the third axis.
    own: [L; 3],
    /// q, at the index of the third axis.
    across: [L; 3],
}

impl<L: Lanes<Real = f64>> Modes<L> {
    /// # Safety
    /// Inside a kernel of L.
    #[inline(always)]
    unsafe fn of<D: Density>(sigma: &[L; 3], mu: L, lambda: L, curvature: Curvature) -> Self {
        const { assert!(L::WIDTH == WIDTH_F64) };
        let mut given = [[0.0; WIDTH_F64]; 5];
        // SAFETY: eight numbers each.
        unsafe {
            for (lanes, to) in [sigma[0], sigma[1], sigma[2], mu, lambda].iter().zip(&mut given) {
                lanes.store(to.as_mut_ptr());
            }
        }
        let modes = scalar_modes::<D>(&given, curvature);
        let mut own = [mu; 12];
        for (own, numbers) in own.iter_mut().zip(&modes) {
            // SAFETY: as above, and the caller is a kernel of L.
            *own = unsafe { L::load(numbers.as_ptr()) };
        }
        let [a, b, c, d, e, f, p0, p1, p2, q0, q1, q2] = own;
        Modes { stretch: [a, b, c, b, d, e, c, e, f], own: [p0, p1, p2], across: [q0, q1, q2] }
    }
}

/// A (upper triangle), p and q from σ, μ, λ; a few operations per element, so lane by lane.
#[inline(never)]
fn scalar_modes<D: Density>(
    given: &[[f64; WIDTH_F64]; 5],
    curvature: Curvature,
) -> [[f64; WIDTH_F64]; 12] {
    let mut modes = [[0.0; WIDTH_F64]; 12];
    for lane in 0..WIDTH_F64 {
        let [x, y, z, mu, lambda] = given.map(|numbers| numbers[lane]);
        let exact = D::spectrum(glam::DVec3::new(x, y, z), mu, lambda);
        let Spectrum { stretch, twist, flip } = match curvature {
            Curvature::Exact => exact,
            Curvature::Definite => exact.clamped(),
        };
        for (k, (i, j)) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].into_iter().enumerate()
        {
            modes[k][lane] = stretch[i][j];
        }
        for k in 0..3 {
            modes[6 + k][lane] = 0.5 * (flip[k] + twist[k]);
            modes[9 + k][lane] = 0.5 * (flip[k] - twist[k]);
        }
    }
    modes
}

/// Blocks (1,1), (1,2), (1,3), (2,2), (2,3), (3,3), row-major.
///
/// # Safety
/// Inside a kernel of L.
#[inline(always)]
unsafe fn blocks<L: Lanes<Real = f64>>(
    svd: &SvdLanes<L>,
    inverse: &[L; 9],
    modes: &Modes<L>,
) -> [[L; 9]; 6] {
    // Rows of Dₘ⁻¹ are the gradients of corners 1, 2, 3.
    let gradients = product(inverse, &svd.v);
    let mut blocks = [*inverse; 6];
    for (block, (a, b)) in blocks.iter_mut().zip([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]) {
        let mut inner = *inverse;
        for i in 0..3 {
            for j in 0..3 {
                let (ai, bj) = (gradients[3 * a + i], gradients[3 * b + j]);
                let stretched = modes.stretch[3 * i + j] * ai * bj;
                inner[3 * i + j] = if i == j {
                    let (k, l) = ((i + 1) % 3, (i + 2) % 3);
                    // p of the pair (i, k) is at l.
                    let ak = gradients[3 * a + k] * gradients[3 * b + k];
                    let al = gradients[3 * a + l] * gradients[3 * b + l];
                    modes.own[l].mul_add(ak, modes.own[k].mul_add(al, stretched))
                } else {
                    let (aj, bi) = (gradients[3 * a + j], gradients[3 * b + i]);
                    modes.across[3 - i - j].mul_add(aj * bi, stretched)
                };
            }
        }
        *block = product_with_transpose(&product(&svd.u, &inner), &svd.u);
    }
    blocks
}

/// All sixteen blocks from the six that do not concern corner 0.
///
/// # Safety
/// Inside a kernel of L.
#[inline(always)]
unsafe fn store_blocks<L: Lanes<Real = f64>>(
    blocks: &[[L; 9]; 6],
    entries: &mut [[f64; WIDTH_F64]; ENTRIES],
) {
    for i in 0..3 {
        for j in 0..3 {
            let mut of_translation = blocks[0][0].constant(0.0);
            for b in 0..3 {
                let mut of_corner = blocks[0][0].constant(0.0);
                for a in 0..3 {
                    let value = blocks[BLOCK[a][b]][if a <= b { 3 * i + j } else { 3 * j + i }];
                    of_corner = of_corner - value;
                    // SAFETY: eight numbers, here and below.
                    unsafe { value.store(entries[at(a + 1, b + 1, i, j)].as_mut_ptr()) }
                }
                // SAFETY: see above.
                unsafe {
                    of_corner.store(entries[at(0, b + 1, i, j)].as_mut_ptr());
                    of_corner.store(entries[at(b + 1, 0, j, i)].as_mut_ptr());
                }
                of_translation = of_translation - of_corner;
            }
            // The sums of one triangle stand for both.
            if i <= j {
                // SAFETY: see above.
                unsafe {
                    of_translation.store(entries[at(0, 0, i, j)].as_mut_ptr());
                    of_translation.store(entries[at(0, 0, j, i)].as_mut_ptr());
                }
            }
        }
    }
}

/// Which of the six blocks stands for corners 1 + a and 1 + b, transposed where a > b.
const BLOCK: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];

/// Where entry (i, j) of the block of corners a and b is.
#[inline(always)]
fn at(a: usize, b: usize, i: usize, j: usize) -> usize {
    12 * (3 * a + i) + 3 * b + j
}

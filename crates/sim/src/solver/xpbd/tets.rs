//! Tetrahedra: C = √(2Vψ(F)), compliance 1, for every material.
//!
//! Then ½C² is the energy and C ∂C/∂F = VP its derivative. The remembered force is a stress Σ,
//! which pushes corner c with Σ∇N_c; with ⟨A, B⟩ = Σ_c w_c (A∇N_c)·(B∇N_c) the multiplier along
//! ∂C/∂F, written without the division by C that rest has no answer to, is
//!
//! ```text
//! s = (⟨P, Σ⟩ − C²) / (⟨P, P⟩ + C²),    Σ ← s P + (1 − θ)(Σ − P⟨P, Σ⟩/⟨P, P⟩)    (V in P).
//! ```
//!
//! θ = 1/(1 + q): q is the material's stiffness seen through the inverse masses, at least
//! ⟨P, P⟩/C², which grows where the material stiffens.

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_math::decomposition::symmetric_eigen;
use pliant_math::lanes::{Kernel, Lanes, WIDTH_F64, run64};
use pliant_math::team::{SharedSlice, Team};
use pliant_model::ElasticModel;
use pliant_model::potentials::Density;
use pliant_model::potentials::arap::Arap;
use pliant_model::potentials::corotated::Corotated;
use pliant_model::potentials::invertible_stvk::InvertibleStVenantKirchhoff;
use pliant_model::potentials::neo_hookean::StableNeoHookean;
use pliant_model::potentials::stvk::StVenantKirchhoff;
use pliant_model::potentials::tissue::Tissue;

use super::colored::{Batches, Colored, gather, scatter};

/// Numbers per tet: Dₘ⁻¹ (9), μV, λV, 1/m of the corners (4), κq.
const VALUES: usize = 16;
/// Keeps 0/0 away: far below any energy.
const VANISHING: f64 = 1e-300;

/// One tet.
pub(super) struct Tet {
    /// Model vertices.
    pub corners: [u32; 4],
    /// Dₘ⁻¹, row-major [1/m].
    pub inverse: [f64; 9],
    /// μV \[J\].
    pub mu: f64,
    /// λV \[J\].
    pub lambda: f64,
}

/// The tets of one material.
pub(super) struct Tets {
    model: ElasticModel,
    constraints: Colored<4, VALUES, 9>,
}

impl Tets {
    /// From tets and the inverse masses of the model's vertices [1/kg].
    pub fn new(model: ElasticModel, tets: &[Tet], inverse_masses: &[f64]) -> Self {
        let corners: Vec<[u32; 4]> = tets.iter().map(|t| t.corners).collect();
        let values = |t: &Tet| {
            let w = t.corners.map(|v| inverse_masses[v as usize]);
            let mut values = [0.0; VALUES];
            values[..9].copy_from_slice(&t.inverse);
            values[9..11].copy_from_slice(&[t.mu, t.lambda]);
            values[11..15].copy_from_slice(&w);
            values[15] = stiffness(model, t.mu, t.lambda) * mobility(&t.inverse, w);
            values
        };
        let values: Vec<[f64; VALUES]> = tets.iter().map(values).collect();
        Tets { model, constraints: Colored::new(&corners, &values) }
    }

    /// Lets go of all forces.
    pub fn release(&mut self) {
        self.constraints.release();
    }

    /// Relaxes every tet once; `softness` is 1/κ \[s²\].
    pub fn relax(&mut self, positions: SharedSlice<Row>, softness: f64, team: &Team) {
        match self.model {
            ElasticModel::Corotated => self.relax_as::<Corotated>(positions, softness, team),
            ElasticModel::Arap => self.relax_as::<Arap>(positions, softness, team),
            ElasticModel::Stvk => self.relax_as::<StVenantKirchhoff>(positions, softness, team),
            ElasticModel::InvertibleStvk => {
                self.relax_as::<InvertibleStVenantKirchhoff>(positions, softness, team);
            }
            ElasticModel::NeoHookean => {
                self.relax_as::<StableNeoHookean>(positions, softness, team);
            }
            ElasticModel::Tissue => self.relax_as::<Tissue>(positions, softness, team),
        }
    }

    fn relax_as<D: Density>(&mut self, positions: SharedSlice<Row>, softness: f64, team: &Team) {
        let density = std::marker::PhantomData::<D>;
        self.constraints
            .sweep(team, &|batches| run64(Relax { batches, positions, softness, density }));
    }
}

/// Curvature of Vψ over F that no direction exceeds by much near rest \[J\].
fn stiffness(model: ElasticModel, mu: f64, lambda: f64) -> f64 {
    let (_, bound) = match model {
        ElasticModel::Corotated => Corotated::proxy(mu, lambda),
        ElasticModel::Arap => Arap::proxy(mu, lambda),
        ElasticModel::Stvk => StVenantKirchhoff::proxy(mu, lambda),
        ElasticModel::InvertibleStvk => InvertibleStVenantKirchhoff::proxy(mu, lambda),
        ElasticModel::NeoHookean => StableNeoHookean::proxy(mu, lambda),
        ElasticModel::Tissue => Tissue::proxy(mu, lambda),
    };
    bound
}

/// Largest eigenvalue of Σ_c w_c ∇N_c ∇N_cᵀ [1/(kg m²)].
fn mobility(inverse: &[f64; 9], w: [f64; 4]) -> f64 {
    let rows = [0, 3, 6].map(|k| DVec3::new(inverse[k], inverse[k + 1], inverse[k + 2]));
    let gradients = [-(rows[0] + rows[1] + rows[2]), rows[0], rows[1], rows[2]];
    let sum = gradients
        .iter()
        .zip(w)
        .fold(DMat3::ZERO, |sum, (g, w)| sum + DMat3::from_cols(*g * g.x, *g * g.y, *g * g.z) * w);
    symmetric_eigen(&sum).values.max_element()
}

struct Relax<'a, D> {
    batches: Batches<'a, 4, VALUES, 9>,
    positions: SharedSlice<'a, Row>,
    softness: f64,
    density: std::marker::PhantomData<D>,
}

impl<L: Lanes<Real = f64>, D: Density> Kernel<L> for Relax<'_, D> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let positions = self.positions.ptr();
        for batch in self.batches.each() {
            // SAFETY: inside a kernel of L; vertices are the model's, and no two constraints of a
            // colour share one.
            unsafe {
                let (zero, softness) = (L::splat(0.0), L::splat(self.softness));
                let mut inverse = [zero; 9];
                for (k, value) in inverse.iter_mut().enumerate() {
                    *value = L::load(batch.values.add(k * WIDTH_F64));
                }
                let mu = L::load(batch.values.add(9 * WIDTH_F64));
                let lambda = L::load(batch.values.add(10 * WIDTH_F64));
                let mut x = [[zero; 3]; 4];
                let mut w = [zero; 4];
                for c in 0..4 {
                    x[c] = gather(positions, batch.corners.add(c * WIDTH_F64));
                    w[c] = softness * L::load(batch.values.add((11 + c) * WIDTH_F64));
                }
                let f = deformation(&x, &inverse);
                let (energy, p) = D::lanes::<L, true>(&f, mu, lambda);
                let mut stress = [zero; 9];
                for (k, value) in stress.iter_mut().enumerate() {
                    *value = L::load(batch.forces.add(k * WIDTH_F64));
                }
                let (push, held) = (corner_forces(&p, &inverse), corner_forces(&stress, &inverse));
                let (mut pp, mut ps) = (zero, zero);
                for c in 0..4 {
                    pp = w[c].mul_add(dot(&push[c], &push[c]), pp);
                    ps = w[c].mul_add(dot(&push[c], &held[c]), ps);
                }
                let vanishing = L::splat(VANISHING);
                let square = (energy + energy).max(zero);
                let multiplier = (ps - square).div((pp + square).max(vanishing));
                let nominal = softness * L::load(batch.values.add(15 * WIDTH_F64));
                let stiff = nominal.max(pp.div(square.max(vanishing)));
                let theta = L::splat(1.0).div(L::splat(1.0) + stiff);
                let keep = L::splat(1.0) - theta;
                let on_p = multiplier - keep * ps.div(pp.max(vanishing));
                for k in 0..9 {
                    keep.mul_add(stress[k], on_p * p[k]).store(batch.forces.add(k * WIDTH_F64));
                }
                for c in 0..4 {
                    for i in 0..3 {
                        let change = theta.neg_mul_add(held[c][i], on_p * push[c][i]);
                        x[c][i] = w[c].mul_add(change, x[c][i]);
                    }
                    scatter(x[c], positions, batch.corners.add(c * WIDTH_F64), batch.used);
                }
            }
        }
    }
}

/// F = Dₛ Dₘ⁻¹, row-major.
#[inline(always)]
fn deformation<L: Lanes<Real = f64>>(x: &[[L; 3]; 4], inverse: &[L; 9]) -> [L; 9] {
    let mut f = *inverse;
    for i in 0..3 {
        let edges = [x[1][i] - x[0][i], x[2][i] - x[0][i], x[3][i] - x[0][i]];
        for j in 0..3 {
            let last = edges[2] * inverse[6 + j];
            f[3 * i + j] = edges[0].mul_add(inverse[j], edges[1].mul_add(inverse[3 + j], last));
        }
    }
    f
}

/// P∇N_c of all corners.
#[inline(always)]
fn corner_forces<L: Lanes<Real = f64>>(p: &[L; 9], inverse: &[L; 9]) -> [[L; 3]; 4] {
    let mut forces = [[p[0].constant(0.0); 3]; 4];
    for c in 0..3 {
        for i in 0..3 {
            let last = p[3 * i + 2] * inverse[3 * c + 2];
            let force =
                p[3 * i].mul_add(inverse[3 * c], p[3 * i + 1].mul_add(inverse[3 * c + 1], last));
            forces[c + 1][i] = force;
            forces[0][i] = forces[0][i] - force;
        }
    }
    forces
}

#[inline(always)]
fn dot<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> L {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

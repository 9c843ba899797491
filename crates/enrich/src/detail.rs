//! Surface detail finer than the tets.
//!
//! The difference between an input vertex and its position in the fitted tets is rotated with them
//! and added to its position in the simulated tets,
//!
//! ```text
//! q′ = C′u + R (q̄ − C′ū).                                     (Eq. 10)
//! ```
//!
//! in \[li2017enriching\]. R is the rotation from the fitted to the simulated tets. It is computed
//! as R(F) R(F̄)ᵀ from both gradients relative to rest, which is a rotation even where a fitted tet
//! is flat and has no inverse.
//!
//! The paper takes F of the tet that contains the vertex, with "slight discontinuities" between
//! tets. They are large where the detail is large, as in folds that tets cannot follow. Here F is
//! the volume-weighted mean around each corner of the tet, and the corners' rotations are
//! interpolated like positions, so neighbours on Γ rotate alike. The gradient itself in place of R
//! makes spikes at flat tets (Fig. 10); [`Transfer::Gradient`] does so for comparison.

mod creases;

pub use creases::Creases;

use glam::{DMat3, DVec3};
use pliant_math::decomposition::closest_rotations;
use pliant_math::team::Team;

use crate::embedding::EmbeddedSurface;
use crate::numerics::weighted_sums::WeightedSums;

/// How detail is transferred from the fitted tets to the simulated ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfer {
    /// By rotation.
    #[default]
    Rotation,
    /// By the gradient from one tet to the other: for comparison.
    Gradient,
}

/// Transfer of detail for an embedded surface.
pub struct Detail {
    /// Vertices of each tet, and the inverse of its edge matrix at rest [1/m].
    tets: Vec<([u32; 4], DMat3)>,
    /// Volume-weighted sums over the tets around every vertex of Ω.
    around: WeightedSums<f64>,
    transfer: Transfer,
    single_thread: Team,
}

impl Detail {
    /// Prepares the transfer for an embedded surface.
    pub fn new(embedded: &EmbeddedSurface, transfer: Transfer) -> Self {
        let solid = &embedded.solid;
        let inverse = |&tet: &[u32; 4]| (tet, edges(tet, &solid.positions).inverse());
        let volume = |tet: [u32; 4]| edges(tet, &solid.positions).determinant();
        let mut entries = Vec::new();
        for (t, &tet) in (0u32..).zip(&solid.tets) {
            entries.extend(tet.map(|v| (v, t, volume(tet))));
        }
        Detail {
            tets: solid.tets.iter().map(inverse).collect(),
            around: WeightedSums::new(solid.positions.len(), &entries),
            transfer,
            single_thread: Team::new(1),
        }
    }

    /// Computes q′ of every vertex of Γ from the input q̄, `fitted` ū and `simulated` u \[m\].
    /// Vertices marked `exact` get the input to the last bit; those not marked `tracked` get C u
    /// alone.
    pub fn apply(
        &mut self,
        embedded: &EmbeddedSurface,
        [exact, tracked]: [&[bool]; 2],
        input: &[DVec3],
        [fitted, simulated]: [&[DVec3]; 2],
        out: &mut [DVec3],
    ) {
        let rotations = match self.transfer {
            Transfer::Rotation => self.rotations(embedded, [fitted, simulated]),
            Transfer::Gradient => self.gradients(embedded, [fitted, simulated]),
        };
        for (v, out) in out.iter_mut().enumerate() {
            *out = if exact[v] {
                input[v]
            } else if tracked[v] {
                let missed = input[v] - embedded.surface_position(v, fitted);
                embedded.surface_position(v, simulated) + rotations[v] * missed
            } else {
                embedded.surface_position(v, simulated)
            };
        }
    }

    /// Rotation R at every vertex of Γ.
    fn rotations(&self, embedded: &EmbeddedSurface, shapes: [&[DVec3]; 2]) -> Vec<DMat3> {
        let [before, after] = shapes.map(|x| {
            let gradients: Vec<DMat3> = self.tets.iter().map(|tet| gradient(tet, x)).collect();
            let mut around = vec![DMat3::ZERO; x.len()];
            self.around.add(&gradients, &mut around, &self.single_thread);
            closest_rotations(&mut around, &self.single_thread);
            around
        });
        let between = |v: usize| -> DMat3 {
            let weighted = embedded.corners(v).into_iter().zip(embedded.embedding.weights[v]);
            let turn = |c: u32| after[c as usize] * before[c as usize].transpose();
            // Vertices outside their tet have negative weights, which are ignored.
            weighted.map(|(c, weight)| turn(c) * weight.max(0.0)).sum()
        };
        let mut rotations: Vec<DMat3> =
            (0..embedded.surface.positions.len()).map(between).collect();
        closest_rotations(&mut rotations, &self.single_thread);
        rotations
    }

    /// Deformation gradient between two shapes of the tet that contains each vertex of Γ.
    fn gradients(&self, embedded: &EmbeddedSurface, shapes: [&[DVec3]; 2]) -> Vec<DMat3> {
        let of = |&t: &u32| {
            let [before, after] = shapes.map(|x| gradient(&self.tets[t as usize], x));
            after * before.inverse()
        };
        embedded.embedding.tets.iter().map(of).collect()
    }
}

/// Deformation gradient F of a tet.
fn gradient((tet, inverse): &([u32; 4], DMat3), positions: &[DVec3]) -> DMat3 {
    edges(*tet, positions) * *inverse
}

/// Edge matrix of a tet, with columns x₁ − x₀, x₂ − x₀, x₃ − x₀.
fn edges(tet: [u32; 4], positions: &[DVec3]) -> DMat3 {
    let [a, b, c, d] = tet.map(|v| positions[v as usize]);
    DMat3::from_cols(b - a, c - a, d - a)
}

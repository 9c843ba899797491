//! What is finer than the tets: the difference between an input vertex and where the fitted tets
//! carry it, turned with them and added to where the simulated ones do,
//!
//! ```text
//! q′ = C′u + R (q̄ − C′ū).                                     (Eq. 10)
//! ```
//!
//! R is the rotation from the fitted tets to the simulated ones. It is taken as R(F) R(F̄)ᵀ, of each
//! one's gradient from rest: the same where the two differ by a rotation, and a rotation still where
//! the fitted tet is flat and has no inverse. The paper takes F of the one tet that a vertex is in, and
//! has "slight discontinuities" between tets; they are not slight where what is missed is large, as in
//! folds that tets cannot follow. Here it is the mean by volume around each of the tet's corners, to which single
//! tets that are crushed add nothing (it depends on where the corner's neighbours are alone), and the rotations of the
//! corners are interpolated as positions are: neighbours on Γ turn alike. With the gradient itself in place of R, flat
//! tets throw spikes (Fig. 10); [`Transfer::Gradient`] shows it.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::closest_rotations;
use pliant_math::team::Team;

use crate::bound::Bound;
use crate::sums::WeightedSums;

/// How detail is carried from the fitted tets to the simulated ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfer {
    /// By rotation.
    #[default]
    Rotation,
    /// By the gradient from one tet to the other: for comparison.
    Gradient,
}

/// Tets with what turns their edges into gradients, and what their rotations are summed up with.
pub struct Detail {
    /// The vertices of each, and the inverse of its edges at rest [1/m].
    tets: Vec<([u32; 4], DMat3)>,
    /// Of tets, for every vertex of Ω: by volume.
    around: WeightedSums<f64>,
    transfer: Transfer,
    alone: Team,
}

impl Detail {
    /// For a bound surface.
    pub fn new(bound: &Bound, transfer: Transfer) -> Self {
        let solid = &bound.solid;
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
            alone: Team::new(1),
        }
    }

    /// q′ of every vertex of Γ; `input` is q̄, `fitted` ū and `simulated` u \[m\]. Where `exact` says
    /// so the input is returned to the last bit; where `tracked` says there is none, C u alone.
    pub fn apply(
        &mut self,
        bound: &Bound,
        [exact, tracked]: [&[bool]; 2],
        input: &[DVec3],
        [fitted, simulated]: [&[DVec3]; 2],
        out: &mut [DVec3],
    ) {
        let turns = match self.transfer {
            Transfer::Rotation => self.rotations(bound, [fitted, simulated]),
            Transfer::Gradient => self.gradients(bound, [fitted, simulated]),
        };
        for (v, out) in out.iter_mut().enumerate() {
            *out = if exact[v] {
                input[v]
            } else if tracked[v] {
                let missed = input[v] - bound.carried(v, fitted);
                bound.carried(v, simulated) + turns[v] * missed
            } else {
                bound.carried(v, simulated)
            };
        }
    }

    /// R at every vertex of Γ.
    fn rotations(&self, bound: &Bound, shapes: [&[DVec3]; 2]) -> Vec<DMat3> {
        let [before, after] = shapes.map(|x| {
            let gradients: Vec<DMat3> = self.tets.iter().map(|tet| gradient(tet, x)).collect();
            let mut around = vec![DMat3::ZERO; x.len()];
            self.around.add(&gradients, &mut around, &self.alone);
            closest_rotations(&mut around, &self.alone);
            around
        });
        let between = |v: usize| -> DMat3 {
            let weighted = bound.corners(v).into_iter().zip(bound.embedding.weights[v]);
            let turn = |c: u32| after[c as usize] * before[c as usize].transpose();
            // Of what is outside of its tet, only the side that it is on.
            weighted.map(|(c, weight)| turn(c) * weight.max(0.0)).sum()
        };
        let mut turned: Vec<DMat3> = (0..bound.surface.positions.len()).map(between).collect();
        closest_rotations(&mut turned, &self.alone);
        turned
    }

    /// The gradient from one shape to the other of the tet that each vertex of Γ is in.
    fn gradients(&self, bound: &Bound, shapes: [&[DVec3]; 2]) -> Vec<DMat3> {
        let of = |&t: &u32| {
            let [before, after] = shapes.map(|x| gradient(&self.tets[t as usize], x));
            after * before.inverse()
        };
        bound.embedding.tets.iter().map(of).collect()
    }
}

/// F of a tet.
fn gradient((tet, inverse): &([u32; 4], DMat3), positions: &[DVec3]) -> DMat3 {
    edges(*tet, positions) * *inverse
}

/// x₁ − x₀, x₂ − x₀, x₃ − x₀ as columns.
fn edges(tet: [u32; 4], positions: &[DVec3]) -> DMat3 {
    let [a, b, c, d] = tet.map(|v| positions[v as usize]);
    DMat3::from_cols(b - a, c - a, d - a)
}

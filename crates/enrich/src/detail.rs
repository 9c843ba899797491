//! What is finer than the tets: the difference between an input vertex and where the fitted tets
//! carry it, turned with them and added to where the simulated ones do,
//!
//! ```text
//! q′ = C′u + R (q̄ − C′ū).                                     (Eq. 10)
//! ```
//!
//! R is the rotation from the fitted tet to the simulated one. It is taken as R(F) R(F̄)ᵀ, of each
//! one's gradient from rest: the same where the two differ by a rotation, and a rotation still where
//! the fitted tet is flat and has no inverse. With the gradient itself in place of R, such tets throw
//! spikes (Fig. 10); [`Transfer::Gradient`] shows it.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::polar;

use crate::bound::Bound;

/// How detail is carried from the fitted tets to the simulated ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfer {
    /// By rotation.
    #[default]
    Rotation,
    /// By the gradient from one tet to the other: for comparison.
    Gradient,
}

/// The tets that vertices are bound to, with what turns their edges into gradients.
pub struct Detail {
    /// Tets in use, each with its vertices and the inverse of its edges at rest [1/m].
    tets: Vec<([u32; 4], DMat3)>,
    /// Which of them each vertex of Γ is bound to.
    of: Vec<u32>,
    transfer: Transfer,
    turns: Vec<DMat3>,
}

impl Detail {
    /// For a bound surface.
    pub fn new(bound: &Bound, transfer: Transfer) -> Self {
        let mut used = bound.embedding.tets.clone();
        used.sort_unstable();
        used.dedup();
        let at = |t: &u32| used.binary_search(t).unwrap_or(0) as u32;
        let of = bound.embedding.tets.iter().map(at).collect();
        let tets = used
            .iter()
            .map(|&t| {
                let tet = bound.solid.tets[t as usize];
                (tet, edges(tet, &bound.solid.positions).inverse())
            })
            .collect::<Vec<_>>();
        Detail { turns: vec![DMat3::IDENTITY; tets.len()], tets, of, transfer }
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
        for (turn, (tet, inverse)) in self.turns.iter_mut().zip(&self.tets) {
            let [before, after] = [fitted, simulated].map(|x| edges(*tet, x) * *inverse);
            *turn = match self.transfer {
                Transfer::Rotation => polar(&after) * polar(&before).transpose(),
                Transfer::Gradient => after * before.inverse(),
            };
        }
        for (v, out) in out.iter_mut().enumerate() {
            *out = if exact[v] {
                input[v]
            } else if tracked[v] {
                let missed = input[v] - bound.carried(v, fitted);
                bound.carried(v, simulated) + self.turns[self.of[v] as usize] * missed
            } else {
                bound.carried(v, simulated)
            };
        }
    }
}

/// x₁ − x₀, x₂ − x₀, x₃ − x₀ as columns.
fn edges(tet: [u32; 4], positions: &[DVec3]) -> DMat3 {
    let [a, b, c, d] = tet.map(|v| positions[v as usize]);
    DMat3::from_cols(b - a, c - a, d - a)
}

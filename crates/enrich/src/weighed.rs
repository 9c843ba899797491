//! How firmly every vertex of Ω follows, at the time of a frame: weights as painted, or as found.

use crate::bound::Bound;
use crate::core::Following;
use crate::error::EnrichError;
use crate::pipeline::{Blend, EnrichOptions, stiffness, weight};
use crate::weights;

/// Weights and the forces they stand for.
pub struct Weighed {
    /// Weights of Ω's vertices, from 0 (physics) to 1 (input).
    pub weights: Vec<f64>,
    /// W of Ω's vertices [N/m].
    pub stiffness: Vec<f64>,
    /// What painted weights are mixed of; empty where nothing is painted.
    bases: Vec<Vec<f64>>,
}

impl Weighed {
    /// From what is painted, or else from what was found; masses of Ω's vertices in kg.
    pub fn new(
        bound: &Bound,
        following: &Following,
        masses: &[f64],
        options: &EnrichOptions,
    ) -> Result<Self, EnrichError> {
        let EnrichOptions { eta, zeta, painted, map, .. } = options;
        if let Some(map) = map {
            let weights = of_map(bound, map)?;
            let stiffness = weights.iter().map(|&w| stiffness(w, *eta, *zeta)).collect();
            return Ok(Weighed { weights, stiffness, bases: Vec::new() });
        }
        if painted.is_empty() {
            let spring = |(m, f): (&f64, &f64)| m * (std::f64::consts::TAU * f).powi(2);
            let stiffness: Vec<f64> =
                masses.iter().zip(&following.frequencies).map(spring).collect();
            let weights = stiffness.iter().map(|&w| weight(w, *eta, *zeta)).collect();
            return Ok(Weighed { weights, stiffness, bases: Vec::new() });
        }
        let count = bound.surface.positions.len();
        let mut sets = Vec::new();
        for (vertices, _) in painted {
            if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= count) {
                return Err(EnrichError::NoSuchVertex { what: "a painted weight", vertex, count });
            }
            sets.push(vertices.iter().map(|&v| bound.nearest_corner(v as usize)).collect());
        }
        sets.push(following.exact.clone());
        let bases = weights::bases(&bound.solid.tets, bound.solid.positions.len(), &sets)?;
        Ok(Weighed { weights: Vec::new(), stiffness: Vec::new(), bases })
    }

    /// Takes what is painted at a time \[s\].
    pub fn mix(&mut self, following: &Following, options: &EnrichOptions, time: f64) {
        let EnrichOptions { eta, zeta, painted, blend, .. } = options;
        if !self.bases.is_empty() {
            let mut values: Vec<f64> = painted.iter().map(|(_, p)| p.at(time)).collect();
            values.push(1.0);
            self.weights = weights::mixed(&self.bases, &values);
            self.stiffness = self.weights.iter().map(|&w| stiffness(w, *eta, *zeta)).collect();
        }
        if *blend == Blend::Kinematic {
            self.stiffness.fill(0.0);
        }
        for &v in &following.exact {
            self.weights[v as usize] = 1.0;
        }
    }

    /// Weights of Γ's vertices, from 0 (physics) to 1 (input).
    pub fn on_surface(&self, bound: &Bound) -> Vec<f64> {
        let at = |v: usize| -> f64 {
            let corners = bound.corners(v).into_iter();
            let weighted = corners.zip(bound.embedding.weights[v]);
            let weight: f64 = weighted.map(|(c, w)| w * self.weights[c as usize]).sum();
            weight.clamp(0.0, 1.0)
        };
        (0..bound.surface.positions.len()).map(at).collect()
    }
}

/// Weights of Ω's vertices from those of Γ's: each Γ paints the corner that it is nearest to.
fn of_map(bound: &Bound, map: &[f64]) -> Result<Vec<f64>, EnrichError> {
    let (found, expected) = (map.len(), bound.surface.positions.len());
    if found != expected {
        return Err(EnrichError::Count { what: "the weight map", found, expected });
    }
    let count = bound.solid.positions.len();
    let mut sums = vec![(0.0, 0.0); count];
    for (v, weight) in map.iter().enumerate() {
        let (sum, painters) = &mut sums[bound.nearest_corner(v) as usize];
        *sum += weight;
        *painters += 1.0;
    }
    let painted: Vec<(u32, f64)> = (0u32..)
        .zip(&sums)
        .filter(|(_, (_, painters))| *painters > 0.0)
        .map(|(v, (sum, painters))| (v, sum / painters))
        .collect();
    weights::spread(&bound.solid.tets, count, &painted)
}

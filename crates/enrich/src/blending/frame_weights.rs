//! Weights and stiffnesses of Ω's vertices at the time of a frame.

use super::{Blend, biharmonic, stiffness, weight};
use crate::embedding::EmbeddedSurface;
use crate::error::EnrichError;
use crate::pipeline::EnrichOptions;
use crate::skeleton::Following;

/// Weights of Ω's vertices and the stiffnesses of their blending forces.
pub struct FrameWeights {
    /// Weights of Ω's vertices, from 0 (physics) to 1 (input).
    pub weights: Vec<f64>,
    /// W of Ω's vertices [N/m].
    pub stiffness: Vec<f64>,
    /// Bases of the painted weights; empty if nothing is painted.
    bases: Vec<Vec<f64>>,
}

impl FrameWeights {
    /// Weights from the map, the painted values or the skeleton's frequencies, in this order of
    /// precedence. `masses` are those of Ω's vertices \[kg\].
    pub fn new(
        embedded: &EmbeddedSurface,
        following: &Following,
        masses: &[f64],
        options: &EnrichOptions,
    ) -> Result<Self, EnrichError> {
        let EnrichOptions { eta, zeta, painted, map, .. } = options;
        if let Some(map) = map {
            let weights = of_map(embedded, map)?;
            let stiffness = weights.iter().map(|&w| stiffness(w, *eta, *zeta)).collect();
            return Ok(FrameWeights { weights, stiffness, bases: Vec::new() });
        }
        if painted.is_empty() {
            let spring = |(m, f): (&f64, &f64)| m * (std::f64::consts::TAU * f).powi(2);
            let stiffness: Vec<f64> =
                masses.iter().zip(&following.frequencies).map(spring).collect();
            let weights = stiffness.iter().map(|&w| weight(w, *eta, *zeta)).collect();
            return Ok(FrameWeights { weights, stiffness, bases: Vec::new() });
        }
        let count = embedded.surface.positions.len();
        let mut sets = Vec::new();
        for (vertices, _) in painted {
            if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= count) {
                return Err(EnrichError::NoSuchVertex { what: "a painted weight", vertex, count });
            }
            sets.push(vertices.iter().map(|&v| embedded.nearest_corner(v as usize)).collect());
        }
        sets.push(following.exact.clone());
        let bases = biharmonic::bases(&embedded.solid.tets, embedded.solid.positions.len(), &sets)?;
        Ok(FrameWeights { weights: Vec::new(), stiffness: Vec::new(), bases })
    }

    /// Updates painted weights to a time \[s\].
    pub fn update(&mut self, following: &Following, options: &EnrichOptions, time: f64) {
        let EnrichOptions { eta, zeta, painted, blend, .. } = options;
        if !self.bases.is_empty() {
            let mut values: Vec<f64> = painted.iter().map(|(_, p)| p.at(time)).collect();
            values.push(1.0);
            self.weights = biharmonic::combine(&self.bases, &values);
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
    pub fn on_surface(&self, embedded: &EmbeddedSurface) -> Vec<f64> {
        let at = |v: usize| -> f64 {
            let corners = embedded.corners(v).into_iter();
            let weighted = corners.zip(embedded.embedding.weights[v]);
            let weight: f64 = weighted.map(|(c, w)| w * self.weights[c as usize]).sum();
            weight.clamp(0.0, 1.0)
        };
        (0..embedded.surface.positions.len()).map(at).collect()
    }
}

/// Weights of Ω's vertices from those of Γ's, each of which paints its nearest corner.
fn of_map(embedded: &EmbeddedSurface, map: &[f64]) -> Result<Vec<f64>, EnrichError> {
    let (found, expected) = (map.len(), embedded.surface.positions.len());
    if found != expected {
        return Err(EnrichError::Count { what: "the weight map", found, expected });
    }
    let count = embedded.solid.positions.len();
    let mut sums = vec![(0.0, 0.0); count];
    for (v, weight) in map.iter().enumerate() {
        let (sum, painters) = &mut sums[embedded.nearest_corner(v) as usize];
        *sum += weight;
        *painters += 1.0;
    }
    let painted: Vec<(u32, f64)> = (0u32..)
        .zip(&sums)
        .filter(|(_, (_, painters))| *painters > 0.0)
        .map(|(v, (sum, painters))| (v, sum / painters))
        .collect();
    biharmonic::spread(&embedded.solid.tets, count, &painted)
}

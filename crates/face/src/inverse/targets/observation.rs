//! Skin samples with targets: the data term ½ Σ ω |Sx − t|² of Eq. 4 of \[ichim2017phace\].
//!
//! Distances count to the target point and to its tangent plane.

use glam::DVec3;
use pliant_math::Row;

/// A point of the skin, bound to model vertices, with its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinSample {
    /// Model vertices and their weights.
    pub vertices: [u32; 4],
    pub weights: [f64; 4],
    /// Target position (m).
    pub target: DVec3,
    /// Weight of the distance to the target.
    pub to_point: f64,
    /// Weight of the distance along `normal`, added to it.
    pub to_plane: f64,
    pub normal: DVec3,
}

/// The samples of a skin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    pub samples: Vec<SkinSample>,
}

impl SkinSample {
    /// Position of the sample (m).
    pub fn position(&self, positions: &[Row]) -> DVec3 {
        self.sum(|v| positions[v as usize].xyz())
    }

    fn sum(&self, of: impl Fn(u32) -> DVec3) -> DVec3 {
        self.vertices.iter().zip(self.weights).map(|(v, w)| of(*v) * w).sum()
    }

    fn scale(&mut self, by: f64) {
        (self.to_point, self.to_plane) = (by * self.to_point, by * self.to_plane);
    }

    /// ω d for a distance d from the target.
    fn weighted(&self, way: DVec3) -> DVec3 {
        way * self.to_point + self.normal * (self.to_plane * self.normal.dot(way))
    }
}

impl Observation {
    /// Multiplies all weights by a factor.
    pub fn scale(&mut self, by: f64) {
        self.samples.iter_mut().for_each(|sample| sample.scale(by));
    }

    /// Trust in samples that stay away from their targets, from 0 to 1 \[geman1985\]: ¼ at the
    /// distance `far` (m) of each sample, and less beyond.
    pub fn trust_weights(&self, positions: &[Row], far: impl Fn(usize) -> f64) -> Vec<f64> {
        let away = self.distances(positions).into_iter().enumerate();
        away.map(|(k, away)| (1.0 + (away / far(k)).powi(2)).powi(-2)).collect()
    }

    /// Distances of the samples from their targets (m).
    pub fn distances(&self, positions: &[Row]) -> Vec<f64> {
        self.samples.iter().map(|own| own.position(positions).distance(own.target)).collect()
    }

    /// Multiplies the weights of each sample by a factor.
    pub fn reweighted(mut self, by: &[f64]) -> Observation {
        self.samples.iter_mut().zip(by).for_each(|(sample, by)| sample.scale(*by));
        self
    }

    /// ½ Σ ω |Sx − t|².
    pub fn value(&self, positions: &[Row]) -> f64 {
        let one = |sample: &SkinSample| {
            let way = sample.position(positions) - sample.target;
            0.5 * way.dot(sample.weighted(way))
        };
        self.samples.iter().map(one).sum()
    }

    /// out ← Sᵀ ω (Sx − t) for the free vertices.
    pub fn gradient(&self, positions: &[Row], out: &mut [Row]) {
        self.scatter(out, |sample| sample.position(positions) - sample.target);
    }

    /// out ← Sᵀ ω S dx for a change of the free vertices; all others stay.
    pub fn apply_hessian(&self, change: &[Row], out: &mut [Row]) {
        let way = |v: u32| change.get(v as usize).map_or(DVec3::ZERO, |row| row.xyz());
        self.scatter(out, |sample| sample.sum(way));
    }

    fn scatter(&self, out: &mut [Row], way: impl Fn(&SkinSample) -> DVec3) {
        out.fill(Row::zero());
        for sample in &self.samples {
            let force = sample.weighted(way(sample));
            for (&v, weight) in sample.vertices.iter().zip(sample.weights) {
                if let Some(row) = out.get_mut(v as usize) {
                    *row = *row + Row::from(force * weight);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_falls_with_the_distance_relative_to_each_limit() {
        let at = |x: f64| SkinSample {
            vertices: [0; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            target: DVec3::X * x,
            to_point: 1.0,
            to_plane: 0.0,
            normal: DVec3::ZERO,
        };
        let observation = Observation { samples: [0.0, 0.001, 0.001, 0.1].map(at).to_vec() };
        let far = [0.001, 0.001, 0.01, 0.001];
        let trust_weights = observation.trust_weights(&[Row::zero()], |k| far[k]);
        assert_eq!(trust_weights[..2], [1.0, 0.25]);
        assert!(trust_weights[2] > 0.98 && trust_weights[3] < 1e-7, "{trust_weights:?}");
    }
}

//! Points of the skin that are to be somewhere: ½ Σ ω |Sx − t|², to points and to planes (Rusinkiewicz and
//! Levoy 2001).

use glam::DVec3;
use pliant_math::Row;

/// A point bound to vertices, and where it is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Model vertices, and their weights.
    pub vertices: [u32; 4],
    pub weights: [f64; 4],
    /// Where it is to be (m).
    pub target: DVec3,
    /// Of the distance to the target.
    pub to_point: f64,
    /// Of the distance along `normal`, beside that.
    pub to_plane: f64,
    pub normal: DVec3,
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    pub samples: Vec<Sample>,
}

impl Sample {
    /// Where it is (m).
    pub fn place(&self, positions: &[Row]) -> DVec3 {
        self.sum(|v| positions[v as usize].xyz())
    }

    fn sum(&self, of: impl Fn(u32) -> DVec3) -> DVec3 {
        self.vertices.iter().zip(self.weights).map(|(v, w)| of(*v) * w).sum()
    }

    /// ω d: weights of a way from the target.
    fn weighted(&self, way: DVec3) -> DVec3 {
        way * self.to_point + self.normal * (self.to_plane * self.normal.dot(way))
    }
}

impl Observation {
    /// Lets it count for more, or less.
    pub fn scale(&mut self, by: f64) {
        for sample in &mut self.samples {
            (sample.to_point, sample.to_plane) = (by * sample.to_point, by * sample.to_plane);
        }
    }

    /// How much samples can be trusted that are some way from their targets at these positions, where all that can be was done to meet them
    /// (Geman and McClure 1985): a quarter where they are `far` (m) off, which is asked for each, and the less, the further they are.
    pub fn trusts(&self, positions: &[Row], far: impl Fn(usize) -> f64) -> Vec<f64> {
        let away = self.distances(positions).into_iter().enumerate();
        away.map(|(k, away)| (1.0 + (away / far(k)).powi(2)).powi(-2)).collect()
    }

    /// How far samples are from their targets (m).
    pub fn distances(&self, positions: &[Row]) -> Vec<f64> {
        self.samples.iter().map(|own| own.place(positions).distance(own.target)).collect()
    }

    /// Lets every sample count for so many times what it does.
    pub fn weighed(mut self, by: &[f64]) -> Observation {
        for (sample, by) in self.samples.iter_mut().zip(by) {
            (sample.to_point, sample.to_plane) = (by * sample.to_point, by * sample.to_plane);
        }
        self
    }

    /// ½ Σ ω |Sx − t|².
    pub fn value(&self, positions: &[Row]) -> f64 {
        let one = |sample: &Sample| {
            let way = sample.place(positions) - sample.target;
            0.5 * way.dot(sample.weighted(way))
        };
        self.samples.iter().map(one).sum()
    }

    /// out ← Sᵀ ω (Sx − t), of the free vertices.
    pub fn slope(&self, positions: &[Row], out: &mut [Row]) {
        self.spread(out, |sample| sample.place(positions) - sample.target);
    }

    /// out ← Sᵀ ω S dx, of the free vertices; all others stay.
    pub fn bend(&self, change: &[Row], out: &mut [Row]) {
        let way = |v: u32| change.get(v as usize).map_or(DVec3::ZERO, |row| row.xyz());
        self.spread(out, |sample| sample.sum(way));
    }

    fn spread(&self, out: &mut [Row], way: impl Fn(&Sample) -> DVec3) {
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
    fn samples_are_trusted_by_how_far_off_each_may_be() {
        let at = |x: f64| Sample {
            vertices: [0; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            target: DVec3::X * x,
            to_point: 1.0,
            to_plane: 0.0,
            normal: DVec3::ZERO,
        };
        let observation = Observation { samples: [0.0, 0.001, 0.001, 0.1].map(at).to_vec() };
        let far = [0.001, 0.001, 0.01, 0.001];
        let trusts = observation.trusts(&[Row::zero()], |k| far[k]);
        assert_eq!(trusts[..2], [1.0, 0.25]);
        assert!(trusts[2] > 0.98 && trusts[3] < 1e-7, "{trusts:?}");
    }
}

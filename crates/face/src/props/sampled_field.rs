//! A function of space sampled on a lattice, for fast lookup.

use glam::DVec3;

/// Values on a lattice, and between them by three linear interpolations.
#[derive(Clone, Debug, Default)]
pub(super) struct SampledField {
    low: DVec3,
    size: f64,
    counts: [usize; 3],
    values: Vec<f64>,
}

impl SampledField {
    /// Within a box, on cubes of a side (m), where somebody will ask; elsewhere values are as far
    /// away as can be.
    pub fn new(
        (low, high): (DVec3, DVec3),
        size: f64,
        is_asked: impl Fn(DVec3) -> bool,
        field: impl Fn(DVec3) -> f64,
    ) -> SampledField {
        let counts = ((high - low) / size).to_array().map(|n| n.max(0.0).ceil() as usize + 2);
        let value = |i: usize| {
            let place = [i % counts[0], i / counts[0] % counts[1], i / (counts[0] * counts[1])];
            let p = low + size * DVec3::from_array(place.map(|k| k as f64));
            if is_asked(p) { field(p) } else { 1.0 }
        };
        let values = (0..counts.iter().product()).map(value).collect();
        SampledField { low, size, counts, values }
    }

    /// At a place (m); outside of the box, as at its side.
    pub fn at(&self, p: DVec3) -> f64 {
        if self.values.is_empty() {
            return 1.0;
        }
        let at = (p - self.low) / self.size;
        let (mut first, mut part) = ([0; 3], [0.0; 3]);
        for k in 0..3 {
            let within = at[k].clamp(0.0, (self.counts[k] - 1) as f64 - 1e-9);
            first[k] = within as usize;
            part[k] = within - first[k] as f64;
        }
        let mut sum = 0.0;
        for corner in 0..8usize {
            let (mut index, mut weight) = (0, 1.0);
            for k in (0..3).rev() {
                let ahead = corner >> k & 1;
                index = index * self.counts[k] + first[k] + ahead;
                weight *= if ahead == 1 { part[k] } else { 1.0 - part[k] };
            }
            sum += weight * self.values[index];
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linear_is_kept() {
        let plane = |p: DVec3| p.x - 2.0 * p.y + 0.5 * p.z;
        let sampled = SampledField::new((DVec3::ZERO, DVec3::ONE), 0.3, |_| true, plane);
        for p in [DVec3::new(0.1, 0.9, 0.4), DVec3::ZERO, DVec3::splat(0.95)] {
            assert!((sampled.at(p) - plane(p)).abs() < 1e-12);
        }
    }
}

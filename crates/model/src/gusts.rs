//! Gusts: smooth noise in space and time, drifting with the wind.
//!
//! Value noise on a lattice of four dimensions, two octaves, of which the second is half as large
//! and half as long. Eddies go with the wind (Taylor's hypothesis of frozen turbulence), but not at
//! its speed, which no animation resolves: by two of their sizes in the time that they last.

use glam::DVec3;

use crate::random::signed_at;

/// Shares of the octaves; they sum to 1.
const SHARES: [f64; 2] = [0.65, 0.35];
/// Sizes that gusts drift by in their period.
const DRIFT: f64 = 2.0;

/// Relative changes of the wind's speed from place to place and from moment to moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gusts {
    /// How large a gust is \[m\].
    pub size: f64,
    /// How long it lasts \[s\].
    pub period: f64,
    /// Of the noise.
    pub seed: u64,
}

impl Gusts {
    /// What the speed differs by from the mean, from −1 to 1, at a place \[m\] and a time \[s\], in
    /// a wind of a direction, which need not have length 1.
    ///
    /// ```
    /// use pliant_model::{DVec3, Gusts};
    /// let gusts = Gusts { size: 0.05, period: 0.2, seed: 1 };
    /// let here = gusts.at(DVec3::ZERO, 0.3, DVec3::X);
    /// assert_eq!(here, gusts.at(DVec3::ZERO, 0.3, DVec3::X));
    /// assert!(here != gusts.at(DVec3::Y, 0.3, DVec3::X) && here.abs() <= 1.0);
    /// ```
    pub fn at(&self, x: DVec3, time: f64, wind: DVec3) -> f64 {
        let (size, period) = (self.size.max(1e-6), self.period.max(1e-6));
        let along = wind.try_normalize().unwrap_or(DVec3::ZERO) * DRIFT;
        let (place, moment) = (x / size - along * (time / period), time / period);
        SHARES[0] * octave(place, moment, self.seed)
            + SHARES[1] * octave(2.0 * place, 2.0 * moment, !self.seed)
    }
}

fn octave(x: DVec3, time: f64, seed: u64) -> f64 {
    let coordinates = [x.x, x.y, x.z, time];
    let knots = coordinates.map(f64::floor);
    let fades: [f64; 4] = std::array::from_fn(|k| {
        let f = coordinates[k] - knots[k];
        f * f * f * (f * (6.0 * f - 15.0) + 10.0)
    });
    let mut sum = 0.0;
    for corner in 0..16usize {
        let (mut index, mut weight) = (0i64, 1.0);
        for k in 0..4 {
            let ahead = corner >> k & 1;
            index = index.wrapping_mul(0x5851_F42D).wrapping_add(knots[k] as i64 + ahead as i64);
            weight *= if ahead == 1 { fades[k] } else { 1.0 - fades[k] };
        }
        sum += weight * signed_at(seed, index);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gusts_are_smooth_and_bounded_and_forget_what_is_far() {
        let gusts = Gusts { size: 0.05, period: 0.2, seed: 3 };
        let at = |x: f64, t: f64| gusts.at(DVec3::new(x, 0.013, -0.02), t, DVec3::X * 20.0);
        let line: Vec<f64> = (0..4000).map(|i| at(1e-4 * f64::from(i), 0.1)).collect();
        let time: Vec<f64> = (0..4000).map(|i| at(0.0, 1e-3 * f64::from(i))).collect();
        for (name, values, most) in [("in space", &line, 0.02), ("in time", &time, 0.1)] {
            assert!(values.iter().all(|v| v.abs() <= 1.0));
            let jump = values.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
            assert!(jump < most, "{name} it jumps by {jump}");
            let mean = values.iter().sum::<f64>() / 4000.0;
            let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 4000.0).sqrt();
            assert!(spread > 0.15 && mean.abs() < 0.2, "{name}: {mean} ± {spread}");
        }
        // Two sizes away nothing is known of the value here.
        let pairs = line.iter().zip(&line[1000..]);
        let (mut product, mut square) = (0.0, 0.0);
        pairs.for_each(|(a, b)| (product, square) = (product + a * b, square + a * a));
        assert!(product.abs() < 0.5 * square, "{product} of {square}");
    }
}

//! The air's velocity over time: a mean, keyed in time, with smooth random gusts.

use glam::DVec3;

use crate::motion::sample;
use crate::random::signed_at;

/// Wind as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Breeze {
    /// Mean velocity of the air [m/s].
    pub velocity: DVec3,
    /// Air density times drag coefficient [kg/m³].
    pub drag: f64,
    /// Relative strength of gusts: 0.2 varies the speed by about ±20 %.
    pub gust: f64,
    /// Seed of the gusts.
    pub seed: u64,
    /// Ascending key times \[s\] of `scale`; empty for a constant 1.
    pub times: Vec<f64>,
    /// Factor of the velocity at each key.
    pub scale: Vec<f64>,
}

impl Breeze {
    /// The air's velocity at a time [m/s].
    pub fn at(&self, time: f64) -> DVec3 {
        let gust = if self.gust == 0.0 { 0.0 } else { self.gust * noise(time, self.seed) };
        let keyed = sample(&self.times, &self.scale, time).unwrap_or(1.0);
        self.velocity * (keyed * (1.0 + gust))
    }
}

/// Two octaves of value noise, knots every 1/2 s and 1/5 s, in [−1, 1].
fn noise(time: f64, seed: u64) -> f64 {
    0.65 * octave(2.0 * time, seed) + 0.35 * octave(5.0 * time, !seed)
}

fn octave(t: f64, seed: u64) -> f64 {
    let knot = t.floor();
    let f = t - knot;
    // Quintic fade: velocity and acceleration of the air are continuous.
    let fade = f * f * f * (f * (6.0 * f - 15.0) + 10.0);
    let (a, b) = (signed_at(seed, knot as i64), signed_at(seed, knot as i64 + 1));
    a + (b - a) * fade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gusts_are_smooth_bounded_and_repeatable() {
        let breeze = Breeze {
            velocity: DVec3::X * 10.0,
            drag: 1.2,
            gust: 0.2,
            seed: 7,
            times: vec![],
            scale: vec![],
        };
        let speeds: Vec<f64> = (0..3000).map(|i| breeze.at(f64::from(i) * 1e-3).x).collect();
        assert!(speeds.iter().all(|s| (8.0..=12.0).contains(s)));
        let jump = speeds.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
        assert!(jump < 0.05, "the wind jumps by {jump} m/s within a millisecond");
        let spread = speeds.iter().fold(0.0f64, |m, s| m.max((s - 10.0).abs()));
        assert!(spread > 0.5, "there are no gusts: {spread} m/s");
        assert_eq!(breeze.at(1.234), breeze.clone().at(1.234));
    }
}

//! What a capture does to inner lips, as Dinev 2020 describes it in Section 2.3.1.

use glam::DVec3;

use super::motion::Pose;
use super::mouth::{CONTACT, Place, RED, TRUSTED, smooth_step};

/// Half the gap that closed lips are captured with \[m\].
const GAP: f64 = 0.0014;
/// How far corners are displaced \[m\].
const CORNERS: f64 = 0.0026;
/// How far the inner lip is off when teeth are seen \[m\].
const TEETH: f64 = 0.0011;
/// What no capture is free of, in any frame \[m\].
const NOISE: f64 = 0.00006;
/// Waves around the mouth that make up the noise near teeth.
const WAVES: u64 = 7;

/// How much a frame is damaged, from 0 to 1 each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damage {
    frame: u64,
    /// Closed lips have a gap.
    pub gap: f64,
    /// Corners lose their depth; at +x and −x.
    pub corners: [f64; 2],
    /// Teeth irritate the tracker.
    pub teeth: f64,
}

impl Damage {
    /// Of a frame.
    pub fn of(frame: usize) -> Damage {
        let pose = Pose::of(frame);
        let pulled = |smile: f64| smile + 0.8 * pose.stretch + 0.6 * pose.pucker;
        Damage {
            frame: frame as u64,
            gap: 1.0 - smooth_step(0.03, 0.15, pose.open),
            corners: pose.smile.map(|smile| smooth_step(0.3, 1.0, pulled(smile))),
            teeth: smooth_step(0.4, 0.7, pose.open),
        }
    }

    /// Whether only the noise that all frames have is left.
    pub fn is_slight(&self) -> bool {
        self.gap + self.teeth + self.corners[0] + self.corners[1] < 0.12
    }

    /// How far a vertex is captured from where it is \[m\].
    pub fn at(&self, place: &Place, vertex: u64) -> DVec3 {
        let inside = smooth_step(TRUSTED, RED + 0.04, place.depth);
        if inside == 0.0 {
            return DVec3::ZERO;
        }
        let at_contact = (-((place.depth - CONTACT) / 0.14).powi(2)).exp();
        let vertical = 1.0 - 2.0 * place.lower();
        let mut d = self.gap * GAP * at_contact * vertical * place.angle.sin().abs() * DVec3::Y;
        for (side, corner) in [1.0, -1.0].into_iter().zip(self.corners) {
            let near = place.corner(side, 0.4) * inside;
            d += corner * CORNERS * near * DVec3::new(-0.8 * side, 0.15, 0.6);
        }
        let shaken = self.teeth * TEETH * smooth_step(RED, CONTACT, place.depth);
        for wave in 1..=WAVES {
            let seed = (self.frame << 8) ^ wave;
            let phase = 3.0 * random(seed, 0);
            let swing = (wave as f64 * place.angle + phase).sin() / (WAVES as f64).sqrt();
            d += shaken * swing * DVec3::new(random(seed, 1), random(seed, 2), random(seed, 3));
        }
        let own = (self.frame << 32) ^ vertex ^ 0x5EED_0000_0000_0000;
        let noise = DVec3::new(random(own, 4), random(own, 5), random(own, 6));
        inside * (d + NOISE * noise)
    }
}

/// A number in [−1, 1) that depends on both: splitmix64.
fn random(seed: u64, index: u64) -> f64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

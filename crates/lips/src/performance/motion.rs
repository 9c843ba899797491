//! What moves the mouth: a jaw that turns, and fields that fall off from the lips.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3};

use super::mouth::{CONTACT, Place, RED, smooth_step};
use super::{FPS, FRAMES};

/// The axis of the jaw \[m\], along x.
const HINGE: DVec3 = DVec3::new(0.0, 0.018, -0.085);
/// How far the jaw opens \[rad\].
const OPEN: f64 = 0.2;

/// How far everything is moved, from 0 to about 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// The jaw.
    pub open: f64,
    /// The corner at +x, and that at −x.
    pub smile: [f64; 2],
    /// Lips forward and narrow.
    pub pucker: f64,
    /// Lips turned out.
    pub funnel: f64,
    /// The upper lip.
    pub raise: f64,
    /// Corners down and out.
    pub stretch: f64,
}

/// A smooth pulse of each period: how high, how often per second, when first \[s\], how sharp.
fn pulses(time: f64, rate: f64, start: f64, sharp: i32) -> f64 {
    let wave = 0.5 - 0.5 * (TAU * rate * (time - start)).cos();
    wave.powi(sharp)
}

impl Pose {
    /// Of a frame; the performance is repeated after its end.
    pub fn of(frame: usize) -> Pose {
        let time = (frame % FRAMES) as f64 / FPS;
        Pose {
            open: pulses(time, 1.37, 0.13, 2) * (0.35 + 0.65 * pulses(time, 0.23, 0.4, 1)),
            smile: [0.9 * pulses(time, 0.31, 0.9, 3), 0.9 * pulses(time, 0.27, 0.2, 3)],
            pucker: pulses(time, 0.41, 1.7, 5),
            funnel: 0.8 * pulses(time, 0.53, 0.6, 5),
            raise: 0.8 * pulses(time, 0.47, 1.1, 3),
            stretch: 0.8 * pulses(time, 0.37, 2.3, 4),
        }
    }

    /// Where this pose takes the place that is at `x` at rest \[m\].
    pub fn moved(&self, place: &Place, x: DVec3) -> DVec3 {
        let (near, lower) = (place.near(), place.lower());
        let upper = 1.0 - lower;
        // 1 at the lips' front, 0 in the cavity.
        let front = 1.0 - smooth_step(CONTACT, 1.0, place.depth);
        let mut d = DVec3::ZERO;
        for (side, smile) in [1.0, -1.0].into_iter().zip(self.smile) {
            let corner = place.corner(side, 0.75) * (0.2 + 0.8 * near);
            d += smile * corner * DVec3::new(0.007 * side, 0.0065, -0.005);
            d += self.stretch * corner * DVec3::new(0.006 * side, -0.005, -0.002);
        }
        let middle = (-(x.x / 0.018).powi(2)).exp();
        d +=
            self.pucker * near * DVec3::new(-0.38 * x.x, -0.12 * x.y, 0.009 * (0.4 + 0.6 * middle));
        let turned = smooth_step(0.3 * RED, CONTACT, place.depth) * front;
        d += self.funnel
            * near
            * DVec3::new(
                -0.15 * x.x,
                0.0028 * (upper - lower) * turned,
                0.006 * (0.3 + 0.7 * middle),
            );
        let raised = smooth_step(0.0, 0.5, place.depth) * upper;
        d += self.raise * raised * DVec3::new(0.0, 0.0055 * middle, 0.0012 * middle);
        let jaw = lower * (0.3 + 0.7 * near);
        let turn = DMat3::from_rotation_x(OPEN * self.open * jaw);
        HINGE + turn * (x + d - HINGE)
    }
}

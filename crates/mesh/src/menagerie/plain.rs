//! Bodies without a face: a beach ball and a striped bar.

use super::sculpture::Sculpture;
use super::solid::{self, slab, turned};

const RED: [f32; 3] = [0.86, 0.22, 0.20];
const WHITE: [f32; 3] = [0.95, 0.94, 0.90];
const BLUE: [f32; 3] = [0.16, 0.42, 0.75];
const YELLOW: [f32; 3] = [0.96, 0.76, 0.20];

/// A ball of one metre across with coloured gores.
pub fn ball(s: &mut Sculpture) {
    s.add(WHITE, 0.0, solid::ball([0.0; 3], 1.0));
    // Flat ellipsoids through the axis colour two opposite gores each.
    for (colour, degrees) in [(RED, 0.0), (YELLOW, 60.0), (BLUE, 120.0)] {
        s.spot(colour, turned([0.0; 3], [0.28, 1.6, 1.6], [0.0, degrees, 0.0]));
    }
    s.spot(WHITE, solid::ball([0.0, 1.0, 0.0], 0.25));
    s.spot(WHITE, solid::ball([0.0, -1.0, 0.0], 0.25));
    s.region("base", slab([0.0, -1.0, 0.0], [2.0, 0.15, 2.0], 0.0));
}

/// A bar of 1 × 0.25 × 0.25 m along x, its ends named `left` and `right`.
pub fn bar(s: &mut Sculpture) {
    s.add(YELLOW, 0.0, slab([0.0; 3], [2.0, 0.5, 0.5], 0.08));
    for k in 0..4 {
        let x = -1.75 + f64::from(k);
        s.spot(RED, slab([x, 0.0, 0.0], [0.25, 1.0, 1.0], 0.0));
    }
    s.region("left", slab([-2.0, 0.0, 0.0], [0.08, 1.0, 1.0], 0.0));
    s.region("right", slab([2.0, 0.0, 0.0], [0.08, 1.0, 1.0], 0.0));
}

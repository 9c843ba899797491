//! A dog's face: a long snout, loose lips, hanging ears, a tongue.

use super::sculpture::Sculpture;
use super::solid::{ball, cone, ellipsoid, slab, turned};

const COAT: [f32; 3] = [0.66, 0.45, 0.26];
const PALE: [f32; 3] = [0.92, 0.82, 0.68];
const BROWN: [f32; 3] = [0.38, 0.23, 0.13];
const TONGUE: [f32; 3] = [0.90, 0.45, 0.47];
const DARK: [f32; 3] = [0.09, 0.07, 0.07];
const WHITE: [f32; 3] = [0.98, 0.96, 0.92];

pub fn dog(s: &mut Sculpture) {
    s.add(COAT, 0.0, ellipsoid([0.0, 1.30, -0.10], [0.68, 0.66, 0.66]));
    s.add(COAT, 0.30, cone([0.0, 0.85, -0.45], 0.50, [0.0, 0.45, -0.65], 0.52));
    snout(s);
    face(s);
    // It ends behind in a flat plane, where it is held.
    s.end_at(-0.75);
    s.region("nape", slab([0.0, 0.5, -0.75], [3.0, 3.0, 0.13], 0.0));
    s.region("snout", slab([0.0, 0.9, 1.60], [3.0, 3.0, 0.60], 0.0));
}

fn snout(s: &mut Sculpture) {
    s.add(COAT, 0.28, cone([0.0, 1.18, 0.35], 0.36, [0.0, 1.10, 1.20], 0.27));
    s.add(PALE, 0.15, turned([0.20, 0.93, 0.98], [0.22, 0.30, 0.42], [0.0, 0.0, 12.0]).both());
    s.add(PALE, 0.10, ellipsoid([0.0, 0.68, 0.72], [0.25, 0.15, 0.46]));
    s.carve(DARK, 0.05, ellipsoid([0.0, 0.78, 1.05], [0.30, 0.05, 0.50]));
    s.add(TONGUE, 0.03, turned([0.06, 0.66, 1.20], [0.15, 0.055, 0.24], [38.0, 0.0, 0.0]));
    s.add(TONGUE, 0.05, turned([0.07, 0.44, 1.36], [0.14, 0.19, 0.055], [-12.0, 0.0, 4.0]));
    s.add(DARK, 0.05, ellipsoid([0.0, 1.27, 1.42], [0.22, 0.165, 0.16]));
    s.spot(WHITE, ellipsoid([0.08, 1.40, 1.50], [0.06, 0.035, 0.06]));
}

fn face(s: &mut Sculpture) {
    s.add(WHITE, 0.03, ellipsoid([0.27, 1.58, 0.43], [0.165, 0.20, 0.15]).both());
    s.spot(DARK, ellipsoid([0.25, 1.57, 0.58], [0.095, 0.12, 0.09]).both());
    s.spot(WHITE, ball([0.29, 1.63, 0.60], 0.042).both());
    s.add(BROWN, 0.04, turned([0.28, 1.83, 0.44], [0.19, 0.055, 0.08], [0.0, 0.0, 12.0]).both());
    // The ears hang from the crown.
    s.add(BROWN, 0.10, cone([0.50, 1.78, -0.05], 0.15, [0.86, 1.62, 0.0], 0.15).both());
    s.add(BROWN, 0.10, turned([0.95, 1.18, 0.02], [0.13, 0.56, 0.27], [0.0, 0.0, 6.0]).both());
}

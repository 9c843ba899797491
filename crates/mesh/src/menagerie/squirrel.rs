//! A squirrel's head on its neck: cheeks full of nuts, ears with tufts, two teeth.

use super::sculpture::Sculpture;
use super::solid::{ball, cone, ellipsoid, slab, turned};

const FUR: [f32; 3] = [0.74, 0.40, 0.20];
const PALE: [f32; 3] = [0.95, 0.84, 0.68];
const PINK: [f32; 3] = [0.86, 0.55, 0.50];
const DARK: [f32; 3] = [0.11, 0.07, 0.06];
const WHITE: [f32; 3] = [0.98, 0.97, 0.92];

pub fn squirrel(s: &mut Sculpture) {
    s.add(FUR, 0.0, cone([0.0, 0.0, -0.20], 0.42, [0.0, 0.75, -0.05], 0.40));
    s.add(FUR, 0.20, ellipsoid([0.0, 1.20, 0.0], [0.72, 0.66, 0.66]));
    s.add(PALE, 0.18, ellipsoid([0.52, 0.98, 0.25], [0.36, 0.33, 0.36]).both());
    s.add(FUR, 0.22, ellipsoid([0.0, 1.16, 0.52], [0.34, 0.28, 0.38]));
    s.add(PALE, 0.10, ellipsoid([0.15, 1.02, 0.74], [0.19, 0.16, 0.17]).both());
    s.add(PALE, 0.10, ellipsoid([0.0, 0.76, 0.48], [0.26, 0.14, 0.26]));
    s.carve(DARK, 0.03, ellipsoid([0.0, 0.87, 0.72], [0.22, 0.06, 0.24]));
    s.add(WHITE, 0.015, slab([0.085, 0.82, 0.82], [0.078, 0.17, 0.055], 0.04).both());
    s.add(DARK, 0.03, ellipsoid([0.0, 1.20, 0.90], [0.13, 0.095, 0.09]));
    eyes_and_ears(s);
    s.stand_at(-0.20);
    s.region("neck", slab([0.0, -0.20, 0.0], [2.0, 0.15, 2.0], 0.0));
}

fn eyes_and_ears(s: &mut Sculpture) {
    s.add(WHITE, 0.03, ellipsoid([0.33, 1.43, 0.46], [0.19, 0.22, 0.18]).both());
    s.spot(DARK, ellipsoid([0.34, 1.43, 0.64], [0.115, 0.14, 0.10]).both());
    s.spot(WHITE, ball([0.39, 1.50, 0.65], 0.05).both());
    let lean = [0.0, 15.0, -18.0];
    s.add(FUR, 0.12, turned([0.48, 1.92, -0.08], [0.24, 0.38, 0.13], lean).both());
    s.carve(PINK, 0.05, turned([0.50, 1.90, 0.07], [0.13, 0.23, 0.08], lean).both());
    s.add(FUR, 0.06, cone([0.57, 2.16, -0.09], 0.13, [0.70, 2.56, -0.14], 0.075).both());
}

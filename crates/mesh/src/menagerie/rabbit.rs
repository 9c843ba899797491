//! A rabbit that sits up: mostly ears, cheeks and feet.

use super::sculpture::Sculpture;
use super::solid::{ball, cone, ellipsoid, slab, turned};

const FUR: [f32; 3] = [0.80, 0.68, 0.54];
const PALE: [f32; 3] = [0.95, 0.90, 0.82];
const PINK: [f32; 3] = [0.93, 0.60, 0.60];
const DARK: [f32; 3] = [0.10, 0.08, 0.08];
const WHITE: [f32; 3] = [0.98, 0.97, 0.95];

pub fn rabbit(s: &mut Sculpture) {
    body(s);
    head(s);
    ears(s);
    s.region("feet", slab([0.0, 0.0, 0.0], [2.0, 0.10, 2.0], 0.0));
    s.region("ears", slab([0.0, 3.2, 0.0], [2.0, 0.35, 2.0], 0.0));
}

fn body(s: &mut Sculpture) {
    s.add(FUR, 0.0, ellipsoid([0.0, 0.64, -0.05], [0.58, 0.68, 0.56]));
    s.add(FUR, 0.25, ellipsoid([0.0, 1.15, 0.0], [0.40, 0.42, 0.36]));
    s.add(PALE, 0.12, ellipsoid([0.0, 0.74, 0.20], [0.40, 0.50, 0.36]));
    s.add(FUR, 0.12, ellipsoid([0.42, 0.36, -0.02], [0.27, 0.42, 0.50]).both());
    s.add(PALE, 0.08, turned([0.42, 0.13, 0.42], [0.20, 0.15, 0.46], [0.0, 14.0, 0.0]).both());
    s.add(FUR, 0.10, cone([0.38, 1.18, 0.16], 0.14, [0.26, 0.88, 0.52], 0.12).both());
    s.add(PALE, 0.05, ball([0.24, 0.86, 0.56], 0.13).both());
    s.add(WHITE, 0.06, ball([0.0, 0.42, -0.62], 0.22));
    s.stand_at(0.02);
}

fn head(s: &mut Sculpture) {
    s.add(FUR, 0.16, ellipsoid([0.0, 1.72, 0.10], [0.50, 0.46, 0.46]));
    s.add(PALE, 0.12, ellipsoid([0.20, 1.54, 0.42], [0.25, 0.20, 0.20]).both());
    s.add(FUR, 0.12, ellipsoid([0.42, 1.54, 0.16], [0.20, 0.20, 0.20]).both());
    s.carve(DARK, 0.03, ellipsoid([0.0, 1.40, 0.56], [0.15, 0.055, 0.10]));
    s.add(WHITE, 0.015, slab([0.065, 1.36, 0.53], [0.058, 0.11, 0.045], 0.03).both());
    s.add(PINK, 0.03, ellipsoid([0.0, 1.66, 0.60], [0.11, 0.08, 0.08]));
    s.add(WHITE, 0.03, ellipsoid([0.21, 1.86, 0.40], [0.155, 0.185, 0.15]).both());
    s.spot(DARK, ellipsoid([0.19, 1.86, 0.55], [0.085, 0.11, 0.08]).both());
    s.spot(WHITE, ball([0.225, 1.91, 0.57], 0.04).both());
}

fn ears(s: &mut Sculpture) {
    let lean = [-6.0, 0.0, -12.0];
    s.add(FUR, 0.12, turned([0.34, 2.60, 0.0], [0.20, 0.78, 0.13], lean).both());
    s.add(FUR, 0.10, cone([0.20, 2.00, 0.05], 0.14, [0.26, 2.25, 0.02], 0.14).both());
    s.carve(PINK, 0.05, turned([0.34, 2.58, 0.14], [0.11, 0.56, 0.075], lean).both());
}

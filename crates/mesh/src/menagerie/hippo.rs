//! A hippo: a barrel with a muzzle.

use super::sculpture::Sculpture;
use super::solid::{ball, cone, ellipsoid, slab, turned};

const HIDE: [f32; 3] = [0.55, 0.50, 0.58];
const MUZZLE: [f32; 3] = [0.66, 0.56, 0.61];
const BELLY: [f32; 3] = [0.74, 0.64, 0.66];
const PINK: [f32; 3] = [0.85, 0.52, 0.55];
const DARK: [f32; 3] = [0.10, 0.08, 0.10];
const IVORY: [f32; 3] = [0.96, 0.93, 0.84];

pub fn hippo(s: &mut Sculpture) {
    body(s);
    head(s);
    face(s);
    s.region("feet", slab([0.0, 0.0, 0.0], [2.0, 0.16, 3.0], 0.0));
    s.region("rump", ball([0.0, 1.15, -1.45], 0.75));
}

fn body(s: &mut Sculpture) {
    s.add(HIDE, 0.0, ellipsoid([0.0, 1.12, -0.15], [0.86, 0.80, 1.22]));
    s.add(BELLY, 0.45, ellipsoid([0.0, 0.86, -0.1], [0.66, 0.62, 0.95]));
    for z in [0.62, -0.85] {
        s.add(HIDE, 0.22, cone([0.46, 0.75, z], 0.34, [0.48, 0.24, z + 0.03], 0.27).both());
        for (x, out) in [(0.30, 0.20), (0.48, 0.26), (0.66, 0.20)] {
            s.add(IVORY, 0.05, ball([x, 0.10, z + out], 0.09).both());
        }
    }
    s.stand_at(0.04);
    let tail = cone([0.0, 1.35, -1.28], 0.10, [0.0, 0.95, -1.62], 0.07);
    s.add(HIDE, 0.12, tail).add(DARK, 0.06, ball([0.0, 0.88, -1.66], 0.11));
}

fn head(s: &mut Sculpture) {
    s.add(HIDE, 0.40, ellipsoid([0.0, 1.38, 1.12], [0.56, 0.56, 0.58]));
    s.add(MUZZLE, 0.25, turned([0.0, 1.12, 1.72], [0.66, 0.42, 0.52], [8.0, 0.0, 0.0]));
    s.add(MUZZLE, 0.20, ellipsoid([0.34, 1.12, 1.95], [0.34, 0.36, 0.33]).both());
    s.add(MUZZLE, 0.10, ellipsoid([0.0, 0.72, 1.62], [0.50, 0.20, 0.50]));
    // The mouth: a slit between muzzle and jaw, with a smile at its corners.
    s.carve(PINK, 0.05, turned([0.0, 0.86, 1.95], [0.75, 0.055, 0.50], [-6.0, 0.0, 0.0]));
    s.carve(PINK, 0.04, turned([0.60, 0.94, 1.62], [0.16, 0.05, 0.22], [-30.0, 0.0, 25.0]).both());
    s.add(IVORY, 0.03, cone([0.27, 0.80, 1.98], 0.075, [0.27, 0.98, 2.02], 0.055).both());
}

fn face(s: &mut Sculpture) {
    s.add(MUZZLE, 0.10, ball([0.30, 1.45, 2.05], 0.15).both());
    s.carve(DARK, 0.05, ball([0.31, 1.53, 2.18], 0.085).both());
    s.add(HIDE, 0.12, ball([0.33, 1.80, 1.28], 0.22).both());
    s.add(IVORY, 0.02, ball([0.36, 1.85, 1.38], 0.17).both());
    s.spot(DARK, ball([0.39, 1.88, 1.53], 0.105).both());
    s.spot(IVORY, ball([0.45, 1.95, 1.56], 0.04).both());
    s.add(HIDE, 0.10, turned([0.56, 1.90, 0.92], [0.17, 0.22, 0.10], [0.0, 20.0, -35.0]).both());
    s.carve(PINK, 0.05, turned([0.58, 1.93, 1.01], [0.09, 0.13, 0.06], [0.0, 20.0, -35.0]).both());
}

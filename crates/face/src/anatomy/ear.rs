//! The ear, in its own frame in millimetres: u forward, v up, w outward.

use glam::{DMat3, DVec3};

use super::distance_fields::{Ellipsoid, SampledCurve, smooth_max, smooth_min, superellipse};

const CENTER: DVec3 = DVec3::new(0.0705, -0.0130, -0.0960);
/// Degrees by which it stands off the head, and leans back.
const FLARE: f64 = 24.0;
const TILT: f64 = -10.0;
/// Beyond this it is a ball (mm).
const REACH: f64 = 70.0;
const HELIX: [[f64; 4]; 10] = [
    [3.0, 1.0, 1.5, 1.6],
    [9.0, 7.0, 1.5, 2.0],
    [11.0, 17.0, 1.0, 2.2],
    [6.0, 27.0, 0.5, 2.3],
    [-4.0, 30.5, 0.5, 2.4],
    [-13.0, 25.0, 1.0, 2.4],
    [-17.0, 14.0, 1.5, 2.3],
    [-16.0, 2.0, 1.5, 2.1],
    [-12.0, -10.0, 0.5, 2.0],
    [-7.0, -19.0, 0.0, 2.4],
];
const ANTIHELIX: [[f64; 4]; 5] = [
    [4.0, 20.0, -0.5, 1.5],
    [-4.0, 16.0, 0.8, 2.2],
    [-9.5, 7.0, 1.2, 2.4],
    [-9.0, -5.0, 1.2, 2.3],
    [-3.0, -14.0, 1.0, 2.4],
];
const LOBE: Ellipsoid = Ellipsoid::new([1.5, -24.0, -0.3], [7.5, 8.0, 3.0]);
const TRAGUS: Ellipsoid = Ellipsoid::new([9.5, -5.0, 0.5], [3.4, 4.6, 3.0]);
const CONCHA: Ellipsoid = Ellipsoid::new([2.0, -3.5, 1.0], [8.0, 10.5, 5.5]);
const ROOT: Ellipsoid = Ellipsoid::new([6.0, -1.0, -7.0], [9.0, 21.0, 7.0]);
/// The plate: middle, half axes, half thickness.
const PLATE: ([f64; 3], [f64; 2], f64) = ([-3.0, 3.0, -1.8], [15.5, 28.5], 2.4);

/// The left ear.
#[derive(Clone, Debug)]
pub struct Ear {
    /// Rows u, v, w.
    frame: DMat3,
    helix: SampledCurve,
    antihelix: SampledCurve,
}

impl Ear {
    pub fn new() -> Self {
        let (flare, tilt) = (FLARE.to_radians(), TILT.to_radians());
        let w = DVec3::new(flare.cos(), 0.05, flare.sin()).normalize();
        let v = DVec3::new(0.0, tilt.cos(), tilt.sin());
        let v = (v - w * v.dot(w)).normalize();
        let u = w.cross(v);
        Ear {
            frame: DMat3::from_cols(u, v, w).transpose(),
            helix: SampledCurve::new(&HELIX, 28),
            antihelix: SampledCurve::new(&ANTIHELIX, 16),
        }
    }

    /// Distance (m), x ≥ 0.
    pub fn distance(&self, p: DVec3) -> f64 {
        let l = self.frame * (p - CENTER) * 1000.0;
        let far = l.length();
        if far >= REACH {
            return (far - 33.0) * 1e-3;
        }
        let (middle, half, thick) = PLATE;
        let outline =
            superellipse(l.x - middle[0], l.y - middle[1], half[0] - thick, half[1] - thick, 2.0);
        let mut d = outline.max(0.0).hypot(l.z - middle[2]) - thick;
        d = smooth_min(d, LOBE.distance(l), 5.0);
        d = smooth_max(d, -CONCHA.distance(l), 2.0);
        d = smooth_min(d, self.helix.tube(l, 14.0), 2.2);
        d = smooth_min(d, self.antihelix.tube(l, 14.0), 2.6);
        d = smooth_min(d, TRAGUS.distance(l), 3.0);
        d = smooth_min(d, ROOT.distance(l), 4.0);
        d * 1e-3
    }
}

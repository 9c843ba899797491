//! Lips: the line where they part, their relief, the slit between them, and a map that opens the
//! slit.

use glam::DVec3;

use super::distance_fields::smoothstep;

/// Height of the parting line (m), but for its bow.
pub const LINE: f64 = -0.0730;
/// Half the width of the vermilion, and of the slit (m).
pub const HALF_WIDTH: f64 = 0.0252;
pub const SLIT_HALF_WIDTH: f64 = 0.0232;
/// How far the lips are apart at rest (m).
pub const GAP: f64 = 0.0004;
/// Seam between slit and lips: it rolls the lips inward (m).
pub const SLIT_SEAM: f64 = 0.0042;
const SLIT_BACK: f64 = 0.001;
const TUBERCLE: f64 = -0.0009;
const BOW_RISE: f64 = 0.0006;
const CORNER: f64 = 0.0012;
/// Heights of the vermilion (m), and those of the cupid's bow.
const UPPER: f64 = 0.0076;
const LOWER: f64 = 0.0100;
const BOW: f64 = 0.0013;
const BOW_X: f64 = 0.0060;
/// How far lips stand out (m), and the white roll around them.
const UPPER_BULGE: f64 = 0.0042;
const LOWER_BULGE: f64 = 0.0046;
const ROLL: f64 = 0.0006;
/// The chart changes nothing further away from the parting line than this (m).
const CHART_REACH: f64 = 0.012;

fn hump(x: f64, at: f64, width: f64) -> f64 {
    (-((x - at) / width).powi(2)).exp()
}

/// Height of the line along which the lips part (m).
pub fn parting_line(x: f64) -> f64 {
    let a = x.abs();
    let s = (a / HALF_WIDTH).min(1.3);
    LINE + TUBERCLE * hump(a, 0.0, 0.0048)
        + BOW_RISE * hump(a, 0.0095, 0.0055)
        + CORNER * smoothstep(0.6, 1.0, s)
        - 0.0008 * smoothstep(0.3, 0.9, s)
}

/// Heights of the upper and the lower vermilion above and below the parting line (m).
pub fn lip_heights(x: f64) -> [f64; 2] {
    let a = x.abs();
    let s = (a / HALF_WIDTH).min(1.0);
    let upper = UPPER * (1.0 - s.powf(1.7)).powf(0.9) + BOW * hump(a, BOW_X, 0.0038);
    let lower = LOWER * (1.0 - s.powf(2.2)).powf(0.85) + (parting_line(x) - LINE);
    [upper.max(1e-4), lower.max(1e-4)]
}

/// What the vermilion adds to the front of the face (m).
pub fn lip_relief(p: DVec3) -> f64 {
    let dy = p.y - parting_line(p.x);
    let [upper, lower] = lip_heights(p.x);
    let s = (p.x.abs() / HALF_WIDTH).min(1.0);
    let toward_corner = (1.0 - s.powf(2.6)).max(0.0);
    let swell = |v: f64, skew: f64| {
        (std::f64::consts::PI * v.clamp(0.0, 1.0).powf(skew)).sin().max(0.0).powf(0.9)
    };
    let bulge = if dy > 0.0 {
        UPPER_BULGE * (1.0 + 0.18 * hump(p.x, 0.0, 0.004)) * swell(dy / upper, 0.62)
    } else {
        LOWER_BULGE * (1.0 + 0.10 * hump(p.x.abs(), 0.007, 0.005)) * swell(-dy / lower, 0.72)
    };
    let roll = hump(dy, upper, 0.0011) + 0.6 * hump(dy, -lower, 0.0014);
    let relief = toward_corner * bulge + ROLL * toward_corner * toward_corner * roll;
    relief * smoothstep(-0.004, 0.006, p.z)
}

/// The slit between the lips.
pub fn slit(p: DVec3) -> f64 {
    let narrower = 1.0 - 0.6 * (p.x.abs() / SLIT_HALF_WIDTH).min(1.0).powi(4);
    let d = (p.y - parting_line(p.x)).abs() - 0.5 * GAP * narrower;
    d.max(p.x.abs() - SLIT_HALF_WIDTH).max(SLIT_BACK - p.z)
}

/// From a chart in which the slit is `open` wide (m) to the head at rest. Only y changes, and only
/// near the parting line; it is one-to-one, so a surface extracted in the chart by cells of any
/// size keeps lips apart that nearly touch.
pub fn close_lips(p: DVec3, open: f64) -> DVec3 {
    let line = parting_line(p.x);
    let (from, to) = (0.5 * open.max(GAP), 0.5 * GAP);
    let above = p.y - line;
    let a = above.abs();
    let b = if a < from {
        a * to / from
    } else if a < CHART_REACH {
        to + (a - from) * (CHART_REACH - to) / (CHART_REACH - from)
    } else {
        a
    };
    DVec3 { y: line + b.copysign(above), ..p }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lips_is_one_to_one_and_local() {
        let open = 0.003;
        let at = |above: f64| DVec3::new(0.011, parting_line(0.011) + above, 0.03);
        let closed = |above: f64| close_lips(at(above), open).y - parting_line(0.011);
        assert!((closed(0.5 * open) - 0.5 * GAP).abs() < 1e-15);
        assert!((closed(-0.5 * open) + 0.5 * GAP).abs() < 1e-15);
        for far in [CHART_REACH, 2.0 * CHART_REACH] {
            assert!((closed(far) - far).abs() < 1e-15 && (closed(-far) + far).abs() < 1e-15);
        }
        let steps: Vec<f64> = (0..=200).map(|k| closed(0.0002 * f64::from(k - 100))).collect();
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
    }
}

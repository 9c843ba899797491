//! Teeth: rounded boxes along the dental arch, spaced by their widths, fourteen per jaw.

use glam::DVec3;

use super::distance_fields::{smooth_min, smoothstep};
use super::mouth_cavity::{LOWER_ARCH, UPPER_ARCH, arch};

/// Mesio-distal width, labio-lingual depth, height of the crown (mm), from the midline outward.
const UPPER: [[f64; 3]; 7] = [
    [8.6, 5.6, 10.4],
    [6.7, 5.2, 9.2],
    [7.6, 6.8, 10.0],
    [7.0, 8.0, 8.2],
    [6.8, 8.0, 7.6],
    [9.8, 9.2, 7.2],
    [9.2, 9.0, 6.8],
];
const LOWER: [[f64; 3]; 7] = [
    [5.4, 5.0, 8.8],
    [6.0, 5.2, 8.8],
    [6.9, 6.6, 9.6],
    [7.0, 7.2, 8.4],
    [7.1, 7.6, 7.8],
    [10.6, 8.8, 7.2],
    [10.0, 8.6, 6.8],
];
/// Heights of the biting edges (m).
const UPPER_EDGE: [f64; 7] = [-0.0752, -0.0747, -0.0754, -0.0748, -0.0746, -0.0744, -0.0742];
const LOWER_EDGE: [f64; 7] = [-0.0736, -0.0737, -0.0738, -0.0744, -0.0752, -0.0751, -0.0749];
/// Crowns are centred this far behind the arch; roots are this long; edges this round (m).
const INSET: f64 = 0.0034;
const ROOT: f64 = 0.0065;
const ROUND: f64 = 0.0014;
/// Samples of the arch from which places are read.
const SAMPLES: usize = 4000;

/// The teeth of one jaw, x ≥ 0 of them.
#[derive(Clone, Debug)]
pub struct DentalArch {
    teeth: Vec<Tooth>,
    /// +1 where roots are above crowns.
    up: f64,
}

#[derive(Clone, Copy, Debug)]
struct Tooth {
    center: DVec3,
    /// Cosine and sine of its turn about y.
    turn: [f64; 2],
    /// Half width, height and depth (m).
    half: DVec3,
}

impl DentalArch {
    /// Those of the maxilla.
    pub fn upper() -> Self {
        DentalArch::row(&UPPER, &UPPER_EDGE, UPPER_ARCH, 1.0)
    }

    /// Those of the mandible.
    pub fn lower() -> Self {
        DentalArch::row(&LOWER, &LOWER_EDGE, LOWER_ARCH, -1.0)
    }

    fn row(sizes: &[[f64; 3]; 7], edges: &[f64; 7], z0: f64, up: f64) -> Self {
        // Length along the line of centres, and where it is.
        let mut along = Vec::with_capacity(SAMPLES);
        let mut length = 0.0;
        let mut last: Option<[f64; 2]> = None;
        for k in 0..SAMPLES {
            let x = 0.04 * k as f64 / (SAMPLES - 1) as f64;
            let (z, slope) = arch(x, z0);
            let stretch = (1.0 + slope * slope).sqrt();
            let at = [x - INSET * slope / stretch, z - INSET / stretch];
            length += last.map_or(0.0, |[x, z]| (at[0] - x).hypot(at[1] - z));
            last = Some(at);
            along.push((length, at, slope.atan()));
        }
        let mut start = 0.0;
        let place = |(&[width, depth, height], &edge): (&[f64; 3], &f64)| {
            let (half_width, middle) = (0.5e-3 * width, start + 0.5e-3 * width);
            start += 1e-3 * width;
            let k = along.partition_point(|s| s.0 < middle).min(SAMPLES - 1);
            // Between the samples before and after.
            let (before, after) = (along[k.saturating_sub(1)], along[k]);
            let part = (middle - before.0) / (after.0 - before.0).max(1e-12);
            let mix = |a: f64, b: f64| a + part * (b - a);
            let (x, z) = (mix(before.1[0], after.1[0]), mix(before.1[1], after.1[1]));
            let angle = mix(before.2, after.2);
            let root = edge + up * (1e-3 * height + ROOT);
            Tooth {
                center: DVec3::new(x, 0.5 * (edge + root), z),
                turn: [angle.cos(), angle.sin()],
                half: DVec3::new(half_width - 0.00008, 0.5 * (edge - root).abs(), 0.5e-3 * depth),
            }
        };
        DentalArch { teeth: sizes.iter().zip(edges).map(place).collect(), up }
    }

    /// Distance from the nearest tooth.
    pub fn distance(&self, p: DVec3) -> f64 {
        let p = DVec3 { x: p.x.abs(), ..p };
        self.teeth.iter().fold(0.05, |d, tooth| tooth.distance(p, self.up).min(d))
    }

    /// Distance from the row as one soft ridge, for contact: gaps between teeth are filled.
    pub fn ridge(&self, p: DVec3) -> f64 {
        let p = DVec3 { x: p.x.abs(), ..p };
        self.teeth.iter().fold(0.05, |d, tooth| smooth_min(d, tooth.distance(p, self.up), 0.003))
    }
}

impl Tooth {
    fn distance(&self, p: DVec3, up: f64) -> f64 {
        let [cos, sin] = self.turn;
        let q = p - self.center;
        let across = q.x * cos - q.z * sin;
        let deep = q.x * sin + q.z * cos;
        let rootward = q.y * up;
        let half = self.half;
        let neck = 1.0 - 0.22 * smoothstep(-0.2 * half.y, half.y, rootward);
        // Incisors thin towards the edge, behind a labial face that stays where it is.
        let thin = if half.z < 0.0033 {
            0.45 + 0.55 * smoothstep(-half.y, 0.2 * half.y, rootward)
        } else {
            1.0
        };
        let belly = 0.00035 * (1.0 - (rootward / half.y).powi(2));
        let deep = deep - 0.6 * (half.z - half.z * thin);
        let q = DVec3::new(
            across.abs() - (half.x * neck - ROUND),
            rootward.abs() - (half.y - ROUND),
            deep.abs() - (half.z * thin - ROUND + belly),
        );
        q.max(DVec3::ZERO).length() + q.max_element().min(0.0) - ROUND
    }
}

//! Colours of skin, lips, brows and close-cropped hair, per vertex (sRGB, 0 to 1).

use glam::DVec3;

use super::Anatomy;
use super::distance_fields::{InterpolatedTable, bump, smoothstep};
use super::eye;
use super::mouth::{HALF_WIDTH, lip_heights, parting_line};
use super::mouth_cavity::arch_distance;

type Colour = DVec3;

const SKIN: Colour = DVec3::new(0.86, 0.68, 0.58);
const BLUSH: Colour = DVec3::new(0.85, 0.56, 0.49);
const WARM: Colour = DVec3::new(0.84, 0.56, 0.48);
const LIPS: Colour = DVec3::new(0.74, 0.43, 0.41);
const NOSTRIL: Colour = DVec3::new(0.30, 0.15, 0.12);
const MUCOSA: Colour = DVec3::new(0.62, 0.27, 0.27);
const HAIR: Colour = DVec3::new(0.15, 0.10, 0.075);
const LASHES: Colour = DVec3::new(0.08, 0.05, 0.045);
const IRIS: Colour = DVec3::new(0.30, 0.40, 0.42);
const SCLERA: Colour = DVec3::new(0.86, 0.84, 0.82);
const ENAMEL: Colour = DVec3::new(0.94, 0.91, 0.83);
const SHADED_ENAMEL: Colour = DVec3::new(0.52, 0.34, 0.29);

/// Paints vertices.
pub struct HeadPalette<'a> {
    anatomy: &'a Anatomy,
    /// Front edge of the hair at the temples: y → z (m).
    temple: InterpolatedTable,
    /// Lower edge at the nape: z → y (m).
    nape: InterpolatedTable,
}

impl<'a> HeadPalette<'a> {
    pub fn new(anatomy: &'a Anatomy) -> Self {
        HeadPalette {
            anatomy,
            temple: InterpolatedTable::new([
                (-0.03, -0.072),
                (-0.015, -0.066),
                (0.0, -0.056),
                (0.020, -0.036),
                (0.040, -0.020),
                (0.055, -0.010),
                (0.065, 0.004),
            ]),
            nape: InterpolatedTable::new([
                (-0.18, -0.066),
                (-0.15, -0.066),
                (-0.125, -0.054),
                (-0.10, -0.036),
            ]),
        }
    }

    /// The colour of the skin at one of its points.
    pub fn skin(&self, p: DVec3) -> [f64; 3] {
        let q = DVec3 { x: p.x.abs(), ..p };
        let mut colour = SKIN;
        let mut mix = |with: Colour, share: f64| colour = colour.lerp(with, share.clamp(0.0, 1.0));
        mix(BLUSH, 0.40 * bump(q, [0.040, -0.033, 0.012], [0.016, 0.014, 0.03]));
        mix(WARM, 0.40 * bump(q, [0.0, -0.042, 0.042], [0.014, 0.010, 0.014]));
        if q.z < -0.06 {
            mix(WARM, 0.45 * smoothstep(0.074, 0.084, q.x));
        }
        let depth = -self.anatomy.envelope(p);
        mix(NOSTRIL, 0.9 * smoothstep(0.0010, 0.0040, self.anatomy.nostril_depth(q)));
        mix(LIPS, 0.80 * self.vermilion(q));
        mix(HAIR, 0.92 * self.brow(q) * grain(p, 0.12));
        mix(HAIR, 0.86 * self.hair(q) * grain(p, 0.06));
        if q.x < 0.036 && (-0.1..-0.045).contains(&q.y) {
            mix(MUCOSA, 0.9 * smoothstep(0.003, 0.007, depth));
        }
        self.lids(q, depth, &mut mix);
        colour.to_array()
    }

    fn vermilion(&self, q: DVec3) -> f64 {
        let dy = q.y - parting_line(q.x);
        let [upper, lower] = lip_heights(q.x);
        let soft = 0.0008;
        if q.z < 0.0 {
            return 0.0;
        }
        smoothstep(upper + soft, upper - soft, dy)
            * smoothstep(-lower - soft, -lower + soft, dy)
            * smoothstep(1.0, 0.93, q.x / HALF_WIDTH)
    }

    fn brow(&self, q: DVec3) -> f64 {
        if q.z < -0.03 {
            return 0.0;
        }
        let along = ((q.x - 0.012) / 0.040).clamp(0.0, 1.0);
        let middle = 0.0170 + 0.0045 * (along.powf(0.9) * 0.80 * std::f64::consts::PI).sin();
        let thick = 0.0042 * smoothstep(0.060, 0.022, q.x) + 0.0007;
        smoothstep(thick, 0.3 * thick, (q.y - middle).abs())
            * smoothstep(0.0085, 0.0170, q.x)
            * smoothstep(0.0530, 0.044, q.x)
    }

    fn hair(&self, q: DVec3) -> f64 {
        let edge = 0.0650 - 0.003 * smoothstep(0.0, 0.03, q.x);
        let front = smoothstep(-0.005, 0.008, q.y - edge);
        let side =
            smoothstep(0.006, -0.006, q.z - self.temple.at(q.y)) * smoothstep(-0.022, -0.012, q.y);
        let back =
            smoothstep(-0.098, -0.108, q.z) * smoothstep(-0.004, 0.006, q.y - self.nape.at(q.z));
        let off_ear = smoothstep(0.0012, 0.0030, self.anatomy.ear(q));
        front.max(side).max(back) * off_ear
    }

    /// Lashes as dark edges, and the pink of the corners.
    fn lids(&self, q: DVec3, depth: f64, mix: &mut impl FnMut(Colour, f64)) {
        let [upper, lower] = eye::lid_edges(q.x);
        let beside = (q.x - eye::CENTER[0]).abs() < eye::HALF_WIDTH + 0.0008;
        if q.z < -0.004 || !beside {
            return;
        }
        let near = |edge: f64, width: f64| (-((q.y - edge) / width).powi(2)).exp();
        mix(LASHES, 0.85 * near(upper + 0.0002, 0.0010) * smoothstep(0.018, 0.024, q.x));
        mix(DVec3::new(0.45, 0.26, 0.22), 0.5 * near(lower - 0.0002, 0.0008));
        if depth > 0.0015 && (lower..upper).contains(&q.y) {
            // Caruncle, and the white beside the ball.
            let inner = smoothstep(0.0225, 0.0195, q.x);
            mix(DVec3::new(0.84, 0.74, 0.71).lerp(DVec3::new(0.80, 0.55, 0.51), inner), 0.9);
        }
    }
}

/// The colour of a tooth of an arch (z₀ of its labial face, m): behind that, and far back, it
/// stands in the light that gums and cheeks leave.
pub fn tooth(p: DVec3, arch: f64) -> [f64; 3] {
    let behind = smoothstep(0.0015, 0.0060, -arch_distance(p.x, p.z, arch));
    let back = smoothstep(0.006, 0.034, arch - p.z);
    ENAMEL.lerp(SHADED_ENAMEL, 1.0 - (1.0 - 0.7 * behind) * (1.0 - 0.2 * back)).to_array()
}

/// The colour of an eyeball at an offset from its centre (m) towards which it looks along z.
pub fn eyeball(offset: DVec3) -> [f64; 3] {
    let r = offset.x.hypot(offset.y);
    if offset.z <= 0.0 {
        return SCLERA.to_array();
    }
    let iris = smoothstep(0.0061, 0.0056, r);
    let rays = 1.0 + 0.10 * (17.0 * offset.y.atan2(offset.x)).sin();
    let shade = (0.45 + 0.65 * smoothstep(0.0060, 0.0030, r)) * rays;
    // Shaded towards the corners, where lids and lashes are.
    let sclera = SCLERA * (1.0 - 0.16 * smoothstep(0.0065, 0.0115, r));
    let colour = sclera.lerp(IRIS * shade, iris);
    let colour = colour.lerp(DVec3::splat(0.02), smoothstep(0.0027, 0.0022, r));
    // The window in which the sky is mirrored.
    let light = (offset.x + 0.0021).hypot(offset.y - 0.0023);
    colour.lerp(DVec3::ONE, smoothstep(0.0011, 0.0007, light)).to_array()
}

/// 1 less up to `amount`, different from point to point: hairs.
fn grain(p: DVec3, amount: f64) -> f64 {
    let cell = (p * 2.0e4).round().as_i64vec3();
    let mut h = (cell.x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (cell.y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ (cell.z as u64).wrapping_mul(0x1656_67b1_9e37_79f9);
    h ^= h >> 29;
    h = h.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    1.0 - amount * ((h >> 40) as f64 / (1u64 << 24) as f64)
}

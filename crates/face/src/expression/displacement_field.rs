//! Elements of sculpted shapes: a point of the skin with its surroundings, patches, and sliding.

use glam::DVec3;

use crate::anatomy::Anatomy;
use crate::anatomy::distance_fields::{normal, smoothstep};
use crate::anatomy::hinge::HINGE;
use crate::anatomy::mouth::{HALF_WIDTH, lip_heights, parting_line};
use crate::anatomy::mouth_cavity::{UPPER_ARCH, arch_distance};

/// A point of the skin at rest, and where it is in the face.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// At rest (m).
    pub p: DVec3,
    /// Under the skin with mouth and lids closed (m): more than a few millimetres in the mouth.
    pub depth: f64,
    /// 1 above the line along which the lips part, 0 below; between the corners of the mouth it
    /// jumps, beyond them it is smooth.
    pub upper: f64,
    /// How much of the jaw's motion it takes on.
    pub jaw: f64,
    /// How much less of the jaw's way back it takes: the tongue's root hangs on the hyoid, and
    /// leaves room to breathe.
    pub rooted: f64,
    /// 1 where lips and cheeks are, 0 on gums, palate and tongue.
    pub soft: f64,
}

/// Where the weight of the jaw splits: x of the corners (m), how they spread away from the line,
/// and the band over which it goes from half to all (m).
const CORNER: f64 = 0.0240;
const SPREAD: f64 = 0.5;
const BAND: f64 = 0.034;
/// In front of this the split follows the lips; behind it runs towards the condyles (m).
const CORNER_Z: f64 = 0.016;
/// The band in the lining of the cheeks, from gum to gum (m).
const LINING: f64 = 0.009;
/// Where the floor of the mouth hangs on the throat, and where it lies in the jaw (z, m).
const FLOOR: [f64; 2] = [-0.055, -0.010];
/// How much of the jaw's way back the tongue does without at z = 0, and how much more for every
/// metre behind.
const ROOT: [f64; 2] = [0.2, -16.5];
/// Where what lies beside the jaw stays, and where it goes along (z, m).
const BESIDE: [f64; 2] = [-0.082, -0.036];
/// The lower border of the jaw: its height at z = 0 (m) and its slope towards the back.
const BORDER: [f64; 2] = [-0.105, -0.35];
/// How far below the border the throat begins (m), where what goes along lies that much further in
/// front.
const THROAT: f64 = 0.016;
/// Where the neck stays, and where it goes along (y, m). Flesh is held from about −0.145 on
/// downwards.
const NECK: [f64; 2] = [-0.160, -0.114];
/// How far behind the labial face of the teeth gums end, and the floor of the mouth begins (m).
const GUMS: [f64; 2] = [-0.011, -0.019];

impl Site {
    /// Looks around at a point.
    pub fn new(p: DVec3, anatomy: &Anatomy) -> Site {
        let depth = -anatomy.envelope(p);
        let upper = 1.0 - lower(p, depth);
        let arch = arch_distance(p.x, p.z, UPPER_ARCH);
        let in_mouth = smoothstep(0.0045, 0.0065, depth) * smoothstep(-0.045, -0.040, p.z);
        let in_mouth = if (-0.100..-0.045).contains(&p.y) { in_mouth } else { 0.0 };
        // What is far behind the lips lies on bone, inside of cheeks too.
        let loose = smoothstep(-0.0040, 0.0005, arch) * smoothstep(-0.012, 0.010, p.z);
        let soft = 1.0 - in_mouth * (1.0 - loose);
        let on_tongue = smoothstep(0.005, 0.010, depth) * smoothstep(GUMS[0], GUMS[1], arch);
        let rooted = on_tongue * (ROOT[0] + ROOT[1] * p.z).clamp(0.0, 0.7);
        Site { p, depth, upper, jaw: (1.0 - upper) * along(p, on_tongue), rooted, soft }
    }

    /// The same place on the other side of the face.
    pub fn mirrored(self) -> Site {
        Site { p: DVec3 { x: -self.p.x, ..self.p }, ..self }
    }

    /// 1 on the left of the face, 0 on the right, over a middle as wide as the philtrum.
    pub fn left(&self) -> f64 {
        smoothstep(-0.007, 0.007, self.p.x)
    }

    /// Height above the parting line (m).
    pub fn above(&self) -> f64 {
        self.p.y - parting_line(self.p.x)
    }

    /// How far up the red of its lip it is: 0 at the parting line, 1 at the border.
    pub fn across_lip(&self) -> f64 {
        let [upper, lower] = lip_heights(self.p.x);
        let above = self.above();
        if above > 0.0 { above / upper } else { -above / lower }
    }

    /// 1 on the outside of the face, 0 on the wet side of the lips.
    pub fn outer(&self) -> f64 {
        1.0 - smoothstep(0.0025, 0.0055, self.depth)
    }
}

/// How much of what is below the parting line goes along with the jaw: less towards joint, neck and
/// throat.
fn along(p: DVec3, on_tongue: f64) -> f64 {
    let below = (BORDER[0] + BORDER[1] * p.z - p.y).clamp(0.0, THROAT);
    let beside = smoothstep(BESIDE[0], BESIDE[1] + below, p.z) * smoothstep(NECK[0], NECK[1], p.y);
    let hanging = on_tongue * (1.0 - smoothstep(FLOOR[0], FLOOR[1], p.z));
    beside * (1.0 - hanging)
}

/// 0 above the parting line, 1 below.
fn lower(p: DVec3, depth: f64) -> f64 {
    let x = p.x.abs();
    let line = parting_line(x.min(HALF_WIDTH));
    let back = ((p.z - HINGE.point.z) / (CORNER_Z - HINGE.point.z)).clamp(0.0, 1.0);
    // In the mouth, gums and tongue belong to one jaw or the other, parted where the teeth meet.
    let in_mouth = smoothstep(0.005, 0.010, depth) * smoothstep(0.034, 0.029, x);
    // The lining of the cheeks spans from one to the other.
    let on_bone = in_mouth * smoothstep(0.0012, -0.0005, arch_distance(p.x, p.z, UPPER_ARCH));
    let risen = (1.0 - back) * (1.0 - in_mouth);
    let line = if p.z > CORNER_Z { line } else { line + (HINGE.point.y - line) * risen };
    let below = line - p.y;
    let away = below.abs();
    let beside = x / (CORNER + SPREAD * away);
    let power = 0.5 + 1.2 * smoothstep(0.0, 0.010, away);
    let mut split = (1.0 - beside * beside).max(0.0).powf(power);
    split = split.max(on_bone);
    let band = BAND * (0.35 + 0.65 * back);
    let band = band + in_mouth * (LINING - band);
    let ramp = (0.5 * std::f64::consts::PI * (away / band).min(1.0)).sin();
    0.5 + 0.5 * below.signum() * (split + (1.0 - split) * ramp)
}

/// (1 − q²)³, and 0 beyond q = 1: a hill with nothing outside of its foot.
pub fn hill(q: f64) -> f64 {
    if q >= 1.0 { 0.0 } else { (1.0 - q * q).powi(3) }
}

/// A hill over x and y, with other radii to the right, left, below and above (m).
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Its top (m).
    pub at: [f64; 2],
    /// Towards the middle of the face, and away from it (m).
    pub x: [f64; 2],
    /// Downward and upward (m).
    pub y: [f64; 2],
}

impl Patch {
    /// The same radius both ways.
    pub const fn round(at: [f64; 2], x: f64, y: f64) -> Patch {
        Patch { at, x: [x, x], y: [y, y] }
    }

    /// Its height at a point of the front of the head.
    pub fn height(&self, p: DVec3) -> f64 {
        let (dx, dy) = (p.x - self.at[0], p.y - self.at[1]);
        let u = dx / if dx < 0.0 { self.x[0] } else { self.x[1] };
        let v = dy / if dy < 0.0 { self.y[0] } else { self.y[1] };
        hill(u.hypot(v)) * smoothstep(-0.050, -0.025, p.z)
    }
}

/// Where a point ends up that is pulled by `pull` (m) over the bone: as far from it as before.
pub fn slide(p: DVec3, pull: DVec3, anatomy: &Anatomy) -> DVec3 {
    if pull.length_squared() < 1e-16 {
        return pull;
    }
    let foundation = |p: DVec3| anatomy.foundation(p);
    let to = p + pull;
    let risen = foundation(to) - foundation(p);
    pull - risen * normal(foundation, to, 1e-3)
}

/// A push out of the smooth head by so much (m).
pub fn push(p: DVec3, by: f64, anatomy: &Anatomy) -> DVec3 {
    if by == 0.0 { DVec3::ZERO } else { by * normal(|p| anatomy.foundation(p), p, 2e-3) }
}

//! Lids slide over the eyeball at a constant distance.

use glam::DVec3;

use super::displacement_field::Site;
use crate::anatomy::distance_fields::smoothstep;
use crate::anatomy::eye::{self, lid_edges};

/// Where the lids meet, between the lower edge (0) and the upper (1).
const MEETING: f64 = 0.20;
/// Edges are rounded: they meet when what they round would overlap by this (m).
const OVERLAP: f64 = 0.00016;
/// How far above the upper edge, and below the lower, skin moves along (m).
const ABOVE: f64 = 0.0140;
const BELOW: f64 = 0.0100;
/// Up to this distance from the eye's centre skin follows the ball, beyond the second it does not
/// (m).
const FOLLOWS: [f64; 2] = [0.0165, 0.0250];

/// How far the edges go: 1 to where they meet, negative away from it.
#[derive(Clone, Copy, Debug, Default)]
pub struct LidMotion {
    pub upper: f64,
    pub lower: f64,
    /// Sideways, with the ball (m).
    pub aside: f64,
}

/// The left lids' displacement (m).
pub fn move_lids(site: &Site, lids: LidMotion) -> DVec3 {
    let p = site.p;
    let center = DVec3::from_array(eye::CENTER);
    let from = p - center;
    let front = smoothstep(-0.003, 0.004, p.z) * smoothstep(0.024, 0.018, from.x.abs());
    if front == 0.0 || p.x < 0.0 {
        return DVec3::ZERO;
    }
    let [upper, lower] = lid_edges(p.x);
    let open = upper - lower;
    let meeting = lower + MEETING * open;
    // Where lids are hardly open, in the corners, they overlap by less.
    let overlap = OVERLAP * smoothstep(0.0, 0.003, open);
    let rise_upper = lids.upper * (meeting - overlap - upper);
    let rise_lower = lids.lower * (meeting + overlap - lower);
    let rise = if p.y >= upper {
        rise_upper * fade((p.y - upper) / ABOVE)
    } else if p.y <= lower {
        rise_lower * fade((lower - p.y) / BELOW)
    } else {
        let t = (p.y - lower) / open.max(1e-9);
        rise_lower + t * (rise_upper - rise_lower)
    };
    let near = fade((p.y - upper).max(lower - p.y).max(0.0) / BELOW);
    let aside = lids.aside * near * smoothstep(0.020, 0.010, from.x.abs());
    let to = from + front * DVec3::new(aside, rise, 0.0);
    let follows = smoothstep(FOLLOWS[1], FOLLOWS[0], from.length());
    let on_ball = ball_distance(from, to) * to.normalize_or(DVec3::Z);
    to.lerp(on_ball, follows) - from
}

/// How far from the centre a point is after it has gone around the eye: over the cornea, more.
fn ball_distance(from: DVec3, to: DVec3) -> f64 {
    from.length() + eye::reach(to) - eye::reach(from)
}

/// 1 at 0, 0 from 1 on; never steeper than 1.25, so that skin is not turned over.
fn fade(t: f64) -> f64 {
    if t <= 0.6 { 1.0 - 1.25 * t.max(0.0) } else { 0.25 * ((1.0 - t.min(1.0)) / 0.4).powi(2) }
}

/// Puts lids back onto an eyeball where a blend of shapes, which goes straight, has taken a short
/// cut through it: no point is nearer to the ball than it was at rest.
pub fn keep_off_eye(center: DVec3, radius: f64, rest: &[DVec3], posed: &mut [DVec3]) {
    let scale = radius / eye::RADIUS;
    for (p, now) in rest.iter().zip(posed) {
        let (from, to) = ((*p - center) / scale, (*now - center) / scale);
        if *now == *p || from.length() > FOLLOWS[0] || from.z < -0.010 {
            continue;
        }
        let least = ball_distance(from, to);
        if to.length() < least {
            *now = center + scale * least * to.normalize_or(DVec3::Z);
        }
    }
}

//! Named regions of the skin.

use glam::DVec3;

use super::Anatomy;
use super::distance_fields::Ellipsoid;
use super::eye;
use super::mouth::{HALF_WIDTH, lip_heights, parting_line};
use super::mouth_cavity::TONGUE;

/// All names. A vertex is in exactly one of those before `lips`; the rest gather several.
pub const REGIONS: [&str; 25] = [
    "scalp",
    "forehead",
    "brow_l",
    "brow_r",
    "upper_lid_l",
    "upper_lid_r",
    "lower_lid_l",
    "lower_lid_r",
    "eye_socket_l",
    "eye_socket_r",
    "nose",
    "cheek_l",
    "cheek_r",
    "upper_lip",
    "lower_lip",
    "upper_lip_inner",
    "lower_lip_inner",
    "tongue",
    "mouth_cavity",
    "chin",
    "jaw",
    "ear",
    "neck",
    "lips",
    "mouth",
];

/// Regions inside the mouth.
pub const IN_MOUTH: [&str; 4] = ["upper_lip_inner", "lower_lip_inner", "tongue", "mouth_cavity"];

/// True for regions inside the mouth or the eye sockets.
pub fn is_hidden(name: &str) -> bool {
    IN_MOUTH.contains(&name) || matches!(name, "eye_socket_l" | "eye_socket_r")
}

/// Depth under the closed envelope beyond which skin is inside the mouth (m).
const WET: f64 = 0.0035;
const MOUTH: Ellipsoid = Ellipsoid::new([0.0, -0.0740, 0.020], [0.040, 0.026, 0.035]);

/// The one region that a point of the skin is in.
pub fn region(p: DVec3, anatomy: &Anatomy) -> &'static str {
    let q = DVec3 { x: p.x.abs(), ..p };
    let side = |left, right| if p.x >= 0.0 { left } else { right };
    let depth = -anatomy.envelope(p);
    if anatomy.ear(p) < 0.002 && q.x > 0.060 {
        return "ear";
    }
    let from_eye = q.distance(DVec3::from_array(eye::CENTER));
    if depth > 0.0008 && from_eye < eye::RADIUS + eye::GAP + 0.0006 {
        return side("eye_socket_l", "eye_socket_r");
    }
    if depth > WET && q.x < 0.038 && (-0.100..-0.045).contains(&q.y) && q.z > -0.045 {
        return inside_mouth(q);
    }
    if q.z > -0.06 && q.y < -0.112 || q.y < -0.125 {
        return "neck";
    }
    if q.z < -0.045 || q.y > 0.068 {
        return if q.y < -0.055 && q.z < -0.06 { "neck" } else { "scalp" };
    }
    let above_line = q.y - parting_line(q.x);
    let [upper, lower] = lip_heights(q.x);
    if q.x < HALF_WIDTH && q.z > 0.0 && (-lower..=upper).contains(&above_line) {
        return if above_line > 0.0 { "upper_lip" } else { "lower_lip" };
    }
    let [upper_lid, lower_lid] = eye::lid_edges(q.x);
    let beside_eye = (q.x - eye::CENTER[0]).abs() < 0.019 && q.z > -0.01;
    if beside_eye && (-0.010..=0.0115).contains(&q.y) {
        return if q.y > 0.5 * (upper_lid + lower_lid) {
            side("upper_lid_l", "upper_lid_r")
        } else {
            side("lower_lid_l", "lower_lid_r")
        };
    }
    if q.y > 0.0105 && q.y < 0.027 && q.x > 0.006 && q.x < 0.056 {
        return side("brow_l", "brow_r");
    }
    if q.y >= 0.0 {
        return "forehead";
    }
    if q.x < 0.0185 && q.y > -0.0535 {
        return "nose";
    }
    if q.x < 0.026 && q.y < -0.088 {
        return "chin";
    }
    if q.y < -0.088 || q.z < -0.030 && q.y < -0.05 {
        return "jaw";
    }
    side("cheek_l", "cheek_r")
}

fn inside_mouth(q: DVec3) -> &'static str {
    let above_line = q.y - parting_line(q.x);
    if TONGUE.distance(q) < 0.0015 {
        return "tongue";
    }
    // The wet side of the lips: in front of the teeth.
    if super::mouth_cavity::arch_distance(q.x, q.z, super::mouth_cavity::UPPER_ARCH) > -0.0002
        && q.x < 0.027
    {
        return if above_line > 0.0 { "upper_lip_inner" } else { "lower_lip_inner" };
    }
    "mouth_cavity"
}

/// Whether a point belongs to a region of that name, of those that gather several too.
pub fn is_in(name: &str, own: &str, p: DVec3) -> bool {
    match name {
        "lips" => matches!(own, "upper_lip" | "lower_lip" | "upper_lip_inner" | "lower_lip_inner"),
        "mouth" => is_in("lips", own, p) || own != "tongue" && MOUTH.distance(p) < 0.0 && p.z > 0.0,
        _ => name == own,
    }
}

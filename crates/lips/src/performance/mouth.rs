//! The surface: a ring around the mouth, flattened where the lips meet.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DVec2, DVec3};
use pliant_mesh::Mesh;

use crate::error::LipsError;

/// Half the width and height of the patch of face \[m\].
const FACE: DVec2 = DVec2::new(0.047, 0.042);
/// Half the width of the mouth, and half the height of its opening at rest \[m\].
const OPENING: DVec2 = DVec2::new(0.025, 0.00015);
/// Radii of the lips in their middle \[m\].
const UPPER: f64 = 0.0042;
const LOWER: f64 = 0.0052;
/// From cheek (0) to cavity (1): where the red of the lips begins, where the lips meet, and where
/// they end inside.
pub const RED: f64 = 0.5;
pub const CONTACT: f64 = 0.72;
const INSIDE: f64 = 0.8;
/// Inside of this, captures are not to be trusted.
pub const TRUSTED: f64 = 0.46;

/// A place on the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Angle around the mouth, from the corner at +x over the upper lip.
    pub angle: f64,
    /// From the cheeks (0) to the cavity (1).
    pub depth: f64,
}

impl Place {
    /// 0 on the upper lip, 1 on the lower, smooth at the corners.
    pub fn lower(&self) -> f64 {
        let up = self.angle.sin();
        0.5 - 0.5 * up * (1.16 / (up * up + 0.16)).sqrt()
    }

    /// 1 on the lips, 0 at the edge of the patch.
    pub fn near(&self) -> f64 {
        smooth_step(0.0, 0.55, self.depth)
    }

    /// 1 at a corner, +x or −x, falling to 0 over `width` \[rad\].
    pub fn corner(&self, side: f64, width: f64) -> f64 {
        let centre = if side > 0.0 { 0.0 } else { PI };
        let turn = (self.angle - centre + PI).rem_euclid(TAU) - PI;
        (-(turn / width).powi(2)).exp()
    }
}

/// A grid of places.
#[derive(Clone, Copy, Debug)]
pub struct Mouth {
    around: usize,
    across: usize,
}

impl Mouth {
    /// A grid of `around` × (`across` + 1) vertices.
    pub fn new(around: usize, across: usize) -> Result<Mouth, LipsError> {
        if around < 16 || across < 8 || around.saturating_mul(across) > 1 << 24 {
            let found = around.min(across) as f64;
            let expected = "at least 16 around and 8 across, and below 16 million vertices";
            return Err(LipsError::Number { what: "the mouth's resolution", found, expected });
        }
        Ok(Mouth { around, across })
    }

    /// All places, in the order of vertices: ring by ring from the cheeks inwards.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let Mouth { around, across } = *self;
        (0..=across).flat_map(move |j| {
            let depth = j as f64 / across as f64;
            (0..around).map(move |i| Place { angle: TAU * i as f64 / around as f64, depth })
        })
    }

    /// Vertices deeper than `from`, up to `to`.
    pub fn between(&self, from: f64, to: f64) -> Vec<u32> {
        let inside = |place: &Place| place.depth > from && place.depth <= to;
        self.places().zip(0..).filter(|(place, _)| inside(place)).map(|(_, v)| v).collect()
    }

    /// Vertices on the line where the lips meet: the corners and the middles.
    pub fn seeds(&self) -> Vec<u32> {
        let ring = (CONTACT * self.across as f64).round() as usize;
        (0..4).map(|k| (ring * self.around + k * self.around / 4) as u32).collect()
    }

    /// The mesh at rest.
    pub fn rest(&self) -> Mesh {
        let Mouth { around, across } = *self;
        let number = |i: usize, j: usize| (j * around + i % around) as u32;
        let mut triangles = Vec::with_capacity(2 * around * across);
        for j in 0..across {
            for i in 0..around {
                let (a, b) = (number(i, j), number(i + 1, j));
                let (c, d) = (number(i + 1, j + 1), number(i, j + 1));
                // Diagonals mirrored left and right, as a modeller would lay them.
                if (4 * i / around).is_multiple_of(2) {
                    triangles.extend([[a, b, c], [a, c, d]]);
                } else {
                    triangles.extend([[a, b, d], [b, c, d]]);
                }
            }
        }
        Mesh::surface(self.places().map(|place| position(&place)).collect(), triangles)
    }
}

/// Where a place is at rest: +x to the left of the face, +y up, +z forward.
fn position(place: &Place) -> DVec3 {
    let (sin, cos) = place.angle.sin_cos();
    let across = OPENING * DVec2::new(cos, sin);
    // Away from the opening; nearly vertical but at the corners.
    let normal = DVec2::new(0.3 * cos, sin).normalize();
    let full = if sin > 0.0 { UPPER } else { LOWER };
    let radius = full * (0.3 + 0.7 * (sin * sin + 0.03).powf(0.35));
    let line = DVec2::new(across.x, across.y + lip_line(across.x));
    if place.depth < RED {
        let edge = line + normal * 2.0 * radius * bow(across.x, sin);
        let outer = FACE * DVec2::new(cos, sin);
        let at = outer.lerp(edge, place.depth / RED);
        return DVec3::new(at.x, at.y, face(at));
    }
    let (out, forward) = if place.depth < INSIDE {
        // Around the lip: from its upper edge over the front to where lips meet, and a bit on.
        let turn = if place.depth < CONTACT {
            FRAC_PI_2 - PI * (place.depth - RED) / (CONTACT - RED)
        } else {
            -FRAC_PI_2 - 0.9 * (place.depth - CONTACT) / (INSIDE - CONTACT)
        };
        let rise = 1.0 + turn.sin();
        let height = if turn > 0.0 { bow(across.x, sin) } else { 1.0 };
        (radius * rise * height, 1.1 * radius * turn.cos())
    } else {
        let end = -FRAC_PI_2 - 0.9;
        let part = (place.depth - INSIDE) / (1.0 - INSIDE);
        let (out, forward) = (radius * (1.0 + end.sin()), 1.1 * radius * end.cos());
        (out + part * part * 1.2 * radius, forward - 2.0 * part * radius)
    };
    let at = line + normal * out;
    DVec3::new(at.x, at.y, face(line + normal * 2.0 * radius) + forward)
}

/// The face bends back to the sides.
fn face(at: DVec2) -> f64 {
    -6.5 * at.x * at.x - 2.0 * at.y * at.y
}

/// The line where lips meet sinks a little towards the corners.
fn lip_line(x: f64) -> f64 {
    -0.0018 * (x / OPENING.x).powi(2)
        + 0.0006 * (1.0 - (x / 0.006).powi(2)) * (-(x / 0.006).powi(2)).exp()
}

/// Cupid's bow: the upper lip is higher beside its middle.
fn bow(x: f64, sin: f64) -> f64 {
    let peaks = (-((x.abs() - 0.0055) / 0.004).powi(2)).exp();
    let dip = (-(x / 0.0028).powi(2)).exp();
    1.0 + smooth_step(0.0, 0.4, sin) * (0.16 * peaks - 0.1 * dip)
}

/// 0 below `from`, 1 above `to`, with flat ends.
pub fn smooth_step(from: f64, to: f64, value: f64) -> f64 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

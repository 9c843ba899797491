//! A plate to stand things on: a profile turned about the y axis.

use glam::DVec2;

use super::{positive_length, revolved};
use crate::error::MeshError;
use crate::mesh::Mesh;

/// Corners around the axis.
const SEGMENTS: usize = 96;
/// Pieces that each stretch of the profile is divided into.
const PIECES: usize = 4;
/// Distance from the axis and height, relative to the radius: from the middle of the well over
/// wall and rim, back underneath, around the foot ring to the middle of the underside.
const PROFILE: [[f64; 2]; 23] = [
    [0.000, 0.000],
    [0.300, 0.000],
    [0.520, 0.000],
    [0.560, 0.000],
    [0.640, 0.006],
    [0.710, 0.030],
    [0.765, 0.047],
    [0.860, 0.061],
    [0.960, 0.076],
    [0.992, 0.079],
    [1.000, 0.073],
    [0.985, 0.065],
    [0.940, 0.052],
    [0.800, 0.018],
    [0.680, -0.018],
    [0.605, -0.036],
    [0.590, -0.058],
    [0.570, -0.062],
    [0.550, -0.058],
    [0.530, -0.036],
    [0.500, -0.034],
    [0.300, -0.033],
    [0.000, -0.033],
];

/// A round plate of `radius` (m) about the y axis. The well is level with y = 0, so that what
/// stands on y = 0 stands on the plate; the foot ring reaches down to about −0.062 · radius.
///
/// ```
/// let plate = pliant_mesh::shapes::plate(0.1)?;
/// assert!(plate.tets.is_empty());
/// assert!((plate.bounds().unwrap().size().x - 0.2).abs() < 1e-3);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn plate(radius: f64) -> Result<Mesh, MeshError> {
    positive_length("plate", "radius", radius)?;
    let profile: Vec<DVec2> = smooth_profile().into_iter().map(|p| p * radius).collect();
    Ok(revolved(&profile, SEGMENTS))
}

/// The profile as a Catmull–Rom curve, `PIECES` pieces per stretch.
fn smooth_profile() -> Vec<DVec2> {
    let count = PROFILE.len();
    let point = |at: usize| DVec2::from(PROFILE[at.min(count - 1)]);
    let mut curve = Vec::with_capacity(PIECES * count);
    for at in 0..count - 1 {
        let (p0, p1) = (point(at.saturating_sub(1)), point(at));
        let (p2, p3) = (point(at + 1), point(at + 2));
        // Tangents in proportion to the stretch itself: uneven stretches do not overshoot.
        let tangent = |before: DVec2, here: DVec2, after: DVec2| {
            let direction =
                (here - before).normalize_or_zero() + (after - here).normalize_or_zero();
            direction.normalize_or_zero() * p1.distance(p2)
        };
        let (from, to) = (tangent(p0, p1, p2), tangent(p1, p2, p3));
        for piece in 0..PIECES {
            let t = piece as f64 / PIECES as f64;
            let (t2, t3) = (t * t, t * t * t);
            curve.push(
                p1 * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + from * (t3 - 2.0 * t2 + t)
                    + p2 * (3.0 * t2 - 2.0 * t3)
                    + to * (t3 - t2),
            );
        }
    }
    curve.push(point(count - 1));
    curve
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::diagnosis;

    #[test]
    fn it_is_a_closed_surface_that_faces_outward() {
        let mesh = plate(0.12).unwrap();
        assert!(diagnosis::findings(&mesh).is_empty(), "{:?}", diagnosis::findings(&mesh));
        // A plate of this profile is a few per cent of its bounding cylinder.
        let cylinder = 0.5 * TAU * 0.12f64.powi(2) * mesh.bounds().unwrap().size().y;
        let share = mesh.volume() / cylinder;
        assert!((0.1..0.6).contains(&share), "{share}");
    }

    #[test]
    fn the_well_is_level_with_the_ground() {
        let mesh = plate(1.0).unwrap();
        let well = mesh.positions.iter().filter(|p| p.x.hypot(p.z) < 0.5 && p.y > -0.02);
        for p in well {
            assert!(p.y.abs() < 2e-3, "{p}");
        }
        assert!(plate(0.0).is_err() && plate(f64::NAN).is_err());
    }
}

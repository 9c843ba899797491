//! Fits the warp from a template's skin onto another: by markers, then by closest points.

use std::path::Path;

use glam::DVec3;
use pliant_mesh::{Mesh, SurfaceTree};

use super::correspondence;
use super::warp::{Similarity, SpaceWarp};
use crate::anatomy::landmarks::Landmark;
use crate::anatomy::regions::is_hidden;
use crate::error::FaceError;
use crate::template::Template;
use crate::vertex_normals::vertex_normals;

/// So many markers are needed.
const FEWEST_MARKERS: usize = 6;
/// Heads that are turned by more than this are not upright (degrees).
const MOST_TURNED: f64 = 35.0;
/// Heads that are larger or smaller by more than this are in another unit.
const SIZES: [f64; 2] = [0.4, 2.5];
/// Distance of the points that are drawn onto the skin (m).
const SPACING: f64 = 0.010;
/// Rounds: how far one looks for the skin (m), and how soft the spline is (m).
const ROUNDS: [(f64, f64); 5] =
    [(0.030, 0.3), (0.020, 0.1), (0.014, 0.05), (0.010, 0.02), (0.008, 0.01)];
/// Of markers, which are meant as they are said.
const MARKER_SOFTNESS: f64 = 2e-4;

/// The warp that takes the template's skin onto another.
pub fn fitted(
    template: &Template,
    skin: &Mesh,
    markers: &[Landmark],
    path: &Path,
) -> Result<SpaceWarp, FaceError> {
    let fail = |problem: String| FaceError::Part {
        path: path.to_owned(),
        part: "the head".to_owned(),
        problem,
    };
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for marker in markers {
        let Some(known) = template.landmarks.iter().find(|l| l.name == marker.name) else {
            let names = template.landmarks.iter().map(|l| l.name.as_str());
            let nearest = crate::template_folder::nearest(&marker.name, names);
            let meant = nearest.map(|n| format!("; did you mean {n}?")).unwrap_or_default();
            return Err(fail(format!("has a marker {}, which is no landmark{meant}", marker.name)));
        };
        from.push(known.position);
        to.push(marker.position);
    }
    if from.len() < FEWEST_MARKERS {
        return Err(fail(format!("has {} markers, expected {FEWEST_MARKERS} or more", from.len())));
    }
    let similarity = Similarity::between(&from, &to)
        .ok_or_else(|| fail("has its markers in one place".to_owned()))?;
    if !(SIZES[0]..=SIZES[1]).contains(&similarity.scale) {
        let times = similarity.scale;
        return Err(fail(format!("is {times:.3} times as large as a head: is its unit right?")));
    }
    if similarity.angle() > MOST_TURNED {
        let angle = similarity.angle();
        return Err(fail(format!("is turned by {angle:.0}°, expected y up and the face along z")));
    }
    let markers = from.len();
    let mut softness = vec![MARKER_SOFTNESS; markers];
    let in_one_place = || fail("has markers that do not tell where it is".to_owned());
    let mut warp = SpaceWarp::fitted(similarity, &from, &to, &softness).ok_or_else(in_one_place)?;
    let samples = samples(template);
    let (tree, faces) = (SurfaceTree::new(skin), correspondence::face_normals(skin));
    for (reach, soft) in ROUNDS {
        from.truncate(markers);
        to.truncate(markers);
        softness.truncate(markers);
        for (p, normal) in &samples {
            let Some(found) = tree.closest_within(warp.at(*p), reach) else { continue };
            let turned = warp.direction(*p, *normal).normalize_or_zero();
            if faces[found.triangle as usize].dot(turned) > 0.6 {
                from.push(*p);
                to.push(found.point);
                softness.push(soft);
            }
        }
        warp = SpaceWarp::fitted(similarity, &from, &to, &softness).ok_or_else(in_one_place)?;
    }
    Ok(warp)
}

/// Points of the template's skin, evenly spread, with normals; none where heads are unlike.
fn samples(template: &Template) -> Vec<(DVec3, DVec3)> {
    let mesh = &template.skin.mesh;
    let mut skipped = vec![false; mesh.positions.len()];
    // These regions differ between heads.
    let is_skipped = |name: &str| is_hidden(name) || matches!(name, "ear" | "neck");
    for region in template.regions.iter().filter(|r| is_skipped(&r.name)) {
        region.vertices.iter().for_each(|&v| skipped[v as usize] = true);
    }
    let normals = vertex_normals(&mesh.positions, &mesh.triangles);
    let mut samples: Vec<(DVec3, DVec3)> = Vec::new();
    for (v, p) in mesh.positions.iter().enumerate() {
        if !skipped[v] && samples.iter().all(|(q, _)| p.distance_squared(*q) > SPACING * SPACING) {
            samples.push((*p, normals[v]));
        }
    }
    samples
}

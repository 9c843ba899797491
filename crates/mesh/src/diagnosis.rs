//! What is wrong with a mesh: a list of findings, each with a count and the first elements.
//!
//! Finding is not refusing: a scan with holes is still a scan. What a simulation cannot accept
//! is refused by [`check_tets`].

mod intersection;
mod surface;

pub(crate) use surface::flipped_faces;

use crate::error::MeshError;
use crate::mesh::{Mesh, signed_volume};
use glam::DVec3;

/// A kind of defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// An edge of one triangle only. Counts edges, lists their triangles.
    OpenEdge,
    /// An edge of more than two triangles. Counts edges, lists their triangles.
    NonManifoldEdge,
    /// A vertex whose triangles form more than one fan. Lists vertices.
    NonManifoldVertex,
    /// A triangle with the corners of an earlier one. Lists triangles.
    DuplicateFace,
    /// A triangle with a repeated corner or without area. Lists triangles.
    DegenerateFace,
    /// A triangle wound against its neighbours: in every connected piece, the side that has
    /// fewer triangles. Lists triangles.
    FlippedFace,
    /// A triangle that another one passes through. Lists triangles.
    SelfIntersection,
    /// A vertex of no triangle and no tet. Lists vertices.
    UnusedVertex,
    /// A tet of negative or no volume. Lists tets.
    InvertedTet,
    /// A vertex with a coordinate that is infinite or not a number. Lists vertices.
    NonFinite,
}

impl FindingKind {
    /// As written in reports.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::OpenEdge => "open-edge",
            FindingKind::NonManifoldEdge => "non-manifold-edge",
            FindingKind::NonManifoldVertex => "non-manifold-vertex",
            FindingKind::DuplicateFace => "duplicate-face",
            FindingKind::DegenerateFace => "degenerate-face",
            FindingKind::FlippedFace => "flipped-face",
            FindingKind::SelfIntersection => "self-intersection",
            FindingKind::UnusedVertex => "unused-vertex",
            FindingKind::InvertedTet => "inverted-tet",
            FindingKind::NonFinite => "non-finite",
        }
    }
}

/// How many element ids a finding lists.
pub const LISTED: usize = 20;

/// One kind of defect, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// How often it occurs.
    pub count: usize,
    /// The first [`LISTED`] elements: what is listed depends on the kind.
    pub elements: Vec<u32>,
}

/// Everything found, one entry per kind that occurs; an empty list for a sound mesh.
///
/// Vertices are told apart by index: a surface whose seams are not welded is open there.
///
/// ```
/// use pliant_mesh::{DVec3, Mesh, diagnosis::{self, FindingKind}};
/// let lone = Mesh::surface(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]);
/// let findings = diagnosis::findings(&lone);
/// assert_eq!((findings[0].kind, findings[0].count), (FindingKind::OpenEdge, 3));
/// ```
pub fn findings(mesh: &Mesh) -> Vec<Finding> {
    let mut findings = surface::findings(mesh);
    findings.extend(finding(FindingKind::SelfIntersection, intersection::intersecting(mesh)));
    let mut used = vec![false; mesh.positions.len()];
    let corners = mesh.triangles.iter().flatten().chain(mesh.tets.iter().flatten());
    for &vertex in corners {
        if let Some(used) = used.get_mut(vertex as usize) {
            *used = true;
        }
    }
    let unused = (0u32..).zip(&used).filter(|(_, used)| !**used).map(|(v, _)| v);
    findings.extend(finding(FindingKind::UnusedVertex, unused));
    let inverted = (0u32..)
        .zip(0..mesh.tets.len())
        .filter(|&(_, t)| mesh.corners(t).is_some_and(|c| signed_volume(c) <= 0.0))
        .map(|(id, _)| id);
    findings.extend(finding(FindingKind::InvertedTet, inverted));
    let not_finite = (0u32..).zip(&mesh.positions).filter(|(_, p)| !p.is_finite()).map(|(v, _)| v);
    findings.extend(finding(FindingKind::NonFinite, not_finite));
    findings.sort_by_key(|f| f.kind);
    findings
}

/// Refuses tets that no simulation can start from: with vertices that do not exist, corners
/// that are not finite, without volume (below 1e-13 of the cube of the longest edge), inverted.
pub fn check_tets(mesh: &Mesh) -> Result<(), MeshError> {
    let mut missing = Listing::default();
    let mut not_finite = Listing::default();
    let mut flat = Listing::default();
    let mut inverted = Listing::default();
    for (id, t) in (0u32..).zip(0..mesh.tets.len()) {
        let Some(corners) = mesh.corners(t) else {
            missing.add(id);
            continue;
        };
        let volume = signed_volume(corners);
        if !volume.is_finite() {
            not_finite.add(id);
        } else if volume.abs() <= 1e-13 * longest_edge(corners).powi(3) {
            flat.add(id);
        } else if volume < 0.0 {
            inverted.add(id);
        }
    }
    if missing.count > 0 {
        return Err(MeshError::TetOutOfRange { count: missing.count, tets: missing.first });
    }
    if not_finite.count > 0 {
        return Err(MeshError::TetNotFinite { count: not_finite.count, tets: not_finite.first });
    }
    if flat.count > 0 {
        return Err(MeshError::TetWithoutVolume { count: flat.count, tets: flat.first });
    }
    if inverted.count > 0 {
        return Err(MeshError::TetInverted { count: inverted.count, tets: inverted.first });
    }
    Ok(())
}

fn longest_edge(corners: [DVec3; 4]) -> f64 {
    let pairs = (0..4).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| corners[i].distance(corners[j])).fold(0.0, f64::max)
}

/// A count with the first few ids.
#[derive(Default)]
struct Listing {
    count: usize,
    first: Vec<u32>,
}

impl Listing {
    fn add(&mut self, id: u32) {
        self.count += 1;
        if self.first.len() < LISTED {
            self.first.push(id);
        }
    }
}

fn finding(kind: FindingKind, elements: impl IntoIterator<Item = u32>) -> Option<Finding> {
    let mut listing = Listing::default();
    elements.into_iter().for_each(|id| listing.add(id));
    (listing.count > 0).then_some(Finding { kind, count: listing.count, elements: listing.first })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    fn found(mesh: &Mesh) -> Vec<(FindingKind, usize, Vec<u32>)> {
        findings(mesh).into_iter().map(|f| (f.kind, f.count, f.elements)).collect()
    }

    #[test]
    fn a_sound_solid_has_no_findings() {
        let solid = shapes::solid_box(DVec3::ONE, [3, 2, 2]).unwrap();
        assert!(findings(&solid).is_empty());
        assert_eq!(check_tets(&solid), Ok(()));
    }

    #[test]
    fn strays_inversions_and_nans_are_listed_with_their_ids() {
        let mut solid = shapes::solid_box(DVec3::ONE, [2, 1, 1]).unwrap();
        solid.tets[3].swap(0, 1);
        solid.positions.push(DVec3::ONE);
        solid.positions.push(DVec3::new(0.0, f64::INFINITY, 0.0));
        assert_eq!(
            found(&solid),
            [
                (FindingKind::UnusedVertex, 2, vec![12, 13]),
                (FindingKind::InvertedTet, 1, vec![3]),
                (FindingKind::NonFinite, 1, vec![13]),
            ]
        );
        assert_eq!(check_tets(&solid), Err(MeshError::TetInverted { count: 1, tets: vec![3] }));
    }

    #[test]
    fn tets_that_cannot_be_simulated_are_refused_by_kind() {
        let solid = shapes::solid_box(DVec3::ONE, [1, 1, 1]).unwrap();
        let with = |change: &dyn Fn(&mut Mesh)| {
            let mut mesh = solid.clone();
            change(&mut mesh);
            check_tets(&mesh)
        };
        let missing = with(&|m| m.tets[4][2] = 99);
        assert_eq!(missing, Err(MeshError::TetOutOfRange { count: 1, tets: vec![4] }));
        let flat = with(&|m| m.tets[1] = [0, 1, 2, 3]);
        assert_eq!(flat, Err(MeshError::TetWithoutVolume { count: 1, tets: vec![1] }));
        let nan = with(&|m| m.positions[0].x = f64::NAN);
        assert_eq!(nan, Err(MeshError::TetNotFinite { count: 1, tets: vec![0] }));
    }

    #[test]
    fn only_the_first_elements_are_listed() {
        let mesh = Mesh { positions: vec![DVec3::NAN; 50], ..Mesh::default() };
        let all = found(&mesh);
        assert_eq!(all.len(), 2);
        assert_eq!(all[1], (FindingKind::NonFinite, 50, (0..20).collect()));
    }
}

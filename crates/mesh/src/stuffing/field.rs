//! What is to be filled: functions of space that are positive inside.

use glam::DVec3;

use crate::mesh::Mesh;
use crate::signed_distance::SignedDistance;
use crate::surface_tree::SurfaceTree;

/// A continuous function, positive inside, that is the distance to the boundary near it.
pub trait Field: Sync {
    /// Between −limit and limit (m).
    fn value(&self, point: DVec3) -> f64;
    /// The nearest point of a boundary, if it is nearer than `reach` (m).
    fn closest(&self, point: DVec3, reach: f64) -> Option<DVec3>;
    /// The greatest distance that is told (m).
    fn limit(&self) -> f64;
}

/// The inside of any triangles: sgn(w − ½) · min(d, limit, 2 limit |w − ½|), with the distance d
/// and the winding number w. Where the surface is open, the inside ends where it goes round half.
pub struct SoupField {
    distance: SignedDistance,
    /// Open parts, and half of the thickness that they are to have (m).
    sheets: Option<(SurfaceTree, f64)>,
    limit: f64,
}

impl SoupField {
    /// The inside of `mesh`, and everything within `thicken`/2 of `open`.
    pub fn new(mesh: &Mesh, open: Option<(&Mesh, f64)>, limit: f64) -> Self {
        let sheets = open.map(|(mesh, thickness)| (SurfaceTree::new(mesh), 0.5 * thickness));
        SoupField { distance: SignedDistance::new(mesh), sheets, limit }
    }
}

impl Field for SoupField {
    fn value(&self, point: DVec3) -> f64 {
        let value = value(&self.distance, self.limit, point);
        let Some((sheets, half)) = &self.sheets else { return value };
        let far = half + self.limit;
        let gap = sheets.closest_within(point, far).map_or(far, |c| c.distance);
        value.max(half - gap).min(self.limit)
    }

    fn closest(&self, point: DVec3, reach: f64) -> Option<DVec3> {
        let near = self.distance.tree().closest_within(point, reach).map(|c| c.point);
        let Some((sheets, half)) = &self.sheets else { return near };
        // The thickened boundary is where the sheet is half a thickness away.
        let sheet = sheets.closest_within(point, reach + half).map(|c| {
            let away = point - c.point;
            let length = away.length();
            if length > 0.0 { c.point + away * (half / length) } else { c.point }
        });
        let nearer = |p: &DVec3| p.distance_squared(point);
        match (near, sheet) {
            (Some(a), Some(b)) => Some(if nearer(&a) <= nearer(&b) { a } else { b }),
            (a, b) => a.or(b),
        }
    }

    fn limit(&self) -> f64 {
        self.limit
    }
}

/// sgn(w − ½) · min(d, limit, 2 limit |w − ½|)
fn value(surface: &SignedDistance, limit: f64, point: DVec3) -> f64 {
    let beyond = surface.winding(point) - 0.5;
    let reach = limit.min(2.0 * limit * beyond.abs());
    let near = surface.tree().closest_within(point, reach);
    let size = near.map_or(reach, |c| c.distance);
    if beyond >= 0.0 { size } else { -size }
}

/// The space within one surface and outside of others: what lies between a skin and bones.
pub struct Between<'a> {
    /// Everything is inside of the first and outside of all the others.
    pub surfaces: &'a [SignedDistance],
    pub limit: f64,
}

impl Field for Between<'_> {
    fn value(&self, point: DVec3) -> f64 {
        let mut least = self.limit;
        for (number, surface) in self.surfaces.iter().enumerate() {
            let inside = value(surface, self.limit, point);
            least = least.min(if number == 0 { inside } else { -inside });
        }
        least
    }

    fn closest(&self, point: DVec3, mut reach: f64) -> Option<DVec3> {
        let mut best = None;
        for surface in self.surfaces {
            if let Some(found) = surface.tree().closest_within(point, reach) {
                reach = found.distance;
                best = Some(found.point);
            }
        }
        best
    }

    fn limit(&self) -> f64 {
        self.limit
    }
}

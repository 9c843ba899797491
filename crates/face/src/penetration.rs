//! Penetration depth of the lips in the teeth and in each other (Fig. 6 of \[ichim2017phace\]),
//! measured independently of the simulated contact.

use glam::DVec3;
use pliant_mesh::{Bounds, Bvh, barycentric, boundary_of_tets};

use crate::anatomy::hinge::JawPose;
use crate::animation::AnimatedFrame;
use crate::error::FaceError;
use crate::model::{BoneHold, BoundaryPart, FaceModel};
use crate::teeth_projection::TeethProjection;

/// What is inside of what it should not be in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Penetration {
    /// Vertices that are.
    pub inside: u32,
    /// How deep the deepest is (m).
    pub deepest: f64,
}

impl Penetration {
    /// Of two measurements the worse; vertices are counted together.
    pub fn and(self, other: Penetration) -> Penetration {
        Penetration { inside: self.inside + other.inside, deepest: self.deepest.max(other.deepest) }
    }

    /// What touches is not inside.
    fn add(&mut self, depth: f64) {
        const TOUCHES: f64 = 1e-6;
        self.inside += u32::from(depth > TOUCHES);
        self.deepest = self.deepest.max(depth);
    }
}

/// Measures lips of a face.
pub struct LipGauge<'a> {
    teeth: TeethProjection<'a>,
    /// Upper, lower.
    lips: [Lip; 2],
    /// Vertices of the flesh on the skin that no bone holds, and of these the ones of each lip.
    outer: Vec<u32>,
    own: [Vec<u32>; 2],
}

/// A lip's tets, and its triangles of those around the flesh.
struct Lip {
    tets: Vec<[u32; 4]>,
    triangles: Vec<[u32; 3]>,
}

impl<'a> LipGauge<'a> {
    /// For a face.
    ///
    /// # Errors
    /// When there are no teeth.
    pub fn new(face: &'a FaceModel) -> Result<Self, FaceError> {
        let teeth = TeethProjection::new(face)?;
        let skin = boundary_of_tets(&face.solid.tets);
        let lip = |side: u8| {
            let is_own = |v: &u32| face.lip_sides.get(*v as usize) == Some(&side);
            let tets = face.solid.tets.iter().filter(|tet| tet.iter().all(is_own));
            let triangles = skin.iter().filter(|t| t.iter().all(is_own));
            Lip { tets: tets.copied().collect(), triangles: triangles.copied().collect() }
        };
        let vertices = 0..face.parts.len() as u32;
        // Gums, which hold on to teeth, are in them.
        let is_outer = |v: &u32| {
            let v = *v as usize;
            face.parts[v] == Some(BoundaryPart::Skin) && face.holds[v] == BoneHold::Free
        };
        let outer: Vec<u32> = vertices.filter(is_outer).collect();
        let of = |side: u8| {
            let own = outer.iter().filter(|&&v| face.lip_sides.get(v as usize) == Some(&side));
            own.copied().collect()
        };
        Ok(LipGauge { teeth, lips: [lip(1), lip(2)], own: [of(1), of(2)], outer })
    }

    /// Of the flesh's own vertices, when these are at `positions` (m), in the frame of the skull.
    ///
    /// ```no_run
    /// # use pliant_face::*;
    /// # fn of(face: &FaceModel) -> Result<(), FaceError> {
    /// let gauge = LipGauge::new(face)?;
    /// let at_rest = gauge.flesh(&face.solid.positions, &Default::default());
    /// assert_eq!(at_rest.inside, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn flesh(&self, positions: &[DVec3], jaw: &JawPose) -> Penetration {
        let at = |of: &[u32]| -> Vec<DVec3> { of.iter().map(|&v| positions[v as usize]).collect() };
        let [upper, lower] = [0, 1].map(|lip: usize| at(&self.own[lip]));
        let teeth = self.in_teeth(&at(&self.outer), jaw);
        teeth.and(self.in_lip(1, &upper, positions)).and(self.in_lip(0, &lower, positions))
    }

    /// Of the vertices of the skin's lips, which are finer, when skin and flesh are there (m), in
    /// the frame of the skull. Gums, which are in teeth at rest, do not count.
    pub fn skin(&self, skin: &[DVec3], flesh: &[DVec3], jaw: &JawPose) -> Penetration {
        let [upper, lower] = [0, 1].map(|lip: usize| -> Vec<DVec3> {
            self.teeth.lip(lip).iter().map(|&v| skin[v as usize]).collect()
        });
        let teeth = self.in_teeth(&upper, jaw).and(self.in_teeth(&lower, jaw));
        teeth.and(self.in_lip(1, &upper, flesh)).and(self.in_lip(0, &lower, flesh))
    }

    /// The same of a frame as it is shown, over flesh at `flesh` (m), in the frame of the skull.
    pub fn shown(&mut self, frame: &AnimatedFrame, flesh: &[DVec3]) -> Penetration {
        self.teeth.moved = frame.teeth;
        self.skin(&frame.skin_in_skull(), flesh, &frame.jaw)
    }

    fn in_teeth(&self, points: &[DVec3], jaw: &JawPose) -> Penetration {
        let mut found = Penetration::default();
        for &x in points.iter().filter(|x| x.is_finite()) {
            self.teeth.ways_out(x, jaw).for_each(|out| found.add(out.distance(x)));
        }
        found
    }

    /// Of points in a lip.
    fn in_lip(&self, lip: usize, points: &[DVec3], positions: &[DVec3]) -> Penetration {
        let Lip { tets, triangles } = &self.lips[lip];
        let tets: Vec<[DVec3; 4]> =
            tets.iter().map(|tet| tet.map(|v| positions[v as usize])).collect();
        let around = |corners: &[DVec3; 4]| {
            Bounds::of(corners).unwrap_or(Bounds { min: DVec3::NAN, max: DVec3::NAN })
        };
        let tree = Bvh::new(&tets.iter().map(around).collect::<Vec<Bounds>>());
        let mut found = Penetration::default();
        for &x in points.iter().filter(|x| x.is_finite()) {
            let mut is_inside = false;
            tree.containing(x, |t| {
                is_inside |= barycentric(tets[t as usize], x).iter().all(|w| *w > 0.0);
                !is_inside
            });
            if is_inside {
                let to = |t: &[u32; 3]| {
                    let [a, b, c] = t.map(|v| positions[v as usize]);
                    distance_to_triangle(x, a, b, c)
                };
                found.add(triangles.iter().map(to).fold(f64::INFINITY, f64::min));
            }
        }
        found
    }
}

/// By projections onto the plane and onto the edges.
fn distance_to_triangle(x: DVec3, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let to_edge = |p: DVec3, q: DVec3| {
        let along = q - p;
        let part = (x - p).dot(along) / along.length_squared();
        x.distance(p + along * if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 })
    };
    let nearest = to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a));
    let normal = (b - a).cross(c - a);
    let is_above = |p: DVec3, q: DVec3| normal.cross(q - p).dot(x - p) >= 0.0;
    if normal != DVec3::ZERO && is_above(a, b) && is_above(b, c) && is_above(c, a) {
        return nearest.min(((x - a).dot(normal) / normal.length()).abs());
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_to_a_triangle() {
        let distance =
            |x, y, z| distance_to_triangle(DVec3::new(x, y, z), DVec3::ZERO, DVec3::X, DVec3::Y);
        assert!((distance(0.2, 0.2, 0.3) - 0.3).abs() < 1e-15, "above the face");
        assert!((distance(0.5, -2.0, 0.0) - 2.0).abs() < 1e-15, "beside an edge");
        assert!((distance(-3.0, -4.0, 0.0) - 5.0).abs() < 1e-15, "beyond a corner");
    }
}

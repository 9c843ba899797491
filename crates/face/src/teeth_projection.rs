//! Projects skin that is inside the teeth onto them.
//!
//! Tets of some millimetres keep their own vertices out of teeth, but skin between these is bent by
//! what is in front of it, teeth rounder than tets are fine: up to half a millimetre of it would be
//! seen through. What is seen is therefore put on the teeth it would be in (the projection of Ichim
//! et al. 2017, section 4, contact).

use glam::DVec3;
use pliant_model::{Rigid, Shape};

use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::model::FaceModel;

/// The teeth of a face, which know what is in them.
pub struct TeethProjection<'a> {
    face: &'a FaceModel,
    /// Upper, lower.
    proxies: [Shape; 2],
    /// The skin's vertices of the lips that are not in teeth at rest, as gums are: upper, lower.
    lips: [Vec<u32>; 2],
    /// How surgeons have moved them, before the jaw does: upper, lower.
    pub moved: [Rigid; 2],
}

impl<'a> TeethProjection<'a> {
    /// Of a face.
    ///
    /// # Errors
    /// When there are none.
    pub fn new(face: &'a FaceModel) -> Result<Self, FaceError> {
        let [upper, lower] = [(0, "upper"), (1, "lower")].map(|(k, name): (usize, &str)| {
            Shape::mesh(&face.teeth_proxies[k]).map_err(|problem| FaceError::Part {
                path: face.name.clone().into(),
                part: format!("the {name} teeth's proxy"),
                problem: problem.to_string(),
            })
        });
        let mut teeth = TeethProjection {
            face,
            proxies: [upper?, lower?],
            lips: [Vec::new(), Vec::new()],
            moved: [Rigid::default(); 2],
        };
        let rest = &face.skin.mesh.positions;
        let is_out =
            |v: &u32| teeth.ways_out(rest[*v as usize], &JawPose::default()).next().is_none();
        let lips = [0, 1].map(|k: usize| face.lips[k].iter().copied().filter(is_out).collect());
        teeth.lips = lips;
        Ok(teeth)
    }

    /// The skin's vertices of a lip that no tooth has at rest: 0 the upper, 1 the lower.
    pub fn lip(&self, which: usize) -> &[u32] {
        &self.lips[which]
    }

    /// The nearest points on the upper and on the lower teeth, if `x` is in them (m), in the frame
    /// of the skull.
    pub fn ways_out(&self, x: DVec3, jaw: &JawPose) -> impl Iterator<Item = DVec3> {
        let hinge = &self.face.hinge;
        let (turn, shift) = hinge.rigid(jaw);
        let back = hinge.point + turn.transpose() * (x - hinge.point - shift);
        let [above, below] = self.moved;
        let forth = move |p: DVec3| hinge.point + turn * (below.apply(p) - hinge.point) + shift;
        let way = |teeth: &Shape, local: DVec3| teeth.inside(local).map(|near| near.point);
        let [upper, lower] = &self.proxies;
        let from_upper = way(upper, above.unapply(x)).map(move |p| above.apply(p));
        from_upper.into_iter().chain(way(lower, below.unapply(back)).map(forth))
    }

    /// Puts lips that are in teeth onto them; `skin` is in the frame of the skull (m).
    pub fn clear(&self, skin: &mut [DVec3], jaw: &JawPose) {
        for &v in self.lips.iter().flatten() {
            let Some(x) = skin.get_mut(v as usize).filter(|x| x.is_finite()) else { continue };
            if let Some(out) = self.ways_out(*x, jaw).next() {
                *x = out;
            }
        }
    }
}

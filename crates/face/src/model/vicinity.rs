//! Which muscles are near which tets.

use glam::DVec3;

use super::FaceModel;

/// Which muscles come near the tets' vertices. A muscle is where tets are that have some of it in them.
pub(crate) struct Vicinity {
    muscles: usize,
    /// By vertex, of every muscle.
    near: Vec<bool>,
}

impl Vicinity {
    /// Of muscles with a corner of one of their tets within `reach` (m).
    pub(crate) fn of(face: &FaceModel, reach: f64) -> Vicinity {
        let (at, muscles) = (&face.solid.positions, face.muscles.len());
        let mut corners: Vec<Vec<u32>> = vec![Vec::new(); muscles];
        for share in face.shares.iter().filter(|share| !share.is_lent()) {
            corners[share.muscle as usize].extend(face.solid.tets[share.tet as usize]);
        }
        let mut near = vec![false; muscles * at.len()];
        for (muscle, corners) in corners.iter_mut().enumerate() {
            corners.sort_unstable();
            corners.dedup();
            let own: Vec<DVec3> = corners.iter().map(|&v| at[v as usize]).collect();
            let low = own.iter().fold(DVec3::INFINITY, |low, p| low.min(*p)) - reach;
            let high = own.iter().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p)) + reach;
            let is_near = |p: DVec3| {
                let is_inside = p.cmpge(low).all() && p.cmple(high).all();
                is_inside && own.iter().any(|q| q.distance_squared(p) <= reach * reach)
            };
            for (v, p) in at.iter().enumerate() {
                near[muscles * v + muscle] = is_near(*p);
            }
        }
        Vicinity { muscles, near }
    }

    /// Muscles near a tet with these vertices, in their order.
    pub(crate) fn muscles(&self, tet: [u32; 4]) -> impl Iterator<Item = usize> {
        let is_near = move |v: u32, muscle: usize| self.near[self.muscles * v as usize + muscle];
        (0..self.muscles).filter(move |&muscle| tet.iter().any(|&v| is_near(v, muscle)))
    }
}

//! Muscles near each vertex of the tets.

use glam::DVec3;

use super::FaceModel;

/// Which muscles come near the tets' vertices. A muscle is where tets are that have some of it in
/// them.
pub(crate) struct NearbyMuscles {
    muscles: usize,
    /// By vertex, of every muscle.
    near: Vec<bool>,
}

impl NearbyMuscles {
    /// Of muscles with a corner of one of their tets within `reach` (m).
    pub(crate) fn of(face: &FaceModel, reach: f64) -> NearbyMuscles {
        let (at, muscles) = (&face.solid.positions, face.muscles.len());
        let mut corners: Vec<Vec<u32>> = vec![Vec::new(); muscles];
        for share in face.shares.iter().filter(|share| !share.is_assignable()) {
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
        NearbyMuscles { muscles, near }
    }

    /// Muscles near a tet with these vertices, in their order.
    pub(crate) fn muscles(&self, tet: [u32; 4]) -> impl Iterator<Item = usize> {
        let is_near = move |v: u32, muscle: usize| self.near[self.muscles * v as usize + muscle];
        (0..self.muscles).filter(move |&muscle| tet.iter().any(|&v| is_near(v, muscle)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MuscleCourse, Share};
    use pliant_mesh::Mesh;

    #[test]
    fn a_muscle_is_near_tets_whose_corners_come_near_those_with_it() {
        // Three tets in a row, 10 mm apart; only the first has muscle in it, the second is lent.
        let corners = |k: f64| {
            [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|c| 0.005 * c + DVec3::X * 0.01 * k)
        };
        let positions: Vec<DVec3> = [0.0, 1.0, 2.0].map(corners).concat();
        let tets = [0, 4, 8].map(|v| [v, v + 1, v + 2, v + 3]).to_vec();
        let share = |tet: u32, fraction: f64| Share { tet, muscle: 0, fraction, fibre: DVec3::X };
        let face = FaceModel {
            solid: Mesh { positions, tets: tets.clone(), ..Mesh::default() },
            muscles: vec![MuscleCourse::default()],
            shares: vec![share(0, 0.5), share(1, 0.0)],
            ..FaceModel::default()
        };
        let near = |reach: f64| {
            let nearby = NearbyMuscles::of(&face, reach);
            [0, 1, 2].map(|tet| nearby.muscles(tets[tet]).count())
        };
        assert_eq!(near(0.004), [1, 0, 0]);
        assert_eq!(near(0.006), [1, 1, 0]);
        assert_eq!(near(f64::INFINITY), [1, 1, 1]);
    }
}

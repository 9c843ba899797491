//! Assignable tissue: passive tets near a muscle that a fit may activate.
//!
//! Where muscles of a template lie is a guess, and a subject's own may be elsewhere (Dinev 2020,
//! section 4.2.1): every tet within a centimetre of a muscle's has a row in the geometry S, and may
//! come to contract with it. As long as nothing tells it to, it is what it was: passive tissue, by
//! its own stiffness.

use glam::DVec3;
use pliant_model::potentials::activation::RELAXED;

use super::{BoneHold, FaceModel, FittedShape, NearbyMuscles, Share};
use crate::inverse::muscle_geometry::GeometryMatrix;

impl Share {
    /// What a share counts for where means over active flesh are taken: muscle at work is thirty
    /// times as stiff as what is lent.
    const ASSIGNABLE_WEIGHT: f64 = 1.0 / 30.0;

    /// Whether it is lent: none of the tet is the muscle.
    pub fn is_assignable(&self) -> bool {
        self.fraction == 0.0
    }

    /// How much of what is active it is.
    pub fn active_weight(&self) -> f64 {
        if self.is_assignable() { Share::ASSIGNABLE_WEIGHT } else { self.fraction }
    }
}

impl FaceModel {
    /// The same face with tets lent to the muscle nearest to them, where the corners of tets that
    /// have a muscle in them are within `reach` (m) of theirs; shapes that were fitted leave them
    /// relaxed. What was learned of S is kept only where nothing is lent that was not before.
    ///
    /// ```
    /// # use pliant_face::{BuildOptions, FaceModel, Template, build};
    /// # use pliant_math::team::Team;
    /// # let team = Team::new(1);
    /// # let head = Template::built_in(0.006, &team)?;
    /// # let (face, _) = build(&head, "built in".as_ref(), &BuildOptions { size: 0.009 }, &team)?;
    /// let lent = face.with_assignable_tissue(0.01);
    /// assert!(lent.active_tets().len() > face.active_tets().len());
    /// assert_eq!(lent.active_fractions(), face.active_fractions());
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    pub fn with_assignable_tissue(&self, reach: f64) -> FaceModel {
        let center = |tet: u32| -> DVec3 {
            let corners = self.solid.tets[tet as usize];
            corners.iter().map(|v| self.solid.positions[*v as usize]).sum::<DVec3>() / 4.0
        };
        let is_loose =
            |v: &u32| matches!(self.holds[*v as usize], BoneHold::Free | BoneHold::Sliding(_));
        let muscles: Vec<(DVec3, &Share)> = self
            .shares
            .iter()
            .filter(|share| !share.is_assignable())
            .map(|share| (center(share.tet), share))
            .collect();
        let nearby = NearbyMuscles::of(self, reach);
        let mut shares = Vec::with_capacity(self.solid.tets.len());
        // Of every tet with a share, its place among those that had one before.
        let mut before: Vec<Option<usize>> = Vec::new();
        let mut own = self.shares.chunk_by(|a, b| a.tet == b.tet).enumerate().peekable();
        for tet in 0..self.solid.tets.len() as u32 {
            if let Some((place, own)) = own.next_if(|(_, own)| own[0].tet == tet) {
                shares.extend_from_slice(own);
                before.push(Some(place));
                continue;
            }
            let corners = self.solid.tets[tet as usize];
            let is_near = nearby.muscles(corners).next().is_some();
            if !is_near || !corners.iter().any(is_loose) {
                continue;
            }
            let here = center(tet);
            let away = |(at, share): &(DVec3, &Share)| (at.distance_squared(here), share.muscle);
            let nearest = muscles.iter().map(|own| (away(own), own.1));
            let nearest = nearest.min_by(|(a, _), (b, _)| a.0.total_cmp(&b.0));
            let Some(((_, muscle), share)) = nearest else { continue };
            shares.push(Share { tet, muscle, fraction: 0.0, fibre: share.fibre });
            before.push(None);
        }
        let grown = |shape: &FittedShape| FittedShape {
            activations: before
                .iter()
                .map(|place| place.map_or(RELAXED, |place| shape.activations[place]))
                .collect(),
            ..shape.clone()
        };
        let rig = self.rig.iter().map(grown).collect();
        let geometry = match shares.len() == self.shares.len() {
            true => self.geometry.clone(),
            false => GeometryMatrix::default(),
        };
        FaceModel { shares, rig, geometry, ..self.clone() }
    }
}

//! The face model: tets between skin and bones, the muscles in them, and what holds them.

mod assignable_tissue;
mod bone_slip;
mod bytes;
mod face_file;
mod nearby_muscles;

use glam::DVec3;
use pliant_mesh::quality::dihedral_range;
use pliant_mesh::{Group, Mesh, Surface};
use pliant_model::potentials::activation::Activation;

pub use self::bone_slip::Slip;
pub(crate) use self::nearby_muscles::NearbyMuscles;
use crate::anatomy::hinge::{Hinge, JawPose};
use crate::anatomy::landmarks::Landmark;
use crate::expression::Recipe;
use crate::inverse::muscle_geometry::GeometryMatrix;
use crate::template::{Blendshape, Eye};

/// What a vertex of the boundary lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundaryPart {
    Skin,
    Skull,
    Mandible,
}

/// How bone holds a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BoneHold {
    /// Not at all.
    #[default]
    Free,
    /// To the skull; also flesh at the border of what is simulated.
    Skull,
    /// To the mandible.
    Mandible,
    /// To the plane through its place on the skull, with this normal: it slides in it.
    Sliding(DVec3),
}

/// Some of a tet is muscle, or it is lent to one that is near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub tet: u32,
    pub muscle: u32,
    /// Of the tet's volume, from 0 to 1; 0 where the tet is lent.
    pub fraction: f64,
    /// A unit vector along the fibres.
    pub fibre: DVec3,
}

/// A muscle's name and its course through the tets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MuscleCourse {
    pub name: String,
    /// Points from origin to insertion that are in tets, at rest (m).
    pub curve: Vec<DVec3>,
    /// Where these points are: tets, and weights of their corners.
    pub tets: Vec<u32>,
    pub weights: Vec<[f64; 4]>,
}

/// How the skin's vertices follow the tets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinBinding {
    /// `None` for skin that is not simulated: it follows the skull.
    pub tets: Vec<Option<u32>>,
    /// Of the tet's corners; they sum to 1, and are negative for what lies outside of it.
    pub weights: Vec<[f64; 4]>,
}

/// A shape whose activations were found by inverse physics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FittedShape {
    pub name: String,
    pub jaw: JawPose,
    /// Of every tet that has muscle in it, in the order of [`FaceModel::shares`].
    pub activations: Vec<Activation>,
}

/// A face, built from a template by [`build`](crate::build()).
#[derive(Clone, Debug, Default)]
pub struct FaceModel {
    pub name: String,
    /// Tets at rest (m).
    pub solid: Mesh,
    /// What each vertex lies on; `None` inside.
    pub parts: Vec<Option<BoundaryPart>>,
    /// What holds each vertex.
    pub holds: Vec<BoneHold>,
    /// Which lip each vertex belongs to, for contact: 1 the upper, 2 the lower, 0 neither.
    pub lip_sides: Vec<u8>,
    /// Muscle in tets, by tet, then by muscle; the rest of a tet is passive.
    pub shares: Vec<Share>,
    pub muscles: Vec<MuscleCourse>,
    /// As in the template, with colours.
    pub skin: Surface,
    pub binding: SkinBinding,
    /// The skin's vertices of the upper and of the lower lip, in and out.
    pub lips: [Vec<u32>; 2],
    pub eyes: Vec<Eye>,
    pub skull: Surface,
    pub mandible: Surface,
    /// Teeth of few triangles, for contact: upper, then lower.
    pub teeth_proxies: [Mesh; 2],
    pub hinge: Hinge,
    /// Displacements of the skin: what weights of a performance mean.
    pub shapes: Vec<Blendshape>,
    /// Which muscles, and which pose of the jaw, make which shape.
    pub recipes: Vec<(String, Recipe)>,
    /// Shapes that were fitted: these play in their recipes' place.
    pub rig: Vec<FittedShape>,
    /// What tets take of muscles, where that was learned; else without tets.
    pub geometry: GeometryMatrix,
    /// Named sets of the skin's vertices.
    pub regions: Vec<Group>,
    /// Named points on the skin.
    pub landmarks: Vec<Landmark>,
}

impl FaceModel {
    /// Muscle in the tets: what part of each is active.
    pub fn active_fractions(&self) -> Vec<f64> {
        let mut active = vec![0.0; self.solid.tets.len()];
        for share in &self.shares {
            active[share.tet as usize] += share.fraction;
        }
        active.iter_mut().for_each(|a| *a = f64::min(*a, 1.0));
        active
    }

    /// What of every tet is passive tissue, from 0 to 1: all but muscle, and of muscle and what is
    /// lent to one what the geometry that was learned has as passive (Dinev 2020, section 4.3.1).
    pub fn passive_fractions(&self) -> Vec<f64> {
        let mut passive: Vec<f64> = self.active_fractions().iter().map(|own| 1.0 - own).collect();
        let rows = self.shares.chunk_by(|a, b| a.tet == b.tet).zip(0..self.geometry.tets());
        for (own, row) in rows {
            let taken = self.geometry.row(row).iter().filter(|entry| entry.column == 0);
            let taken: f64 = taken.map(|entry| entry.weight).sum();
            let part = &mut passive[own[0].tet as usize];
            *part =
                if own[0].is_assignable() { taken } else { 1.0 - (1.0 - *part) * (1.0 - taken) };
        }
        passive
    }

    /// The least dihedral angle (degrees) of tets that can deform: those with all corners on bone
    /// have no say.
    pub fn least_angle(&self) -> f64 {
        let is_loose =
            |v: &u32| matches!(self.holds[*v as usize], BoneHold::Free | BoneHold::Sliding(_));
        let loose = self.solid.tets.iter().enumerate().filter(|(_, tet)| tet.iter().any(is_loose));
        let angles = loose.filter_map(|(t, _)| Some(dihedral_range(self.solid.corners(t)?).0));
        angles.fold(f64::INFINITY, f64::min)
    }

    /// The shares of every tet that has muscle in it.
    pub fn active_tets(&self) -> Vec<std::ops::Range<usize>> {
        let mut first = 0;
        let ranges = self.shares.chunk_by(|a, b| a.tet == b.tet).map(|own| {
            first += own.len();
            first - own.len()..first
        });
        ranges.collect()
    }

    /// Names of what can be played: shapes with a recipe, and those that were fitted.
    pub fn playable(&self) -> Vec<&str> {
        let recipes = self.recipes.iter().map(|recipe| recipe.0.as_str());
        let is_new = |name: &&str| !self.recipes.iter().any(|recipe| recipe.0 == **name);
        recipes.chain(self.rig.iter().map(|shape| shape.name.as_str()).filter(is_new)).collect()
    }

    /// Where the skin's vertices are (m) when the tets' are at `positions`, in the frame of the
    /// skull.
    pub fn skin_at(&self, positions: &[DVec3]) -> Vec<DVec3> {
        let rest = &self.skin.mesh.positions;
        let place = |v: usize| {
            let corners = self.solid.tets.get(self.binding.tets[v]? as usize)?;
            let weights = self.binding.weights[v];
            Some((0..4).map(|k| weights[k] * positions[corners[k] as usize]).sum())
        };
        (0..rest.len()).map(|v| place(v).unwrap_or(rest[v])).collect()
    }

    /// A third of the area at rest of the triangles around each vertex of the skin (m²).
    pub fn skin_areas(&self) -> Vec<f64> {
        let mesh = &self.skin.mesh;
        let mut areas = vec![0.0; mesh.positions.len()];
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
            let area = (b - a).cross(c - a).length() / 6.0;
            t.iter().for_each(|&v| areas[v as usize] += area);
        }
        areas
    }

    /// Length of every muscle's course over its length at rest, less 1: negative where it is
    /// shorter.
    pub fn strains(&self, positions: &[DVec3]) -> Vec<f64> {
        let length = |points: &[DVec3]| points.windows(2).map(|p| p[0].distance(p[1])).sum::<f64>();
        let now = |muscle: &MuscleCourse| -> Vec<DVec3> {
            let at = |(&tet, w): (&u32, &[f64; 4])| {
                let corners = self.solid.tets[tet as usize];
                (0..4).map(|k| w[k] * positions[corners[k] as usize]).sum()
            };
            muscle.tets.iter().zip(&muscle.weights).map(at).collect()
        };
        let strain = |muscle: &MuscleCourse| {
            let rest = length(&muscle.curve);
            if rest > 0.0 { length(&now(muscle)) / rest - 1.0 } else { 0.0 }
        };
        self.muscles.iter().map(strain).collect()
    }
}

//! The built-in head as functions of space and tables of numbers; no scan, mesh or picture went
//! into it.
//!
//! Lengths are in metres. The y axis points up, the face looks along +z, and x points to its left.
//! The origin is midway between the eyeballs. Distances are negative inside.

mod bones;
pub mod colours;
pub mod distance_fields;
mod ear;
pub mod edge_lengths;
pub mod eye;
mod fibres;
mod head_form;
pub mod hinge;
pub mod landmarks;
pub mod mouth;
pub mod mouth_cavity;
mod muscle_table;
pub mod muscles;
mod nose;
pub mod regions;
mod skin;
pub mod surfaces;
pub mod teeth;

use glam::DVec3;

pub use fibres::Fibres;
pub use muscles::MuscleVolume;

/// Skin, bones and teeth as functions of space.
///
/// ```
/// use pliant_face::anatomy::Anatomy;
/// use pliant_mesh::DVec3;
/// let head = Anatomy::new();
/// // Behind the forehead there is flesh, then bone.
/// assert!(head.skin(DVec3::new(0.0, 0.05, 0.03)) > 0.0);
/// assert!(head.skin(DVec3::new(0.0, 0.05, 0.015)) < 0.0);
/// assert!(head.bone(DVec3::new(0.0, 0.05, 0.005)) < 0.0);
/// ```
#[derive(Clone, Debug)]
pub struct Anatomy {
    skin: skin::SkinField,
    bones: bones::Bones,
    upper_teeth: teeth::DentalArch,
    lower_teeth: teeth::DentalArch,
}

impl Default for Anatomy {
    fn default() -> Self {
        Anatomy::new()
    }
}

impl Anatomy {
    /// Prepares the tables.
    pub fn new() -> Self {
        Anatomy {
            skin: skin::SkinField::new(),
            bones: bones::Bones::new(),
            upper_teeth: teeth::DentalArch::upper(),
            lower_teeth: teeth::DentalArch::lower(),
        }
    }

    /// Distance from the skin, which goes on into the mouth and behind the lids (m).
    pub fn skin(&self, p: DVec3) -> f64 {
        self.skin.distance(p)
    }

    /// Distance from the skin with mouth and lids closed (m).
    pub fn envelope(&self, p: DVec3) -> f64 {
        self.skin.envelope(p)
    }

    /// Distance from what the skin of the face slides over: the head without features (m).
    pub fn foundation(&self, p: DVec3) -> f64 {
        self.skin.bust.foundation(DVec3 { x: p.x.abs(), ..p })
    }

    /// Distance from the skull, without teeth (m).
    pub fn skull(&self, p: DVec3) -> f64 {
        self.bones.skull(p, &self.skin)
    }

    /// Distance from the mandible, without teeth (m).
    pub fn mandible(&self, p: DVec3) -> f64 {
        self.bones.mandible(p, &self.skin)
    }

    /// Distance from skull and mandible (m).
    pub fn bone(&self, p: DVec3) -> f64 {
        self.bones.distance(p, &self.skin)
    }

    /// The teeth of the maxilla.
    pub fn upper_teeth(&self) -> &teeth::DentalArch {
        &self.upper_teeth
    }

    /// The teeth of the mandible.
    pub fn lower_teeth(&self) -> &teeth::DentalArch {
        &self.lower_teeth
    }

    /// How far inside a nostril a point is (m).
    fn nostril_depth(&self, p: DVec3) -> f64 {
        self.skin.nose.nostril_depth(DVec3 { x: p.x.abs(), ..p })
    }

    /// Distance from the ears (m).
    fn ear(&self, p: DVec3) -> f64 {
        self.skin.ear.distance(DVec3 { x: p.x.abs(), ..p })
    }
}

#[cfg(test)]
mod tests;

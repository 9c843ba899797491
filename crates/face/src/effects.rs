//! Effects on a face and its surroundings, read from the file of `pliant face animate --effects`
//! and checked (sections 6 and 8 of \[ichim2017phace\]).
//!
//! Every type here is plain data: defaults are filled in, and every number has passed its range.
//! Names of regions, landmarks and muscles, and files, are as written; they are looked up when
//! effects are put to a face. Whatever may change over time is a [`KeyedTrack`].

mod bone;
mod flesh;
mod motion;
mod palsy;
mod track;
mod world;

use std::path::Path;

use glam::DVec3;
use pliant_scene::SceneError;
use pliant_scene::reading::{Limits, Table, read_document};

pub use self::bone::{BoneEdit, BonePart};
pub use self::flesh::{Fat, Injection, InjectionSites, PaintSource, PropertyMap, TissueProperty};
pub use self::motion::{HeadPath, Inertia};
pub use self::palsy::{FaceSide, Palsy};
pub use self::track::KeyedTrack;
pub use self::world::{EffectObject, ObjectFrame, ObjectShape, WindEffect};
use crate::error::FaceError;

/// All that an effects file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// Gravity (m/s²) in the place of that which the face at rest is seen in, [`UPRIGHT`].
    pub gravity: Option<KeyedTrack<DVec3>>,
    /// `[integrator]`: flesh has inertia.
    pub integrator: Option<Inertia>,
    /// `[head]`: where the head goes, beside what a performance says.
    pub head: Option<HeadPath>,
    /// `[wind]`
    pub wind: Option<WindEffect>,
    /// `[[fat]]`
    pub fat: Vec<Fat>,
    /// `[[injection]]`
    pub injections: Vec<Injection>,
    /// `[[palsy]]`
    pub palsies: Vec<Palsy>,
    /// `[[object]]`
    pub objects: Vec<EffectObject>,
    /// `[[bone]]`
    pub bones: Vec<BoneEdit>,
    /// `[[map]]`
    pub maps: Vec<PropertyMap>,
}

/// The gravity that a face at rest is seen in, and holds its own against (m/s²).
pub const UPRIGHT: DVec3 = DVec3::new(0.0, -9.81, 0.0);

const KEYS: &[&str] = &[
    "gravity",
    "integrator",
    "head",
    "wind",
    "fat",
    "injection",
    "palsy",
    "object",
    "bone",
    "map",
];

impl Effects {
    /// Reads the text of an effects file; `path` is named in errors, with the line and the key.
    ///
    /// ```
    /// use pliant_face::effects::Effects;
    /// let text = "[[palsy]]\nside = 'left'\nstrength = [[0.0, 0.0], [2.0, 1.0]]";
    /// let effects = Effects::parse("E.toml".as_ref(), text)?;
    /// assert_eq!(effects.palsies[0].strength.at(0.5), 0.25);
    /// let wrong = Effects::parse("E.toml".as_ref(), "[[palsi]]\nside = 'left'").unwrap_err();
    /// assert!(wrong.to_string().ends_with("did you mean `palsy`?"), "{wrong}");
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    ///
    /// # Errors
    /// When it is no TOML, has a key that means nothing, or a value out of its range.
    pub fn parse(path: &Path, text: &str) -> Result<Effects, FaceError> {
        read_document(text, KEYS, Effects::read)
            .map_err(|problem| FaceError::Effects { path: path.to_owned(), problem })
    }

    fn read(table: &Table<'_>) -> Result<Effects, SceneError> {
        let gravity = |v| KeyedTrack::vector(&v, Limits::from(-1e4, "m/s²").up_to(1e4));
        Ok(Effects {
            gravity: table.optional("gravity", gravity)?,
            integrator: table.optional("integrator", |v| Inertia::read(&v))?,
            head: table.optional("head", |v| HeadPath::read(&v))?,
            wind: table.optional("wind", |v| WindEffect::read(&v))?,
            fat: table.each("fat", |v| Fat::read(&v))?,
            injections: table.each("injection", |v| Injection::read(&v))?,
            palsies: table.each("palsy", |v| Palsy::read(&v))?,
            objects: table.each("object", |v| EffectObject::read(&v))?,
            bones: table.each("bone", |v| BoneEdit::read(&v))?,
            maps: table.each("map", |v| PropertyMap::read(&v))?,
        })
    }

    /// The files that are named: maps, and meshes of objects.
    pub fn files(&self) -> Vec<&str> {
        let maps = self.fat.iter().map(|fat| &fat.place);
        let maps =
            maps.chain(self.maps.iter().map(|map| &map.place)).filter_map(|place| match place {
                PaintSource::Map(file) => Some(file.as_str()),
                _ => None,
            });
        let meshes = self.objects.iter().filter_map(|object| match &object.shape {
            ObjectShape::Mesh(file) => Some(file.as_str()),
            _ => None,
        });
        maps.chain(meshes).collect()
    }
}

#[cfg(test)]
mod tests;

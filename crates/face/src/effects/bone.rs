//! The section `[[bone]]`: bones moved by surgery.

use glam::DVec3;
use pliant_scene::SceneError;
use pliant_scene::reading::{Limits, Value};

use super::KeyedTrack;

/// What is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BonePart {
    /// The front of the mandible, which goes over smoothly into the rest of it.
    Chin,
    /// All of the mandible with its teeth.
    Mandible,
    /// The skull below the nose with its teeth, which goes over smoothly into the rest of it.
    Maxilla,
}

/// One `[[bone]]`. Edits of the same part add up.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneEdit {
    pub part: BonePart,
    /// How far (m).
    pub shift: KeyedTrack<DVec3>,
    /// Rotation about the part's own middle (degrees about x, then y, then z).
    pub turn: KeyedTrack<DVec3>,
    /// How far from the chin's, or the maxilla's, middle bone is moved (m).
    pub radius: Option<f64>,
}

impl BoneEdit {
    pub(super) fn read(value: &Value<'_>) -> Result<BoneEdit, SceneError> {
        let table = value.table(&["part", "shift", "turn", "radius"])?;
        let parts = [
            ("chin", BonePart::Chin),
            ("mandible", BonePart::Mandible),
            ("maxilla", BonePart::Maxilla),
            ("skull", BonePart::Maxilla),
        ];
        let part = table.require("part", "`chin`, `mandible` or `maxilla`")?;
        let none = KeyedTrack::constant(DVec3::ZERO);
        let part_name = part.named("part of bones", &parts)?;
        if let (BonePart::Mandible, Some(radius)) = (part_name, table.get("radius")) {
            return Err(radius.refuse("the mandible moves as a whole, expected no `radius`"));
        }
        Ok(BoneEdit {
            part: part_name,
            shift: table.or("shift", none.clone(), |v| {
                KeyedTrack::vector(&v, Limits::from(-0.03, "m").up_to(0.03))
            })?,
            turn: table.or("turn", none, |v| {
                KeyedTrack::vector(&v, Limits::from(-30.0, "degrees").up_to(30.0))
            })?,
            radius: table.optional("radius", |v| v.number(Limits::from(2e-3, "m").up_to(0.2)))?,
        })
    }
}

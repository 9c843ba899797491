//! Bone surgery: moves the chin, the mandible and the maxilla (section 8 and Fig. 12 c of
//! \[ichim2017phace\]).
//!
//! Bone edits move what flesh is held by, before the jaw turns; flesh, lips and skin follow by
//! physics. A part's edits add up, shifts and angles alike. The mandible is cut in its rami, as
//! orthognathic surgery does: its joints stay.

use glam::{DMat3, DVec3, EulerRot};
use pliant_mesh::{Mesh, SurfaceTree};
use pliant_model::Rigid;

use crate::anatomy::landmarks::Landmark;
use crate::effects::{BoneEdit, BonePart, KeyedTrack};
use crate::error::EffectProblem;
use crate::model::{BoneHold, FaceModel};

/// Bone this near to the joint of the jaw stays, and beyond the other is moved as a whole (m in
/// front of the joint).
const RAMUS: [f64; 2] = [0.012, 0.040];
/// How far from its middle the chin is moved (m), if nobody says.
const CHIN: f64 = 0.032;
/// Bone this near to the teeth stays where the chin is moved (m).
const ALVEOLAR: f64 = 0.008;
/// Bone this near to the upper teeth is moved with them, and beyond the other, if nobody says,
/// stays (m).
const MAXILLA: [f64; 2] = [0.010, 0.035];

/// All edits of a face's bones.
#[derive(Clone, Debug, Default)]
pub(super) struct Surgery {
    parts: Vec<MovedPart>,
}

#[derive(Clone, Debug)]
struct MovedPart {
    part: BonePart,
    about: DVec3,
    shifts: Vec<KeyedTrack<DVec3>>,
    turns: Vec<KeyedTrack<DVec3>>,
    /// Vertices of the flesh that bone holds, and how much of the motion they have.
    weights: Vec<(u32, f64)>,
}

impl Surgery {
    pub fn new(face: &FaceModel, edits: &[BoneEdit]) -> Result<Surgery, EffectProblem> {
        let mut parts: Vec<MovedPart> = Vec::new();
        for edit in edits {
            let same = |own: &MovedPart| own.part == edit.part;
            let place = match parts.iter().position(same) {
                Some(place) => place,
                None => {
                    parts.push(MovedPart::new(face, edit)?);
                    parts.len() - 1
                }
            };
            parts[place].shifts.push(edit.shift.clone());
            parts[place].turns.push(edit.turn.clone());
        }
        Ok(Surgery { parts })
    }

    pub fn is_nothing(&self) -> bool {
        self.parts.is_empty()
    }

    /// Where bones are, by a part of what is asked for.
    pub fn at(&self, time: f64, part: f64) -> Vec<Rigid> {
        self.parts.iter().map(|own| own.at(time, part)).collect()
    }

    /// How far parts are moved between two times (m).
    pub fn between(&self, from: f64, to: f64) -> f64 {
        let way = |own: &MovedPart| {
            let [a, b] = [from, to].map(|time| own.at(time, 1.0));
            // A turn moves what is some centimetres from the middle.
            let far = own.about + DVec3::splat(0.02);
            a.apply(own.about).distance(b.apply(own.about)).max(a.apply(far).distance(b.apply(far)))
        };
        self.parts.iter().map(way).fold(0.0, f64::max)
    }

    /// How far the flesh's vertices that are moved go, each once per part that moves it (m).
    pub fn displacements<'a>(
        &'a self,
        face: &'a FaceModel,
        motions: &'a [Rigid],
    ) -> impl Iterator<Item = (u32, DVec3)> + 'a {
        self.parts.iter().zip(motions).flat_map(|(part, motion)| {
            part.weights.iter().map(|&(v, weight)| {
                let rest = face.solid.positions[v as usize];
                (v, weight * (motion.apply(rest) - rest))
            })
        })
    }

    /// How the teeth move with their bones: upper, lower.
    pub fn teeth(&self, motions: &[Rigid]) -> [Rigid; 2] {
        let of = |part: BonePart| {
            let place = self.parts.iter().position(|own| own.part == part);
            place.and_then(|place| motions.get(place).copied()).unwrap_or_default()
        };
        [of(BonePart::Maxilla), of(BonePart::Mandible)]
    }
}

impl MovedPart {
    fn new(face: &FaceModel, edit: &BoneEdit) -> Result<MovedPart, EffectProblem> {
        let hinge = &face.hinge;
        let (upper, lower) = (&face.teeth_proxies[0], &face.teeth_proxies[1]);
        let held = |hold: BoneHold| {
            (0u32..).zip(&face.holds).filter(move |(_, own)| **own == hold).map(|(v, _)| v)
        };
        let at = |v: u32| face.solid.positions[v as usize];
        let smooth = |x: f64| {
            let x = x.clamp(0.0, 1.0);
            x * x * (3.0 - 2.0 * x)
        };
        let (about, weights): (DVec3, Vec<(u32, f64)>) = match edit.part {
            BonePart::Mandible => {
                let weight =
                    |p: DVec3| smooth((p.z - hinge.point.z - RAMUS[0]) / (RAMUS[1] - RAMUS[0]));
                let own = held(BoneHold::Mandible).map(|v| (v, weight(at(v))));
                (middle(lower).unwrap_or(hinge.point), own.collect())
            }
            BonePart::Chin => {
                let about = chin(face).ok_or(EffectProblem::NoMandible)?;
                let teeth = SurfaceTree::new(lower);
                let radius = edit.radius.unwrap_or(CHIN);
                let weight = |p: DVec3| {
                    let far = teeth.closest(p).map_or(f64::INFINITY, |found| found.distance);
                    smooth(1.0 - p.distance(about) / radius) * smooth(far / ALVEOLAR - 0.5)
                };
                (about, held(BoneHold::Mandible).map(|v| (v, weight(at(v)))).collect())
            }
            BonePart::Maxilla => {
                let about = middle(upper).ok_or(EffectProblem::NoUpperTeeth)?;
                let teeth = SurfaceTree::new(upper);
                let end = edit.radius.unwrap_or(MAXILLA[1]).max(MAXILLA[0] + 1e-3);
                let weight = |p: DVec3| {
                    let far = teeth.closest(p).map_or(f64::INFINITY, |found| found.distance);
                    smooth((end - far) / (end - MAXILLA[0]))
                };
                (about, held(BoneHold::Skull).map(|v| (v, weight(at(v)))).collect())
            }
        };
        let weights = weights.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
        Ok(MovedPart { part: edit.part, about, shifts: Vec::new(), turns: Vec::new(), weights })
    }

    fn at(&self, time: f64, part: f64) -> Rigid {
        let sum =
            |tracks: &[KeyedTrack<DVec3>]| -> DVec3 { tracks.iter().map(|t| t.at(time)).sum() };
        let angles = part * sum(&self.turns);
        let [x, y, z] = angles.to_array().map(f64::to_radians);
        let turn = match angles == DVec3::ZERO {
            true => DMat3::IDENTITY,
            // About x, then y, then z of the world.
            false => DMat3::from_euler(EulerRot::ZYX, z, y, x),
        };
        Rigid::new(turn, self.about, part * sum(&self.shifts))
    }
}

fn middle(mesh: &Mesh) -> Option<DVec3> {
    let bounds = mesh.bounds()?;
    Some(0.5 * (bounds.min + bounds.max))
}

/// The point of the mandible that is nearest to the landmark of the chin, or else the foremost and
/// lowest.
fn chin(face: &FaceModel) -> Option<DVec3> {
    let bone = (0..face.holds.len())
        .filter(|&v| face.holds[v] == BoneHold::Mandible)
        .map(|v| face.solid.positions[v]);
    match face.landmarks.iter().find(|landmark| landmark.name == "pogonion") {
        Some(Landmark { position, .. }) => {
            bone.min_by(|a, b| a.distance(*position).total_cmp(&b.distance(*position)))
        }
        None => bone.max_by(|a, b| (a.z - a.y).total_cmp(&(b.z - b.y))),
    }
}

//! Palsy: muscles that do not contract and behave like passive tissue (section 8 of
//! \[ichim2017phace\]).

use crate::effects::{FaceSide, KeyedTrack, Palsy};
use crate::error::EffectProblem;
use crate::model::FaceModel;

/// Muscles that are neither left nor right are cut in the middle, over this width (m).
const MIDLINE: f64 = 0.006;

/// A palsy of a face.
#[derive(Clone, Debug)]
pub(super) struct Paralysis {
    /// Which shares of muscles it has, from 0 to 1.
    pub weights: Vec<f64>,
    pub strength: KeyedTrack<f64>,
}

impl Paralysis {
    pub fn new(face: &FaceModel, palsy: &Palsy) -> Result<Paralysis, EffectProblem> {
        let names = || face.muscles.iter().map(|muscle| muscle.name.as_str());
        if let Some(asked) = &palsy.muscles {
            for name in asked {
                if !names().any(|muscle| is_called(muscle, name)) {
                    return Err(EffectProblem::unknown("muscle", name, names()));
                }
            }
        }
        let is_chosen = |muscle: &str| {
            palsy.muscles.as_ref().is_none_or(|own| own.iter().any(|name| is_called(muscle, name)))
        };
        let chosen: Vec<bool> = names().map(is_chosen).collect();
        let weight = |share: &crate::model::Share| {
            if !chosen[share.muscle as usize] {
                return 0.0;
            }
            let name = &face.muscles[share.muscle as usize].name;
            let own = [(FaceSide::Left, "_l"), (FaceSide::Right, "_r")];
            match (palsy.side, own.iter().find(|(_, ending)| name.ends_with(ending))) {
                (None, _) => 1.0,
                (Some(side), Some((own, _))) => f64::from(u8::from(side == *own)),
                (Some(side), None) => {
                    let tet = face.solid.tets[share.tet as usize];
                    let x =
                        tet.iter().map(|&v| face.solid.positions[v as usize].x).sum::<f64>() / 4.0;
                    let part = (0.5 + x / MIDLINE).clamp(0.0, 1.0);
                    let left = part * part * (3.0 - 2.0 * part);
                    if side == FaceSide::Left { left } else { 1.0 - left }
                }
            }
        };
        let weights = face.shares.iter().map(weight).collect();
        Ok(Paralysis { weights, strength: palsy.strength.clone() })
    }
}

/// Whether a muscle has this name, with or without its side.
fn is_called(muscle: &str, name: &str) -> bool {
    muscle == name
        || muscle.strip_suffix("_l").or(muscle.strip_suffix("_r")).is_some_and(|own| own == name)
}

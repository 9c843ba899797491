//! Effects applied to a face: growth, stiffness, mass, palsy and moved bones.
//!
//! The methods are those of sections 6 and 8 of \[ichim2017phace\], and of section 4.3.1 of
//! \[dinev2020\].
//!
//! **Plasticity.** Flesh whose lengths have grown s times has Fₑ = F/s, and the energy V s³ ψ(Fₑ),
//! by its grown volume:
//!
//! ```text
//! V s³ (μ‖F/s − R S‖² + λ/2 (det F/s³ − det S)²) = V (μs ‖F − R (sS)‖² + λ/2s³ (det F − det sS)²),
//! ```
//!
//! which is active tissue with the activation sS and other factors (the papers leave out s³, and so
//! have what has grown softer still). So growth enters as activations do, by the right-hand side,
//! and changes from frame to frame without a new matrix. That is factored with μs and λs in the
//! place of μs and λ/s³: at F = sR, where grown flesh is at rest, the Hessian of the energy above
//! is that of relaxed tissue with these, and so the matrix at rest is Newton's for grown flesh.
//!
//! Flesh remodels as it grows (`simulation/remodelling.rs`): a symmetric G with det G = s³ takes
//! the place of s I.
//!
//! **Mass.** Grown flesh weighs s³ times as much. Flesh at rest holds its own against gravity
//! upright, g₀, so that what pulls at flesh of mass m that had m₀ is m g − m₀ g₀ = m (g − g₀) + (m
//! − m₀) g₀: gravity and a burden.

mod diffusion;
mod painted_weights;
mod paralysis;
mod surgery;

use std::path::Path;

use glam::{DMat3, DVec3};
use pliant_model::Rigid;

pub(crate) use self::diffusion::Laplacian;
use self::painted_weights::Painter;
pub use self::painted_weights::{ReadMap, no_maps, painted_on, read_map};
use self::paralysis::Paralysis;
use self::surgery::Surgery;
use crate::effects::{Effects, KeyedTrack, TissueProperty, UPRIGHT};
use crate::error::{EffectProblem, FaceError};
use crate::model::FaceModel;

/// Flesh with less weight than this is not altered.
const LEAST: f64 = 1e-3;
/// Flesh is no lighter than this, in what it is at rest.
const LIGHTEST: f64 = 0.05;
/// Softness of fat by the ratio of volumes: the paper's three levels of fattening. Slimming keeps
/// the stiffness.
const SOFTNESS: [(f64, f64); 4] = [(1.0, 1.0), (1.25, 0.8), (1.5, 0.5), (1.75, 0.3)];
/// What λ of grown flesh gains: fat keeps its volume (Poisson's ratio 0.48 in the place of 0.43),
/// or else a layer that bone holds would have 78% of the growth that is asked for.
const FULLNESS: f64 = 3.0;
/// Growth within a step: beyond it, the way to it is cut.
const STEP: f64 = 0.06;
/// And motion of bones (m).
const BONE_STEP: f64 = 0.003;

/// Effects put to a face: looked up, spread over the flesh, and to be asked for any time.
#[derive(Clone, Debug, Default)]
pub struct Alteration {
    growths: Vec<Growth>,
    properties: Vec<PropertyChange>,
    palsies: Vec<Paralysis>,
    surgery: Surgery,
    gravity: Option<KeyedTrack<DVec3>>,
}

/// Fat or filler.
#[derive(Clone, Debug)]
struct Growth {
    /// Per tet, from 0 to 1.
    weights: Vec<f64>,
    /// Ratio of volumes where the weight is 1.
    amount: KeyedTrack<f64>,
    stiffness: Option<f64>,
}

/// Flesh of another stiffness or mass.
#[derive(Clone, Debug)]
struct PropertyChange {
    of: TissueProperty,
    weights: Vec<f64>,
    factor: KeyedTrack<f64>,
}

impl Alteration {
    /// Looks up the names in effects, and spreads painted weights over the flesh. `read` reads the
    /// maps that they name; `path` is named in errors.
    ///
    /// ```
    /// use pliant_face::alteration::{Alteration, no_maps};
    /// use pliant_face::{FaceModel, effects::Effects};
    /// let nobody = FaceModel::default();
    /// let effects = Effects::parse("E.toml".as_ref(), "[[fat]]\nregion = 'chin'\namount = 1.5")?;
    /// let refused = Alteration::new(&nobody, &effects, "E.toml".as_ref(), &mut no_maps);
    /// assert!(refused.unwrap_err().to_string().starts_with("E.toml: fat[0]: there is no region `chin`"));
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    ///
    /// # Errors
    /// When the face has no such region, landmark or muscle, or a map is none of its skin.
    pub fn new(
        face: &FaceModel,
        effects: &Effects,
        path: &Path,
        read: &mut ReadMap,
    ) -> Result<Alteration, FaceError> {
        let named = |section: &str, k: usize, problem: EffectProblem| FaceError::Effect {
            path: path.to_owned(),
            key: format!("{section}[{k}]"),
            problem,
        };
        let mut painter = Painter::new(face);
        let mut altered = Alteration { gravity: effects.gravity.clone(), ..Alteration::default() };
        for (k, fat) in effects.fat.iter().enumerate() {
            let weights =
                painter.of(&fat.place, fat.depth, read).map_err(|p| named("fat", k, p))?;
            let (amount, stiffness) = (fat.amount.clone(), fat.stiffness);
            altered.growths.push(Growth { weights, amount, stiffness });
        }
        for (k, own) in effects.injections.iter().enumerate() {
            let weights =
                painter.injected(&own.sites, own.radius).map_err(|p| named("injection", k, p))?;
            let (amount, stiffness) = (own.amount.clone(), own.stiffness);
            altered.growths.push(Growth { weights, amount, stiffness });
        }
        for (k, map) in effects.maps.iter().enumerate() {
            let weights =
                painter.of(&map.place, map.depth, read).map_err(|p| named("map", k, p))?;
            altered.properties.push(PropertyChange {
                of: map.of,
                weights,
                factor: map.factor.clone(),
            });
        }
        for (k, palsy) in effects.palsies.iter().enumerate() {
            altered.palsies.push(Paralysis::new(face, palsy).map_err(|p| named("palsy", k, p))?);
        }
        altered.surgery = Surgery::new(face, &effects.bones).map_err(|p| named("bone", 0, p))?;
        Ok(altered)
    }

    /// Whether the face at rest remains as it is, at all times.
    pub fn keeps_rest(&self) -> bool {
        let others =
            [self.growths.is_empty(), self.properties.is_empty(), self.surgery.is_nothing()];
        self.gravity.is_none() && others == [true; 3]
    }

    /// The same where flesh has grown the most that it ever does, at all times.
    pub(crate) fn fullest(&self) -> Alteration {
        let mut fullest = self.clone();
        for growth in &mut fullest.growths {
            let amounts = growth.amount.keys().iter().map(|key| key.1);
            let most =
                amounts.fold(1.0, |a: f64, b| if b.ln().abs() > a.ln().abs() { b } else { a });
            growth.amount = KeyedTrack::constant(most);
        }
        fullest
    }

    /// Whether growth never changes.
    pub(crate) fn is_constant(&self) -> bool {
        self.growths.iter().all(|growth| growth.amount.is_constant())
    }

    /// What all of it is at a time (s); growth, gravity and bones by a part of what is asked for,
    /// for the way to it.
    pub(crate) fn at(&self, time: f64, part: f64) -> AlterationMoment<'_> {
        let growth = |growth: &Growth| {
            let amount = growth.amount.at(time);
            let soft = growth.stiffness.unwrap_or_else(|| softness(amount));
            (part * (amount.cbrt() - 1.0), soft - 1.0)
        };
        let bones = self.surgery.at(time, part);
        AlterationMoment {
            alteration: self,
            growths: self.growths.iter().map(growth).collect(),
            factors: self.properties.iter().map(|own| own.factor.at(time) - 1.0).collect(),
            strengths: self.palsies.iter().map(|palsy| palsy.strength.at(time)).collect(),
            teeth: self.surgery.teeth(&bones),
            bones,
            gravity: self.gravity.as_ref().map(|track| track.at(time)),
            part,
        }
    }

    /// The tets that grow, or whose stiffness changes over time: what cannot be told in a material.
    pub(crate) fn growing(&self, tets: usize) -> Vec<u32> {
        let changes = |own: &&PropertyChange| {
            own.of == TissueProperty::Stiffness && !own.factor.is_constant()
        };
        let maps = self.properties.iter().filter(changes).map(|own| &own.weights);
        let weights: Vec<&Vec<f64>> =
            self.growths.iter().map(|growth| &growth.weights).chain(maps).collect();
        let is_altered = |t: &u32| weights.iter().any(|own| own[*t as usize] > LEAST);
        (0..tets as u32).filter(is_altered).collect()
    }

    /// Whether masses differ from those at rest.
    pub(crate) fn weighs(&self) -> bool {
        !self.growths.is_empty() || self.properties.iter().any(|own| own.of == TissueProperty::Mass)
    }

    /// Which maps of mass change over time.
    fn keyed_masses(&self) -> impl Iterator<Item = usize> {
        let is_keyed =
            |own: &PropertyChange| own.of == TissueProperty::Mass && !own.factor.is_constant();
        (0..self.properties.len()).filter(move |k| is_keyed(&self.properties[*k]))
    }

    /// Factors on the mass of tets: what flesh that weighs more has gained at a time, and what
    /// every map that changes has where it gains 1. Masses of maps add up.
    pub(crate) fn burdens(&self, tets: usize, time: f64) -> Vec<Vec<f64>> {
        if !self.weighs() {
            return Vec::new();
        }
        let moment = self.at(time, 1.0);
        let first = (0..tets).map(|t| moment.mass(t) - 1.0).collect();
        let since = self.keyed_masses().map(|k| self.properties[k].weights.clone());
        std::iter::once(first).chain(since).collect()
    }

    /// Into how many steps the way from one time to another is cut, where flesh has no inertia.
    pub(crate) fn steps(&self, from: f64, to: f64) -> u32 {
        let of = |growth: &Growth| {
            (growth.amount.at(to).cbrt() - growth.amount.at(from).cbrt()).abs() / STEP
        };
        let bones = self.surgery.between(from, to) / BONE_STEP;
        (self.growths.iter().map(of).fold(bones.max(1.0), f64::max)).ceil() as u32
    }

    /// The same from a face at rest to that of a time.
    pub(crate) fn first_steps(&self, time: f64) -> u32 {
        let of = |growth: &Growth| (growth.amount.at(time).cbrt() - 1.0).abs() / (0.5 * STEP);
        let shift = self.surgery.at(time, 1.0);
        let bones = shift.iter().zip(self.surgery.at(time, 0.0)).map(|(a, b)| {
            let ends = [a.to_array(), b.to_array()];
            (0..15).map(|k| (ends[0][k] - ends[1][k]).abs()).fold(0.0, f64::max) / BONE_STEP
        });
        (self.growths.iter().map(of).chain(bones).fold(2.0, f64::max)).ceil() as u32
    }
}

/// Linear between the paper's levels.
fn softness(amount: f64) -> f64 {
    let keys = SOFTNESS.to_vec();
    KeyedTrack::through(keys).map_or(1.0, |track| track.at(amount))
}

/// Everything at a time.
pub(crate) struct AlterationMoment<'a> {
    alteration: &'a Alteration,
    /// What lengths gain where the weight is 1, and passive stiffness.
    growths: Vec<(f64, f64)>,
    /// What stiffness or mass gains there.
    factors: Vec<f64>,
    strengths: Vec<f64>,
    bones: Vec<Rigid>,
    /// How the teeth move with their bones: upper, lower.
    pub teeth: [Rigid; 2],
    /// In the world (m/s²), if it is said.
    gravity: Option<DVec3>,
    part: f64,
}

impl AlterationMoment<'_> {
    /// How much longer a tet's lengths are.
    pub fn scale(&self, tet: usize) -> f64 {
        let all = self.alteration.growths.iter().zip(&self.growths);
        all.map(|(own, (gain, _))| 1.0 + own.weights[tet] * gain).product()
    }

    /// Factors on the stiffness of a tet, growth apart. Fat is softer in shear, and firmer in
    /// volume.
    pub fn stiffness(&self, tet: usize) -> Firmness {
        let growths = self.alteration.growths.iter().zip(&self.growths);
        let soft: f64 = growths.map(|(own, (_, gain))| 1.0 + own.weights[tet] * gain).product();
        let all = self.alteration.properties.iter().zip(&self.factors);
        let maps = all.filter(|(own, _)| own.of == TissueProperty::Stiffness);
        // A tenth and ten times are as far from 1.
        let map: f64 = maps.map(|(own, gain)| (1.0 + gain).powf(own.weights[tet])).product();
        let weights = self.alteration.growths.iter().map(|own| own.weights[tet]);
        let full = 1.0 + FULLNESS * weights.fold(0.0, f64::max);
        Firmness { passive: [soft * map, full * map], active: [map, full * map] }
    }

    /// Factor on the mass of a tet.
    pub fn mass(&self, tet: usize) -> f64 {
        let all = self.alteration.properties.iter().zip(&self.factors);
        let masses = all.filter(|(own, _)| own.of == TissueProperty::Mass);
        let maps: f64 = masses.map(|(own, gain)| own.weights[tet] * gain).sum();
        // Maps that are lighter by a half each leave something.
        (self.scale(tet).powi(3) + maps).max(LIGHTEST)
    }

    /// What acts on flesh beyond what it has at rest (m/s²), where the head is turned: in the frame
    /// of the skull.
    pub fn weight(&self, head: &DMat3) -> DVec3 {
        self.part * self.gravity.map_or(DVec3::ZERO, |g| head.transpose() * g - UPRIGHT)
    }

    /// What acts on masses that were put on flesh before the beginning, and on what maps have put
    /// on it since (m/s²), as [`Alteration::burdens`] has them.
    pub fn burdens<'b>(
        &'b self,
        first: &'b AlterationMoment,
        head: &DMat3,
    ) -> impl Iterator<Item = DVec3> + 'b {
        let gravity = self.gravity.map_or(UPRIGHT, |g| head.transpose() * g);
        let since = self
            .alteration
            .keyed_masses()
            .map(move |k| self.part * (self.factors[k] - first.factors[k]) * gravity);
        let before = self.alteration.weighs().then_some(self.part * UPRIGHT);
        before.into_iter().chain(since)
    }

    /// How much of a contraction a share of a muscle obeys, from 0 to 1.
    pub fn obedience(&self, share: usize) -> f64 {
        let all = self.alteration.palsies.iter().zip(&self.strengths);
        all.map(|(palsy, strength)| 1.0 - palsy.weights[share] * strength).product()
    }

    /// How far bone moves the vertices that it holds, one after the other (m).
    pub fn displacements<'b>(
        &'b self,
        face: &'b FaceModel,
    ) -> impl Iterator<Item = (u32, DVec3)> + 'b {
        self.alteration.surgery.displacements(face, &self.bones)
    }
}

/// Factors on μ and λ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Firmness {
    /// Of passive tissue.
    pub passive: [f64; 2],
    /// Of muscle.
    pub active: [f64; 2],
}

impl Default for Firmness {
    fn default() -> Self {
        Firmness { passive: [1.0; 2], active: [1.0; 2] }
    }
}

impl Firmness {
    /// Of tissue whose lengths have grown, in the matrix at rest.
    pub fn at_rest(self, scale: f64) -> Firmness {
        let grown = |own: [f64; 2]| own.map(|k| k * scale);
        Firmness { passive: grown(self.passive), active: grown(self.active) }
    }
}

/// Factors on μ and λ of tissue whose lengths have grown, and that the matrix at rest has with
/// others.
pub(crate) fn grown_firmness(own: [f64; 2], scale: f64, base: [f64; 2]) -> [f64; 2] {
    [scale * own[0] / base[0], own[1] / (base[1] * scale.powi(3))]
}

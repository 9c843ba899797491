//! The sections `[integrator]` and `[head]`: motion of flesh and head.

use glam::DVec3;
use pliant_model::method::{Correction, Scheme};
use pliant_scene::SceneError;
use pliant_scene::reading::{Limits, Value};

use super::KeyedTrack;
use crate::simulation::Dynamics;

/// `[integrator]`: flesh with inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    pub scheme: Scheme,
    /// Whether energy is kept to its account.
    pub fepr: bool,
    /// Rate at which velocities decay (1/s).
    pub damping: f64,
    /// Steps per frame.
    pub substeps: u32,
    /// Most iterations of a step; as many as it needs if `None`.
    pub iterations: Option<u32>,
}

impl Inertia {
    pub(super) fn read(value: &Value<'_>) -> Result<Inertia, SceneError> {
        let table = value.table(&["scheme", "fepr", "damping", "substeps", "iterations"])?;
        let schemes: Vec<_> = Dynamics::schemes().map(|scheme| (scheme.name(), scheme)).collect();
        let usual = Dynamics::default();
        let rate = Limits::from(0.0, "1/s").up_to(1e4);
        Ok(Inertia {
            scheme: table.or("scheme", usual.scheme, |v| v.named("scheme", &schemes))?,
            fepr: table.or("fepr", true, |v| v.truth())?,
            damping: table.or("damping", usual.damping, |v| v.number(rate))?,
            substeps: table.or("substeps", usual.substeps, |v| v.small_count(1, 1000))?,
            iterations: table.optional("iterations", |v| v.small_count(1, 1000))?,
        })
    }

    /// The same at a number of frames per second.
    pub fn dynamics(&self, fps: f64) -> Dynamics {
        Dynamics {
            scheme: self.scheme,
            correction: self.fepr.then(|| Correction::Fepr(Dynamics::fepr(self.scheme))),
            damping: self.damping,
            fps,
            substeps: self.substeps,
        }
    }
}

/// `[head]`: where the head goes, after what the performance does with it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadPath {
    /// How far (m).
    pub place: KeyedTrack<DVec3>,
    /// Rotation about the neck (degrees about x, then y, then z).
    pub turn: KeyedTrack<DVec3>,
}

impl HeadPath {
    pub(super) fn read(value: &Value<'_>) -> Result<HeadPath, SceneError> {
        let table = value.table(&["place", "turn"])?;
        let (place, turn) = path(&table)?;
        Ok(HeadPath { place, turn })
    }
}

/// `place` and `turn` of a table.
pub(super) fn path(
    table: &pliant_scene::reading::Table<'_>,
) -> Result<(KeyedTrack<DVec3>, KeyedTrack<DVec3>), SceneError> {
    let none = KeyedTrack::constant(DVec3::ZERO);
    let place = |v: Value<'_>| KeyedTrack::vector(&v, Limits::from(-1e3, "m").up_to(1e3));
    let turn = |v: Value<'_>| KeyedTrack::vector(&v, Limits::from(-1e5, "degrees").up_to(1e5));
    Ok((table.or("place", none.clone(), place)?, table.or("turn", none, turn)?))
}

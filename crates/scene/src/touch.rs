//! Contact between bodies.

use pliant_model::touching::TouchLaw;
use serde::Serialize;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::value::Value;

/// How bodies touch each other and themselves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Touch {
    /// Of the contact's springs, per vertex [N/m]; by the bodies' own stiffness if `None`.
    pub stiffness: Option<f64>,
    /// How near cloth may come to anything \[m\]; half an edge if `None`.
    pub radius: Option<f64>,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// 1 = elastic.
    pub restitution: f64,
}

impl Touch {
    /// `false`, `true`, or a table of what differs from `true`.
    pub(crate) fn read(value: Value<'_>) -> Result<Option<Touch>, SceneError> {
        let TouchLaw { stiffness, radius, friction, restitution, .. } = TouchLaw::default();
        let usual = Touch { stiffness, radius, friction, restitution };
        if !value.is_table() {
            return Ok(value.truth()?.then_some(usual));
        }
        let table = value.table(&["stiffness", "radius", "friction", "restitution"])?;
        let share = Limits::from(0.0, "").up_to(1.0);
        Ok(Some(Touch {
            stiffness: table.optional("stiffness", |v| v.number(Limits::above(0.0, "N/m")))?,
            radius: table.optional("radius", |v| v.number(Limits::above(0.0, "m")))?,
            friction: table.or("friction", friction, |v| v.number(Limits::from(0.0, "")))?,
            restitution: table.or("restitution", restitution, |v| v.number(share))?,
        }))
    }
}

impl From<Touch> for TouchLaw {
    fn from(Touch { stiffness, radius, friction, restitution }: Touch) -> Self {
        TouchLaw { stiffness, radius, friction, restitution, ..TouchLaw::ELASTIC }
    }
}

//! How a scene moves through time: scheme, solver, correction, damping, wind.

use serde::Serialize;

use crate::correction::{Correction, Fepr};
use crate::damping::Damping;
use crate::error::SceneError;
use crate::limits::Limits;
use crate::scheme::{SCHEMES, Scheme};
use crate::solver::Solver;
use crate::table::Table;
use crate::touch::Touch;
use crate::value::Value;
use crate::wind::Wind;

/// The `[integrator]` of a scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Integrator {
    /// The rule of a time step.
    pub scheme: Scheme,
    /// What solves a time step.
    pub solver: Solver,
    /// δ from 0 to 1 where a step is one linear solve, around x + δhv: in place of the solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// What acts on the state after a step.
    pub correction: Correction,
    /// What takes energy away, on purpose.
    pub damping: Damping,
    /// How bodies touch themselves and each other, if they do.
    pub self_collision: Option<Touch>,
    /// Wind over every body.
    pub wind: Option<Wind>,
}

/// Named combinations of scheme, solver and correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum IntegratorPreset {
    /// Implicit midpoint, projective, filter and energy projection: vivid motion that lasts.
    Vivid,
}

impl Default for Integrator {
    fn default() -> Self {
        Integrator {
            scheme: Scheme::BackwardEuler,
            solver: Solver::Projective { iterations: 20, history: 5 },
            delta: None,
            correction: Correction::None,
            damping: Damping::None,
            self_collision: None,
            wind: None,
        }
    }
}

impl IntegratorPreset {
    /// The scheme, the solver and the correction that it stands for.
    pub fn resolve(self) -> (Scheme, Solver, Correction) {
        match self {
            IntegratorPreset::Vivid => (
                Scheme::ImplicitMidpoint,
                Solver::Projective { iterations: 20, history: 5 },
                Correction::Fepr(Fepr { filter: 0.1, ..Fepr::default() }),
            ),
        }
    }
}

/// The keys of `[integrator]`.
pub(crate) const KEYS: &[&str] =
    &["scheme", "solver", "delta", "correction", "preset", "damping", "self_collision", "wind"];
impl Integrator {
    /// As written in a file.
    pub fn read(value: Value<'_>) -> Result<Integrator, SceneError> {
        let table = value.table(KEYS)?;
        let (scheme, solver, correction) = match table.get("preset") {
            Some(preset) => {
                let excluded = ["scheme", "solver", "delta", "correction"];
                if let Some(key) = excluded.into_iter().find(|&key| table.get(key).is_some()) {
                    return Err(preset.refuse(format!(
                        "a preset stands in place of scheme, solver and correction, but `{key}` \
                         is written as well"
                    )));
                }
                let presets = [("vivid", IntegratorPreset::Vivid)];
                preset.named("integrator preset", &presets)?.resolve()
            }
            None => combination(&table)?,
        };
        let delta = table.optional("delta", |v| v.number(Limits::from(0.0, "").up_to(1.0)))?;
        if let (Some(value), Some(_)) = (table.get("delta"), delta)
            && (scheme != Scheme::BackwardEuler || table.get("solver").is_some())
        {
            return Err(value.refuse(
                "is one linear solve of backward Euler, expected that scheme and no `solver`",
            ));
        }
        let self_collision = table.or("self_collision", None, Touch::read)?;
        if let (Some(value), Solver::Xpbd { .. }, true) =
            (table.get("self_collision"), solver, self_collision.is_some())
        {
            return Err(value.refuse(
                "XPBD has no constraints between bodies, expected `false` or another solver",
            ));
        }
        Ok(Integrator {
            scheme,
            solver,
            delta,
            correction,
            damping: table.or("damping", Damping::None, Damping::read)?,
            self_collision,
            wind: table.optional("wind", Wind::read)?,
        })
    }
}

/// Scheme, solver and correction, refused where they do not fit together.
fn combination(table: &Table<'_>) -> Result<(Scheme, Solver, Correction), SceneError> {
    let default = Integrator::default();
    let scheme = table.or("scheme", default.scheme, |v| v.named("scheme", &SCHEMES))?;
    let default_solver = match scheme {
        Scheme::DiscreteGradient => Solver::Newton { iterations: None, tolerance: Some(1e-9) },
        _ => default.solver,
    };
    let solver = table.or("solver", default_solver, Solver::read)?;
    let correction = table.or("correction", default.correction, Correction::read)?;
    let name = scheme.name();
    if let Some(value) = table.get("solver") {
        if matches!(solver, Solver::Xpbd { .. }) && scheme != Scheme::BackwardEuler {
            return Err(value.refuse(format!(
                "XPBD is itself a form of backward Euler and cannot solve `{name}`, expected \
                 the scheme `backward-euler` or another solver"
            )));
        }
        if scheme == Scheme::DiscreteGradient && !matches!(solver, Solver::Newton { .. }) {
            return Err(value
                .refuse("`discrete-gradient` is no minimisation, expected the solver `newton`"));
        }
    }
    let scheme = match (table.get("correction"), correction) {
        (Some(value), Correction::Blend { base, .. }) => {
            blended(value, base, table.get("scheme").map(|_| scheme), solver)?
        }
        _ => scheme,
    };
    if let (Some(value), Correction::Lagrange) = (table.get("correction"), correction)
        && matches!(
            scheme,
            Scheme::ForwardEuler | Scheme::SymplecticEuler | Scheme::DiscreteGradient
        )
    {
        return Err(value.refuse(format!(
            "`lagrange` constrains a minimisation, and `{name}` is none, expected an implicit \
             scheme"
        )));
    }
    if let (Some(value), Scheme::QuasiStatic) = (table.get("correction"), scheme)
        && correction != Correction::None
    {
        return Err(value.refuse(
            "`quasi-static` has no motion whose energy could be kept, expected the correction \
             `none`",
        ));
    }
    Ok((scheme, solver, correction))
}

/// The scheme of a blended step: its base, which no other scheme may contradict.
fn blended(
    value: Value<'_>,
    base: Scheme,
    written: Option<Scheme>,
    solver: Solver,
) -> Result<Scheme, SceneError> {
    let name = base.name();
    if let Some(scheme) = written.filter(|scheme| *scheme != base) {
        return Err(value.refuse(format!(
            "blending starts from a step of `{name}`, but the scheme is `{}`, expected the same \
             as `base` and as `scheme`, or no `scheme`",
            scheme.name()
        )));
    }
    if matches!(solver, Solver::Xpbd { .. }) {
        return Err(value.refuse(format!(
            "blending starts from a step of `{name}`, which XPBD cannot solve, expected another \
             solver"
        )));
    }
    Ok(base)
}

//! How a scene moves through time: the method, contact between bodies, wind.

use pliant_model::method::{Method, Preset, Scheme, Solver, check};

use crate::error::SceneError;
use crate::table::Table;
use crate::touch::Touch;
use crate::value::Value;
use crate::wind::Wind;
use crate::{correction, damping, solver};

/// The `[integrator]` of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Integrator {
    /// Scheme, solver, correction and damping.
    pub method: Method,
    /// How bodies touch themselves and each other, if they do.
    pub self_collision: Option<Touch>,
    /// Wind over every body.
    pub wind: Option<Wind>,
}

/// The keys of `[integrator]`.
pub(crate) const KEYS: &[&str] =
    &["scheme", "solver", "delta", "correction", "preset", "damping", "self_collision", "wind"];

impl Integrator {
    /// As written in a file.
    pub fn read(value: Value<'_>) -> Result<Integrator, SceneError> {
        let table = value.table(KEYS)?;
        let method = Method {
            damping: table.optional("damping", damping::read)?,
            ..match table.get("preset") {
                Some(preset) => of_preset(&table, &preset)?,
                None => combination(&table)?,
            }
        };
        let self_collision = table.or("self_collision", None, Touch::read)?;
        if let (Some(value), Solver::Xpbd { .. }, true) =
            (table.get("self_collision"), method.solver, self_collision.is_some())
        {
            return Err(value.refuse(
                "XPBD has no constraints between bodies, expected `false` or another solver",
            ));
        }
        Ok(Integrator { method, self_collision, wind: table.optional("wind", Wind::read)? })
    }
}

/// The method that a preset names, and that nothing else may name as well.
fn of_preset(table: &Table<'_>, preset: &Value<'_>) -> Result<Method, SceneError> {
    let excluded = ["scheme", "solver", "delta", "correction"];
    if let Some(key) = excluded.into_iter().find(|&key| table.get(key).is_some()) {
        return Err(preset.refuse(format!(
            "a preset stands in place of scheme, solver and correction, but `{key}` is written as \
             well"
        )));
    }
    preset.word().map(Preset::method)
}

/// Scheme, solver and correction, refused where they do not fit together.
fn combination(table: &Table<'_>) -> Result<Method, SceneError> {
    let mut scheme: Scheme = table.or("scheme", Method::default().scheme, |v| v.word())?;
    let mut solver = table.or("solver", Solver::usual_for(scheme), solver::read)?;
    if let Some(value) = table.get("delta") {
        if table.get("solver").is_some() {
            return Err(value.refuse("is one linear solve, expected no `solver` beside it"));
        }
        solver = Solver::Linearised { delta: value.number(solver::DELTA)? };
    }
    let written = table.optional("correction", correction::read)?;
    if let (Some(value), Some(base)) =
        (table.get("correction"), written.as_ref().and_then(|written| written.base))
    {
        if table.get("scheme").is_some() && scheme != base {
            return Err(value.refuse(format!(
                "blending starts from a step of `{}`, but the scheme is `{}`, expected the same \
                 as `base` and as `scheme`, or no `scheme`",
                base.name(),
                scheme.name()
            )));
        }
        scheme = base;
    }
    let correction = written.and_then(|written| written.correction);
    let method = Method { scheme, solver, correction, damping: None };
    match check(&method) {
        Ok(()) => Ok(method),
        Err(error) => {
            let solvers = [table.get("delta"), table.get("solver")];
            let [first, second] = [solvers.into_iter().flatten().next(), table.get("correction")];
            let blamed = if error.blames_solver() { first.or(second) } else { second };
            let blamed = blamed.or_else(|| table.get("scheme"));
            let sentence = error.to_string();
            Err(blamed.map_or_else(|| table.refuse(&sentence), |value| value.refuse(&sentence)))
        }
    }
}

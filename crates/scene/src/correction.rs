//! What acts on the state after a step, to keep its energy.

use serde::Serialize;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::scheme::{SCHEMES, Scheme};
use crate::value::Value;

/// What acts on the state after a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Correction {
    /// Nothing.
    None,
    /// Fast energy projection.
    Fepr(Fepr),
    /// Blends steps of `base` with ones of backward or forward Euler, until the energy is met
    /// within `epsilon` (relative).
    Blend { epsilon: f64, base: Scheme },
    /// Scales velocities to the energy.
    Velocity,
    /// Steps with the energy as a constraint, by Lagrange multipliers.
    Lagrange,
}

/// Options of the energy projection.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fepr {
    /// What becomes of the momenta.
    pub momenta: FeprMomenta,
    /// In what metric the projection is closest.
    pub metric: FeprMetric,
    /// Strength of the filter before projecting, from 0 (none) to 1.
    pub filter: f64,
    /// How the closest state is looked for.
    pub solution: FeprSolution,
}

/// What the energy projection does to momenta.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum FeprMomenta {
    /// Exact where nothing external acts, energy alone elsewhere.
    Held,
    /// Moved by s and t, as in Eq. 1 of the paper, with the weight ε = `epsilon` m r² of both.
    Paper { epsilon: f64 },
}

/// Metric of the energy projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum FeprMetric {
    /// The prefactored system matrix: corrections are smooth in space.
    Smooth,
    /// Its diagonal.
    Diagonal,
    /// Masses alone, as in the paper.
    Mass,
}

/// How the energy projection looks for the closest state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum FeprSolution {
    /// Eq. 8 of the paper.
    Fast,
    /// Eq. 2 of the paper.
    Exact,
    /// Eq. 7 of the paper.
    Anchored,
}

impl Default for Fepr {
    fn default() -> Self {
        Fepr {
            momenta: FeprMomenta::Held,
            metric: FeprMetric::Smooth,
            filter: 0.0,
            solution: FeprSolution::Fast,
        }
    }
}

impl Correction {
    pub(crate) fn read(value: Value<'_>) -> Result<Correction, SceneError> {
        let blend = Correction::Blend { epsilon: 0.01, base: Scheme::ImplicitMidpoint };
        if value.is_words() {
            let corrections = [
                ("none", Correction::None),
                ("fepr", Correction::Fepr(Fepr::default())),
                ("blend", blend),
                ("velocity", Correction::Velocity),
                ("lagrange", Correction::Lagrange),
            ];
            return value.named("correction", &corrections);
        }
        let kinds = &["fepr", "blend"];
        let (kind, value) = value.table(kinds)?.one_of("correction", kinds)?;
        if kind == "fepr" {
            return Fepr::read(value).map(Correction::Fepr);
        }
        let table = value.table(&["epsilon", "base"])?;
        let share = Limits::above(0.0, "").up_to(1.0);
        let base = table.or("base", Scheme::ImplicitMidpoint, |v| v.named("scheme", &SCHEMES))?;
        if let (Some(value), false) =
            (table.get("base"), matches!(base, Scheme::ImplicitMidpoint | Scheme::SymplecticEuler))
        {
            return Err(value.refuse(format!(
                "blending with `{}` cannot raise the energy, expected `implicit-midpoint` or \
                 `symplectic-euler`",
                base.name()
            )));
        }
        Ok(Correction::Blend { epsilon: table.or("epsilon", 0.01, |v| v.number(share))?, base })
    }
}

impl Fepr {
    fn read(value: Value<'_>) -> Result<Fepr, SceneError> {
        let table = value.table(&["momenta", "metric", "filter", "epsilon", "solution"])?;
        let default = Fepr::default();
        let epsilon = table.or("epsilon", 1e-3, |v| v.number(Limits::above(0.0, "")))?;
        let momenta = [("held", FeprMomenta::Held), ("paper", FeprMomenta::Paper { epsilon })];
        let metrics = [
            ("smooth", FeprMetric::Smooth),
            ("diagonal", FeprMetric::Diagonal),
            ("mass", FeprMetric::Mass),
        ];
        let solutions = [
            ("fast", FeprSolution::Fast),
            ("exact", FeprSolution::Exact),
            ("anchored", FeprSolution::Anchored),
        ];
        let solution =
            table.or("solution", default.solution, |v| v.named("kind of solution", &solutions))?;
        // The smooth metric leads to directions, but is no distance that could be smallest.
        let usual = match solution {
            FeprSolution::Fast => default.metric,
            FeprSolution::Exact | FeprSolution::Anchored => FeprMetric::Mass,
        };
        let metric = table.or("metric", usual, |v| v.named("metric", &metrics))?;
        if let (Some(value), FeprMetric::Smooth) = (table.get("metric"), metric)
            && solution != FeprSolution::Fast
        {
            return Err(value.refuse(
                "the smooth metric is only in the fast solution, expected `mass` or `diagonal`",
            ));
        }
        let share = Limits::from(0.0, "").up_to(1.0);
        Ok(Fepr {
            momenta: table
                .or("momenta", default.momenta, |v| v.named("rule of momenta", &momenta))?,
            metric,
            filter: table.or("filter", default.filter, |v| v.number(share))?,
            solution,
        })
    }
}

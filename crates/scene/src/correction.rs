//! Reads `correction`: what acts on the state after a step, to keep its energy.

use pliant_model::method::{
    Correction, Fepr, FeprMetric, FeprMomenta, FeprSolution, Method, Scheme,
};

use crate::error::SceneError;
use crate::limits::Limits;
use crate::value::Value;

/// The word for no correction.
const NONE: &str = "none";

/// A correction as written.
pub(crate) struct Written {
    /// The correction, if any.
    pub correction: Option<Correction>,
    /// The scheme that it asks for: the base of a blended step.
    pub base: Option<Scheme>,
}

/// A name, or a table of one name with its parameters.
pub(crate) fn read(value: Value<'_>) -> Result<Written, SceneError> {
    if value.is_words() && value.words()? == NONE {
        return Ok(Written { correction: None, base: None });
    }
    // Implicit midpoint.
    let usual = Method::VIVID.scheme;
    let (mut correction, options) = match value.is_words() {
        true => (value.word_beside(&[NONE])?, None),
        false => value.one_word().map(|(correction, options)| (correction, Some(options)))?,
    };
    let mut base = matches!(correction, Correction::Blend { .. }).then_some(usual);
    match (&mut correction, options) {
        (_, None) => {}
        (Correction::Fepr(fepr), Some(options)) => *fepr = read_fepr(&options)?,
        (Correction::Blend { epsilon }, Some(options)) => {
            let table = options.table(&["epsilon", "base"])?;
            let share = Limits::above(0.0, "").up_to(1.0);
            *epsilon = table.or("epsilon", *epsilon, |v| v.number(share))?;
            base = Some(table.or("base", usual, |v| v.word())?);
        }
        (Correction::Velocity | Correction::Lagrange, Some(options)) => {
            options.table(&[])?;
        }
    }
    Ok(Written { correction: Some(correction), base })
}

fn read_fepr(value: &Value<'_>) -> Result<Fepr, SceneError> {
    let table = value.table(&["momenta", "metric", "filter", "epsilon", "solution"])?;
    let default = Fepr::DEFAULT;
    let written = table.optional("epsilon", |v| v.number(Limits::above(0.0, "")))?;
    let mut momenta = table.or("momenta", default.momenta, |v| v.word())?;
    if let (FeprMomenta::Paper { epsilon }, Some(written)) = (&mut momenta, written) {
        *epsilon = written;
    }
    let solution: FeprSolution = table.or("solution", default.solution, |v| v.word())?;
    // The smooth metric leads to directions, but is no distance that could be smallest.
    let usual = match solution {
        FeprSolution::Fast => default.metric,
        FeprSolution::Exact | FeprSolution::Anchored => FeprMetric::Mass,
    };
    let share = Limits::from(0.0, "").up_to(1.0);
    Ok(Fepr {
        momenta,
        metric: table.or("metric", usual, |v| v.word())?,
        filter: table.or("filter", default.filter, |v| v.number(share))?,
        solution,
    })
}

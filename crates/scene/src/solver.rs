//! Reads `solver`: what minimises a time step.

use pliant_model::method::Solver;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::value::Value;

const MOST_ITERATIONS: u32 = 1_000_000;
const MOST_HISTORY: u32 = 100;
/// Newton's tolerance when a scene asks for iterations alone.
pub(crate) const NEWTON_TOLERANCE: f64 = 1e-12;
/// δ of the linear solve.
pub(crate) const DELTA: Limits = Limits::from(0.0, "").up_to(1.0);

/// A name, or a table of one name with its parameters.
pub(crate) fn read(value: Value<'_>) -> Result<Solver, SceneError> {
    if value.is_words() {
        return value.word();
    }
    let (mut solver, options) = value.one_word()?;
    let count = |v: Value<'_>| v.small_count(1, MOST_ITERATIONS);
    match &mut solver {
        Solver::Projective { iterations, history, .. }
        | Solver::Modified { iterations, history, .. } => {
            let table = options.table(&["iterations", "history"])?;
            *iterations = table.or("iterations", *iterations, count)?;
            *history = table.or("history", *history, |v| v.small_count(0, MOST_HISTORY))?;
        }
        Solver::Xpbd { iterations } => {
            let table = options.table(&["iterations"])?;
            *iterations = table.or("iterations", *iterations, count)?;
        }
        Solver::Newton { iterations, tolerance } => {
            let table = options.table(&["iterations", "tolerance"])?;
            let below_one = Limits::above(0.0, "").below(1.0);
            if table.get("iterations").is_some() {
                *tolerance = NEWTON_TOLERANCE;
            }
            *iterations = table.or("iterations", *iterations, count)?;
            *tolerance = table.or("tolerance", *tolerance, |v| v.number(below_one))?;
        }
        Solver::Linearised { delta } => {
            let table = options.table(&["delta"])?;
            *delta = table.or("delta", *delta, |v| v.number(DELTA))?;
        }
    }
    Ok(solver)
}

//! What solves a time step.

use serde::Serialize;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::table::Table;
use crate::value::Value;

/// Minimisers of one step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Solver {
    /// Projective dynamics as quasi-Newton: a constant factor, corrected by L-BFGS with
    /// `history` pairs (0 = plain local/global).
    Projective { iterations: u32, history: u32 },
    /// Extended position-based dynamics.
    Xpbd { iterations: u32 },
    /// Newton's method: at most `iterations` (unlimited if none), or until the residual is
    /// below `tolerance`. At least one of the two is given.
    Newton { iterations: Option<u32>, tolerance: Option<f64> },
}

const MOST_ITERATIONS: u32 = 1_000_000;
const MOST_HISTORY: u32 = 100;

impl Solver {
    pub(crate) fn read(value: Value<'_>) -> Result<Solver, SceneError> {
        let iterations =
            |table: &Table<'_>| table.optional("iterations", |v| v.small_count(1, MOST_ITERATIONS));
        let projective = Solver::Projective { iterations: 20, history: 5 };
        let xpbd = Solver::Xpbd { iterations: 40 };
        let newton = Solver::Newton { iterations: None, tolerance: Some(1e-9) };
        if value.is_words() {
            let solvers = [("projective", projective), ("xpbd", xpbd), ("newton", newton)];
            return value.named("solver", &solvers);
        }
        let kinds = &["projective", "xpbd", "newton"];
        let (kind, value) = value.table(kinds)?.one_of("solver", kinds)?;
        Ok(match kind {
            "projective" => {
                let table = value.table(&["iterations", "history"])?;
                Solver::Projective {
                    iterations: iterations(&table)?.unwrap_or(20),
                    history: table.or("history", 5, |v| v.small_count(0, MOST_HISTORY))?,
                }
            }
            "xpbd" => {
                let table = value.table(&["iterations"])?;
                Solver::Xpbd { iterations: iterations(&table)?.unwrap_or(40) }
            }
            _ => {
                let table = value.table(&["iterations", "tolerance"])?;
                let below_one = Limits::above(0.0, "").below(1.0);
                let limit = iterations(&table)?;
                let tolerance = table.optional("tolerance", |v| v.number(below_one))?;
                match (limit, tolerance) {
                    (None, None) => newton,
                    (iterations, tolerance) => Solver::Newton { iterations, tolerance },
                }
            }
        })
    }
}

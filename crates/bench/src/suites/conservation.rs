//! Conservation: does FEPR keep energy and momenta, over schemes, solvers, materials and motions?
//!
//! Every row runs a [`Case`] twice: with the correction, which is judged, and without, for
//! comparison. A thousand steps of 1/30 s, no damping, colliders static and frictionless. The first
//! rows are all combinations ([`matrix`]), the last ones the explosions of the paper
//! ([`explosions`]).

mod case;
mod explosions;
mod matrix;
mod run;
mod verdict;

use crate::suite::{Entry, Suite};
use crate::table::Row;
use case::Case;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "conservation",
    about: "energy and momenta under FEPR, over schemes, solvers, materials and motions",
    columns: &verdict::COLUMNS,
    entries,
    conclude,
    ..Suite::SIDE_BY_SIDE
};

fn entries(_threads: usize) -> Vec<Entry> {
    let cases = matrix::cases().into_iter().chain(explosions::cases());
    let entry =
        |case: Case| Entry::new(case.name.clone(), move |stop| verdict::measure(&case, stop));
    cases.map(entry).collect()
}

/// `250 rows: 221 pass, 23 fail, 6 not run`
fn conclude(rows: &[Row]) -> String {
    let count = |verdict: &str| rows.iter().filter(|row| row.get("verdict") == verdict).count();
    let [pass, fail, not_run] = ["pass", "fail", "not run"].map(count);
    format!("{} rows: {pass} pass, {fail} fail, {not_run} not run", rows.len())
}

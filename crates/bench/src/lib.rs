//! Benchmarks: suites of measurements, each a row of a table.
//!
//! [`command`] is what both programs run: `pliant-bench`, and `pliant bench` where it is built in.
//! A [`Suite`] names its columns and its rows; [`measure`] spreads the rows over threads, and
//! returns them in the suite's order whatever the schedule was.

#![warn(missing_docs)]

mod bodies;
mod clock;
pub mod command;
mod error;
mod numbers;
mod shared;
mod stepper;
mod suite;
mod suites;
mod table;

pub use error::BenchError;
pub use suite::{Entry, Stop, Suite, Values, find, is_wanted, measure};
pub use suites::SUITES;
pub use table::{Column, Row, Style, as_json, as_table};

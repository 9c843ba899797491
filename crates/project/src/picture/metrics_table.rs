//! `metrics.csv` of a run: one row per step, columns by name.

use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::error::ProjectError;

/// Why a file is no table of metrics.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MetricsError {
    /// A column is missing.
    #[error("line 1: expected a column `{0}`")]
    Column(String),
    /// A row has another number of values than the header has names.
    #[error("line {line}: expected {expected} values, found {found}")]
    Count {
        /// The line, from 1.
        line: usize,
        /// Names in the header.
        expected: usize,
        /// Values in the row.
        found: usize,
    },
    /// A value is no number.
    #[error("line {line}: expected a number in column `{column}`, found \"{found}\"")]
    Number {
        /// The line, from 1.
        line: usize,
        /// The name of its column.
        column: String,
        /// Its first letters.
        found: String,
    },
    /// There are no rows.
    #[error("expected at least one row of values")]
    Empty,
}

/// The columns of a run. A cell that is empty is not a number (NaN).
#[derive(Debug)]
pub struct MetricsTable {
    columns: Vec<(String, Vec<f64>)>,
}

impl MetricsTable {
    /// Path of a run's metrics: `metrics.csv` in its folder, or the given file.
    pub fn path(run: &Path) -> PathBuf {
        if run.is_file() { run.to_owned() } else { run.join("metrics.csv") }
    }

    /// Reads the metrics of a run, which must have these columns.
    pub fn of_run(directory: &Path, required: &[&str]) -> Result<MetricsTable, ProjectError> {
        MetricsTable::read(&MetricsTable::path(directory), required)
    }

    /// The same from a file of any name.
    pub fn read(path: &Path, required: &[&str]) -> Result<MetricsTable, ProjectError> {
        let text = fs::read_to_string(path)
            .map_err(|error| ProjectError::about(path, format!("cannot read: {error}")))?;
        MetricsTable::parse(&text, required).map_err(|problem| ProjectError::about(path, problem))
    }

    /// The values of a column; none if the file does not have it.
    pub fn values(&self, name: &str) -> Vec<f64> {
        let column = self.columns.iter().find(|(column, _)| column == name);
        column.map_or(Vec::new(), |(_, values)| values.clone())
    }

    fn parse(text: &str, required: &[&str]) -> Result<MetricsTable, MetricsError> {
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line.trim());
        let mut columns: Vec<(String, Vec<f64>)> =
            header.split(',').map(|name| (name.trim().to_owned(), Vec::new())).collect();
        let missing = |name: &&&str| !columns.iter().any(|(column, _)| column == **name);
        if let Some(name) = required.iter().find(missing) {
            return Err(MetricsError::Column((*name).to_owned()));
        }
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let number = index + 1;
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            if cells.len() != columns.len() {
                let (expected, found) = (columns.len(), cells.len());
                return Err(MetricsError::Count { line: number, expected, found });
            }
            for ((name, values), cell) in columns.iter_mut().zip(cells) {
                let value = if cell.is_empty() { Some(f64::NAN) } else { cell.parse().ok() };
                values.push(value.ok_or_else(|| {
                    let found = cell.chars().take(40).collect();
                    MetricsError::Number { line: number, column: name.clone(), found }
                })?);
            }
        }
        if columns.iter().all(|(_, values)| values.is_empty()) {
            return Err(MetricsError::Empty);
        }
        Ok(MetricsTable { columns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let metrics =
            MetricsTable::parse("step,time,total\n0,0.0,1.5\n1,0.1,\n", &["time"]).unwrap();
        assert_eq!(metrics.values("time"), [0.0, 0.1]);
        assert!(metrics.values("total")[1].is_nan());
        assert!(metrics.values("residual").is_empty());
    }

    #[test]
    fn what_is_wrong_names_its_line() {
        for (text, expected) in [
            ("", "line 1: expected a column `time`"),
            ("a,b\n1,2", "line 1: expected a column `time`"),
            ("step,time\n", "at least one row"),
            ("step,time\n0,0\n1", "line 3: expected 2 values, found 1"),
            ("step,time\n0,zero", "line 2: expected a number in column `time`, found \"zero\""),
        ] {
            let problem = MetricsTable::parse(text, &["time"]).unwrap_err().to_string();
            assert!(problem.contains(expected), "{problem}");
        }
    }
}

//! The command line of benchmarks, without a terminal: `pliant-bench` and `pliant bench` print it.

use std::path::PathBuf;

use clap::Args;
use pliant_project::ProjectError;
use pliant_view::plot::Figure;
use thiserror::Error;

use crate::suite::{Entry, Stop, Suite, find, is_wanted, measure};
use crate::suites::SUITES;
use crate::table::{Row, as_json, as_table};

/// Run benchmark suites: a table for people, JSON for programs
#[derive(Args)]
pub struct Arguments {
    /// The suite [default: all of them]
    suite: Option<String>,
    /// Only rows whose name has all of these words
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    only: String,
    /// List the suites, or the rows of SUITE
    #[arg(long)]
    list: bool,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
    /// Draw SUITE's figure, where it has one
    #[arg(long, value_name = "FILE.svg|.png", requires = "suite")]
    plot: Option<PathBuf>,
}

/// Why a command has no answer.
#[derive(Debug, Error)]
pub enum CommandError {
    /// No suite has the name.
    #[error("there is no benchmark suite `{name}`: {hint}")]
    UnknownSuite {
        /// The name.
        name: String,
        /// A suggestion.
        hint: String,
    },
    /// No row has all words.
    #[error("no row has all words of `{0}` in its name; `pliant bench SUITE --list` names them")]
    NoRow(String),
    /// The suite draws nothing.
    #[error("the suite `{0}` has no figure to plot")]
    NoFigure(&'static str),
    /// Rows cannot be written as JSON.
    #[error("cannot write rows as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The figure cannot be drawn or written.
    #[error(transparent)]
    Figure(#[from] ProjectError),
}

impl CommandError {
    /// Exit status: 2 if the command was typed in a way that has no meaning, else 1.
    pub fn status(&self) -> u8 {
        match self {
            Self::UnknownSuite { .. } | Self::NoRow(_) | Self::NoFigure(_) => 2,
            Self::Json(_) | Self::Figure(_) => 1,
        }
    }
}

/// The answer to a command.
#[derive(Default)]
pub struct Answer {
    /// Lines of the result.
    pub lines: Vec<String>,
    /// A summary per suite.
    pub remarks: Vec<String>,
    /// The figure, and the file for it.
    pub figure: Option<(Figure, PathBuf)>,
    /// How many rows were measured, if the caller stopped before the last.
    pub unfinished: Option<String>,
}

/// Does what the arguments say, on a number of threads. `progress` gets the finished rows and the
/// number of all rows, once before the first and then after each.
///
/// # Errors
/// When the arguments name no suite, row or figure, or rows cannot be written as JSON.
pub fn run(
    arguments: Arguments,
    threads: usize,
    stop: Stop,
    progress: impl Fn(usize, usize),
) -> Result<Answer, CommandError> {
    let selection = select(&arguments, threads)?;
    let draw = match (&arguments.plot, &selection[0].0) {
        (Some(_), Suite { name, figure: None, .. }) => return Err(CommandError::NoFigure(name)),
        (Some(_), suite) => suite.figure,
        (None, _) => None,
    };
    if arguments.list {
        return Ok(Answer { lines: list(&arguments, &selection), ..Answer::default() });
    }
    let total = selection.iter().map(|(_, entries)| entries.len()).sum();
    progress(0, total);
    let mut before = 0;
    let mut tables: Vec<(&Suite, Vec<Row>)> = Vec::new();
    for (suite, entries) in &selection {
        let at_once = if suite.one_at_a_time { 1 } else { threads };
        let mut rows = measure(entries, at_once, stop, |count| progress(before + count, total));
        before += rows.len();
        if rows.len() == entries.len()
            && let Some(last) = suite.last_row
        {
            rows.push(last(&rows));
        }
        tables.push((suite, rows));
    }
    let unfinished = (before < total)
        .then(|| format!("stopped by Ctrl-C: {before} of {total} rows were measured"));
    let figure = draw.zip(arguments.plot).map(|(draw, path)| (draw(&tables[0].1), path));
    let remark =
        |(suite, rows): &(&Suite, Vec<Row>)| format!("{}: {}", suite.name, (suite.conclude)(rows));
    let remarks = tables.iter().map(remark).collect();
    let lines = if arguments.json {
        let rows: Vec<Row> = tables.into_iter().flat_map(|(_, rows)| rows).collect();
        vec![as_json(&rows)?]
    } else {
        tables.iter().flat_map(|(suite, rows)| as_table(suite.columns, rows)).collect()
    };
    Ok(Answer { lines, remarks, figure, unfinished })
}

/// The suites of a command, each with its wanted rows: at least one suite and one row.
fn select(
    arguments: &Arguments,
    threads: usize,
) -> Result<Vec<(&'static Suite, Vec<Entry>)>, CommandError> {
    let Arguments { suite, only, .. } = arguments;
    let suites: Vec<&Suite> = match suite {
        Some(name) => vec![find(name).map_err(|nearest| unknown(name, nearest))?],
        None => SUITES.iter().collect(),
    };
    let with_rows = |suite: &'static Suite| {
        let entries = (suite.entries)(threads).into_iter();
        (suite, entries.filter(|entry| is_wanted(&entry.name, only)).collect())
    };
    let selection: Vec<(&Suite, Vec<Entry>)> = suites.into_iter().map(with_rows).collect();
    if selection.iter().all(|(_, entries)| entries.is_empty()) {
        return Err(CommandError::NoRow(only.clone()));
    }
    Ok(selection)
}

fn list(arguments: &Arguments, selection: &[(&Suite, Vec<Entry>)]) -> Vec<String> {
    let line = |(suite, entries): &(&Suite, Vec<Entry>)| {
        if arguments.suite.is_some() {
            entries.iter().map(|entry| entry.name.clone()).collect()
        } else {
            vec![format!("{:14} {} ({} rows)", suite.name, suite.about, entries.len())]
        }
    };
    selection.iter().flat_map(line).collect()
}

fn unknown(name: &str, nearest: Option<&str>) -> CommandError {
    let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
    let hint = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("expected one of {}", known.join(", ")),
    };
    CommandError::UnknownSuite { name: name.to_owned(), hint }
}

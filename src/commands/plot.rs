//! `pliant plot`: energy, momentum and timing curves, runs side by side.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant::io::atomic::refuse_overwriting;
use pliant::project::picture::MetricsTable;
use pliant::project::picture::figure::{self, COLUMNS, Curves};

use crate::arguments::{Options, output};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;

/// Plot energy, momentum, solver and timing curves of runs
#[derive(Args)]
#[command(after_help = "Example:\n  pliant plot runs/euler runs/midpoint --out energy.svg")]
pub struct Arguments {
    /// Run directories that hold a metrics.csv, or such CSV files
    #[arg(required = true, value_name = "RUN_DIR|FILE.csv")]
    runs: Vec<PathBuf>,
    /// Plot to write
    #[arg(long, short, value_name = "FILE.svg|.png", value_parser = output(&["svg", "png"]))]
    out: PathBuf,
    /// Title above the curves [default: none]
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    title: String,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let Arguments { runs, out, title } = arguments;
    let inputs: Vec<PathBuf> = runs.iter().map(|run| MetricsTable::path(run)).collect();
    refuse_overwriting(&out, &inputs)?;
    let curves = runs
        .iter()
        .map(|run| {
            let metrics = MetricsTable::of_run(run, &COLUMNS)?;
            Ok(Curves { name: name(run), metrics })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    figure::save(&figure::of_runs(&title, &curves), &out)?;
    if !options.quiet {
        report::say(&format!("wrote {}", out.display()));
    }
    next_step::suggest(Output::Picture(&out), options);
    Ok(())
}

/// Label of a run in the legend: the name of its folder.
fn name(run: &Path) -> String {
    let settled = run.canonicalize();
    let path = settled.as_deref().unwrap_or(run);
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into())
}

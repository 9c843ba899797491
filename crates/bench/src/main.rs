//! The command `pliant-bench`: the benchmark suites by themselves.
//!
//! Exit status: 0 measured, 1 failed (one sentence on stderr says why), 2 wrong usage, 130 stopped
//! with Ctrl-C.

use std::io::{Write, stderr, stdout};
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use pliant_bench::command::{self, Arguments, CommandError};
use pliant_project::picture::figure;

#[derive(Parser)]
#[command(
    version,
    after_help = "Examples:\n  pliant-bench --list\n  \
    pliant-bench conservation --only \"spinning neo-hookean\"\n  \
    pliant-bench conservation --json > conservation.json"
)]
struct CommandLine {
    #[command(flatten)]
    arguments: Arguments,
    /// Print nothing but results and errors
    #[arg(long, short)]
    quiet: bool,
    /// Number of threads [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

static STOPPED: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    match run(CommandLine::parse()) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(unfinished)) => {
            remark(&format!("error: {unfinished}"));
            ExitCode::from(130)
        }
        Err(error) => {
            remark(&format!("error: {error}"));
            ExitCode::from(error.status())
        }
    }
}

/// Runs the suites; returns how many rows were measured if Ctrl-C came before the last.
fn run(line: CommandLine) -> Result<Option<String>, CommandError> {
    let CommandLine { arguments, quiet, threads } = line;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    // Without the handler, Ctrl-C ends the program at once.
    let _ = ctrlc::set_handler(|| {
        if STOPPED.swap(true, Ordering::Relaxed) {
            exit(130);
        }
    });
    let stop = || STOPPED.load(Ordering::Relaxed);
    let progress = |done: usize, total: usize| {
        let tenths = |rows: usize| 10 * rows / total;
        if !quiet && done > 0 && tenths(done) > tenths(done - 1) {
            remark(&format!("{done}/{total} rows"));
        }
    };
    let answer = command::run(arguments, threads.map_or_else(cores, usize::from), &stop, progress)?;
    for line in &answer.lines {
        // A closed pipe is no failure.
        let _ = writeln!(stdout().lock(), "{line}");
    }
    if !quiet {
        answer.remarks.iter().for_each(|line| remark(line));
    }
    if let Some((drawn, path)) = &answer.figure {
        figure::save(drawn, path)?;
    }
    Ok(answer.unfinished)
}

fn remark(line: &str) {
    let _ = writeln!(stderr().lock(), "{line}");
}

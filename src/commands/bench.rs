//! `pliant bench`: the benchmark suites.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::Options;
use crate::bench::{self, Entry, Row, SUITES, Suite, as_json, as_table, is_wanted};
use crate::failure::Failure;
use pliant::project::picture::figure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;

/// Run benchmark suites: a table for people, JSON for programs
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant bench --list\n  \
    pliant bench conservation --only \"spinning neo-hookean\"\n  \
    pliant bench conservation --json > conservation.json")]
pub struct Arguments {
    /// The suite [default: all of them]
    suite: Option<String>,
    /// Only rows whose name has all of these words
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    only: String,
    /// Name the suites there are, or the rows of SUITE
    #[arg(long)]
    list: bool,
    /// Say it as JSON
    #[arg(long)]
    json: bool,
    /// Draw SUITE's figure, where it has one
    #[arg(long, value_name = "FILE.svg|.png", requires = "suite")]
    plot: Option<PathBuf>,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let Arguments { suite, only, list, json, plot } = arguments;
    let named = suite.is_some();
    let suites: Vec<&Suite> = match &suite {
        Some(name) => vec![bench::find(name).map_err(|nearest| unknown(name, nearest))?],
        None => SUITES.iter().collect(),
    };
    let wanted = |suite: &Suite| -> Vec<Entry> {
        (suite.entries)(options.threads()).into_iter().filter(|entry| is_wanted(&entry.name, &only)).collect()
    };
    let chosen: Vec<(&Suite, Vec<Entry>)> =
        suites.into_iter().map(|suite| (suite, wanted(suite))).collect();
    let total: usize = chosen.iter().map(|(_, entries)| entries.len()).sum();
    if total == 0 {
        return Err(Failure::usage(format!(
            "no row has all words of `{only}` in its name; `pliant bench SUITE --list` names them"
        )));
    }
    let drawn = match (&plot, chosen.first()) {
        (Some(_), Some((Suite { name, figure: None, .. }, _))) => {
            return Err(Failure::usage(format!("the suite `{name}` has no figure to plot")));
        }
        (Some(path), Some((suite, _))) => suite.figure.map(|draw| (draw, path)),
        _ => None,
    };
    if list {
        for (suite, entries) in &chosen {
            if named {
                entries.iter().for_each(|entry| report::say(&entry.name));
            } else {
                report::say(&format!("{:14} {} ({} rows)", suite.name, suite.about, entries.len()));
            }
        }
        return Ok(());
    }
    interrupt::listen()?;
    let progress = Progress::start(options, "rows", total as u64);
    let mut before = 0;
    let mut tables: Vec<(&Suite, Vec<Row>)> = Vec::new();
    for (suite, entries) in &chosen {
        let done = |count: usize| progress.at((before + count) as u64);
        let at_once = if suite.one_at_a_time { 1 } else { options.threads() };
        let mut rows = bench::measure(entries, at_once, &interrupt::asked, done);
        before += entries.len();
        if rows.len() == entries.len() && let Some(last) = suite.last_row {
            rows.push(last(&rows));
        }
        tables.push((suite, rows));
    }
    drop(progress);
    show(&tables, json, options)?;
    if let (Some((draw, path)), Some((_, rows))) = (drawn, tables.first()) {
        figure::save(&draw(rows), path)?;
    }
    let made: usize = tables.iter().map(|(_, rows)| rows.len()).sum();
    if made < total {
        let sentence = format!("stopped by Ctrl-C: {made} of {total} rows were measured");
        return Err(Failure::interrupted(sentence));
    }
    Ok(())
}

fn show(tables: &[(&Suite, Vec<Row>)], json: bool, options: &Options) -> Result<(), Failure> {
    if json {
        let rows: Vec<Row> = tables.iter().flat_map(|(_, rows)| rows.iter().cloned()).collect();
        let text = as_json(&rows)
            .map_err(|error| Failure::new(format!("cannot write rows as JSON: {error}")))?;
        report::say(&text);
    }
    for (suite, rows) in tables {
        if !json {
            as_table(suite.columns, rows).iter().for_each(|line| report::say(line));
        }
        if !options.quiet {
            report::remark(&format!("{}: {}", suite.name, (suite.conclude)(rows)));
        }
    }
    Ok(())
}

fn unknown(name: &str, nearest: Option<&str>) -> Failure {
    let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
    let hint = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("expected one of {}", known.join(", ")),
    };
    Failure::usage(format!("there is no benchmark suite `{name}`: {hint}"))
}

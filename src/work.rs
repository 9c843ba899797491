//! Work under the eyes of the user: progress, notes, Ctrl-C, and the sentence at the end.

use std::ops::ControlFlow;
use std::path::Path;

use pliant::project::{Event, Outcome, Watch};

use crate::arguments::Options;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;

/// Does work that tells notes and progress, and stops it after the frame at hand on Ctrl-C.
pub fn watched<T>(options: &Options, work: impl FnOnce(&mut Watch<'_>) -> T) -> Result<T, Failure> {
    interrupt::listen()?;
    let mut bar: Option<(String, usize, Progress)> = None;
    let mut callback = |event: Event<'_>| {
        match event {
            Event::Note(sentence) if !options.quiet => {
                bar = None;
                report::remark(&format!("note: {sentence}"));
            }
            Event::Warning(sentence) if !options.quiet => {
                bar = None;
                report::remark(&format!("warning: {sentence}"));
            }
            Event::Note(_) | Event::Warning(_) => {}
            Event::Progress(now) => {
                let is_same = |(unit, total, _): &(String, usize, Progress)| {
                    unit == now.unit && *total == now.total
                };
                if !bar.as_ref().is_some_and(is_same) {
                    let shown = Progress::start(options, now.unit, now.total as u64);
                    bar = Some((now.unit.to_owned(), now.total, shown));
                }
                if let Some((_, _, shown)) = &bar {
                    shown.at(now.done as u64);
                }
                if now.done >= now.total {
                    bar = None;
                }
            }
        }
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    Ok(work(&mut Watch::new(&mut callback)))
}

/// The report of finished work; work that was stopped is a failure that says what is there.
/// `resume` says how to continue, where that is possible.
pub fn finished<R>(outcome: Outcome<R>, out: &Path, resume: &str) -> Result<R, Failure> {
    match outcome {
        Outcome::Finished(report) | Outcome::AlreadyFinished(report) => Ok(report),
        Outcome::Stopped { unit, done, total } => {
            let separator = if resume.is_empty() { "" } else { "; " };
            Err(Failure::interrupted(format!(
                "stopped by Ctrl-C: {} holds the first {done} of {total} {unit}{separator}{resume}",
                out.display()
            )))
        }
    }
}

/// How work with snapshots is continued.
pub const RESUME: &str = "the same command with --resume continues from there";

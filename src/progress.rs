//! Progress: a bar with rate and time left on a terminal, a few plain lines otherwise.

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::Options;
use crate::report;

/// Work of which a known number of items has to be done.
pub struct Progress {
    show: Show,
    total: u64,
    started: Instant,
}

enum Show {
    Nothing,
    Bar(ProgressBar),
    Lines { label: String, last: Cell<Instant>, shown: Cell<u64> },
}

/// Plain lines come at every tenth of the work, but not faster than this …
const AT_MOST_EVERY: Duration = Duration::from_secs(2);
/// … and at least this often.
const AT_LEAST_EVERY: Duration = Duration::from_secs(60);

impl Progress {
    /// Starts work of `total` items; `label` names them, as in "frames".
    pub fn start(options: &Options, label: &str, total: u64) -> Progress {
        let started = Instant::now();
        let show = if options.quiet {
            Show::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(total);
            let template = "{bar:32.cyan/dim} {pos}/{len} {msg} · {per_sec} · {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("━╸─"));
            }
            bar.set_message(label.to_owned());
            Show::Bar(bar)
        } else {
            let label = label.to_owned();
            Show::Lines { label, last: Cell::new(started), shown: Cell::new(0) }
        };
        Progress { show, total, started }
    }

    /// Says that `done` items of all are done.
    pub fn at(&self, done: u64) {
        match &self.show {
            Show::Nothing => {}
            Show::Bar(bar) => bar.set_position(done),
            Show::Lines { label, last, shown } => {
                let since = last.get().elapsed();
                let tenth = (done - shown.get().min(done)) * 10 >= self.total;
                if since >= AT_LEAST_EVERY || (since >= AT_MOST_EVERY && tenth) {
                    report::remark(&line(label, done, self.total, self.started.elapsed()));
                    last.set(Instant::now());
                    shown.set(done);
                }
            }
        }
    }
}

impl Drop for Progress {
    /// The bar makes room for what comes next: the result, or an error.
    fn drop(&mut self) {
        if let Show::Bar(bar) = &self.show {
            bar.finish_and_clear();
        }
    }
}

/// `120/300 frames, 24.1 per second, 8 s left`
fn line(label: &str, done: u64, total: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    if done == 0 || seconds <= 0.0 {
        return format!("{done}/{total} {label}");
    }
    let rate = done as f64 / seconds;
    let left = (total.saturating_sub(done)) as f64 / rate;
    format!("{done}/{total} {label}, {rate:.1} per second, {left:.0} s left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_rate_and_the_time_left() {
        let line = line("frames", 120, 300, Duration::from_secs(10));
        assert_eq!(line, "120/300 frames, 12.0 per second, 15 s left");
    }

    #[test]
    fn before_the_first_item_no_rate_is_made_up() {
        assert_eq!(super::line("frames", 0, 300, Duration::ZERO), "0/300 frames");
    }
}

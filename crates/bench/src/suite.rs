//! Suites, their rows, and how rows are measured on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use pliant_view::plot::Figure;
use serde_json::Value;

use crate::error::BenchError;
use crate::suites::SUITES;
use crate::table::{Column, Row};

/// Measurements that belong together.
pub struct Suite {
    /// Name on the command line.
    pub name: &'static str,
    /// One-line description of the suite.
    pub about: &'static str,
    /// Columns of the table, after the name of the row.
    pub columns: &'static [Column],
    /// The measurements in the order of the rows, for a number of threads.
    pub entries: fn(usize) -> Vec<Entry>,
    /// Summary of all rows in one line.
    pub conclude: fn(&[Row]) -> String,
    /// Plot of the rows, if the suite has one.
    pub figure: Option<fn(&[Row]) -> Figure>,
    /// True if rows are measured one after the other, each on all threads, because they are times.
    pub one_at_a_time: bool,
    /// A last row computed from all others.
    pub last_row: Option<fn(&[Row]) -> Row>,
}

impl Suite {
    /// Defaults of a suite whose rows are measured at the same time, a thread each.
    pub const SIDE_BY_SIDE: Suite = Suite {
        name: "",
        about: "",
        columns: &[],
        entries: |_| Vec::new(),
        conclude: |rows| format!("{} rows", rows.len()),
        figure: None,
        one_at_a_time: false,
        last_row: None,
    };

    /// Defaults of a suite whose rows are measured one after the other, each on all threads.
    pub const ONE_AT_A_TIME: Suite = Suite { one_at_a_time: true, ..Suite::SIDE_BY_SIDE };
}

/// Values of a row under the keys of its columns.
pub type Values = Vec<(&'static str, Value)>;

/// Asks whether to stop.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Returns [`BenchError::Stopped`] when asked to stop.
pub fn check(stop: Stop) -> Result<(), BenchError> {
    if stop() { Err(BenchError::Stopped) } else { Ok(()) }
}

/// A measurement, made on the calling thread.
type Work = dyn Fn(Stop<'_>) -> Result<Values, BenchError> + Send + Sync;

/// A measurement that is not made yet.
pub struct Entry {
    /// Name of the row.
    pub name: String,
    work: Box<Work>,
}

impl Entry {
    /// A measurement that `work` makes on the calling thread.
    pub fn new(
        name: impl Into<String>,
        work: impl Fn(Stop<'_>) -> Result<Values, BenchError> + Send + Sync + 'static,
    ) -> Entry {
        Entry { name: name.into(), work: Box::new(work) }
    }

    /// Measures the row; `None` when asked to stop. The column `reason` has the error of a
    /// measurement that fails.
    pub fn measure(&self, stop: Stop) -> Option<Row> {
        let values = match (self.work)(stop) {
            Ok(values) => values,
            Err(error) if error.is_stop() => return None,
            Err(error) => vec![("reason", Value::from(error.to_string()))],
        };
        Some(Row::new(self.name.clone(), values))
    }
}

/// The suite of a name.
///
/// # Errors
/// The nearest name, if one is similar.
pub fn find(name: &str) -> Result<&'static Suite, Option<&'static str>> {
    // A less similar name would be a guess.
    const SIMILAR: f64 = 0.75;
    let score = |suite: &Suite| (strsim::jaro_winkler(name, suite.name), suite.name);
    SUITES.iter().find(|suite| suite.name == name).ok_or_else(|| {
        let scores = SUITES.iter().map(score).filter(|(score, _)| *score >= SIMILAR);
        scores.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
    })
}

/// True if a row's name has every word of `only`.
pub fn is_wanted(name: &str, only: &str) -> bool {
    only.split_whitespace().all(|word| name.contains(word))
}

/// Measures rows on several threads; `done` gets the number of finished rows, on the calling
/// thread. The rows keep the order of the entries; rows that were not measured are left out.
pub fn measure(entries: &[Entry], threads: usize, stop: Stop, done: impl Fn(usize)) -> Vec<Row> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let mut rows: Vec<Option<Row>> = vec![None; entries.len()];
    thread::scope(|scope| {
        for _ in 0..threads.min(entries.len()) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entry) = entries.get(place) else { break };
                    let Some(row) = entry.measure(stop) else { break };
                    if send.send((place, row)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        for (count, (place, row)) in receive.iter().enumerate() {
            rows[place] = Some(row);
            done(count + 1);
        }
    });
    rows.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    fn entries() -> Vec<Entry> {
        let entry = |n: u64| {
            Entry::new(n.to_string(), move |stop| {
                // The first row is the slowest.
                thread::sleep(Duration::from_millis(20 - 2 * n));
                check(stop)?;
                Ok(Values::new())
            })
        };
        (0..10).map(entry).collect()
    }

    #[test]
    fn rows_are_in_order_whatever_the_schedule() {
        for threads in [1, 2, 7, 64] {
            let rows = measure(&entries(), threads, &|| false, |_| {});
            let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
            assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        }
    }

    #[test]
    fn rows_measured_before_a_stop_are_kept() {
        let stop = AtomicBool::new(false);
        let asked = || stop.load(Ordering::Relaxed);
        let rows =
            measure(&entries(), 1, &asked, |count| stop.store(count >= 3, Ordering::Relaxed));
        assert!((3..=4).contains(&rows.len()), "{} rows", rows.len());
        assert_eq!(rows[2].name, "2");
    }

    #[test]
    fn suites_are_found_by_name_or_suggested() {
        assert!(find("conservation").is_ok());
        assert_eq!(find("conservatoin").err(), Some(Some("conservation")));
        assert_eq!(find("xyz").err(), Some(None));
        for suite in SUITES {
            let mut names: Vec<String> =
                (suite.entries)(1).into_iter().map(|entry| entry.name).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count, "{}: two rows of one name", suite.name);
        }
    }

    #[test]
    fn all_words_must_be_in_a_name() {
        assert!(is_wanted("spinning/stvk/bdf2", "bdf2 /stvk"));
        assert!(!is_wanted("spinning/invertible-stvk/bdf2", "/stvk"));
        assert!(is_wanted("anything", ""));
    }
}

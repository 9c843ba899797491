//! Benchmarks: suites of measurements, each a row of a table.
//!
//! A [`Suite`] names its columns and what is to be measured; [`measure`] spreads the measurements
//! over threads, and the rows come back in the suite's order whatever the schedule was.

mod block;
mod clock;
mod conservation;
mod dynamics;
mod enrich;
mod face;
mod geometry;
mod inverse;
mod lips;
mod motion;
mod orders;
mod peers;
mod scaling;
mod stand_in;
mod table;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use pliant::view::plot::Figure;
use serde_json::Value;

pub use table::{Column, Row, Style, as_json, as_table};

/// All suites.
pub const SUITES: &[Suite] = &[
    conservation::SUITE,
    motion::SUITE,
    orders::SUITE,
    geometry::SUITE,
    lips::SUITE,
    enrich::SUITE,
    face::SUITE,
    inverse::SUITE,
    dynamics::SUITE,
    peers::SUITE,
    scaling::SUITE,
];

/// Measurements that belong together.
pub struct Suite {
    /// What to type.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// What every row of it has besides its name.
    pub columns: &'static [Column],
    /// What is measured, in the order of the rows; with how many threads, where a row has them all.
    pub entries: fn(usize) -> Vec<Entry>,
    /// What all rows come to, in one line.
    pub conclude: fn(&[Row]) -> String,
    /// The rows as a picture, where there is one.
    pub figure: Option<fn(&[Row]) -> Figure>,
    /// Whether a row has all threads to itself, because it is about time.
    pub one_at_a_time: bool,
    /// What all rows come to, as one more of them.
    pub last_row: Option<fn(&[Row]) -> Row>,
}

/// One measurement, not made yet.
pub struct Entry {
    /// The row's name.
    pub name: String,
    /// Makes it, on the thread it is called from; gives up early, with `None`, when asked to stop.
    pub measure: Box<dyn Fn(Stop) -> Option<Row> + Send + Sync>,
}

/// What a row has in its columns.
pub type Values = Vec<(&'static str, Value)>;

impl Entry {
    /// A measurement that gives the values of a row, nothing when asked to stop, or why there are
    /// none, which is said in the column `reason`.
    pub fn new<E: ToString>(
        name: String,
        work: impl Fn(Stop<'_>) -> Result<Option<Values>, E> + Send + Sync + 'static,
    ) -> Entry {
        let row = name.clone();
        let measure = Box::new(move |stop: Stop<'_>| {
            let values = match work(stop) {
                Ok(values) => values?,
                Err(reason) => vec![("reason", Value::from(reason.to_string()))],
            };
            Some(Row::new(row.clone(), values))
        });
        Entry { name, measure }
    }
}

/// Whether to stop.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// The suite of a name, or the nearest name.
pub fn find(name: &str) -> Result<&'static Suite, Option<&'static str>> {
    let close = |suite: &Suite| (strsim::jaro_winkler(name, suite.name), suite.name);
    SUITES.iter().find(|suite| suite.name == name).ok_or_else(|| {
        // Less alike than this, a suggestion would be a guess.
        let scores = SUITES.iter().map(close).filter(|(score, _)| *score >= 0.75);
        scores.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
    })
}

/// Whether a row is asked for: its name has every word of `only`.
pub fn is_wanted(name: &str, only: &str) -> bool {
    only.split_whitespace().all(|word| name.contains(word))
}

/// Makes measurements on several threads at once; `done` is told how many are made, on the thread
/// of the caller. Rows are in the order of the entries; those that were not made are left out.
pub fn measure(entries: &[Entry], threads: usize, stop: Stop, done: impl Fn(usize)) -> Vec<Row> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let mut rows: Vec<Option<Row>> = Vec::new();
    rows.resize_with(entries.len(), || None);
    thread::scope(|scope| {
        for _ in 0..threads.min(entries.len()) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entry) = entries.get(place) else { break };
                    let Some(row) = (entry.measure)(stop) else { break };
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
        let entry = |n: u64| Entry {
            name: n.to_string(),
            measure: Box::new(move |stop: Stop| {
                // The first is the slowest.
                thread::sleep(Duration::from_millis(20 - 2 * n));
                (!stop()).then(|| Row::new(n.to_string(), vec![]))
            }),
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
    fn what_was_measured_before_a_stop_is_kept() {
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

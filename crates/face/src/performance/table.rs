//! Performances as tables of text.

use std::path::Path;

use glam::DVec3;

use super::columns::{Columns, PLACES, ROTATIONS, TableColumn};
use super::{Names, Performance};
use crate::error::FaceError;
use crate::expression::ARKIT;

/// More frames than these are a mistake.
pub(super) const MOST_FRAMES: usize = 1 << 20;
/// What times of frames are rounded to where only timecodes tell (1/s).
const RATES: [f64; 6] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0];

impl Performance {
    /// Reads a table of weights, and of contractions of muscles. `fps` is asked for where the table
    /// does not tell. `path` is named in errors.
    ///
    /// ```
    /// use pliant_face::{Performance, performance::Names};
    /// let names = Names::default();
    /// let text = "frame,jawOpen,mouthPucker\n0,0.1,0\n1,0.4,0.25\n";
    /// let talk = Performance::parse("talk.csv".as_ref(), text, &names, Some(24.0))?;
    /// assert_eq!((talk.frames.len(), talk.frames[1].weights[1]), (2, 0.25));
    /// let wrong = Performance::parse("talk.csv".as_ref(), "frame,jawopn\n0,1\n", &names, None);
    /// assert!(wrong.unwrap_err().to_string().ends_with("did you mean jawOpen?"));
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    pub fn parse(
        path: &Path,
        text: &str,
        names: &Names,
        fps: Option<f64>,
    ) -> Result<Performance, FaceError> {
        let fail = |line, problem: String| FaceError::in_line(path, line, problem);
        let fps = checked_rate(path, fps)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = (1usize..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let Some((_, header)) = lines.next() else {
            return Err(fail(1, "expected a line of names, found nothing".to_owned()));
        };
        let columns = Columns::of(path, header.split(',').map(str::trim), names)?;
        let mut frames = Vec::new();
        let mut times: Vec<[f64; 2]> = Vec::new();
        for (number, line) in lines {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            if fields.len() != columns.all.len() {
                let (expected, found) = (columns.all.len(), fields.len());
                return Err(fail(number, format!("expected {expected} values, found {found}")));
            }
            if frames.len() == MOST_FRAMES {
                return Err(fail(number, format!("there are more than {MOST_FRAMES} frames")));
            }
            let mut frame = columns.frame();
            for (field, column) in fields.iter().zip(&columns.all) {
                if matches!(column, TableColumn::Timecode) {
                    times.extend(timecode(field));
                }
                columns
                    .put(*column, field.parse().ok(), field, &mut frame)
                    .map_err(|wrong| FaceError::in_line(path, number, wrong))?;
            }
            frames.push(frame);
        }
        if frames.is_empty() {
            return Err(fail(2, "expected at least one frame below the names".to_owned()));
        }
        let told = told_rate(&times);
        Ok(columns.performance(fps.or(told).unwrap_or(30.0), frames))
    }

    /// The table that Live Link Face would have written; shapes that ARKit does not have follow,
    /// and where the head is, if it goes anywhere.
    pub fn to_csv(&self) -> String {
        let extra: Vec<&String> =
            self.shapes.iter().filter(|s| !ARKIT.contains(&s.as_str())).collect();
        let mut text = String::from("Timecode,BlendShapeCount");
        ARKIT.iter().for_each(|name| text.push_str(&format!(",{}", capital(name))));
        ROTATIONS.iter().for_each(|name| text.push_str(&format!(",{name}")));
        extra.iter().for_each(|name| text.push_str(&format!(",{name}")));
        let goes = self.frames.iter().any(|frame| frame.place != DVec3::ZERO);
        if goes {
            PLACES.iter().for_each(|name| text.push_str(&format!(",{name}")));
        }
        text.push('\n');
        let place = |name: &str| self.shapes.iter().position(|shape| shape == name);
        let places: Vec<Option<usize>> = ARKIT.iter().map(|name| place(name)).collect();
        let rate = self.fps.round().max(1.0) as usize;
        for (number, frame) in self.frames.iter().enumerate() {
            let second = number / rate;
            let (h, m, s) = (second / 3600, second / 60 % 60, second % 60);
            text.push_str(&format!(
                "{h:02}:{m:02}:{s:02}:{:02}.000,{}",
                number % rate,
                ARKIT.len() + 9
            ));
            for place in &places {
                text.push_str(&format!(",{:.5}", place.map_or(0.0, |p| frame.weights[p])));
            }
            let [left, right] = frame.eyes;
            let [yaw, pitch, roll] = frame.head;
            for value in [yaw, pitch, roll, left[0], left[1], 0.0, right[0], right[1], 0.0] {
                text.push_str(&format!(",{value:.5}"));
            }
            for name in &extra {
                text.push_str(&format!(",{:.5}", place(name).map_or(0.0, |p| frame.weights[p])));
            }
            if goes {
                let DVec3 { x, y, z } = frame.place;
                text.push_str(&format!(",{x:.6},{y:.6},{z:.6}"));
            }
            text.push('\n');
        }
        text
    }
}

/// Seconds and frames of `13:04:31.652`, which may have hours before.
fn timecode(field: &str) -> Option<[f64; 2]> {
    let parts: Vec<f64> = field.split(':').map(|p| p.parse().ok()).collect::<Option<_>>()?;
    let (frames, clock) = parts.split_last()?;
    let finite = parts.iter().all(|p| p.is_finite()) && !clock.is_empty();
    finite.then(|| [clock.iter().fold(0.0, |sum, part| 60.0 * sum + part), *frames])
}

/// Frames per second that timecodes tell: they may count faster than frames follow each other.
fn told_rate(times: &[[f64; 2]]) -> Option<f64> {
    let most = times.iter().map(|t| t[1]).fold(0.0, f64::max);
    let base = RATES.into_iter().find(|rate| most < *rate).filter(|_| most > 0.0)?;
    let at = |[seconds, frames]: [f64; 2]| seconds * base + frames;
    let mut steps: Vec<f64> =
        times.windows(2).map(|t| at(t[1]) - at(t[0])).filter(|step| *step > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or(1.0);
    let rate = base / usual;
    let near = RATES.into_iter().find(|known| (rate / known - 1.0).abs() < 0.02);
    Some(near.unwrap_or(rate)).filter(|rate| (1.0..=1000.0).contains(rate))
}

/// Checks the range of a requested frame rate.
pub(super) fn checked_rate(path: &Path, fps: Option<f64>) -> Result<Option<f64>, FaceError> {
    match fps {
        Some(fps) if !(fps.is_finite() && fps > 0.0 && fps <= 1000.0) => {
            let problem = format!("{fps} frames per second make no sense, expected 1 to 1000");
            Err(FaceError::in_line(path, 1, problem))
        }
        fps => Ok(fps),
    }
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str, fps: Option<f64>) -> String {
        Performance::parse("w.csv".as_ref(), text, &Names::default(), fps).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut speech = Performance::speech(30.0);
        assert!(!speech.to_csv().contains("HeadX"));
        speech.frames[7].place = DVec3::new(0.1, 0.25, -1.5);
        let again = Performance::parse("s.csv".as_ref(), &speech.to_csv(), &Names::default(), None)
            .unwrap();
        assert_eq!((again.fps, again.frames.len()), (30.0, speech.frames.len()));
        for (a, b) in again.frames.iter().zip(&speech.frames) {
            for (name, w) in speech.shapes.iter().zip(&b.weights) {
                let place = again.shapes.iter().position(|s| s == name).unwrap();
                assert!((a.weights[place] - w).abs() < 1e-5);
            }
            assert!(
                (a.head[1] - b.head[1]).abs() < 1e-5 && (a.eyes[1][0] - b.eyes[1][0]).abs() < 1e-5
            );
            assert!(a.place.distance(b.place) < 1e-9);
        }
    }

    #[test]
    fn timecodes_tell_the_rate_also_where_they_count_faster() {
        let rate = |codes: &[&str]| {
            let rows: String = codes.iter().map(|code| format!("{code},0.1\n")).collect();
            let text = format!("Timecode,jawOpen\n{rows}");
            Performance::parse("t.csv".as_ref(), &text, &Names::default(), None).unwrap().fps
        };
        let every_second =
            ["1:0:4:55.65", "1:0:4:57.65", "1:0:4:59.65", "1:0:5:01.64", "1:0:5:05.6"];
        assert_eq!(rate(&every_second), 30.0);
        assert_eq!(rate(&["0:0:0:22", "0:0:0:23", "0:0:1:00"]), 24.0);
        assert_eq!((rate(&["", "x"]), rate(&["0:0:0:29"])), (30.0, 30.0));
    }

    #[test]
    fn bad_tables_are_one_clear_sentence() {
        let cases = [
            ("", None, "w.csv, line 1: expected a line of names, found nothing"),
            ("frame,jawOpen\n", None, "w.csv, line 2: expected at least one frame below the names"),
            ("frame\n0\n", None, "w.csv, line 1: expected a line of names with at least one shape"),
            (
                "frame,jawOpen\n0,nan\n",
                None,
                "w.csv, line 2: jawOpen is \"nan\", expected a weight from 0 to 1",
            ),
            (
                "frame,jawOpen\n0,70\n",
                None,
                "w.csv, line 2: jawOpen is \"70\", expected a weight from 0 to 1",
            ),
            ("frame,jawOpen\n0,0,1\n", None, "w.csv, line 2: expected 2 values, found 3"),
            (
                "frame,jawOpen,JawOpen\n0,0,1\n",
                None,
                "w.csv, line 1: the shape jawOpen has two columns",
            ),
            ("frame,wings\n0,0\n", None, "w.csv: there is no shape wings"),
            (
                "frame,jawOpen\n0,0\n",
                Some(0.0),
                "w.csv, line 1: 0 frames per second make no sense, expected 1 to 1000",
            ),
        ];
        for (text, fps, expected) in cases {
            assert_eq!(problem(text, fps), expected);
        }
    }
}

//! Performances as JSON: `{"fps": 30, "frames": [{"jawOpen": 0.2}, …]}`.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::columns::Columns;
use super::table::{MOST_FRAMES, checked_rate};
use super::{Names, Performance};
use crate::error::FaceError;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    fps: Option<f64>,
    frames: Vec<Map<String, Value>>,
}

impl Performance {
    /// Reads frames, each of them numbers by name: shapes, muscles, and rotations as in tables.
    /// What a frame does not name is zero. `fps`, where it is given, is meant instead of the
    /// file's.
    ///
    /// ```
    /// use pliant_face::{Performance, performance::Names};
    /// let text = r#"{"fps": 24, "frames": [{}, {"jawOpen": 0.3, "headYaw": 0.1}]}"#;
    /// let talk = Performance::parse_json("w.json".as_ref(), text, &Names::default(), None)?;
    /// assert_eq!((talk.fps, talk.frames[1].weights[0], talk.frames[1].head[0]), (24.0, 0.3, 0.1));
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    pub fn parse_json(
        path: &Path,
        text: &str,
        names: &Names,
        fps: Option<f64>,
    ) -> Result<Performance, FaceError> {
        let fail = |line, problem| FaceError::in_line(path, line, problem);
        let file: File =
            serde_json::from_str(text).map_err(|error| fail(error.line(), error.to_string()))?;
        let fps = checked_rate(path, fps.or(file.fps))?;
        if file.frames.is_empty() || file.frames.len() > MOST_FRAMES {
            let found = file.frames.len();
            return Err(fail(1, format!("expected 1 to {MOST_FRAMES} frames, found {found}")));
        }
        let mut keys: Vec<&str> = Vec::new();
        for key in file.frames.iter().flat_map(Map::keys) {
            if !keys.contains(&key.as_str()) {
                keys.push(key);
            }
        }
        let columns = Columns::of(path, keys.iter().copied(), names)?;
        let mut frames = Vec::with_capacity(file.frames.len());
        for (number, own) in file.frames.iter().enumerate() {
            let mut frame = columns.frame();
            for (key, column) in keys.iter().zip(&columns.all) {
                let Some(value) = own.get(*key) else { continue };
                let put = columns.put(*column, value.as_f64(), &value.to_string(), &mut frame);
                put.map_err(|wrong| FaceError::Part {
                    path: path.to_owned(),
                    part: format!("frame {number}:"),
                    problem: wrong.to_string(),
                })?;
            }
            frames.push(frame);
        }
        Ok(columns.performance(fps.unwrap_or(30.0), frames))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        let names = Names { muscles: &["mentalis_l"], ..Names::default() };
        let read = Performance::parse_json("w.json".as_ref(), text, &names, None);
        read.map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn bad_frames_are_one_clear_sentence() {
        for (text, expected) in [
            ("{", "w.json, line 1: EOF while parsing an object at line 1 column 1"),
            (r#"{"frames": []}"#, "w.json, line 1: expected 1 to 1048576 frames, found 0"),
            (
                r#"{"frames": [{"jawOpn": 1}]}"#,
                "w.json: there is no shape jawOpn; did you mean jawOpen?",
            ),
            (
                r#"{"frames": [{}, {"jawOpen": "x"}]}"#,
                r#"w.json: frame 1: jawOpen is "\"x\"", expected a weight from 0 to 1"#,
            ),
            (
                r#"{"frames": [{"mentalis_l": 0.9}]}"#,
                r#"w.json: frame 0: mentalis_l is "0.9", expected a contraction from -0.3 to 0.6"#,
            ),
            (
                r#"{"fps": 0, "frames": [{"jawOpen": 0}]}"#,
                "w.json, line 1: 0 frames per second make no sense, expected 1 to 1000",
            ),
            (r#"{"frames": [{"mentalis_l": 0.2, "jawOpen": 0.1}]}"#, ""),
        ] {
            assert_eq!(problem(text), expected, "{text}");
        }
    }

    #[test]
    fn eyes_turn_by_weights_where_nothing_else_turns_them() {
        let text =
            r#"{"frames": [{"eyeLookInLeft": 0.5, "eyeLookOutRight": 0.5, "eyeLookUpLeft": 1}]}"#;
        let read = Performance::parse_json("w.json".as_ref(), text, &Names::default(), None);
        let [left, right] = read.unwrap().frames[0].eyes;
        assert!(left[0] > 0.2 && (left[0] - right[0]).abs() < 1e-12 && left[1] < -0.4);
    }
}

//! Meaning of the columns of a table, or of the keys of a JSON frame.

use std::path::Path;

use thiserror::Error;

use super::{Names, Performance, PerformanceFrame};
use crate::error::FaceError;
use crate::expression::ARKIT;
use crate::template_folder::nearest;

/// Columns of Live Link Face after the shapes, in radians.
pub const ROTATIONS: [&str; 9] = [
    "HeadYaw",
    "HeadPitch",
    "HeadRoll",
    "LeftEyeYaw",
    "LeftEyePitch",
    "LeftEyeRoll",
    "RightEyeYaw",
    "RightEyePitch",
    "RightEyeRoll",
];
/// How far the head is from where it is at rest, in metres.
pub const PLACES: [&str; 3] = ["HeadX", "HeadY", "HeadZ"];
/// Weights beyond this are a mistake, or are percent.
const GREATEST: f64 = 4.0;
/// Muscles shorten by no more than this part of their length, and lengthen by no more than the
/// other.
const CONTRACTION: [f64; 2] = [-0.3, 0.6];
/// More columns than these are a mistake.
const MOST_COLUMNS: usize = 1 << 10;
/// How far eyes turn for a whole `eyeLookOutLeft` and its like (rad).
const GLANCE: f64 = 0.56;

/// What a column holds.
#[derive(Clone, Copy, Debug)]
pub enum TableColumn {
    Timecode,
    Ignored,
    Weight(usize),
    Contraction(usize),
    Rotation(usize),
    Place(usize),
}

/// A value that a column cannot hold.
#[derive(Debug, Error)]
#[error("{name} is {written:?}, expected {expected}")]
pub struct UnexpectedValue {
    name: String,
    written: String,
    expected: &'static str,
}

impl UnexpectedValue {
    fn new(name: &str, written: &str, expected: &'static str) -> UnexpectedValue {
        UnexpectedValue { name: name.to_owned(), written: written.to_owned(), expected }
    }
}

/// The columns of a table.
#[derive(Debug)]
pub struct Columns {
    pub all: Vec<TableColumn>,
    shapes: Vec<String>,
    muscles: Vec<String>,
}

impl Columns {
    /// What the columns of these names are.
    pub fn of<'a>(
        path: &Path,
        header: impl Iterator<Item = &'a str>,
        names: &Names,
    ) -> Result<Columns, FaceError> {
        let known = if names.shapes.is_empty() { &ARKIT[..] } else { names.shapes };
        let fail = |problem| FaceError::in_line(path, 1, problem);
        let mut found = Columns { all: Vec::new(), shapes: Vec::new(), muscles: Vec::new() };
        for name in header {
            if found.all.len() == MOST_COLUMNS {
                return Err(fail(format!("there are more than {MOST_COLUMNS} columns")));
            }
            let is = |other: &str| other.eq_ignore_ascii_case(name);
            let column = if is("timecode") {
                TableColumn::Timecode
            } else if ["frame", "blendshapecount", "time"].into_iter().any(is) {
                TableColumn::Ignored
            } else if let Some(k) = ROTATIONS.into_iter().position(is) {
                TableColumn::Rotation(k)
            } else if let Some(k) = PLACES.into_iter().position(is) {
                TableColumn::Place(k)
            } else if let Some(shape) = known.iter().find(|shape| is(shape)) {
                let number = once(&mut found.shapes, shape)
                    .ok_or_else(|| fail(format!("the shape {shape} has two columns")))?;
                TableColumn::Weight(number)
            } else if let Some(muscle) = names.muscles.iter().find(|muscle| is(muscle)) {
                let number = once(&mut found.muscles, muscle)
                    .ok_or_else(|| fail(format!("the muscle {muscle} has two columns")))?;
                TableColumn::Contraction(number)
            } else {
                let all = known.iter().chain(names.muscles).copied();
                let (path, name) = (path.to_owned(), name.to_owned());
                return Err(FaceError::UnknownShape { path, nearest: nearest(&name, all), name });
            };
            found.all.push(column);
        }
        if found.shapes.is_empty() && found.muscles.is_empty() {
            return Err(fail("expected a line of names with at least one shape".to_owned()));
        }
        Ok(found)
    }

    /// A frame at rest.
    pub fn frame(&self) -> PerformanceFrame {
        PerformanceFrame {
            weights: vec![0.0; self.shapes.len()],
            contractions: vec![0.0; self.muscles.len()],
            ..PerformanceFrame::default()
        }
    }

    /// Writes a value, with its text in the file, into a frame.
    pub fn put(
        &self,
        column: TableColumn,
        value: Option<f64>,
        written: &str,
        frame: &mut PerformanceFrame,
    ) -> Result<(), UnexpectedValue> {
        let value = value.filter(|x| x.is_finite());
        let wrong = |name: &str, expected| UnexpectedValue::new(name, written, expected);
        match column {
            TableColumn::Timecode | TableColumn::Ignored => {}
            TableColumn::Weight(k) => {
                let weight = value.filter(|w| w.abs() <= GREATEST);
                frame.weights[k] =
                    weight.ok_or_else(|| wrong(&self.shapes[k], "a weight from 0 to 1"))?;
            }
            TableColumn::Contraction(k) => {
                let range = CONTRACTION[0]..=CONTRACTION[1];
                frame.contractions[k] = value
                    .filter(|c| range.contains(c))
                    .ok_or_else(|| wrong(&self.muscles[k], "a contraction from -0.3 to 0.6"))?;
            }
            TableColumn::Rotation(k) => {
                let angle = value.filter(|r| r.abs() < 100.0);
                let angle = angle.ok_or_else(|| wrong(ROTATIONS[k], "an angle in radians"))?;
                match k {
                    0..3 => frame.head[k] = angle,
                    3 | 4 => frame.eyes[0][k - 3] = angle,
                    6 | 7 => frame.eyes[1][k - 6] = angle,
                    _ => {}
                }
            }
            TableColumn::Place(k) => {
                let place = value.filter(|x| x.abs() < 1000.0);
                frame.place[k] = place.ok_or_else(|| wrong(PLACES[k], "a place in metres"))?;
            }
        }
        Ok(())
    }

    /// All frames; where no column tells how eyes are turned, weights of `eyeLook…` do.
    pub fn performance(self, fps: f64, mut frames: Vec<PerformanceFrame>) -> Performance {
        if !self.all.iter().any(|column| matches!(column, TableColumn::Rotation(3..))) {
            let find = |name: &str| self.shapes.iter().position(|s| s.eq_ignore_ascii_case(name));
            let looks = ["Left", "Right"].map(|side| {
                ["In", "Out", "Down", "Up"].map(|way| find(&format!("eyeLook{way}{side}")))
            });
            for frame in &mut frames {
                for (k, look) in looks.iter().enumerate() {
                    let [to, out, down, up] = look.map(|n| n.map_or(0.0, |n| frame.weights[n]));
                    // Towards the right of whose eyes they are, and down.
                    let side = if k == 0 { 1.0 } else { -1.0 };
                    frame.eyes[k] = [GLANCE * side * (to - out), GLANCE * (down - up)];
                }
            }
        }
        Performance { fps, shapes: self.shapes, muscles: self.muscles, frames }
    }
}

/// The number of a name that was not there before.
fn once(names: &mut Vec<String>, name: &str) -> Option<usize> {
    if names.iter().any(|known| known == name) {
        return None;
    }
    names.push(name.to_owned());
    Some(names.len() - 1)
}

//! A performance: weights of shapes over time, captured or keyed.
//!
//! Read from what Live Link Face writes (`Timecode,BlendShapeCount`, 52 names, nine rotations),
//! from a plain table (`frame`, then names), or from JSON. Muscles may be told as well as shapes.

mod columns;
mod json;
mod synthetic_speech;
mod table;

use glam::DVec3;

use crate::template::Template;

/// Frames of weights, with the pose of head and eyes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Performance {
    /// Frames per second.
    pub fps: f64,
    /// Names of the shapes that weights are of.
    pub shapes: Vec<String>,
    /// Names of the muscles that contractions are of.
    pub muscles: Vec<String>,
    /// At least one.
    pub frames: Vec<PerformanceFrame>,
}

/// One frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PerformanceFrame {
    /// As many as there are shapes.
    pub weights: Vec<f64>,
    /// As many as there are muscles, beyond what shapes ask of them: parts of the rest length.
    pub contractions: Vec<f64>,
    /// Yaw, pitch and roll of the head (rad).
    pub head: [f64; 3],
    /// How far the head is from where it is at rest (m).
    pub place: DVec3,
    /// Yaw, to the right of whose face it is, and pitch, down, of the left and the right eye (rad).
    pub eyes: [[f64; 2]; 2],
}

/// Names that a performance may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// Of shapes; those of ARKit if there are none.
    pub shapes: &'a [&'a str],
    pub muscles: &'a [&'a str],
}

impl Performance {
    /// Where the skin's vertices are in a frame (m), by linear blendshapes; the head is not turned.
    /// Beyond the last frame, the last.
    ///
    /// ```
    /// use pliant_face::{Performance, Template};
    /// use pliant_math::team::Team;
    /// let head = Template::built_in(0.006, &Team::new(2))?;
    /// let speech = Performance::speech(30.0);
    /// assert_eq!(speech.frames.len(), 300);
    /// assert_eq!(speech.skin(&head, 12).len(), head.skin.mesh.positions.len());
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    pub fn skin(&self, template: &Template, frame: usize) -> Vec<DVec3> {
        let Some(frame) = self.frames.get(frame).or(self.frames.last()) else {
            return template.skin.mesh.positions.clone();
        };
        let weights: Vec<(&str, f64)> =
            self.shapes.iter().map(String::as_str).zip(frame.weights.iter().copied()).collect();
        template.pose(&weights)
    }
}

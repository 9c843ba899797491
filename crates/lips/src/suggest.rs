//! Which frame to correct next: the one whose mouth is farthest from everything that the corrected
//! frames show.
//!
//! Taken again and again from nothing, this is the choice of columns of a pivoted QR factorisation
//! (Businger and Golub 1965): first the most extreme pose, then the one with most that is new.
//! Those are the "frames at the extreme poses" that Dinev 2020, Section 2.3.1.1, picked by hand.

use crate::model::FrameReport;

/// A frame that is worth correcting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suggestion {
    /// From 0.
    pub frame: usize,
    /// The part of the largest deformation in the sequence that no corrected frame shows: 1 when
    /// nothing is known, 0 when there is nothing to learn.
    pub score: f64,
}

/// Watches frames go by.
///
/// ```
/// use pliant_lips::{FrameReport, Suggester};
/// let mut suggester = Suggester::default();
/// for (frame, (deformation, unknown)) in [(0.4, 0.1), (0.2, 0.2), (0.3, 0.0)].into_iter().enumerate() {
///     let report = FrameReport { deformation, unknown, is_finite: true, ..Default::default() };
///     suggester.watch(frame, &report);
/// }
/// let next = suggester.suggestion().unwrap();
/// assert_eq!((next.frame, next.score), (1, 0.5));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Suggester {
    largest: f64,
    best: Option<(usize, f64)>,
}

impl Suggester {
    /// Takes a frame into account; the first of equals is kept.
    pub fn watch(&mut self, frame: usize, report: &FrameReport) {
        if report.is_finite {
            self.largest = self.largest.max(report.deformation);
            if self.best.is_none_or(|(_, unknown)| report.unknown > unknown) {
                self.best = Some((frame, report.unknown));
            }
        }
    }

    /// The frame to correct next; none when nothing was seen.
    pub fn suggestion(&self) -> Option<Suggestion> {
        let (frame, unknown) = self.best?;
        let score = if self.largest > 0.0 { unknown / self.largest } else { 0.0 };
        Some(Suggestion { frame, score })
    }
}

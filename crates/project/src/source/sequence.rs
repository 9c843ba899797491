//! The frames of an animation, made whole: what is no number, and frames whose numbers are left
//! out, come from the frames around them, and a warning says so.

use std::ops::RangeInclusive;
use std::path::Path;

use glam::DVec3;
use pliant_enrich::input::missing_frames;

use super::{FrameRange, Source};
use crate::error::ProjectError;

/// Frames of an animation; missing and non-finite ones are interpolated.
pub struct Sequence {
    pub source: Source,
    /// The source's frame of each, where there is one.
    slots: Vec<Option<usize>>,
    /// The part that is asked for.
    frames: RangeInclusive<usize>,
    /// Frames that had to be mended, of those that were read.
    mended: Vec<usize>,
}

impl Sequence {
    /// Some frames of an animation.
    pub fn of(source: Source, asked: FrameRange) -> Result<Sequence, ProjectError> {
        let numbers: Option<Vec<u64>> =
            source.frame_files().iter().map(|f| missing_frames::frame_number(f)).collect();
        let slots = match numbers {
            Some(numbers) if numbers.len() == source.frames() => {
                missing_frames::frame_slots(&numbers)
            }
            _ => (0..source.frames()).map(Some).collect(),
        };
        let frames = asked.within(slots.len()).ok_or_else(|| {
            let problem =
                format!("has {} frames, counted from 0, none of those asked for", slots.len());
            ProjectError::about(Path::new(&source.name()), problem)
        })?;
        Ok(Sequence { source, slots, frames, mended: Vec::new() })
    }

    /// How many frames there are, at least one.
    pub fn frames(&self) -> usize {
        self.frames.end() - self.frames.start() + 1
    }

    /// A frame of those asked for, from 0.
    pub fn frame(&mut self, index: usize) -> Result<Vec<DVec3>, ProjectError> {
        let first = *self.frames.start();
        let at = (first + index).min(*self.frames.end());
        let Sequence { source, slots, .. } = self;
        let mut read = |k: usize| slots[k].map(|slot| source.frame(slot)).transpose();
        let Some(frame) = missing_frames::repaired_frame(at, slots.len(), &mut read)? else {
            let problem = "has a vertex that is not finite in any frame".to_owned();
            return Err(ProjectError::about(Path::new(&self.source.name()), problem));
        };
        if frame.is_repaired && !self.mended.contains(&at) {
            self.mended.push(at);
        }
        Ok(frame.positions)
    }

    /// A sentence about what had to be mended.
    pub fn warning(&self) -> Option<String> {
        let mut mended = self.mended.clone();
        mended.sort_unstable();
        let names: Vec<String> = mended.iter().take(5).map(usize::to_string).collect();
        let more = mended.len().saturating_sub(names.len());
        let also = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!mended.is_empty()).then(|| {
            format!(
                "frames that are missing or not finite were interpolated: {}{also}",
                names.join(", ")
            )
        })
    }
}

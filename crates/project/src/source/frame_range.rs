//! Ranges of frames, as in `20..80`.

use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

/// `20..80`: frames from 20 to 80, both included; either end may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    first: usize,
    last: usize,
}

/// Why a text is no range of frames.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum FrameRangeError {
    /// It is not two numbers with `..` between them.
    #[error("expected a range such as 20..80, or 5..5 for one frame")]
    Form,
    /// It ends before it begins.
    #[error("the first frame comes after the last one")]
    Order,
}

impl FromStr for FrameRange {
    type Err = FrameRangeError;

    fn from_str(text: &str) -> Result<Self, FrameRangeError> {
        let (first, last) = text.split_once("..").ok_or(FrameRangeError::Form)?;
        let end = |digits: &str, open: usize| match digits {
            "" => Ok(open),
            digits => digits.parse().map_err(|_| FrameRangeError::Form),
        };
        let range = FrameRange { first: end(first, 0)?, last: end(last, usize::MAX)? };
        if range.first > range.last { Err(FrameRangeError::Order) } else { Ok(range) }
    }
}

impl FrameRange {
    /// Every frame.
    pub const ALL: FrameRange = FrameRange { first: 0, last: usize::MAX };

    /// A single frame.
    pub fn only(frame: usize) -> FrameRange {
        FrameRange { first: frame, last: frame }
    }

    /// The range within `count` frames; `None` if it is empty.
    pub fn within(self, count: usize) -> Option<RangeInclusive<usize>> {
        let last = self.last.min(count.checked_sub(1)?);
        (self.first <= last).then_some(self.first..=last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends_and_may_be_open() {
        let within = |text: &str, count| FrameRange::from_str(text).unwrap().within(count);
        assert_eq!(within("2..4", 10), Some(2..=4));
        assert_eq!(within("8..", 10), Some(8..=9));
        assert_eq!(within("..3", 10), Some(0..=3));
        assert_eq!(within("20..80", 10), None);
        assert_eq!(FrameRange::ALL.within(0), None);
        for wrong in ["", "5", "4..2", "a..b", "-1..3", "1...3"] {
            assert!(FrameRange::from_str(wrong).is_err(), "{wrong}");
        }
    }
}

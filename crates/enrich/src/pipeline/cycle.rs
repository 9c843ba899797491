//! Looping animations, simulated round by round until the end of the loop meets its beginning.
//!
//! Flesh that starts at rest needs some rounds to reach its periodic motion. The remaining gap
//! between the end of the last round and its beginning is reported.

use glam::DVec3;

use super::Enrichment;

/// Maximum number of rounds.
const ROUNDS: u32 = 12;
/// Gap, relative to the body's size, below which a loop is closed.
const CLOSED: f64 = 2e-3;
/// Distance, relative to the mesh's size, below which the first and last frames are the same.
const SAME: f64 = 1e-3;
/// A loop jumps if its last frame is this many times farther from the first than any other frame
/// from the one before.
const JUMP: f64 = 3.0;

/// Period of a looping animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Number of frames until the first one repeats.
    pub period: usize,
    /// True if the last frame is much farther from the first than other frames from their
    /// neighbours.
    pub jumps: bool,
}

impl Cycle {
    /// Determines the period of frames that `input` reads in order. A last frame equal to the first
    /// does not count. `None` for fewer than two different frames.
    pub fn of<E>(
        count: usize,
        size: f64,
        input: &mut dyn FnMut(usize) -> Result<Vec<DVec3>, E>,
    ) -> Result<Option<Cycle>, E> {
        if count < 2 {
            return Ok(None);
        }
        let first = input(0)?;
        let (mut last, mut greatest) = (first.clone(), 0.0f64);
        for k in 1..count {
            let frame = input(k)?;
            greatest = greatest.max(max_distance(&frame, &last));
            last = frame;
        }
        let closing = max_distance(&last, &first);
        if greatest == 0.0 {
            return Ok(None);
        }
        let is_same = closing <= SAME * size;
        let period = if is_same { count - 1 } else { count };
        Ok((period > 1).then_some(Cycle { period, jumps: !is_same && closing > JUMP * greatest }))
    }
}

/// Result of closing the loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settled {
    /// Number of rounds before the one that is shown.
    pub rounds: u32,
    /// Greatest distance between the end of the last round and its beginning, relative to the
    /// body's size.
    pub gap: f64,
}

impl Enrichment {
    /// Simulates rounds of `period` frames, which `input` reads, until the motion is periodic. The
    /// next frame is then the first of the loop.
    ///
    /// # Errors
    /// The errors of `input`.
    pub fn settle<E>(
        &mut self,
        period: usize,
        input: &mut dyn FnMut(usize) -> Result<Vec<DVec3>, E>,
    ) -> Result<Settled, E> {
        let size = self.embedded.length();
        let second = input(1 % period)?;
        let mut report = self.advance_to(0, &input(0)?, Some(&second));
        let mut begin = self.simulated.clone();
        let mut settled = Settled { rounds: 0, gap: f64::INFINITY };
        while settled.rounds < ROUNDS && settled.gap > CLOSED {
            for k in 1..=period {
                report = self.advance_to(k % period, &input(k % period)?, None);
            }
            settled.gap = max_distance(&self.simulated, &begin) / size;
            settled.rounds += 1;
            begin.copy_from_slice(&self.simulated);
        }
        self.pending = Some(report);
        Ok(settled)
    }
}

/// Greatest distance between corresponding vertices of two shapes.
fn max_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

//! Animations that go round: simulated round by round until the end of the cycle meets its beginning.
//!
//! Flesh that started at rest needs some rounds to swing as it always will. What is left between the
//! end of the last round and its beginning is told.

use glam::DVec3;

use crate::pipeline::Enrichment;

/// The most rounds.
const ROUNDS: u32 = 12;
/// Of the body's size: a cycle whose ends are this near is closed.
const CLOSED: f64 = 2e-3;
/// Of the mesh's size: first and last frames that are this near are the same frame.
const SAME: f64 = 1e-3;
/// Of the greatest step from a frame to the next: a way from the last frame to the first that is longer is
/// a jump.
const JUMP: f64 = 3.0;

/// How frames go round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Frames until the first comes again.
    pub period: usize,
    /// Whether the way from the last frame back to the first is much longer than that between others.
    pub jumps: bool,
}

impl Cycle {
    /// Of frames that are read one after the other; a last frame that is the first again does not count.
    /// `None` for fewer than two that differ.
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
            greatest = greatest.max(apart(&frame, &last));
            last = frame;
        }
        let closing = apart(&last, &first);
        if greatest == 0.0 {
            return Ok(None);
        }
        let is_same = closing <= SAME * size;
        let period = if is_same { count - 1 } else { count };
        Ok((period > 1).then_some(Cycle { period, jumps: !is_same && closing > JUMP * greatest }))
    }
}

/// What came of going round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settled {
    /// Rounds before the one that is shown.
    pub rounds: u32,
    /// The greatest distance between the end of the last round and its beginning, relative to the body's
    /// size.
    pub gap: f64,
}

impl Enrichment {
    /// Goes round `period` frames, which `input` reads, until nothing changes from round to round. The
    /// next frame is then the first of the cycle.
    ///
    /// # Errors
    /// Those of `input`.
    pub fn settle<E>(
        &mut self,
        period: usize,
        input: &mut dyn FnMut(usize) -> Result<Vec<DVec3>, E>,
    ) -> Result<Settled, E> {
        let size = self.bound().surface.bounds().map_or(1.0, |b| b.size().max_element());
        let second = input(1 % period)?;
        let mut here = self.advance_to(0, &input(0)?, Some(&second));
        let mut begin = self.simulated().to_vec();
        let mut settled = Settled { rounds: 0, gap: f64::INFINITY };
        while settled.rounds < ROUNDS && settled.gap > CLOSED {
            for k in 1..=period {
                here = self.advance_to(k % period, &input(k % period)?, None);
            }
            settled.gap = apart(self.simulated(), &begin) / size;
            settled.rounds += 1;
            begin.copy_from_slice(self.simulated());
        }
        self.stand(here);
        Ok(settled)
    }
}

/// The greatest distance between two shapes.
fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

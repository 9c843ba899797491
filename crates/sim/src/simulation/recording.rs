//! Positions after every step, kept in memory to be saved.

use glam::DVec3;

/// Most bytes of positions that a recording keeps.
pub const RECORDING_BYTES: usize = 1 << 30;

/// The positions of all vertices, in user order, at the start and after every step.
///
/// A recording ends when its frames fill [`RECORDING_BYTES`] (1 GiB: 745 frames of 60,000
/// vertices); steps after that are counted in [`Recording::missed`].
#[derive(Clone, Debug)]
pub struct Recording {
    frames: Vec<Box<[DVec3]>>,
    times: Vec<f64>,
    missed: usize,
    room: usize,
}

impl Recording {
    /// An empty recording that keeps at most `bytes` of positions.
    pub(super) fn new(bytes: usize) -> Self {
        let room = bytes / size_of::<DVec3>();
        Recording { frames: Vec::new(), times: Vec::new(), missed: 0, room }
    }

    /// Adds a frame, if there is room.
    pub(super) fn add(&mut self, time: f64, positions: &[DVec3]) {
        if positions.len() > self.room || self.missed > 0 {
            self.missed += 1;
            return;
        }
        self.room -= positions.len();
        self.frames.push(positions.into());
        self.times.push(time);
    }

    /// The frames \[m\], oldest first.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = &[DVec3]> {
        self.frames.iter().map(|frame| &**frame)
    }

    /// The time of each frame \[s\].
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Frames per second of simulated time; `None` with fewer than two frames.
    pub fn fps(&self) -> Option<f64> {
        let seconds = self.times.last()? - self.times.first()?;
        let fps = (self.times.len() - 1) as f64 / seconds;
        // Sixtieths of a second are no binary fraction.
        let whole = fps.round();
        let is_whole = (fps - whole).abs() < 1e-9 * whole;
        (seconds > 0.0).then_some(if is_whole { whole } else { fps })
    }

    /// How many steps found no room.
    pub fn missed(&self) -> usize {
        self.missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_recording_counts_what_it_misses() {
        let mut recording = Recording::new(5 * size_of::<DVec3>());
        for step in 0..4 {
            recording.add(f64::from(step) / 60.0, &[DVec3::X, DVec3::Y * f64::from(step)]);
        }
        assert_eq!((recording.frames().len(), recording.missed()), (2, 2));
        assert_eq!(recording.frames().last().unwrap()[1], DVec3::Y);
        assert_eq!(recording.fps(), Some(60.0));
    }
}

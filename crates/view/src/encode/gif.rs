//! Animations as GIF, written frame by frame: looping, dithered, only what changed.

use std::borrow::Cow;
use std::io::Write;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::palette::Palette;
use super::{check_frame, check_rate};
use crate::{Error, Picture};

/// Index that leaves a pixel as it was.
const UNCHANGED: u8 = 255;
/// Shortest time that viewers show a frame for \[1/100 s\].
const SHORTEST: u64 = 2;
/// A palette is kept while its error has grown by no more than this.
const PATIENCE: f32 = 1.25;

/// Writes an endless GIF animation. Rates above 50 frames per second leave out frames to keep
/// time. The same frames give the same bytes.
///
/// ```
/// use pliant_view::{GifWriter, Picture};
/// let mut gif = GifWriter::new(Vec::new(), 32, 24, 30.0)?;
/// gif.add(&Picture::filled(32, 24, [200, 30, 30])?)?;
/// gif.add(&Picture::filled(32, 24, [30, 30, 200])?)?;
/// let bytes = gif.finish()?;
/// assert!(bytes.starts_with(b"GIF89a"));
/// # Ok::<(), pliant_view::Error>(())
/// ```
pub struct GifWriter<W: Write> {
    encoder: Encoder<W>,
    width: usize,
    height: usize,
    fps: f64,
    /// Frames given so far.
    given: usize,
    /// The palette in use, and its error on the frame that it was made for.
    palette: Option<(Palette, f32)>,
    /// What the viewer sees.
    canvas: Vec<u8>,
    /// The last frame, which waits for its duration, and when it starts \[1/100 s\].
    pending: Option<(Frame<'static>, u64)>,
}

impl<W: Write> GifWriter<W> {
    /// Starts an animation of `fps` frames per second, each `width` × `height` pixels.
    pub fn new(output: W, width: usize, height: usize, fps: f64) -> Result<Self, Error> {
        check_rate(fps)?;
        let side = |pixels: usize| {
            u16::try_from(pixels).ok().filter(|p| *p > 0).ok_or(Error::Size { width, height })
        };
        let mut encoder = Encoder::new(output, side(width)?, side(height)?, &[])?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(GifWriter {
            encoder,
            width,
            height,
            fps,
            given: 0,
            palette: None,
            canvas: Vec::new(),
            pending: None,
        })
    }

    /// Adds a frame.
    pub fn add(&mut self, picture: &Picture) -> Result<(), Error> {
        check_frame(picture, self.given, self.width, self.height)?;
        let start = self.start_of(self.given);
        self.given += 1;
        if let Some((last, last_start)) = self.pending.take() {
            if start - last_start < SHORTEST {
                self.pending = Some((last, last_start));
                return Ok(());
            }
            self.write(last, start - last_start)?;
        }
        self.pending = Some((self.encode(picture), start));
        Ok(())
    }

    /// Writes what is left, and hands the output back.
    pub fn finish(mut self) -> Result<W, Error> {
        let (last, start) = self.pending.take().ok_or(Error::Empty { what: "the animation" })?;
        let end = self.start_of(self.given);
        self.write(last, (end - start).max(SHORTEST))?;
        Ok(self.encoder.into_inner()?)
    }

    /// When a frame starts \[1/100 s\].
    fn start_of(&self, frame: usize) -> u64 {
        (frame as f64 * 100.0 / self.fps).round() as u64
    }

    fn write(&mut self, mut frame: Frame<'static>, duration: u64) -> Result<(), Error> {
        frame.delay = u16::try_from(duration).unwrap_or(u16::MAX);
        Ok(self.encoder.write_frame(&frame)?)
    }

    /// The part of the picture that differs from what the viewer sees.
    fn encode(&mut self, picture: &Picture) -> Frame<'static> {
        let (palette, mut entries) = self.quantise(picture);
        let mut changed = [self.width, self.height, 0, 0];
        let is_first = self.canvas.is_empty();
        self.canvas.resize(3 * entries.len(), 0);
        for (number, (entry, seen)) in
            entries.iter_mut().zip(self.canvas.chunks_exact_mut(3)).enumerate()
        {
            let at = 3 * usize::from(*entry);
            let colour = &palette[at..at + 3];
            if !is_first && seen == colour {
                *entry = UNCHANGED;
                continue;
            }
            seen.copy_from_slice(colour);
            let (x, y) = (number % self.width, number / self.width);
            changed = [changed[0].min(x), changed[1].min(y), changed[2].max(x), changed[3].max(y)];
        }
        if changed[0] > changed[2] {
            // Nothing moved; a frame must still have a pixel.
            changed = [0, 0, 0, 0];
        }
        let [left, top, right, bottom] = changed;
        let rows =
            (top..=bottom).flat_map(|y| &entries[y * self.width + left..=y * self.width + right]);
        let buffer: Vec<u8> = rows.copied().collect();
        Frame {
            left: left as u16,
            top: top as u16,
            width: (right - left + 1) as u16,
            height: (bottom - top + 1) as u16,
            dispose: DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            palette: Some(palette),
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        }
    }

    /// Entries of the palette in use, or of a new one where that has become too coarse.
    fn quantise(&mut self, picture: &Picture) -> (Vec<u8>, Vec<u8>) {
        if let Some((palette, first_error)) = &mut self.palette {
            let (entries, error) = palette.dither(picture);
            if error <= PATIENCE * *first_error + 0.5 {
                return (palette.bytes(), entries);
            }
        }
        let mut palette = Palette::of(picture);
        let (entries, error) = palette.dither(picture);
        let bytes = palette.bytes();
        self.palette = Some((palette, error));
        (bytes, entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(step: usize) -> Picture {
        let mut picture = Picture::filled(40, 30, [240, 240, 250]).unwrap();
        picture.paste(&Picture::filled(8, 8, [200, 30, 30]).unwrap(), 2 * step, 10);
        picture
    }

    fn animation(count: usize, fps: f64) -> Vec<u8> {
        let mut gif = GifWriter::new(Vec::new(), 40, 30, fps).unwrap();
        (0..count).for_each(|i| gif.add(&frame(i)).unwrap());
        gif.finish().unwrap()
    }

    /// Decoded frames as the viewer sees them, and their durations \[1/100 s\].
    fn played(bytes: &[u8]) -> Vec<(Vec<u8>, u16)> {
        let mut decoder = gif::DecodeOptions::new().read_info(bytes).unwrap();
        let mut canvas = vec![0; 3 * 40 * 30];
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            let palette = frame.palette.as_ref().unwrap();
            for (number, &entry) in frame.buffer.iter().enumerate() {
                let (x, y) = (number % usize::from(frame.width), number / usize::from(frame.width));
                let at = 3 * ((usize::from(frame.top) + y) * 40 + usize::from(frame.left) + x);
                if Some(entry) != frame.transparent {
                    let colour = &palette[3 * usize::from(entry)..][..3];
                    canvas[at..at + 3].copy_from_slice(colour);
                }
            }
            frames.push((canvas.clone(), frame.delay));
        }
        frames
    }

    #[test]
    fn an_animation_plays_back_as_it_was_drawn() {
        let frames = played(&animation(6, 30.0));
        assert_eq!(frames.len(), 6);
        for (number, (pixels, _)) in frames.iter().enumerate() {
            assert!(*pixels == frame(number).rgb, "frame {number} differs");
        }
        assert_eq!(frames.iter().map(|f| f.1).collect::<Vec<_>>(), [3, 4, 3, 3, 4, 3]);
        assert_eq!(animation(6, 30.0), animation(6, 30.0));
    }

    #[test]
    fn fast_animations_leave_out_frames_to_keep_time() {
        let frames = played(&animation(12, 100.0));
        assert_eq!(frames.iter().map(|f| f.1).collect::<Vec<_>>(), [2; 6]);
        assert!(frames[1].0 == frame(2).rgb);
    }

    #[test]
    fn a_still_animation_is_small() {
        let mut gif = GifWriter::new(Vec::new(), 40, 30, 10.0).unwrap();
        (0..5).for_each(|_| gif.add(&frame(3)).unwrap());
        let frames = played(&gif.finish().unwrap());
        assert!(frames.iter().all(|f| f.0 == frame(3).rgb) && frames.len() == 5);
    }

    #[test]
    fn wrong_frames_rates_and_sizes_are_refused() {
        for fps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(GifWriter::new(Vec::new(), 4, 4, fps), Err(Error::FrameRate { .. })));
        }
        assert!(matches!(GifWriter::new(Vec::new(), 0, 4, 9.0), Err(Error::Size { .. })));
        assert!(matches!(GifWriter::new(Vec::new(), 70_000, 4, 9.0), Err(Error::Size { .. })));
        let mut gif = GifWriter::new(Vec::new(), 40, 30, 9.0).unwrap();
        gif.add(&frame(0)).unwrap();
        let other = Picture::filled(40, 31, [0; 3]).unwrap();
        assert!(matches!(gif.add(&other), Err(Error::FrameSize { frame: 1, height: 31, .. })));
        let gif = GifWriter::new(Vec::new(), 40, 30, 9.0).unwrap();
        assert!(matches!(gif.finish(), Err(Error::Empty { .. })));
    }
}

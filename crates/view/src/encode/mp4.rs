//! Animations as MP4 (H.264), through a pipe to the program `ffmpeg`.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use super::{check_frame, check_rate};
use crate::{Error, Picture};

/// Streams frames into a running `ffmpeg`, which writes the file. Plays everywhere (4:2:0,
/// sides rounded up to even numbers).
///
/// ```no_run
/// use pliant_view::{Mp4Writer, Picture};
/// let mut mp4 = Mp4Writer::new("jelly.mp4".as_ref(), 640, 360, 30.0)?;
/// mp4.add(&Picture::filled(640, 360, [200, 30, 30])?)?;
/// mp4.finish()?;
/// # Ok::<(), pliant_view::Error>(())
/// ```
pub struct Mp4Writer {
    ffmpeg: Child,
    /// Collects what it complains about, so that its pipe never fills up.
    complaints: Option<JoinHandle<String>>,
    width: usize,
    height: usize,
    given: usize,
}

impl Mp4Writer {
    /// Starts `ffmpeg` from the search path; it overwrites `path`.
    pub fn new(path: &Path, width: usize, height: usize, fps: f64) -> Result<Self, Error> {
        Mp4Writer::with_program("ffmpeg".as_ref(), path, width, height, fps)
    }

    /// Starts the given program in place of `ffmpeg`.
    pub fn with_program(
        program: &OsStr,
        path: &Path,
        width: usize,
        height: usize,
        fps: f64,
    ) -> Result<Self, Error> {
        check_rate(fps)?;
        let sides = 1..=Picture::LARGEST_SIDE;
        if !sides.contains(&width) || !sides.contains(&height) {
            return Err(Error::Size { width, height });
        }
        let size = format!("{width}x{height}");
        let rate = fps.to_string();
        let mut ffmpeg = Command::new(program)
            .args(["-y", "-hide_banner", "-loglevel", "error"])
            .args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", &rate, "-i", "pipe:0"])
            .args(["-an", "-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact"])
            .args([
                "-vf",
                "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv",
            ])
            .args(["-c:v", "libx264", "-preset", "medium", "-crf", "17", "-pix_fmt", "yuv420p"])
            .args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"])
            .args(["-movflags", "+faststart", "-f", "mp4"])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => Error::FfmpegMissing,
                _ => Error::Io(error),
            })?;
        let complaints = ffmpeg.stderr.take().map(|mut stream| {
            thread::spawn(move || {
                let mut text = Vec::new();
                // What was read before a failure is still worth showing.
                let _ = stream.read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            })
        });
        Ok(Mp4Writer { ffmpeg, complaints, width, height, given: 0 })
    }

    /// Adds a frame.
    pub fn add(&mut self, picture: &Picture) -> Result<(), Error> {
        check_frame(picture, self.given, self.width, self.height)?;
        self.given += 1;
        let written = self.ffmpeg.stdin.as_mut().map(|pipe| pipe.write_all(&picture.rgb));
        match written {
            Some(Ok(())) => Ok(()),
            // A closed pipe means that ffmpeg gave up; it knows why.
            Some(Err(error)) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
            _ => Err(self.failure()?),
        }
    }

    /// Waits until the file is whole.
    pub fn finish(mut self) -> Result<(), Error> {
        drop(self.ffmpeg.stdin.take());
        if self.given == 0 {
            return Err(Error::Empty { what: "the animation" });
        }
        if self.ffmpeg.wait()?.success() { Ok(()) } else { Err(self.failure()?) }
    }

    /// What ffmpeg has to say about its end.
    fn failure(&mut self) -> Result<Error, Error> {
        drop(self.ffmpeg.stdin.take());
        let status = self.ffmpeg.wait()?.to_string();
        let said = self.complaints.take().and_then(|c| c.join().ok()).unwrap_or_default();
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        let message = lines[lines.len().saturating_sub(3)..].join("; ");
        let message = if message.is_empty() { "it gave no reason".into() } else { message };
        Ok(Error::Ffmpeg { status, message })
    }
}

impl Drop for Mp4Writer {
    /// Without [`Mp4Writer::finish`], ffmpeg sees the end of its input and is waited for.
    fn drop(&mut self) {
        drop(self.ffmpeg.stdin.take());
        let _ = self.ffmpeg.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture {
        Picture::filled(6, 5, [1, 2, 3]).unwrap()
    }

    #[test]
    fn a_missing_program_is_named() {
        let program = OsStr::new("pliant-has-no-such-program");
        let Err(error) = Mp4Writer::with_program(program, "x.mp4".as_ref(), 6, 5, 30.0) else {
            panic!("a program that does not exist was started");
        };
        assert!(matches!(error, Error::FfmpegMissing) && error.to_string().contains("ffmpeg"));
    }

    #[test]
    fn wrong_rates_and_sizes_are_refused_before_anything_starts() {
        let with =
            |w, h, fps| Mp4Writer::with_program("none".as_ref(), "x".as_ref(), w, h, fps).err();
        assert!(matches!(with(6, 5, 0.0), Some(Error::FrameRate { .. })));
        assert!(matches!(with(0, 5, 30.0), Some(Error::Size { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_fails_is_an_error_with_its_status() {
        let mut mp4 = Mp4Writer::with_program("false".as_ref(), "x".as_ref(), 6, 5, 30.0).unwrap();
        // The pipe may still take a few frames before the end is noticed.
        let mut outcome = Ok(());
        for _ in 0..100_000 {
            outcome = mp4.add(&picture());
            if outcome.is_err() {
                break;
            }
        }
        assert!(matches!(outcome, Err(Error::Ffmpeg { .. })), "{outcome:?}");
    }

    #[cfg(unix)]
    #[test]
    fn every_pixel_reaches_the_program() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("pliant-view-mp4-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (script, output) = (folder.join("copy"), folder.join("pixels"));
        std::fs::write(&script, "#!/bin/sh\nfor last; do :; done\ncat > \"$last\"\n").unwrap();
        std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
        let mut mp4 = Mp4Writer::with_program(script.as_ref(), &output, 6, 5, 30.0).unwrap();
        mp4.add(&picture()).unwrap();
        mp4.add(&picture()).unwrap();
        mp4.finish().unwrap();
        let bytes = std::fs::read(&output).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(bytes, picture().rgb.repeat(2));
    }
}

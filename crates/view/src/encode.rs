//! Pictures as bytes: PNG stills, GIF and MP4 animations.

mod gif;
mod mp4;
mod palette;
mod png;

pub use gif::GifWriter;
pub use mp4::Mp4Writer;
pub use png::write_png;

use crate::{Error, Picture};

fn check_rate(fps: f64) -> Result<(), Error> {
    // Rates beyond this range are mistakes, and their frame times would overflow.
    if (1e-3..=1e4).contains(&fps) { Ok(()) } else { Err(Error::FrameRate { fps }) }
}

fn check_frame(picture: &Picture, frame: usize, width: usize, height: usize) -> Result<(), Error> {
    let whole = picture.rgb.len() == 3 * width * height;
    if picture.width == width && picture.height == height && whole {
        return Ok(());
    }
    Err(Error::FrameSize {
        frame,
        width: picture.width,
        height: picture.height,
        expected_width: width,
        expected_height: height,
    })
}

//! Stills as PNG.

use std::io::Write;

use crate::{Error, Picture};

/// Writes a picture as an 8-bit sRGB PNG; the same picture gives the same bytes.
///
/// ```
/// let picture = pliant_view::Picture::filled(8, 8, [20, 40, 60])?;
/// let mut bytes = Vec::new();
/// pliant_view::write_png(&picture, &mut bytes)?;
/// assert!(bytes.starts_with(b"\x89PNG"));
/// # Ok::<(), pliant_view::Error>(())
/// ```
pub fn write_png(picture: &Picture, output: impl Write) -> Result<(), Error> {
    // The sides of a picture are public and could be anything; the encoder checks the bytes.
    let side = |pixels: usize| {
        u32::try_from(pixels)
            .map_err(|_| Error::Size { width: picture.width, height: picture.height })
    };
    let mut encoder = png::Encoder::new(output, side(picture.width)?, side(picture.height)?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.rgb)?;
    Ok(writer.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_decodes_to_the_same_pixels() {
        let mut picture = Picture::filled(37, 19, [0; 3]).unwrap();
        for (at, byte) in picture.rgb.iter_mut().enumerate() {
            *byte = (at * 7919 % 256) as u8;
        }
        let mut bytes = Vec::new();
        write_png(&picture, &mut bytes).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgb).unwrap();
        assert_eq!((info.width, info.height, info.color_type), (37, 19, png::ColorType::Rgb));
        assert_eq!(rgb, picture.rgb);
    }

    #[test]
    fn a_picture_with_too_few_bytes_is_refused() {
        let picture = Picture { width: 4, height: 4, rgb: vec![0; 5] };
        assert!(matches!(write_png(&picture, Vec::new()), Err(Error::Png(_))));
    }
}

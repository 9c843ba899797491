//! A finished picture: 8-bit sRGB pixels in rows from the top left.

use std::sync::LazyLock;

use glam::Vec3;

use crate::Error;

/// An opaque picture in sRGB, three bytes per pixel, rows from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns \[px\].
    pub width: usize,
    /// Rows \[px\].
    pub height: usize,
    /// Red, green, blue per pixel; `3 · width · height` bytes.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// The longest side a picture can have \[px\].
    pub const LARGEST_SIDE: usize = 16_384;
    /// The largest area a picture can have \[px\].
    pub const LARGEST_AREA: usize = 1 << 27;

    /// A picture filled with one sRGB colour.
    ///
    /// ```
    /// let picture = pliant_view::Picture::filled(4, 3, [255, 0, 0])?;
    /// assert_eq!(picture.pixel(3, 2), Some([255, 0, 0]));
    /// # Ok::<(), pliant_view::Error>(())
    /// ```
    pub fn filled(width: usize, height: usize, colour: [u8; 3]) -> Result<Self, Error> {
        let sides = 1..=Self::LARGEST_SIDE;
        if !sides.contains(&width)
            || !sides.contains(&height)
            || width * height > Self::LARGEST_AREA
        {
            return Err(Error::Size { width, height });
        }
        Ok(Picture { width, height, rgb: colour.repeat(width * height) })
    }

    /// The colour of a pixel, counted from the top left; `None` outside the picture.
    pub fn pixel(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = 3 * (y * self.width + x);
        self.rgb.get(at..at + 3).map(|c| [c[0], c[1], c[2]])
    }

    /// Copies `other` into this picture with its top left corner at (x, y); what does not fit
    /// is cut off.
    pub fn paste(&mut self, other: &Picture, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        let rows = other.height.min(self.height.saturating_sub(y));
        for row in 0..rows {
            let from = 3 * row * other.width;
            let to = 3 * ((y + row) * self.width + x);
            self.rgb[to..to + 3 * columns].copy_from_slice(&other.rgb[from..from + 3 * columns]);
        }
    }
}

/// sRGB byte of a linear intensity; values outside 0..=1 are clamped.
pub(crate) fn encode_srgb(linear: f32) -> u8 {
    BYTES[(linear.clamp(0.0, 1.0) * BYTES_LAST as f32 + 0.5) as usize]
}

/// Fine enough that neighbouring entries differ by less than half a byte at the dark end.
const BYTES_LAST: usize = 8191;

static BYTES: LazyLock<[u8; BYTES_LAST + 1]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let x = i as f64 / BYTES_LAST as f64;
        let y = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
        (y * 255.0 + 0.5) as u8
    })
});

/// Linear intensity of an sRGB value in 0..=1.
fn decode_srgb(value: f32) -> f32 {
    let x = if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
    if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// Linear colour of an sRGB colour in 0..=1.
pub(crate) fn linear(colour: [f32; 3]) -> Vec3 {
    Vec3::from_array(colour.map(decode_srgb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_without_pixels_or_beyond_memory_are_refused() {
        for (width, height) in [(0, 5), (5, 0), (usize::MAX, usize::MAX), (16_384, 16_384)] {
            assert!(matches!(Picture::filled(width, height, [0; 3]), Err(Error::Size { .. })));
        }
    }

    #[test]
    fn every_srgb_byte_survives_decoding_and_encoding() {
        for byte in 0..=255u8 {
            assert_eq!(encode_srgb(decode_srgb(f32::from(byte) / 255.0)), byte);
        }
    }

    #[test]
    fn pasting_over_the_border_is_cut_off() {
        let mut page = Picture::filled(4, 4, [0; 3]).unwrap();
        let patch = Picture::filled(3, 3, [9; 3]).unwrap();
        page.paste(&patch, 2, 3);
        page.paste(&patch, 7, 7);
        let painted = page.rgb.chunks(3).filter(|c| c[0] == 9).count();
        assert_eq!(painted, 2);
    }
}

//! What colours mean: a bar with numbers beside it, in a corner of a picture.

use crate::draw::{Anchor, Colour, Drawing, Shape, Text, Weight, paint};
use crate::{Error, Picture};

/// A scale of colours, to be painted into the lower left corner of a picture.
///
/// ```
/// use pliant_view::{ColourScale, Picture};
/// let mut frame = Picture::filled(200, 160, [255; 3])?;
/// let grey = |x: f64| [1.0 - x; 3];
/// ColourScale { colour: &grey, labels: &["0", "1 mm"] }.paint_on(&mut frame)?;
/// # Ok::<(), pliant_view::Error>(())
/// ```
pub struct ColourScale<'a> {
    /// sRGB colours of numbers, both from 0 to 1.
    pub colour: &'a dyn Fn(f64) -> [f64; 3],
    /// What is written beside it, evenly spaced from the bottom to the top.
    pub labels: &'a [&'a str],
}

const INK: Colour = [32, 36, 42];
/// Boxes of one colour each.
const BOXES: usize = 64;

impl ColourScale<'_> {
    /// Paints it.
    ///
    /// # Errors
    /// When the picture is too small for anything to be painted.
    pub fn paint_on(&self, picture: &mut Picture) -> Result<(), Error> {
        let (width, height) = (picture.width as f32, picture.height as f32);
        let size = (height / 26.0).clamp(9.0, 22.0);
        let [left, wide, bottom, tall] =
            [1.2 * size, 0.9 * size, height - 1.5 * size, 0.3 * height];
        let mut shapes = Vec::new();
        // From the top on, and each down to the bottom, so that nothing shines through between.
        for k in (0..BOXES).rev() {
            let colour = (self.colour)((k as f64 + 0.5) / BOXES as f64);
            let high = tall * (k + 1) as f32 / BOXES as f32;
            shapes.push(Shape::Box {
                frame: [left, bottom - high, wide, high],
                colour: colour.map(|c| (255.0 * c.clamp(0.0, 1.0)).round() as u8),
            });
        }
        let last = self.labels.len().saturating_sub(1).max(1) as f32;
        for (k, label) in self.labels.iter().enumerate() {
            shapes.push(Shape::Text(Text {
                at: [left + wide + 0.4 * size, bottom - tall * k as f32 / last + 0.35 * size],
                text: (*label).to_owned(),
                size,
                weight: Weight::Regular,
                colour: INK,
                anchor: Anchor::Start,
                upright: false,
            }));
        }
        paint(&Drawing { width, height, shapes }, 1.0, picture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_the_bottom_to_the_top() {
        let mut picture = Picture::filled(300, 260, [255, 0, 0]).expect("a picture");
        let grey = |x: f64| [x; 3];
        ColourScale { colour: &grey, labels: &["0", "2 mm"] }
            .paint_on(&mut picture)
            .expect("paint");
        let column = (0..picture.height).filter_map(|y| picture.pixel(16, y));
        let bar: Vec<u8> = column.filter(|[r, g, b]| r == g && g == b).map(|[r, ..]| r).collect();
        assert!(bar.len() > 70, "{}", bar.len());
        assert!(bar.is_sorted_by(|upper, lower| upper >= lower), "{bar:?}");
        assert!(bar[0] > 240 && bar[bar.len() - 1] < 15, "{bar:?}");
    }
}

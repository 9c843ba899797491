//! Noto Sans (SIL Open Font License), embedded: metrics and outlines.

use std::sync::LazyLock;

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Thickness of the strokes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Regular,
    Bold,
}

static REGULAR: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(notosans::REGULAR_TTF, 0).ok());
static BOLD: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(notosans::BOLD_TTF, 0).ok());

fn face(weight: Weight) -> Option<&'static Face<'static>> {
    match weight {
        Weight::Regular => REGULAR.as_ref(),
        Weight::Bold => BOLD.as_ref(),
    }
}

/// Advance width of a line of text at an em size, in the same unit.
pub fn text_width(text: &str, size: f32, weight: Weight) -> f32 {
    let Some(face) = face(weight) else { return 0.0 };
    let scale = size / f32::from(face.units_per_em());
    text.chars().map(|c| scale * Glyph::of(face, c).advance).sum()
}

/// Outlines of a line of text that starts at (x, y) on its base line, y down.
pub fn text_outline(text: &str, size: f32, weight: Weight, x: f32, y: f32) -> Option<Path> {
    let face = face(weight)?;
    let scale = size / f32::from(face.units_per_em());
    let mut pen = Pen { path: PathBuilder::new(), x, y, scale };
    for c in text.chars() {
        let glyph = Glyph::of(face, c);
        pen.scale = scale * glyph.scale;
        pen.y = y - glyph.rise * size;
        face.outline_glyph(glyph.id, &mut pen);
        pen.x += scale * glyph.advance;
    }
    pen.path.finish()
}

/// What is drawn for a character; a missing one is the font's own box.
struct Glyph {
    id: GlyphId,
    /// In font units.
    advance: f32,
    scale: f32,
    /// Above the base line, in ems.
    rise: f32,
}

impl Glyph {
    fn of(face: &Face, c: char) -> Glyph {
        // The font has raised digits, but no raised minus and no lowered digits.
        let (c, scale, rise) = match c {
            '⁻' => ('−', 0.6, 0.34),
            '₀'..='₉' => (char::from(b'0' + (c as u32 - '₀' as u32) as u8), 0.62, -0.14),
            _ => (c, 1.0, 0.0),
        };
        let id = face.glyph_index(c).unwrap_or_default();
        let advance = scale * f32::from(face.glyph_hor_advance(id).unwrap_or_default());
        Glyph { id, advance, scale, rise }
    }
}

struct Pen {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.scale * x, self.y - self.scale * y)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_grows_with_text_size_and_weight() {
        let width = text_width("energy", 10.0, Weight::Regular);
        assert!((25.0..45.0).contains(&width), "{width}");
        assert!((text_width("energy", 20.0, Weight::Regular) - 2.0 * width).abs() < 1e-3);
        assert!(text_width("energy", 10.0, Weight::Bold) > width);
        assert_eq!(text_width("", 10.0, Weight::Bold), 0.0);
    }

    #[test]
    fn outlines_stand_on_the_base_line() {
        let bounds = text_outline("H", 100.0, Weight::Regular, 7.0, 200.0).unwrap().bounds();
        assert!((bounds.bottom() - 200.0).abs() < 1.0 && (120.0..140.0).contains(&bounds.top()));
        assert!(bounds.left() > 7.0);
    }

    #[test]
    fn the_symbols_of_figures_have_glyphs() {
        for weight in [Weight::Regular, Weight::Bold] {
            for c in "0123456789−+·×…µ°½Ω²³⁰¹⁴⁵⁶⁷⁸⁹⁻₀αμλ".chars()
            {
                assert_ne!(Glyph::of(face(weight).unwrap(), c).id.0, 0, "no glyph for {c}");
            }
        }
    }
}

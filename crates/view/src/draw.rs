//! Flat drawings of lines and text, for figures and the lettering of filmstrips: described once,
//! written as SVG with real text or painted as pixels.

mod font;
mod paint;
mod svg;

pub use font::{Weight, text_width};
pub use paint::paint;
pub use svg::write_svg;

/// An opaque sRGB colour.
pub type Colour = [u8; 3];

/// Shapes in painting order, in units of CSS pixels from the top left.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    pub width: f32,
    pub height: f32,
    pub shapes: Vec<Shape>,
}

#[derive(Clone, Debug)]
pub enum Shape {
    /// A filled rectangle: left, top, width, height.
    Box {
        frame: [f32; 4],
        colour: Colour,
    },
    /// A line through points, with lengths of dashes and gaps if it is broken.
    Line {
        points: Vec<[f32; 2]>,
        width: f32,
        colour: Colour,
        dashes: Option<[f32; 2]>,
    },
    /// A filled circle.
    Dot {
        centre: [f32; 2],
        radius: f32,
        colour: Colour,
    },
    Text(Text),
}

/// A line of text; `at` is on its base line.
#[derive(Clone, Debug)]
pub struct Text {
    pub at: [f32; 2],
    pub text: String,
    /// Height of the em square.
    pub size: f32,
    pub weight: Weight,
    pub colour: Colour,
    pub anchor: Anchor,
    /// Whether it reads from bottom to top.
    pub upright: bool,
}

/// Which part of a text is at its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// How much of the text's width is before its point.
    pub fn share(self) -> f32 {
        match self {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        }
    }
}

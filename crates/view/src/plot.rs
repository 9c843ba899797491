//! Line charts: one description, written as SVG or painted as pixels.
//!
//! Colours are those of Okabe and Ito ("Color Universal Design", 2008), which people with any
//! kind of colour vision can tell apart.

mod axis;
mod curve;
mod layout;

use crate::draw;
use crate::{Error, Picture};

/// Charts in a grid, under a title and, where all show the same runs, one legend.
///
/// ```
/// use pliant_view::plot::{Figure, Panel, Series};
/// let time: Vec<f64> = (0..300).map(|i| f64::from(i) / 30.0).collect();
/// let energy: Vec<f64> = time.iter().map(|t| 2e4 * (-0.3 * t).exp()).collect();
/// let figure = Figure {
///     title: "A bar comes to rest".into(),
///     panels: vec![Panel {
///         title: "Energy".into(),
///         x_label: "time [s]".into(),
///         y_label: "total [J]".into(),
///         series: vec![Series::new("backward Euler", time, energy)],
///         ..Panel::default()
///     }],
///     columns: 0,
/// };
/// let svg = figure.svg()?;
/// assert!(svg.contains(">total [kJ]</text>"));
/// # Ok::<(), pliant_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Above all panels.
    pub title: String,
    /// In reading order.
    pub panels: Vec<Panel>,
    /// Panels side by side; 0 = as many as look good.
    pub columns: usize,
}

/// One chart.
///
/// A unit in square brackets at the end of a label, such as `energy [J]`, takes an SI prefix
/// where the numbers ask for one. Values that are not finite, or not positive on a logarithmic
/// axis, are gaps in their line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Above the chart.
    pub title: String,
    /// Quantity and unit along the chart.
    pub x_label: String,
    /// Quantity and unit up the chart.
    pub y_label: String,
    /// Whether powers of ten are equally far apart along the chart.
    pub log_x: bool,
    /// Whether powers of ten are equally far apart up the chart.
    pub log_y: bool,
    /// The lines, from back to front.
    pub series: Vec<Series>,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// As the legend calls it; empty = not in the legend.
    pub name: String,
    /// Abscissae.
    pub x: Vec<f64>,
    /// Values, as many as abscissae.
    pub y: Vec<f64>,
    /// How it is drawn.
    pub style: Style,
}

impl Series {
    /// A solid line in the colour of its place in the panel.
    pub fn new(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Series {
        Series { name: name.into(), x, y, style: Style::default() }
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Place in the palette; `None` is the series' place in its panel. Give a run the same
    /// place in all panels.
    pub colour: Option<usize>,
    /// Whether the line is broken, as for a target or a reference.
    pub dashed: bool,
}

impl Figure {
    /// The figure as an SVG document, with text as text.
    pub fn svg(&self) -> Result<String, Error> {
        Ok(draw::write_svg(&layout::drawing(self)?))
    }

    /// The figure as pixels; `scale` 1 is for screens, 2 for print and dense screens.
    pub fn picture(&self, scale: f32) -> Result<Picture, Error> {
        let drawing = layout::drawing(self)?;
        let side = |length: f32| (length * scale).round().max(0.0) as usize;
        let mut picture = Picture::filled(side(drawing.width), side(drawing.height), [255; 3])?;
        draw::paint(&drawing, scale, &mut picture)?;
        Ok(picture)
    }
}

#[cfg(test)]
mod tests;

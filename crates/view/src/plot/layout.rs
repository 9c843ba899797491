//! Where things go on the page: title, legend, then panels in a grid with aligned frames.

use super::axis::{Axis, Tick};
use super::curve::curves;
use super::{Figure, Panel, Series};
use crate::Error;
use crate::draw::{Anchor, Colour, Drawing, Shape, Text, Weight, text_width};

/// Blue, vermilion, green, purple, orange, sky blue, grey (Okabe and Ito without yellow).
const PALETTE: [Colour; 7] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [80, 80, 84],
];
const INK: Colour = [38, 42, 48];
const SOFT_INK: Colour = [92, 98, 106];
const GRID: Colour = [230, 233, 236];
const FINE_GRID: Colour = [243, 244, 246];
const BASE_LINE: Colour = [150, 155, 162];

const MARGIN: f32 = 22.0;
const GAP: f32 = 26.0;
const TEXT: f32 = 11.5;
const LEGEND_LINE: f32 = 19.0;
const SAMPLE: f32 = 22.0;
const LINE: f32 = 1.7;

/// Draws the whole figure.
pub fn drawing(figure: &Figure) -> Result<Drawing, Error> {
    if figure.panels.is_empty() {
        return Err(Error::Empty { what: "the figure" });
    }
    for series in figure.panels.iter().flat_map(|p| &p.series) {
        if series.x.len() != series.y.len() {
            let (name, x, y) = (series.name.clone(), series.x.len(), series.y.len());
            return Err(Error::SeriesLength { name, x, y });
        }
    }
    let count = figure.panels.len();
    let columns = match (figure.columns, count) {
        (0, 1) => 1,
        (0, 2..=4) => 2,
        (0, _) => 3,
        (asked, _) => asked.min(count),
    };
    let size = if count == 1 { [640.0, 340.0] } else { [400.0, 230.0] };
    let charts: Vec<Chart> = figure.panels.iter().map(Chart::new).collect();
    let side = charts.iter().map(Chart::side_room).fold(0.0, f32::max);

    let width = 2.0 * MARGIN + columns as f32 * (side + size[0] + GAP) - GAP;
    let mut page = Drawing { width, height: 0.0, shapes: Vec::new() };
    let mut y = MARGIN;
    if !figure.title.is_empty() {
        text(&mut page, &figure.title, [MARGIN, y + 14.0], 17.0, Weight::Bold, INK, Anchor::Start);
        y += 32.0;
    }
    let shared = shared_legend(figure);
    if let Some(entries) = &shared {
        y += legend(&mut page, entries, [MARGIN, y], width - 2.0 * MARGIN) + 10.0;
    }
    for row in charts.chunks(columns) {
        let legend_room = |c: &Chart| legend_height(&c.legend(), size[0]);
        let own =
            if shared.is_some() { 0.0 } else { row.iter().map(legend_room).fold(0.0, f32::max) };
        let titled = row.iter().any(|c| !c.panel.title.is_empty());
        let head = own + if titled { 24.0 } else { 6.0 };
        for (column, chart) in row.iter().enumerate() {
            let left = MARGIN + side + column as f32 * (side + size[0] + GAP);
            let title_at = [left, y + 13.0];
            text(&mut page, &chart.panel.title, title_at, 13.0, Weight::Bold, INK, Anchor::Start);
            if shared.is_none() {
                legend(&mut page, &chart.legend(), [left, y + head - own], size[0]);
            }
            chart.draw(&mut page, [left, y + head, size[0], size[1]], left - side + 11.0);
        }
        y += head + size[1] + 44.0 + 14.0;
    }
    page.height = y - 14.0 + 0.4 * MARGIN;
    let frame = [0.0, 0.0, page.width, page.height];
    page.shapes.insert(0, Shape::Box { frame, colour: [255; 3] });
    Ok(page)
}

/// A panel with its axes.
struct Chart<'a> {
    panel: &'a Panel,
    x: Axis,
    y: Axis,
    has_data: bool,
}

impl Chart<'_> {
    fn new(panel: &Panel) -> Chart<'_> {
        let shown = |v: &f64, log: bool| v.is_finite() && (!log || *v > 0.0);
        let points = || {
            let pairs = panel.series.iter().flat_map(|s| s.x.iter().zip(&s.y));
            pairs.filter(move |(x, y)| shown(x, panel.log_x) && shown(y, panel.log_y))
        };
        let x = if panel.log_x {
            Axis::logarithmic(points().map(|p| *p.0), &panel.x_label, 7)
        } else {
            Axis::linear(points().map(|p| *p.0), &panel.x_label, 7, false)
        };
        let values = points().map(|p| *p.1);
        let y = if panel.log_y {
            Axis::logarithmic(values, &panel.y_label, 6)
        } else {
            Axis::linear(values, &panel.y_label, 6, true)
        };
        let has_data = x.is_some();
        let x = x.unwrap_or_else(|| Axis::blank(&panel.x_label));
        let y = y.unwrap_or_else(|| Axis::blank(&panel.y_label));
        Chart { panel, x, y, has_data }
    }

    /// Room to the left of the frame for the label and the ticks.
    fn side_room(&self) -> f32 {
        let width = |t: &Tick| text_width(&t.label, TEXT, Weight::Regular);
        let ticks = self.y.ticks.iter().map(width).fold(0.0, f32::max);
        let label = if self.y.label.is_empty() { 0.0 } else { 20.0 };
        ticks + 10.0 + label
    }

    fn legend(&self) -> Vec<Entry<'_>> {
        let named = self.panel.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty());
        named.map(|(place, s)| Entry { name: &s.name, look: Look::of(s, place) }).collect()
    }

    fn draw(&self, page: &mut Drawing, frame: [f32; 4], label_x: f32) {
        let [left, top, width, height] = frame;
        let (right, bottom) = (left + width, top + height);
        let mut rule = |points: [[f32; 2]; 2], width: f32, colour: Colour| {
            page.shapes.push(Shape::Line { points: points.to_vec(), width, colour, dashes: None });
        };
        let across = |tick: &Tick| bottom - tick.at as f32 * height;
        let along = |tick: &Tick| left + tick.at as f32 * width;
        for fine in [true, false] {
            for tick in self.y.ticks.iter().filter(|t| t.label.is_empty() == fine) {
                let y = across(tick);
                rule([[left, y], [right, y]], 1.0, if fine { FINE_GRID } else { GRID });
            }
        }
        for tick in &self.x.ticks {
            rule([[along(tick), top], [along(tick), bottom]], 1.0, GRID);
            rule([[along(tick), bottom], [along(tick), bottom + 4.0]], 1.0, BASE_LINE);
        }
        rule([[left, bottom], [right, bottom]], 1.0, BASE_LINE);
        for tick in &self.y.ticks {
            let at = [left - 7.0, across(tick) + 0.36 * TEXT];
            text(page, &tick.label, at, TEXT, Weight::Regular, SOFT_INK, Anchor::End);
        }
        for tick in &self.x.ticks {
            let at = [along(tick), bottom + 17.0];
            text(page, &tick.label, at, TEXT, Weight::Regular, SOFT_INK, Anchor::Middle);
        }
        let middle = [0.5 * (left + right), bottom + 35.0];
        text(page, &self.x.label, middle, TEXT, Weight::Regular, INK, Anchor::Middle);
        let at = [label_x, 0.5 * (top + bottom)];
        upright(page, &self.y.label, at, TEXT, INK);
        if !self.has_data {
            let middle = [0.5 * (left + right), 0.5 * (top + bottom)];
            text(page, "no data", middle, 13.0, Weight::Regular, SOFT_INK, Anchor::Middle);
            return;
        }
        for (place, series) in self.panel.series.iter().enumerate() {
            let look = Look::of(series, place);
            for points in curves(series, &self.x, &self.y, frame) {
                match points[..] {
                    [centre] => {
                        page.shapes.push(Shape::Dot { centre, radius: 2.4, colour: look.colour })
                    }
                    _ => page.shapes.push(look.line(points)),
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
struct Look {
    colour: Colour,
    dashes: Option<[f32; 2]>,
}

impl Look {
    fn of(series: &Series, place: usize) -> Look {
        let place = series.style.colour.unwrap_or(place);
        // Beyond the palette the colours come again, dotted.
        let again = place >= PALETTE.len();
        let dashes = match (series.style.dashed, again) {
            (true, _) => Some([6.0, 4.5]),
            (false, true) => Some([1.0, 4.0]),
            (false, false) => None,
        };
        Look { colour: PALETTE[place % PALETTE.len()], dashes }
    }

    fn line(&self, points: Vec<[f32; 2]>) -> Shape {
        Shape::Line { points, width: LINE, colour: self.colour, dashes: self.dashes }
    }
}

#[derive(PartialEq)]
struct Entry<'a> {
    name: &'a str,
    look: Look,
}

impl Entry<'_> {
    fn width(&self) -> f32 {
        SAMPLE + 7.0 + text_width(self.name, TEXT, Weight::Regular) + 20.0
    }
}

/// The legend of the first panel, if it is that of all others.
fn shared_legend(figure: &Figure) -> Option<Vec<Entry<'_>>> {
    let of = |panel| -> Vec<Entry> {
        let Panel { series, .. }: &Panel = panel;
        let named = series.iter().enumerate().filter(|(_, s)| !s.name.is_empty());
        named.map(|(place, s)| Entry { name: &s.name, look: Look::of(s, place) }).collect()
    };
    let (first, rest) = figure.panels.split_first()?;
    let entries = of(first);
    rest.iter().all(|panel| of(panel) == entries).then_some(entries)
}

/// Lines of entries that fit into the width.
fn legend_lines<'a, 'b>(entries: &'b [Entry<'a>], width: f32) -> Vec<Vec<&'b Entry<'a>>> {
    let mut lines: Vec<Vec<&Entry>> = Vec::new();
    let mut used = f32::INFINITY;
    for entry in entries {
        if used + entry.width() > width + 20.0 {
            lines.push(Vec::new());
            used = 0.0;
        }
        used += entry.width();
        if let Some(line) = lines.last_mut() {
            line.push(entry);
        }
    }
    lines
}

fn legend_height(entries: &[Entry], width: f32) -> f32 {
    legend_lines(entries, width).len() as f32 * LEGEND_LINE
}

/// Draws a legend with its top left at a point; returns its height.
fn legend(page: &mut Drawing, entries: &[Entry], at: [f32; 2], width: f32) -> f32 {
    let lines = legend_lines(entries, width);
    for (row, line) in lines.iter().enumerate() {
        let (mut x, y) = (at[0], at[1] + row as f32 * LEGEND_LINE + 8.0);
        for entry in line {
            page.shapes.push(entry.look.line(vec![[x + 1.0, y], [x + SAMPLE, y]]));
            let label = [x + SAMPLE + 7.0, y + 0.36 * TEXT];
            text(page, entry.name, label, TEXT, Weight::Regular, INK, Anchor::Start);
            x += entry.width();
        }
    }
    lines.len() as f32 * LEGEND_LINE
}

fn text(
    page: &mut Drawing,
    words: &str,
    at: [f32; 2],
    size: f32,
    weight: Weight,
    colour: Colour,
    anchor: Anchor,
) {
    if !words.is_empty() {
        let text = Text { at, text: words.into(), size, weight, colour, anchor, upright: false };
        page.shapes.push(Shape::Text(text));
    }
}

fn upright(page: &mut Drawing, words: &str, at: [f32; 2], size: f32, colour: Colour) {
    if !words.is_empty() {
        let (weight, anchor) = (Weight::Regular, Anchor::Middle);
        page.shapes.push(Shape::Text(Text {
            at,
            text: words.into(),
            size,
            weight,
            colour,
            anchor,
            upright: true,
        }));
    }
}

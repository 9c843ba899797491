//! Filmstrips: several frames of several runs, labelled, in one picture.

use crate::draw::{Anchor, Colour, Drawing, Shape, Text, Weight, paint, text_width};
use crate::{Error, Picture};

/// Frames in rows, one row per run, with a title and labels.
///
/// Frames keep their pixels; all cells are as large as the largest frame. Empty texts take no
/// room.
///
/// ```
/// use pliant_view::{Filmstrip, FilmstripRow, Picture};
/// let frame = Picture::filled(64, 48, [90, 120, 150])?;
/// let strip = Filmstrip {
///     title: "Swinging bar".into(),
///     columns: vec!["0 s".into(), "1 s".into()],
///     rows: vec![FilmstripRow { label: "implicit midpoint".into(), frames: vec![frame.clone(), frame] }],
/// };
/// let picture = strip.compose()?;
/// assert!(picture.width > 2 * 64);
/// # Ok::<(), pliant_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filmstrip {
    /// Above everything.
    pub title: String,
    /// Above each column, such as times.
    pub columns: Vec<String>,
    /// The runs, from top to bottom.
    pub rows: Vec<FilmstripRow>,
}

/// One run of a filmstrip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilmstripRow {
    /// Above its frames.
    pub label: String,
    /// From left to right; a row may be shorter than others.
    pub frames: Vec<Picture>,
}

const PAPER: Colour = [255, 255, 255];
const INK: Colour = [32, 36, 42];
const SOFT_INK: Colour = [104, 112, 122];

impl Filmstrip {
    /// Lays all frames out and letters them.
    pub fn compose(&self) -> Result<Picture, Error> {
        let frames = || self.rows.iter().flat_map(|r| &r.frames);
        let cell_width = frames().map(|f| f.width).max().unwrap_or(0);
        let cell_height = frames().map(|f| f.height).max().unwrap_or(0);
        let columns = self.rows.iter().map(|r| r.frames.len()).max().unwrap_or(0);
        if cell_width == 0 || cell_height == 0 {
            return Err(Error::Empty { what: "the filmstrip" });
        }
        let layout = self.layout(cell_width, cell_height, columns);
        let mut page = Picture::filled(layout.width, layout.height, PAPER)?;
        for (row, top) in self.rows.iter().zip(&layout.row_tops) {
            for (column, frame) in row.frames.iter().enumerate() {
                let x = layout.column_left(column) + (cell_width - frame.width) / 2;
                page.paste(frame, x, top + (cell_height - frame.height) / 2);
            }
        }
        paint(&self.lettering(&layout), 1.0, &mut page)?;
        Ok(page)
    }

    fn layout(&self, cell_width: usize, cell_height: usize, columns: usize) -> Layout {
        let size = (cell_height as f32 / 14.0).clamp(13.0, 26.0);
        let line = (1.75 * size) as usize;
        let margin = (1.4 * size) as usize;
        let gap = ((0.5 * size) as usize).max(4);
        let title_line = if self.title.is_empty() { 0 } else { (2.4 * size) as usize };
        let label_line = if self.columns.iter().all(String::is_empty) { 0 } else { line };
        let mut y = margin + title_line + label_line;
        let mut row_tops = Vec::with_capacity(self.rows.len());
        for (number, row) in self.rows.iter().enumerate() {
            y = y.saturating_add(if number == 0 { 0 } else { gap });
            y = y.saturating_add(if row.label.is_empty() { 0 } else { line });
            row_tops.push(y);
            y = y.saturating_add(cell_height);
        }
        let content = columns.saturating_mul(cell_width + gap) - gap;
        Layout {
            size,
            margin,
            gap,
            cell_width,
            title_base: margin + (1.2 * size) as usize,
            columns_base: margin + title_line + (1.1 * size) as usize,
            row_tops,
            width: content.saturating_add(2 * margin),
            height: y.saturating_add(margin),
        }
    }

    fn lettering(&self, layout: &Layout) -> Drawing {
        let (size, room) = (layout.size, (layout.width - 2 * layout.margin) as f32);
        let mut shapes = Vec::new();
        let mut letter =
            |text: &str, at: [f32; 2], size: f32, weight, colour, anchor, room: f32| {
                if !text.is_empty() {
                    let text = fitted(text, size, weight, room);
                    shapes.push(Shape::Text(Text {
                        at,
                        text,
                        size,
                        weight,
                        colour,
                        anchor,
                        upright: false,
                    }));
                }
            };
        let left = layout.margin as f32;
        let title_at = [left, layout.title_base as f32];
        letter(&self.title, title_at, 1.35 * size, Weight::Bold, INK, Anchor::Start, room);
        for (column, label) in self.columns.iter().enumerate() {
            let centre = layout.column_left(column) as f32 + 0.5 * layout.cell_width as f32;
            let at = [centre, layout.columns_base as f32];
            let room = layout.cell_width as f32;
            letter(label, at, 0.95 * size, Weight::Regular, SOFT_INK, Anchor::Middle, room);
        }
        for (row, &top) in self.rows.iter().zip(&layout.row_tops) {
            let at = [left, top as f32 - 0.5 * size];
            letter(&row.label, at, size, Weight::Bold, INK, Anchor::Start, room);
        }
        Drawing { width: layout.width as f32, height: layout.height as f32, shapes }
    }
}

struct Layout {
    /// Em size of labels \[px\].
    size: f32,
    margin: usize,
    gap: usize,
    cell_width: usize,
    title_base: usize,
    columns_base: usize,
    row_tops: Vec<usize>,
    width: usize,
    height: usize,
}

impl Layout {
    fn column_left(&self, column: usize) -> usize {
        self.margin + column * (self.cell_width + self.gap)
    }
}

/// The text, cut short with an ellipsis if it is wider than its room.
fn fitted(text: &str, size: f32, weight: Weight, room: f32) -> String {
    if text_width(text, size, weight) <= room {
        return text.into();
    }
    let mut kept: String = text.into();
    while kept.pop().is_some() {
        let cut = format!("{}…", kept.trim_end());
        if text_width(&cut, size, weight) <= room {
            return cut;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip() -> Filmstrip {
        let frame = |shade| Picture::filled(90, 60, [shade, 0, 0]).unwrap();
        Filmstrip {
            title: "Two runs".into(),
            columns: vec!["0.0 s".into(), "0.5 s".into(), "1.0 s".into()],
            rows: vec![
                FilmstripRow {
                    label: "first".into(),
                    frames: vec![frame(10), frame(20), frame(30)],
                },
                FilmstripRow { label: "second".into(), frames: vec![frame(40), frame(50)] },
            ],
        }
    }

    #[test]
    fn every_frame_is_there_whole_and_in_reading_order() {
        let picture = strip().compose().unwrap();
        let mut order = Vec::new();
        for shade in [10, 20, 30, 40, 50] {
            let is_shade = |c: &[u8]| c == [shade, 0, 0];
            assert_eq!(picture.rgb.chunks(3).filter(|c| is_shade(c)).count(), 90 * 60);
            let first = picture.rgb.chunks(3).position(is_shade).unwrap();
            order.push((first / picture.width, first % picture.width));
        }
        assert!(order.is_sorted());
        assert_eq!(order[0].0, order[2].0);
        assert_eq!(order[0].1, order[3].1);
    }

    #[test]
    fn labels_leave_ink_and_empty_ones_take_no_room() {
        let ink = |p: &Picture| p.rgb.chunks(3).filter(|c| c[2] > 0 && c[0] < 120).count();
        let lettered = strip().compose().unwrap();
        let mut bare = strip();
        bare.title.clear();
        bare.columns.clear();
        bare.rows.iter_mut().for_each(|r| r.label.clear());
        let bare = bare.compose().unwrap();
        assert!(ink(&lettered) > 200 && ink(&bare) == 0);
        assert!(bare.height + 60 < lettered.height && bare.width == lettered.width);
    }

    #[test]
    fn long_labels_are_cut_to_their_room() {
        let cut = fitted(&"velocity ".repeat(40), 14.0, Weight::Regular, 120.0);
        assert!(cut.ends_with('…') && text_width(&cut, 14.0, Weight::Regular) <= 120.0);
        assert_eq!(fitted("wide", 14.0, Weight::Regular, 1.0), "");
    }

    #[test]
    fn empty_strips_and_huge_ones_are_refused() {
        assert!(matches!(Filmstrip::default().compose(), Err(Error::Empty { .. })));
        let frames = vec![Picture::filled(8000, 4, [0; 3]).unwrap(); 3];
        let rows = vec![FilmstripRow { label: String::new(), frames }];
        let huge = Filmstrip { rows, ..Filmstrip::default() };
        assert!(matches!(huge.compose(), Err(Error::Size { .. })));
    }
}

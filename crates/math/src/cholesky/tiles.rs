//! How a dense block is cut into tiles, and what reading it costs.

/// Tiles (first output, height) that cover `outputs`: two vectors high, the last one or two.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    at: usize,
    outputs: usize,
    width: usize,
}

impl Tiles {
    #[inline(always)]
    pub fn new(outputs: usize, width: usize) -> Self {
        Tiles { at: 0, outputs, width }
    }
}

impl Iterator for Tiles {
    type Item = (usize, usize);
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        if self.at >= self.outputs {
            return None;
        }
        let at = self.at;
        let height = if self.outputs - at > self.width { 2 * self.width } else { self.width };
        self.at += height;
        Some((at, height))
    }
}

/// What a panel of some columns, and rows below them, takes when stored in tiles.
///
/// Forward tiles compute `columns + rows` outputs from `columns` inputs, of which the triangle
/// on top needs only the first `at + height`; backward tiles compute `columns` outputs from the
/// inputs `at..columns + rows`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PanelSize {
    pub forward: usize,
    pub backward: usize,
    tiles: usize,
    height: usize,
}

impl PanelSize {
    pub fn new(columns: usize, rows: usize, width: usize) -> Self {
        let height = columns + rows;
        let mut size = PanelSize { forward: 0, backward: 0, tiles: 0, height };
        for (at, h) in Tiles::new(height, width) {
            size.forward += columns.min(at + h) * h;
            size.tiles += 1;
        }
        for (at, h) in Tiles::new(columns, width) {
            size.backward += (height - at) * h;
            size.tiles += 1;
        }
        size
    }

    /// Estimated cycles of both sweeps: values streamed, tiles begun, rows moved, the node.
    /// The weights are rough; only their ratios matter, and results do not depend on them beyond
    /// which supernodes are merged.
    pub fn cost(&self, bytes_per_value: usize) -> f64 {
        let bytes = ((self.forward + self.backward) * bytes_per_value) as f64;
        0.05 * bytes + 15.0 * self.tiles as f64 + 8.0 * self.height as f64 + 60.0
    }
}

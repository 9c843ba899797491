//! From data to lines on paper: gaps where there is nothing to show, and no more points than
//! the paper can tell apart.

use super::Series;
use super::axis::Axis;

/// Unbroken runs of points in a frame (left, top, width, height), y down.
pub fn curves(series: &Series, x: &Axis, y: &Axis, frame: [f32; 4]) -> Vec<Vec<[f32; 2]>> {
    let [left, top, width, height] = frame;
    let mut curves = Vec::new();
    let mut run: Vec<[f32; 2]> = Vec::new();
    for (&px, &py) in series.x.iter().zip(&series.y) {
        match (x.place(px), y.place(py)) {
            (Some(u), Some(v)) => {
                run.push([left + u as f32 * width, top + (1.0 - v as f32) * height]);
            }
            _ => curves.extend(thinned(std::mem::take(&mut run))),
        }
    }
    curves.extend(thinned(run));
    curves
}

/// Columns in which points are thinned, per unit of paper.
const COLUMNS: f32 = 2.0;

/// Of all consecutive points in one column, only the first, lowest, highest and last are kept:
/// the painted line stays the same.
fn thinned(run: Vec<[f32; 2]>) -> Option<Vec<[f32; 2]>> {
    let column = |p: &[f32; 2]| (p[0] * COLUMNS).floor();
    let mut kept = Vec::new();
    for group in run.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |&a: &usize, &b: &usize| group[a][1].total_cmp(&group[b][1]);
        let lowest = (0..group.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..group.len()).max_by(by_height).unwrap_or(0);
        let mut picks = [0, lowest, highest, group.len() - 1];
        picks.sort_unstable();
        for (number, pick) in picks.iter().enumerate() {
            if number == 0 || picks[number - 1] != *pick {
                kept.push(group[*pick]);
            }
        }
    }
    (!kept.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: [f32; 4] = [0.0, 0.0, 100.0, 50.0];

    fn drawn(x: Vec<f64>, y: Vec<f64>) -> Vec<Vec<[f32; 2]>> {
        let along = Axis::linear(x.iter().copied(), "x", 5, false).unwrap();
        let up = Axis::linear(y.iter().copied(), "y", 5, true).unwrap();
        curves(&Series::new("s", x, y), &along, &up, FRAME)
    }

    #[test]
    fn long_series_are_thinned_and_keep_their_spikes() {
        let count = 200_000;
        let x: Vec<f64> = (0..count).map(f64::from).collect();
        let mut y: Vec<f64> = x.iter().map(|t| (t * 1e-3).sin()).collect();
        y[123_457] = 30.0;
        let lines = drawn(x, y);
        let points: usize = lines.iter().map(Vec::len).sum();
        assert!(points <= 4 * 201, "{points} points");
        let highest = lines[0].iter().map(|p| p[1]).fold(f32::INFINITY, f32::min);
        assert!(highest < 5.0, "the spike is lost: {highest}");
    }

    #[test]
    fn what_is_not_finite_is_a_gap() {
        let x = (0..7).map(f64::from).collect();
        let lines = drawn(x, vec![1.0, 2.0, f64::NAN, 3.0, f64::INFINITY, 1.0, 2.0]);
        assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 2]);
    }

    #[test]
    fn short_series_keep_every_point() {
        let lines = drawn(vec![0.0, 1.0, 2.0, 3.0], vec![5.0, 1.0, 4.0, 2.0]);
        assert_eq!(lines[0].len(), 4);
        assert_eq!(lines[0][0][0], 0.0);
        assert_eq!(lines[0][3][0], 100.0);
    }
}

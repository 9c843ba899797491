//! How good lips are: against a truth, over time, and as colours.

use glam::DVec3;
use pliant_mesh::{Mesh, SurfaceTree};

/// Distances of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// The mean \[m\].
    pub mean: f64,
    /// The largest \[m\].
    pub max: f64,
}

impl Errors {
    /// Of a list of distances \[m\].
    pub fn of(distances: &[f64]) -> Errors {
        let sum: f64 = distances.iter().sum();
        let max = distances.iter().copied().fold(0.0, f64::max);
        Errors { mean: sum / distances.len().max(1) as f64, max }
    }
}

/// How far each of some vertices is from where it should be \[m\].
pub fn distances(found: &[DVec3], truth: &[DVec3], vertices: &[u32]) -> Vec<f64> {
    vertices.iter().map(|v| found[*v as usize].distance(truth[*v as usize])).collect()
}

/// How far each of some vertices is from the nearest point of a surface \[m\]: what the maps of
/// Dinev 2020, Fig. 2.8, show. Sliding along the surface costs nothing here.
pub fn surface_distances(found: &[DVec3], truth: &Mesh, vertices: &[u32]) -> Vec<f64> {
    let tree = SurfaceTree::new(truth);
    let distance = |v: &u32| tree.closest(found[*v as usize]).map_or(f64::NAN, |c| c.distance);
    vertices.iter().map(distance).collect()
}

/// The Hausdorff distance of two surfaces, at their vertices \[m\]: the farthest that a vertex of
/// either, among those given, is from the other.
pub fn hausdorff(a: &Mesh, b: &Mesh, vertices: &[u32]) -> f64 {
    let there = surface_distances(&a.positions, b, vertices);
    let back = surface_distances(&b.positions, a, vertices);
    there.into_iter().chain(back).fold(0.0, f64::max)
}

/// How smoothly vertices move: the root mean square of xₙ₋₁ − 2xₙ + xₙ₊₁ over vertices and frames.
///
/// ```
/// use glam::DVec3;
/// use pliant_lips::measures::Smoothness;
/// let mut smoothness = Smoothness::new(vec![0]);
/// for frame in 0..5 {
///     smoothness.watch(&[f64::from(frame) * DVec3::X]); // steadily
/// }
/// assert_eq!(smoothness.value(), 0.0);
/// smoothness.watch(&[DVec3::ZERO]); // back with a jerk of 5
/// assert!((smoothness.value() - 2.5).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct Smoothness {
    vertices: Vec<u32>,
    last: [Vec<DVec3>; 2],
    sum: f64,
    count: usize,
}

impl Smoothness {
    /// Of these vertices.
    pub fn new(vertices: Vec<u32>) -> Smoothness {
        Smoothness { vertices, last: [Vec::new(), Vec::new()], sum: 0.0, count: 0 }
    }

    /// Takes the next frame into account; one that is not finite ends the sequence before it.
    pub fn watch(&mut self, positions: &[DVec3]) {
        let own: Vec<DVec3> = self.vertices.iter().map(|v| positions[*v as usize]).collect();
        let [before, now] = &self.last;
        let jerks = before.iter().zip(now).zip(&own).map(|((a, b), c)| *a - 2.0 * *b + *c);
        let (sum, count) =
            jerks.fold((0.0, 0), |(sum, count), d| (sum + d.length_squared(), count + 1));
        if f64::is_finite(sum) {
            (self.sum, self.count) = (self.sum + sum, self.count + count);
        }
        self.last.swap(0, 1);
        self.last[1] = own;
    }

    /// The measure \[m per frame²\]; 0 before the third frame.
    pub fn value(&self) -> f64 {
        (self.sum / self.count.max(1) as f64).sqrt()
    }
}

/// A colour for a number from 0 to 1, as red, green and blue: from a pale skin tone over yellow
/// and red to a dark violet, darker all the way, so that it can be read without colours, too.
pub fn heat(value: f64) -> [f64; 3] {
    const STOPS: [[f64; 3]; 5] = [
        [0.93, 0.89, 0.85],
        [0.99, 0.80, 0.35],
        [0.93, 0.42, 0.19],
        [0.68, 0.10, 0.30],
        [0.24, 0.03, 0.32],
    ];
    let last = STOPS.len() - 1;
    let at = if value.is_finite() { value.clamp(0.0, 1.0) * last as f64 } else { last as f64 };
    let first = (at as usize).min(last - 1);
    let part = at - first as f64;
    std::array::from_fn(|c| (1.0 - part) * STOPS[first][c] + part * STOPS[first + 1][c])
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    #[test]
    fn sliding_along_a_surface_is_no_distance_from_it() {
        let sheet = shapes::cloth([1.0, 1.0], [10, 10]).unwrap().0;
        let mut slid = sheet.clone();
        slid.positions[60] += DVec3::new(0.03, 0.0, 0.02);
        slid.positions[61] += DVec3::new(0.0, 0.01, 0.0);
        let vertices = [60, 61];
        let apart = distances(&slid.positions, &sheet.positions, &vertices);
        assert!((apart[0] - 0.0013f64.sqrt()).abs() < 1e-12);
        let off = surface_distances(&slid.positions, &sheet, &vertices);
        assert!(off[0] < 1e-15 && (off[1] - 0.01).abs() < 1e-15);
        assert!((hausdorff(&slid, &sheet, &vertices) - 0.01).abs() < 1e-3);
        let errors = Errors::of(&off);
        assert!((errors.mean - 0.005).abs() < 1e-12 && (errors.max - 0.01).abs() < 1e-12);
    }

    #[test]
    fn colours_darken_with_the_error() {
        let light = |c: [f64; 3]| 0.3 * c[0] + 0.6 * c[1] + 0.1 * c[2];
        let ramp: Vec<f64> = (0..=40).map(|k| light(heat(f64::from(k) / 40.0))).collect();
        assert!(ramp.is_sorted_by(|a, b| a > b));
        assert_eq!(heat(f64::NAN), heat(1.0));
        assert_eq!(heat(-3.0), heat(0.0));
    }
}

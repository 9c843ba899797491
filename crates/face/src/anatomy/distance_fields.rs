//! Distance fields of simple solids, curves and tables (m, negative inside), and smooth unions of
//! them.
//!
//! Ellipsoids and superellipses tell f/‖∇f‖, which is right to first order at the surface; tubes
//! and balls are exact. Every smooth union swells its seam by at most a quarter of its width.

use glam::{DMat3, DVec3};

/// Smooth minimum: min(a, b) − max(0, k − |a − b|)² / 4k. `width` is k (m).
pub fn smooth_min(a: f64, b: f64, width: f64) -> f64 {
    let h = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - h * h * (0.25 * width)
}

/// Smooth maximum.
pub fn smooth_max(a: f64, b: f64, width: f64) -> f64 {
    -smooth_min(-a, -b, width)
}

/// 0 at `from`, 1 at `to`, a cubic between them; `from` may be the larger.
pub fn smoothstep(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// An ellipsoid, possibly turned.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsoid {
    center: DVec3,
    radii: DVec3,
    /// Into its own frame.
    turn: Option<DMat3>,
}

impl Ellipsoid {
    /// With axes along x, y and z.
    pub const fn new(center: [f64; 3], radii: [f64; 3]) -> Self {
        Ellipsoid { center: DVec3::from_array(center), radii: DVec3::from_array(radii), turn: None }
    }

    /// Turned about x, then y, then z (degrees).
    pub fn turned(center: [f64; 3], radii: [f64; 3], degrees: [f64; 3]) -> Self {
        let [x, y, z] = degrees.map(f64::to_radians);
        let turn =
            DMat3::from_rotation_z(z) * DMat3::from_rotation_y(y) * DMat3::from_rotation_x(x);
        Ellipsoid { turn: Some(turn.transpose()), ..Ellipsoid::new(center, radii) }
    }

    /// Distance of first order.
    pub fn distance(&self, p: DVec3) -> f64 {
        let mut p = p - self.center;
        if let Some(turn) = self.turn {
            p = turn * p;
        }
        let scaled = p / self.radii;
        let k0 = scaled.length();
        let k1 = (scaled / self.radii).length() + 1e-9;
        if k0 < 1e-4 { -self.radii.min_element() } else { k0 * (k0 - 1.0) / k1 }
    }
}

/// Distance from a ball.
pub fn ball(p: DVec3, center: [f64; 3], radius: f64) -> f64 {
    p.distance(DVec3::from_array(center)) - radius
}

/// Distance of first order to |x/w|ⁿ + |z/d|ⁿ = 1, in the plane.
pub fn superellipse(x: f64, z: f64, width: f64, depth: f64, n: f64) -> f64 {
    let u = (x.abs() / width).max(1e-4);
    let v = (z.abs() / depth).max(1e-4);
    let (un, vn) = (u.powf(n - 1.0), v.powf(n - 1.0));
    let s = un * u + vn * v;
    let slope = s.powf(1.0 / n - 1.0) * ((un / width).powi(2) + (vn / depth).powi(2)).sqrt() + 1e-6;
    (s.powf(1.0 / n) - 1.0) / slope
}

/// exp(−|(p − c)/s|²).
pub fn bump(p: DVec3, center: [f64; 3], sigma: [f64; 3]) -> f64 {
    let q = ((p - DVec3::from_array(center)) / DVec3::from_array(sigma)).length_squared();
    if q > 30.0 { 0.0 } else { (-q).exp() }
}

/// A smooth curve through points with a value (a radius, an amplitude) at each, as a polyline.
#[derive(Clone, Debug)]
pub struct SampledCurve {
    points: Vec<[f64; 4]>,
    min: DVec3,
    max: DVec3,
    widest: f64,
}

impl SampledCurve {
    /// A Catmull–Rom curve through `rows` (x, y, z, value), cut into `samples` points.
    pub fn new(rows: &[[f64; 4]], samples: usize) -> Self {
        let points = catmull_rom(rows, samples);
        let place = |r: &[f64; 4]| DVec3::new(r[0], r[1], r[2]);
        let min = points.iter().map(place).fold(DVec3::INFINITY, DVec3::min);
        let max = points.iter().map(place).fold(DVec3::NEG_INFINITY, DVec3::max);
        let widest = points.iter().map(|r| r[3]).fold(f64::NEG_INFINITY, f64::max);
        SampledCurve { points, min, max, widest }
    }

    /// Distance from the tube with the values as radii. Beyond `reach` of the box around it,
    /// a bound: the distance from the box and a little.
    pub fn tube(&self, p: DVec3, reach: f64) -> f64 {
        let grown = DVec3::splat(self.widest);
        let outside = (self.min - grown - p).max(p - self.max - grown).max(DVec3::ZERO).length();
        if outside >= reach {
            return outside + 0.3 * self.widest;
        }
        let mut least = f64::INFINITY;
        self.each_segment(p, |distance, value| least = least.min(distance.sqrt() - value));
        least
    }

    /// value · exp(−(distance/σ)²): a ridge, or a crease where the values are negative.
    pub fn ridge(&self, p: DVec3, sigma: f64) -> f64 {
        let reach = DVec3::splat(2.6 * sigma);
        if (p - self.min + reach).min_element() <= 0.0
            || (self.max + reach - p).min_element() <= 0.0
        {
            return 0.0;
        }
        let (mut least, mut amplitude) = (f64::INFINITY, 0.0);
        self.each_segment(p, |distance, value| {
            if distance < least {
                (least, amplitude) = (distance, value);
            }
        });
        amplitude * (-least / (sigma * sigma)).exp()
    }

    /// The point of the curve closest to `p`, and how far along it is, from 0 to 1.
    pub fn closest(&self, p: DVec3) -> (DVec3, f64) {
        let (mut least, mut best) = (f64::INFINITY, (p, 0.0));
        let count = self.points.len().saturating_sub(1).max(1) as f64;
        for (k, pair) in self.points.windows(2).enumerate() {
            let a = DVec3::new(pair[0][0], pair[0][1], pair[0][2]);
            let ab = DVec3::new(pair[1][0], pair[1][1], pair[1][2]) - a;
            let t = ((p - a).dot(ab) / (ab.length_squared() + 1e-12)).clamp(0.0, 1.0);
            let distance = p.distance_squared(a + t * ab);
            if distance < least {
                (least, best) = (distance, (a + t * ab, (k as f64 + t) / count));
            }
        }
        best
    }

    /// The point this far along it, from 0 to 1.
    pub fn at(&self, along: f64) -> DVec3 {
        let last = self.points.len() - 1;
        let u = along.clamp(0.0, 1.0) * last as f64;
        let i = (u as usize).min(last.saturating_sub(1));
        let [a, b] =
            [self.points[i], self.points[(i + 1).min(last)]].map(|r| DVec3::new(r[0], r[1], r[2]));
        a.lerp(b, u - i as f64)
    }

    /// Squared distance and value at the closest point of every segment.
    fn each_segment(&self, p: DVec3, mut visit: impl FnMut(f64, f64)) {
        for pair in self.points.windows(2) {
            let a = DVec3::new(pair[0][0], pair[0][1], pair[0][2]);
            let ab = DVec3::new(pair[1][0], pair[1][1], pair[1][2]) - a;
            let ap = p - a;
            let t = (ap.dot(ab) / (ab.length_squared() + 1e-12)).clamp(0.0, 1.0);
            visit((ap - t * ab).length_squared(), pair[0][3] + t * (pair[1][3] - pair[0][3]));
        }
    }
}

/// `count` points on the Catmull–Rom curve through `rows`, evenly spaced in its parameter.
pub fn catmull_rom<const N: usize>(rows: &[[f64; N]], count: usize) -> Vec<[f64; N]> {
    let last = rows.len().saturating_sub(1);
    let at = |i: isize| -> [f64; N] {
        // Beyond the ends the curve goes straight on.
        let mirrored =
            |end: usize, inner: usize| std::array::from_fn(|k| 2.0 * rows[end][k] - rows[inner][k]);
        match i {
            -1 => mirrored(0, 1.min(last)),
            i if i as usize > last => mirrored(last, last.saturating_sub(1)),
            i => rows[i as usize],
        }
    };
    (0..count)
        .map(|n| {
            let u = n as f64 / (count - 1).max(1) as f64 * last as f64;
            let i = (u as usize).min(last.saturating_sub(1)) as isize;
            let t = u - i as f64;
            let (a, b, c, d) = (at(i - 1), at(i), at(i + 1), at(i + 2));
            if last == 1 {
                return std::array::from_fn(|k| b[k] + t * (c[k] - b[k]));
            }
            std::array::from_fn(|k| {
                let (a, b, c, d) = (a[k], b[k], c[k], d[k]);
                0.5 * (2.0 * b
                    + (c - a) * t
                    + (2.0 * a - 5.0 * b + 4.0 * c - d) * t * t
                    + (3.0 * b - a - 3.0 * c + d) * t * t * t)
            })
        })
        .collect()
}

/// A table read by monotone cubics (Fritsch and Carlson 1980), held at both ends.
#[derive(Clone, Debug)]
pub struct InterpolatedTable {
    x: Vec<f64>,
    y: Vec<f64>,
    slope: Vec<f64>,
}

impl InterpolatedTable {
    /// From pairs in any order of x.
    pub fn new(rows: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut rows: Vec<(f64, f64)> = rows.into_iter().collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (x, y): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
        let slope = monotone_slopes(&x, &y);
        InterpolatedTable { x, y, slope }
    }

    /// The value at x.
    pub fn at(&self, x: f64) -> f64 {
        let n = self.x.len();
        let x = x.clamp(self.x[0], self.x[n - 1]);
        let i = self.x.partition_point(|&knot| knot <= x).clamp(1, n - 1) - 1;
        let h = self.x[i + 1] - self.x[i];
        let t = (x - self.x[i]) / h;
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * self.y[i]
            + (t3 - 2.0 * t2 + t) * h * self.slope[i]
            + (3.0 * t2 - 2.0 * t3) * self.y[i + 1]
            + (t3 - t2) * h * self.slope[i + 1]
    }
}

/// Slopes at the knots: weighted harmonic means inside, three-point formulas at the ends.
fn monotone_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let h: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
    let secant: Vec<f64> = y.windows(2).zip(&h).map(|(w, h)| (w[1] - w[0]) / h).collect();
    let mut slope = vec![0.0; x.len()];
    for i in 1..x.len() - 1 {
        if secant[i - 1] * secant[i] > 0.0 {
            let (w1, w2) = (2.0 * h[i] + h[i - 1], h[i] + 2.0 * h[i - 1]);
            slope[i] = (w1 + w2) / (w1 / secant[i - 1] + w2 / secant[i]);
        }
    }
    let end = |h0: f64, h1: f64, s0: f64, s1: f64| {
        let d = ((2.0 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
        if d * s0 <= 0.0 {
            0.0
        } else if s0 * s1 <= 0.0 && d.abs() > 3.0 * s0.abs() {
            3.0 * s0
        } else {
            d
        }
    };
    let n = x.len();
    if n > 2 {
        slope[0] = end(h[0], h[1], secant[0], secant[1]);
        slope[n - 1] = end(h[n - 2], h[n - 3], secant[n - 2], secant[n - 3]);
    } else {
        slope.fill(secant[0]);
    }
    slope
}

/// The gradient of a function of space by central differences over ±`step` (m), normalised.
pub fn normal(f: impl Fn(DVec3) -> f64, p: DVec3, step: f64) -> DVec3 {
    gradient(f, p, step).normalize_or_zero()
}

/// The gradient by central differences over ±`step` (m).
pub fn gradient(f: impl Fn(DVec3) -> f64, p: DVec3, step: f64) -> DVec3 {
    let slope = |axis: DVec3| (f(p + step * axis) - f(p - step * axis)) / (2.0 * step);
    DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_monotone_and_meets_its_knots() {
        let rows = [(0.0, 0.0), (1.0, 0.1), (1.5, 2.0), (4.0, 2.1)];
        let table = InterpolatedTable::new(rows);
        rows.iter().for_each(|&(x, y)| assert!((table.at(x) - y).abs() < 1e-15));
        let values: Vec<f64> = (0..=400).map(|i| table.at(f64::from(i) / 100.0)).collect();
        assert!(values.is_sorted());
        assert_eq!((table.at(-3.0), table.at(9.0)), (0.0, 2.1));
    }

    #[test]
    fn a_tube_is_as_far_as_its_axis_less_its_radius() {
        let tube = SampledCurve::new(&[[0.0, 0.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.1]], 5);
        assert!((tube.tube(DVec3::new(0.4, 0.3, 0.0), 1.0) - 0.2).abs() < 1e-12);
        let far = DVec3::new(0.4, 3.0, 0.0);
        assert!(tube.tube(far, 1.0) <= 2.9 + 0.03);
        assert!((tube.closest(DVec3::new(0.5, 2.0, 0.0)).1 - 0.5).abs() < 1e-9);
    }

    #[test]
    fn curves_pass_through_their_points() {
        let rows = [[0.0, 0.0], [1.0, 2.0], [2.0, 0.0]];
        let curve = catmull_rom(&rows, 5);
        assert_eq!((curve[0], curve[2], curve[4]), (rows[0], rows[1], rows[2]));
    }
}

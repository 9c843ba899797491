//! A surface as an obstacle without creases: its signed distance on a lattice, and between by cubic
//! B-splines.
//!
//! The distance of triangles has a crease over every edge, and Newton's method does not converge
//! where vertices come to lie on one. Samples as the coefficients of B-splines (Unser 1999) give a
//! function with two continuous derivatives, which is the distance where that is linear, and rounds
//! off within about a cell where it is not. Its slope is 1 there, and less where it is rounded:
//! forces have the true one, so that they are the derivative of an energy.

use glam::{DMat3, DVec3};
use pliant_mesh::{Bounds, Mesh};

use super::mesh_shape::MeshShape;
use crate::error::ShapeError;

/// Cells between the surface's box and the end of the lattice.
const MARGIN: f64 = 3.0;
/// Exact distances are known on every so many lattice points, and on all that are near.
const STRIDE: usize = 4;
/// Cells within which a lattice point is near the surface.
const NEAR: f64 = 4.0;
/// Points of a lattice, at most: with more, cells are larger than asked.
const MOST_POINTS: f64 = 2e6;

/// A distance with two continuous derivatives.
#[derive(Debug, PartialEq)]
pub struct SmoothShape {
    low: DVec3,
    cell: f64,
    counts: [usize; 3],
    /// x fastest \[m\].
    values: Vec<f64>,
    bounds: Bounds,
}

/// A distance \[m\] with its derivatives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jet {
    pub value: f64,
    pub slope: DVec3,
    /// [1/m]
    pub bend: DMat3,
}

impl SmoothShape {
    /// Of what the triangles of a mesh \[m\] go round, on cubes of a side \[m\].
    ///
    /// # Errors
    /// The triangles are no surface, or the side is no length.
    pub fn new(mesh: &Mesh, cell: f64) -> Result<Self, ShapeError> {
        if !(cell > 0.0 && cell.is_finite()) {
            return Err(ShapeError::NoCells);
        }
        let exact = MeshShape::new(mesh)?;
        let bounds = exact.bounds();
        let volume = (bounds.size() + DVec3::splat(2.0 * MARGIN * cell)).element_product();
        let cell = cell.max((volume / MOST_POINTS).cbrt());
        let low = bounds.min - DVec3::splat(MARGIN * cell);
        let whole = (bounds.size() / cell + DVec3::splat(2.0 * MARGIN)).to_array();
        // Whole strides, and the last point.
        let counts = whole.map(|n| (n.ceil() as usize).div_ceil(STRIDE) * STRIDE + 1);
        let place = |at: [usize; 3]| low + cell * DVec3::from_array(at.map(|k| k as f64));
        let coarse = counts.map(|n| n / STRIDE + 1);
        let rough: Vec<f64> =
            points(coarse).map(|at| exact.nearest(place(at.map(|k| k * STRIDE))).0).collect();
        let far = (NEAR + 0.87 * STRIDE as f64) * cell;
        let values = points(counts)
            .map(|at| {
                let guess = between(&rough, coarse, at);
                if guess.abs() > far { guess } else { exact.nearest(place(at)).0 }
            })
            .collect();
        Ok(SmoothShape { low, cell, counts, values, bounds })
    }

    /// A ball around it.
    pub fn ball(&self) -> (DVec3, f64) {
        (self.bounds.center(), 0.5 * self.bounds.size().length())
    }

    /// Where the lattice has no point, the distance grows by the way to it.
    pub fn at(&self, x: DVec3) -> Jet {
        let most = DVec3::from_array(self.counts.map(|n| n as f64 - 2.0 - 1e-9));
        let at = (x - self.low) / self.cell;
        let held = at.clamp(DVec3::ONE, most);
        if x.is_nan() {
            return Jet { value: f64::INFINITY, slope: DVec3::Y, bend: DMat3::ZERO };
        }
        let mut jet = self.within(held);
        let away = (at - held) * self.cell;
        if let Some(outward) = away.try_normalize() {
            jet.value += away.length();
            (jet.slope, jet.bend) = (outward, DMat3::ZERO);
        }
        jet
    }

    /// Whether it may be negative at x.
    pub fn is_near(&self, x: DVec3) -> bool {
        x.cmpge(self.bounds.min).all() && x.cmple(self.bounds.max).all()
    }

    /// At a place in units of cells that has two points on every side.
    fn within(&self, at: DVec3) -> Jet {
        let mut first = [0; 3];
        let mut weights = [[[0.0; 3]; 4]; 3];
        for k in 0..3 {
            let cell = at[k].floor();
            first[k] = cell as usize - 1;
            weights[k] = spline(at[k] - cell);
        }
        let (mut value, mut slope) = (0.0, DVec3::ZERO);
        let (mut own, mut mixed) = (DVec3::ZERO, DVec3::ZERO);
        for (c, [z, dz, ddz]) in weights[2].into_iter().enumerate() {
            for (b, [y, dy, ddy]) in weights[1].into_iter().enumerate() {
                let row = ((first[2] + c) * self.counts[1] + first[1] + b) * self.counts[0];
                let samples = &self.values[row + first[0]..row + first[0] + 4];
                let mut sums = [0.0; 3];
                for (sample, x) in samples.iter().zip(&weights[0]) {
                    for k in 0..3 {
                        sums[k] += sample * x[k];
                    }
                }
                let [s, ds, dds] = sums;
                value += s * y * z;
                slope += DVec3::new(ds * y * z, s * dy * z, s * y * dz);
                own += DVec3::new(dds * y * z, s * ddy * z, s * y * ddz);
                // yz, xz, xy.
                mixed += DVec3::new(s * dy * dz, ds * y * dz, ds * dy * z);
            }
        }
        let bend = DMat3::from_cols(
            DVec3::new(own.x, mixed.z, mixed.y),
            DVec3::new(mixed.z, own.y, mixed.x),
            DVec3::new(mixed.y, mixed.x, own.z),
        );
        Jet { value, slope: slope / self.cell, bend: bend * (1.0 / (self.cell * self.cell)) }
    }
}

/// Weights of the four samples around a place, 0 ≤ t ≤ 1 after the second, with two derivatives.
fn spline(t: f64) -> [[f64; 3]; 4] {
    let s = 1.0 - t;
    [
        [s * s * s / 6.0, -0.5 * s * s, s],
        [(4.0 + t * t * (3.0 * t - 6.0)) / 6.0, t * (1.5 * t - 2.0), 3.0 * t - 2.0],
        [(4.0 + s * s * (3.0 * s - 6.0)) / 6.0, -s * (1.5 * s - 2.0), 3.0 * s - 2.0],
        [t * t * t / 6.0, 0.5 * t * t, t],
    ]
}

/// Of a lattice, x fastest.
fn points(counts: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [nx, ny, nz] = counts;
    (0..nx * ny * nz).map(move |i| [i % nx, i / nx % ny, i / (nx * ny)])
}

/// Values on every [`STRIDE`]-th point, linear between them.
fn between(rough: &[f64], coarse: [usize; 3], at: [usize; 3]) -> f64 {
    let mut sum = 0.0;
    for corner in 0..8usize {
        let (mut index, mut weight) = (0, 1.0);
        for k in (0..3).rev() {
            let part = (at[k] % STRIDE) as f64 / STRIDE as f64;
            let ahead = corner >> k & 1;
            weight *= if ahead == 1 { part } else { 1.0 - part };
            index = index * coarse[k] + (at[k] / STRIDE + ahead).min(coarse[k] - 1);
        }
        sum += weight * rough[index];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    fn jelly() -> SmoothShape {
        SmoothShape::new(&shapes::jelly(10).unwrap(), 0.04).unwrap()
    }

    #[test]
    fn a_box_has_its_distance_but_for_rounded_edges() {
        let solid = shapes::solid_box(DVec3::new(1.0, 0.6, 0.8), [5, 3, 4]).unwrap();
        let shape = SmoothShape::new(&solid, 0.02).unwrap();
        let middle = shape.at(DVec3::new(0.1, 0.27, 0.05));
        assert!((middle.value + 0.03).abs() < 1e-12, "{}", middle.value);
        assert!(middle.slope.distance(DVec3::Y) < 1e-9);
        let edge = shape.at(DVec3::new(0.1, 0.3, 0.4));
        assert!((0.0..0.012).contains(&edge.value), "{}", edge.value);
        let outside = shape.at(DVec3::new(0.0, 2.3, 0.0));
        assert!((outside.value - 2.0).abs() < 1e-9, "{}", outside.value);
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let shape = jelly();
        let (center, radius) = shape.ball();
        for t in (0..400).map(f64::from) {
            let u = DVec3::new((1.3 * t).sin(), (0.7 * t).cos(), (2.1 * t + 1.0).sin());
            let x = center + 0.7 * radius * u;
            if !shape.is_near(x) {
                continue;
            }
            let (jet, h) = (shape.at(x), 1e-5);
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let (ahead, behind) = (shape.at(x + h * axis), shape.at(x - h * axis));
                let slope = (ahead.value - behind.value) / (2.0 * h);
                assert!((slope - jet.slope.dot(axis)).abs() < 1e-6, "slope at {x}");
                let bend = (ahead.slope - behind.slope) / (2.0 * h);
                // Third derivatives jump between cells.
                assert!(bend.distance(jet.bend * axis) < 0.05, "bend at {x}");
            }
        }
    }

    #[test]
    fn far_places_are_far_and_bad_surfaces_refused() {
        let shape = jelly();
        let (center, radius) = shape.ball();
        assert!(shape.at(center + DVec3::X * 10.0 * radius).value > 8.0 * radius);
        assert_eq!(shape.at(DVec3::NAN).value, f64::INFINITY);
        let empty = SmoothShape::new(&Mesh::default(), 0.1);
        assert_eq!(empty.unwrap_err(), ShapeError::NoTriangles);
        assert!(SmoothShape::new(&shapes::jelly(8).unwrap(), 0.0).is_err());
    }

    #[test]
    fn tiny_cells_are_made_larger_before_memory_is_asked_for() {
        let shape = SmoothShape::new(&shapes::jelly(8).unwrap(), 1e-9).unwrap();
        assert!(shape.values.len() < 3_000_000);
    }
}

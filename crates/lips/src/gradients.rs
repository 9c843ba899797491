//! Triangles as deformation gradients: F = D_d D_r⁻¹, with the phantom vertex of "Deformation
//! transfer for triangle meshes" (Sumner and Popović 2004, Section 3), which stands on a corner
//! at n/√|n|, n the cross product of the edges there.
//!
//! A gradient has nine numbers, column after column, and is kept as F − I: the neutral shape is
//! all zeros, so that a linear map leaves it alone whatever it was trained on.

use glam::{DMat3, DVec3};

/// A triangle whose height is below this part of its longest edge has no gradient.
const FLAT: f64 = 1e-9;

/// Triangles with what their gradients need of the rest shape.
#[derive(Clone, Debug, Default)]
pub struct Gradients {
    /// Corners, in the numbering of the positions.
    pub triangles: Vec<[u32; 3]>,
    /// D_r⁻¹.
    inverse: Vec<DMat3>,
    /// √(area ÷ mean area): with it, a sum of squares is an integral over the surface, and does
    /// not depend on how finely a part is meshed.
    weight: Vec<f64>,
}

impl Gradients {
    /// Numbers per triangle.
    pub const NUMBERS: usize = 9;

    /// Of triangles at rest, none of them flat (see [`is_flat`]).
    pub fn new(rest: &[DVec3], triangles: Vec<[u32; 3]>) -> Gradients {
        let shapes: Vec<DMat3> = triangles.iter().map(|t| shape(corners(rest, t))).collect();
        let area: Vec<f64> = triangles.iter().map(|t| area(corners(rest, t))).collect();
        let mean = area.iter().sum::<f64>() / area.len().max(1) as f64;
        let weight = area.iter().map(|a| (a / mean).sqrt()).collect();
        Gradients { triangles, inverse: shapes.iter().map(DMat3::inverse).collect(), weight }
    }

    /// How many triangles.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// √w (F − I) of a triangle, w its area by the mean area.
    #[inline(always)]
    pub fn weighed(&self, triangle: usize, positions: &[DVec3]) -> [f64; 9] {
        let f = shape(corners(positions, &self.triangles[triangle])) * self.inverse[triangle];
        let offset = (f - DMat3::IDENTITY).to_cols_array();
        offset.map(|value| self.weight[triangle] * value)
    }

    /// The weighed gradients of all triangles, one after the other: a column of Y or X.
    pub fn column(&self, positions: &[DVec3]) -> Vec<f64> {
        (0..self.len()).flat_map(|t| self.weighed(t, positions)).collect()
    }

    /// F − I of a triangle out of a column.
    pub fn from_column(&self, column: &[f64], triangle: usize) -> DMat3 {
        let numbers: [f64; 9] = std::array::from_fn(|k| column[9 * triangle + k]);
        DMat3::from_cols_array(&numbers.map(|value| value / self.weight[triangle]))
    }
}

/// Whether a triangle is too flat, or not finite: it has no gradient.
pub fn is_flat(corners: [DVec3; 3]) -> bool {
    let [a, b, c] = corners;
    let longest = (b - a).length_squared().max((c - a).length_squared());
    let longest = longest.max((c - b).length_squared());
    let height = 2.0 * area(corners);
    // A comparison that is false for what is not a number.
    let is_sound = height > FLAT * longest;
    !is_sound
}

/// The corners of a triangle.
#[inline(always)]
pub fn corners(positions: &[DVec3], triangle: &[u32; 3]) -> [DVec3; 3] {
    triangle.map(|v| positions[v as usize])
}

/// Its area \[m²\].
pub fn area([a, b, c]: [DVec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}

/// D: two edges, and the third that leads to the phantom vertex.
#[inline(always)]
fn shape([a, b, c]: [DVec3; 3]) -> DMat3 {
    let (e1, e2) = (b - a, c - a);
    let normal = e1.cross(e2);
    let length = normal.length();
    // A triangle that has collapsed has no phantom vertex; 0/0 would spoil the whole frame.
    let third = if length > 0.0 { normal / length.sqrt() } else { DVec3::ZERO };
    DMat3::from_cols(e1, e2, third)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: [DVec3; 3] =
        [DVec3::new(0.1, 0.0, 0.2), DVec3::new(1.3, 0.2, 0.0), DVec3::new(0.3, 0.9, -0.4)];

    #[test]
    fn a_rotated_and_scaled_triangle_has_that_matrix_as_its_gradient() {
        let turn = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.8);
        let gradients = Gradients::new(&REST, vec![[0, 1, 2]]);
        // The third edge has the length of √(twice the area), and so scales with the triangle.
        let moved = REST.map(|x| 1.7 * (turn * x) + DVec3::new(5.0, 6.0, 7.0));
        let column = gradients.column(&moved);
        let f = gradients.from_column(&column, 0) + DMat3::IDENTITY;
        assert!((f - 1.7 * turn).to_cols_array().iter().all(|d| d.abs() < 1e-13));
    }

    #[test]
    fn rest_is_zero_and_a_collapsed_triangle_is_finite() {
        let gradients = Gradients::new(&REST, vec![[0, 1, 2]]);
        assert!(gradients.column(&REST).iter().all(|v| v.abs() < 1e-15));
        assert!(gradients.column(&[DVec3::ONE; 3]).iter().all(|v| v.is_finite()));
        assert!(is_flat([DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]));
        assert!(is_flat([DVec3::ZERO, DVec3::X, DVec3::NAN]));
        assert!(!is_flat(REST));
    }

    #[test]
    fn weights_make_sums_of_squares_integrals() {
        // A unit square in two halves, and the same with one of them cut in two.
        let positions =
            [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y, DVec3::new(0.5, 0.5, 0.0)];
        let squares = |triangles: Vec<[u32; 3]>| {
            let count = triangles.len() as f64;
            let gradients = Gradients::new(&positions, triangles);
            let sheared: Vec<DVec3> = positions.iter().map(|x| *x + 0.3 * x.x * DVec3::Y).collect();
            gradients.column(&sheared).iter().map(|v| v * v).sum::<f64>() / count
        };
        let two = squares(vec![[0, 1, 2], [0, 2, 3]]);
        let three = squares(vec![[0, 1, 2], [0, 4, 3], [4, 2, 3]]);
        assert!((two - three).abs() < 1e-14);
    }
}

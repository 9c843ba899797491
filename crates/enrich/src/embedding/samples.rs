//! Sample points of a surface, at its vertices and inside large triangles.
//!
//! Eq. 1 of \[li2017enriching\] tracks vertices. Where triangles are larger than tets, nothing
//! would constrain the tets between the vertices; such triangles are tracked at inner points, one
//! per cell.

use glam::DVec3;
use pliant_mesh::Mesh;

/// A point of a surface, interpolated from up to three of its vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Vertices of Γ.
    pub corners: [u32; 3],
    /// Their weights, which sum to 1.
    pub weights: [f64; 3],
    /// Area that it represents, its entry of Λ \[m²\].
    pub area: f64,
}

impl Sample {
    /// Position of the sample when the surface's vertices are at `positions`.
    pub fn position(&self, positions: &[DVec3]) -> DVec3 {
        (0..3).map(|k| self.weights[k] * positions[self.corners[k] as usize]).sum()
    }
}

/// Maximum number of points along the side of a triangle.
const MAX_PER_SIDE: f64 = 64.0;

/// Samples of the triangles whose three vertices are tracked: at their vertices, and inside those
/// with a side longer than `size` \[m\]. Without such triangles, the tracked vertices themselves.
pub fn of_tracked(surface: &Mesh, is_tracked: &[bool], size: f64) -> Vec<Sample> {
    let mut at_vertices = vec![0.0; surface.positions.len()];
    let mut samples = Vec::new();
    for &corners in &surface.triangles {
        if !corners.iter().all(|&v| is_tracked[v as usize]) {
            continue;
        }
        let Some((area, longest)) = area_and_longest_side(surface, corners) else { continue };
        if longest <= size {
            corners.iter().for_each(|&v| at_vertices[v as usize] += area / 3.0);
            continue;
        }
        push_inside(corners, area, longest / size, &mut samples);
    }
    let single =
        |v: usize, area: f64| Sample { corners: [v as u32; 3], weights: [1.0, 0.0, 0.0], area };
    let areas = at_vertices.iter().enumerate().filter(|(_, area)| **area > 0.0);
    samples.extend(areas.map(|(v, &area)| single(v, area)));
    if samples.is_empty() {
        let tracked = (0..is_tracked.len()).filter(|&v| is_tracked[v]);
        samples.extend(tracked.map(|v| single(v, size * size)));
    }
    samples
}

/// Samples inside all triangles, one per cell of `size` \[m\] and at least one per triangle.
pub fn inside_triangles(surface: &Mesh, size: f64) -> Vec<Sample> {
    let mut samples = Vec::new();
    for &corners in &surface.triangles {
        if let Some((area, longest)) = area_and_longest_side(surface, corners) {
            push_inside(corners, area, longest / size, &mut samples);
        }
    }
    samples
}

/// Area \[m²\] and longest side \[m\] of a triangle; `None` if it is degenerate.
fn area_and_longest_side(surface: &Mesh, corners: [u32; 3]) -> Option<(f64, f64)> {
    let [a, b, c] = corners.map(|v| surface.positions[v as usize]);
    let area = 0.5 * (b - a).cross(c - a).length();
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    (area > 0.0 && area.is_finite()).then_some((area, longest))
}

/// Adds the centres of n² equal triangles inside one, with n ≥ `parts` per side.
fn push_inside(corners: [u32; 3], area: f64, parts: f64, samples: &mut Vec<Sample>) {
    let n = parts.ceil().clamp(1.0, MAX_PER_SIDE) as u32;
    let middle = |i: u32, j: u32, third: f64| {
        let [u, v] = [i, j].map(|k| (f64::from(k) + third) / f64::from(n));
        Sample { corners, weights: [1.0 - u - v, u, v], area: area / f64::from(n * n) }
    };
    for i in 0..n {
        for j in 0..n - i {
            samples.push(middle(i, j, 1.0 / 3.0));
            if j + 1 < n - i {
                samples.push(middle(i, j, 2.0 / 3.0));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    #[test]
    fn samples_have_the_whole_area_and_lie_on_the_surface() {
        let cube = shapes::solid_box(DVec3::ONE, [1, 1, 1]).unwrap();
        for size in [0.07, 0.3, 5.0] {
            let samples = of_tracked(&cube, &[true; 8], size);
            let area: f64 = samples.iter().map(|s| s.area).sum();
            assert!((area - 6.0).abs() < 1e-12);
            for sample in &samples {
                assert!((sample.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let x = sample.position(&cube.positions).abs().max_element();
                assert!((x - 0.5).abs() < 1e-12);
            }
        }
        assert_eq!(of_tracked(&cube, &[true; 8], 5.0).len(), 8);
    }

    #[test]
    fn only_what_is_tracked_is_sampled() {
        let cube = shapes::solid_box(DVec3::ONE, [1, 1, 1]).unwrap();
        let mut tracked = [true; 8];
        tracked[3] = false;
        let samples = of_tracked(&cube, &tracked, 0.2);
        assert!(samples.iter().all(|s| !s.corners.contains(&3)));
        assert!(!samples.is_empty());
    }
}

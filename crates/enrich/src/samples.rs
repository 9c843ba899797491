//! Points of Γ′ that are tracked.
//!
//! Eq. 1 tracks vertices. Where triangles are larger than tets, as on low-polygon creatures, the tets
//! between the vertices would be free to go anywhere: such triangles are tracked at points inside, one
//! per cell.

use glam::DVec3;
use pliant_mesh::Mesh;

/// A point of a surface that is carried by up to three of its vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Vertices of Γ.
    pub corners: [u32; 3],
    /// Their weights, which sum to 1.
    pub weights: [f64; 3],
    /// The area it stands for: its entry of Λ \[m²\].
    pub area: f64,
}

impl Sample {
    /// Where it is when the surface's vertices are at `positions`.
    pub fn position(&self, positions: &[DVec3]) -> DVec3 {
        (0..3).map(|k| self.weights[k] * positions[self.corners[k] as usize]).sum()
    }
}

/// The most points along the side of a triangle.
const MOST: f64 = 64.0;

/// Samples of the triangles all of whose vertices are tracked: their vertices, and points inside of
/// those whose sides are longer than `size` \[m\]. Without triangles, the tracked vertices themselves.
pub fn of(surface: &Mesh, is_tracked: &[bool], size: f64) -> Vec<Sample> {
    let mut at_vertices = vec![0.0; surface.positions.len()];
    let mut samples = Vec::new();
    for &corners in &surface.triangles {
        if !corners.iter().all(|&v| is_tracked[v as usize]) {
            continue;
        }
        let [a, b, c] = corners.map(|v| surface.positions[v as usize]);
        let area = 0.5 * (b - a).cross(c - a).length();
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        if !(area > 0.0 && area.is_finite()) {
            continue;
        }
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

/// Samples inside of all triangles, as many as cells of `size` \[m\] fit, at least one each.
pub fn inside_triangles(surface: &Mesh, size: f64) -> Vec<Sample> {
    let mut samples = Vec::new();
    for &corners in &surface.triangles {
        let [a, b, c] = corners.map(|v| surface.positions[v as usize]);
        let area = 0.5 * (b - a).cross(c - a).length();
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        if area > 0.0 && area.is_finite() {
            push_inside(corners, area, longest / size, &mut samples);
        }
    }
    samples
}

/// The middles of the n² triangles that n parts of every side make, n at least `parts`.
fn push_inside(corners: [u32; 3], area: f64, parts: f64, samples: &mut Vec<Sample>) {
    let n = parts.ceil().clamp(1.0, MOST) as u32;
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
            let samples = of(&cube, &[true; 8], size);
            let area: f64 = samples.iter().map(|s| s.area).sum();
            assert!((area - 6.0).abs() < 1e-12);
            for sample in &samples {
                assert!((sample.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let x = sample.position(&cube.positions).abs().max_element();
                assert!((x - 0.5).abs() < 1e-12);
            }
        }
        assert_eq!(of(&cube, &[true; 8], 5.0).len(), 8);
    }

    #[test]
    fn only_what_is_tracked_is_sampled() {
        let cube = shapes::solid_box(DVec3::ONE, [1, 1, 1]).unwrap();
        let mut tracked = [true; 8];
        tracked[3] = false;
        let samples = of(&cube, &tracked, 0.2);
        assert!(samples.iter().all(|s| !s.corners.contains(&3)));
        assert!(!samples.is_empty());
    }
}

//! Fibre directions by the Laplace method \[choi2013\].
//!
//! A harmonic function is 0 at the origin and 1 at the insertion, with no flux through the sides.
//! Its gradient points along the fibres.
//!
//! Linear elements on the muscle's own tets; conjugate gradients with the diagonal as
//! preconditioner.

use glam::{DMat3, DVec3};
use pliant_mesh::{Mesh, edge_matrix};

use super::distance_fields::SampledCurve;

/// Relative residual at which the solve ends.
const TOLERANCE: f64 = 1e-10;

/// Per vertex of a solid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fibres {
    /// From 0 at the origin to 1 at the insertion.
    pub along: Vec<f64>,
    /// Unit vectors, from origin to insertion.
    pub direction: Vec<DVec3>,
}

impl Fibres {
    /// Where nothing is known but a curve from origin to insertion: its direction at the closest
    /// point.
    pub fn along_curve(points: &[DVec3], curve: &[DVec3]) -> Fibres {
        let rows: Vec<[f64; 4]> = curve.iter().map(|p| [p.x, p.y, p.z, 0.0]).collect();
        if rows.len() < 2 {
            let (along, direction) = (vec![0.0; points.len()], vec![DVec3::Y; points.len()]);
            return Fibres { along, direction };
        }
        let line = SampledCurve::new(&rows, 8 * rows.len());
        let along: Vec<f64> = points.iter().map(|&p| line.closest(p).1).collect();
        let at = |t: f64| line.at(t);
        let direction =
            along.iter().map(|&t| (at(t + 0.02) - at(t - 0.02)).normalize_or(DVec3::Y)).collect();
        Fibres { along, direction }
    }
}

/// Solves on a solid whose first `per_end` vertices are the origin, and last `per_end` the
/// insertion, of `stations` such sections.
pub fn fibres(solid: &Mesh, per_end: usize, stations: usize) -> Fibres {
    let count = solid.positions.len();
    let elements: Vec<Element> =
        (0..solid.tets.len()).filter_map(|t| Element::of(solid, t)).collect();
    let free = |v: usize| (per_end..count - per_end).contains(&v);
    // A start that is right for a straight ribbon.
    let mut along: Vec<f64> =
        (0..count).map(|v| (v / per_end) as f64 / (stations - 1).max(1) as f64).collect();
    conjugate_gradients(&elements, &mut along, free);
    // Linear elements with obtuse angles may leave the range of the ends by a little.
    along.iter_mut().for_each(|u| *u = u.clamp(0.0, 1.0));
    let mut direction = vec![DVec3::ZERO; count];
    for element in &elements {
        let gradient = element.gradient(&along).normalize_or_zero();
        element.corners.iter().for_each(|&v| direction[v as usize] += element.volume * gradient);
    }
    direction.iter_mut().for_each(|d| *d = d.normalize_or(DVec3::Y));
    Fibres { along, direction }
}

struct Element {
    corners: [u32; 4],
    /// Gradients of the corners' shape functions (1/m).
    slopes: [DVec3; 4],
    volume: f64,
}

impl Element {
    /// None for a tet without volume, which carries no flux.
    fn of(solid: &Mesh, tet: usize) -> Option<Element> {
        let edges = edge_matrix(solid.corners(tet)?);
        let volume = edges.determinant() / 6.0;
        let inverse = edges.inverse().transpose();
        if volume <= 0.0 || !inverse.is_finite() {
            return None;
        }
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = inverse;
        Some(Element { corners: solid.tets[tet], slopes: [-(x + y + z), x, y, z], volume })
    }

    fn gradient(&self, u: &[f64]) -> DVec3 {
        self.corners.iter().zip(self.slopes).map(|(&v, s)| u[v as usize] * s).sum()
    }
}

/// Minimises ∫‖∇u‖² over the free values.
fn conjugate_gradients(elements: &[Element], u: &mut [f64], free: impl Fn(usize) -> bool) {
    let count = u.len();
    let apply = |x: &[f64]| {
        let mut y = vec![0.0; count];
        for element in elements {
            let flux = element.volume * element.gradient(x);
            for (&v, slope) in element.corners.iter().zip(element.slopes) {
                y[v as usize] += flux.dot(slope);
            }
        }
        (0..count).for_each(|v| {
            if !free(v) {
                y[v] = 0.0
            }
        });
        y
    };
    let mut diagonal = vec![0.0; count];
    for element in elements {
        for (&v, slope) in element.corners.iter().zip(element.slopes) {
            diagonal[v as usize] += element.volume * slope.length_squared();
        }
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let condition = |r: &[f64]| -> Vec<f64> {
        r.iter().zip(&diagonal).map(|(r, d)| if *d > 0.0 { r / d } else { 0.0 }).collect()
    };
    let mut residual: Vec<f64> = apply(u).iter().map(|y| -y).collect();
    let mut z = condition(&residual);
    let mut direction = z.clone();
    let mut rz = dot(&residual, &z);
    let first = rz;
    for _ in 0..4 * count {
        if rz <= TOLERANCE * TOLERANCE * first {
            break;
        }
        let image = apply(&direction);
        let step = rz / dot(&direction, &image);
        if !step.is_finite() {
            break;
        }
        for v in 0..count {
            u[v] += step * direction[v];
            residual[v] -= step * image[v];
        }
        z = condition(&residual);
        let next = dot(&residual, &z);
        let keep = next / rz;
        rz = next;
        (0..count).for_each(|v| direction[v] = z[v] + keep * direction[v]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes::solid_box;

    #[test]
    fn in_a_bar_fibres_run_straight_and_evenly() {
        let mut solid = solid_box(DVec3::new(1.0, 0.3, 0.2), [8, 3, 2]).unwrap();
        // Sections one after the other, those of least x first.
        let mut order: Vec<u32> = (0..solid.positions.len() as u32).collect();
        order.sort_by(|&a, &b| {
            solid.positions[a as usize].x.total_cmp(&solid.positions[b as usize].x)
        });
        let place = |v: u32| order.iter().position(|&o| o == v).unwrap() as u32;
        solid.tets = solid.tets.iter().map(|t| t.map(place)).collect();
        solid.positions = order.iter().map(|&v| solid.positions[v as usize]).collect();
        let per_end = 12;
        let Fibres { along, direction } = fibres(&solid, per_end, 9);
        for (v, p) in solid.positions.iter().enumerate() {
            assert!((along[v] - (p.x + 0.5)).abs() < 1e-9, "{} at {p}", along[v]);
            assert!(direction[v].distance(DVec3::X) < 1e-7);
        }
    }
}

//! E = −Σ m b·x: masses without inertia under an acceleration of their own, [`crate::Drive::burden`].
//!
//! Flesh at rest holds its own against gravity, and is seen in a shape that it has under it. What was put on it later pulls
//! by its weight alone.

use pliant_math::Row;

use super::attachment::points;
use super::potential::{CHUNK_ELEMENTS, Curvature, Potential, ProxyKind, Situation};

/// Masses at model vertices.
pub struct Burden {
    vertices: Vec<u32>,
    masses: Vec<f64>,
}

impl Burden {
    /// A mass \[kg\] for each vertex; negative where flesh has become lighter.
    pub fn new(vertices: Vec<u32>, masses: Vec<f64>) -> Self {
        assert_eq!(vertices.len(), masses.len(), "one mass per burdened vertex");
        Burden { vertices, masses }
    }
}

impl Potential for Burden {
    fn name(&self) -> &'static str {
        "burden"
    }

    fn chunk_count(&self) -> usize {
        self.vertices.len().div_ceil(CHUNK_ELEMENTS)
    }

    fn chunk_vertices(&self, chunk: usize) -> &[u32] {
        points(&self.vertices, chunk)
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let mut energy = 0.0;
        let out = gradient.unwrap_or(&mut []);
        let all = points(&self.vertices, chunk).iter().zip(points(&self.masses, chunk));
        for (i, (&v, &mass)) in all.enumerate() {
            let weight = at.drive.burden * mass;
            energy -= weight.dot(at.positions[v as usize].xyz());
            if let Some(row) = out.get_mut(i) {
                *row = Row::from(-weight);
            }
        }
        energy
    }

    fn hessians(&self, _: usize, _: &Situation, _: Curvature, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn driven_work(&self, chunk: usize, [from, to]: [&Situation; 2]) -> f64 {
        let more = to.drive.burden - from.drive.burden;
        let all = points(&self.vertices, chunk).iter().zip(points(&self.masses, chunk));
        let work = |(&v, &mass): (&u32, &f64)| {
            let [a, b] = [from, to].map(|at| at.positions[v as usize].xyz());
            -0.5 * mass * more.dot(a + b)
        };
        all.map(work).sum()
    }

    fn proxy(&self, _: ProxyKind, _: &mut dyn FnMut(u32, u32, f64)) {}
}

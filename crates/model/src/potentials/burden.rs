//! E = −Σ m b·x: masses without inertia under an acceleration of their own,
//! [`crate::Drive::burdens`].
//!
//! Flesh at rest holds its own against gravity, and is seen in a shape that it has under it. What
//! was put on it later pulls by its weight alone.

use glam::DVec3;
use pliant_math::Row;

use super::chunks::{Chunk, point_chunks, points};
use super::driven::DrivenPotential;
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;

/// Masses at model vertices.
pub struct Burden {
    /// Which of the drive's accelerations they have.
    number: usize,
    vertices: Vec<u32>,
    masses: Vec<f64>,
}

impl Burden {
    /// A mass \[kg\] for each vertex, negative where flesh has become lighter; `number` is that of
    /// their acceleration.
    pub fn new(number: usize, vertices: Vec<u32>, masses: Vec<f64>) -> Self {
        assert_eq!(vertices.len(), masses.len(), "one mass per burdened vertex");
        Burden { number, vertices, masses }
    }

    fn acceleration(&self, at: &Situation) -> DVec3 {
        at.drive.burdens.get(self.number).copied().unwrap_or(DVec3::ZERO)
    }
}

impl Potential for Burden {
    fn name(&self) -> &'static str {
        "burden"
    }

    fn chunk_count(&self) -> usize {
        point_chunks(&self.vertices)
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        Chunk::of_points(points(&self.vertices, chunk))
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let (mut energy, acceleration) = (0.0, self.acceleration(at));
        let out = gradient.unwrap_or(&mut []);
        let all = points(&self.vertices, chunk).iter().zip(points(&self.masses, chunk));
        for (i, (&v, &mass)) in all.enumerate() {
            let weight = acceleration * mass;
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

    fn proxy(&self, _: ProxyKind, _: &mut dyn FnMut(u32, u32, f64)) {}

    fn as_driven(&self) -> Option<&dyn DrivenPotential> {
        Some(self)
    }
}

impl DrivenPotential for Burden {
    fn driven_work(&self, chunk: usize, [from, to]: [&Situation; 2]) -> f64 {
        let more = self.acceleration(to) - self.acceleration(from);
        let all = points(&self.vertices, chunk).iter().zip(points(&self.masses, chunk));
        let work = |(&v, &mass): (&u32, &f64)| {
            let [a, b] = [from, to].map(|at| at.positions[v as usize].xyz());
            -0.5 * mass * more.dot(a + b)
        };
        all.map(work).sum()
    }
}

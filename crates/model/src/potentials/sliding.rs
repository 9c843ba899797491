//! Sliding: Σ ½ k ((x − p)·n)², points on planes that may move (Ichim et al. 2017, section 4:
//! tissue that slides over bone).

use glam::{DMat3, DVec3};
use pliant_math::Row;

use super::chunks::{Chunk, driven, point_chunks, points};
use super::driven::DrivenPotential;
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;

/// A plane to slide in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane {
    /// A point of it \[m\].
    pub point: DVec3,
    /// Its unit normal.
    pub normal: DVec3,
}

/// What slides of a body; the planes are [`crate::Drive::planes`].
pub struct Sliding {
    first: usize,
    vertices: Vec<u32>,
    stiffness: Vec<f64>,
}

impl Sliding {
    /// One plane per vertex, with a stiffness k [N/m] across it; planes begin at `first` of the
    /// drive's.
    pub fn new(first: usize, vertices: Vec<u32>, stiffness: Vec<f64>) -> Self {
        assert_eq!(vertices.len(), stiffness.len(), "one stiffness per vertex");
        Sliding { first, vertices, stiffness }
    }

    /// Vertices, stiffnesses and planes of a chunk.
    fn parts<'a>(
        &'a self,
        chunk: usize,
        at: &'a Situation,
    ) -> impl Iterator<Item = (usize, u32, f64, Plane)> + 'a {
        let (vertices, stiffness) = (points(&self.vertices, chunk), points(&self.stiffness, chunk));
        let planes = driven(&at.drive.planes, self.first, chunk);
        let all = vertices.iter().zip(stiffness).zip(planes).enumerate();
        all.map(|(place, ((&v, &k), &plane))| (place, v, k, plane))
    }
}

impl Potential for Sliding {
    fn name(&self) -> &'static str {
        "sliding"
    }

    fn chunk_count(&self) -> usize {
        point_chunks(&self.vertices)
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        Chunk::of_points(points(&self.vertices, chunk))
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let out = gradient.unwrap_or(&mut []);
        out.fill(Row::zero());
        let mut energy = 0.0;
        for (place, v, k, plane) in self.parts(chunk, at) {
            let away = (at.positions[v as usize].xyz() - plane.point).dot(plane.normal);
            energy += 0.5 * k * away * away;
            if let Some(row) = out.get_mut(place) {
                *row = Row::from(plane.normal * (k * away));
            }
        }
        energy
    }

    fn hessians(&self, chunk: usize, at: &Situation, _: Curvature, out: &mut [f64]) {
        out.fill(0.0);
        for (place, _, k, plane) in self.parts(chunk, at) {
            let n = plane.normal;
            let hessian = DMat3::from_cols(n * n.x, n * n.y, n * n.z) * k;
            out[9 * place..9 * place + 9].copy_from_slice(&hessian.to_cols_array());
        }
    }

    /// The proxy is alike in all directions: too stiff in two of three, of which L-BFGS learns.
    fn proxy(&self, _: ProxyKind, add: &mut dyn FnMut(u32, u32, f64)) {
        for (&v, &k) in self.vertices.iter().zip(&self.stiffness) {
            add(v, v, k);
        }
    }

    fn as_driven(&self) -> Option<&dyn DrivenPotential> {
        Some(self)
    }
}

impl DrivenPotential for Sliding {
    fn driven_work(&self, chunk: usize, [from, to]: [&Situation; 2]) -> f64 {
        let pairs = self.parts(chunk, from).zip(self.parts(chunk, to));
        let work =
            |((_, v, k, before), (_, _, _, after)): ((_, u32, f64, Plane), (_, _, _, Plane))| {
                let (moved, turned) = (after.point - before.point, after.normal - before.normal);
                let slope = |at: &Situation, plane: Plane| {
                    let away = at.positions[v as usize].xyz() - plane.point;
                    k * away.dot(plane.normal) * (away.dot(turned) - plane.normal.dot(moved))
                };
                0.5 * (slope(from, before) + slope(to, after))
            };
        pairs.map(work).sum()
    }
}

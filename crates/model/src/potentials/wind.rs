//! Wind on surface triangles: f = ½ ρ A (u·n) |u·n| n with u = w − v, both sides alike.
//!
//! With the triangle's normal n and area A frozen at the start of the step, this drag is minus
//! the gradient of the convex function (ρ A / 6) |(w − v)·n|³ of the velocity. Written for the
//! displacement x̄ − x̄ₙ = v / rate of the triangle's centre it is a potential of the step,
//!
//! ```text
//! D(x) = ρ A / (6 rate) · |(w − rate (x̄ − x̄ₙ))·n|³,      −∂D/∂x̄ = f,
//! ```
//!
//! so drag is implicit, and no gust can make a light cloth unstable.

use glam::DVec3;
use pliant_math::Row;

use super::chunks::{CHUNK_ELEMENTS, Chunk, bisect, localise};
use super::compliant::{CompliantElement, CompliantPotential};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;

/// Wind on the surface triangles of the model; its velocity is [`crate::Drive::air_on`].
pub struct Wind {
    /// ρ: the contract's `drag` [kg/m³].
    drag: f64,
    chunks: Vec<BlownChunk>,
}

struct BlownChunk {
    vertices: Vec<u32>,
    local: Vec<u16>,
    elements: Vec<u32>,
    /// Of each triangle, among all that are blown on.
    numbers: Vec<u32>,
}

impl Wind {
    /// Triangles over model vertices, grouped by their rest positions \[m\]; `first` is the number
    /// of the first among all that are blown on.
    pub fn new(first: usize, rest: &[Row], triangles: &[[u32; 3]], drag: f64) -> Self {
        let centres: Vec<DVec3> = triangles
            .iter()
            .map(|t| t.iter().map(|&v| rest[v as usize].xyz()).sum::<DVec3>() / 3.0)
            .collect();
        let chunk = |ids: Vec<u32>| {
            let elements: Vec<u32> = ids.iter().flat_map(|&t| triangles[t as usize]).collect();
            let (vertices, local) = localise(&elements);
            let numbers = ids.iter().map(|&t| first as u32 + t).collect();
            BlownChunk { vertices, local, elements, numbers }
        };
        Wind { drag, chunks: bisect(&centres, CHUNK_ELEMENTS).into_iter().map(chunk).collect() }
    }

    /// Area-weighted normal A n at the start of the step, and u·n now.
    #[inline]
    fn blow(&self, triangle: &[u32], number: u32, at: &Situation) -> Blow {
        let corner = |rows: &[Row], c: usize| rows[triangle[c] as usize].xyz();
        let (a, b, c) = (corner(at.start, 0), corner(at.start, 1), corner(at.start, 2));
        let doubled = (b - a).cross(c - a);
        let length = doubled.length();
        if length < f64::MIN_POSITIVE {
            return Blow { normal: DVec3::ZERO, area: 0.0, speed: 0.0, centre: DVec3::ZERO };
        }
        let normal = doubled / length;
        let start = (a + b + c) / 3.0;
        let (a, b, c) = (corner(at.positions, 0), corner(at.positions, 1), corner(at.positions, 2));
        let centre = (a + b + c) / 3.0;
        let moved = centre - start;
        let speed = (at.drive.air_on(number as usize) - moved * at.rate).dot(normal);
        Blow { normal, area: 0.5 * length, speed, centre }
    }
}

struct Blow {
    normal: DVec3,
    area: f64,
    speed: f64,
    centre: DVec3,
}

impl Potential for Wind {
    fn name(&self) -> &'static str {
        "wind"
    }

    fn is_stored(&self) -> bool {
        false
    }

    fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        let BlownChunk { vertices, elements, .. } = &self.chunks[chunk];
        Chunk { vertices, corners: 3, elements }
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let chunk = &self.chunks[chunk];
        let out = gradient.unwrap_or(&mut []);
        out.fill(Row::zero());
        let mut energy = 0.0;
        let triangles = chunk.elements.chunks_exact(3).zip(&chunk.numbers);
        for ((triangle, &number), local) in triangles.zip(chunk.local.chunks_exact(3)) {
            let blow = self.blow(triangle, number, at);
            let force = blow.normal * (0.5 * self.drag * blow.area * blow.speed * blow.speed.abs());
            energy += if at.rate > 0.0 {
                self.drag * blow.area / (6.0 * at.rate) * blow.speed.abs().powi(3)
            } else {
                -force.dot(blow.centre)
            };
            if !out.is_empty() {
                for &l in local {
                    let sum = out[l as usize].xyz() - force / 3.0;
                    out[l as usize] = Row::from(sum);
                }
            }
        }
        energy
    }

    fn hessians(&self, chunk: usize, at: &Situation, _: Curvature, out: &mut [f64]) {
        let BlownChunk { elements, numbers, .. } = &self.chunks[chunk];
        let triangles = elements.chunks_exact(3).zip(numbers);
        for ((triangle, &number), out) in triangles.zip(out.chunks_exact_mut(81)) {
            let blow = self.blow(triangle, number, at);
            // Convex: exact and definite are the same.
            let scale = self.drag * blow.area * blow.speed.abs() * at.rate / 9.0;
            for row in 0..9 {
                for column in 0..9 {
                    out[9 * row + column] = scale * blow.normal[row % 3] * blow.normal[column % 3];
                }
            }
        }
    }

    /// None: drag is weak beside inertia, and the quasi-Newton loop learns it.
    fn proxy(&self, _: ProxyKind, _: &mut dyn FnMut(u32, u32, f64)) {}

    fn as_compliant(&self) -> Option<&dyn CompliantPotential> {
        Some(self)
    }
}

impl CompliantPotential for Wind {
    fn visit_elements(&self, visit: &mut dyn FnMut(CompliantElement)) {
        for chunk in &self.chunks {
            for (triangle, &number) in chunk.elements.chunks_exact(3).zip(&chunk.numbers) {
                let corners = [triangle[0], triangle[1], triangle[2]];
                visit(CompliantElement::Blown { corners, number, drag: self.drag });
            }
        }
    }
}

//! What a potential is to a solver: chunks of elements that can be evaluated independently.
//!
//! Elements are grouped in spatially compact chunks of a few hundred. A chunk reads the
//! positions of its own vertices and writes one gradient row per vertex; who sums those rows
//! over chunks does so in a fixed order, so results do not depend on the number of threads.

use glam::{DMat3, DVec3};
use pliant_math::Row;

use super::Turning;
use super::compliant::Compliant;
use crate::input::Drive;
use crate::touching::Touch;

/// Elements per chunk: small enough that a chunk's vertices stay in the first-level cache.
pub const CHUNK_ELEMENTS: usize = 512;

/// Where and when a potential is evaluated.
#[derive(Clone, Copy)]
pub struct Situation<'a> {
    /// Positions \[m\], all vertices of the model.
    pub positions: &'a [Row],
    /// Positions at the start of the step \[m\]: what velocity-dependent potentials refer to.
    pub start: &'a [Row],
    /// Velocity is `(positions − start) · rate` [1/s]; zero in quasi-statics.
    pub rate: f64,
    /// Everything animated, at the time of evaluation.
    pub drive: &'a Drive,
    /// Where contact is felt, if not here: at the end of a step that the positions are the middle
    /// of, with this drive. Its energy counts half, so that its forces count once.
    pub end: Option<&'a Drive>,
    /// Which vertices are inside of bodies where contact is felt; see
    /// [`crate::touching::Touching`].
    pub touches: &'a [Touch],
    /// Which were at the start of the step: those rub.
    pub rubbing: &'a [Touch],
}

impl Situation<'_> {
    /// Where a vertex feels contact \[m\].
    pub fn contact_position(&self, vertex: u32) -> DVec3 {
        let p = self.positions[vertex as usize];
        match self.end {
            Some(_) => (p + (p - self.start[vertex as usize])).xyz(),
            None => p.xyz(),
        }
    }

    /// What is driven where contact is felt.
    pub fn contact_drive(&self) -> &Drive {
        self.end.unwrap_or(self.drive)
    }

    /// How far contact's positions move per displacement of a vertex: 2 or 1.
    pub fn contact_lead(&self) -> f64 {
        if self.end.is_some() { 2.0 } else { 1.0 }
    }
}

/// Which second derivative a solver wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// As it is.
    Exact,
    /// Each element's Hessian with negative eigenvalues set to zero.
    Definite,
}

/// Which constant quadratic proxy a projective solver wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyKind {
    /// The shear stiffness: best when L-BFGS completes it.
    Typical,
    /// An upper bound of the stiffness near rest, for plain local/global.
    Bound,
}

/// Is told of terms g e″ gᵀ of a Hessian: model vertices with their weights g, and e″ [N/m].
pub type VisitTerm<'a> = &'a mut dyn FnMut(&[(u32, f64)], DMat3);

/// How the gradient at a tet's corners changes with its activation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixed {
    /// Which of [`crate::Drive::activations`].
    pub activation: u32,
    /// Model vertices.
    pub corners: [u32; 4],
    /// ∂²E/∂x∂aₖ \[N\] of every corner, for each of the six numbers.
    pub slopes: [[DVec3; 4]; 6],
}

/// An energy of positions, in chunks of elements.
pub trait Potential: Send + Sync {
    /// For reports.
    fn name(&self) -> &'static str;

    /// Whether its energy is stored (part of the potential energy) or only dissipated during a
    /// step, like wind's.
    fn is_stored(&self) -> bool {
        true
    }

    /// How many chunks there are.
    fn chunk_count(&self) -> usize;

    /// The model vertices of a chunk; gradient rows are in this order.
    fn chunk_vertices(&self, chunk: usize) -> &[u32];

    /// Energy of a chunk \[J\]; with `gradient`, its derivative is *written* to those rows \[N\].
    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64;

    /// Vertices per element, k; elements are points where nothing else is said.
    fn corners(&self) -> usize {
        1
    }

    /// The model vertices of a chunk's elements, k each.
    fn chunk_elements(&self, chunk: usize) -> &[u32] {
        self.chunk_vertices(chunk)
    }

    /// Hessians of a chunk's elements [N/m]: (3k)² numbers each, row-major, rows and columns
    /// ordered corner by corner.
    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        out.fill(0.0);
        self.stiff_points(chunk, at, curvature, None, &mut |place, hessian| {
            let out = &mut out[9 * place..9 * place + 9];
            out.iter_mut().zip(hessian.to_cols_array()).for_each(|(o, h)| *o += h);
        });
    }

    /// The same of points (k = 1), of which only a few are stiff: calls `visit(place in the chunk's
    /// vertices, Hessian)` for those, any number of times each, to be added up. `felt` are the rows of the
    /// chunk's gradient there, where they are known: what has none need not be asked again. False when this
    /// potential has no such form, and all its Hessians have to be looked at.
    fn stiff_points(
        &self,
        chunk: usize,
        at: &Situation,
        curvature: Curvature,
        felt: Option<&[Row]>,
        visit: &mut dyn FnMut(usize, DMat3),
    ) -> bool {
        let _ = (chunk, at, curvature, felt, visit);
        false
    }

    /// What joins points beyond their own stiffness: calls `visit(vertices with their weights g, e″)`
    /// for terms g e″ gᵀ of the whole potential's Hessian [N/m], of which
    /// [`Potential::stiff_points`] has the bound 2 |gᵢ| e″ on the diagonal. False when points are joined
    /// by nothing, and their own stiffness is all.
    fn joins(&self, at: &Situation, curvature: Curvature, visit: VisitTerm) -> bool {
        let _ = (at, curvature, visit);
        false
    }

    /// Whether there is more to be told of it there than of its points.
    fn is_joining(&self) -> bool {
        false
    }

    /// What the exact Hessian has beyond terms that join points, because what they are pushed by turns as they move.
    fn turnings(&self, at: &Situation, visit: &mut dyn FnMut(Turning)) {
        let _ = (at, visit);
    }

    /// The constant proxy ½ xᵀLx, acting on x, y and z alike [N/m]: entries (i, j, Lᵢⱼ) of the
    /// lower triangle and of the upper one, in any order, duplicates adding up.
    fn proxy(&self, kind: ProxyKind, add: &mut dyn FnMut(u32, u32, f64));

    /// Whether the constant proxy stands for all of this potential's stiffness. What comes and goes,
    /// like contact, cannot be in it.
    fn is_in_proxy(&self) -> bool {
        true
    }

    /// Work that its own driven quantities q (activations, planes) do on a chunk between two situations,
    /// ½ (∂E/∂q₀ + ∂E/∂q₁)·Δq \[J\]; attachments and what is followed are booked by the simulation.
    fn driven_work(&self, chunk: usize, ends: [&Situation; 2]) -> f64 {
        let _ = (chunk, ends);
        0.0
    }

    /// ∂∇E/∂a of a chunk by the activations a that it is driven with: calls `visit` for every tet that has one.
    fn mixed(&self, chunk: usize, at: &Situation, visit: &mut dyn FnMut(Mixed)) {
        let _ = (chunk, at, visit);
    }

    /// Visits all elements one by one, neighbours after each other; false when this potential has
    /// no such form, and so cannot be relaxed element by element.
    fn compliant(&self, visit: &mut dyn FnMut(Compliant)) -> bool {
        let _ = visit;
        false
    }
}

/// Local vertex numbers for elements given by model vertices: `(vertices, local)` with
/// `vertices[local[e]] = elements[e]`, vertices ascending.
pub(crate) fn localise(elements: &[u32]) -> (Vec<u32>, Vec<u16>) {
    let mut vertices = elements.to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    let local = elements
        .iter()
        .map(|v| vertices.binary_search(v).expect("every element vertex was collected") as u16)
        .collect();
    (vertices, local)
}

/// Recursive coordinate bisection: groups of at most `most` points (at least one), neighbours together.
///
/// Deterministic; ties are broken by number.
pub fn bisect(points: &[glam::DVec3], most: usize) -> Vec<Vec<u32>> {
    let mut groups = Vec::new();
    let mut stack = vec![(0..points.len() as u32).collect::<Vec<_>>()];
    while let Some(mut group) = stack.pop() {
        if group.len() <= most.max(1) {
            if !group.is_empty() {
                groups.push(group);
            }
            continue;
        }
        let low = group.iter().fold(glam::DVec3::INFINITY, |a, &i| a.min(points[i as usize]));
        let high = group.iter().fold(glam::DVec3::NEG_INFINITY, |a, &i| a.max(points[i as usize]));
        let extent = (high - low).to_array();
        let axis = (0..3).fold(0, |best, a| if extent[a] > extent[best] { a } else { best });
        group.sort_unstable_by(|&a, &b| {
            points[a as usize][axis].total_cmp(&points[b as usize][axis]).then(a.cmp(&b))
        });
        let parts = group.len().div_ceil(most);
        // Cut at a multiple of 16, so that vector batches are full.
        let cut = (group.len() * (parts / 2) / parts).div_ceil(16) * 16;
        let cut = if cut < group.len() { cut } else { group.len() / 2 };
        let tail = group.split_off(cut);
        stack.push(tail);
        stack.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn bisection_keeps_every_point_once() {
        let points: Vec<DVec3> =
            (0..1000).map(|i| DVec3::new(f64::from(i % 10), f64::from(i / 10), 0.5)).collect();
        let groups = bisect(&points, 64);
        let mut all: Vec<u32> = groups.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
        assert!(groups.iter().all(|g| g.len() <= 64));
        assert_eq!(bisect(&points[..9], 4).iter().map(Vec::len).sum::<usize>(), 9);
    }

    #[test]
    fn local_numbers_point_back() {
        let elements = [7, 3, 9, 3, 7, 1];
        let (vertices, local) = localise(&elements);
        assert_eq!(vertices, [1, 3, 7, 9]);
        for (e, l) in elements.iter().zip(&local) {
            assert_eq!(vertices[*l as usize], *e);
        }
    }
}

//! From gradients back to positions (Dinev 2020, end of Section 2.2): the displacement u with least
//! Σ A ‖∇u − (F − I)‖² over the inner triangles, the border held where it was captured.
//!
//! The matrix Σ A ∇Nᵢ·∇Nⱼ belongs to the rest shape, and is factored once. The right-hand side is
//! linear in the gradients, so that a basis of them is pushed through it in training; a frame
//! costs a short sum per vertex and one solve.

use glam::DVec3;
use pliant_math::Row;
use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::SymmetricMatrix;
use pliant_math::team::Team;

use crate::error::LipsError;
use crate::gradients::{Gradients, corners};

/// The inner lip's Poisson equation, factored.
pub struct Reconstruction {
    /// Free vertices in elimination order.
    free: Vec<u32>,
    factor: PanelCholesky<f64>,
    /// Of every inner triangle: its corners' rows (none at the border) with A ∇N.
    pushes: Vec<[(Option<u32>, DVec3); 3]>,
    /// Entries (row, border vertex, value) of the matrix.
    couplings: Vec<(u32, u32, f64)>,
}

impl Reconstruction {
    /// Of inner triangles at rest, none of them flat, with at least one vertex in every connected
    /// part that is not free.
    ///
    /// # Errors
    /// When the matrix cannot be factored.
    pub fn new(
        rest: &[DVec3],
        triangles: &[[u32; 3]],
        is_free: &[bool],
    ) -> Result<Reconstruction, LipsError> {
        let mut number = vec![usize::MAX; rest.len()];
        let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices.retain(|v| is_free[*v as usize]);
        vertices.iter().zip(0..).for_each(|(v, k)| number[*v as usize] = k);
        let row = |v: u32| Some(number[v as usize]).filter(|k| *k != usize::MAX);
        let (mut entries, mut couplings) = (Vec::new(), Vec::new());
        let mut pushes = Vec::with_capacity(triangles.len());
        for triangle in triangles {
            let (area, gradients) = hat_gradients(corners(rest, triangle));
            for i in 0..3 {
                let Some(a) = row(triangle[i]) else { continue };
                for j in 0..3 {
                    let value = area * gradients[i].dot(gradients[j]);
                    match row(triangle[j]) {
                        Some(b) if a >= b => entries.push((a, b, value)),
                        Some(_) => {}
                        None => couplings.push((a, triangle[j], value)),
                    }
                }
            }
            pushes.push(std::array::from_fn(|i| (row(triangle[i]), area * gradients[i])));
        }
        let matrix = SymmetricMatrix::from_triplets(vertices.len(), entries)?;
        let order = nested_dissection(&matrix.adjacency())?;
        let factor = PanelCholesky::new(&matrix.permuted(&order)?)?;
        let mut place = vec![0u32; order.len()];
        order.iter().zip(0..).for_each(|(k, at)| place[*k] = at);
        let pushed = |corners: [(Option<usize>, DVec3); 3]| {
            corners.map(|(row, g)| (row.map(|k| place[k]), g))
        };
        Ok(Reconstruction {
            free: order.iter().map(|k| vertices[*k]).collect(),
            factor,
            pushes: pushes.into_iter().map(pushed).collect(),
            couplings: couplings.into_iter().map(|(a, v, value)| (place[a], v, value)).collect(),
        })
    }

    /// The free vertices, in the order of rows.
    pub fn free(&self) -> &[u32] {
        &self.free
    }

    /// Memory for solves on a team of `threads`.
    pub fn work(&self, threads: usize) -> PanelWork<f64> {
        PanelWork::new(&self.factor, threads)
    }

    /// The right-hand sides that a column of gradients asks for.
    pub fn push(&self, gradients: &Gradients, column: &[f64]) -> Vec<DVec3> {
        let mut rows = vec![DVec3::ZERO; self.free.len()];
        for (triangle, corners) in self.pushes.iter().enumerate() {
            let f = gradients.from_column(column, triangle);
            for (row, weight) in corners {
                if let Some(row) = row {
                    rows[*row as usize] += f * *weight;
                }
            }
        }
        rows
    }

    /// Displacements of the free vertices from right-hand sides, in place, where the border is
    /// displaced by `border(vertex)` \[m\].
    pub fn solve(
        &self,
        rows: &mut [Row],
        border: impl Fn(u32) -> DVec3,
        work: &mut PanelWork<f64>,
        team: &Team,
    ) {
        for (row, vertex, value) in &self.couplings {
            let known = border(*vertex) * *value;
            let row = &mut rows[*row as usize];
            *row = *row - known.into();
        }
        self.factor.solve(rows, work, team);
    }
}

/// The area of a triangle \[m²\], and the gradients of its corners' weights [1/m].
fn hat_gradients([a, b, c]: [DVec3; 3]) -> (f64, [DVec3; 3]) {
    let normal = (b - a).cross(c - a);
    let double = normal.length();
    let unit = normal / double;
    let gradients = [c - b, a - c, b - a].map(|opposite| unit.cross(opposite) / double);
    (0.5 * double, gradients)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    #[test]
    fn gradients_of_a_shape_give_the_shape_back() {
        let sheet = shapes::cloth([1.0, 1.0], [12, 12]).unwrap().0;
        let bend = |x: &DVec3| {
            let (s, c) = (1.3 * x.x).sin_cos();
            DVec3::new(s + 0.1 * x.z * x.z, 0.3 * x.x * x.z + c, x.z * (1.0 + 0.2 * x.x))
        };
        let bent: Vec<DVec3> = sheet.positions.iter().map(bend).collect();
        let is_free: Vec<bool> =
            sheet.positions.iter().map(|x| x.x.abs().max(x.z.abs()) < 0.49).collect();
        let gradients = Gradients::new(&sheet.positions, sheet.triangles.clone());
        let solver = Reconstruction::new(&sheet.positions, &sheet.triangles, &is_free).unwrap();
        let pushed = solver.push(&gradients, &gradients.column(&bent));
        let mut rows: Vec<Row> = pushed.into_iter().map(Row::from).collect();
        let border = |v: u32| bent[v as usize] - sheet.positions[v as usize];
        let team = Team::new(2);
        solver.solve(&mut rows, border, &mut solver.work(2), &team);
        for (row, v) in rows.iter().zip(solver.free()) {
            let found = sheet.positions[*v as usize] + row.xyz();
            assert!(found.distance(bent[*v as usize]) < 1e-12, "vertex {v}");
        }
        assert_eq!(rows.len(), 11 * 11);
    }
}

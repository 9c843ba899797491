//! Kinematic blending between the input ū and the simulated u (section 7.2 of \[li2017enriching\]).
//!
//! Each tet's deformation gradient is split into a rotation and a stretch, F = R S. The tet's
//! weight blends rotations along the shortest arc and stretches linearly. The positions of Ω are
//! then reconstructed from the blended gradients, with Ω″ fixed.

use glam::{DMat3, DQuat, DVec3};
use pliant_math::decomposition::polar;
use pliant_math::team::Team;

use crate::embedding::EmbeddedSurface;
use crate::error::EnrichError;
use crate::numerics::poisson::{Element, FactoredMatrix};
use crate::numerics::{FreeVertices, vertex_flags};

/// Factored matrix and memory of the blending.
pub struct KinematicBlend {
    elements: Vec<Element>,
    free: FreeVertices,
    factored: FactoredMatrix,
    team: Team,
}

impl KinematicBlend {
    /// Factors the matrix of Ω with the vertices `exact` fixed, of which there must be some.
    pub fn new(
        embedded: &EmbeddedSurface,
        exact: &[u32],
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let count = embedded.solid.positions.len();
        let free = FreeVertices::new(&vertex_flags("what follows exactly", exact, count)?);
        let (elements, team) = (Element::all(&embedded.solid), Team::new(threads));
        let entries = elements.iter().flat_map(Element::entries);
        let renumbered =
            entries.filter_map(|(i, j, value)| Some((free.number(i)?, free.number(j)?, value)));
        let factored = FactoredMatrix::new(free.vertices().len(), renumbered, &team)?;
        Ok(KinematicBlend { elements, free, factored, team })
    }

    /// Blends positions of Ω between `simulated` (weight 0) and `input` (weight 1), by vertex
    /// weights.
    pub fn blend(
        &mut self,
        simulated: &[DVec3],
        input: &[DVec3],
        weights: &[f64],
        out: &mut [DVec3],
    ) {
        let mut right = vec![DVec3::ZERO; out.len()];
        for element in &self.elements {
            let weight: f64 =
                element.corners.iter().map(|&v| weights[v as usize]).sum::<f64>() / 4.0;
            let ends = [simulated, input].map(|x| element.deformation(x));
            element.push(&between(ends, weight.clamp(0.0, 1.0)), &mut right);
            // Fixed vertices go to the right-hand side.
            for (i, j, value) in element.entries() {
                if self.free.number(i).is_some() && self.free.number(j).is_none() {
                    right[i] -= value * input[j];
                }
            }
        }
        let mut x: Vec<DVec3> = self.free.vertices().iter().map(|&v| right[v]).collect();
        self.factored.solve(&mut x, &self.team);
        for (v, out) in out.iter_mut().enumerate() {
            *out = self.free.number(v).map_or(input[v], |k| x[k]);
        }
    }

    /// Mean rotation of a vertex's tets between two shapes. It turns forces on the blended shape
    /// into forces on the simulated one (section 7.2).
    pub fn rotation(&self, vertex: u32, [from, to]: [&[DVec3]; 2]) -> DMat3 {
        let own = self.elements.iter().filter(|e| e.corners.contains(&vertex));
        let sum = own.fold(DMat3::ZERO, |sum, e| {
            let [a, b] = [from, to].map(|x| polar(&e.deformation(x)));
            sum + b * a.transpose() * e.volume
        });
        let rotation = polar(&sum);
        if rotation.is_finite() { rotation } else { DMat3::IDENTITY }
    }
}

/// Blends two gradients R₀ S₀ (weight 0) and R₁ S₁ (weight 1).
fn between(ends: [DMat3; 2], weight: f64) -> DMat3 {
    let [(r0, s0), (r1, s1)] = ends.map(|f| {
        let rotation = polar(&f);
        (DQuat::from_mat3(&rotation), rotation.transpose() * f)
    });
    DMat3::from_quat(r0.slerp(r1, weight)) * (s0 * (1.0 - weight) + s1 * weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::{Resolution, TetOptions, shapes};

    fn bar() -> (EmbeddedSurface, Vec<u32>) {
        let bar = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [10, 2, 2]).unwrap();
        let options = TetOptions { resolution: Resolution::Cells(12), ..TetOptions::default() };
        let embedded = EmbeddedSurface::new(bar, None, &options, &Team::new(1)).unwrap();
        let left = (0u32..).zip(&embedded.solid.positions).filter(|(_, x)| x.x < -0.4);
        let left = left.map(|(v, _)| v).collect();
        (embedded, left)
    }

    /// The bar wound about its axis by an angle that grows along it.
    fn wound(embedded: &EmbeddedSurface, angle: f64) -> Vec<DVec3> {
        let wind = |x: &DVec3| {
            let by = (angle * (x.x + 0.5)).max(0.0);
            glam::DQuat::from_rotation_x(by) * *x
        };
        embedded.solid.positions.iter().map(wind).collect()
    }

    #[test]
    fn the_ends_are_the_shapes_themselves() {
        let (embedded, left) = bar();
        let mut warp = KinematicBlend::new(&embedded, &left, 1).unwrap();
        let (input, mut simulated) = (wound(&embedded, 0.0), wound(&embedded, 1.0));
        left.iter().for_each(|&v| simulated[v as usize] = input[v as usize]);
        for (weight, expected) in [(0.0, &simulated), (1.0, &input)] {
            let mut out = input.clone();
            warp.blend(&simulated, &input, &vec![weight; input.len()], &mut out);
            let off = out.iter().zip(expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(off < 1e-9, "weight {weight}: {off}");
        }
    }

    #[test]
    fn half_of_a_turn_is_a_turn_of_half_the_angle_without_loss_of_volume() {
        let (embedded, left) = bar();
        let mut warp = KinematicBlend::new(&embedded, &left, 1).unwrap();
        let (input, simulated) = (wound(&embedded, 0.0), wound(&embedded, 2.0));
        let mut out = input.clone();
        warp.blend(&simulated, &input, &vec![0.5; input.len()], &mut out);
        let volume = |x: &[DVec3]| {
            let mesh = pliant_mesh::Mesh { positions: x.to_vec(), ..embedded.solid.clone() };
            mesh.volume()
        };
        let kept = volume(&out) / volume(&embedded.solid.positions);
        let linear: Vec<DVec3> =
            input.iter().zip(&simulated).map(|(a, b)| 0.5 * (*a + *b)).collect();
        let lost = volume(&linear) / volume(&embedded.solid.positions);
        assert!((kept - 1.0).abs() < 0.01 && kept > lost, "{kept} against {lost} linearly");
        let expected = wound(&embedded, 1.0);
        let off = out.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(off < 0.02, "{off}");
    }
}

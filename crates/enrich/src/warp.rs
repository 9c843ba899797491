//! Kinematic blending, section 7.2: shapes between the input ū and the simulated u, found after the
//! simulation.
//!
//! Each tet's deformation gradient is split into a rotation and a stretch, F = R S; both are blended by
//! the tet's weight (rotations along the shortest way, stretches linearly), and Ω is put together from
//! the blended gradients with Ω″ in its place.

use glam::{DMat3, DQuat, DVec3};
use pliant_math::decomposition::polar;
use pliant_math::team::Team;

use crate::bound::Bound;
use crate::error::EnrichError;
use crate::poisson::{Element, Factored};

/// Matrices and memory of blending.
pub struct Warp {
    elements: Vec<Element>,
    /// Number among the free vertices, or `usize::MAX`.
    number: Vec<usize>,
    factored: Factored,
    team: Team,
}

impl Warp {
    /// For Ω of a bound surface, of which `exact` keep their place; there must be some.
    pub fn new(bound: &Bound, exact: &[u32], threads: usize) -> Result<Self, EnrichError> {
        let count = bound.solid.positions.len();
        let mut number = vec![0; count];
        for &vertex in exact {
            let what = "what follows exactly";
            *number.get_mut(vertex as usize).ok_or(EnrichError::NoSuchVertex {
                what,
                vertex,
                count,
            })? = usize::MAX;
        }
        let mut free = 0;
        for n in number.iter_mut().filter(|n| **n == 0) {
            *n = free;
            free += 1;
        }
        let (elements, team) = (Element::all(&bound.solid), Team::new(threads));
        let entries = elements.iter().flat_map(Element::entries);
        let renumbered = entries.filter_map(|(i, j, value)| {
            let (i, j) = (number[i], number[j]);
            (i != usize::MAX && j != usize::MAX).then_some((i, j, value))
        });
        let factored = Factored::new(free, renumbered, &team)?;
        Ok(Warp { elements, number, factored, team })
    }

    /// Positions of Ω between `simulated` (weight 0) and `input` (weight 1), by vertices' weights.
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
            // What stays in place goes to the other side.
            for (i, j, value) in element.entries() {
                if self.number[i] != usize::MAX && self.number[j] == usize::MAX {
                    right[i] -= value * input[j];
                }
            }
        }
        let is_free = |v: &usize| self.number[*v] != usize::MAX;
        let mut x: Vec<DVec3> = (0..out.len()).filter(is_free).map(|v| right[v]).collect();
        self.factored.solve(&mut x, &self.team);
        for (v, out) in out.iter_mut().enumerate() {
            *out = if is_free(&v) { x[self.number[v]] } else { input[v] };
        }
    }
}

impl Warp {
    /// How a vertex' tets turn from one shape to another, on average: what forces on a blended shape are
    /// turned by to act on the simulated one (section 7.2).
    pub fn turn(&self, vertex: u32, [from, to]: [&[DVec3]; 2]) -> DMat3 {
        let own = self.elements.iter().filter(|e| e.corners.contains(&vertex));
        let sum = own.fold(DMat3::ZERO, |sum, e| {
            let [a, b] = [from, to].map(|x| polar(&e.deformation(x)));
            sum + b * a.transpose() * e.volume
        });
        let turn = polar(&sum);
        if turn.is_finite() { turn } else { DMat3::IDENTITY }
    }
}

/// R₀ S₀ at 0, R₁ S₁ at 1.
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

    fn bar() -> (Bound, Vec<u32>) {
        let bar = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [10, 2, 2]).unwrap();
        let options = TetOptions { resolution: Resolution::Cells(12), ..TetOptions::default() };
        let bound = Bound::new(bar, None, &options, &Team::new(1)).unwrap();
        let left = (0u32..).zip(&bound.solid.positions).filter(|(_, x)| x.x < -0.4);
        let left = left.map(|(v, _)| v).collect();
        (bound, left)
    }

    /// The bar wound about its axis by an angle that grows along it.
    fn wound(bound: &Bound, angle: f64) -> Vec<DVec3> {
        let wind = |x: &DVec3| {
            let by = (angle * (x.x + 0.5)).max(0.0);
            glam::DQuat::from_rotation_x(by) * *x
        };
        bound.solid.positions.iter().map(wind).collect()
    }

    #[test]
    fn the_ends_are_the_shapes_themselves() {
        let (bound, left) = bar();
        let mut warp = Warp::new(&bound, &left, 1).unwrap();
        let (input, mut simulated) = (wound(&bound, 0.0), wound(&bound, 1.0));
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
        let (bound, left) = bar();
        let mut warp = Warp::new(&bound, &left, 1).unwrap();
        let (input, simulated) = (wound(&bound, 0.0), wound(&bound, 2.0));
        let mut out = input.clone();
        warp.blend(&simulated, &input, &vec![0.5; input.len()], &mut out);
        let volume = |x: &[DVec3]| {
            let mesh = pliant_mesh::Mesh { positions: x.to_vec(), ..bound.solid.clone() };
            mesh.volume()
        };
        let kept = volume(&out) / volume(&bound.solid.positions);
        let linear: Vec<DVec3> =
            input.iter().zip(&simulated).map(|(a, b)| 0.5 * (*a + *b)).collect();
        let lost = volume(&linear) / volume(&bound.solid.positions);
        assert!((kept - 1.0).abs() < 0.01 && kept > lost, "{kept} against {lost} linearly");
        let expected = wound(&bound, 1.0);
        let off = out.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(off < 0.02, "{off}");
    }
}

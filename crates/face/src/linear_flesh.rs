//! Flesh with linear and with corotated elasticity, to compare both (Fig. 10 of
//! \[ichim2017phace\]).
//!
//! Volumetric blendshapes (Ichim et al. 2016) draw deformation gradients to targets, Σ V μ‖F − A‖²:
//! an energy that is quadratic, as in linear elasticity, and does not know that a turned tet is the
//! same tet. With A replaced by R A, R the rotation of F Aᵀ, it does. Both have the same matrix, so
//! they are solved alike: contact and rotations in turn with conjugate gradients.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::polar;
use pliant_mesh::edge_matrix;

use crate::model::{BoneHold, FaceModel};

/// Which energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elasticity {
    /// μ‖F − A‖²
    Linear,
    /// μ‖F − R A‖²
    Corotated,
}

/// A rigid ball that pushes flesh away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PushingBall {
    /// (m)
    pub center: DVec3,
    /// (m)
    pub radius: f64,
}

/// Stiffness of contact, in those of the vertex that is touched.
const CONTACT: f64 = 100.0;
/// Rounds of contact and rotations, and of conjugate gradients in each.
const ROUNDS: usize = 25;
const ITERATIONS: usize = 40;

/// Flesh whose bones can be moved and that can be hit.
pub struct SimpleFlesh<'a> {
    face: &'a FaceModel,
    /// Per tet: inverse of its edges, and volume (m³).
    shapes: Vec<(DMat3, f64)>,
    diagonal: Vec<f64>,
    held: Vec<bool>,
}

impl<'a> SimpleFlesh<'a> {
    /// At rest. Flesh that slides is held, too.
    ///
    /// ```
    /// use pliant_face::{FaceModel, linear_flesh::SimpleFlesh};
    /// let nobody = FaceModel::default();
    /// assert!(SimpleFlesh::new(&nobody).face().solid.tets.is_empty());
    /// ```
    pub fn new(face: &'a FaceModel) -> SimpleFlesh<'a> {
        let shape = |t: usize| {
            let edges = edge_matrix(face.solid.corners(t).unwrap_or_default());
            (edges.inverse(), edges.determinant() / 6.0)
        };
        let shapes: Vec<(DMat3, f64)> = (0..face.solid.tets.len()).map(shape).collect();
        let mut diagonal = vec![0.0; face.solid.positions.len()];
        for (tet, (inverse, volume)) in face.solid.tets.iter().zip(&shapes) {
            for (v, gradient) in tet.iter().zip(gradients(inverse)) {
                diagonal[*v as usize] += 2.0 * volume * gradient.length_squared();
            }
        }
        let held = face.holds.iter().map(|hold| *hold != BoneHold::Free).collect();
        SimpleFlesh { face, shapes, diagonal, held }
    }

    /// Whose flesh it is.
    pub fn face(&self) -> &FaceModel {
        self.face
    }

    /// Where vertices are (m) when what bones hold is moved by `bones`, gradients are drawn to
    /// `targets`, one for every tet or none for rest, and `ball` is where it is.
    pub fn pose(
        &self,
        elasticity: Elasticity,
        bones: &dyn Fn(DVec3) -> DVec3,
        targets: &[DMat3],
        ball: Option<PushingBall>,
    ) -> Vec<DVec3> {
        self.pressed(elasticity, bones, targets, &|x| {
            let ball = ball?;
            let out = x - ball.center;
            let surface = || ball.center + ball.radius * out.normalize_or(DVec3::Z);
            (out.length() < ball.radius).then(surface)
        })
    }

    /// The same with any obstacle: `surface` has the nearest point of it (m) for points that are
    /// inside.
    pub fn pressed(
        &self,
        elasticity: Elasticity,
        bones: &dyn Fn(DVec3) -> DVec3,
        targets: &[DMat3],
        surface: &dyn Fn(DVec3) -> Option<DVec3>,
    ) -> Vec<DVec3> {
        let mut x: Vec<DVec3> = self.face.solid.positions.iter().map(|p| bones(*p)).collect();
        let mut aims: Vec<DMat3> = vec![DMat3::IDENTITY; self.shapes.len()];
        for _ in 0..ROUNDS {
            for (t, aim) in aims.iter_mut().enumerate() {
                let target = targets.get(t).copied().unwrap_or(DMat3::IDENTITY);
                *aim = match elasticity {
                    Elasticity::Linear => target,
                    Elasticity::Corotated => {
                        polar(&(self.gradient(t, &x) * target.transpose())) * target
                    }
                };
            }
            let touched = |v: usize| if self.held[v] { None } else { surface(x[v]) };
            let contacts: Vec<Option<DVec3>> = (0..x.len()).map(touched).collect();
            self.solve(&mut x, &aims, &contacts);
        }
        x
    }

    /// Deformation gradient of a tet.
    pub fn gradient(&self, tet: usize, x: &[DVec3]) -> DMat3 {
        edge_matrix(self.face.solid.tets[tet].map(|v| x[v as usize])) * self.shapes[tet].0
    }

    /// Conjugate gradients on the quadratic energy with these aims and contacts.
    fn solve(&self, x: &mut [DVec3], aims: &[DMat3], contacts: &[Option<DVec3>]) {
        let stiffness =
            |v: usize| if contacts[v].is_some() { CONTACT * self.diagonal[v] } else { 0.0 };
        let slope = |x: &[DVec3], aims: Option<&[DMat3]>| {
            let mut sum = vec![DVec3::ZERO; x.len()];
            for (t, (tet, (inverse, volume))) in
                self.face.solid.tets.iter().zip(&self.shapes).enumerate()
            {
                let off = self.gradient(t, x) - aims.map_or(DMat3::ZERO, |aims| aims[t]);
                for (v, gradient) in tet.iter().zip(gradients(inverse)) {
                    sum[*v as usize] += 2.0 * volume * (off * gradient);
                }
            }
            for (v, s) in sum.iter_mut().enumerate() {
                let place =
                    if aims.is_some() { contacts[v].unwrap_or(DVec3::ZERO) } else { DVec3::ZERO };
                *s += stiffness(v) * (x[v] - place);
                if self.held[v] {
                    *s = DVec3::ZERO;
                }
            }
            sum
        };
        let scaled = |r: &[DVec3]| -> Vec<DVec3> {
            let scale =
                |(v, r): (usize, &DVec3)| *r / (self.diagonal[v] + stiffness(v)).max(1e-300);
            r.iter().enumerate().map(scale).collect()
        };
        let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let mut residual: Vec<DVec3> = slope(x, Some(aims)).iter().map(|s| -*s).collect();
        let mut direction = scaled(&residual);
        let mut size = dot(&residual, &direction);
        let enough = 1e-20 * size;
        for _ in 0..ITERATIONS {
            let turned = slope(&direction, None);
            let step = size / dot(&direction, &turned);
            if !step.is_finite() || size <= enough {
                break;
            }
            x.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * *d);
            residual.iter_mut().zip(&turned).for_each(|(r, t)| *r -= step * *t);
            let next = scaled(&residual);
            let now = dot(&residual, &next);
            direction.iter_mut().zip(&next).for_each(|(d, n)| *d = *n + now / size * *d);
            size = now;
        }
    }
}

/// Of the four linear functions that are 1 at a corner.
fn gradients(inverse: &DMat3) -> [DVec3; 4] {
    let rows = inverse.transpose();
    let [b, c, d] = [rows.x_axis, rows.y_axis, rows.z_axis];
    [-b - c - d, b, c, d]
}

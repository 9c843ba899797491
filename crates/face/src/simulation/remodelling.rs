//! Remodelling: the plastic deformation that growing flesh takes.
//!
//! Flesh between bone and skin that grows alike along all axes cannot do so along the bone: it is
//! pressed there, and buckles into bumps (at twice the volume, in the cheeks). Living flesh does
//! not keep such stress, it remodels. So the plastic deformation is a symmetric G with det G = s³
//! in the place of s I: as growth comes in steps, G takes over most of the stretch that flesh has
//! found after each, and what is left of stress is pressure, which makes the volume.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::polar;
use pliant_mesh::edge_matrix;
use pliant_model::potentials::activation::{Activation, RELAXED, matrix};

use crate::model::FaceModel;

/// How much of the stretch that it has found flesh takes over after a step of growth.
const TAKEN: f64 = 0.8;
/// Shapes are as even as so many means of neighbours: bumps as small as tets are none of flesh.
const SMOOTHING: usize = 4;
/// No axis of flesh grows or shrinks by more than this, beside what all do.
const MOST: f64 = 2.5;

/// G/s of tets that grow, with determinant 1.
#[derive(Clone, Debug, Default)]
pub(super) struct GrownShapes {
    shapes: Vec<DMat3>,
    /// How much longer lengths were where the shape was found.
    scales: Vec<f64>,
    /// Whether the shape is being found: then all of it counts.
    pub is_open: bool,
}

impl GrownShapes {
    /// G of a tet that grows, by its place among these, where its lengths are longer by `scale`.
    pub fn grown(&self, place: usize, scale: f64) -> DMat3 {
        let Some(shape) = self.shapes.get(place) else {
            return DMat3::from_diagonal(DVec3::splat(scale));
        };
        let fullest = self.scales[place];
        let part = if self.is_open {
            1.0
        } else if (fullest - 1.0).abs() < 1e-9 {
            0.0
        } else {
            ((scale - 1.0) / (fullest - 1.0)).clamp(0.0, 1.0)
        };
        let blend = DMat3::IDENTITY * (1.0 - part) + *shape * part;
        let volume = blend.determinant();
        blend * (scale / volume.cbrt())
    }

    /// Takes over the stretches of tets (`growing`) at `positions` (m), whose lengths should be
    /// longer by `scales`.
    pub fn take(
        &mut self,
        face: &FaceModel,
        growing: &[u32],
        positions: &[DVec3],
        scales: Vec<f64>,
    ) {
        self.shapes.resize(growing.len(), DMat3::IDENTITY);
        self.scales = scales;
        let edges =
            |t: usize, at: &[DVec3]| edge_matrix(face.solid.tets[t].map(|v| at[v as usize]));
        let found = |shape: &DMat3, t: usize| {
            let f = edges(t, positions) * edges(t, &face.solid.positions).inverse();
            let stretch = polar(&f).transpose() * f;
            let stretch = (stretch + stretch.transpose()) * 0.5;
            let volume = stretch.determinant();
            // What is flat or turned over has found nothing.
            let is_sound = volume.is_finite() && volume > 0.05;
            let own = *shape * (1.0 - TAKEN) + stretch * (TAKEN / volume.cbrt());
            if is_sound && own.is_finite() { own } else { *shape }
        };
        let tets = || growing.iter().map(|t| *t as usize);
        let mut next: Vec<DMat3> =
            self.shapes.iter().zip(tets()).map(|(s, t)| found(s, t)).collect();
        for _ in 0..SMOOTHING {
            let mut sums = vec![(DMat3::ZERO, 0.0); face.solid.positions.len()];
            for (shape, t) in next.iter().zip(tets()) {
                for &v in &face.solid.tets[t] {
                    let (sum, count) = &mut sums[v as usize];
                    (*sum, *count) = (*sum + *shape, *count + 1.0);
                }
            }
            for (shape, t) in next.iter_mut().zip(tets()) {
                let corners = face.solid.tets[t].map(|v| sums[v as usize]);
                let mean = |sum: DMat3, (own, count): &(DMat3, f64)| sum + *own * (0.25 / count);
                *shape = corners.iter().fold(DMat3::ZERO, mean);
            }
        }
        for (shape, next) in self.shapes.iter_mut().zip(next) {
            let next = next * (1.0 / next.determinant().cbrt());
            let lengths = [next.x_axis, next.y_axis, next.z_axis].map(|axis| axis.length());
            if next.is_finite() && lengths.iter().all(|l| (1.0 / MOST..MOST).contains(l)) {
                *shape = next;
            }
        }
    }
}

/// The activation of muscle that has grown: the stretch of S G, whose rotation none sees.
pub(super) fn stretched(activation: &Activation, growth: &DMat3) -> Activation {
    if *activation == RELAXED {
        return numbers(growth);
    }
    let both = matrix(activation) * *growth;
    numbers(&(polar(&both).transpose() * both))
}

/// xx, xy, xz, yy, yz, zz.
fn numbers(m: &DMat3) -> Activation {
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis];
    [x.x, 0.5 * (x.y + y.x), 0.5 * (x.z + z.x), y.y, 0.5 * (y.z + z.y), z.z]
}

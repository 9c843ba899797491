//! Objects that collide with the body, rigid or soft (Fig. 18 of \[li2017enriching\]).

use glam::{DMat3, DVec3};
use pliant_math::team::Team;
use pliant_mesh::{Embedding, Mesh, Resolution, TetOptions, tetrahedralise};
use pliant_model::{Body, Collider, Material, ModelBuilder, Motion, Shape};

use crate::error::EnrichError;
use crate::numerics::closest_rigid;

/// Cells along the longest side of a soft object.
const CELLS: u32 = 14;
/// Coefficient of Coulomb friction between the body and rigid objects.
pub(super) const FRICTION: f64 = 0.5;

/// An object that collides with the body; lengths in metres.
#[derive(Clone, Debug)]
pub enum ContactObject {
    /// A rigid object with a prescribed motion.
    Rigid {
        /// Surface at rest.
        surface: Mesh,
        /// Motion relative to rest; none if it stays.
        motion: Option<Motion>,
    },
    /// A soft object, simulated with the body.
    Soft {
        /// Surface at rest, in its initial position.
        surface: Mesh,
        /// Young's modulus \[Pa\].
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
        /// Density [kg/m³].
        density: f64,
        /// Initial velocity [m/s].
        velocity: DVec3,
    },
}

/// The rigid motion closest to the frames of an object, at `fps` frames per second.
pub fn rigid_motion(rest: &[DVec3], frames: &[Vec<DVec3>], fps: f64) -> Motion {
    let mut motion =
        Motion { times: Vec::new(), translate: Vec::new(), rotate: Vec::new(), about: DVec3::ZERO };
    for (k, frame) in frames.iter().enumerate() {
        let (rotation, from, to) = closest_rigid(rest, frame);
        motion.about = from;
        motion.times.push(k as f64 / fps);
        motion.translate.push(to - from);
        motion.rotate.push(degrees(&rotation));
    }
    motion
}

/// Euler angles of a rotation, about x, then y, then z \[degrees\].
fn degrees(r: &DMat3) -> DVec3 {
    let y = (-r.x_axis.z).clamp(-1.0, 1.0).asin();
    let level = r.x_axis.x.hypot(r.x_axis.y) > 1e-9;
    let (x, z) = match level {
        true => (r.y_axis.z.atan2(r.z_axis.z), r.x_axis.y.atan2(r.x_axis.x)),
        // At ±90° about y, only the difference of the other two angles matters.
        false => ((-r.z_axis.y).atan2(r.y_axis.y), 0.0),
    };
    DVec3::new(x, y, z) * (180.0 / std::f64::consts::PI)
}

/// A soft object among a model's bodies, with its surface embedded in its tets.
pub(crate) struct SoftBody {
    /// Index of the body in the model.
    pub body: usize,
    tets: Vec<[u32; 4]>,
    embedding: Embedding,
}

impl SoftBody {
    /// Positions of its surface for positions `at` of its vertices \[m\].
    pub fn surface(&self, at: impl Fn(usize) -> DVec3) -> Vec<DVec3> {
        let position = |v: usize| {
            let corners = self.tets[self.embedding.tets[v] as usize];
            let weighted = corners.into_iter().zip(self.embedding.weights[v]);
            weighted.map(|(c, w)| w * at(c as usize)).sum()
        };
        (0..self.embedding.tets.len()).map(position).collect()
    }
}

/// Adds soft objects to a builder that has one body already; rigid ones become colliders with a
/// `stiffness` [N/m].
pub(crate) fn add(
    mut builder: ModelBuilder,
    objects: &[ContactObject],
    stiffness: f64,
    team: &Team,
) -> Result<(ModelBuilder, Vec<Collider>, Vec<SoftBody>), EnrichError> {
    let (mut colliders, mut soft) = (Vec::new(), Vec::new());
    for (number, object) in objects.iter().enumerate() {
        match object {
            ContactObject::Rigid { surface, motion } => {
                let shape = Shape::mesh(surface)
                    .map_err(|reason| EnrichError::ContactObject { number, reason })?;
                colliders.push(Collider {
                    friction: FRICTION,
                    restitution: 0.0,
                    motion: motion.clone(),
                    ..Collider::new(shape, stiffness)
                });
            }
            ContactObject::Soft { surface, young, poisson, density, velocity } => {
                let options =
                    TetOptions { resolution: Resolution::Cells(CELLS), ..TetOptions::default() };
                let filled = tetrahedralise(surface, &options, team)?;
                let name = format!("object {number}");
                let count = filled.solid.positions.len();
                let tets = filled.solid.tets.clone();
                let mut body = Body::solid(
                    &name,
                    filled.solid,
                    Material::neo_hookean(*young, *poisson, *density),
                );
                body.velocities = Some(vec![*velocity; count]);
                builder = builder.body(body);
                soft.push(SoftBody { body: soft.len() + 1, tets, embedding: filled.embedding });
            }
        }
    }
    Ok((builder, colliders, soft))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_model::rotation;

    #[test]
    fn a_rigid_motion_is_found_again() {
        let rest: Vec<DVec3> = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.3, 0.1, 1.0]]
            .map(DVec3::from_array)
            .to_vec();
        let angles =
            [[10.0, 20.0, 30.0], [170.0, -80.0, -100.0], [0.0, 90.0, 40.0], [5.0, -90.0, 0.0]];
        let shift = DVec3::new(0.4, -2.0, 1.0);
        let moved = |a: &[f64; 3]| -> Vec<DVec3> {
            let turn = rotation(DVec3::from_array(*a));
            rest.iter().map(|&x| turn * x + shift).collect()
        };
        let frames: Vec<Vec<DVec3>> = angles.iter().map(moved).collect();
        let motion = rigid_motion(&rest, &frames, 24.0);
        for (k, frame) in frames.iter().enumerate() {
            let pose = motion.at(k as f64 / 24.0);
            for (x, y) in rest.iter().zip(frame) {
                assert!(pose.apply(*x).distance(*y) < 1e-9, "frame {k}");
            }
        }
    }
}

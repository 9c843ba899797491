//! The bars: 1 m × 0.3 m × 0.3 m of 200 tets, swinging or twisting.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};
use pliant_model::method::Method;
use pliant_model::{ElasticModel, Hold, Model, ModelBuilder, ModelError};
use pliant_sim::State;

use crate::bodies::{Block, Material, vertices_where};

const SIZE: DVec3 = DVec3::new(1.0, 0.3, 0.3);
const SLENDER: DVec3 = DVec3::new(1.0, 0.1, 0.1);
/// The held end \[m\].
const END: f64 = -0.5;
/// Stiffness of every spring at the held end [N/m].
const PIN_STIFFNESS: f64 = 1e5;

/// A bar, and the angle that measures its motion.
pub struct Bar {
    /// `MOTION/YOUNG'S MODULUS`.
    pub name: &'static str,
    young: f64,
    build: fn(f64) -> Result<ModelBuilder, ModelError>,
    /// The angle of a state \[rad\].
    pub angle: fn(&Model, &State) -> f64,
}

/// All bars.
pub const BARS: [Bar; 5] = [
    Bar { name: "swing/1e5", young: 1e5, build: swinging, angle: swing },
    Bar { name: "swing/1e6", young: 1e6, build: swinging, angle: swing },
    Bar { name: "twist/1e5", young: 1e5, build: twisted, angle: twist },
    Bar { name: "twist/1e6", young: 1e6, build: twisted, angle: twist },
    Bar { name: "slender-twist/1e5", young: 1e5, build: slender, angle: twist },
];

impl Bar {
    /// The model for a method.
    pub fn model(&self, integrator: Method) -> Result<Model, ModelError> {
        (self.build)(self.young)?.method(integrator).build()
    }
}

fn block(young: f64, size: DVec3, cells: [usize; 3]) -> Block {
    Block { size, cells, material: Material::Solid(ElasticModel::Corotated), young }
}

/// A bar hinged at the middle line of its end, released at 70° from the vertical.
fn swinging(young: f64) -> Result<ModelBuilder, ModelError> {
    let start = DQuat::from_rotation_z(-20f64.to_radians());
    let hinge = DVec3::X * END;
    let flat = block(young, SIZE, [10, 2, 2]).body(|x| x)?;
    let pins = vertices_where(&flat, |x| x.x < END + 1e-9 && x.y.abs() < 1e-9);
    let body = block(young, SIZE, [10, 2, 2]).body(|x| hinge + start * (x - hinge))?;
    Ok(ModelBuilder::new().body(body).hold(0, pins, Hold::Spring(PIN_STIFFNESS), None))
}

/// Angle of the centre of mass about the hinge, from the vertical.
fn swing(model: &Model, state: &State) -> f64 {
    let (mut mass, mut centre) = (0.0, DVec3::ZERO);
    for (x, m) in state.positions.iter().zip(model.masses()) {
        mass += m;
        centre += x.xyz() * *m;
    }
    let arm = centre / mass - DVec3::X * END;
    arm.x.atan2(-arm.y)
}

fn twisted(young: f64) -> Result<ModelBuilder, ModelError> {
    released(block(young, SIZE, [10, 2, 2]))
}

fn slender(young: f64) -> Result<ModelBuilder, ModelError> {
    released(block(young, SLENDER, [20, 2, 2]))
}

/// A bar clamped at its end and released from a quarter turn along its length, without gravity.
fn released(bar: Block) -> Result<ModelBuilder, ModelError> {
    let mut body = bar.body(|x| x)?;
    let pins = vertices_where(&body, |x| x.x < END + 1e-9);
    let turned = |x: &DVec3| DQuat::from_rotation_x((x.x - END) * FRAC_PI_2) * *x;
    body.positions = Some(body.mesh.positions.iter().map(turned).collect());
    let builder = ModelBuilder::new().body(body).gravity(DVec3::ZERO);
    Ok(builder.hold(0, pins, Hold::Spring(PIN_STIFFNESS), None))
}

/// Angle of a diagonal of the free end, from rest.
fn twist(model: &Model, state: &State) -> f64 {
    let last = model.bodies()[0].vertex_count - 1;
    let [a, b] = [last, last - 8].map(|v| model.number(0, v));
    let rest = (model.rest()[a] - model.rest()[b]).xyz();
    let now = (state.positions[a] - state.positions[b]).xyz();
    (rest.y * now.z - rest.z * now.y).atan2(rest.y * now.y + rest.z * now.z)
}

//! Boxes of any material, deformed and moved.

use glam::DVec3;
use pliant_mesh::{edges_of_tets, shapes};
use pliant_model::{Body, ElasticModel, ModelError};

/// Density of every solid [kg/m³].
pub const DENSITY: f64 = 1000.0;
/// Poisson's ratio of every solid.
pub const POISSON: f64 = 0.3;

/// Material of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Material {
    /// A continuum.
    Solid(ElasticModel),
    /// A spring on every edge.
    Springs,
}

impl Material {
    /// Name as in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Material::Solid(model) => model.name(),
            Material::Springs => "springs",
        }
    }
}

/// A box.
pub struct Block {
    /// Size \[m\].
    pub size: DVec3,
    /// Cells along each axis, five tets each.
    pub cells: [usize; 3],
    /// Material.
    pub material: Material,
    /// Young's modulus \[Pa\]; the stiffness of springs is this times the length of a cell.
    pub young: f64,
}

impl Block {
    /// The body with its rest shape transformed by `place`.
    pub fn body(&self, place: impl Fn(DVec3) -> DVec3) -> Result<Body, ModelError> {
        let mut mesh = shapes::solid_box(self.size, self.cells)?;
        mesh.positions.iter_mut().for_each(|x| *x = place(*x));
        Ok(match self.material {
            Material::Solid(model) => Body::solid(
                "body",
                mesh,
                pliant_model::Material::elastic(model, self.young, POISSON, DENSITY),
            ),
            Material::Springs => {
                let ends = edges_of_tets(&mesh.tets);
                let mass = DENSITY * self.size.element_product();
                let stiffness = self.young * self.size.x / self.cells[0] as f64;
                Body::springs("body", mesh, ends, stiffness, mass)
            }
        })
    }
}

/// Starts a body from deformed positions \[m\], with velocities [m/s] that depend on them.
pub fn start(body: &mut Body, deform: impl Fn(DVec3) -> DVec3, velocity: impl Fn(DVec3) -> DVec3) {
    let positions: Vec<DVec3> = body.mesh.positions.iter().map(|x| deform(*x)).collect();
    body.velocities = Some(positions.iter().map(|x| velocity(*x)).collect());
    body.positions = Some(positions);
}

/// Vertices of a body whose rest position meets a condition.
pub fn vertices_where(body: &Body, condition: impl Fn(DVec3) -> bool) -> Vec<u32> {
    let numbered = (0..).zip(&body.mesh.positions);
    numbered.filter(|(_, x)| condition(**x)).map(|(v, _)| v).collect()
}

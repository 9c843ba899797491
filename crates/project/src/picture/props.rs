//! What stands on a demo's stage besides the bodies: colliders, and a plate.

use crate::demo::Demo;
use glam::DVec3;
use pliant_mesh::{Mesh, MeshError, shapes};
use pliant_model::Motion;
use pliant_scene::{SceneFile, ShapeSource, revolved};
use pliant_view::{Material, Object};

/// A rigid thing that moves as the scene says.
pub struct Prop {
    mesh: Mesh,
    material: Material,
    motion: Option<Motion>,
}

const PORCELAIN: Material = Material { colour: [0.93, 0.94, 0.95], gloss: 0.7, translucency: 0.0 };
/// Vertices sink in a little, and what is between them more: colliders are drawn this much smaller.
const DRAWN: f64 = 0.97;

impl Prop {
    /// Everything that takes part in a scene and can be drawn: planes are the floor's.
    pub fn of(demo: &Demo, scene: &SceneFile) -> Result<Vec<Prop>, MeshError> {
        let mut props = Vec::new();
        if let Some(radius) = demo.plate {
            let attached = scene.body.iter().flat_map(|b| &b.attach);
            let motion = attached.filter_map(|a| a.motion.as_ref()).map(Motion::from).next();
            props.push(Prop { mesh: shapes::plate(radius)?, material: PORCELAIN, motion });
        }
        for collider in &scene.collider {
            if let Some(mesh) = mesh(&collider.shape)? {
                let motion = collider.motion.as_ref().map(Motion::from);
                props.push(Prop { mesh, material: Material::PLASTER, motion });
            }
        }
        Ok(props)
    }

    /// Where it is at a time \[s\].
    pub fn positions(&self, time: f64) -> Vec<DVec3> {
        let rigid = self.motion.as_ref().map(|m| m.at(time));
        let place = |x: &DVec3| rigid.map_or(*x, |r| r.apply(*x));
        self.mesh.positions.iter().map(place).collect()
    }

    /// What is drawn when its vertices are here \[m\].
    pub fn object<'a>(&'a self, positions: &'a [DVec3]) -> Object<'a> {
        Object::new(positions, &self.mesh.triangles, self.material)
    }
}

/// The height of a level plane among the colliders \[m\].
pub fn floor(scene: &SceneFile) -> Option<f64> {
    scene.collider.iter().find_map(|collider| collider.shape.shape()?.level())
}

/// What is drawn of a shape; meshes are files, and demos need none.
fn mesh(source: &ShapeSource) -> Result<Option<Mesh>, MeshError> {
    match source {
        ShapeSource::Revolved { profile } => Ok(Some(revolved(profile))),
        _ => source.shape().map_or(Ok(None), |shape| shape.outline(DRAWN)),
    }
}

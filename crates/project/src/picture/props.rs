//! Rigid things that are drawn beside the bodies: colliders, and the plate of a demo.

use std::path::Path;

use glam::DVec3;
use pliant_io::read_mesh;
use pliant_mesh::{Mesh, MeshError, shapes};
use pliant_model::Motion;
use pliant_scene::{SceneFile, ShapeSource, revolved};
use pliant_view::{Material, Object};

use crate::demo::Demo;
use crate::error::ProjectError;

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
    /// The colliders of a demo's scene, and its plate.
    pub fn of(demo: &Demo, scene: &SceneFile) -> Result<Vec<Prop>, ProjectError> {
        let mut props = Prop::of_scene(scene, Path::new(""))?;
        if let Some(radius) = demo.plate {
            let attached = scene.body.iter().flat_map(|b| &b.attach);
            let motion = attached.filter_map(|a| a.motion.as_ref()).map(Motion::from).next();
            let mesh = shapes::plate(radius)
                .map_err(|error| ProjectError::Request(format!("demo {}: {error}", demo.name)))?;
            props.insert(0, Prop { mesh, material: PORCELAIN, motion });
        }
        Ok(props)
    }

    /// The colliders of a scene that can be drawn; planes are the floor. Files are looked for in
    /// the scene's folder.
    pub fn of_scene(scene: &SceneFile, folder: &Path) -> Result<Vec<Prop>, ProjectError> {
        let mut props = Vec::new();
        for (index, collider) in scene.collider.iter().enumerate() {
            let mesh = match &collider.shape {
                ShapeSource::Mesh(file) => Some(read_mesh(&folder.join(file))?.mesh),
                shape => mesh(shape)
                    .map_err(|error| ProjectError::Request(format!("collider {index}: {error}")))?,
            };
            if let Some(mesh) = mesh {
                let motion = collider.motion.as_ref().map(Motion::from);
                props.push(Prop { mesh, material: Material::PLASTER, motion });
            }
        }
        Ok(props)
    }

    /// A square of a plane around the point of it that is nearest to `centre` \[m\].
    pub fn square(
        (point, normal): (DVec3, DVec3),
        centre: DVec3,
        half: f64,
        motion: Option<Motion>,
    ) -> Prop {
        let (across, along) = normal.any_orthonormal_pair();
        let middle = centre - (centre - point).dot(normal) * normal;
        let corner = |(a, b): (f64, f64)| middle + half * (a * across + b * along);
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(corner);
        let mesh = Mesh::surface(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]);
        Prop { mesh, material: Material::PLASTER, motion }
    }

    /// Vertex positions at a time \[s\].
    pub fn positions(&self, time: f64) -> Vec<DVec3> {
        let rigid = self.motion.as_ref().map(|m| m.at(time));
        let place = |x: &DVec3| rigid.map_or(*x, |r| r.apply(*x));
        self.mesh.positions.iter().map(place).collect()
    }

    /// Object to draw, with its vertices at these positions \[m\].
    pub fn object<'a>(&'a self, positions: &'a [DVec3]) -> Object<'a> {
        Object::new(positions, &self.mesh.triangles, self.material)
    }
}

/// The height of a level plane among the colliders \[m\].
pub fn floor(scene: &SceneFile) -> Option<f64> {
    scene.collider.iter().find_map(|collider| collider.shape.shape()?.level())
}

/// The surface of a shape that is given by numbers or a profile; `None` where it has no end.
fn mesh(source: &ShapeSource) -> Result<Option<Mesh>, MeshError> {
    match source {
        ShapeSource::Revolved { profile } => Ok(Some(revolved(profile))),
        _ => source.shape().map_or(Ok(None), |shape| shape.outline(DRAWN)),
    }
}

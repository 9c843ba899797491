//! Rigid things that are drawn beside the bodies: colliders, and the plate of a demo.

use std::path::Path;

use glam::{DQuat, DVec2, DVec3};
use pliant::demos::Demo;
use pliant::io::read_mesh;
use pliant::mesh::{Mesh, MeshError, shapes};
use pliant::model::Motion;
use pliant::scene::{ColliderShape, SceneFile, revolved};
use pliant::view::{Material, Object};

use crate::failure::Failure;

/// A rigid thing that moves as the scene says.
pub struct Prop {
    mesh: Mesh,
    material: Material,
    motion: Option<Motion>,
}

const PORCELAIN: Material = Material { colour: [0.93, 0.94, 0.95], gloss: 0.7, translucency: 0.0 };
const SEGMENTS: usize = 64;
/// Vertices sink in a little, and what is between them more: colliders are drawn this much smaller.
const DRAWN: f64 = 0.97;

impl Prop {
    /// The colliders of a demo's scene, and its plate.
    pub fn of(demo: &Demo, scene: &SceneFile) -> Result<Vec<Prop>, Failure> {
        let mut props = Prop::of_scene(scene, Path::new(""))?;
        if let Some(radius) = demo.plate {
            let attached = scene.body.iter().flat_map(|b| &b.attach);
            let motion = attached.filter_map(|a| a.motion.as_ref()).map(Motion::from).next();
            let mesh = shapes::plate(radius)
                .map_err(|error| Failure::new(format!("demo {}: {error}", demo.name)))?;
            props.insert(0, Prop { mesh, material: PORCELAIN, motion });
        }
        Ok(props)
    }

    /// The colliders of a scene that can be drawn; planes are the floor. Files are looked for in
    /// the scene's folder.
    pub fn of_scene(scene: &SceneFile, folder: &Path) -> Result<Vec<Prop>, Failure> {
        let mut props = Vec::new();
        for (index, collider) in scene.collider.iter().enumerate() {
            let mesh = match &collider.shape {
                ColliderShape::Mesh(file) => Some(read_mesh(&folder.join(file))?.mesh),
                shape => mesh(shape)
                    .map_err(|error| Failure::new(format!("collider {index}: {error}")))?,
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
    scene.collider.iter().find_map(|collider| match collider.shape {
        ColliderShape::Plane { point, normal: [x, y, z] } if x == 0.0 && z == 0.0 && y > 0.0 => {
            Some(point[1])
        }
        _ => None,
    })
}

fn mesh(shape: &ColliderShape) -> Result<Option<Mesh>, MeshError> {
    if let ColliderShape::Revolved { profile } = shape {
        return Ok(Some(revolved(profile)));
    }
    Ok(Some(match *shape {
        // Meshes are files, which the caller reads.
        ColliderShape::Plane { .. } | ColliderShape::Mesh(_) | ColliderShape::Revolved { .. } => {
            return Ok(None);
        }
        ColliderShape::Sphere { center, radius } => {
            moved(capsule(0.0, DRAWN * radius, SEGMENTS), DVec3::Y, center.into())
        }
        ColliderShape::Capsule { a, b, radius } => {
            let (a, b) = (DVec3::from_array(a), DVec3::from_array(b));
            moved(capsule(a.distance(b), DRAWN * radius, SEGMENTS), b - a, a)
        }
        ColliderShape::Torus { center, axis, radius, tube } => {
            let circle = |k: usize| {
                let angle = -std::f64::consts::TAU * k as f64 / SEGMENTS as f64;
                DVec2::new(radius, 0.0) + DRAWN * tube * DVec2::from_angle(angle)
            };
            let profile: Vec<DVec2> = (0..SEGMENTS).map(circle).collect();
            moved(shapes::ring(&profile, 2 * SEGMENTS), axis.into(), center.into())
        }
        ColliderShape::Box { min, max } => {
            let (min, max) = (DVec3::from_array(min), DVec3::from_array(max));
            let solid = shapes::solid_box(DRAWN * (max - min), [1, 1, 1])?;
            moved(Mesh::surface(solid.positions, solid.triangles), DVec3::Y, 0.5 * (min + max))
        }
    }))
}

/// A capsule up the y axis, its lower centre at the origin.
pub fn capsule(length: f64, radius: f64, segments: usize) -> Mesh {
    let arc = |k: usize| {
        let angle = std::f64::consts::PI * k as f64 / segments as f64;
        let lift = if 2 * k <= segments { length } else { 0.0 };
        DVec2::new(radius * angle.sin(), radius * angle.cos() + lift)
    };
    let profile: Vec<DVec2> = (0..=segments).map(arc).collect();
    shapes::revolved(&profile, segments)
}

/// Turns y towards `axis`, then shifts.
pub fn moved(mut mesh: Mesh, axis: DVec3, shift: DVec3) -> Mesh {
    let turn = DQuat::from_rotation_arc(DVec3::Y, axis.try_normalize().unwrap_or(DVec3::Y));
    mesh.positions.iter_mut().for_each(|x| *x = turn * *x + shift);
    mesh
}

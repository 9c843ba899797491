//! The surroundings of an animation: colliders and floor of the scene that it was simulated from.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant::model::Motion;
use pliant::scene::{ColliderShape, SceneFile};
use pliant::view::Bounds;

use crate::failure::Failure;
use crate::props::{Prop, floor};

/// Colliders and floor of a scene.
pub struct Setting {
    pub props: Vec<Prop>,
    /// Height of the floor, if the scene has one \[m\].
    pub floor: Option<f64>,
    /// Planes that are not level: a point, the unit normal, and how they move.
    slopes: Vec<(DVec3, DVec3, Option<Motion>)>,
    /// Frames per second of the simulation.
    pub fps: f64,
    /// Files that were read.
    pub files: Vec<PathBuf>,
}

impl Setting {
    /// Reads a scene file and the meshes of its colliders.
    pub fn open(path: &Path) -> Result<Setting, Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::about(path, format!("cannot read: {error}")))?;
        let scene = SceneFile::parse(&text).map_err(|error| Failure::about(path, error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let props = Prop::of_scene(&scene, folder)?;
        let slope = |collider: &pliant::scene::Collider| {
            let ColliderShape::Plane { point, normal: [x, y, z] } = collider.shape else {
                return None;
            };
            let normal = DVec3::new(x, y, z).normalize_or_zero();
            let motion = collider.motion.as_ref().map(Motion::from);
            (x != 0.0 || z != 0.0).then_some((DVec3::from_array(point), normal, motion))
        };
        Ok(Setting {
            props,
            floor: floor(&scene),
            slopes: scene.collider.iter().filter_map(slope).collect(),
            fps: scene.fps,
            files: vec![path.to_owned()],
        })
    }

    /// Draws the planes that are not level as squares behind and below all that moves. Those that
    /// the camera sees from behind would hide it, and are left out.
    pub fn draw_slopes(&mut self, seen: Bounds, eye: DVec3) {
        let half = 0.6 * seen.diagonal();
        for (point, normal, motion) in self.slopes.drain(..) {
            if (eye - point).dot(normal) > 0.0 {
                self.props.push(Prop::square((point, normal), seen.centre(), half, motion));
            }
        }
    }

    /// The scene file in a run directory, where a demo has left it.
    pub fn beside(written: &str) -> Option<PathBuf> {
        let path = Path::new(written).join("scene.toml");
        path.is_file().then_some(path)
    }
}

//! The surroundings of an animation: colliders and floor of the scene that it was simulated from.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_model::Motion;
use pliant_model::collider::{ColliderShape, Number};
use pliant_scene::{Collider, SceneFile, ShapeSource};
use pliant_view::Bounds;

use super::props::{Prop, floor};
use crate::error::ProjectError;
use crate::scene::SCENE_COPY;

/// Colliders and floor of a scene.
pub struct Setting {
    /// Colliders that can be drawn.
    pub props: Vec<Prop>,
    /// Height of the floor, if the scene has one \[m\].
    pub floor: Option<f64>,
    slopes: Vec<Slope>,
    /// Frames per second of the simulation.
    pub fps: f64,
    /// Files that were read.
    pub files: Vec<PathBuf>,
}

/// A plane that is not level.
struct Slope {
    point: DVec3,
    /// Unit normal.
    normal: DVec3,
    motion: Option<Motion>,
}

impl Setting {
    /// Reads a scene file and the meshes of its colliders.
    ///
    /// # Errors
    /// When a file cannot be read or makes no sense.
    pub fn open(path: &Path) -> Result<Setting, ProjectError> {
        let text = pliant_io::read_text(path)?;
        let scene = SceneFile::parse(&text).map_err(|error| ProjectError::about(path, error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(Setting {
            props: Prop::of_scene(&scene, folder)?,
            floor: floor(&scene),
            slopes: scene.collider.iter().filter_map(Slope::of).collect(),
            fps: scene.fps,
            files: vec![path.to_owned()],
        })
    }

    /// Draws the planes that are not level as squares behind and below all that moves. Those that
    /// the camera sees from behind would hide it, and are left out.
    pub fn draw_slopes(&mut self, seen: Bounds, eye: DVec3) {
        let half = 0.6 * seen.diagonal();
        for Slope { point, normal, motion } in self.slopes.drain(..) {
            if (eye - point).dot(normal) > 0.0 {
                self.props.push(Prop::square((point, normal), seen.centre(), half, motion));
            }
        }
    }

    /// The scene file in a run folder, if it has one.
    pub fn beside(written: &str) -> Option<PathBuf> {
        let path = Path::new(written).join(SCENE_COPY);
        path.is_file().then_some(path)
    }
}

impl Slope {
    fn of(collider: &Collider) -> Option<Slope> {
        let ShapeSource::Numbers { shape: ColliderShape::Plane, numbers } = &collider.shape else {
            return None;
        };
        let [Number::Vector(point), Number::Vector([x, y, z])] = numbers[..] else { return None };
        (x != 0.0 || z != 0.0).then(|| Slope {
            point: point.into(),
            normal: DVec3::new(x, y, z).normalize_or_zero(),
            motion: collider.motion.as_ref().map(Motion::from),
        })
    }
}

//! A stage for meshes: a camera that sees the whole motion, and a floor under it.

use std::path::Path;
use std::str::FromStr;

use glam::DVec3;
use pliant_io::atomic::{OnFailure, PartFile};
use pliant_view::{Camera, Framing, Ground, Object, Picture, Scene, Settings, render, write_png};

use thiserror::Error;

use crate::error::ProjectError;

/// `1280x720`: width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels from left to right.
    pub width: usize,
    /// Pixels from top to bottom.
    pub height: usize,
}

/// A text that is no size of a picture.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("expected a size in pixels such as 1280x720")]
pub struct SizeError;

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let side =
            |digits: &str| digits.parse().ok().filter(|pixels| (1..=16_384).contains(pixels));
        text.split_once('x')
            .and_then(|(width, height)| Some(Size { width: side(width)?, height: side(height)? }))
            .ok_or(SizeError)
    }
}

/// A camera and a floor, the same for all frames of an animation.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    camera: Camera,
    ground: Option<Ground>,
    settings: Settings,
}

/// From the right, a little from above: three faces of a box are seen.
const DIRECTION: DVec3 = DVec3::new(-0.55, -0.32, -1.0);

impl Stage {
    /// Looks at what is to be seen, before a stage is built [`Stage::around`] it.
    pub fn framing(size: Size) -> Framing {
        Stage::framing_along(DIRECTION, size)
    }

    /// The same along another direction, from the eye into the scene.
    pub fn framing_along(direction: DVec3, size: Size) -> Framing {
        Framing::new(direction, size.width as f64 / size.height as f64)
    }

    /// A stage on which everything that `framing` has taken in is seen.
    pub fn around(framing: &Framing, size: Size, threads: usize) -> Stage {
        let Size { width, height } = size;
        let bounds = framing.bounds();
        let ground = (!bounds.is_empty()).then(|| Ground::at(bounds.min.y));
        Stage { camera: framing.camera(), ground, settings: Settings { width, height, threads } }
    }

    /// The same with the floor at a height \[m\].
    pub fn with_floor(self, height: f64) -> Stage {
        Stage { ground: Some(Ground::at(height)), ..self }
    }

    /// The same seen by another camera.
    pub fn with_camera(self, camera: Camera) -> Stage {
        Stage { camera, ..self }
    }

    /// Position of the camera \[m\].
    pub fn eye(&self) -> DVec3 {
        self.camera.eye
    }

    /// The same magnified about the centre of the picture.
    pub fn zoomed(self, factor: f64) -> Stage {
        let half = (0.5 * self.camera.field_of_view.to_radians()).tan() / factor;
        let field_of_view = 2.0 * half.atan().to_degrees();
        Stage { camera: Camera { field_of_view, ..self.camera }, ..self }
    }

    /// The same without a floor: from below, too, nothing is hidden.
    pub fn without_ground(self) -> Stage {
        Stage { ground: None, ..self }
    }

    /// A picture of the objects.
    pub fn picture(&self, objects: Vec<Object<'_>>) -> Result<Picture, ProjectError> {
        let scene = Scene { objects, ground: self.ground, ..Scene::default() };
        Ok(render(&scene, &self.camera, &self.settings)?)
    }
}

/// Writes a picture to a PNG file, whole or not at all.
pub fn save_png(picture: &Picture, path: &Path) -> Result<(), ProjectError> {
    let mut file = PartFile::create(path, OnFailure::Remove)?;
    write_png(picture, &mut file).map_err(|error| ProjectError::about(path, error))?;
    Ok(file.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_numbers_of_pixels() {
        assert_eq!("640x480".parse(), Ok(Size { width: 640, height: 480 }));
        for wrong in ["640", "0x480", "640x", "x", "99999x2", "-1x5", "1e3x2"] {
            assert!(Size::from_str(wrong).is_err(), "{wrong}");
        }
    }
}

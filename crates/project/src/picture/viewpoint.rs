//! Cameras as users write them: in words, or in a JSON file.

use std::path::Path;
use std::str::FromStr;

use glam::DVec3;
use pliant_view::Camera;
use serde::Deserialize;
use thiserror::Error;

use crate::error::ProjectError;
use crate::path::ending;

/// Why a text is no camera, or no direction.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ViewpointError {
    /// It is not three numbers, or they are all zero.
    #[error("expected a direction such as -1,-0.5,-1")]
    Direction,
    /// It has another form than that of a camera.
    #[error("{0}, expected \"eye=X,Y,Z target=X,Y,Z fov=DEGREES\"")]
    Form(String),
    /// The field of view is not that of a camera.
    #[error("the field of view must be more than 0 and less than 179 degrees")]
    FieldOfView,
    /// The camera is where it looks.
    #[error("`eye` and `target` are the same point")]
    NoDirection,
    /// The upward direction is along the view.
    #[error("the camera looks straight up or down: add a direction such as up=0,0,-1")]
    NoUpward,
}

/// A direction that is not zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction(pub DVec3);

impl FromStr for Direction {
    type Err = ViewpointError;

    fn from_str(text: &str) -> Result<Direction, ViewpointError> {
        let direction = vector(text).filter(|v| v.length() > 1e-9);
        direction.map(Direction).ok_or(ViewpointError::Direction)
    }
}

/// A camera file, as `pliant lips sketch` reads it, too.
#[derive(Deserialize)]
struct Written {
    eye: [f64; 3],
    target: [f64; 3],
    field_of_view: f64,
    up: Option<[f64; 3]>,
}

/// Reads a camera: words such as `eye=0,1,4 target=0,0.5,0 fov=40`, or the name of a JSON file.
///
/// ```
/// let camera = pliant_project::picture::camera("eye=0,1,4 target=0,0.5,0 fov=40")?;
/// assert_eq!(camera.field_of_view, 40.0);
/// # Ok::<(), pliant_project::ProjectError>(())
/// ```
///
/// # Errors
/// When the words or the file are no camera, or the file cannot be read.
pub fn camera(written: &str) -> Result<Camera, ProjectError> {
    let path = Path::new(written);
    if ending(path) != "json" {
        let camera = parsed(written).and_then(checked);
        return camera.map_err(|problem| ProjectError::Request(format!("--camera: {problem}")));
    }
    let text = pliant_io::read_text(path)?;
    let camera: Written = serde_json::from_str(&text).map_err(|error| {
        let expected = "expected a camera with `eye`, `target` and `field_of_view`";
        ProjectError::about(path, format!("{expected}: {error}"))
    })?;
    checked(camera).map_err(|problem| ProjectError::about(path, problem))
}

fn parsed(text: &str) -> Result<Written, ViewpointError> {
    let form = |problem: String| ViewpointError::Form(problem);
    let (mut eye, mut target, mut up) = (None, None, None);
    let mut field_of_view = Camera::PORTRAIT;
    for part in text.split_whitespace() {
        let (key, value) = part.split_once('=').ok_or_else(|| form(format!("found `{part}`")))?;
        let place = || vector(value).map(|v| v.to_array());
        let problem = || form(format!("`{key}`: found `{value}`"));
        match key {
            "eye" => eye = Some(place().ok_or_else(problem)?),
            "target" => target = Some(place().ok_or_else(problem)?),
            "up" => up = Some(place().ok_or_else(problem)?),
            "fov" => field_of_view = value.parse().map_err(|_| problem())?,
            _ => return Err(form(format!("unknown key `{key}`"))),
        }
    }
    let missing = |key: &str| form(format!("`{key}` is missing"));
    Ok(Written {
        eye: eye.ok_or_else(|| missing("eye"))?,
        target: target.ok_or_else(|| missing("target"))?,
        field_of_view,
        up,
    })
}

fn checked(written: Written) -> Result<Camera, ViewpointError> {
    let Written { eye, target, field_of_view, up } = written;
    let (eye, target) = (DVec3::from_array(eye), DVec3::from_array(target));
    let up = up.map_or(DVec3::Y, DVec3::from_array);
    if !(field_of_view > 0.0 && field_of_view < 179.0) {
        return Err(ViewpointError::FieldOfView);
    }
    let forward = (target - eye).try_normalize().ok_or(ViewpointError::NoDirection)?;
    if forward.cross(up.normalize_or_zero()).length() < 1e-6 {
        return Err(ViewpointError::NoUpward);
    }
    Ok(Camera { eye, target, up, field_of_view })
}

/// Three finite numbers with commas between them.
fn vector(text: &str) -> Option<DVec3> {
    let numbers: Vec<f64> =
        text.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
    let [x, y, z] = numbers[..] else { return None };
    Some(DVec3::new(x, y, z)).filter(|v| v.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_is_read_from_text() {
        let read = camera("eye=0,1,4 target=0,0.5,0 fov=40").unwrap();
        assert_eq!((read.eye.z, read.target.y, read.field_of_view), (4.0, 0.5, 40.0));
        for (text, part) in [
            ("eye=0,1 target=0,0,0", "`eye`"),
            ("eye=0,1,4", "`target` is missing"),
            ("eye=0,1,4 target=0,1,4", "the same point"),
            ("eye=0,1,0 target=0,0,0", "up=0,0,-1"),
            ("eye=0,1,4 target=0,0,0 fov=180", "field of view"),
            ("eye=0,1,4 target=0,0,0 lens=50", "unknown key `lens`"),
            ("front", "found `front`"),
        ] {
            let problem = camera(text).unwrap_err().to_string();
            assert!(problem.contains(part), "{text}: {problem}");
        }
    }
}

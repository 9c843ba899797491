//! Where `pliant render` looks from: a whole camera, or a direction, and a zoom.

use std::path::Path;
use std::str::FromStr;

use clap::Args;
use glam::DVec3;
use pliant::view::{Camera, Framing};
use serde::Deserialize;

use crate::arguments::{Size, ending};
use crate::failure::Failure;
use crate::stage::Stage;

/// The camera of a picture.
#[derive(Args, Clone, Debug, Default)]
pub struct Viewpoint {
    /// Camera: "eye=X,Y,Z target=X,Y,Z fov=DEGREES", or a JSON file with eye, target and
    /// field_of_view [default: the whole motion is in view]
    #[arg(long, value_name = "CAMERA", conflicts_with_all = ["view", "zoom"])]
    camera: Option<String>,
    /// Direction from the eye into the scene; 0,0,-1 looks at the front
    /// [default: -0.55,-0.32,-1]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    view: Option<Direction>,
    /// Magnification about the centre of the picture
    #[arg(long, value_name = "FACTOR", value_parser = zoom)]
    zoom: Option<f64>,
}

/// A direction that is not zero.
#[derive(Clone, Copy, Debug)]
struct Direction(DVec3);

impl FromStr for Direction {
    type Err = String;

    fn from_str(text: &str) -> Result<Direction, String> {
        let direction = vector(text).filter(|v| v.length() > 1e-9);
        direction.map(Direction).ok_or_else(|| "expected a direction such as -1,-0.5,-1".to_owned())
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

impl Viewpoint {
    /// Looks along the direction that is asked for.
    pub fn framing(&self, size: Size) -> Framing {
        match self.view {
            Some(Direction(direction)) => Stage::framing_along(direction, size),
            None => Stage::framing(size),
        }
    }

    /// The camera that was given; none if the motion decides.
    pub fn camera(&self) -> Result<Option<Camera>, Failure> {
        let Some(written) = &self.camera else { return Ok(None) };
        let path = Path::new(written);
        if ending(path) == "json" {
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::about(path, format!("cannot read: {error}")))?;
            let camera: Written = serde_json::from_str(&text).map_err(|error| {
                let expected = "expected a camera with `eye`, `target` and `field_of_view`";
                Failure::about(path, format!("{expected}: {error}"))
            })?;
            return checked(camera).map(Some).map_err(|problem| Failure::about(path, problem));
        }
        let camera = parsed(written).and_then(checked);
        camera.map(Some).map_err(|problem| Failure::usage(format!("--camera: {problem}")))
    }

    /// Magnification, if it was given.
    pub fn zoom(&self) -> Option<f64> {
        self.zoom
    }
}

const EXPECTED: &str = "expected \"eye=X,Y,Z target=X,Y,Z fov=DEGREES\"";

fn parsed(text: &str) -> Result<Written, String> {
    let (mut eye, mut target, mut up) = (None, None, None);
    let mut field_of_view = Camera::PORTRAIT;
    for part in text.split_whitespace() {
        let (key, value) =
            part.split_once('=').ok_or_else(|| format!("found `{part}`, {EXPECTED}"))?;
        let place = || vector(value).map(|v| v.to_array());
        let problem = || format!("`{key}`: found `{value}`, {EXPECTED}");
        match key {
            "eye" => eye = Some(place().ok_or_else(problem)?),
            "target" => target = Some(place().ok_or_else(problem)?),
            "up" => up = Some(place().ok_or_else(problem)?),
            "fov" => field_of_view = value.parse().map_err(|_| problem())?,
            _ => return Err(format!("unknown key `{key}`, {EXPECTED}")),
        }
    }
    let missing = |key: &str| format!("`{key}` is missing, {EXPECTED}");
    Ok(Written {
        eye: eye.ok_or_else(|| missing("eye"))?,
        target: target.ok_or_else(|| missing("target"))?,
        field_of_view,
        up,
    })
}

fn checked(written: Written) -> Result<Camera, String> {
    let Written { eye, target, field_of_view, up } = written;
    let (eye, target) = (DVec3::from_array(eye), DVec3::from_array(target));
    let up = up.map_or(DVec3::Y, DVec3::from_array);
    if !(field_of_view > 0.0 && field_of_view < 179.0) {
        return Err("the field of view must be more than 0 and less than 179 degrees".to_owned());
    }
    let forward = (target - eye).try_normalize().ok_or("`eye` and `target` are the same point")?;
    if forward.cross(up.normalize_or_zero()).length() < 1e-6 {
        let problem = "the camera looks straight up or down: add a direction such as up=0,0,-1";
        return Err(problem.to_owned());
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

fn zoom(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (0.01..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("expected a factor from 0.01 to 1000, such as 2".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_is_read_from_text() {
        let camera = parsed("eye=0,1,4 target=0,0.5,0 fov=40").and_then(checked).unwrap();
        assert_eq!((camera.eye.z, camera.target.y, camera.field_of_view), (4.0, 0.5, 40.0));
        for (text, part) in [
            ("eye=0,1 target=0,0,0", "`eye`"),
            ("eye=0,1,4", "`target` is missing"),
            ("eye=0,1,4 target=0,1,4", "the same point"),
            ("eye=0,1,0 target=0,0,0", "up=0,0,-1"),
            ("eye=0,1,4 target=0,0,0 fov=180", "field of view"),
            ("eye=0,1,4 target=0,0,0 lens=50", "unknown key `lens`"),
            ("front", "found `front`"),
        ] {
            let problem = parsed(text).and_then(checked).unwrap_err();
            assert!(problem.contains(part), "{text}: {problem}");
        }
    }
}

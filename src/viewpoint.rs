//! The viewpoint of `pliant render`: a camera, or a direction and a zoom.

use clap::Args;
use pliant::project::picture::{Direction, Stage, camera};
use pliant::view::{Camera, Framing};

use crate::arguments::{BadValue, Size, number};
use crate::failure::Failure;

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
        Ok(self.camera.as_deref().map(camera).transpose()?)
    }

    /// Magnification, if it was given.
    pub fn zoom(&self) -> Option<f64> {
        self.zoom
    }
}

fn zoom(text: &str) -> Result<f64, BadValue> {
    let expected = "a factor from 0.01 to 1000, such as 2";
    number(text, |factor| (0.01..=1000.0).contains(&factor), expected)
}

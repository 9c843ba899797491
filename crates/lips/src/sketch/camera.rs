//! The camera of a picture: from places in the world to pixels, and back to rays.

use glam::{DMat3, DVec2, DVec3};
use serde::Deserialize;

use crate::error::LipsError;

/// A perspective camera without lens distortion. Pixels are counted from the top left corner of
/// the picture, x to the right and y down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands \[m\].
    pub eye: DVec3,
    /// To the right, down and forward in the picture: orthonormal, in rows.
    axes: [DVec3; 3],
    /// Focal lengths \[pixels\].
    focal: DVec2,
    /// The pixel that it looks at.
    centre: DVec2,
}

/// What may stand in a camera file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    eye: Option<[f64; 3]>,
    target: Option<[f64; 3]>,
    up: Option<[f64; 3]>,
    field_of_view: Option<f64>,
    width: Option<f64>,
    height: Option<f64>,
    matrix: Option<[[f64; 3]; 3]>,
    rotation: Option<[[f64; 3]; 3]>,
    translation: Option<[f64; 3]>,
}

impl Camera {
    /// A camera in JSON, either as a renderer has it,
    ///
    /// `{ "eye": [0, 0, 0.4], "target": [0, 0, 0], "up": [0, 1, 0], "field_of_view": 28, "width":
    /// 1280, "height": 720 }`
    ///
    /// (the angle in degrees, from bottom to top), or as a calibrated photo has it: pixel = K (R x
    /// + t),
    ///
    /// `{ "matrix": K, "rotation": R, "translation": t }`.
    ///
    /// # Errors
    /// A sentence with the key that is missing or makes no sense.
    pub fn parse(text: &str) -> Result<Camera, LipsError> {
        let written: Written = serde_json::from_str(text)
            .map_err(|error| LipsError::sketch(format!("not a camera: {error}")))?;
        let camera = match (written.matrix, written.eye) {
            (Some(matrix), _) => Self::calibrated(&written, matrix)?,
            (None, Some(eye)) => Self::looking(&written, eye.into())?,
            (None, None) => {
                let problem = "expected a camera with `eye`, `target` and `field_of_view`, or with \
                    `matrix`, `rotation` and `translation`";
                return Err(LipsError::sketch(problem));
            }
        };
        let numbers = [camera.eye.x, camera.eye.y, camera.eye.z, camera.centre.x, camera.centre.y];
        if numbers.iter().any(|n| !n.is_finite()) {
            return Err(LipsError::sketch("the camera has numbers that are not finite"));
        }
        Ok(camera)
    }

    fn looking(written: &Written, eye: DVec3) -> Result<Camera, LipsError> {
        let missing = |key: &str| LipsError::sketch(format!("the camera has no `{key}`"));
        let target: DVec3 = written.target.ok_or_else(|| missing("target"))?.into();
        let angle = written.field_of_view.ok_or_else(|| missing("field_of_view"))?;
        let width = written.width.ok_or_else(|| missing("width"))?;
        let height = written.height.ok_or_else(|| missing("height"))?;
        if !(angle > 0.0 && angle < 179.0) {
            return Err(LipsError::sketch("`field_of_view` must be between 0 and 179 degrees"));
        }
        if !(width > 0.0 && height > 0.0) {
            return Err(LipsError::sketch("`width` and `height` must be positive, in pixels"));
        }
        let up: DVec3 = written.up.unwrap_or([0.0, 1.0, 0.0]).into();
        let forward = (target - eye).try_normalize();
        let right = forward.and_then(|forward| forward.cross(up).try_normalize());
        let (Some(forward), Some(right)) = (forward, right) else {
            let problem = "the camera looks nowhere: `eye` and `target` are the same, or `up` is \
                along the line between them";
            return Err(LipsError::sketch(problem));
        };
        let focal = 0.5 * height / (0.5 * angle.to_radians()).tan();
        Ok(Camera {
            eye,
            axes: [right, forward.cross(right), forward],
            focal: DVec2::splat(focal),
            centre: 0.5 * DVec2::new(width, height),
        })
    }

    fn calibrated(written: &Written, k: [[f64; 3]; 3]) -> Result<Camera, LipsError> {
        let missing = |key: &str| LipsError::sketch(format!("the camera has no `{key}`"));
        let rows = written.rotation.ok_or_else(|| missing("rotation"))?.map(DVec3::from);
        let t: DVec3 = written.translation.ok_or_else(|| missing("translation"))?.into();
        let rotation = DMat3::from_cols(rows[0], rows[1], rows[2]);
        let off = (rotation * rotation.transpose() - DMat3::IDENTITY).to_cols_array();
        let is_rotation = off.iter().all(|d| d.abs() < 1e-3) && rotation.determinant() > 0.0;
        if !is_rotation {
            let problem = "`rotation` must be a rotation: x to the right, y down, z forward";
            return Err(LipsError::sketch(problem));
        }
        let focal = DVec2::new(k[0][0], k[1][1]);
        if !(focal.x > 0.0 && focal.y > 0.0) || k[0][1] != 0.0 {
            let problem = "`matrix` must have positive focal lengths, and no skew";
            return Err(LipsError::sketch(problem));
        }
        // The columns of `rotation` are the rows of R, and so the camera's axes.
        let eye = -(rotation * t);
        Ok(Camera { eye, axes: rows, focal, centre: DVec2::new(k[0][2], k[1][2]) })
    }

    /// To the right, down, and forward from the eye \[m\].
    pub fn view(&self, x: DVec3) -> DVec3 {
        let d = x - self.eye;
        DVec3::from_array(self.axes.map(|axis| axis.dot(d)))
    }

    /// Back from [`Camera::view`] \[m\].
    pub fn world(&self, v: DVec3) -> DVec3 {
        self.eye + v.x * self.axes[0] + v.y * self.axes[1] + v.z * self.axes[2]
    }

    /// The pixel of a place; none when it is not in front of the camera.
    pub fn pixel(&self, x: DVec3) -> Option<DVec2> {
        let v = self.view(x);
        (v.z > 0.0 && v.is_finite()).then(|| self.centre + self.focal * DVec2::new(v.x, v.y) / v.z)
    }

    /// How far right and down of the axis a pixel is, at depth 1.
    pub fn slope(&self, pixel: DVec2) -> DVec2 {
        (pixel - self.centre) / self.focal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOKING: &str = r#"{ "eye": [0.1, 0.2, 0.5], "target": [0.1, 0.2, 0.0],
        "field_of_view": 90, "width": 800, "height": 600 }"#;

    #[test]
    fn pixels_are_counted_from_the_top_left() {
        let camera = Camera::parse(LOOKING).unwrap();
        let at = |x: f64, y: f64| camera.pixel(DVec3::new(0.1 + x, 0.2 + y, 0.0)).unwrap();
        assert!(at(0.0, 0.0).distance(DVec2::new(400.0, 300.0)) < 1e-12);
        // 45° up is the upper edge.
        assert!(at(0.0, 0.5).distance(DVec2::new(400.0, 0.0)) < 1e-12);
        assert!(at(0.5, 0.0).distance(DVec2::new(700.0, 300.0)) < 1e-12);
        assert_eq!(camera.pixel(DVec3::new(0.0, 0.0, 0.6)), None);
    }

    #[test]
    fn views_and_slopes_lead_back() {
        let camera = Camera::parse(LOOKING).unwrap();
        let x = DVec3::new(0.03, -0.04, 0.01);
        let view = camera.view(x);
        assert!(camera.world(view).distance(x) < 1e-15);
        let slope = camera.slope(camera.pixel(x).unwrap());
        assert!((slope * view.z - DVec2::new(view.x, view.y)).length() < 1e-15);
    }

    #[test]
    fn a_calibrated_photo_is_the_same_camera() {
        // As LOOKING: f = 300 pixels, y down and z forward is half a turn about x.
        let text = r#"{ "matrix": [[300, 0, 400], [0, 300, 300], [0, 0, 1]],
            "rotation": [[1, 0, 0], [0, -1, 0], [0, 0, -1]], "translation": [-0.1, 0.2, 0.5] }"#;
        let (photo, looking) = (Camera::parse(text).unwrap(), Camera::parse(LOOKING).unwrap());
        for x in [DVec3::ZERO, DVec3::new(0.2, 0.1, -0.3)] {
            assert!(photo.pixel(x).unwrap().distance(looking.pixel(x).unwrap()) < 1e-9);
        }
    }

    #[test]
    fn cameras_that_see_nothing_are_one_sentence() {
        for (text, part) in [
            ("", "not a camera"),
            ("{}", "expected a camera with"),
            (r#"{ "eye": [0, 0, 1] }"#, "no `target`"),
            (r#"{ "eyes": [0, 0, 1] }"#, "unknown field `eyes`"),
            (&LOOKING.replace("90", "180"), "field_of_view"),
            (&LOOKING.replace("0.5]", "0.0]"), "looks nowhere"),
            (&LOOKING.replace("800", "0"), "width"),
            (
                r#"{ "matrix": [[1,0,0],[0,1,0],[0,0,1]], "rotation": [[1,0,0],[0,1,0],[0,0,-1]],
                "translation": [0,0,0] }"#,
                "`rotation` must be",
            ),
        ] {
            let error = Camera::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

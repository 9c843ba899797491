//! The transforms of a prim: its `xformOpOrder`, and what each operation is over time.

use glam::{DMat4, DQuat, DVec3};

use super::content::Content;
use super::layer::Prim;
use super::track::{Track, When};
use crate::error::IoError;

/// What places a prim within its parent.
#[derive(Debug, Default)]
pub struct Transform {
    operations: Vec<Operation>,
    /// The parents' transforms do not count.
    pub resets: bool,
}

#[derive(Debug)]
struct Operation {
    kind: Kind,
    inverse: bool,
    track: Track,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Translate,
    Scale,
    /// About these axes, the first one first \[degrees\].
    Rotate(Vec<usize>),
    Orient,
    Matrix,
}

impl Kind {
    /// From `translate` or `rotateXYZ`.
    fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "translate" => Kind::Translate,
            "scale" => Kind::Scale,
            "orient" => Kind::Orient,
            "transform" => Kind::Matrix,
            _ => {
                let axes = name.strip_prefix("rotate")?;
                let axes: Option<Vec<usize>> = axes.chars().map(|c| "XYZ".find(c)).collect();
                Kind::Rotate(axes.filter(|axes| axes.len() == 1 || axes.len() == 3)?)
            }
        })
    }

    /// The matrix of values; of too few, no change.
    fn matrix(&self, values: &[f64]) -> DMat4 {
        match (self, values) {
            (Kind::Translate, &[x, y, z]) => DMat4::from_translation(DVec3::new(x, y, z)),
            (Kind::Scale, &[x, y, z]) => DMat4::from_scale(DVec3::new(x, y, z)),
            (Kind::Orient, values) => DMat4::from_quat(quaternion(values)),
            // Rows of a matrix for row vectors are columns of one for column vectors.
            (Kind::Matrix, values) if values.len() == 16 => {
                let mut columns = [0.0; 16];
                columns.copy_from_slice(values);
                DMat4::from_cols_array(&columns)
            }
            (Kind::Rotate(axes), values) => {
                // One angle for one axis; three are always x, y, z.
                let angle = |axis: usize| match values {
                    [only] => *only,
                    _ => values.get(axis).copied().unwrap_or(0.0),
                };
                axes.iter().fold(DMat4::IDENTITY, |turned, &axis| {
                    let direction = DVec3::AXES[axis];
                    DMat4::from_axis_angle(direction, angle(axis).to_radians()) * turned
                })
            }
            _ => DMat4::IDENTITY,
        }
    }
}

impl Transform {
    /// An error names the operation that is not known.
    pub fn read(content: &Content, prim: &Prim) -> Result<Transform, IoError> {
        let mut transform = Transform::default();
        let order = prim.attribute("xformOpOrder").and_then(|order| order.value.clone());
        let Some(order) = order else { return Ok(transform) };
        for written in content.strings(&order) {
            if written == "!resetXformStack!" {
                transform.resets = true;
                transform.operations.clear();
                continue;
            }
            let (name, inverse) = match written.strip_prefix("!invert!") {
                Some(name) => (name, true),
                None => (written.as_str(), false),
            };
            let kind = name.strip_prefix("xformOp:").and_then(|n| n.split(':').next());
            let kind = kind.and_then(Kind::named).ok_or_else(|| {
                let problem = format!("{}: expected a transform, found {written:?}", prim.name);
                IoError::content(content.path(), problem)
            })?;
            let track = prim.attribute(name).map(Track::of).unwrap_or_default();
            transform.operations.push(Operation { kind, inverse, track });
        }
        Ok(transform)
    }

    /// The first and last time code of all samples.
    pub fn ranges(&self) -> impl Iterator<Item = (f64, f64)> {
        self.operations.iter().filter_map(|operation| operation.track.range())
    }

    /// From the prim into its parent. The first operation is the outermost.
    pub fn matrix(&self, content: &Content, when: When) -> Result<DMat4, IoError> {
        let mut matrix = DMat4::IDENTITY;
        for operation in &self.operations {
            let own = match operation.track.around(content, when)? {
                (from, Some((to, f))) if operation.kind == Kind::Orient => {
                    DMat4::from_quat(quaternion(&from).slerp(quaternion(&to), f))
                }
                _ => operation.kind.matrix(&operation.track.at(content, when)?),
            };
            let invertible = own.determinant() != 0.0;
            matrix *= if operation.inverse && invertible { own.inverse() } else { own };
        }
        Ok(matrix)
    }
}

/// A rotation from its real part and x, y, z, of any length; of none, no rotation.
fn quaternion(values: &[f64]) -> DQuat {
    let [w, x, y, z] = *values else { return DQuat::IDENTITY };
    let length = (w * w + x * x + y * y + z * z).sqrt();
    match length > 0.0 && length.is_finite() {
        true => DQuat::from_xyzw(x / length, y / length, z / length, w / length),
        false => DQuat::IDENTITY,
    }
}

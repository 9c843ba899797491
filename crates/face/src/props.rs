//! Rigid objects that press on a face: a headset and a fist that fit any head, balls, and meshes.
//!
//! Headset and fist are functions of space, as the head is, made for the face at hand: from its
//! eyes, its lips and its skin. They are where they are made in the frame of the skull, and go from
//! there along their paths.

mod face_measures;
mod fist;
mod headset;
mod sampled_field;

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::isosurface::{Lattice, Remesh, march, remesh};
use pliant_mesh::{Attribute, Bounds, Mesh, Surface};
use pliant_model::{Rigid, Shape, rotation};

use self::face_measures::FaceMeasures;
use crate::effects::{EffectObject, KeyedTrack, ObjectFrame, ObjectShape};
use crate::error::FaceError;
use crate::model::FaceModel;

/// What flesh meets is rounded off within about this (m): on the creases of triangles no
/// equilibrium is found.
const CELL: f64 = 0.002;

/// A thing with a path.
#[derive(Clone, Debug)]
pub struct FaceProp {
    /// What it is called.
    pub name: String,
    /// Where it is made (m), with colours.
    pub surface: Surface,
    pub(crate) shape: Shape,
    pub(crate) frame: ObjectFrame,
    place: KeyedTrack<DVec3>,
    turn: KeyedTrack<DVec3>,
    /// What it turns about (m).
    center: DVec3,
    pub(crate) stiffness: Option<f64>,
    pub(crate) friction: f64,
}

impl FaceProp {
    /// Makes what an object says, for a face; `open` reads the mesh of a file (m).
    ///
    /// # Errors
    /// When its mesh cannot be read or is no surface, or the face has no eyes to hold it to.
    pub fn made(
        face: &FaceModel,
        object: &EffectObject,
        open: &mut dyn FnMut(&str) -> Result<Surface, FaceError>,
    ) -> Result<FaceProp, FaceError> {
        let fail = |problem: String| FaceError::Part {
            path: face.name.clone().into(),
            part: format!("the object {}", object.name.as_deref().unwrap_or("without a name")),
            problem,
        };
        let measures =
            || FaceMeasures::of(face).ok_or_else(|| fail("needs a face with two eyes".into()));
        let (usual, surface, shape) = match &object.shape {
            ObjectShape::Headset => {
                let (seen, touching) = headset::made(face, &measures()?)?;
                ("headset", seen, Shape::smooth(&touching, CELL))
            }
            ObjectShape::Fist => {
                let fist = fist::made(&measures()?)?;
                let shape = Shape::smooth(&fist.mesh, CELL);
                ("fist", fist, shape)
            }
            ObjectShape::Sphere(radius) => {
                ("sphere", ball(*radius), Ok(Shape::sphere(DVec3::ZERO, *radius)))
            }
            ObjectShape::Mesh(file) => {
                let read = open(file)?;
                let shape = Shape::smooth(&read.mesh, CELL);
                ("mesh", read, shape)
            }
        };
        let shape = shape.map_err(|error| fail(error.to_string()))?;
        let center = Bounds::of(&surface.mesh.positions).map_or(DVec3::ZERO, |b| b.center());
        Ok(FaceProp {
            name: object.name.clone().unwrap_or_else(|| usual.to_owned()),
            surface,
            shape,
            frame: object.frame,
            place: object.place.clone(),
            turn: object.turn.clone(),
            center,
            stiffness: object.stiffness,
            friction: object.friction,
        })
    }

    /// How its path has moved it at a time (s), in its frame.
    pub fn pose(&self, time: f64) -> Rigid {
        Rigid::new(rotation(self.turn.at(time)), self.center, self.place.at(time))
    }

    /// The point of its surface that is nearest to one inside of it (m), when it is moved by
    /// `pose`.
    pub fn surface_near(&self, pose: &Rigid, x: DVec3) -> Option<DVec3> {
        self.shape.inside(pose.unapply(x)).map(|nearest| pose.apply(nearest.point))
    }
}

/// A ball of 20 · 4³ triangles about the origin (m).
fn ball(radius: f64) -> Surface {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut positions = Vec::new();
    for (a, b) in [(-1.0, -golden), (1.0, -golden), (-1.0, golden), (1.0, golden)] {
        positions.extend([[a, b, 0.0], [0.0, a, b], [b, 0.0, a]].map(DVec3::from_array));
    }
    positions.iter_mut().for_each(|p| *p = p.normalize());
    let near = |a: usize, b: usize| positions[a].distance(positions[b]) < 1.1;
    let mut triangles = Vec::new();
    for (a, b, c) in (0..12).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| (a, b, c))))
    {
        if near(a, b) && near(b, c) && near(c, a) {
            let [p, q, r] = [a, b, c].map(|v| positions[v]);
            let outward = (q - p).cross(r - p).dot(p) > 0.0;
            let [b, c] = if outward { [b, c] } else { [c, b] };
            triangles.push([a as u32, b as u32, c as u32]);
        }
    }
    for _ in 0..3 {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32, positions: &mut Vec<DVec3>| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                positions.push((positions[a as usize] + positions[b as usize]).normalize());
                positions.len() as u32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let ab = middle(a, b, &mut positions);
            let bc = middle(b, c, &mut positions);
            let ca = middle(c, a, &mut positions);
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    positions.iter_mut().for_each(|p| *p *= radius);
    coloured(Mesh::surface(positions, triangles), |_| [0.75, 0.16, 0.12])
}

/// The surface of a function of space within a box, with edges of about `edge`, marched in cubes of
/// `cube` (m).
fn meshed(
    field: &(dyn Fn(DVec3) -> f64 + Sync),
    [min, max]: [DVec3; 2],
    cube: f64,
    edge: f64,
) -> Result<Mesh, FaceError> {
    let team = Team::new(1);
    let lattice = Lattice { min, max, size: cube, slack: 4.0 * cube };
    let rough = march(field, &lattice, &team)?;
    let asked = Remesh { field, size: &|_| edge, step: 1e-4, rounds: 4 };
    Ok(remesh(rough, &asked, &team))
}

fn coloured(mesh: Mesh, colour: impl Fn(DVec3) -> [f64; 3]) -> Surface {
    let values = mesh.positions.iter().flat_map(|p| colour(*p)).collect();
    let colours = Attribute { name: Attribute::COLOR.to_owned(), components: 3, values };
    Surface { attributes: vec![colours], ..Surface::from(mesh) }
}

/// Signed distance of a box with rounded edges (m).
fn rounded_box(p: DVec3, center: DVec3, half: DVec3, radius: f64) -> f64 {
    let q = (p - center).abs() - (half - DVec3::splat(radius));
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0) - radius
}

/// Signed distance of a capsule whose radius changes from one end to the other (m).
fn limb(p: DVec3, a: DVec3, b: DVec3, radii: [f64; 2]) -> f64 {
    let along = b - a;
    let t = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    p.distance(a + t * along) - (radii[0] + t * (radii[1] - radii[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_is_round_and_closed() {
        let ball = ball(0.02);
        assert_eq!(ball.mesh.triangles.len(), 1280);
        assert!(ball.mesh.positions.iter().all(|p| (p.length() - 0.02).abs() < 1e-15));
        let shape = Shape::mesh(&ball.mesh).expect("a surface");
        assert!(shape.nearest(DVec3::ZERO).distance < -0.0198);
    }
}

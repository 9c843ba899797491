//! Wind on the skin.
//!
//! It blows on triangles of the outer skin, as the engine's drag ½ ρ A (u·n)|u·n| n with u relative
//! to the skin, which a head that moves through still air feels, too. Skin in hollows is sheltered:
//! how far away the next skin is along a triangle's normal, in parts of the way there, tells. The
//! inside of the mouth is, until the jaw opens.

use glam::DVec3;
use pliant_math::Row;
use pliant_mesh::{Mesh, SurfaceTree, boundary_of_tets};
use pliant_model::{Gusts, Model};

use super::{FaceSimulation, Pose};
use crate::anatomy::distance_fields::smoothstep;
use crate::effects::WindEffect;
use crate::model::{BoundaryPart, FaceModel};

/// How far from the skin it is looked for what shelters it (m).
const LOOKS: [f64; 5] = [0.004, 0.008, 0.014, 0.022, 0.032];
/// Nearer than the first part of the way there nothing blows, and farther than the second
/// everything.
const SHELTERED: [f64; 2] = [0.15, 0.5];
/// The mouth's inside is within this of its middle (m), and open from the first to the second angle
/// of the jaw (degrees).
const MOUTH: f64 = 0.035;
const OPENING: [f64; 2] = [4.0, 16.0];
/// What nobody says: how large gusts are (m), and how long they last (s).
const SIZE: f64 = 0.04;
const PERIOD: f64 = 0.25;

/// Triangles of a face's outer skin, over the tets' vertices.
pub(super) fn blown(face: &FaceModel) -> Vec<[u32; 3]> {
    let is_skin = |v: &u32| face.parts[*v as usize] == Some(BoundaryPart::Skin);
    boundary_of_tets(&face.solid.tets).into_iter().filter(|t| t.iter().all(is_skin)).collect()
}

/// Wind on a face.
pub(super) struct WindDrive {
    wind: WindEffect,
    gusts: Gusts,
    triangles: Vec<Blown>,
}

struct Blown {
    /// Model vertices.
    corners: [u32; 3],
    /// From 0, sheltered, to 1, with the mouth shut and open.
    exposed: [f64; 2],
}

impl WindDrive {
    /// On the triangles of [`blown`].
    pub fn new(face: &FaceModel, model: &Model, wind: &WindEffect) -> WindDrive {
        let rest = &face.solid.positions;
        let all = blown(face);
        let tree = SurfaceTree::new(&Mesh::surface(rest.clone(), all.clone()));
        let lips = || face.lips.iter().flatten().map(|&v| face.skin.mesh.positions[v as usize]);
        let mouth = lips().sum::<DVec3>() / lips().count().max(1) as f64;
        let triangle = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| rest[v as usize]);
            let (middle, normal) = ((a + b + c) / 3.0, (b - a).cross(c - a).normalize_or_zero());
            let free = |away: f64| {
                let nearest = tree.closest(middle + away * normal).map_or(away, |c| c.distance);
                smoothstep(SHELTERED[0], SHELTERED[1], nearest / away)
            };
            let shut = LOOKS.into_iter().map(free).fold(1.0, f64::min);
            let is_inside = shut < 0.5 && middle.distance(mouth) < MOUTH;
            let corners = t.map(|v| model.number(0, v as usize) as u32);
            Blown { corners, exposed: [shut, if is_inside { 1.0 } else { shut }] }
        };
        let gusts = Gusts {
            size: wind.size.unwrap_or(SIZE),
            period: wind.period.unwrap_or(PERIOD),
            seed: wind.seed,
        };
        WindDrive { wind: wind.clone(), gusts, triangles: all.iter().map(triangle).collect() }
    }

    /// Its mean velocity in the world (m/s) at a time (s).
    pub fn velocity(&self, time: f64) -> DVec3 {
        self.wind.velocity.at(time)
    }

    /// Factors of the velocity on all triangles at a time (s), for vertices that are where `at`
    /// says in the world (m).
    pub fn blow(
        &self,
        time: f64,
        jaw_open: f64,
        positions: &[Row],
        at: impl Fn(DVec3) -> DVec3,
        factors: &mut Vec<f64>,
    ) {
        let (gust, velocity) = (self.wind.gust.at(time), self.velocity(time));
        let open = smoothstep(OPENING[0], OPENING[1], jaw_open);
        factors.clear();
        factors.extend(self.triangles.iter().map(|Blown { corners, exposed: [shut, wide] }| {
            let exposed = shut + open * (wide - shut);
            if gust == 0.0 || exposed == 0.0 {
                return exposed;
            }
            let middle = corners.iter().map(|&v| positions[v as usize].xyz()).sum::<DVec3>() / 3.0;
            exposed * (1.0 + gust * self.gusts.at(at(middle), time, velocity))
        }));
    }
}

impl FaceSimulation<'_> {
    /// Puts the wind into the drive.
    pub(super) fn drive_air(&mut self, pose: &Pose) {
        let Some(air) = &self.air else { return };
        let end = &mut self.input.end;
        let mean = air.velocity(pose.time);
        let head = pose.head.rigid(self.face.neck());
        let positions = &self.state.positions;
        let (time, open) = (pose.time, pose.jaw.open);
        if self.substeps.is_some() {
            end.wind = mean - self.carriage.velocity;
            let place = pose.head.place;
            air.blow(time, open, positions, |x| x + place, &mut end.gusts);
        } else {
            end.wind = pose.head.turn.transpose() * mean;
            air.blow(time, open, positions, |x| head.apply(x), &mut end.gusts);
        }
    }
}

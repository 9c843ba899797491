//! Muscles as closed volumes between skin and bone: ribbons along their courses, in tetrahedra.

use glam::DVec3;
use pliant_math::team::{SharedSlice, Team};
use pliant_mesh::Mesh;

use super::Anatomy;
use super::distance_fields::{ball, catmull_rom, normal};
use super::eye;
use super::fibres::{Fibres, fibres};
use super::mouth::slit;
use super::muscle_table::{MUSCLES, Muscle};

/// Points along a course, and around a section.
const STATIONS: usize = 25;
const AROUND: usize = 20;
/// Room that is kept to the skin and to bone, and the least thickness (m).
const TO_SKIN: f64 = 0.0013;
const TO_BONE: f64 = 0.0003;
const THINNEST: f64 = 0.0008;
/// How often sections are evened out before they are made narrower.
const EVENINGS: usize = 14;

/// A muscle in space.
#[derive(Clone, Debug)]
pub struct MuscleVolume {
    /// With `_l` or `_r` for the side.
    pub name: String,
    /// What it comes from, and what it moves.
    pub origin: String,
    pub insertion: String,
    /// Tets, their boundary closed.
    pub solid: Mesh,
    /// From origin to insertion (m).
    pub curve: Vec<DVec3>,
    /// By the Laplace method, per vertex of the solid.
    pub fibres: Fibres,
}

/// All muscles, both sides, in the order of the table.
pub fn muscles(anatomy: &Anatomy, team: &Team) -> Vec<MuscleVolume> {
    let mut left: Vec<Option<MuscleVolume>> = vec![None; MUSCLES.len()];
    let shared = SharedSlice::new(&mut left);
    team.each(MUSCLES.len(), &|item, _thread| {
        // SAFETY: every item has its own muscle.
        unsafe { *shared.at(item) = Some(volume(&MUSCLES[item], anatomy)) };
    });
    let mut all = Vec::new();
    for (muscle, row) in left.into_iter().flatten().zip(&MUSCLES) {
        if row.paired {
            let right = mirror_image(&muscle);
            all.push(MuscleVolume { name: format!("{}_l", row.name), ..muscle });
            all.push(right);
        } else {
            all.push(muscle);
        }
    }
    all
}

fn mirror_image(muscle: &MuscleVolume) -> MuscleVolume {
    let flip = |p: &DVec3| DVec3 { x: -p.x, ..*p };
    let solid = Mesh::solid(
        muscle.solid.positions.iter().map(flip).collect(),
        muscle.solid.tets.iter().map(|&[a, b, c, d]| [a, c, b, d]).collect(),
    );
    let fibres = Fibres {
        along: muscle.fibres.along.clone(),
        direction: muscle.fibres.direction.iter().map(flip).collect(),
    };
    MuscleVolume {
        name: format!("{}_r", muscle.name),
        curve: muscle.curve.iter().map(flip).collect(),
        solid,
        fibres,
        ..muscle.clone()
    }
}

fn volume(row: &Muscle, anatomy: &Anatomy) -> MuscleVolume {
    let course = Course::solve(row, anatomy);
    let solid = course.solid(row, anatomy);
    let fibres = fibres(&solid, AROUND + 1, STATIONS);
    MuscleVolume {
        name: row.name.to_owned(),
        origin: row.origin.to_owned(),
        insertion: row.insertion.to_owned(),
        curve: course.center,
        solid,
        fibres,
    }
}

/// Distance to what a muscle stays clear of: bone, eyeball, the mouth and its slit.
fn obstacle(p: DVec3, anatomy: &Anatomy) -> f64 {
    let p = DVec3 { x: p.x.abs(), ..p };
    let mut d = anatomy.bone(p);
    d = d.min(ball(p, eye::CENTER, eye::RADIUS + eye::GAP) - 0.0004);
    if (-0.12..-0.03).contains(&p.y) && p.z > -0.06 {
        d = d.min(anatomy.skin.cavity.distance(p) - 0.0009).min(slit(p) - 0.0006);
    }
    d
}

/// The middle of a ribbon.
struct Course {
    center: Vec<DVec3>,
    /// Towards the skin.
    normal: Vec<DVec3>,
    half_width: Vec<f64>,
    half_thickness: Vec<f64>,
}

/// A value given at origin, middle and insertion.
fn between(values: [f64; 3], u: f64) -> f64 {
    if u < 0.5 {
        values[0] + 2.0 * u * (values[1] - values[0])
    } else {
        values[1] + (2.0 * u - 1.0) * (values[2] - values[1])
    }
}

impl Course {
    /// Moves the course along the skin's normal to the depth that is asked for.
    fn solve(row: &Muscle, anatomy: &Anatomy) -> Course {
        let envelope = |p: DVec3| anatomy.skin.envelope(p);
        let part = |i: usize| i as f64 / (STATIONS - 1) as f64;
        let mut center: Vec<DVec3> =
            catmull_rom(row.course, STATIONS).into_iter().map(DVec3::from_array).collect();
        let thick = 0.5e-3 * row.thickness;
        let mut half_thickness = vec![thick; STATIONS];
        if let Some(depth) = row.depth {
            for round in 0..14 {
                for i in 0..STATIONS {
                    let p = center[i];
                    let below = -envelope(p);
                    let room = (below + obstacle(p, anatomy).max(-0.01)).max(0.002);
                    let half = (0.5 * (room - TO_SKIN - TO_BONE)).min(thick).max(0.5 * THINNEST);
                    let least = half + TO_SKIN;
                    let wanted = (between(depth, part(i)) * room).min(1e-3 * row.deepest);
                    let wanted = wanted.min((room - half - TO_BONE).max(least)).max(least);
                    center[i] += 0.7 * (below - wanted) * normal(envelope, p, 3e-3);
                    half_thickness[i] = half;
                }
                if round < 11 {
                    even(&mut center);
                }
                if !row.paired {
                    keep_symmetric(&mut center, row.course[0][0].abs() > 0.01);
                }
            }
            for (i, half) in half_thickness.iter_mut().enumerate() {
                let to_end = part(i).min(1.0 - part(i));
                *half = (*half * (0.45 + 0.55 * (to_end / 0.18).min(1.0))).max(0.5 * THINNEST);
            }
        }
        Course {
            normal: center.iter().map(|&p| normal(envelope, p, 1.5e-3)).collect(),
            half_width: (0..STATIONS).map(|i| 0.5e-3 * between(row.width, part(i))).collect(),
            half_thickness,
            center,
        }
    }

    /// Tets between sections. Where these would pass through each other, as wide ones do in a bend,
    /// they are evened out, and, if that does not help, made narrower.
    fn solid(&self, row: &Muscle, anatomy: &Anatomy) -> Mesh {
        let mut best = (usize::MAX, Mesh::default());
        for narrower in [1.0, 0.8, 0.65, 0.5] {
            let mut rings = self.rings(row, narrower, anatomy);
            for _ in 0..EVENINGS {
                let solid = ribbon(&rings);
                let turned = turned_over(&solid);
                if turned.len() < best.0 {
                    best = (turned.len(), solid);
                }
                if turned.is_empty() {
                    return best.1;
                }
                even_rings(&mut rings, &turned);
                self.shrink(&mut rings, anatomy);
            }
        }
        best.1
    }

    /// Sections around the course, bent across their width so that each fibre has the depth of the
    /// middle one, and thinned where there is little room.
    fn rings(&self, row: &Muscle, narrower: f64, anatomy: &Anatomy) -> Vec<[DVec3; AROUND]> {
        let envelope = |p: DVec3| anatomy.skin.envelope(p);
        let mut rings = Vec::with_capacity(STATIONS);
        for i in 0..STATIONS {
            let next = self.center[(i + 1).min(STATIONS - 1)];
            let along = (next - self.center[i.saturating_sub(1)]).normalize_or(DVec3::Y);
            let across = self.normal[i].cross(along).normalize_or(along.any_orthonormal_vector());
            let outward = along.cross(across);
            let (width, thick) = (narrower * self.half_width[i], self.half_thickness[i]);
            let middle_depth = -envelope(self.center[i]);
            rings.push(std::array::from_fn(|j| {
                let (sin, cos) = (std::f64::consts::TAU * j as f64 / AROUND as f64).sin_cos();
                // A little squarer than an ellipse.
                let side = width * cos.abs().powf(0.8).copysign(cos);
                let flat = self.center[i] + side * across;
                if row.depth.is_none() {
                    return flat + thick * sin * outward;
                }
                let mut p = flat;
                // Near the nostrils, where distances are worst, it must not run away.
                let bend = 0.35 * width + thick;
                for _ in 0..6 {
                    let below = -envelope(p);
                    let most =
                        (below + obstacle(p, anatomy) - thick - TO_BONE).max(thick + TO_SKIN);
                    p += 0.7 * (below - middle_depth.min(most)) * normal(envelope, p, 2.5e-3);
                    p = flat + (p - flat).clamp_length_max(bend);
                }
                let room = (-envelope(p) - 0.8 * TO_SKIN).min(obstacle(p, anatomy).max(0.0));
                let half = thick.min(room.max(0.0003));
                p + half * sin * normal(envelope, p, 2.5e-3)
            }));
        }
        self.clear(&mut rings, anatomy);
        rings
    }

    /// Draws what touches skin or bone towards the middle.
    fn clear(&self, rings: &mut [[DVec3; AROUND]], anatomy: &Anatomy) {
        for (ring, &center) in rings.iter_mut().zip(&self.center) {
            for p in ring.iter_mut() {
                for _ in 0..12 {
                    if is_clear(*p, anatomy) {
                        break;
                    }
                    *p += 0.2 * (center - *p);
                }
            }
        }
    }

    /// The same for sections as wholes, which keep their shape.
    fn shrink(&self, rings: &mut [[DVec3; AROUND]], anatomy: &Anatomy) {
        for (ring, &center) in rings.iter_mut().zip(&self.center) {
            for _ in 0..12 {
                if ring.iter().all(|p| is_clear(*p, anatomy)) {
                    break;
                }
                ring.iter_mut().for_each(|p| *p += 0.12 * (center - *p));
            }
        }
    }
}

fn is_clear(p: DVec3, anatomy: &Anatomy) -> bool {
    anatomy.skin(p) <= -0.0008 && anatomy.bone(p) >= 0.0002
}

/// Draws the sections around turned tets towards those before and after, and makes them rounder.
fn even_rings(rings: &mut [[DVec3; AROUND]], turned: &[usize]) {
    let old = rings.to_vec();
    let last = old.len() - 1;
    let mut near = vec![false; old.len()];
    for tet in turned {
        let station = tet / (3 * AROUND);
        (station.saturating_sub(1)..=(station + 2).min(last)).for_each(|i| near[i] = true);
    }
    for i in (0..old.len()).filter(|&i| near[i]) {
        for j in 0..AROUND {
            let (before, after) = (old[i.saturating_sub(1)][j], old[(i + 1).min(last)][j]);
            let beside = old[i][(j + 1) % AROUND] + old[i][(j + AROUND - 1) % AROUND];
            let along = if i == 0 || i == last { 2.0 * old[i][j] } else { before + after };
            rings[i][j] = 0.26 * old[i][j] + 0.32 * along + 0.05 * beside;
        }
    }
}

/// Tets that have no volume, or a negative one.
fn turned_over(solid: &Mesh) -> Vec<usize> {
    let volume = |[a, b, c, d]: [DVec3; 4]| (b - a).dot((c - a).cross(d - a));
    let is_turned = |t: &usize| solid.corners(*t).is_some_and(|corners| volume(corners) <= 0.0);
    (0..solid.tets.len()).filter(is_turned).collect()
}

/// Draws inner points towards the middle of their neighbours.
fn even(line: &mut [DVec3]) {
    let old = line.to_vec();
    for i in 1..line.len() - 1 {
        line[i] = 0.2 * old[i - 1] + 0.6 * old[i] + 0.2 * old[i + 1];
    }
}

fn keep_symmetric(line: &mut [DVec3], crosses: bool) {
    if crosses {
        let old = line.to_vec();
        for (p, q) in line.iter_mut().zip(old.iter().rev()) {
            *p = 0.5 * (*p + DVec3 { x: -q.x, ..*q });
        }
    } else {
        line.iter_mut().for_each(|p| p.x = 0.0);
    }
}

/// Tets between rings and the line through their middles. Per station there is its middle, then
/// its ring.
fn ribbon(rings: &[[DVec3; AROUND]]) -> Mesh {
    let per_station = AROUND as u32 + 1;
    let mut positions = Vec::with_capacity(rings.len() * (AROUND + 1));
    for ring in rings {
        positions.push(ring.iter().sum::<DVec3>() / AROUND as f64);
        positions.extend(ring);
    }
    let mut tets = Vec::new();
    for i in 0..rings.len() as u32 - 1 {
        for j in 0..AROUND as u32 {
            // Columns in ascending order, so that neighbouring prisms are cut alike (Kuhn's
            // staircase); the last prism of a ring is thereby turned round.
            let next = (j + 1) % AROUND as u32;
            let [p, q, r] = [0, 1 + j.min(next), 1 + j.max(next)];
            let (low, high) = (i * per_station, (i + 1) * per_station);
            for mut tet in [
                [low + p, low + q, low + r, high + r],
                [low + p, low + q, high + r, high + q],
                [low + p, high + p, high + q, high + r],
            ] {
                if next == 0 {
                    tet.swap(2, 3);
                }
                tets.push(tet);
            }
        }
    }
    Mesh::solid(positions, tets)
}

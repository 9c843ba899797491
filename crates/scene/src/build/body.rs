//! The mesh, the material and the initial state of a body.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::menagerie::Creature;
use pliant_mesh::{Mesh, Resolution, TetOptions, shapes, tetrahedralise, tetrahedralise_separated};
use pliant_model::{Body, Matter, Random, Skin, rotation};

use super::BuildError;
use crate::files::Files;
use crate::{MeshSource, Place};

/// The placed mesh with its material and initial state.
pub(super) fn spec(body: &crate::Body, files: &mut dyn Files) -> Result<Body, BuildError> {
    let name = || body.name.clone();
    let unread = |source| BuildError::BodyFile { body: name(), source };
    let named = |source| BuildError::BodyMesh { body: name(), source };
    let (mut net, mut skin) = (Vec::new(), None);
    let mut mesh = match &body.mesh {
        MeshSource::Box { size, cells } => {
            shapes::solid_box(DVec3::from_array(*size), cells.map(|c| c as usize)).map_err(named)?
        }
        MeshSource::Cloth { size, cells } => {
            let (mesh, springs) = shapes::cloth(*size, cells.map(|c| c as usize)).map_err(named)?;
            net = springs.iter().map(|s| s.vertices).collect();
            mesh
        }
        MeshSource::Net { points, springs } => {
            net.clone_from(springs);
            let positions = points.iter().map(|p| DVec3::from_array(*p)).collect();
            Mesh { positions, ..Mesh::default() }
        }
        MeshSource::File { path, unit } => {
            let mut mesh = files.mesh(path).map_err(unread)?;
            let triangles = mesh.triangles.len();
            if mesh.tets.is_empty() && triangles > 0 {
                return Err(BuildError::NoTetrahedra {
                    body: name(),
                    path: path.clone(),
                    triangles,
                });
            }
            mesh.positions.iter_mut().for_each(|x| *x *= unit.metres());
            mesh
        }
        MeshSource::Shape { name, resolution } => {
            let resolution = *resolution as usize;
            match Creature::named(name) {
                Some(creature) => creature.solid(resolution, &any_team()),
                None if *name == "horns" => shapes::horns(resolution),
                None => shapes::jelly(resolution),
            }
            .map_err(named)?
        }
        MeshSource::Surface { path, resolution, unit, separated } => {
            let mut surface = files.surface(path).map_err(unread)?;
            surface.mesh.positions.iter_mut().for_each(|x| *x *= unit.metres());
            let resolution = Resolution::Cells(*resolution);
            let options = TetOptions { resolution, ..TetOptions::default() };
            let filled = match separated {
                None => tetrahedralise(&surface.mesh, &options, &any_team()),
                Some(pose) => {
                    let mut pose = files.surface(pose).map_err(unread)?.mesh;
                    pose.positions.iter_mut().for_each(|x| *x *= unit.metres());
                    tetrahedralise_separated(&surface.mesh, &pose, &options, &any_team())
                }
            }
            .map_err(|source| BuildError::Surface {
                body: name(),
                path: path.clone(),
                source,
            })?;
            let mut bound = Skin::new(surface, &filled.solid, &filled.embedding);
            body.place.apply(&mut bound.surface.mesh.positions);
            let groups = bound.groups().map_err(named)?;
            skin = Some(bound);
            Mesh { groups, ..filled.solid }
        }
    };
    body.place.apply(&mut mesh.positions);
    let matter = Matter::of(body.material, &mesh, net);
    let (positions, velocities) = initial_state(&body.initial, &mesh, &matter);
    let spec = Body::new(&body.name, mesh, matter);
    Ok(Body { positions, velocities, skin, ..spec })
}

/// However many threads: the bits are the same.
fn any_team() -> Team {
    Team::new(std::thread::available_parallelism().map_or(1, usize::from))
}

impl Place {
    /// Scales, rotates and translates positions.
    pub fn apply(&self, positions: &mut [DVec3]) {
        let turn = rotation(DVec3::from_array(self.rotate));
        let shift = DVec3::from_array(self.translate);
        for x in positions {
            *x = turn * (*x * self.scale) + shift;
        }
    }
}

type Initial = (Option<Vec<DVec3>>, Option<Vec<DVec3>>);

/// Stretched and jittered positions, and the velocities of a rigid motion of them.
fn initial_state(initial: &crate::Initial, mesh: &Mesh, matter: &Matter) -> Initial {
    let stretch = DVec3::from_array(initial.stretch);
    let mut centroid = match matter {
        Matter::Solid { .. } => mesh.centroid(),
        Matter::Springs { .. } | Matter::Points { .. } => mean(&mesh.positions),
    };
    let mut positions = mesh.positions.clone();
    if stretch != DVec3::ONE {
        let about = initial.about.map_or(centroid, DVec3::from_array);
        let stretched = |x: DVec3| about + (x - about) * stretch;
        positions.iter_mut().for_each(|x| *x = stretched(*x));
        // Stretching is affine: the centre of mass goes where the centroid goes.
        centroid = stretched(centroid);
    }
    let spin = DVec3::from_array(initial.angular_velocity);
    let velocity = DVec3::from_array(initial.velocity);
    let velocities = positions.iter().map(|x| velocity + spin.cross(*x - centroid)).collect();
    if initial.jitter > 0.0 {
        let mut random = Random(initial.seed);
        for x in &mut positions {
            *x += DVec3::new(random.signed(), random.signed(), random.signed()) * initial.jitter;
        }
    }
    (Some(positions), Some(velocities))
}

fn mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

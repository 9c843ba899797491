//! The targets of a fit: skins from files, or the shapes of the model.

use pliant_face::{FaceModel, Shape};
use pliant_io::read_mesh;
use pliant_mesh::DVec3;

use super::FitProject;
use crate::error::ProjectError;

/// A skin to be fitted \[m\].
pub struct Target {
    /// The name of its shape.
    pub name: String,
    pub skin: Vec<DVec3>,
    /// The prerequisite shape, relative to which this one is fitted, and its skin \[m\].
    pub prerequisite: Option<(String, Vec<DVec3>)>,
}

/// Reads the targets of a project.
pub fn read(project: &FitProject, face: &FaceModel) -> Result<Vec<Target>, ProjectError> {
    match project.targets.is_empty() {
        true => Ok(shapes(face, project.learn_muscles)),
        false => files(project, face),
    }
}

fn shapes(face: &FaceModel, learn_muscles: bool) -> Vec<Target> {
    let of = |shape: &Shape| Target {
        name: shape.name.clone(),
        skin: displaced(face, shape),
        // Learning has one matrix per muscle, which is no sum of others.
        prerequisite: face
            .shape_under(&shape.name)
            .filter(|_| !learn_muscles)
            .map(|under| (under.name.clone(), displaced(face, under))),
    };
    face.shapes.iter().map(of).collect()
}

fn files(project: &FitProject, face: &FaceModel) -> Result<Vec<Target>, ProjectError> {
    let expected = face.skin.mesh.positions.len();
    let mut targets: Vec<Target> = Vec::new();
    for path in &project.targets {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = name.filter(|name| name != "model").ok_or_else(|| {
            ProjectError::about(path, "expected a file named after its shape, not `model`")
        })?;
        if targets.iter().any(|target| target.name == name) {
            return Err(ProjectError::about(path, format!("is the second target named {name}")));
        }
        let skin = read_mesh(path)?.mesh.positions;
        if skin.len() != expected || skin.iter().any(|p| !p.is_finite()) {
            let found = skin.len();
            let problem = format!(
                "has {found} vertices, expected the {expected} of the face's skin, all finite"
            );
            return Err(ProjectError::about(path, problem));
        }
        targets.push(Target { name, skin, prerequisite: None });
    }
    Ok(targets)
}

/// The skin of a shape \[m\].
fn displaced(face: &FaceModel, shape: &Shape) -> Vec<DVec3> {
    face.skin.mesh.positions.iter().zip(&shape.displacement).map(|(p, d)| *p + *d).collect()
}

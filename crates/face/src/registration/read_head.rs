//! Reads your head mesh with its shapes and its markers.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_io::{Format, files_in, read_blendshapes, read_mesh, read_text};
use serde_json::Value;

use super::OwnHead;
use crate::anatomy::landmarks::Landmark;
use crate::error::FaceError;
use crate::template::Blendshape;

/// Reads a head whose files are in a unit of so many metres. Shapes are glTF files with morph
/// targets, meshes of the head in a shape that the file's name tells, or folders of these; the head
/// itself among them is passed over. Markers are JSON: `{"pronasale": 4857}`, a vertex of the mesh
/// counted from 0, or `{"menton": [0.0, -7.5, 10.4]}`, a place.
///
/// ```
/// let missing = pliant_face::read_own_head("no.obj".as_ref(), &[], "no.json".as_ref(), 0.01);
/// assert!(missing.unwrap_err().to_string().contains("no.obj"));
/// ```
pub fn read_own_head(
    mesh: &Path,
    shapes: &[PathBuf],
    markers: &Path,
    unit: f64,
) -> Result<OwnHead, FaceError> {
    let mut surface = read_mesh(mesh)?.into_surface();
    let wrong = |part: &str, problem: String| FaceError::Part {
        path: mesh.to_owned(),
        part: part.to_owned(),
        problem,
    };
    if surface.mesh.triangles.is_empty() {
        return Err(wrong("the head", "has no triangles".to_owned()));
    }
    if let Some(v) = surface.mesh.positions.iter().position(|p| !p.is_finite()) {
        return Err(wrong("the head", format!("has a vertex that is not finite: number {v}")));
    }
    surface.mesh.positions.iter_mut().for_each(|p| *p *= unit);
    let positions = &surface.mesh.positions;
    let markers = markers_in(&read_text(markers)?, markers, positions, unit)?;
    let shapes = shapes_in(shapes, mesh, positions, unit)?;
    let name = mesh.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(OwnHead { name, surface, shapes, markers })
}

fn markers_in(
    text: &str,
    path: &Path,
    positions: &[DVec3],
    unit: f64,
) -> Result<Vec<Landmark>, FaceError> {
    let fail = |line, problem| FaceError::in_line(path, line, problem);
    let values: serde_json::Map<String, Value> =
        serde_json::from_str(text).map_err(|error| fail(error.line(), error.to_string()))?;
    let line = |name: &str| {
        text.lines().position(|line| line.contains(&format!("\"{name}\""))).unwrap_or(0) + 1
    };
    let mut markers = Vec::new();
    for (name, value) in values {
        let numbers: Option<Vec<f64>> =
            value.as_array().and_then(|a| a.iter().map(Value::as_f64).collect());
        let position = match (value.as_u64(), numbers.as_deref()) {
            (Some(v), _) => {
                let count = positions.len();
                let problem = || format!("{name} is vertex {v}, but the mesh has {count}");
                let found = usize::try_from(v).ok().and_then(|v| positions.get(v));
                *found.ok_or_else(|| fail(line(&name), problem()))?
            }
            (_, Some(&[x, y, z])) => unit * DVec3::new(x, y, z),
            _ => {
                let problem = format!("{name} is {value}, expected a vertex or three coordinates");
                return Err(fail(line(&name), problem));
            }
        };
        markers.push(Landmark { name, position });
    }
    Ok(markers)
}

/// The shapes of all files and folders, in their order.
fn shapes_in(
    places: &[PathBuf],
    neutral: &Path,
    positions: &[DVec3],
    unit: f64,
) -> Result<Vec<Blendshape>, FaceError> {
    let same = |file: &PathBuf| match (file.canonicalize(), neutral.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    let mut shapes: Vec<Blendshape> = Vec::new();
    for place in places {
        let wrong = |part: String, problem: &str| FaceError::Part {
            path: place.clone(),
            part,
            problem: problem.to_owned(),
        };
        let files = if place.is_dir() {
            let found = files_in(place)?
                .into_iter()
                .filter(|file| Format::of(file).is_some_and(Format::holds_mesh));
            found.collect()
        } else {
            vec![place.clone()]
        };
        let before = shapes.len();
        for file in files.iter().filter(|file| !same(file)) {
            for shape in shapes_of(file, positions, unit)? {
                if shapes.iter().any(|known| known.name == shape.name) {
                    return Err(wrong(format!("the shape {}", shape.name), "is there twice"));
                }
                shapes.push(shape);
            }
        }
        if shapes.len() == before {
            let problem = "there is none, expected meshes of the head in a shape, or morph targets";
            return Err(wrong("the shapes:".to_owned(), problem));
        }
    }
    Ok(shapes)
}

/// The morph targets of a file, or what it is itself.
fn shapes_of(file: &Path, positions: &[DVec3], unit: f64) -> Result<Vec<Blendshape>, FaceError> {
    if Format::of(file) == Some(Format::Gltf) {
        let scaled = |d: Vec<DVec3>| d.into_iter().map(|d| unit * d).collect();
        let read = read_blendshapes(file)?.shapes.into_iter();
        let all: Vec<Blendshape> =
            read.map(|(name, d)| Blendshape { name, displacement: scaled(d) }).collect();
        if !all.is_empty() {
            return checked(all, file, positions.len());
        }
    }
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let to = read_mesh(file)?.mesh.positions;
    let displacement = to.iter().zip(positions).map(|(to, from)| unit * *to - *from).collect();
    let extra = to.len().saturating_sub(positions.len());
    let mut shape = Blendshape { name, displacement };
    shape.displacement.resize(shape.displacement.len() + extra, DVec3::ZERO);
    checked(vec![shape], file, positions.len())
}

fn checked(
    shapes: Vec<Blendshape>,
    path: &Path,
    expected: usize,
) -> Result<Vec<Blendshape>, FaceError> {
    for shape in &shapes {
        let found = shape.displacement.len();
        let problem = if found != expected {
            format!("has {found} vertices, expected the head's {expected}")
        } else if let Some(v) = shape.displacement.iter().position(|d| !d.is_finite()) {
            format!("moves vertex {v} to where nothing is")
        } else {
            continue;
        };
        let part = format!("the shape {}", shape.name);
        return Err(FaceError::Part { path: path.to_owned(), part, problem });
    }
    Ok(shapes)
}

//! Blendshapes: morph targets with names, `extras.targetNames` of their mesh.

use std::collections::BTreeMap;
use std::path::Path;

use glam::DVec3;
use serde_json::Value;

use super::container::Container;
use super::pose::{Hierarchy, Pose};
use super::surface::Surface;
use super::write::Writer;
use crate::beside::Beside;
use crate::error::{IoError, Problem};
use crate::format::FrameWriter;
use crate::loaded::{Loaded, Parts};

/// A mesh, and displacements of its vertices (m) by name.
#[derive(Clone, Debug, Default)]
pub struct Blendshapes {
    /// The mesh without any of them.
    pub neutral: Loaded,
    /// In the order of the file, as many vectors as there are vertices.
    pub shapes: Vec<(String, Vec<DVec3>)>,
}

/// Writes a mesh with its shapes as one glTF file with morph targets.
///
/// ```
/// use pliant_io::{Loaded, read_blendshapes, write_blendshapes};
/// use pliant_mesh::{DVec3, shapes};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("shapes.glb");
/// let cloth = Loaded::from(shapes::cloth([1.0, 1.0], [2, 2])?.0);
/// let lift = ("lift".to_owned(), vec![DVec3::Y; cloth.mesh.positions.len()]);
/// write_blendshapes(&path, &cloth, &[lift.clone()])?;
/// assert_eq!(read_blendshapes(&path)?.shapes, [lift]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_blendshapes(
    path: &Path,
    neutral: &Loaded,
    shapes: &[(String, Vec<DVec3>)],
) -> Result<(), IoError> {
    let names = shapes.iter().map(|shape| shape.0.clone()).collect();
    let mut writer = Writer::create_shapes(path, neutral, names)?;
    for (_, shape) in shapes {
        writer.write_target(shape)?;
    }
    Box::new(writer).finish()
}

/// Reads the morph targets of a glTF file. Those without a name are called `target 0`, …; where
/// several meshes have a target of the same name it is one shape.
pub fn read_blendshapes(path: &Path) -> Result<Blendshapes, IoError> {
    let fail = |problem: Problem| IoError::content(path, problem);
    let container = Container::open(path, Beside::Of(path))?;
    let hierarchy = Hierarchy::read(&container).map_err(fail)?;
    let mut parts = Parts::default();
    let surface = Surface::read(&container, &hierarchy, &mut parts).map_err(fail)?;
    let mut pose = Pose::of(&container, &hierarchy, None);
    pose.weights.iter_mut().for_each(Vec::clear);
    let mut neutral = vec![DVec3::ZERO; surface.vertices()];
    surface.positions(&container, &pose, &mut neutral);
    // Per name, the node and the target of it that have it.
    let mut order: Vec<String> = Vec::new();
    let mut members: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for &node in hierarchy.nodes() {
        let mesh = container.document.nodes[node].mesh;
        let Some(mesh) = mesh.and_then(|mesh| container.document.meshes.get(mesh)) else {
            continue;
        };
        let count = mesh.primitives.iter().map(|p| p.targets.len()).max().unwrap_or(0);
        for target in 0..count {
            let named = mesh.extras["targetNames"].get(target).and_then(Value::as_str);
            let name = named.map_or_else(|| format!("target {target}"), str::to_owned);
            if !members.contains_key(&name) {
                order.push(name.clone());
            }
            members.entry(name).or_default().push((node, target));
        }
    }
    let mut shapes = Vec::with_capacity(order.len());
    let mut moved = vec![DVec3::ZERO; neutral.len()];
    for name in order {
        pose.weights.iter_mut().for_each(Vec::clear);
        for &(node, target) in &members[&name] {
            pose.weights[node] = vec![0.0; target + 1];
            pose.weights[node][target] = 1.0;
        }
        surface.positions(&container, &pose, &mut moved);
        shapes.push((name, moved.iter().zip(&neutral).map(|(to, from)| *to - *from).collect()));
    }
    container.failure().map_or(Ok(()), Err)?;
    parts.positions = neutral;
    Ok(Blendshapes { neutral: parts.finish(path)?, shapes })
}

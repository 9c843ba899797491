//! The vertices and triangles of a scene: one block of vertices per primitive of a node.

use crate::error::Problem;
use glam::{DAffine3, DMat4, DVec3};

use super::accessor::Values;
use super::container::Container;
use super::document::{Mesh, Primitive};
use super::pose::{Hierarchy, Pose};
use crate::attribute::{self, Painted};
use crate::groups::GroupMembers;
use crate::loaded::Parts;

const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;
/// Meshes can be repeated by any number of nodes; more than this fits into no memory.
const MOST_VERTICES: usize = 1 << 26;

/// All blocks of a scene, one after the other.
#[derive(Debug, Default)]
pub struct Surface {
    blocks: Vec<Block>,
    skins: Vec<Skin>,
    vertices: usize,
}

/// The vertices of a primitive, where a node puts them.
#[derive(Debug)]
struct Block {
    node: usize,
    skin: Option<usize>,
    first: usize,
    positions: Values,
    /// Of every morph target, how it moves the vertices.
    targets: Vec<Option<Values>>,
    /// Joints and their weights, four at a time.
    influences: Vec<(Values, Values)>,
}

#[derive(Debug)]
struct Skin {
    joints: Vec<usize>,
    inverse_bind: Vec<DAffine3>,
}

impl Surface {
    /// Reads all primitives of the scene's nodes; triangles, groups and attributes go into
    /// `parts`. An error is a sentence without the file's name.
    pub fn read(
        container: &Container,
        hierarchy: &Hierarchy,
        parts: &mut Parts,
    ) -> Result<Surface, Problem> {
        let mut surface = Surface::default();
        for (index, skin) in container.document.skins.iter().enumerate() {
            let skin = read_skin(container, skin).map_err(|p| format!("skin {index}: {p}"))?;
            surface.skins.push(skin);
        }
        let mut groups = GroupMembers::default();
        let mut attributes = Vec::new();
        for &node in hierarchy.nodes() {
            let Some(index) = container.document.nodes[node].mesh else { continue };
            let meshes = &container.document.meshes;
            let mesh = meshes.get(index).ok_or_else(|| format!("there is no mesh {index}"))?;
            // Primitives may share their vertices, and differ in the triangles over them.
            let mut firsts: Vec<Option<usize>> = Vec::new();
            for (place, primitive) in mesh.primitives.iter().enumerate() {
                let same = |other: &Primitive| {
                    other.attributes == primitive.attributes && other.targets == primitive.targets
                };
                let before = mesh.primitives.iter().zip(&firsts);
                let shared = before.filter(|(other, _)| same(other)).find_map(|(_, first)| *first);
                let triangles = parts.triangles.len();
                let first = surface
                    .add(container, node, primitive, shared, &mut attributes, parts)
                    .map_err(|p| format!("mesh {index}, primitive {place}: {p}"))?;
                firsts.push(first);
                let vertices = parts.triangles[triangles..].as_flattened();
                groups.add(&names(container, node, mesh, place), vertices);
            }
        }
        parts.groups = groups.finish();
        parts.attributes = attribute::join(&attributes, surface.vertices);
        Ok(surface)
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Adds a primitive; returns its first vertex. That is `shared`, if its vertices are there.
    fn add(
        &mut self,
        container: &Container,
        node: usize,
        primitive: &Primitive,
        shared: Option<usize>,
        attributes: &mut Vec<Painted>,
        parts: &mut Parts,
    ) -> Result<Option<usize>, Problem> {
        let mode = primitive.mode.unwrap_or(TRIANGLES);
        if ![TRIANGLES, STRIP, FAN].contains(&mode) {
            parts.ignore("primitives of points or lines", 1);
            return Ok(None);
        }
        let Some(&position) = primitive.attributes.get("POSITION") else {
            parts.ignore("primitives without positions", 1);
            return Ok(None);
        };
        let positions = Values::read(container, position, None)?.of_width(position, 3)?;
        let count = positions.count;
        if let Some(first) = shared {
            triangles(container, primitive, mode, first, count, &mut parts.triangles)?;
            return Ok(shared);
        }
        let skin = container.document.nodes[node].skin;
        if skin.is_some_and(|skin| skin >= self.skins.len()) {
            return Err(format!("node {node} has a skin that does not exist").into());
        }
        let mut targets = Vec::new();
        for target in &primitive.targets {
            let read =
                |&index: &usize| Values::read(container, index, Some(count))?.of_width(index, 3);
            targets.push(target.get("POSITION").map(read).transpose()?);
        }
        let influences = match skin {
            Some(_) => read_influences(container, primitive, count)?,
            None => Vec::new(),
        };
        let first = self.vertices;
        let end = first + count;
        if end > MOST_VERTICES {
            return Err(format!("there are more than {MOST_VERTICES} vertices").into());
        }
        triangles(container, primitive, mode, first, count, &mut parts.triangles)?;
        for (name, &index) in &primitive.attributes {
            if ["COLOR_0", "TEXCOORD_0"].contains(&name.as_str()) || name.starts_with('_') {
                let values = Values::read(container, index, Some(count))?;
                if values.width <= 4 {
                    attributes.push(Painted {
                        name: name.clone(),
                        first,
                        width: values.width,
                        values: values.all(container),
                    });
                }
            }
        }
        self.blocks.push(Block { node, skin, first, positions, targets, influences });
        self.vertices = end;
        Ok(Some(first))
    }

    /// Where all vertices are in a pose, in the world \[m\].
    pub fn positions(&self, container: &Container, pose: &Pose, positions: &mut [DVec3]) {
        for block in &self.blocks {
            let Some(out) = positions.get_mut(block.first..block.first + block.positions.count)
            else {
                continue;
            };
            for (vertex, x) in out.iter_mut().enumerate() {
                *x = DVec3::from(block.positions.element::<3>(container, vertex));
            }
            let weights = pose.weights.get(block.node).map_or(&[][..], Vec::as_slice);
            for (target, &weight) in block.targets.iter().zip(weights) {
                let Some(target) = target.as_ref().filter(|_| weight != 0.0) else { continue };
                for (vertex, x) in out.iter_mut().enumerate() {
                    *x += weight * DVec3::from(target.element::<3>(container, vertex));
                }
            }
            match block.skin.and_then(|skin| self.skins.get(skin)) {
                Some(skin) if !block.influences.is_empty() => {
                    block.bend(container, skin, pose, out);
                }
                _ => {
                    let world = pose.world[block.node];
                    out.iter_mut().for_each(|x| *x = world.transform_point3(*x));
                }
            }
        }
    }
}

impl Block {
    /// Linear blend skinning: x = Σ wⱼ Jⱼ Bⱼ⁻¹ x̄, weights scaled to a sum of one.
    fn bend(&self, container: &Container, skin: &Skin, pose: &Pose, out: &mut [DVec3]) {
        let joints: Vec<DAffine3> = skin
            .joints
            .iter()
            .zip(&skin.inverse_bind)
            .map(|(&joint, bind)| pose.world[joint] * *bind)
            .collect();
        for (vertex, x) in out.iter_mut().enumerate() {
            let mut sum = DVec3::ZERO;
            let mut total = 0.0;
            for (ids, weights) in &self.influences {
                let ids = ids.element::<4>(container, vertex);
                let weights = weights.element::<4>(container, vertex);
                for (id, weight) in ids.into_iter().zip(weights) {
                    let joint = joints.get(id as usize).filter(|_| weight > 0.0);
                    if let Some(joint) = joint {
                        sum += weight * joint.transform_point3(*x);
                        total += weight;
                    }
                }
            }
            if total > 0.0 {
                *x = sum / total;
            }
        }
    }
}

fn read_skin(container: &Container, skin: &super::document::Skin) -> Result<Skin, Problem> {
    let nodes = container.document.nodes.len();
    if let Some(missing) = skin.joints.iter().find(|&&joint| joint >= nodes) {
        return Err(format!("names node {missing}, but there are {nodes}").into());
    }
    let mut inverse_bind = vec![DAffine3::IDENTITY; skin.joints.len()];
    if let Some(index) = skin.inverse_bind_matrices {
        let matrices = Values::read(container, index, None)?.of_width(index, 16)?;
        if matrices.count < skin.joints.len() {
            return Err(format!(
                "has {} joints, but {} matrices",
                skin.joints.len(),
                matrices.count
            )
            .into());
        }
        for (joint, bind) in inverse_bind.iter_mut().enumerate() {
            let matrix = DMat4::from_cols_array(&matrices.element::<16>(container, joint));
            *bind = DAffine3::from_mat4(matrix);
        }
    }
    Ok(Skin { joints: skin.joints.clone(), inverse_bind })
}

fn read_influences(
    container: &Container,
    primitive: &Primitive,
    count: usize,
) -> Result<Vec<(Values, Values)>, Problem> {
    let mut influences = Vec::new();
    for set in 0.. {
        let named = |kind: &str| primitive.attributes.get(&format!("{kind}_{set}")).copied();
        let (Some(joints), Some(weights)) = (named("JOINTS"), named("WEIGHTS")) else { break };
        influences.push((
            Values::read(container, joints, Some(count))?.of_width(joints, 4)?,
            Values::read(container, weights, Some(count))?.of_width(weights, 4)?,
        ));
    }
    Ok(influences)
}

fn triangles(
    container: &Container,
    primitive: &Primitive,
    mode: u32,
    first: usize,
    count: usize,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), Problem> {
    let corners: Vec<f64> = match primitive.indices {
        Some(index) => Values::read(container, index, None)?.of_width(index, 1)?.all(container),
        None => (0..count).map(|vertex| vertex as f64).collect(),
    };
    if let Some(wrong) = corners.iter().find(|&&c| !(c >= 0.0 && c < count as f64)) {
        return Err(format!("a triangle names vertex {wrong}, but there are {count}").into());
    }
    let corners: Vec<u32> = corners.iter().map(|&c| (c as usize + first) as u32).collect();
    let triple = |w: &[u32]| [w[0], w[1], w[2]];
    match mode {
        TRIANGLES => triangles.extend(corners.chunks_exact(3).map(triple)),
        FAN => {
            let Some((&hub, rim)) = corners.split_first() else { return Ok(()) };
            triangles.extend(rim.windows(2).map(|pair| [hub, pair[0], pair[1]]));
        }
        // Every other triangle of a strip is wound the other way.
        _ => triangles.extend(corners.windows(3).enumerate().map(|(i, w)| match i % 2 {
            0 => triple(w),
            _ => [w[1], w[0], w[2]],
        })),
    }
    Ok(())
}

/// What a user may call the vertices of a primitive: by node, mesh, material, and, where a mesh has
/// several, by mesh and number.
fn names(container: &Container, node: usize, mesh: &Mesh, place: usize) -> Vec<String> {
    let document = &container.document;
    let material = mesh.primitives[place].material.and_then(|m| document.materials.get(m));
    let mut names = Vec::new();
    names.extend(document.nodes[node].name.clone());
    names.extend(mesh.name.clone());
    names.extend(material.and_then(|material| material.name.clone()));
    if mesh.primitives.len() > 1 {
        let mesh = mesh.name.as_deref().unwrap_or("mesh");
        names.push(format!("{mesh}.{place}"));
    }
    names.retain(|name| !name.is_empty());
    names.sort();
    names.dedup();
    names
}

//! Where nodes are at a time, and what that makes of the vertices.

use crate::error::Problem;
use glam::{DAffine3, DMat4, DQuat, DVec3};

use super::clip::{Clip, Property, rotation, vector};
use super::container::Container;
use super::document::Node;

/// Nodes of the scene, parents before children.
#[derive(Debug, Default)]
pub struct Hierarchy {
    order: Vec<usize>,
    parent: Vec<Option<usize>>,
}

impl Hierarchy {
    /// Walks the scene; an error names the node that is its own ancestor, or missing.
    pub fn read(container: &Container) -> Result<Hierarchy, Problem> {
        let document = &container.document;
        let count = document.nodes.len();
        let mut is_child = vec![false; count];
        for &child in document.nodes.iter().flat_map(|node| &node.children) {
            *is_child.get_mut(child).ok_or_else(|| format!("there is no node {child}"))? = true;
        }
        let roots = match document.scenes.get(document.scene.unwrap_or(0)) {
            Some(scene) => scene.nodes.clone(),
            None => (0..count).filter(|&node| !is_child[node]).collect(),
        };
        let mut hierarchy = Hierarchy { order: Vec::new(), parent: vec![None; count] };
        let mut seen = vec![false; count];
        let mut waiting: Vec<(usize, Option<usize>)> =
            roots.iter().rev().map(|&root| (root, None)).collect();
        while let Some((node, parent)) = waiting.pop() {
            match seen.get_mut(node) {
                None => return Err(format!("there is no node {node}").into()),
                Some(true) => return Err(format!("node {node} has two parents").into()),
                Some(fresh) => *fresh = true,
            }
            hierarchy.order.push(node);
            hierarchy.parent[node] = parent;
            let children = document.nodes[node].children.iter().rev();
            waiting.extend(children.map(|&child| (child, Some(node))));
        }
        Ok(hierarchy)
    }

    /// Nodes of the scene, parents before children.
    pub fn nodes(&self) -> &[usize] {
        &self.order
    }
}

/// The state of all nodes at one time.
#[derive(Debug, Default)]
pub struct Pose {
    /// From the space of a node into that of the world.
    pub world: Vec<DAffine3>,
    /// Weights of the morph targets of a node's mesh.
    pub weights: Vec<Vec<f64>>,
}

impl Pose {
    /// At rest, or, with a clip, at a time \[s\].
    pub fn of(container: &Container, hierarchy: &Hierarchy, clip: Option<(&Clip, f64)>) -> Pose {
        let document = &container.document;
        let mut places: Vec<Place> = document.nodes.iter().map(Place::of).collect();
        let mut weights: Vec<Vec<f64>> =
            document.nodes.iter().map(|n| rest_weights(container, n)).collect();
        let mut value = Vec::new();
        for channel in clip.iter().flat_map(|(clip, _)| &clip.channels) {
            let time = clip.map_or(0.0, |(_, time)| time);
            channel.at(container, time, &mut value);
            let place = &mut places[channel.node];
            match channel.property {
                Property::Translation => place.parts().0 = vector(&value),
                Property::Rotation => place.parts().1 = rotation(&value),
                Property::Scale => place.parts().2 = vector(&value),
                Property::Weights => weights[channel.node].clone_from(&value),
            }
        }
        let mut world = vec![DAffine3::IDENTITY; places.len()];
        for &node in &hierarchy.order {
            let local = places[node].affine();
            world[node] = hierarchy.parent[node].map_or(local, |parent| world[parent] * local);
        }
        Pose { world, weights }
    }
}

/// A node's own weights, or else its mesh's.
fn rest_weights(container: &Container, node: &Node) -> Vec<f64> {
    if !node.weights.is_empty() {
        return node.weights.clone();
    }
    let mesh = node.mesh.and_then(|mesh| container.document.meshes.get(mesh));
    mesh.map_or(Vec::new(), |mesh| mesh.weights.clone())
}

/// The place of a node within its parent.
struct Place {
    /// Takes the place of the parts.
    matrix: Option<DAffine3>,
    /// Translation, rotation, scale.
    parts: (DVec3, DQuat, DVec3),
}

impl Place {
    fn of(node: &Node) -> Place {
        let matrix = node.matrix.map(|m| DAffine3::from_mat4(DMat4::from_cols_array(&m)));
        let parts = (
            node.translation.map_or(DVec3::ZERO, DVec3::from_array),
            node.rotation.map_or(DQuat::IDENTITY, |r| rotation(&r)),
            node.scale.map_or(DVec3::ONE, DVec3::from_array),
        );
        Place { matrix, parts }
    }

    /// Parts, also of a node that has a matrix: what is animated replaces it.
    fn parts(&mut self) -> &mut (DVec3, DQuat, DVec3) {
        if let Some(matrix) = self.matrix.take() {
            let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
            self.parts = (translation, rotation, scale);
        }
        &mut self.parts
    }

    fn affine(&self) -> DAffine3 {
        let (translation, rotation, scale) = self.parts;
        self.matrix.unwrap_or_else(|| {
            DAffine3::from_scale_rotation_translation(scale, rotation, translation)
        })
    }
}

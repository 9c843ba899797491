//! A layer, opened: its meshes joined, and their vertices at any time, in metres, y up.

use std::path::Path;

use glam::{DMat4, DVec3};

use super::archive;
use super::binary;
use super::content::Content;
use super::layer::{Layer, Prim};
use super::mesh::{Joined, Points};
use super::track::When;
use super::transform::Transform;
use crate::animation::AnimationOptions;
use crate::attribute;
use crate::error::IoError;
use crate::format::FrameReader;
use crate::loaded::Loaded;

/// The length of a unit where a layer does not say, as USD has it \[m\].
const DEFAULT_UNIT: f64 = 0.01;
const DEFAULT_RATE: f64 = 24.0;
/// More frames than this are a mistake in a time.
const MOST_FRAMES: f64 = 1e7;

/// The meshes of a layer, and how they move.
#[derive(Debug)]
pub struct Scene {
    content: Content,
    nodes: Vec<Node>,
    meshes: Vec<Points>,
    vertices: usize,
    /// From the layer's axes and unit to ours.
    into_metres: DMat4,
    first: f64,
    last: f64,
    /// Time codes per second, and frames.
    rate: f64,
    fps: f64,
    moving: bool,
}

#[derive(Debug)]
struct Node {
    parent: Option<usize>,
    transform: Transform,
}

impl Scene {
    /// Reads a layer; also the mesh at rest.
    pub fn read(
        path: &Path,
        mut bytes: Vec<u8>,
        options: &AnimationOptions,
    ) -> Result<(Scene, Loaded), IoError> {
        if bytes.starts_with(archive::MAGIC) {
            archive::keep_layer(path, &mut bytes)?;
        }
        let (layer, tables) = if bytes.starts_with(binary::MAGIC) {
            let read = binary::read(&bytes).map_err(|problem| IoError::content(path, problem));
            read.map(|(layer, tables)| (layer, Some(tables)))?
        } else {
            (Layer::read(path, &bytes)?, None)
        };
        let content = Content { path: path.to_owned(), bytes, tables };
        let number = |name: &str| layer.number(&content, name);
        let unit = number("metersPerUnit")?.filter(|&unit| unit > 0.0);
        let z_up = layer.text(&content, "upAxis").is_some_and(|axis| axis == "Z");
        let rate = number("timeCodesPerSecond")?.or(number("framesPerSecond")?);
        let rate = rate.filter(|&rate| rate > 0.0).unwrap_or(DEFAULT_RATE);
        let (start, end) = (number("startTimeCode")?, number("endTimeCode")?);
        let mut joined = Joined::default();
        if unit.is_none() && options.unit.is_none() {
            joined.parts.notes.push("does not say its unit; USD means centimetres then".to_owned());
        }
        let scale = options.unit.or(unit).unwrap_or(DEFAULT_UNIT);
        let turn = if z_up {
            DMat4::from_rotation_x(-std::f64::consts::FRAC_PI_2)
        } else {
            DMat4::IDENTITY
        };
        let mut scene = Scene {
            nodes: Vec::new(),
            meshes: Vec::new(),
            vertices: 0,
            into_metres: exact(turn) * DMat4::from_scale(DVec3::splat(scale)),
            first: 0.0,
            last: 0.0,
            rate,
            fps: options.fps.unwrap_or(rate),
            moving: false,
            content,
        };
        for prim in &layer.prims {
            scene.add(prim, None, &mut joined)?;
        }
        scene.vertices = joined.parts.positions.len();
        scene.set_range(start, end)?;
        if !layer.elsewhere.is_empty() {
            let what = layer.elsewhere.join(", ");
            if scene.meshes.is_empty() {
                let problem = format!(
                    "its meshes are behind {what}, which are not followed here; flatten it: usdcat \
                        --flatten"
                );
                return Err(IoError::content(path, problem));
            }
            joined.parts.notes.push(format!("{what} were not followed"));
        }
        let mut parts = joined.parts;
        scene.pose(None, &mut parts.positions)?;
        parts.groups = joined.members.finish();
        parts.attributes = attribute::join(&joined.painted, scene.vertices);
        Ok((scene, parts.finish(path)?))
    }

    fn add(
        &mut self,
        prim: &Prim,
        parent: Option<usize>,
        joined: &mut Joined,
    ) -> Result<(), IoError> {
        if !prim.defined {
            return Ok(());
        }
        match prim.kind.as_str() {
            "Skeleton" | "SkelAnimation" => joined.parts.ignore("skeletons", 1),
            "PointInstancer" => joined.parts.ignore("point instancers", 1),
            _ => {}
        }
        let transform = Transform::read(&self.content, prim)?;
        self.nodes.push(Node { parent, transform });
        let node = self.nodes.len() - 1;
        if prim.kind == "Mesh" {
            self.meshes.extend(Points::read(&self.content, prim, node, joined)?);
        }
        prim.children.iter().try_for_each(|child| self.add(child, Some(node), joined))
    }

    /// Frames go from the first sample to the last, unless the layer says from where to where.
    fn set_range(&mut self, start: Option<f64>, end: Option<f64>) -> Result<(), IoError> {
        let points = self.meshes.iter().filter_map(|mesh| mesh.track.range());
        let transforms = self.nodes.iter().flat_map(|node| node.transform.ranges());
        let sampled = points.chain(transforms).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let Some((first, last)) = sampled else { return Ok(()) };
        self.moving = true;
        self.first = start.unwrap_or(first);
        self.last = end.unwrap_or(last).max(self.first);
        if self.last_frame() > MOST_FRAMES {
            let problem = format!("its animation ends at time code {}: expected less", self.last);
            return Err(IoError::content(self.content.path(), problem));
        }
        Ok(())
    }

    /// The scene as a reader of frames, if anything in it moves.
    pub fn if_animated(self) -> Option<Box<dyn FrameReader>> {
        self.moving.then(|| Box::new(self) as Box<dyn FrameReader>)
    }

    fn last_frame(&self) -> f64 {
        ((self.last - self.first) * self.fps / self.rate).round().max(0.0)
    }

    fn pose(&self, when: When, positions: &mut [DVec3]) -> Result<(), IoError> {
        // Parents come before children.
        let mut world = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let parent = node.parent.filter(|_| !node.transform.resets);
            let outer = parent.map_or(self.into_metres, |parent| world[parent]);
            world.push(outer * node.transform.matrix(&self.content, when)?);
        }
        for mesh in &self.meshes {
            let Some(out) = positions.get_mut(mesh.first..mesh.first + mesh.count) else {
                continue;
            };
            mesh.at(&self.content, when, out)?;
            let matrix: DMat4 = world[mesh.node];
            if matrix != DMat4::IDENTITY {
                out.iter_mut().for_each(|x| *x = matrix.transform_point3(*x));
            }
        }
        Ok(())
    }
}

impl FrameReader for Scene {
    fn points(&self) -> usize {
        self.vertices
    }

    fn frames(&self) -> usize {
        self.last_frame() as usize + 1
    }

    fn fps(&self) -> Option<f64> {
        Some(self.fps)
    }

    fn frame(&mut self, index: usize, positions: &mut [DVec3]) -> Result<(), IoError> {
        if index >= self.frames() || positions.len() != self.vertices {
            let problem = format!("has {} frames, frame {index} was asked for", self.frames());
            return Err(IoError::content(self.content.path(), problem));
        }
        self.pose(Some(self.first + index as f64 * self.rate / self.fps), positions)
    }
}

/// A quarter turn with its zeros and ones exact.
fn exact(turn: DMat4) -> DMat4 {
    DMat4::from_cols_array(&turn.to_cols_array().map(f64::round))
}

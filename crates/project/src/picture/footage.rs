//! A finished run of a demo, ready to be shown.

use std::path::Path;

use crate::demo::Demo;
use glam::DVec3;
use pliant_io::Pc2Reader;
use pliant_mesh::MeshError;
use pliant_model::Model;
use pliant_scene::SceneFile;
use pliant_view::{Framing, Picture};

use super::costume::{Costume, Wardrobe};
use super::props::{Prop, floor};
use super::stage::Stage;
use crate::error::ProjectError;

/// The frames of a run, its bodies in their costumes, and what stands around them.
pub struct Footage {
    pub label: String,
    pub fps: f64,
    /// Height of the floor, if the scene has one \[m\].
    pub floor: Option<f64>,
    cache: Pc2Reader,
    positions: Vec<DVec3>,
    /// Every body's first and last vertex, and what it wears.
    bodies: Vec<(std::ops::Range<usize>, Costume)>,
    props: Vec<Prop>,
}

impl Footage {
    /// Opens what a run has written into a folder.
    pub fn open(
        demo: &Demo,
        label: &str,
        scene: &SceneFile,
        model: &Model,
        folder: &Path,
        wardrobe: &mut Wardrobe,
        threads: usize,
    ) -> Result<Self, ProjectError> {
        let cache = Pc2Reader::open(&folder.join("animation.pc2"))?;
        let named =
            |error: MeshError| ProjectError::Request(format!("demo {}: {error}", demo.name));
        let mut bodies = Vec::new();
        let mut end = 0;
        for (written, body) in scene.body.iter().zip(model.bodies()) {
            let start = end;
            // What is written of a body from a surface's file is that surface.
            end += body.skin.as_ref().map_or(body.vertex_count, |s| s.corners.len());
            let vertices = start..end;
            bodies.push((vertices, wardrobe.dress(&written.mesh, body, threads).map_err(named)?));
        }
        Ok(Footage {
            label: label.to_owned(),
            fps: scene.fps,
            floor: floor(scene),
            positions: vec![DVec3::ZERO; cache.points()],
            cache,
            bodies,
            props: Prop::of(demo, scene)?,
        })
    }

    pub fn frames(&self) -> usize {
        self.cache.frames()
    }

    /// Vertices of a frame, in user order \[m\].
    pub fn positions(&mut self, frame: usize) -> Result<&[DVec3], ProjectError> {
        self.cache.frame(frame, &mut self.positions)?;
        Ok(&self.positions)
    }

    /// Bodies and props at a frame, or at the last one before the run was lost, seen on a stage.
    pub fn picture(&mut self, frame: usize, stage: &Stage) -> Result<Picture, ProjectError> {
        let frame = frame.min(self.cache.frames().saturating_sub(1));
        self.cache.frame(frame, &mut self.positions)?;
        let time = frame as f64 / self.fps;
        let worn: Vec<Vec<DVec3>> = self
            .bodies
            .iter()
            .map(|(vertices, costume)| costume.positions(&self.positions[vertices.clone()]))
            .collect();
        let moved: Vec<Vec<DVec3>> = self.props.iter().map(|prop| prop.positions(time)).collect();
        let bodies = self.bodies.iter().zip(&worn).map(|((_, costume), x)| costume.object(x));
        let props = self.props.iter().zip(&moved).map(|(prop, x)| prop.object(x));
        stage.picture(bodies.chain(props).collect())
    }

    /// Makes room for the whole motion.
    pub fn add_to(&mut self, framing: &mut Framing) -> Result<(), ProjectError> {
        for frame in (0..self.cache.frames()).step_by(4) {
            self.cache.frame(frame, &mut self.positions)?;
            framing.add(self.positions.iter().copied());
            let time = frame as f64 / self.fps;
            self.props.iter().for_each(|prop| framing.add(prop.positions(time)));
        }
        Ok(())
    }
}

//! A glTF file, opened: its mesh at rest, and its vertices at any time of a clip.

use std::path::{Path, PathBuf};

use glam::DVec3;

use super::clip::Clip;
use super::container::Container;
use super::pose::{Hierarchy, Pose};
use super::surface::Surface;
use crate::animation::AnimationOptions;
use crate::beside::Beside;
use crate::error::{IoError, Problem};
use crate::format::FrameReader;
use crate::loaded::{Loaded, Parts};

/// More frames than this are a mistake in a time.
const MOST_FRAMES: f64 = 1e7;

/// A scene, and the clip of it that is played.
#[derive(Debug)]
pub struct Scene {
    path: PathBuf,
    container: Container,
    hierarchy: Hierarchy,
    surface: Surface,
    clip: Option<Clip>,
    clips: Vec<String>,
    fps: f64,
}

impl Scene {
    /// Reads a file with the clip that is asked for, or its first; also the mesh at rest: nodes,
    /// skins and morph targets as they are without a clip.
    pub fn read(
        path: &Path,
        bytes: Vec<u8>,
        beside: Beside,
        options: &AnimationOptions,
    ) -> Result<(Scene, Loaded), IoError> {
        Self::of(path, Container::read(path, bytes, beside)?, options)
    }

    /// The same of a file, which may be larger than the memory.
    pub fn open(path: &Path, options: &AnimationOptions) -> Result<(Scene, Loaded), IoError> {
        Self::of(path, Container::open(path, Beside::Of(path))?, options)
    }

    fn of(
        path: &Path,
        container: Container,
        options: &AnimationOptions,
    ) -> Result<(Scene, Loaded), IoError> {
        let fail = |problem: Problem| IoError::content(path, problem);
        let hierarchy = Hierarchy::read(&container).map_err(fail)?;
        let mut parts = Parts::default();
        let surface = Surface::read(&container, &hierarchy, &mut parts).map_err(fail)?;
        parts.positions = vec![DVec3::ZERO; surface.vertices()];
        let rest = Pose::of(&container, &hierarchy, None);
        surface.positions(&container, &rest, &mut parts.positions);
        let animations = &container.document.animations;
        let clips: Vec<String> = (0..)
            .zip(animations)
            .map(|(i, a)| a.name.clone().unwrap_or_else(|| format!("clip {i}")))
            .collect();
        let chosen = match &options.clip {
            Some(name) => Some(find(&clips, name).map_err(fail)?),
            None => (!clips.is_empty()).then_some(0),
        };
        if clips.len() > 1 && options.clip.is_none() {
            parts.notes.push(format!(
                "has the clips {}; this is the first: --clip chooses another",
                clips.join(", ")
            ));
        }
        let targets = |node: usize| {
            let mesh = container.document.nodes.get(node).and_then(|node| node.mesh);
            let mesh = mesh.and_then(|mesh| container.document.meshes.get(mesh));
            let primitives = mesh.iter().flat_map(|mesh| &mesh.primitives);
            primitives.map(|primitive| primitive.targets.len()).max().unwrap_or(0)
        };
        let clip = chosen.map(|index| Clip::read(&container, &animations[index], targets));
        let clip = clip.transpose().map_err(|p| fail(format!("its animation: {p}").into()))?;
        let fps = options.fps.or(clip.as_ref().map(|clip| clip.fps)).unwrap_or(30.0);
        let scene =
            Scene { path: path.to_owned(), container, hierarchy, surface, clip, clips, fps };
        if scene.last_frame() > MOST_FRAMES {
            let duration = scene.clip.as_ref().map_or(0.0, |clip| clip.duration);
            return Err(fail(format!("its animation lasts {duration} s: expected less").into()));
        }
        scene.container.failure().map_or(Ok(()), Err)?;
        Ok((scene, parts.finish(path)?))
    }

    /// The scene as a reader of frames, if anything in it moves.
    pub fn if_animated(self) -> Option<Box<dyn FrameReader>> {
        self.clip.is_some().then(|| Box::new(self) as Box<dyn FrameReader>)
    }

    fn last_frame(&self) -> f64 {
        let duration = self.clip.as_ref().map_or(0.0, |clip| clip.duration);
        // To the nearest frame: the end of the clip is shown, and holds if it comes before.
        (duration * self.fps).round().max(0.0)
    }
}

impl FrameReader for Scene {
    fn points(&self) -> usize {
        self.surface.vertices()
    }

    fn frames(&self) -> usize {
        self.last_frame() as usize + 1
    }

    fn fps(&self) -> Option<f64> {
        Some(self.fps)
    }

    fn clips(&self) -> &[String] {
        &self.clips
    }

    fn frame(&mut self, index: usize, positions: &mut [DVec3]) -> Result<(), IoError> {
        if index >= self.frames() || positions.len() != self.surface.vertices() {
            let problem = format!("has {} frames, frame {index} was asked for", self.frames());
            return Err(IoError::content(&self.path, problem));
        }
        let time = index as f64 / self.fps;
        let clip = self.clip.as_ref().map(|clip| (clip, time));
        let pose = Pose::of(&self.container, &self.hierarchy, clip);
        self.surface.positions(&self.container, &pose, positions);
        self.container.failure().map_or(Ok(()), Err)
    }
}

/// The clip of this name, in any case of letters; exporters put `Armature|` before it.
fn find(clips: &[String], name: &str) -> Result<usize, Problem> {
    let short = |clip: &str| clip.rsplit('|').next().unwrap_or_default().to_lowercase();
    let ways: [&dyn Fn(&String) -> bool; 3] =
        [&|clip| clip == name, &|clip| clip.to_lowercase() == name.to_lowercase(), &|clip| {
            short(clip) == name.to_lowercase()
        }];
    let found = ways.iter().find_map(|way| clips.iter().position(way));
    let missing = || match clips {
        [] => format!("has no clip {name}: it has no animation"),
        _ => format!("has no clip {name}, expected one of {}", clips.join(", ")),
    };
    Ok(found.ok_or_else(missing)?)
}

//! Animations that are made, not read: `puppet:elephant` walks wherever an animation is asked for,
//! and `puppet:head` talks; `puppet:cube` and `puppet:bar` are treated badly.

use glam::DVec3;
use pliant_face::{Performance, Template};
use pliant_io::{AnimationOptions, Loaded};
use pliant_math::team::Team;
use pliant_mesh::Attribute;
use pliant_mesh::menagerie::Puppet;
use strsim::jaro_winkler;

use super::DEFAULT_FPS;
use super::blocks::{self, Block};
use crate::error::ProjectError;

/// Prefix of the names of generated animations.
pub const PUPPET: &str = "puppet:";
/// Motions that repeat do so until this long \[s\].
const LEAST_SECONDS: f64 = 4.4;
/// Cells along the longest side of a skin.
const RESOLUTION: usize = 56;
/// The one that is not of the menagerie.
const HEAD: &str = "head";
/// Length of the head that cells are counted along \[m\].
const HEAD_LENGTH: f64 = 0.28;
/// Cells along it, when nothing is said.
const HEAD_RESOLUTION: usize = 100;

/// The moving body.
#[derive(Debug)]
enum Actor {
    Puppet(Puppet),
    Block(Block),
    /// The template of faces, and what it says.
    Head(Box<(Template, Performance)>),
}

/// A puppet, and at what times it is looked at.
#[derive(Debug)]
pub struct Generated {
    actor: Actor,
    loaded: Loaded,
    fps: f64,
    frames: usize,
}

impl Generated {
    /// The animation named `puppet:NAME` or `puppet:NAME:RESOLUTION`; `None` for other names.
    pub fn find(
        written: &str,
        options: &AnimationOptions,
    ) -> Option<Result<Generated, ProjectError>> {
        let asked = written.strip_prefix(PUPPET)?;
        let (name, resolution) = match asked.split_once(':') {
            None if asked == HEAD => (asked, Some(HEAD_RESOLUTION)),
            None => (asked, Some(RESOLUTION)),
            Some((name, resolution)) => (name, resolution.parse().ok()),
        };
        Some(match name {
            HEAD => Generated::head(written, resolution, options),
            _ if block(name).is_some() => Generated::block(written, name, resolution, options),
            _ => Generated::new(written, name, resolution, options),
        })
    }

    /// A box that something is done to.
    fn block(
        written: &str,
        name: &str,
        resolution: Option<usize>,
        options: &AnimationOptions,
    ) -> Result<Generated, ProjectError> {
        let fps = options.fps.unwrap_or(DEFAULT_FPS);
        let (Some(block), Some(cells)) =
            (block(name), resolution.filter(|r| (2..=200).contains(r)))
        else {
            let problem = "expected puppet:NAME:RESOLUTION with 2 to 200 cells along its length";
            return Err(ProjectError::Request(format!("{written}: {problem}")));
        };
        let surface = block
            .surface(cells)
            .map_err(|error| ProjectError::Request(format!("{written}: {error}")))?;
        let frames = (blocks::SECONDS * fps).round().max(1.0) as usize;
        Ok(Generated { actor: Actor::Block(block), loaded: Loaded::from(surface), fps, frames })
    }

    /// The built-in head, which talks; what is inside of its mouth are groups.
    fn head(
        written: &str,
        resolution: Option<usize>,
        options: &AnimationOptions,
    ) -> Result<Generated, ProjectError> {
        let Some(resolution) = resolution.filter(|r| (45..=250).contains(r)) else {
            let problem = "expected puppet:head:RESOLUTION with 45 to 250 cells along its height";
            return Err(ProjectError::Request(format!("{written}: {problem}")));
        };
        let fps = options.fps.unwrap_or(DEFAULT_FPS);
        let team = Team::new(std::thread::available_parallelism().map_or(1, usize::from));
        let template = Template::built_in(HEAD_LENGTH / resolution as f64, &team)
            .map_err(|error| ProjectError::Request(format!("{written}: {error}")))?;
        let mut mesh = template.skin.mesh.clone();
        mesh.groups.extend(template.regions.iter().cloned());
        let attributes = template.skin.attributes.clone();
        let loaded = Loaded { attributes, ..Loaded::from(mesh) };
        let speech = Performance::speech(fps);
        let frames = speech.frames.len();
        Ok(Generated { actor: Actor::Head(Box::new((template, speech))), loaded, fps, frames })
    }

    fn new(
        written: &str,
        name: &str,
        resolution: Option<usize>,
        options: &AnimationOptions,
    ) -> Result<Generated, ProjectError> {
        let Some(puppet) = Puppet::named(name) else {
            let blocks = Block::ALL.iter().map(|(name, _)| *name);
            let known: Vec<_> = Puppet::names().chain([HEAD]).chain(blocks).collect();
            let alike = |other: &&&str| jaro_winkler(other, name);
            let near = known.iter().max_by(|a, b| alike(a).total_cmp(&alike(b)));
            let hint = near.map_or(String::new(), |near| format!("; did you mean puppet:{near}?"));
            let problem = format!("{written}: there is no such puppet, only {}", known.join(", "));
            return Err(ProjectError::Request(problem + &hint));
        };
        let Some(resolution) = resolution.filter(|r| (8..=400).contains(r)) else {
            let problem =
                "expected puppet:NAME:RESOLUTION with 8 to 400 cells along the longest side";
            return Err(ProjectError::Request(format!("{written}: {problem}")));
        };
        let fps = options.fps.unwrap_or(DEFAULT_FPS);
        let team = Team::new(std::thread::available_parallelism().map_or(1, usize::from));
        let skin = puppet
            .skin(resolution, &team)
            .map_err(|error| ProjectError::Request(format!("{written}: {error}")))?;
        let values = skin.colours.iter().flatten().map(|c| f64::from(*c)).collect();
        let mut loaded = Loaded::from(skin.surface);
        loaded.attributes.push(Attribute { name: Attribute::COLOR.into(), components: 3, values });
        let cycles = (LEAST_SECONDS / puppet.seconds()).ceil();
        let frames = (cycles * puppet.seconds() * fps).round() as usize;
        Ok(Generated { actor: Actor::Puppet(puppet), loaded, fps, frames: frames.max(1) })
    }

    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    pub fn fps(&self) -> f64 {
        self.fps
    }

    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Positions of a frame, from 0 \[m\].
    pub fn frame(&self, index: usize) -> Vec<DVec3> {
        match &self.actor {
            Actor::Puppet(puppet) => {
                puppet.positions(&self.loaded.mesh.positions, index as f64 / self.fps)
            }
            Actor::Block(block) => {
                block.positions(&self.loaded.mesh.positions, index as f64 / self.fps)
            }
            Actor::Head(talking) => talking.1.skin(&talking.0, index),
        }
    }
}

fn block(name: &str) -> Option<Block> {
    Block::ALL.iter().find(|(known, _)| *known == name).map(|(_, block)| *block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(written: &str) -> Result<Generated, String> {
        let found =
            Generated::find(written, &AnimationOptions::default()).expect("a puppet is asked for");
        found.map_err(|error| error.to_string())
    }

    #[test]
    fn puppets_are_animations_of_whole_cycles() {
        let bird = find("puppet:bird:16").unwrap();
        assert_eq!((bird.frames(), bird.fps()), (144, 30.0));
        let frame = bird.frame(7);
        assert_eq!(frame.len(), bird.loaded().mesh.positions.len());
        assert!(frame.iter().zip(&bird.loaded().mesh.positions).any(|(a, b)| a.distance(*b) > 0.1));
        assert!(Generated::find("bird.obj", &AnimationOptions::default()).is_none());
    }

    #[test]
    fn what_is_not_a_puppet_is_said() {
        assert!(find("puppet:elefant").unwrap_err().contains("did you mean puppet:elephant?"));
        for odd in ["puppet:bird:0", "puppet:bird:x", "puppet:bird:99999"] {
            assert!(find(odd).unwrap_err().contains("8 to 400"), "{odd}");
        }
    }
}

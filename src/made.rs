//! Animations that are made, not read: `puppet:elephant` walks wherever an animation is asked for.

use glam::DVec3;
use pliant::io::{AnimationOptions, Loaded};
use pliant::math::team::Team;
use pliant::mesh::Attribute;
use pliant::mesh::menagerie::Puppet;
use strsim::jaro_winkler;

use crate::animation::DEFAULT_FPS;
use crate::failure::Failure;

/// What such a name begins with.
pub const PUPPET: &str = "puppet:";
/// Motions that repeat do so until this long \[s\].
const LEAST_SECONDS: f64 = 4.4;
/// Cells along the longest side of a skin.
const RESOLUTION: usize = 56;

/// A puppet, and at what times it is looked at.
#[derive(Debug)]
pub struct Made {
    puppet: Puppet,
    loaded: Loaded,
    fps: f64,
    frames: usize,
}

impl Made {
    /// What `puppet:NAME` or `puppet:NAME:RESOLUTION` means; none if it is not of that form.
    pub fn find(written: &str, options: &AnimationOptions) -> Option<Result<Made, Failure>> {
        let asked = written.strip_prefix(PUPPET)?;
        let (name, resolution) = match asked.split_once(':') {
            None => (asked, Some(RESOLUTION)),
            Some((name, resolution)) => (name, resolution.parse().ok()),
        };
        Some(Made::new(written, name, resolution, options))
    }

    fn new(
        written: &str,
        name: &str,
        resolution: Option<usize>,
        options: &AnimationOptions,
    ) -> Result<Made, Failure> {
        let Some(puppet) = Puppet::named(name) else {
            let near = Puppet::names()
                .max_by(|a, b| jaro_winkler(a, name).total_cmp(&jaro_winkler(b, name)));
            let known: Vec<_> = Puppet::names().collect();
            let hint = near.map_or(String::new(), |near| format!("; did you mean puppet:{near}?"));
            let problem = format!("{written}: there is no such puppet, only {}", known.join(", "));
            return Err(Failure::usage(problem + &hint));
        };
        let Some(resolution) = resolution.filter(|r| (8..=400).contains(r)) else {
            let problem =
                "expected puppet:NAME:RESOLUTION with 8 to 400 cells along the longest side";
            return Err(Failure::usage(format!("{written}: {problem}")));
        };
        let fps = options.fps.unwrap_or(DEFAULT_FPS);
        let team = Team::new(std::thread::available_parallelism().map_or(1, usize::from));
        let skin = puppet
            .skin(resolution, &team)
            .map_err(|error| Failure::usage(format!("{written}: {error}")))?;
        let values = skin.colours.iter().flatten().map(|c| f64::from(*c)).collect();
        let mut loaded = Loaded::from(skin.surface);
        loaded.attributes.push(Attribute { name: Attribute::COLOR.into(), components: 3, values });
        let cycles = (LEAST_SECONDS / puppet.seconds()).ceil();
        let frames = (cycles * puppet.seconds() * fps).round() as usize;
        Ok(Made { puppet, loaded, fps, frames: frames.max(1) })
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
        self.puppet.positions(&self.loaded.mesh.positions, index as f64 / self.fps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(written: &str) -> Result<Made, String> {
        let found =
            Made::find(written, &AnimationOptions::default()).expect("a puppet is asked for");
        found.map_err(|failure| failure.to_string())
    }

    #[test]
    fn puppets_are_animations_of_whole_cycles() {
        let bird = find("puppet:bird:16").unwrap();
        assert_eq!((bird.frames(), bird.fps()), (144, 30.0));
        let frame = bird.frame(7);
        assert_eq!(frame.len(), bird.loaded().mesh.positions.len());
        assert!(frame.iter().zip(&bird.loaded().mesh.positions).any(|(a, b)| a.distance(*b) > 0.1));
        assert!(Made::find("bird.obj", &AnimationOptions::default()).is_none());
    }

    #[test]
    fn what_is_not_a_puppet_is_said() {
        assert!(find("puppet:elefant").unwrap_err().contains("did you mean puppet:elephant?"));
        for odd in ["puppet:bird:0", "puppet:bird:x", "puppet:bird:99999"] {
            assert!(find(odd).unwrap_err().contains("8 to 400"), "{odd}");
        }
    }
}

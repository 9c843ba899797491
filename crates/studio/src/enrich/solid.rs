//! The tets that enclose an animated surface, and the blending weights on them.

use glam::DVec3;
use pliant_enrich::blending::FrameWeights;
use pliant_enrich::project::sample_frames;
use pliant_enrich::skeleton::{Following, find, selected_or_found};
use pliant_enrich::{EmbeddedSurface, EnrichOptions, Enrichment, Project};
use pliant_math::team::Team;
use pliant_project::ProjectError;
use pliant_project::enrichment::separated_pose;

use super::piece::Piece;
use crate::error::StudioError;
use crate::opened::Opened;

/// Ω of an animation, filled at a resolution.
pub struct Solid {
    pub embedded: EmbeddedSurface,
    /// Some frames, in the input's unit.
    pub poses: Vec<Vec<DVec3>>,
    /// γ, once it was found.
    pub gamma: Option<f64>,
    unit: f64,
    /// What follows when nobody says.
    found: Option<Following>,
    threads: usize,
}

/// Weights at the beginning, from 0 (physics) to 1 (input).
pub struct Weights {
    pub surface: Vec<f64>,
    pub solid: Vec<f64>,
    /// Whether each vertex of the surface follows exactly.
    pub exact: Vec<bool>,
}

impl Solid {
    /// Fills an animation's surface, as `pliant enrich` does.
    ///
    /// # Errors
    /// When it cannot be filled.
    pub fn fill(
        piece: &Piece,
        project: &Project,
        options: &EnrichOptions,
        opened: &Opened,
    ) -> Result<Solid, StudioError> {
        let frames = sample_frames(piece.frames.len());
        let poses: Vec<Vec<DVec3>> = frames.iter().map(|k| piece.frames[*k].clone()).collect();
        let mut pose = |frame: usize| {
            let missing = || ProjectError::Request(format!("separated: there is no frame {frame}"));
            piece.frames.get(frame).cloned().ok_or_else(missing)
        };
        let locate = opened.within(&piece.folder);
        let separated = separated_pose(project, &piece.rest, &mut pose, &locate)?;
        let (unit, threads) = (piece.unit, opened.threads);
        let embedded =
            Enrichment::embed(&piece.rest, separated.as_ref(), &poses, options, threads)?;
        Ok(Solid { embedded, poses, gamma: None, unit, found: None, threads })
    }

    /// What the weights that are painted, or found, become everywhere.
    ///
    /// # Errors
    /// When the tets cannot be filled with them.
    pub fn weigh(&mut self, options: &EnrichOptions, density: f64) -> Result<Weights, StudioError> {
        let team = Team::new(self.threads);
        let named;
        let following = match (&options.exact, &mut self.found) {
            (None, Some(found)) => &*found,
            (None, found) => {
                let scale = |pose: &Vec<DVec3>| pose.iter().map(|x| *x * self.unit).collect();
                let scaled: Vec<Vec<DVec3>> = self.poses.iter().map(scale).collect();
                &*found.insert(find(&self.embedded, &scaled, &team)?)
            }
            (exact, _) => {
                named = selected_or_found(&self.embedded, exact.as_deref(), &[], &team)?;
                &named
            }
        };
        let masses = self.embedded.masses(density);
        let mut weighed = FrameWeights::new(&self.embedded, following, &masses, options)?;
        weighed.update(following, options, 0.0);
        let hanging = self.embedded.held_by(&following.exact);
        let is_tracked = |v: usize| match &options.tracked {
            None => true,
            Some(tracked) => tracked.binary_search(&(v as u32)).is_ok(),
        };
        Ok(Weights {
            surface: weighed.on_surface(&self.embedded),
            exact: hanging.iter().enumerate().map(|(v, own)| *own && is_tracked(v)).collect(),
            solid: weighed.weights,
        })
    }
}

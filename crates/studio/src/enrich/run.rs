//! An enrichment under way, one frame at a time.

use std::time::Instant;

use glam::DVec3;
use pliant_enrich::project::ResolvedProject;
use pliant_enrich::{Measures, Project};
use pliant_project::enrichment::{FilledSurface, Prepared, contact_objects, settle};
use serde_json::{Value, json};

use super::piece::Piece;
use super::solid::Solid;
use crate::error::StudioError;
use crate::opened::Opened;
use crate::outlet::Outlet;

/// Rounds that a loop is expected to take, for the progress bar.
const ROUNDS: f64 = 5.0;

/// An enrichment that goes on.
pub struct Run {
    prepared: Prepared,
    /// Frames done.
    pub done: usize,
    measures: Measures,
    began: Instant,
}

/// The user has cancelled the work.
struct Cancelled;

impl Run {
    /// Prepares the first frame; `None` when the user has cancelled.
    ///
    /// # Errors
    /// When the project asks for a missing file, or the tets cannot be simulated.
    pub fn begin(
        piece: &Piece,
        project: &Project,
        mut asked: ResolvedProject,
        solid: &mut Solid,
        (opened, outlet): (&Opened, &Outlet),
    ) -> Result<Option<Run>, StudioError> {
        if !outlet.progress("Fitting the tets to a few frames", 0.1) {
            return Ok(None);
        }
        let began = Instant::now();
        asked.options.gamma = asked.options.gamma.or(solid.gamma);
        let objects = contact_objects(project, piece.scale(), &opened.within(&piece.folder))?;
        let (embedded, rest) = (solid.embedded.clone(), &piece.rest.positions[..]);
        let surface = FilledSurface { embedded, rest, poses: &solid.poses };
        let mut prepared = Prepared::on(surface, project, asked, objects, opened.threads)?;
        solid.gamma = Some(prepared.enrichment.gamma());
        if project.is_loop && !close_loop(&mut prepared, piece, outlet) {
            return Ok(None);
        }
        let measures = Measures::new(&piece.rest);
        Ok(Some(Run { prepared, done: 0, measures, began }))
    }

    /// The next frame, in the input's unit; `None` after the last.
    pub fn advance(&mut self, piece: &Piece) -> Option<Vec<DVec3>> {
        let input = piece.frames.get(self.done)?;
        self.done += 1;
        let mut output = input.clone();
        let next = piece.frames.get(self.done).map(Vec::as_slice);
        let enrichment = &mut self.prepared.enrichment;
        enrichment.frame(&mut output, next);
        self.measures.add(input, &output, enrichment.is_exact());
        Some(output)
    }

    /// Distance of each frame from the input, relative to the mesh's size.
    pub fn motion(&self) -> &[f64] {
        self.measures.per_frame()
    }

    /// The report of the frames so far.
    pub fn report(&self) -> Value {
        let warnings: Vec<String> = self.prepared.warnings.iter().map(|w| sentence(w)).collect();
        json!({
            "frames": self.done,
            "gamma": self.prepared.enrichment.gamma(),
            "motionAdded": self.measures.motion_added(),
            "motionMost": self.measures.most_motion,
            "followError": self.measures.follow_error,
            "spikes": self.measures.spikes,
            "seconds": self.began.elapsed().as_secs_f64(),
            "warnings": warnings,
        })
    }
}

/// Closes the loop of the animation; `false` when the user has cancelled.
fn close_loop(prepared: &mut Prepared, piece: &Piece, outlet: &Outlet) -> bool {
    let size = piece.rest.bounds().map_or(1.0, |b| b.size().max_element());
    let closure = settle(&mut prepared.enrichment, (piece.frames.len(), size), &mut |k, rounds| {
        let label = format!("Going round until the loop closes: round {}", rounds.ceil());
        match rounds == 0.0 || outlet.progress(&label, 1.0 - (-rounds / ROUNDS).exp()) {
            true => Ok(piece.frames[k].clone()),
            false => Err(Cancelled),
        }
    });
    let Ok(closure) = closure else { return false };
    prepared.warnings.extend(closure.warning.map(str::to_owned));
    true
}

/// A warning as the page shows it, with a capital letter and a full stop.
fn sentence(warning: &str) -> String {
    let mut letters = warning.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

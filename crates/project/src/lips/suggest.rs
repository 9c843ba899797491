//! The frames of a capture that are most worth correcting.

use glam::DVec3;
use pliant_lips::{LipModel, Suggester, Suggestion};
use pliant_math::team::Team;

use crate::driver::Watch;
use crate::error::ProjectError;

/// Chooses `count` frames; each shows most that is new after those before it. The model is taught
/// them as they were captured.
///
/// # Errors
/// When a frame cannot be read, or the caller stops.
pub fn suggest(
    model: &mut LipModel,
    count: usize,
    frames: usize,
    mut read: impl FnMut(usize) -> Result<Vec<DVec3>, ProjectError>,
    (threads, watch): (usize, &mut Watch<'_>),
) -> Result<Vec<Suggestion>, ProjectError> {
    let team = Team::new(threads);
    let mut found: Vec<Suggestion> = Vec::new();
    for pass in 0..count {
        let (mut suggester, mut work) = (Suggester::default(), model.workspace(team.size()));
        for frame in 0..frames {
            suggester.watch(frame, &model.look(&read(frame)?, &mut work, &team));
            if watch.progress("frames", pass * frames + frame + 1, count * frames) {
                return Err(ProjectError::Stopped("no frame was suggested".to_owned()));
            }
        }
        let Some(next) = suggester.suggestion() else { break };
        if found.iter().any(|known| known.frame == next.frame) || next.score <= 0.0 {
            break;
        }
        let captured = read(next.frame)?;
        model.add(next.frame, &captured, &captured)?;
        found.push(next);
    }
    Ok(found)
}

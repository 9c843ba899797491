//! An enrichment at work, a frame at a time.

use std::time::Instant;

use glam::DVec3;
use pliant_enrich::pipeline::Cycle;
use pliant_enrich::project::{ObjectMesh, SoftMaterial};
use pliant_enrich::project::{ResolvedProject, simulation_options};
use pliant_enrich::simulation::{ContactObject, rigid_motion};
use pliant_enrich::{EmbeddedSurface, Enrichment, Measures, Project, SimulationOptions};
use pliant_io::{Animation, read_mesh};
use pliant_math::team::Team;
use pliant_mesh::Mesh;
use pliant_mesh::menagerie::Creature;
use serde_json::{Value, json};

use super::piece::Piece;
use super::solid::Solid;
use crate::error::StudioError;
use crate::opened::Opened;
use crate::outlet::Outlet;

/// Rounds of a loop that are expected, for how far it is.
const ROUNDS: f64 = 5.0;

/// An enrichment that goes on.
pub struct Run {
    enrichment: Enrichment,
    /// Frames done.
    pub done: usize,
    measures: Measures,
    began: Instant,
    warnings: Vec<String>,
}

/// Somebody has asked for it to stop.
struct Cancelled;

impl Run {
    /// Ready for the first frame; `None` when somebody has cancelled it.
    ///
    /// # Errors
    /// When the project asks for what is not there.
    pub fn begin(
        piece: &Piece,
        project: &Project,
        asked: ResolvedProject,
        solid: &mut Solid,
        (opened, outlet): (&Opened, &Outlet),
    ) -> Result<Option<Run>, StudioError> {
        if !outlet.progress("Fitting the tets to a few frames", 0.1) {
            return Ok(None);
        }
        let began = Instant::now();
        let ResolvedProject { mut options, regions } = asked;
        options.gamma = options.gamma.or(solid.gamma);
        let objects = objects(project, piece, opened)?;
        let flesh = |bound: &EmbeddedSurface| SimulationOptions {
            objects,
            ..simulation_options(project, &regions, bound)
        };
        let (embedded, rest) = (solid.embedded.clone(), &piece.rest.positions);
        let made = Enrichment::on(embedded, rest, &solid.poses, options, flesh, opened.threads);
        let mut enrichment = made?;
        solid.gamma = Some(enrichment.gamma());
        let mut warnings = Vec::new();
        if enrichment.neutral_pose().is_some() {
            let warning =
                "Parts of the rest mesh nearly touch: the shape of another frame is neutral.";
            warnings.push(warning.to_owned());
        }
        if project.is_loop && !settle(&mut enrichment, piece, outlet, &mut warnings) {
            return Ok(None);
        }
        let measures = Measures::new(&piece.rest);
        Ok(Some(Run { enrichment, done: 0, measures, began, warnings }))
    }

    /// The next frame, in the input's unit; `None` after the last.
    pub fn advance(&mut self, piece: &Piece) -> Option<Vec<DVec3>> {
        let input = piece.frames.get(self.done)?;
        self.done += 1;
        let mut output = input.clone();
        let next = piece.frames.get(self.done).map(Vec::as_slice);
        self.enrichment.frame(&mut output, next);
        self.measures.add(input, &output, self.enrichment.is_exact());
        Some(output)
    }

    /// How far each frame is from the input, relative to the mesh's size.
    pub fn motion(&self) -> &[f64] {
        self.measures.per_frame()
    }

    /// What is known of it by now.
    pub fn report(&self) -> Value {
        json!({
            "frames": self.done,
            "gamma": self.enrichment.gamma(),
            "motionAdded": self.measures.motion_added(),
            "motionMost": self.measures.most_motion,
            "followError": self.measures.follow_error,
            "spikes": self.measures.spikes,
            "seconds": self.began.elapsed().as_secs_f64(),
            "warnings": self.warnings,
        })
    }
}

/// Goes round until the end of the animation meets its beginning; `false` when that was cancelled.
fn settle(
    enrichment: &mut Enrichment,
    piece: &Piece,
    outlet: &Outlet,
    warnings: &mut Vec<String>,
) -> bool {
    let size = piece.rest.bounds().map_or(1.0, |b| b.size().max_element());
    let count = piece.frames.len();
    let mut read = |k: usize| Ok::<_, Cancelled>(piece.frames[k].clone());
    let Ok(Some(cycle)) = Cycle::of(count, size, &mut read) else {
        warnings.push("A loop needs two frames that differ: simulated as it is.".to_owned());
        return true;
    };
    if cycle.jumps {
        let warning =
            "The last frame is far from the first: what swings is pushed where the loop closes.";
        warnings.push(warning.to_owned());
    }
    let mut seen = 0.0;
    let mut read = |k: usize| {
        seen += 1.0;
        let rounds: f64 = seen / cycle.period as f64;
        let label = format!("Going round until the loop closes: round {}", rounds.ceil());
        match outlet.progress(&label, 1.0 - (-rounds / ROUNDS).exp()) {
            true => Ok(piece.frames[k].clone()),
            false => Err(Cancelled),
        }
    };
    enrichment.settle(cycle.period, &mut read).is_ok()
}

/// What a project says that the body meets \[m\].
fn objects(
    project: &Project,
    piece: &Piece,
    opened: &Opened,
) -> Result<Vec<ContactObject>, StudioError> {
    let find = |file: &str| opened.find(&format!("{}{file}", piece.folder));
    let mut objects = Vec::new();
    for met in &project.objects {
        let mut surface = match &met.mesh {
            ObjectMesh::File(file) => read_mesh(&find(file)?)?.mesh,
            ObjectMesh::Shape { shape, resolution } => creature(shape, *resolution as usize)?,
        };
        met.place.apply(&mut surface.positions);
        surface.positions.iter_mut().for_each(|x| *x *= piece.unit);
        let motion = match (&met.cache, &met.mesh) {
            (Some(cache), ObjectMesh::File(file)) => {
                let pair = format!("{}+{}", find(file)?.display(), find(cache)?.display());
                let mut animation = Animation::open(&pair)?;
                let mut frames = vec![surface.positions.clone(); animation.frame_count()];
                for (k, frame) in frames.iter_mut().enumerate() {
                    animation.read_frame(k, frame)?;
                    frame.iter_mut().for_each(|x| *x *= piece.unit);
                }
                Some(rigid_motion(&surface.positions, &frames, piece.fps))
            }
            _ => None,
        };
        objects.push(match met.soft {
            None => ContactObject::Rigid { surface, motion },
            Some(SoftMaterial { young, poisson, density, velocity }) => {
                let velocity = DVec3::from_array(velocity);
                ContactObject::Soft { surface, young, poisson, density, velocity }
            }
        });
    }
    Ok(objects)
}

fn creature(shape: &str, resolution: usize) -> Result<Mesh, StudioError> {
    let missing = || StudioError::refused(format!("contact.object: there is no shape `{shape}`."));
    let creature = Creature::named(shape).ok_or_else(missing)?;
    let skin = creature.skin(resolution, &Team::new(1));
    let named = |error| StudioError::refused(format!("contact.object: {error}"));
    Ok(skin.map_err(named)?.surface)
}

//! Lips: a captured performance, a few frames corrected by drawing, and all others after them.

mod shown;
mod take;
mod teacher;

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::DVec3;
use pliant_lips::sketch::{Camera, Contours, SketchOptions, SketchReport, sketch};
use pliant_math::team::Team;
use pliant_mesh::Mesh;
use pliant_project::ProjectError;
use pliant_project::lips::{write_corrected_frame, write_model};
use pliant_project::saved::{SavedFiles, animation_outputs, write_animation};
use serde::Deserialize;
use serde_json::{Value, json};

use self::take::{Source, Take, folders, library};
use self::teacher::{Teacher, Training};
use crate::error::StudioError;
use crate::history::History;
use crate::opened::Opened;
use crate::outlet::Outlet;
use crate::session::{Desk, Heard, Wait};

/// Changes that can be undone.
const UNDO: usize = 100;

/// What pages ask for.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Command {
    Open {
        source: Source,
    },
    Run {
        on: bool,
    },
    Seek {
        frame: usize,
    },
    /// A contour on the frame that is looked at: `camera` and `points` (pixels) as `pliant lips
    /// sketch` has them, `handles` the places that were dragged to, for the page to find again.
    Draw {
        camera: Value,
        points: Vec<[f64; 2]>,
        closed: bool,
        handles: Vec<[f64; 3]>,
        ended: bool,
    },
    /// No contour.
    Discard,
    /// The frame as drawn joins those that are learned from.
    Add,
    /// The frame as it really was does, where that is known.
    Truth,
    Remove {
        frame: usize,
    },
    /// Corrected frames, the model and the performance, into the performance's folder; `over` what
    /// is there.
    Save {
        over: bool,
    },
    /// `model`, for the page to take.
    Make {
        what: String,
    },
    Undo,
    Redo,
}

/// A contour, and what it makes of the lips.
struct Drawn {
    frame: usize,
    closed: bool,
    handles: Vec<[f64; 3]>,
    positions: Vec<DVec3>,
    report: SketchReport,
}

/// What undo goes back to.
#[derive(Clone)]
struct Moment {
    source: Source,
    training: Training,
    drawn: Option<Arc<Drawn>>,
}

struct Room<'a> {
    opened: &'a Opened,
    outlet: &'a Outlet,
    take: Take,
    teacher: Teacher,
    now: Moment,
    history: History<Moment>,
    cursor: usize,
    running: bool,
    generation: u64,
    due: Instant,
    /// Corrected frames that are in files as they are here.
    kept: Training,
    saved: SavedFiles,
}

/// The place's loop.
pub fn work(desk: &Desk) -> Result<(), StudioError> {
    let (opened, outlet) = (&*desk.opened, &*desk.outlet);
    outlet.retain_json("library", &library(opened));
    let own = folders(opened).into_iter().next().map(Source::Folder);
    let (mut room, mut failure) = (None, None);
    for source in own.into_iter().chain([Source::BuiltIn]) {
        if room.is_none() {
            match Room::open(opened, outlet, &source, 1) {
                Ok(found) => room = found,
                Err(error) => failure = Some(error),
            }
        }
    }
    if let Some(error) = failure {
        outlet.fail(&error.to_string());
    }
    loop {
        let wait = match &room {
            Some(room) if room.running && desk.is_watched() => Wait::Until(room.due),
            _ => Wait::Forever,
        };
        match desk.hear(wait) {
            Heard::Closed => return Ok(()),
            Heard::Nothing => {}
            Heard::Command(command) => {
                // Of a line that is being dragged, only the last counts.
                let mut next = Some(command);
                while let Some(command) = next {
                    next = match desk.hear(Wait::No) {
                        Heard::Command(command) => Some(command),
                        Heard::Nothing => None,
                        Heard::Closed => return Ok(()),
                    };
                    let is_drawing = |command: &Value| command["do"] == "draw";
                    let is_passed = is_drawing(&command)
                        && command["ended"] == false
                        && next.as_ref().is_some_and(is_drawing);
                    if !is_passed && let Err(error) = obey(&mut room, command, opened, outlet) {
                        outlet.complain(&error.to_string());
                    }
                }
            }
        }
        if let Some(room) = &mut room
            && room.running
            && desk.is_watched()
            && Instant::now() >= room.due
        {
            room.play();
        }
    }
}

fn obey<'a>(
    room: &mut Option<Room<'a>>,
    command: Value,
    opened: &'a Opened,
    outlet: &'a Outlet,
) -> Result<(), StudioError> {
    let command: Command = serde_json::from_value(command)
        .map_err(|error| StudioError::refused(format!("Lips does not know that: {error}.")))?;
    match (room, command) {
        (room, Command::Open { source }) => {
            let generation = room.as_ref().map_or(0, |room| room.generation) + 1;
            if let Some(mut found) = Room::open(opened, outlet, &source, generation)? {
                if let Some(room) = room {
                    found.history = std::mem::replace(&mut room.history, History::new(UNDO));
                    found.history.note("performance", &room.now, true);
                    found.tell();
                }
                *room = Some(found);
            }
            Ok(())
        }
        (Some(room), command) => room.obey(command),
        _ => Err(StudioError::refused("No performance is open: choose one.")),
    }
}

impl<'a> Room<'a> {
    /// `None` when somebody has cancelled it.
    fn open(
        opened: &'a Opened,
        outlet: &'a Outlet,
        source: &Source,
        generation: u64,
    ) -> Result<Option<Room<'a>>, StudioError> {
        outlet.begin_work();
        let made = || -> Result<Option<(Take, Teacher)>, StudioError> {
            let Some(take) = Take::open(opened, source, outlet)? else { return Ok(None) };
            let teacher = Teacher::new(&take, opened.threads, outlet)?;
            Ok(teacher.map(|teacher| (take, teacher)))
        };
        let made = made();
        outlet.end_work();
        let Some((mut take, teacher)) = made? else {
            outlet.complain("The performance was not opened: cancelled.");
            return Ok(None);
        };
        let corrected = std::mem::take(&mut take.corrected).into_iter();
        let training: Training =
            corrected.map(|(frame, positions)| (frame, Arc::new(positions))).collect();
        let mut room = Room {
            opened,
            outlet,
            take,
            teacher,
            kept: training.clone(),
            now: Moment { source: source.clone(), training, drawn: None },
            history: History::new(UNDO),
            cursor: 0,
            running: false,
            generation,
            due: Instant::now(),
            saved: SavedFiles::default(),
        };
        room.present();
        room.learn()?;
        Ok(Some(room))
    }

    fn obey(&mut self, command: Command) -> Result<(), StudioError> {
        match command {
            Command::Open { .. } => {}
            Command::Run { on } => (self.running, self.due) = (on, Instant::now()),
            Command::Seek { frame } => {
                self.cursor = frame.min(self.take.frames.len() - 1);
                self.running = false;
                self.show();
            }
            Command::Draw { camera, points, closed, handles, ended } => {
                self.running = false;
                let drawn = self.drawn(&camera, &points, closed, handles)?;
                self.history.note("contour", &self.now, ended);
                self.now.drawn = Some(Arc::new(drawn));
                self.show();
            }
            Command::Discard => {
                self.history.note("discarding", &self.now, true);
                self.now.drawn = None;
                self.show();
            }
            Command::Add => {
                let Some(drawn) = self.now.drawn.clone() else {
                    return Err(StudioError::refused("Nothing is drawn: drag the line first."));
                };
                let mut next = Moment { drawn: None, ..self.now.clone() };
                next.training.insert(drawn.frame, Arc::new(drawn.positions.clone()));
                self.change("adding a frame", next)?;
            }
            Command::Truth => {
                let truth = self.take.truth.as_ref().map(|truth| truth[self.cursor].clone());
                let Some(truth) = truth else {
                    return Err(StudioError::refused("Nobody knows how this frame really was."));
                };
                let mut next = self.now.clone();
                next.training.insert(self.cursor, Arc::new(truth));
                self.change("adding a frame", next)?;
            }
            Command::Remove { frame } => {
                let mut next = self.now.clone();
                if next.training.remove(&frame).is_none() {
                    let sentence =
                        format!("Frame {frame} is not among those that are learned from.");
                    return Err(StudioError::refused(sentence));
                }
                self.change("removing a frame", next)?;
            }
            Command::Save { over } => {
                let files = match self.save(over) {
                    Err(StudioError::Project(ProjectError::Exists { path })) => {
                        let file = path.file_name().unwrap_or_default().to_string_lossy();
                        self.outlet.say(json!({ "kind": "exists", "file": file }));
                        return Ok(());
                    }
                    files => files?,
                };
                let is_left = |frame: &&usize| !self.now.training.contains_key(frame);
                let left: Vec<String> =
                    self.kept.keys().filter(is_left).map(usize::to_string).collect();
                let mut sentence =
                    format!("Saved {files} corrected frames, mouth.lips and corrected.pc2.");
                if !left.is_empty() {
                    sentence +=
                        &format!(" Still in fix/, but not learned from: {}.", left.join(", "));
                }
                self.outlet.say(json!({ "kind": "saved", "sentence": sentence }));
            }
            Command::Make { what } if what == "model" => {
                let path = self.opened.downloads().new_file("mouth.lips")?;
                write_model(&path, self.teacher.model())?;
                self.outlet.say(json!({ "kind": "made", "file": "mouth.lips" }));
            }
            Command::Make { .. } => return Err(StudioError::refused("Expected `model`.")),
            Command::Undo | Command::Redo => {
                let other = match command {
                    Command::Undo => self.history.undo(&self.now),
                    _ => self.history.redo(&self.now),
                };
                if let Some((_, moment)) = other {
                    let is_other = moment.source != self.now.source;
                    if is_other && !self.reopen(&moment.source)? {
                        return Ok(());
                    }
                    let is_taught = is_other || moment.training != self.now.training;
                    self.now = moment;
                    if let Some(drawn) = &self.now.drawn {
                        self.cursor = drawn.frame;
                    }
                    if is_taught {
                        self.learn()?;
                    }
                    self.show();
                }
            }
        }
        self.tell();
        Ok(())
    }

    /// Another performance, with what can be undone here; `false` when that was cancelled.
    fn reopen(&mut self, source: &Source) -> Result<bool, StudioError> {
        let generation = self.generation + 1;
        let found = Room::open(self.opened, self.outlet, source, generation)?;
        let Some(mut found) = found else { return Ok(false) };
        found.history = std::mem::replace(&mut self.history, History::new(UNDO));
        *self = found;
        Ok(true)
    }

    /// Takes over another set of corrected frames, if something can be learned from it.
    fn change(&mut self, what: &str, next: Moment) -> Result<(), StudioError> {
        let before = std::mem::replace(&mut self.now, next);
        if let Err(error) = self.learn() {
            self.now = before;
            self.learn()?;
            return Err(error);
        }
        self.history.note(what, &before, true);
        self.tell();
        Ok(())
    }

    fn learn(&mut self) -> Result<(), StudioError> {
        self.outlet.begin_work();
        let learned = self.teacher.learn(&self.take, &self.now.training, self.outlet);
        self.outlet.end_work();
        learned?;
        self.present_curves();
        self.show();
        self.tell();
        Ok(())
    }

    /// What a contour makes of the frame that is looked at.
    fn drawn(
        &mut self,
        camera: &Value,
        points: &[[f64; 2]],
        closed: bool,
        handles: Vec<[f64; 3]>,
    ) -> Result<Drawn, StudioError> {
        let camera = Camera::parse(&camera.to_string())?;
        let line = json!({ "points": points, "closed": closed, "loop": self.take.ring });
        let contours = Contours::parse(&line.to_string())?;
        let positions = self.teacher.corrected(&self.take.frames[self.cursor]);
        let shape = Mesh { positions, ..self.take.rest.mesh.clone() };
        let team = Team::new(self.opened.threads);
        let options = SketchOptions::default();
        let inner = &self.take.inner;
        let (positions, report) = sketch(&shape, inner, &camera, &contours, options, &team)?;
        Ok(Drawn { frame: self.cursor, closed, handles, positions, report })
    }

    /// Writes what `pliant lips` reads, and the corrected performance; returns how many frames were
    /// corrected.
    fn save(&mut self, over: bool) -> Result<usize, StudioError> {
        let Source::Folder(folder) = &self.take.source else {
            let sentence = "What is built in has no folder: download the model instead.";
            return Err(StudioError::refused(sentence));
        };
        if !self.teacher.has_learned() {
            return Err(StudioError::refused("Nothing is corrected yet."));
        }
        let project = self.opened.project()?;
        let model = project.new_file(&format!("{folder}mouth.lips"))?;
        let cache = model.with_file_name("corrected.pc2");
        let count = self.take.frames.len();
        let mut files = vec![model.clone()];
        files.extend(animation_outputs(&cache, count));
        self.saved.check(&files, &self.take.inputs, over)?;
        let fix = project.new_folder(&format!("{folder}fix"))?;
        let rest = &self.take.rest;
        for (frame, positions) in &self.now.training {
            // A frame that was read from a file and has not changed is not written again.
            if !self.kept.get(frame).is_some_and(|kept| Arc::ptr_eq(kept, positions)) {
                write_corrected_frame(&fix, rest, *frame, positions.to_vec())?;
            }
        }
        write_model(&model, self.teacher.model())?;
        let (teacher, captured) = (&mut self.teacher, &self.take.frames);
        let corrected = |k: usize| Ok(teacher.corrected(&captured[k]));
        write_animation(&cache, rest.clone(), self.take.fps, count, corrected)?;
        self.saved.extend(files);
        self.kept.extend(self.now.training.clone());
        Ok(self.now.training.len())
    }

    /// The next frame, when it is time for it.
    fn play(&mut self) {
        self.cursor = (self.cursor + 1) % self.take.frames.len();
        self.show();
        let frame = Duration::from_secs_f64(1.0 / self.take.fps.clamp(1.0, 240.0));
        self.due = (self.due + frame).max(Instant::now() - frame);
    }
}

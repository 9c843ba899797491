//! Enrich: physics for a finished animation, guided by what is painted on its surface.

mod export;
mod paint;
mod piece;
mod run;
mod settings;
mod shown;
mod solid;

use std::time::{Duration, Instant};

use glam::DVec3;
use pliant_enrich::Project;
use pliant_project::ProjectError;
use pliant_project::saved::SavedFiles;
use serde::Deserialize;
use serde_json::Value;

use self::export::{Export, file_name};
use self::paint::{Brush, Paint};
use self::piece::{Piece, Source, built_in, first, library};
use self::run::Run;
use self::settings::{Settings, project_text};
use self::solid::{Solid, Weights};
use crate::error::StudioError;
use crate::history::History;
use crate::opened::Opened;
use crate::outlet::Outlet;
use crate::session::{Desk, Heard, Wait};

/// Changes that can be undone.
const UNDO: usize = 200;
/// Weights that take longer to be filled in wait until a stroke has ended.
const PROMPT: Duration = Duration::from_millis(250);

/// What pages ask for.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Command {
    /// Another animation.
    Open {
        source: Source,
    },
    /// Some settings; `what` is what undo calls it.
    Set {
        change: Value,
        what: String,
        ended: bool,
    },
    /// Some vertices, in a stroke that goes on until it has ended.
    Paint {
        vertices: Vec<u32>,
        brush: Brush,
        what: String,
        ended: bool,
    },
    /// What follows is found again.
    FindFollow,
    /// The enrichment itself.
    Enrich,
    /// No more of it; what there is stays.
    Stop,
    /// Plays the animation, and what has come of it.
    Run {
        on: bool,
    },
    Seek {
        frame: usize,
    },
    /// Project and result, into the opened folder; `over` what is there already.
    Save {
        name: String,
        format: String,
        over: bool,
    },
    /// `project` or `result`, for the page to take.
    Make {
        what: String,
        format: String,
    },
    /// What there is to choose from, looked at again.
    List,
    Undo,
    Redo,
}

/// What undo goes back to.
#[derive(Clone, PartialEq)]
struct Moment {
    settings: Settings,
    paint: Paint,
}

/// An animation as it was opened.
struct Piled {
    piece: Piece,
    /// What its project says.
    written: Moment,
    project: Project,
}

struct Room<'a> {
    opened: &'a Opened,
    outlet: &'a Outlet,
    pile: Piled,
    now: Moment,
    history: History<Moment>,
    /// The tets, and the resolution that they were asked for with.
    solid: Option<(Solid, Option<u32>)>,
    weights: Option<Weights>,
    /// What these are of, and how long they took.
    weighed: Option<Moment>,
    took: Duration,
    run: Option<Run>,
    /// What came of the last run, and of what.
    result: Vec<Vec<DVec3>>,
    result_of: Option<Moment>,
    /// How far each of its frames is from the input, relative to the mesh's size.
    motion: Vec<f64>,
    report: Value,
    cursor: usize,
    running: bool,
    /// Whether the newest frame of a run is shown as it comes.
    follows_run: bool,
    generation: u64,
    due: Instant,
    saved: SavedFiles,
}

/// The place's loop.
pub fn work(desk: &Desk) -> Result<(), StudioError> {
    let (opened, outlet) = (&*desk.opened, &*desk.outlet);
    outlet.retain_json("library", &library(opened));
    let (mut room, mut failure) = (None, None);
    for source in [first(opened), built_in(opened)].into_iter().flatten() {
        if room.is_none() {
            match Room::open(opened, outlet, &source) {
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
            Some(room) if room.run.is_some() => Wait::No,
            Some(room) if room.running && desk.is_watched() => Wait::Until(room.due),
            _ => Wait::Forever,
        };
        match desk.hear(wait) {
            Heard::Closed => return Ok(()),
            Heard::Nothing => {}
            Heard::Command(command) => {
                // All that waits is done before anything is filled: a stroke fills once.
                let mut next = Some(command);
                while let Some(command) = next {
                    if let Err(error) = obey(&mut room, command, opened, outlet) {
                        outlet.complain(&error.to_string());
                    }
                    next = match desk.hear(Wait::No) {
                        Heard::Command(command) => Some(command),
                        Heard::Nothing => None,
                        Heard::Closed => return Ok(()),
                    };
                }
                if let Some(room) = &mut room {
                    room.refresh();
                }
            }
        }
        if let Some(room) = &mut room {
            room.go_on();
            if room.running && desk.is_watched() && Instant::now() >= room.due {
                room.play();
            }
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
        .map_err(|error| StudioError::refused(format!("Enrich does not know that: {error}.")))?;
    match (room, command) {
        (_, Command::List) => {
            outlet.retain_json("library", &library(opened));
            Ok(())
        }
        (Some(room), command) => room.obey(command),
        (room, Command::Open { source }) => {
            *room = Room::open(opened, outlet, &source)?;
            Ok(())
        }
        _ => Err(StudioError::refused("No animation is open: choose one, or open a file.")),
    }
}

/// Reads an animation; `None` when that was cancelled.
fn opened_piece(
    opened: &Opened,
    outlet: &Outlet,
    source: &Source,
) -> Result<Option<Piled>, StudioError> {
    outlet.begin_work();
    outlet.progress("Reading the animation", 0.0);
    let piece = Piece::open(opened, source, outlet);
    outlet.end_work();
    let Some(piece) = piece? else {
        outlet.complain("The animation was not opened: cancelled.");
        return Ok(None);
    };
    let project = parsed(&piece, &piece.table.to_string())?;
    let asked = piece.asked(&project, opened)?;
    let written = Moment {
        settings: Settings::of(source.clone(), &project),
        paint: Paint::of(&asked, piece.rest.positions.len()),
    };
    Ok(Some(Piled { piece, written, project }))
}

fn parsed(piece: &Piece, text: &str) -> Result<Project, StudioError> {
    let about = |error| StudioError::refused(format!("{}: {error}", piece.source.name()));
    Project::parse(text).map_err(about)
}

impl<'a> Room<'a> {
    fn open(
        opened: &'a Opened,
        outlet: &'a Outlet,
        source: &Source,
    ) -> Result<Option<Room<'a>>, StudioError> {
        let Some(pile) = opened_piece(opened, outlet, source)? else { return Ok(None) };
        let mut room = Room {
            opened,
            outlet,
            now: pile.written.clone(),
            pile,
            history: History::new(UNDO),
            solid: None,
            weights: None,
            weighed: None,
            took: Duration::ZERO,
            run: None,
            result: Vec::new(),
            result_of: None,
            motion: Vec::new(),
            report: Value::Null,
            cursor: 0,
            running: true,
            follows_run: false,
            generation: 0,
            due: Instant::now(),
            saved: SavedFiles::default(),
        };
        room.enter();
        Ok(Some(room))
    }

    /// Shows an animation that was just opened.
    fn enter(&mut self) {
        self.generation += 1;
        (self.solid, self.weights, self.weighed, self.run) = (None, None, None, None);
        (self.result, self.result_of, self.report) = (Vec::new(), None, Value::Null);
        self.motion.clear();
        self.cursor = 0;
        self.outlet.forget("failure");
        self.present();
        self.tell();
        self.show();
        self.refresh();
    }

    fn obey(&mut self, command: Command) -> Result<(), StudioError> {
        match command {
            Command::Open { source } => {
                if let Some(pile) = opened_piece(self.opened, self.outlet, &source)? {
                    self.history.note("animation", &self.now, true);
                    self.now = pile.written.clone();
                    self.pile = pile;
                    self.enter();
                }
            }
            Command::Set { change, what, ended } => {
                let settings = self.now.settings.changed(&change)?;
                self.history.note(&what, &self.now, ended);
                self.now.settings = settings;
            }
            Command::Paint { vertices, brush, what, ended } => {
                let Some(weights) = &self.weights else {
                    return Err(StudioError::refused("There are no tets to paint on."));
                };
                let mut paint = self.now.paint.clone();
                paint.stroke(&vertices, brush, &weights.exact)?;
                self.history.note(&what, &self.now, ended);
                self.now.paint = paint;
            }
            Command::FindFollow => {
                self.history.note("what follows", &self.now, true);
                self.now.paint.find_follow();
            }
            Command::Enrich => self.begin()?,
            Command::Stop => self.end(),
            Command::Run { on } => {
                (self.running, self.due) = (on, Instant::now());
                self.follows_run = false;
            }
            Command::Seek { frame } => {
                self.cursor = frame.min(self.pile.piece.frames.len() - 1);
                (self.running, self.follows_run) = (false, false);
                self.show();
            }
            Command::Save { name, format, over } => {
                let text = self.text();
                let export = Export { piece: &self.pile.piece, text: &text, result: &self.result };
                match export.save((&name, &format), over, self.opened, &mut self.saved) {
                    Err(StudioError::Project(ProjectError::Exists { path })) => {
                        shown::exists(self.outlet, &file_name(&path));
                    }
                    files => shown::saved(self.outlet, &files?),
                }
                self.outlet.retain_json("library", &library(self.opened));
            }
            Command::Make { what, format } => {
                let text = self.text();
                let export = Export { piece: &self.pile.piece, text: &text, result: &self.result };
                shown::made(self.outlet, &export.make(&what, &format, self.opened)?);
            }
            Command::List => {}
            Command::Undo | Command::Redo => {
                let other = match command {
                    Command::Undo => self.history.undo(&self.now),
                    _ => self.history.redo(&self.now),
                };
                if let Some((_, moment)) = other {
                    self.go_to(moment)?;
                }
            }
        }
        self.tell();
        Ok(())
    }

    fn go_to(&mut self, moment: Moment) -> Result<(), StudioError> {
        if moment.settings.source != self.now.settings.source {
            let source = &moment.settings.source;
            let Some(pile) = opened_piece(self.opened, self.outlet, source)? else { return Ok(()) };
            self.pile = pile;
            self.now = moment;
            self.enter();
        } else {
            self.now = moment;
        }
        Ok(())
    }

    /// The project that says what is set and painted.
    fn text(&self) -> String {
        let Piled { piece, written, project } = &self.pile;
        let now = (&self.now.settings, &self.now.paint);
        project_text(&piece.table, now, (&written.settings, &written.paint, project))
    }

    /// Fills in tets and weights where what is set or painted asks for others.
    fn refresh(&mut self) {
        if let Err(error) = self.fill().and_then(|()| self.weigh()) {
            self.outlet.complain(&error.to_string());
            // What cannot be had is taken back, if there was anything before it.
            if let Some(before) = self.weighed.clone() {
                self.now = before;
            }
        }
        self.tell();
    }

    fn fill(&mut self) -> Result<(), StudioError> {
        let cells = self.now.settings.resolution;
        let is_filled = self.solid.as_ref().is_some_and(|(_, own)| *own == cells);
        if is_filled || self.history.is_open() && self.solid.is_some() {
            return Ok(());
        }
        let project = parsed(&self.pile.piece, &self.text())?;
        let options = self.pile.piece.asked(&project, self.opened)?.options;
        self.outlet.begin_work();
        self.outlet.progress("Filling it with tets", 0.4);
        let solid = Solid::fill(&self.pile.piece, &project, &options, self.opened);
        self.outlet.end_work();
        self.solid = Some((solid?, cells));
        (self.weights, self.run) = (None, None);
        self.present_solid();
        Ok(())
    }

    fn weigh(&mut self) -> Result<(), StudioError> {
        let Some((solid, _)) = &mut self.solid else { return Ok(()) };
        let is_weighed = self.weighed.as_ref() == Some(&self.now) && self.weights.is_some();
        if is_weighed {
            return Ok(());
        }
        let waits = self.history.is_open() && self.took > PROMPT && self.weights.is_some();
        if !waits {
            let clock = Instant::now();
            let Piled { piece, written, project } = &self.pile;
            let now = (&self.now.settings, &self.now.paint);
            let before = (&written.settings, &written.paint, project);
            let project = parsed(piece, &project_text(&piece.table, now, before))?;
            let asked = piece.asked(&project, self.opened)?;
            self.weights = Some(solid.weigh(&asked.options, project.density)?);
            self.weighed = Some(self.now.clone());
            self.took = clock.elapsed();
        }
        self.present_paint();
        Ok(())
    }

    /// Begins to enrich.
    fn begin(&mut self) -> Result<(), StudioError> {
        let project = parsed(&self.pile.piece, &self.text())?;
        let asked = self.pile.piece.asked(&project, self.opened)?;
        let Some((solid, _)) = &mut self.solid else {
            return Err(StudioError::refused("There are no tets to simulate."));
        };
        self.outlet.begin_work();
        let around = (self.opened, self.outlet);
        let run = Run::begin(&self.pile.piece, &project, asked, solid, around);
        self.outlet.end_work();
        self.run = run?;
        if self.run.is_some() {
            (self.result, self.report, self.motion) = (Vec::new(), Value::Null, Vec::new());
            self.result_of = Some(self.now.clone());
            (self.running, self.follows_run) = (false, true);
        }
        Ok(())
    }

    /// A frame more, where an enrichment goes on.
    fn go_on(&mut self) {
        let Some(run) = &mut self.run else { return };
        self.result.extend(run.advance(&self.pile.piece));
        self.motion = run.motion().to_vec();
        let is_done = self.result.len() >= self.pile.piece.frames.len();
        if self.follows_run {
            self.cursor = self.result.len().saturating_sub(1);
            self.show();
        }
        if is_done {
            self.end();
            (self.cursor, self.running, self.due) = (0, true, Instant::now());
        }
        self.tell();
    }

    /// Ends an enrichment that goes on; what it has done stays.
    fn end(&mut self) {
        if let Some(run) = self.run.take() {
            self.report = run.report();
            self.follows_run = false;
            self.show();
        }
    }

    /// The next frame, when it is time for it.
    fn play(&mut self) {
        self.cursor = (self.cursor + 1) % self.pile.piece.frames.len();
        self.show();
        let frame = Duration::from_secs_f64(1.0 / self.pile.piece.fps.clamp(1.0, 240.0));
        self.due = (self.due + frame).max(Instant::now() - frame);
    }
}

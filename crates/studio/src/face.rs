//! Face: expressions, muscles, and what is done to them.

mod head;
mod seen;
mod settings;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pliant_face::performance::PerformanceFrame;
use pliant_face::{AnimatedFrame, Animator, Ensemble, FaceModel, Performance};
use pliant_io::read_mesh;
use pliant_project::ProjectError;
use pliant_project::performance::{OpenedEffects, parse_performance};
use serde::Deserialize;
use serde_json::{Value, json};

use self::head::Heads;
use self::seen::{Muscles, distances};
use self::settings::{FPS, Settings};
use crate::error::StudioError;
use crate::history::History;
use crate::outlet::Message;
use crate::packet::Packet;
use crate::session::{Desk, Heard, Wait};

/// Changes that can be undone.
const UNDO: usize = 200;
/// A face that moved less than this in a frame (m), as often as this, is at rest.
const STILL: (f64, u32) = (2e-6, 4);
/// A face that is behind its pace by more than this is not hurried after it.
const LATE: Duration = Duration::from_millis(200);
/// Built-in words, said at so many frames per second.
const SPEECH: &str = "speech";

/// What pages ask for.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Command {
    /// Some settings; `what` is what undo calls it.
    Set {
        change: Value,
        what: String,
        ended: bool,
    },
    /// All sliders to where they were at first.
    Neutral,
    /// Weights over time, from a file of the project, an uploaded one, or built in.
    Load {
        file: String,
    },
    Unload,
    Run {
        on: bool,
    },
    Seek {
        frame: usize,
    },
    /// How far two meshes of the same vertices are from each other.
    Compare {
        target: String,
        result: String,
    },
    /// The face again.
    Face,
    Undo,
    Redo,
}

/// What happens next.
enum Next {
    /// The same face, simulated otherwise.
    Simulation,
    /// Another face.
    Face,
    Closed,
}

struct Room<'a> {
    desk: &'a Desk,
    settings: Settings,
    /// What was last simulated with.
    built: Settings,
    history: History<Settings>,
    /// Name, and weights over time.
    performance: Option<(String, Performance)>,
    cursor: usize,
    running: bool,
    generation: u64,
}

/// The place's loop.
pub fn work(desk: &Desk) -> Result<(), StudioError> {
    let mut heads = Heads::default();
    let first = desk.opened.first().filter(|file| file.ends_with(".face")).map(str::to_owned);
    let settings = Settings { face: first, ..Settings::default() };
    let mut room = Room {
        desk,
        built: settings.clone(),
        settings,
        history: History::new(UNDO),
        performance: None,
        cursor: 0,
        running: false,
        generation: 0,
    };
    loop {
        let file = room.settings.face.clone();
        let face = match heads.open(file.as_deref(), &desk.opened, &desk.outlet) {
            Ok(Some(face)) => face,
            Ok(None) => {
                desk.outlet.complain(
                    "There is no face: its making was cancelled. Reload the page to make it.",
                );
                match room.idle() {
                    Next::Closed => return Ok(()),
                    _ => continue,
                }
            }
            Err(error) => {
                desk.outlet.complain(&error.to_string());
                room.settings.face = None;
                if file.is_none() {
                    return Err(error);
                }
                continue;
            }
        };
        loop {
            match room.animate(&face)? {
                Next::Simulation => {}
                Next::Face => break,
                Next::Closed => return Ok(()),
            }
        }
    }
}

impl Room<'_> {
    /// Waits until somebody comes, or asks for another face.
    fn idle(&mut self) -> Next {
        loop {
            match self.desk.hear(Wait::Forever) {
                Heard::Closed => return Next::Closed,
                Heard::Nothing if self.desk.is_watched() => return Next::Face,
                Heard::Nothing => {}
                Heard::Command(command) => {
                    if let Err(error) = self.obey(command, None) {
                        self.desk.outlet.complain(&error.to_string());
                    }
                    if self.settings.face.is_some() {
                        return Next::Face;
                    }
                }
            }
        }
    }

    /// Simulates a face with what is set, until something is set that asks for another simulation.
    fn animate(&mut self, face: &Arc<FaceModel>) -> Result<Next, StudioError> {
        let sliders = Performance {
            fps: FPS,
            shapes: face.playable().into_iter().map(str::to_owned).collect(),
            muscles: face.muscles.iter().map(|muscle| muscle.name.clone()).collect(),
            frames: Vec::new(),
        };
        let mut animator = match self.simulation(face, &sliders) {
            Ok(animator) => animator,
            Err(error) if self.built != self.settings => {
                self.desk.outlet.complain(&error.to_string());
                self.settings = self.built.clone();
                self.tell();
                return Ok(Next::Simulation);
            }
            Err(error) => return Err(error),
        };
        self.built = self.settings.clone();
        let ensemble = Ensemble::new(face, false);
        let muscles = Muscles::new(face);
        self.present(face, &ensemble, &muscles);
        let (mut due, mut still) = (Instant::now(), 0);
        let mut last: Option<Vec<glam::DVec3>> = None;
        loop {
            let is_busy = (self.running || still < STILL.1) && self.desk.is_watched();
            let wait = if is_busy { Wait::Until(due) } else { Wait::Forever };
            match self.desk.hear(wait) {
                Heard::Closed => return Ok(Next::Closed),
                Heard::Nothing => {}
                Heard::Command(command) => {
                    still = 0;
                    if let Err(error) = self.obey(command, Some(face)) {
                        self.desk.outlet.complain(&error.to_string());
                    }
                    if self.settings.face != self.built.face {
                        return Ok(Next::Face);
                    }
                    // Sliders that ask for another simulation are waited for.
                    if !self.settings.builds_as(&self.built) && self.is_settled() {
                        return Ok(Next::Simulation);
                    }
                    continue;
                }
            }
            if !self.desk.is_watched() || Instant::now() < due {
                continue;
            }
            let clock = Instant::now();
            let animated = animator.frame(&self.frame(&sliders));
            let milliseconds = 1e3 * clock.elapsed().as_secs_f64();
            let all = ensemble.at(&animated);
            let moved = last.as_ref().map_or(f64::INFINITY, |last| {
                all.iter().zip(last).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
            });
            still = if moved < STILL.0 { still + 1 } else { 0 };
            self.show(&animator, &animated, &all, &muscles, milliseconds);
            last = Some(all);
            // Quick frames make up for slow ones.
            due += Duration::from_secs_f64(1.0 / FPS);
            if clock.saturating_duration_since(due) > LATE {
                due = clock;
            }
        }
    }

    fn simulation<'f>(
        &self,
        face: &'f FaceModel,
        sliders: &Performance,
    ) -> Result<Animator<'f>, StudioError> {
        let outlet = &self.desk.outlet;
        outlet.begin_work();
        outlet.progress("Preparing the flesh", 0.3);
        let made = || -> Result<Animator<'f>, StudioError> {
            let no_files = |file: &str| Err(ProjectError::Outside(file.to_owned()));
            let (name, text) = (Path::new("effects"), self.settings.effects());
            let effects = OpenedEffects::parse(name, &text, face, &no_files)?;
            let world = effects.world(face, FPS)?;
            let options = self.settings.options(self.desk.opened.threads);
            let altered = (&effects.alteration, 0.0);
            Ok(Animator::in_world(face, sliders, &options, altered, &world)?)
        };
        let made = made();
        outlet.end_work();
        made
    }

    fn obey(&mut self, command: Value, face: Option<&FaceModel>) -> Result<(), StudioError> {
        let command: Command = serde_json::from_value(command)
            .map_err(|error| StudioError::refused(format!("Face does not know that: {error}.")))?;
        match command {
            Command::Set { change, what, ended } => {
                let next = self.settings.changed(&change)?;
                self.history.note(&what, &self.settings, ended);
                self.settings = next;
            }
            Command::Neutral => {
                self.history.note("neutral", &self.settings, true);
                let face = self.settings.face.take();
                self.settings = Settings { face, ..Settings::default() };
            }
            Command::Load { file } => {
                let face = face.ok_or_else(|| StudioError::refused("There is no face yet."))?;
                let performance = self.read_performance(&file, face)?;
                self.performance = Some((file, performance));
                (self.cursor, self.running) = (0, true);
            }
            Command::Unload => (self.performance, self.running) = (None, false),
            Command::Run { on } => self.running = on && self.performance.is_some(),
            Command::Seek { frame } => self.cursor = frame,
            Command::Compare { target, result } => self.compare(&target, &result)?,
            Command::Face => {
                self.desk.outlet.forget("fit");
                self.desk.outlet.say(json!({ "kind": "face" }));
            }
            Command::Undo | Command::Redo => {
                let other = match command {
                    Command::Undo => self.history.undo(&self.settings),
                    _ => self.history.redo(&self.settings),
                };
                if let Some((_, settings)) = other {
                    self.settings = settings;
                }
            }
        }
        self.tell();
        Ok(())
    }

    /// Whether no slider is being dragged.
    fn is_settled(&self) -> bool {
        !self.history.is_open()
    }

    fn read_performance(&self, file: &str, face: &FaceModel) -> Result<Performance, StudioError> {
        if file == SPEECH {
            return Ok(Performance::speech(FPS));
        }
        let text = self.desk.opened.text(file)?;
        Ok(parse_performance(file.as_ref(), &text, face, None)?)
    }

    /// What the sliders ask for, and the performance beside them, a frame further.
    fn frame(&mut self, sliders: &Performance) -> PerformanceFrame {
        let of = |names: &[String], values: &std::collections::BTreeMap<String, f64>| -> Vec<f64> {
            names.iter().map(|name| values.get(name).copied().unwrap_or(0.0)).collect()
        };
        let mut frame = PerformanceFrame {
            weights: of(&sliders.shapes, &self.settings.shapes),
            contractions: of(&sliders.muscles, &self.settings.muscles),
            head: self.settings.head.map(f64::to_radians),
            ..PerformanceFrame::default()
        };
        let Some((_, performance)) = &self.performance else { return frame };
        let count = performance.frames.len().max(1);
        self.cursor %= count;
        if let Some(played) = performance.frames.get(self.cursor) {
            let add = |all: &mut [f64], names: &[String], own: &[String], values: &[f64]| {
                for (name, value) in own.iter().zip(values) {
                    if let Some(k) = names.iter().position(|known| known == name) {
                        all[k] += value;
                    }
                }
            };
            add(&mut frame.weights, &sliders.shapes, &performance.shapes, &played.weights);
            add(
                &mut frame.contractions,
                &sliders.muscles,
                &performance.muscles,
                &played.contractions,
            );
            (0..3).for_each(|k| frame.head[k] += played.head[k]);
            (frame.place, frame.eyes) = (played.place, played.eyes);
        }
        if self.running {
            self.cursor = (self.cursor + 1) % count;
        }
        frame
    }

    fn compare(&mut self, target: &str, result: &str) -> Result<(), StudioError> {
        let read = |name: &str| -> Result<_, StudioError> {
            Ok(read_mesh(&self.desk.opened.find(name)?)?.mesh)
        };
        let (aim, got) = (read(target)?, read(result)?);
        if aim.positions.len() != got.positions.len() || got.positions.is_empty() {
            return Err(StudioError::refused(format!(
                "{target} has {} vertices and {result} has {}: expected the same mesh twice.",
                aim.positions.len(),
                got.positions.len()
            )));
        }
        let (errors, mean, most) = distances(&aim.positions, &got.positions);
        let positions = got.positions.iter().flat_map(|x| x.to_array()).map(|x| x as f32);
        let packet = Packet::new("fit")
            .with("target", target)
            .with("result", result)
            .with("mean", mean)
            .with("most", most)
            .counts("triangles", got.triangles.iter().flatten().copied())
            .floats("positions", positions)
            .floats("errors", errors);
        self.desk.outlet.retain("fit", Message::Binary(packet.bytes()));
        Ok(())
    }

    /// Everything that a page needs to begin with.
    fn present(&mut self, face: &FaceModel, ensemble: &Ensemble, muscles: &Muscles) {
        self.generation += 1;
        let outlet = &self.desk.outlet;
        let rest = &ensemble.rest;
        let colours = rest.attributes.first().map_or(&[][..], |colour| &colour.values);
        let parts: Vec<Value> = rest
            .mesh
            .groups
            .iter()
            .filter(|group| {
                ["skin", "eye_left", "eye_right", "upper_teeth", "lower_teeth"]
                    .contains(&group.name.as_str())
            })
            .map(|group| json!([group.name, group.vertices.first(), group.vertices.len()]))
            .collect();
        let packet = Packet::new("mesh")
            .with("generation", self.generation)
            .with("parts", parts)
            .with("skin", face.skin.mesh.positions.len())
            .counts("triangles", rest.mesh.triangles.iter().flatten().copied())
            .floats("rest", rest.mesh.positions.iter().flat_map(|x| x.to_array()).map(|x| x as f32))
            .floats("colours", colours.iter().map(|c| *c as f32))
            .counts("pieces", muscles.pieces.iter().copied())
            .counts("muscleOf", muscles.muscle_of.iter().copied());
        outlet.retain("mesh", Message::Binary(packet.bytes()));
        let opened = &self.desk.opened;
        let shapes = face.playable();
        let names: Vec<&String> = face.muscles.iter().map(|muscle| &muscle.name).collect();
        let regions: Vec<&String> = face.regions.iter().map(|region| &region.name).collect();
        outlet.retain_json(
            "library",
            &json!({
                "kind": "library",
                "name": face.name,
                "shapes": shapes,
                "muscles": names,
                "regions": regions,
                "tets": face.solid.tets.len(),
                "faces": opened.files(&["face"]),
                "performances": opened.files(&["csv", "json"]),
                "meshes": opened.files(&["obj", "ply"]),
            }),
        );
        self.tell();
    }

    fn show(
        &self,
        animator: &Animator,
        animated: &AnimatedFrame,
        all: &[glam::DVec3],
        muscles: &Muscles,
        milliseconds: f64,
    ) {
        let report = &animated.report;
        let simulation = animator.simulation();
        let packet = Packet::new("frame")
            .with("number", self.desk.outlet.next_number())
            .with("generation", self.generation)
            .with("cursor", self.cursor)
            .with("milliseconds", milliseconds)
            .with("iterations", report.iterations)
            .with("residual", report.residual)
            .with("penetration", 1e3 * report.max_penetration)
            .with("jaw", json!([animated.jaw.open, animated.jaw.turn]))
            .floats("positions", all.iter().flat_map(|x| x.to_array()).map(|x| x as f32))
            .floats("activation", muscles.activation(simulation))
            .floats("courses", muscles.courses(simulation, animated))
            .floats("strains", animated.strains.iter().map(|s| *s as f32));
        self.desk.outlet.show(packet.bytes());
    }

    fn tell(&self) {
        let [undo, redo] = self.history.offers();
        let performance = self
            .performance
            .as_ref()
            .map(|(name, own)| json!({ "name": name, "frames": own.frames.len(), "fps": own.fps }));
        self.desk.outlet.retain_json(
            "state",
            &json!({
                "kind": "state",
                "settings": self.settings,
                "performance": performance,
                "running": self.running,
                "undo": undo,
                "redo": redo,
            }),
        );
    }
}

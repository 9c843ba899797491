//! Play: any scene, by one method or two side by side, to be pulled at while it moves.

mod lane;
mod settings;
mod shown;
mod stage;
mod words;

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::DVec3;
use pliant_sim::State;
use serde::Deserialize;
use serde_json::{Value, json};

use self::lane::{Lane, Sample};
use self::settings::{Settings, Source};
use self::stage::{Stage, first_scene, flagship, library};
use crate::error::StudioError;
use crate::history::History;
use crate::opened::Opened;
use crate::outlet::{Message, Outlet};
use crate::packet::Packet;
use crate::session::{Desk, Heard, Wait};

/// A frame shows at least so much of the scene's time \[s\].
const FRAME: f64 = 1.0 / 60.0;
/// Nobody waits longer than this for a frame that has a step to show.
const BUSY: Duration = Duration::from_millis(12);
/// Samples that a page which comes later sees in its plots, and how often these are laid out.
const KEPT_SAMPLES: usize = 600;
const KEEP_EVERY: u32 = 30;
/// Changes that can be undone.
const UNDO: usize = 60;
/// Of these, the last so many remember where everything was.
const UNDO_STATES: usize = 8;
/// A scene that is behind its pace by more than this is not hurried after it.
const LATE: Duration = Duration::from_millis(200);

/// What pages ask for.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Command {
    /// Another scene.
    Open {
        scene: Source,
    },
    /// Some settings; `what` is what undo calls it.
    Set {
        change: Value,
        what: String,
        ended: bool,
    },
    Run {
        on: bool,
    },
    Step,
    Reset,
    /// A vertex as shown.
    Grab {
        vertex: usize,
    },
    /// From where it was taken \[m\]; frames tell the number of the last that they show.
    Drag {
        by: [f64; 3],
        #[serde(default)]
        number: u64,
    },
    Release,
    Undo,
    Redo,
}

/// What undo goes back to.
#[derive(Clone)]
struct Moment {
    settings: Settings,
    /// States and time, where these changed.
    states: Option<Arc<(Vec<State>, f64)>>,
}

struct Play<'a> {
    opened: &'a Opened,
    outlet: &'a Outlet,
    settings: Settings,
    stage: Stage,
    lanes: Vec<Lane>,
    /// What lanes were built with.
    built: Settings,
    running: bool,
    generation: u64,
    history: History<Moment>,
    samples: Vec<Vec<Sample>>,
    frames_since_kept: u32,
    /// The last motion of the hand.
    dragged: u64,
    due: Instant,
}

/// The place's loop.
pub fn work(desk: &Desk) -> Result<(), StudioError> {
    let (opened, outlet) = (&*desk.opened, &*desk.outlet);
    outlet.retain_json("library", &library(opened));
    let first = first_scene(opened)?;
    let mut play = match Play::open(opened, outlet, first.clone()) {
        Ok(play) => play,
        // A file that is no scene is for another place, perhaps.
        Err(error) => {
            let flagship = flagship(opened)?;
            if first == flagship {
                return Err(error);
            }
            outlet.fail(&error.to_string());
            Play::open(opened, outlet, flagship)?
        }
    };
    loop {
        let is_moving = play.running && desk.is_watched();
        let wait = if is_moving { Wait::Until(play.due) } else { Wait::Forever };
        match desk.hear(wait) {
            Heard::Closed => return Ok(()),
            Heard::Command(command) => {
                // All that waits is done before anything is built: a slider that is dragged builds
                // once.
                let mut next = Some(command);
                while let Some(command) = next {
                    if let Err(error) = play.obey(command) {
                        outlet.complain(&error.to_string());
                    }
                    next = match desk.hear(Wait::No) {
                        Heard::Command(command) => Some(command),
                        Heard::Nothing => None,
                        Heard::Closed => return Ok(()),
                    };
                }
                if let Err(error) = play.rebuild() {
                    outlet.complain(&error.to_string());
                }
            }
            Heard::Nothing => {}
        }
        if play.running && desk.is_watched() && Instant::now() >= play.due {
            play.advance();
        }
    }
}

impl<'a> Play<'a> {
    fn open(opened: &'a Opened, outlet: &'a Outlet, scene: Source) -> Result<Self, StudioError> {
        outlet.begin_work();
        outlet.progress("Opening the scene", 0.1);
        let stage = Stage::open(opened, &scene);
        outlet.end_work();
        let stage = stage?;
        let settings = Settings::of_scene(scene, &stage.method, stage.scene.step_seconds());
        let mut lanes = stage.lanes(&settings, opened.threads)?;
        lanes.iter_mut().for_each(|lane| lane.warm(settings.step));
        let built = settings.clone();
        let mut play = Play {
            opened,
            outlet,
            settings,
            stage,
            lanes,
            built,
            running: true,
            generation: 0,
            history: History::new(UNDO),
            samples: Vec::new(),
            frames_since_kept: 0,
            dragged: 0,
            due: Instant::now(),
        };
        play.present();
        Ok(play)
    }

    fn obey(&mut self, command: Value) -> Result<(), StudioError> {
        let command: Command = serde_json::from_value(command)
            .map_err(|error| StudioError::refused(format!("Play does not know that: {error}.")))?;
        match command {
            Command::Open { scene } => {
                let stage = self.load(&scene)?;
                self.outlet.forget("failure");
                let before = self.moment(true);
                self.note("scene", &before, true);
                let step = stage.scene.step_seconds();
                self.settings = Settings::of_scene(scene, &stage.method, step);
                self.enter(stage)?;
            }
            Command::Set { change, what, ended } => {
                if change.get("scene").is_some() {
                    return Err(StudioError::refused("A scene is opened, not set."));
                }
                let next = self.settings.changed(&change)?;
                let before = self.moment(false);
                self.note(&what, &before, ended);
                self.settings = next;
                self.tell();
            }
            Command::Run { on } => {
                self.running = on;
                self.due = Instant::now();
                self.tell();
            }
            Command::Step => {
                self.running = false;
                self.rebuild()?;
                self.advance();
                self.tell();
            }
            Command::Reset => {
                let before = self.moment(true);
                self.note("reset", &before, true);
                for lane in &mut self.lanes {
                    lane.release();
                    let state = State::initial(lane.model());
                    lane.restore(&state, 0.0);
                }
                self.samples.iter_mut().for_each(Vec::clear);
                self.present();
            }
            Command::Grab { vertex } => {
                let before = self.moment(true);
                self.note("pull", &before, true);
                let around = self.stage.shown.around(vertex);
                let grip = self.settings.grip;
                self.lanes.iter_mut().for_each(|lane| lane.grab(&around, grip));
                self.tell();
            }
            Command::Drag { by, number } => {
                self.dragged = number;
                let by = DVec3::from_array(by);
                self.lanes.iter_mut().for_each(|lane| lane.drag(by));
            }
            Command::Release => {
                self.lanes.iter_mut().for_each(Lane::release);
                self.tell();
            }
            Command::Undo | Command::Redo => {
                let now = self.moment(true);
                let other = match command {
                    Command::Undo => self.history.undo(&now),
                    _ => self.history.redo(&now),
                };
                if let Some((_, moment)) = other {
                    self.go_to(&moment)?;
                }
            }
        }
        Ok(())
    }

    fn note(&mut self, what: &str, before: &Moment, ended: bool) {
        self.history.note(what, before, ended);
        self.history.lighten(UNDO_STATES, |moment| moment.states = None);
    }

    fn moment(&self, with_states: bool) -> Moment {
        let states = with_states.then(|| {
            let states = self.lanes.iter().map(|lane| lane.moment().0).collect();
            Arc::new((states, self.lanes.first().map_or(0.0, Lane::time)))
        });
        Moment { settings: self.settings.clone(), states }
    }

    fn go_to(&mut self, moment: &Moment) -> Result<(), StudioError> {
        let is_other = moment.settings.scene != self.settings.scene;
        let stage = if is_other { Some(self.load(&moment.settings.scene)?) } else { None };
        self.settings = moment.settings.clone();
        match stage {
            Some(stage) => self.enter(stage)?,
            None => self.rebuild()?,
        }
        if let Some(states) = &moment.states {
            let (states, time) = &**states;
            for (lane, state) in self.lanes.iter_mut().zip(states) {
                lane.release();
                lane.restore(state, *time);
            }
            self.samples.iter_mut().for_each(Vec::clear);
            self.present();
        }
        self.tell();
        Ok(())
    }

    fn load(&self, scene: &Source) -> Result<Stage, StudioError> {
        self.outlet.begin_work();
        self.outlet.progress("Opening the scene", 0.1);
        let stage = Stage::open(self.opened, scene);
        let goes_on = self.outlet.progress("Opening the scene", 0.6);
        self.outlet.end_work();
        if goes_on {
            stage
        } else {
            Err(StudioError::refused("The scene was not opened: cancelled."))
        }
    }

    /// What settings ask for, factored and ready.
    fn prepared(&self, stage: &Stage) -> Result<Vec<Lane>, StudioError> {
        self.outlet.begin_work();
        self.outlet.progress("Preparing the bodies", 0.4);
        let lanes = stage.lanes(&self.settings, self.opened.threads);
        self.outlet.end_work();
        lanes
    }

    /// Another scene takes the place of the one that is open.
    fn enter(&mut self, stage: Stage) -> Result<(), StudioError> {
        let mut lanes = self.prepared(&stage)?;
        lanes.iter_mut().for_each(|lane| lane.warm(self.settings.step));
        (self.lanes, self.stage) = (lanes, stage);
        self.built = self.settings.clone();
        self.samples.clear();
        self.present();
        Ok(())
    }

    /// Builds what settings ask for, if that is not what there is; goes back to that if it cannot
    /// be built.
    fn rebuild(&mut self) -> Result<(), StudioError> {
        if !self.settings.builds_as(&self.built) {
            let mut lanes = match self.prepared(&self.stage) {
                Ok(lanes) => lanes,
                Err(error) => {
                    self.settings = self.built.clone();
                    self.tell();
                    return Err(error);
                }
            };
            let is_split = lanes.len() != self.lanes.len();
            for (k, lane) in lanes.iter_mut().enumerate() {
                if let Some(old) = self.lanes.get(k).or(self.lanes.first()) {
                    lane.take_over(old);
                }
                lane.warm(self.settings.step);
            }
            self.lanes = lanes;
            self.built = self.settings.clone();
            if is_split {
                self.samples.truncate(self.lanes.len());
                self.present();
            }
        }
        let wind = DVec3::from_array(self.settings.wind);
        self.lanes.iter_mut().for_each(|lane| lane.wind = wind);
        Ok(())
    }

    /// A frame: as many steps as it takes, in all lanes; fewer where these take long.
    fn advance(&mut self) {
        let begun = Instant::now();
        let h = self.settings.step;
        let most = if self.running { (FRAME / h - 1e-6).ceil().max(1.0) as u32 } else { 1 };
        self.samples.resize(self.lanes.len(), Vec::new());
        let mut steps = 0;
        while steps < most && (steps == 0 || begun.elapsed() < BUSY) {
            for (lane, samples) in self.lanes.iter_mut().zip(&mut self.samples) {
                samples.push(lane.step(h));
            }
            steps += 1;
        }
        for samples in &mut self.samples {
            let beyond = samples.len().saturating_sub(KEPT_SAMPLES);
            samples.drain(..beyond);
        }
        self.show(steps as usize);
        let length = match self.settings.pace {
            0.0 => 0.0,
            pace => f64::from(steps) * h / pace,
        };
        self.due += Duration::from_secs_f64(length);
        if begun.saturating_duration_since(self.due) > LATE || self.settings.pace == 0.0 {
            self.due = Instant::now();
        }
    }

    /// Everything that a page needs to begin with, and the frame that there is.
    fn present(&mut self) {
        self.generation += 1;
        let name = &self.stage.scene.name;
        let mesh = self.stage.shown.packet(self.generation, name, self.lanes.len());
        let mesh = mesh.with("stands", self.lanes.first().is_some_and(Lane::stands));
        self.outlet.retain("mesh", Message::Binary(mesh.bytes()));
        self.keep_samples();
        self.tell();
        self.show(0);
    }

    fn show(&mut self, new_samples: usize) {
        let number = self.outlet.next_number();
        let mut packet = Packet::new("frame")
            .with("number", number)
            .with("generation", self.generation)
            .with("dragged", self.dragged)
            .with("time", self.lanes.first().map_or(0.0, Lane::time));
        let samples: Vec<Value> = self
            .samples
            .iter()
            .map(|lane| lane[lane.len().saturating_sub(new_samples)..].iter().map(told).collect())
            .collect();
        packet = packet.with("samples", samples);
        let (mut user, mut shown) = (Vec::new(), Vec::new());
        for (k, lane) in self.lanes.iter().enumerate() {
            lane.positions(&mut user);
            self.stage.shown.positions(&user, &mut shown);
            packet = packet.floats(&format!("positions{k}"), shown.iter().copied());
        }
        if let Some(lane) = self.lanes.first() {
            packet = packet.floats("poses", lane.poses());
        }
        self.outlet.show(packet.bytes());
        self.frames_since_kept += 1;
        if self.frames_since_kept >= KEEP_EVERY {
            self.keep_samples();
        }
    }

    /// The plots of whoever comes later.
    fn keep_samples(&mut self) {
        self.frames_since_kept = 0;
        let lanes = self.samples.iter().map(|lane| lane.iter().map(told).collect::<Value>());
        let message = json!({ "kind": "samples", "lanes": lanes.collect::<Value>() });
        self.outlet.keep("samples", Message::Text(message.to_string()));
    }

    fn tell(&self) {
        let [undo, redo] = self.history.offers();
        let model = self.lanes.first().map(Lane::model);
        self.outlet.retain_json(
            "state",
            &json!({
                "kind": "state",
                "settings": self.settings,
                "running": self.running,
                "undo": undo,
                "redo": redo,
                "vertices": model.map(pliant_model::Model::vertex_count),
                "elements": model.map(pliant_model::Model::element_count),
                "held": self.lanes.iter().any(Lane::is_held),
            }),
        );
    }
}

/// A sample as the page has it: time, kinetic, potential, target, momenta, milliseconds, iterations
/// of both, and whether anything gave way.
fn told(sample: &Sample) -> Value {
    let Sample { time, kinetic, potential, target, linear, angular, .. } = *sample;
    let numbers = [time, kinetic, potential, target, linear, angular, sample.milliseconds];
    let counts = [sample.iterations, sample.corrections, u32::from(sample.gave_way)];
    numbers.iter().map(|n| json!(n)).chain(counts.iter().map(|n| json!(n))).collect()
}

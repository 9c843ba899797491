//! What a place tells its pages: messages that all of them get, things that whoever comes later
//! gets, too, and frames, of which only the latest counts.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use axum::body::Bytes;
use glam::DVec3;
use pliant_project::ProjectError;
use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};

use crate::error::StudioError;

/// Messages that a page may be behind by, before it is told everything anew.
const BACKLOG: usize = 256;
/// Positions of all frames of an animation: some 800 MB.
const MOST_POSITIONS: usize = 32 << 20;

/// A message, shared by all pages.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// JSON.
    Text(String),
    /// A [`crate::Packet`].
    Binary(Bytes),
}

/// A frame, and its number.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// From 1 on.
    pub number: u64,
    /// A [`crate::Packet`].
    pub bytes: Bytes,
}

/// The way from a place to its pages.
#[derive(Debug)]
pub struct Outlet {
    messages: broadcast::Sender<Message>,
    frames: watch::Sender<Frame>,
    retained: Mutex<Vec<(String, Message)>>,
    number: AtomicU64,
    watchers: AtomicUsize,
    cancelled: AtomicBool,
}

impl Default for Outlet {
    fn default() -> Self {
        Outlet {
            messages: broadcast::Sender::new(BACKLOG),
            frames: watch::Sender::new(Frame::default()),
            retained: Mutex::default(),
            number: AtomicU64::new(0),
            watchers: AtomicUsize::new(0),
            cancelled: AtomicBool::new(false),
        }
    }
}

impl Outlet {
    /// Tells whoever is there.
    pub fn say(&self, message: Value) {
        // Nobody there is no failure.
        let _ = self.messages.send(Message::Text(message.to_string()));
    }

    /// Tells whoever is there, and whoever comes; the last of a topic counts.
    pub fn retain(&self, topic: &str, message: Message) {
        self.keep(topic, message.clone());
        let _ = self.messages.send(message);
    }

    /// The same, of JSON.
    pub fn retain_json(&self, topic: &str, message: &Value) {
        self.retain(topic, Message::Text(message.to_string()));
    }

    /// Tells only whoever comes.
    pub fn keep(&self, topic: &str, message: Message) {
        let mut retained = self.lock();
        match retained.iter_mut().find(|(known, _)| known == topic) {
            Some((_, old)) => *old = message,
            None => retained.push((topic.to_owned(), message)),
        }
    }

    /// Has nothing more to tell of a topic.
    pub fn forget(&self, topic: &str) {
        self.lock().retain(|(known, _)| known != topic);
    }

    /// Shows a frame, in the place of any that was not sent yet.
    pub fn show(&self, bytes: Bytes) {
        let number = self.number.load(Ordering::Relaxed);
        self.frames.send_replace(Frame { number, bytes });
    }

    /// The number of the frame that is shown next.
    pub fn next_number(&self) -> u64 {
        self.number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A sentence about what went wrong.
    pub fn complain(&self, sentence: &str) {
        self.say(json!({ "kind": "error", "sentence": sentence }));
    }

    /// The same of what could not be opened, for whoever comes later too, until it is forgotten.
    pub fn fail(&self, sentence: &str) {
        self.retain_json("failure", &json!({ "kind": "error", "sentence": sentence }));
    }

    /// How far long work is, from 0 to 1; whether to go on with it.
    pub fn progress(&self, label: &str, part: f64) -> bool {
        let message = json!({ "kind": "progress", "label": label, "part": part });
        self.retain_json("progress", &message);
        !self.cancelled.load(Ordering::Relaxed)
    }

    /// Reads all frames of an animation; `None` when somebody has cancelled that. The animation
    /// has a name, frames and vertices.
    ///
    /// # Errors
    /// When it is too large to be held, or a frame cannot be read.
    pub(crate) fn frames(
        &self,
        label: &str,
        (name, count, vertices): (&str, usize, usize),
        mut read: impl FnMut(usize) -> Result<Vec<DVec3>, ProjectError>,
    ) -> Result<Option<Vec<Vec<DVec3>>>, StudioError> {
        if count.saturating_mul(vertices) > MOST_POSITIONS {
            return Err(StudioError::refused(format!(
                "{name} has {count} frames of {vertices} vertices, more than the studio holds: cut \
                 it with `pliant convert --frames`, or use `pliant enrich` or `pliant lips`."
            )));
        }
        let mut frames = Vec::with_capacity(count);
        for k in 0..count {
            if !self.progress(label, k as f64 / count as f64) {
                return Ok(None);
            }
            frames.push(read(k)?);
        }
        Ok(Some(frames))
    }

    /// Long work begins: nobody has cancelled it yet.
    pub fn begin_work(&self) {
        self.cancelled.store(false, Ordering::Relaxed);
    }

    /// Long work is over, one way or the other.
    pub fn end_work(&self) {
        self.forget("progress");
        self.say(json!({ "kind": "progress", "label": "", "part": 1.0 }));
    }

    /// Asks for long work to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// How many pages there are.
    pub fn watchers(&self) -> usize {
        self.watchers.load(Ordering::Relaxed)
    }

    pub(crate) fn join(&self) {
        self.watchers.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn leave(&self) {
        self.watchers.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn subscribe(&self) -> (broadcast::Receiver<Message>, watch::Receiver<Frame>) {
        (self.messages.subscribe(), self.frames.subscribe())
    }

    pub(crate) fn retained(&self) -> Vec<Message> {
        self.lock().iter().map(|(_, message)| message.clone()).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(String, Message)>> {
        self.retained.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

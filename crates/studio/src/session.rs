//! A place at work: a thread of its own, which pages send commands to.
//!
//! The thread outlives its pages: whoever reloads finds everything as it was.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError, sync_channel,
};
use std::thread::JoinHandle;
use std::time::Instant;

use serde_json::Value;

use crate::error::StudioError;
use crate::opened::Opened;
use crate::outlet::Outlet;

/// Commands that may wait.
const INBOX: usize = 512;
/// How often a place that has failed is opened anew.
const ATTEMPTS: u32 = 3;

/// What a place does: it hears commands at its desk until that is closed.
pub type Work = fn(&Desk) -> Result<(), StudioError>;

/// Where a place sits.
pub struct Desk {
    inbox: Receiver<Value>,
    /// The way to its pages.
    pub outlet: Arc<Outlet>,
    /// What the studio was opened with.
    pub opened: Arc<Opened>,
}

/// How long to wait for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    No,
    /// Until a moment.
    Until(Instant),
    /// For ever.
    Forever,
}

/// What was heard.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// A command: an object with the key `do`.
    Command(Value),
    /// Nothing, or a page has come or gone.
    Nothing,
    /// The studio closes.
    Closed,
}

impl Desk {
    /// The next command.
    pub fn hear(&self, wait: Wait) -> Heard {
        let heard = match wait {
            Wait::No => self.inbox.try_recv().map_err(|error| error == TryRecvError::Empty),
            Wait::Forever => self.inbox.recv().map_err(|_| false),
            Wait::Until(moment) => {
                let left = moment.saturating_duration_since(Instant::now());
                self.inbox.recv_timeout(left).map_err(|error| error == RecvTimeoutError::Timeout)
            }
        };
        match heard {
            Ok(Value::Null) | Err(true) => Heard::Nothing,
            Ok(command) => Heard::Command(command),
            Err(false) => Heard::Closed,
        }
    }

    /// Whether any page is there to see what happens.
    pub fn is_watched(&self) -> bool {
        self.outlet.watchers() > 0
    }
}

/// A place's thread, seen from the server.
pub struct Session {
    inbox: SyncSender<Value>,
    pub(crate) outlet: Arc<Outlet>,
    thread: Option<JoinHandle<()>>,
}

impl Session {
    pub(crate) fn start(
        name: &str,
        work: Work,
        opened: Arc<Opened>,
    ) -> Result<Session, StudioError> {
        let (inbox, commands) = sync_channel(INBOX);
        let outlet = Arc::new(Outlet::default());
        let desk = Desk { inbox: commands, outlet: outlet.clone(), opened };
        let thread = std::thread::Builder::new().name(name.to_owned());
        let thread = thread.spawn(move || keep_working(work, &desk));
        let thread = thread.map_err(|error| StudioError::System {
            what: "cannot start a thread",
            reason: error.to_string(),
        })?;
        Ok(Session { inbox, outlet, thread: Some(thread) })
    }

    /// Hands on a command; says so where too many wait.
    pub(crate) fn order(&self, command: Value) {
        if let Err(TrySendError::Full(_)) = self.inbox.try_send(command) {
            self.outlet.complain("More was asked for than can be done; some of it was left out.");
        }
    }

    pub(crate) fn join(&self) {
        self.outlet.join();
        let _ = self.inbox.try_send(Value::Null);
    }

    pub(crate) fn leave(&self) {
        self.outlet.leave();
        let _ = self.inbox.try_send(Value::Null);
    }

    /// Ends the thread, when it has finished what is at hand.
    pub(crate) fn close(mut self) {
        self.outlet.cancel();
        let thread = self.thread.take();
        drop(self);
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

/// A fault of a place is a sentence on its pages, and the place is opened anew.
fn keep_working(work: Work, desk: &Desk) {
    for attempt in 1..=ATTEMPTS {
        let sentence = match catch_unwind(AssertUnwindSafe(|| work(desk))) {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(fault) => {
                let message = fault.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let message = message.or_else(|| fault.downcast_ref::<String>().cloned());
                let message = message.unwrap_or_else(|| "no message".to_owned());
                format!("This place failed ({message}), which is a bug of pliant.")
            }
        };
        desk.outlet.end_work();
        let again = if attempt < ATTEMPTS { " It was opened anew." } else { "" };
        desk.outlet.fail(&format!("{sentence}{again}"));
    }
    // Whoever comes later learns what happened; commands go nowhere.
    while desk.hear(Wait::Forever) != Heard::Closed {}
}

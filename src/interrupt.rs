//! Ctrl-C: asked once, the frame at hand is finished; asked twice, the program leaves at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;
use crate::report;

static ASKED: AtomicBool = AtomicBool::new(false);
static LISTENING: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C from now on. Called by commands that can stop halfway, at each of their runs.
pub fn listen() -> Result<(), Failure> {
    if LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        report::remark("finishing what is at hand; Ctrl-C again leaves at once");
    })
    .map_err(|error| Failure::new(format!("cannot listen for Ctrl-C: {error}")))
}

/// True if the user has asked to stop after the current frame.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

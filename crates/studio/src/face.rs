//! Face: expressions, muscles, and what is done to them.

use crate::error::StudioError;
use crate::session::{Desk, Heard, Wait};

/// The place's loop.
pub fn work(desk: &Desk) -> Result<(), StudioError> {
    while desk.hear(Wait::Forever) != Heard::Closed {}
    Ok(())
}

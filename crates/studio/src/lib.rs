//! The studio: simulations at native speed, seen and touched in a browser.
//!
//! A server on this machine ([`Studio`]) serves one page, which has *places*: Play, Enrich, Face
//! and Lips. A place is a thread here ([`Desk`]) and a folder of the page's sources. Pages talk to
//! it by WebSocket: commands in, as JSON objects with the key `do`; out come messages (JSON with
//! the key `kind`), and [`Packet`]s of binary arrays.
//!
//! | file | what |
//! |---|---|
//! | `server.rs`, `access.rs` | routes, limits, who may come in |
//! | `socket.rs` | a page's connection; frames that a slow page drops |
//! | `session.rs`, `outlet.rs` | a place's thread: commands in, messages and frames out |
//! | `packet.rs` | binary messages |
//! | `opened.rs` | what may be read: built-in scenes, the project's folder, uploads |
//! | `change.rs`, `history.rs` | settings that change, and undo |
//! | `play/`, `enrich/`, `face/`, `lips/` | a place each |
//!
//! # How a place is added
//!
//! 1. `src/NAME.rs` (with a folder `src/NAME/` if it is long) has `pub fn work(desk: &Desk) ->
//!    Result<(), StudioError>`: a loop over [`Desk::hear`] that ends at [`Heard::Closed`]. It
//!    parses commands with serde (`tag = "do"`), answers by [`Outlet::say`], keeps what a page that
//!    comes later needs with [`Outlet::retain`] (one message per topic: `state`, `mesh` …), and
//!    streams with [`Outlet::next_number`] and [`Outlet::show`] packets of kind `frame` with the
//!    key `number`, which the page acknowledges by itself. Errors of a command are sentences for
//!    [`Outlet::complain`]; long work tells [`Outlet::progress`], and stops when that returns
//!    `false`.
//! 2. A line in `src/places.rs`.
//! 3. `web/src/NAME/` exports a `Place` (`web/src/shell/place.ts` has the interface), and
//!    `web/src/main.ts` lists it.
//!
//! Nothing here prints, and no input of a page ends the program.

mod access;
mod change;
mod enrich;
mod error;
mod face;
mod history;
mod lips;
mod opened;
mod outlet;
mod packet;
mod page;
mod places;
mod play;
mod server;
mod session;
mod socket;

pub use error::StudioError;
pub use history::History;
pub use opened::{Library, Opened};
pub use outlet::{Frame, Message, Outlet};
pub use packet::Packet;
pub use page::missing;
pub use server::{Studio, StudioOptions};
pub use session::{Desk, Heard, Wait};

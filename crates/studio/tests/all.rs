//! The studio on the wire.

mod access;
mod enrich;
mod face;
mod lips;
mod play;
mod visitor;

//! The command from outside.

mod command;

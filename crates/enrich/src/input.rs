//! Repair of the input animation.

pub mod missing_frames;

//! Potentials, a file each.

pub mod density;

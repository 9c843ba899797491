//! Files, whole and broken.

mod collection;
mod formats;
mod robustness;

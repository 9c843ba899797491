//! Physics for finished animations.

mod comparisons;
mod detail;
mod fitting;
mod following;
mod reference;
mod skeleton;

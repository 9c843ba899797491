//! Physics for finished animations.

mod bodies;
mod comparisons;
mod detail;
mod fitting;
mod following;
mod reference;
mod skeleton;

//! Tests of the face, in one program.

mod alteration;
mod build;
mod coarse;
mod fitting;
mod folder;
mod forward;
mod geometry;
mod inverse;
mod linear_flesh;
mod motion;
mod real;
mod registration;
mod robustness;
mod shapes;
mod template;
mod tissue;
mod world;

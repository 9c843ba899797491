//! Corrections of lips.

mod correction;
mod real;
mod reference;
mod robustness;
mod sketch;

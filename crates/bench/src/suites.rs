//! The suites, a file each.

mod conservation;
mod dynamics;
mod enrich;
mod face;
mod geometry;
mod inverse;
mod lips;
mod motion;
mod orders;
mod peers;
mod scaling;

use crate::suite::Suite;

/// All suites, in the order in which they are listed and run.
pub const SUITES: &[Suite] = &[
    conservation::SUITE,
    motion::SUITE,
    orders::SUITE,
    geometry::SUITE,
    lips::SUITE,
    enrich::SUITE,
    face::SUITE,
    inverse::SUITE,
    dynamics::SUITE,
    peers::SUITE,
    scaling::SUITE,
];

//! Edge lengths of the skin's mesh: short where the skin moves and where people look.

use glam::DVec3;

use super::distance_fields::Ellipsoid;
use super::head_form::NECK_CUT;

/// Length of edges in the middle of the cheek for which the table is written (m).
pub const DEFAULT_SIZE: f64 = 0.0028;
/// Edges grow by this much per metre away from a place.
const GROWTH: f64 = 0.22;
/// Longest edges (m).
const COARSEST: f64 = 0.0065;
/// Lids are this thick: longer edges would cut through them, however coarse the rest is (m).
const THICKNESS: f64 = 0.0019;
/// Centre and radii of places, edges there (m).
const PLACES: [([f64; 3], [f64; 3], f64); 8] = [
    // lips
    ([0.0, -0.0735, 0.022], [0.027, 0.0125, 0.015], 0.00115),
    // lids
    ([0.0318, 0.0, 0.008], [0.0165, 0.0085, 0.010], 0.00110),
    // nose
    ([0.0, -0.0440, 0.0330], [0.0165, 0.0100, 0.0140], 0.00135),
    ([0.0, -0.0200, 0.0200], [0.0130, 0.0220, 0.0120], 0.00180),
    // brow
    ([0.0310, 0.0190, 0.0140], [0.0240, 0.0060, 0.0160], 0.00160),
    // the face
    ([0.0, -0.0450, 0.0050], [0.0580, 0.0700, 0.0400], DEFAULT_SIZE),
    ([0.0, 0.0350, 0.0100], [0.0520, 0.0340, 0.0300], 0.00300),
    // ear
    ([0.0760, -0.0110, -0.0950], [0.0130, 0.0330, 0.0230], 0.00180),
];

/// Length of edges at a point (m).
pub fn edge_length(p: DVec3, size: f64) -> f64 {
    let p = DVec3 { x: p.x.abs(), ..p };
    let scale = size / DEFAULT_SIZE;
    let at = |(center, radii, edge): &([f64; 3], [f64; 3], f64)| {
        let edge = if *edge < THICKNESS { (scale * edge).min(THICKNESS) } else { scale * edge };
        edge + scale * GROWTH * Ellipsoid::new(*center, *radii).distance(p).max(0.0)
    };
    let at_cut = 0.0032 + GROWTH * (p.y - NECK_CUT).abs();
    PLACES.iter().map(at).fold(scale * COARSEST.min(at_cut), f64::min)
}

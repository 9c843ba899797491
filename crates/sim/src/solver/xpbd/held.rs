//! Attached and following vertices: C = x − t in three components, compliance 1/k.
//!
//! The vertex goes where its spring alone would put it from x − w f: to t + (x − w f − t)/(1 + w
//! k).

use pliant_math::Row;
use pliant_model::Drive;

/// One point that pulls at a vertex.
#[derive(Clone, Copy)]
pub(super) struct Point {
    /// Model vertex.
    pub vertex: u32,
    /// What it pulls with, and where to.
    pub pull: Pull,
}

/// Where stiffness and target come from.
#[derive(Clone, Copy)]
pub(super) enum Pull {
    /// Stiffness [N/m], and which of the attachments.
    Attachment(f64, usize),
    /// Which of the followed vertices.
    Follow(usize),
}

/// All attached and following vertices that are free.
pub(super) struct Held {
    points: Vec<Point>,
    forces: Vec<Row>,
}

impl Held {
    /// From points at free vertices.
    pub fn new(points: Vec<Point>) -> Self {
        let forces = vec![Row::zero(); points.len()];
        Held { points, forces }
    }

    /// Lets go of all forces.
    pub fn release(&mut self) {
        self.forces.fill(Row::zero());
    }

    /// Relaxes every point once; `softness` is 1/κ \[s²\]. Points without a target do not pull.
    pub fn relax(
        &mut self,
        drive: &Drive,
        inverse_masses: &[f64],
        softness: f64,
        positions: &mut [Row],
    ) {
        for (point, force) in self.points.iter().zip(&mut self.forces) {
            let held = match point.pull {
                Pull::Attachment(k, index) => drive.attachments.get(index).map(|&t| (k, t)),
                Pull::Follow(index) => {
                    drive.follow_weights.get(index).copied().zip(drive.follow.get(index).copied())
                }
            };
            let Some((stiffness, target)) = held else { continue };
            let w = softness * inverse_masses[point.vertex as usize];
            if w == 0.0 {
                continue;
            }
            let x = &mut positions[point.vertex as usize];
            let away = x.plus_scaled(-w, *force) - target;
            // Not w k ÷ (1 + w k): exactly 1 for an infinite stiffness.
            let share = 1.0 / (1.0 + w * stiffness);
            *force = away * ((share - 1.0) / w);
            *x = target.plus_scaled(share, away);
        }
    }
}

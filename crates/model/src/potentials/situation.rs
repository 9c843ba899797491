//! Where and when potentials are evaluated.

use glam::DVec3;
use pliant_math::Row;

use crate::input::Drive;
use crate::touching::Touch;

/// Positions and driven quantities at which a potential is evaluated.
#[derive(Clone, Copy)]
pub struct Situation<'a> {
    /// Positions \[m\], all vertices of the model.
    pub positions: &'a [Row],
    /// Positions at the start of the step \[m\]: velocity-dependent potentials refer to them.
    pub start: &'a [Row],
    /// Velocity is `(positions − start) · rate` [1/s]; zero in quasi-statics.
    pub rate: f64,
    /// Everything animated, at the time of evaluation.
    pub drive: &'a Drive,
    /// The drive at the end of the step, if contact is evaluated there; `positions` are then the
    /// middle of the step. The energy of contact counts half, so that its forces count once.
    pub end: Option<&'a Drive>,
    /// Contacts between bodies where contact is evaluated; see [`crate::touching::Touching`].
    pub touches: &'a [Touch],
    /// Contacts at the start of the step: friction acts on these.
    pub rubbing: &'a [Touch],
}

impl Situation<'_> {
    /// Position of a vertex where contact is evaluated \[m\].
    pub fn contact_position(&self, vertex: u32) -> DVec3 {
        let p = self.positions[vertex as usize];
        match self.end {
            Some(_) => (p + (p - self.start[vertex as usize])).xyz(),
            None => p.xyz(),
        }
    }

    /// Driven quantities where contact is evaluated.
    pub fn contact_drive(&self) -> &Drive {
        self.end.unwrap_or(self.drive)
    }

    /// Displacement of contact's positions per displacement of a vertex: 2 or 1.
    pub fn contact_lead(&self) -> f64 {
        if self.end.is_some() { 2.0 } else { 1.0 }
    }
}

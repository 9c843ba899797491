//! Held vertices: hard ones, and those on springs.

use glam::DVec3;

use super::ModelBuilder;
use super::numbering::{Numbering, UserOrder};
use crate::error::ModelError;
use crate::model::DrivenPoints;
use crate::motion::Motion;

/// How firmly vertices are held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold {
    /// Exactly: they are no unknowns any more.
    Hard,
    /// By a zero-length spring each [N/m].
    Spring(f64),
}

/// Vertices of a body that are held alike.
#[derive(Clone, Debug)]
pub(crate) struct HeldVertices {
    pub body: usize,
    pub vertices: Vec<u32>,
    pub hold: Hold,
    pub motion: Option<Motion>,
}

/// Why a vertex is hard.
#[derive(Clone, Copy)]
enum Cause {
    /// No element uses it: it has no mass, and stays where it is.
    Massless,
    /// The hold with this number.
    Held(usize),
}

/// The hard vertices, in user order.
pub(super) struct HardVertices(Vec<Option<Cause>>);

impl HardVertices {
    /// From the holds of a model and its masses \[kg\].
    pub fn new(
        builder: &ModelBuilder,
        users: &UserOrder,
        masses: &[f64],
    ) -> Result<Self, ModelError> {
        let cause = |&mass: &f64| (mass == 0.0).then_some(Cause::Massless);
        let mut causes: Vec<Option<Cause>> = masses.iter().map(cause).collect();
        for (h, held) in builder.holds.iter().enumerate() {
            for &v in &held.vertices {
                let v = users.vertex(held.body, v)?;
                if held.hold == Hold::Hard {
                    causes[v] = Some(Cause::Held(h));
                }
            }
        }
        Ok(HardVertices(causes))
    }

    /// True if a vertex is hard.
    pub fn contains(&self, vertex: usize) -> bool {
        self.0[vertex].is_some()
    }

    /// Rest positions and motions of the hard vertices, in model order.
    pub fn driven(&self, builder: &ModelBuilder, numbering: &Numbering) -> DrivenPoints {
        let count = numbering.users.count() - numbering.free;
        let mut driven =
            DrivenPoints { rest: vec![DVec3::ZERO; count], motion: vec![usize::MAX; count] };
        for (v, cause) in self.0.iter().enumerate() {
            let Some(cause) = cause else { continue };
            let at = numbering.numbers[v] as usize - numbering.free;
            driven.rest[at] = numbering.users.rest(v);
            if let Cause::Held(h) = *cause {
                driven.motion[at] = builder.motion_of(h);
            }
        }
        driven
    }
}

impl ModelBuilder {
    /// The motions of all holds.
    pub(super) fn motions(&self) -> Vec<Motion> {
        self.holds.iter().filter_map(|held| held.motion.clone()).collect()
    }

    /// Index of a hold's motion among those of all holds; `usize::MAX` for none.
    pub(super) fn motion_of(&self, hold: usize) -> usize {
        let before = self.holds[..hold].iter().filter(|held| held.motion.is_some()).count();
        if self.holds[hold].motion.is_some() { before } else { usize::MAX }
    }
}

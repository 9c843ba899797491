//! A menagerie: creatures and simple bodies as functions of space, filled at any resolution.
//!
//! Each is sculpted from a few dozen solids blended into each other (`sculpture.rs`); the mesher
//! fills the function directly, with no surface in between. All stand on y = 0, face +z, are
//! centred on the y axis, and have a longest side of one metre.

mod cactus;
mod dog;
mod hippo;
mod octopus;
mod plain;
mod puppet;
mod puppets;
mod rabbit;
mod sculpture;
mod solid;
mod squirrel;

use glam::DVec3;
use pliant_math::team::Team;

use crate::error::MeshError;
use crate::mesh::{Bounds, Group, Mesh};
use crate::quality;
use crate::signed_distance::evaluate;
use crate::soup::largest_piece;
use crate::stuffing::field::Field;
use crate::stuffing::stuff;
use crate::tetrahedralise::{PADDING, Resolution, TetOptions, frame};
use sculpture::Sculpture;

pub use puppet::Puppet;
pub use sculpture::Colour;

/// A creature of the menagerie.
#[derive(Clone, Debug)]
pub struct Creature {
    name: &'static str,
    sculpture: Sculpture,
    /// Metres per unit of the sculpture, and where its origin is (m).
    scale: f64,
    origin: DVec3,
    bounds: Bounds,
}

/// A creature's surface, finer than the tets that carry it.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// Closed, facing outward.
    pub surface: Mesh,
    /// sRGB, 0 to 1, one per vertex.
    pub colours: Vec<Colour>,
}

type Sculptor = fn(&mut Sculpture);

const SCULPTORS: [(&str, Sculptor); 8] = [
    ("ball", plain::ball),
    ("bar", plain::bar),
    ("cactus", cactus::cactus),
    ("dog", dog::dog),
    ("hippo", hippo::hippo),
    ("octopus", octopus::octopus),
    ("rabbit", rabbit::rabbit),
    ("squirrel", squirrel::squirrel),
];

/// Fewer cells than this along the longest side leave nothing of a creature.
const LEAST_RESOLUTION: usize = 8;

impl Creature {
    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SCULPTORS.iter().map(|(name, _)| *name)
    }

    /// The creature of a name.
    ///
    /// ```
    /// use pliant_math::team::Team;
    /// use pliant_mesh::menagerie::Creature;
    /// let hippo = Creature::named("hippo").expect("there is a hippo");
    /// let solid = hippo.solid(40, &Team::new(1))?;
    /// let size = solid.bounds().expect("it has vertices").size();
    /// assert!((size.max_element() - 1.0).abs() < 0.05);
    /// assert!(Creature::named("sphinx").is_none());
    /// # Ok::<(), pliant_mesh::MeshError>(())
    /// ```
    pub fn named(name: &str) -> Option<Creature> {
        let &(name, sculpt) = SCULPTORS.iter().find(|(known, _)| *known == name)?;
        Some(Creature::sculpted(name, sculpt))
    }

    fn sculpted(name: &'static str, sculpt: Sculptor) -> Creature {
        let mut sculpture = Sculpture::default();
        sculpt(&mut sculpture);
        let own = sculpture.bounds();
        let scale = 1.0 / own.size().max_element();
        let foot = DVec3 { y: own.min.y, ..own.center() };
        let bounds = Bounds { min: (own.min - foot) * scale, max: (own.max - foot) * scale };
        Creature { name, sculpture, scale, origin: -foot * scale, bounds }
    }

    /// Distance from the surface (m), negative inside: exact near it to first order.
    pub fn distance(&self, point: DVec3) -> f64 {
        self.sculpture.distance(self.unscaled(point)) * self.scale
    }

    /// Tets with `resolution` cells along the longest side, in one piece, with groups of vertices
    /// such as `base` or `ears`.
    ///
    /// # Errors
    /// When the resolution is below 8, or makes more tets than fit.
    pub fn solid(&self, resolution: usize, team: &Team) -> Result<Mesh, MeshError> {
        let mut solid = self.filled(resolution, TetOptions::default().coarsening, team)?;
        solid.groups = self.groups(&solid.positions);
        Ok(solid)
    }

    /// Which of these points (m) are in which named region.
    fn groups(&self, points: &[DVec3]) -> Vec<Group> {
        let group = |(name, holds): (&str, _)| {
            let holds: &dyn Fn(DVec3) -> bool = &holds;
            let inside = (0u32..).zip(points).filter(|(_, p)| holds(self.unscaled(**p)));
            Group::new(name, inside.map(|(v, _)| v).collect())
        };
        self.sculpture.regions().map(group).collect()
    }

    /// The surface with `resolution` cells along the longest side, coloured, with the same groups.
    ///
    /// # Errors
    /// As for [`Creature::solid`].
    pub fn skin(&self, resolution: usize, team: &Team) -> Result<Skin, MeshError> {
        // What is inside is thrown away: as coarse as it may be.
        let solid = self.filled(resolution, 6, team)?;
        let mut number = vec![u32::MAX; solid.positions.len()];
        let mut surface = Mesh::default();
        for triangle in &solid.triangles {
            surface.triangles.push(triangle.map(|v| {
                let place = &mut number[v as usize];
                if *place == u32::MAX {
                    *place = surface.positions.len() as u32;
                    surface.positions.push(solid.positions[v as usize]);
                }
                *place
            }));
        }
        let limit = 0.5 / resolution as f64;
        surface.positions = evaluate(&surface.positions, team, |p| self.projected(p, limit));
        let colours =
            evaluate(&surface.positions, team, |p| self.sculpture.colour(self.unscaled(p)));
        surface.groups = self.groups(&surface.positions);
        Ok(Skin { surface, colours })
    }

    fn filled(&self, resolution: usize, coarsening: u8, team: &Team) -> Result<Mesh, MeshError> {
        let cells = u32::try_from(resolution).unwrap_or(u32::MAX);
        if resolution < LEAST_RESOLUTION {
            let (shape, what, least) = (self.name, "resolution", LEAST_RESOLUTION);
            return Err(MeshError::TooFewCells { shape, what, value: resolution, least });
        }
        let resolution = Resolution::Cells(cells);
        let options = TetOptions { resolution, coarsening, ..TetOptions::default() };
        let (frame, depth) = frame(&self.bounds, &options, PADDING)?;
        let field = Filled { creature: self, limit: frame.size };
        let filling = stuff(&field, frame, depth, coarsening, team)?;
        let kept = largest_piece(filling.positions.len(), &filling.tets);
        let filling = filling.only(kept);
        let solid = Mesh::solid(filling.positions, filling.tets);
        debug_assert_eq!(quality::inverted(&solid), 0);
        Ok(solid)
    }

    fn unscaled(&self, point: DVec3) -> DVec3 {
        (point - self.origin) / self.scale
    }

    fn scaled(&self, point: DVec3) -> DVec3 {
        point * self.scale + self.origin
    }

    /// A nearby point moved onto the surface, by no more than `limit` (m).
    fn projected(&self, point: DVec3, limit: f64) -> DVec3 {
        let mut at = point;
        for _ in 0..4 {
            let slope = self.slope(at);
            let square = slope.length_squared();
            if square < 0.01 {
                break;
            }
            let step = -slope * (self.distance(at) / square);
            at += step;
            if step.length_squared() < 1e-18 {
                break;
            }
        }
        if at.distance(point) <= limit { at } else { point }
    }

    /// Gradient of the distance.
    fn slope(&self, at: DVec3) -> DVec3 {
        const STEP: f64 = 1e-6;
        let along = |axis: DVec3| {
            (self.distance(at + STEP * axis) - self.distance(at - STEP * axis)) / (2.0 * STEP)
        };
        DVec3::from_array(DVec3::AXES.map(along))
    }
}

/// A creature as the mesher sees it.
struct Filled<'a> {
    creature: &'a Creature,
    limit: f64,
}

/// Blended distances can be too great by this factor, away from the surface.
const DOUBT: f64 = 1.5;

impl Field for Filled<'_> {
    fn value(&self, point: DVec3) -> f64 {
        (-self.creature.distance(point)).clamp(-self.limit, self.limit)
    }

    fn closest(&self, point: DVec3, reach: f64) -> Option<DVec3> {
        let distance = self.creature.distance(point).abs();
        if distance > DOUBT * reach {
            return None;
        }
        Some(self.creature.projected(point, DOUBT * reach))
    }

    fn limit(&self) -> f64 {
        self.limit
    }
}

#[cfg(test)]
mod tests;

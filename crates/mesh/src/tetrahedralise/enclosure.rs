//! Enclosing a surface: values on the lattice are raised until the tets hold every vertex.

use glam::DVec3;
use pliant_math::team::Team;

use crate::embedding::Locator;
use crate::error::MeshError;
use crate::mesh::Mesh;
use crate::signed_distance::evaluate;
use crate::soup::{count_pieces, inhabited_pieces, pieces};
use crate::stuffing::cover::{Cover, near_depth};
use crate::stuffing::field::{Field, SoupField};
use crate::stuffing::lattice::{Lattice, unpack};
use crate::stuffing::octree::{Frame, Octree};
use crate::stuffing::stencil::{Filling, TooCoarse, fill};
use crate::topology::components_of_triangles;

/// Most rounds in which broken thin parts are joined.
const MOST_BRIDGES: usize = 16;
/// Distance of the places along such a part, in cells.
const BRIDGED: f64 = 0.1;
/// Most rounds of enclosing; vertices outside after them are not counted as embedded.
const MOST_ROUNDS: usize = 100;

/// A surface that is being enclosed.
pub struct Enclosure<'a> {
    /// Positions that must lie in tets.
    needed: &'a [DVec3],
    frame: Frame,
    field: &'a SoupField,
    team: &'a Team,
    /// Connected pieces of the surface.
    surfaces: usize,
    cover: Cover,
    known: Known,
    /// Rounds in which positions were still outside.
    pub rounds: usize,
    bridges: usize,
}

impl<'a> Enclosure<'a> {
    pub fn new(
        surface: &Mesh,
        needed: &'a [DVec3],
        frame: Frame,
        field: &'a SoupField,
        team: &'a Team,
    ) -> Self {
        let pieces = components_of_triangles(&surface.triangles);
        let surfaces = pieces.into_iter().max().map_or(0, |last| last as usize + 1);
        let (cover, known) = (Cover::new(surface, &frame), Known::default());
        Enclosure { needed, frame, field, team, surfaces, cover, known, rounds: 0, bridges: 0 }
    }

    /// The tets that enclose the surface; the tree is refined wherever they need finer cells.
    pub fn fill(&mut self, mut tree: Octree, coarsening: u8) -> Result<Filling, MeshError> {
        loop {
            match self.fill_lattice(&tree) {
                Ok(filling) => return Ok(filling),
                Err(coarse) => tree.refine(&coarse, self.field, coarsening, self.team)?,
            }
        }
    }

    /// Raises values on a lattice until its tets enclose the surface.
    fn fill_lattice(&mut self, tree: &Octree) -> Result<Filling, TooCoarse> {
        let lattice = Lattice::new(tree);
        let natural = self.known.values(&lattice, &self.frame, self.field, self.team);
        let near_depth = near_depth(&lattice, &self.frame, &natural);
        let thin = self.cover.thin_places(tree, &lattice, &near_depth);
        loop {
            let values = self.cover.raise(tree, &lattice, &natural, &near_depth)?;
            let filling = fill(&lattice, &self.frame, &values)?;
            let solid = Mesh {
                positions: filling.positions.clone(),
                tets: filling.tets.clone(),
                ..Mesh::default()
            };
            let locator = Locator::new(&solid);
            let lacking = self.lacking(&solid, &locator, &thin);
            if lacking.is_empty() {
                return Ok(filling.only(self.inhabited(&solid, &locator)));
            }
            self.cover.insist(lacking.into_iter());
        }
    }

    /// Places that the tets must hold in the next round: none when the surface is enclosed.
    fn lacking(&mut self, solid: &Mesh, locator: &Locator, thin: &[DVec3]) -> Vec<DVec3> {
        let mut stray = strays(locator, self.needed, self.team);
        if stray.is_empty() {
            stray = strays(locator, thin, self.team);
        }
        if !stray.is_empty() && self.rounds < MOST_ROUNDS {
            self.rounds += 1;
            return stray;
        }
        let links = (self.cover.links(), self.surfaces);
        let gaps = gaps(links, locator, solid, self.frame.size, self.team);
        if gaps.is_empty() || self.bridges >= MOST_BRIDGES {
            return Vec::new();
        }
        self.bridges += 1;
        gaps
    }

    /// Tets of the pieces that hold a part of the surface. Raising leaves specks beside thin parts,
    /// where no surface is.
    fn inhabited(&self, solid: &Mesh, locator: &Locator) -> Vec<[u32; 4]> {
        let places: Vec<DVec3> = self.cover.places().iter().chain(self.needed).copied().collect();
        let held = evaluate(&places, self.team, |p| locator.find(p));
        let held = held.into_iter().flatten().map(|(tet, _)| tet);
        inhabited_pieces(solid.positions.len(), &solid.tets, held)
    }
}

/// Places that lie in no tet.
fn strays(locator: &Locator, places: &[DVec3], team: &Team) -> Vec<DVec3> {
    let lost = evaluate(places, team, |p| locator.find(p).is_none());
    places.iter().zip(lost).filter(|(_, lost)| *lost).map(|(p, _)| *p).collect()
}

/// Places along links of the surface whose ends lie in different pieces of the solid: a thin part
/// is broken there. The solid may have as many pieces as there are connected `surfaces`.
fn gaps(
    (links, surfaces): (&[[DVec3; 2]], usize),
    locator: &Locator,
    solid: &Mesh,
    size: f64,
    team: &Team,
) -> Vec<DVec3> {
    if count_pieces(solid.positions.len(), &solid.tets) < 2 {
        return Vec::new();
    }
    let pieces = pieces(solid.positions.len(), &solid.tets);
    let mut sizes = vec![0usize; solid.positions.len()];
    solid.tets.iter().for_each(|tet| sizes[pieces[tet[0] as usize] as usize] += 1);
    let greatest = (0u32..).zip(&sizes).max_by_key(|(_, size)| **size).map(|(piece, _)| piece);
    let home = |p: DVec3| locator.find(p).map(|(t, _)| pieces[solid.tets[t as usize][0] as usize]);
    let homes = evaluate(links, team, |ends| ends.map(home));
    let mut inhabited: Vec<u32> = homes.iter().flatten().copied().flatten().collect();
    inhabited.sort_unstable();
    inhabited.dedup();
    let too_many = inhabited.len() > surfaces;
    let mut places = Vec::new();
    for ([a, b], homes) in links.iter().zip(homes) {
        // A place that need not be reached is in none; beside a small piece it is.
        let broken = match homes {
            [Some(one), Some(other)] => one != other,
            [one, other] => too_many && one.or(other).is_some_and(|p| Some(p) != greatest),
        };
        if broken {
            let count = (a.distance(*b) / (BRIDGED * size)).ceil().clamp(1.0, 1e5) as u32;
            let along: Vec<(DVec3, Option<u32>)> = (0..=count)
                .map(|k| a.lerp(*b, f64::from(k) / f64::from(count)))
                .map(|p| (p, home(p)))
                .collect();
            for pair in along.windows(2) {
                if pair[0].1.is_none() || pair[0].1 != pair[1].1 {
                    places.extend([pair[0].0, pair[1].0]);
                }
            }
        }
    }
    places
}

/// Values of the field on the last lattice.
#[derive(Default)]
struct Known {
    keys: Vec<u64>,
    values: Vec<f64>,
}

impl Known {
    /// Values at all vertices of a lattice; only new vertices are computed.
    fn values(
        &mut self,
        lattice: &Lattice,
        frame: &Frame,
        field: &dyn Field,
        team: &Team,
    ) -> Vec<f64> {
        if self.keys != lattice.keys {
            let found = evaluate(&lattice.keys, team, |key| match self.keys.binary_search(&key) {
                Ok(at) => self.values[at],
                Err(_) => field.value(frame.place(unpack(key))),
            });
            self.keys.clone_from(&lattice.keys);
            self.values = found;
        }
        self.values.clone()
    }
}

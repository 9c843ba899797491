//! Stand-ins for the bodies of papers, which are not free to share: about as many tets or springs.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::menagerie::Creature;
use pliant_mesh::{Mesh, MeshError, shapes};

/// A body 1 m long for the one that a paper calls `name`, with about `elements` tets: the creature
/// of that name if there is one, else a box of about its proportions, or a jelly.
pub fn stand_in(name: &str, elements: usize) -> Result<Mesh, MeshError> {
    let creature = if name == "bunny" { "rabbit" } else { name };
    let proportions = match creature {
        "bar" => DVec3::new(4.0, 1.0, 1.0),
        "cube" => DVec3::ONE,
        "human" => DVec3::new(2.0, 6.0, 1.0),
        _ => {
            return match Creature::named(creature) {
                Some(creature) => of_creature(&creature, elements),
                None => jelly(elements),
            };
        }
    };
    let size = proportions / proportions.max_element();
    shapes::solid_box(size, cells(proportions, elements))
}

/// A square of springs, 2 m wide.
pub struct Cloth {
    /// Vertices in rows.
    pub mesh: Mesh,
    /// Ends of the springs.
    pub springs: Vec<[u32; 2]>,
    /// Vertices along an edge.
    pub side: u32,
}

impl Cloth {
    /// A cloth of about `vertices` vertices.
    pub fn new(vertices: usize) -> Result<Cloth, MeshError> {
        let cells = (vertices as f64).sqrt().round() as usize - 1;
        let (mesh, springs) = shapes::cloth([2.0, 2.0], [cells, cells])?;
        let springs = springs.iter().map(|spring| spring.vertices).collect();
        Ok(Cloth { mesh, springs, side: cells as u32 + 1 })
    }
}

/// The cells of a box, five tets each, that come closest to a number of tets: proportions rounded
/// up or down.
fn cells(proportions: DVec3, elements: usize) -> [usize; 3] {
    let scale = (elements as f64 / 5.0 / proportions.element_product()).cbrt();
    let low = (proportions * scale).floor().max(DVec3::ONE).to_array();
    let counts = (0..8).map(|bits: usize| [0, 1, 2].map(|a| low[a] as usize + (bits >> a & 1)));
    let off = |cells: &[usize; 3]| (5 * cells.iter().product::<usize>()).abs_diff(elements);
    counts.min_by_key(off).unwrap_or([1; 3])
}

/// A creature of about `elements` tets: bisection of its resolution, from a guess.
fn of_creature(creature: &Creature, elements: usize) -> Result<Mesh, MeshError> {
    let team = Team::new(1);
    // Inner cells are larger, so that the number of tets grows more slowly than that of cells.
    const GROWTH: f64 = 2.5;
    let (mut low, mut high) = (8, 400);
    let mut resolution = 20;
    let mut best = creature.solid(resolution, &team)?;
    let mut found = best.tets.len();
    let off = |found: usize| (found as f64 / elements as f64).ln().abs();
    while off(found) > 0.05 {
        if found < elements {
            low = resolution + 1
        } else {
            high = resolution - 1
        }
        if low > high {
            break;
        }
        let ratio = elements as f64 / found as f64;
        let guess = (resolution as f64 * ratio.powf(1.0 / GROWTH)).round() as usize;
        resolution = guess.clamp(low, high);
        let next = creature.solid(resolution, &team)?;
        found = next.tets.len();
        if off(found) < off(best.tets.len()) {
            best = next;
        }
    }
    // The mesher fills a round creature with a few thousand tets at least.
    if off(best.tets.len()) > 0.25 { jelly(elements) } else { Ok(best) }
}

/// The jelly whose number of tets is closest: it grows about with the cube of the resolution.
fn jelly(elements: usize) -> Result<Mesh, MeshError> {
    const PROBE: usize = 12;
    let probe = shapes::jelly(PROBE)?.tets.len();
    let guess = PROBE as f64 * (elements as f64 / probe as f64).cbrt();
    let mut best = shapes::jelly((guess.round() as usize).max(4))?;
    for resolution in [guess.floor(), guess.ceil()] {
        let other = shapes::jelly((resolution as usize).max(4))?;
        if other.tets.len().abs_diff(elements) < best.tets.len().abs_diff(elements) {
            best = other;
        }
    }
    let length = best.bounds().map_or(1.0, |b| (b.max - b.min).max_element());
    best.positions.iter_mut().for_each(|x| *x /= length);
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_have_about_the_number_of_elements() {
        for (name, elements) in
            [("bar", 716), ("cube", 996), ("hippo", 8406), ("octopus", 27_000), ("ball", 1772)]
        {
            let found = stand_in(name, elements).unwrap();
            let ratio = found.tets.len() as f64 / elements as f64;
            assert!((0.75..1.3).contains(&ratio), "{name}: {} of {elements}", found.tets.len());
            let bounds = found.bounds().unwrap();
            let size = (bounds.max - bounds.min).max_element();
            assert!((size - 1.0).abs() < 0.1, "{name}: {size} m");
        }
        let cloth = Cloth::new(3721).unwrap();
        assert_eq!((cloth.mesh.positions.len(), cloth.side), (3721, 61));
    }
}

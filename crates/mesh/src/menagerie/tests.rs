use super::*;
use crate::diagnosis::{Finding, FindingKind, findings};
use crate::proxy::manifold_boundary;
use crate::soup::count_pieces;

fn creatures() -> impl Iterator<Item = Creature> {
    Creature::names().filter_map(Creature::named)
}

#[test]
fn every_creature_is_one_closed_piece_of_good_tets_at_any_resolution() {
    let team = Team::new(2);
    for creature in creatures() {
        let mut volumes = Vec::new();
        for resolution in [12, 21, 34] {
            let solid = creature.solid(resolution, &team).unwrap();
            let name = format!("{} at {resolution}", creature.name);
            assert_eq!(count_pieces(solid.positions.len(), &solid.tets), 1, "{name}");
            assert_eq!(quality::inverted(&solid), 0, "{name}");
            let angle = quality::min_dihedral(&solid);
            assert!(angle >= 8.0, "{name}: {angle}°");
            // Cells weld what nearly touches, such as lips, in edges or corners; nothing else is
            // wrong.
            let welded = |f: &Finding| {
                matches!(f.kind, FindingKind::NonManifoldEdge | FindingKind::NonManifoldVertex)
            };
            let mut wrong = findings(&manifold_boundary(&solid));
            wrong.retain(|finding| !welded(finding));
            assert!(wrong.is_empty(), "{name}: {wrong:?}");
            volumes.push(solid.volume());
        }
        let [_, middle, fine] = volumes[..] else { unreachable!() };
        assert!((middle / fine - 1.0).abs() < 0.06, "{}: {volumes:?}", creature.name);
    }
}

#[test]
fn creatures_stand_on_the_ground_and_measure_a_metre() {
    let team = Team::new(2);
    for creature in creatures() {
        let bounds = creature.solid(40, &team).unwrap().bounds().unwrap();
        let cell = 1.0 / 40.0;
        let longest = bounds.size().max_element();
        assert!((longest - 1.0).abs() < 2.0 * cell, "{}: {longest}", creature.name);
        assert!(bounds.min.y.abs() < cell, "{}: {bounds:?}", creature.name);
        assert!(bounds.center().x.abs() < cell, "{}: {bounds:?}", creature.name);
    }
}

#[test]
fn groups_hold_a_part_of_the_vertices() {
    let team = Team::new(2);
    for creature in creatures() {
        let solid = creature.solid(24, &team).unwrap();
        assert!(!solid.groups.is_empty(), "{}", creature.name);
        for group in &solid.groups {
            let (held, all) = (group.vertices.len(), solid.positions.len());
            assert!(held >= 3 && 2 * held < all, "{} {}: {held}", creature.name, group.name);
        }
    }
}

#[test]
fn a_skin_lies_on_the_surface_in_colours() {
    let team = Team::new(2);
    for creature in creatures() {
        let skin = creature.skin(40, &team).unwrap();
        assert_eq!(skin.colours.len(), skin.surface.positions.len());
        let off = skin.surface.positions.iter().filter(|p| creature.distance(**p).abs() > 1e-6);
        let (off, all) = (off.count(), skin.surface.positions.len());
        // Next to creases Newton's method may end on another side, and the vertex is left.
        assert!(50 * off < all, "{}: {off} of {all}", creature.name);
        assert!(skin.surface.volume() > 0.0);
        let mut colours = skin.colours.clone();
        colours.sort_by(|a, b| a.partial_cmp(b).unwrap());
        colours.dedup();
        assert!(colours.len() > 1, "{}", creature.name);
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let octopus = Creature::named("octopus").unwrap();
    let one = octopus.solid(20, &Team::new(1)).unwrap();
    let three = octopus.solid(20, &Team::new(3)).unwrap();
    assert_eq!((one.positions, one.tets), (three.positions, three.tets));
}

#[test]
fn absurd_resolutions_are_refused() {
    let hippo = Creature::named("hippo").unwrap();
    let team = Team::new(1);
    assert!(matches!(hippo.solid(7, &team), Err(MeshError::TooFewCells { .. })));
    for resolution in [usize::MAX, 100_000] {
        assert!(matches!(hippo.solid(resolution, &team), Err(MeshError::TooManyElements { .. })));
    }
}

//! Faces and performances from damaged or random bytes.

use std::path::Path;

use glam::DVec3;
use pliant_face::anatomy::landmarks::Landmark;
use pliant_face::effects::Effects;
use pliant_face::expression::Recipe;
use pliant_face::inverse::muscle_geometry::{GeometryEntry, GeometryMatrix};
use pliant_face::performance::Names;
use pliant_face::{
    Blendshape, BoneHold, BoundaryPart, Ensemble, Eye, FaceModel, FaceSimulation,
    FaceSimulationOptions, FittedShape, MuscleCourse, Performance, Share, SkinBinding,
};
use pliant_mesh::{Attribute, Group, Mesh, Surface, shapes::solid_box};
use proptest::prelude::*;

fn cases() -> u32 {
    std::env::var("PLIANT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

/// A cube of flesh with a muscle and a recipe: every kind of thing that the file has.
fn small() -> FaceModel {
    let solid = solid_box(DVec3::splat(0.02), [2, 2, 2]).expect("a box");
    let count = solid.positions.len();
    let mut skin = Surface::from(Mesh::surface(solid.positions.clone(), solid.triangles.clone()));
    skin.mesh.groups = vec![Group::new("teeth", vec![0, 1, 2])];
    let values = vec![0.5; 3 * count];
    skin.attributes = vec![Attribute { name: Attribute::COLOR.to_owned(), components: 3, values }];
    let low = |p: &DVec3| if p.y < -0.009 { BoneHold::Skull } else { BoneHold::Free };
    let share = |tet: u32| Share { tet, muscle: 0, fraction: 0.5, fibre: DVec3::Y };
    FaceModel {
        name: "cube".to_owned(),
        parts: vec![Some(BoundaryPart::Skin); count],
        holds: solid.positions.iter().map(low).collect(),
        lip_sides: vec![0; count],
        shares: (0..solid.tets.len() as u32).map(share).collect(),
        muscles: vec![MuscleCourse {
            name: "string".to_owned(),
            curve: vec![solid.positions[0], solid.positions[1]],
            tets: vec![0, 0],
            weights: vec![[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]],
        }],
        binding: SkinBinding { tets: vec![Some(0); count], weights: vec![[0.25; 4]; count] },
        lips: [vec![0, 1], vec![2, 3]],
        eyes: vec![Eye { center: DVec3::ZERO, radius: 0.01, surface: skin.clone() }],
        skull: skin.clone(),
        mandible: skin.clone(),
        shapes: vec![Blendshape {
            name: "jawOpen".to_owned(),
            displacement: vec![DVec3::X; count],
        }],
        recipes: vec![(
            "jawOpen".to_owned(),
            Recipe { muscles: vec![("string".to_owned(), 0.2)], ..Recipe::default() },
        )],
        rig: vec![FittedShape {
            name: "jawOpen".to_owned(),
            activations: vec![[0.9, 0.1, 0.0, 1.0, 0.0, 1.1]; solid.tets.len()],
            ..FittedShape::default()
        }],
        geometry: GeometryMatrix::new(
            1,
            vec![&[GeometryEntry { column: 1, weight: 1.0 }][..]; solid.tets.len()],
        ),
        regions: vec![Group::new("all", (0..count as u32).collect())],
        landmarks: vec![Landmark { name: "corner".to_owned(), position: DVec3::ZERO }],
        skin,
        solid,
        ..FaceModel::default()
    }
}

#[test]
fn damage_is_noticed_and_named() {
    let whole = small().encode();
    assert_eq!(FaceModel::decode(&whole).expect("its own bytes").encode(), whole);
    let error = |bytes: &[u8]| FaceModel::decode(bytes).expect_err("damage").to_string();
    assert_eq!(error(b""), "byte 0: expected a face, as `pliant face build` writes it");
    let mut other = whole.clone();
    other[7] = b'9';
    assert!(error(&other).contains("another version"));
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    assert!(error(&flipped).contains("checksum"));
    // Absurd sizes under a checksum that fits: of the name, of the list after it, and of
    // everything.
    for place in [8, 8 + 8 + 4] {
        for size in [u64::MAX, 1 << 40, 1 << 62] {
            let mut large = whole.clone();
            large[place..place + 8].copy_from_slice(&size.to_le_bytes());
            FaceModel::seal(&mut large);
            assert!(FaceModel::decode(&large).is_err(), "{size} at {place}");
        }
    }
    let mut many = small();
    many.shapes = vec![Blendshape { name: String::new(), ..many.shapes[0].clone() }; 3000];
    assert!(error(&many.encode()).contains("3000 shapes"), "{}", error(&many.encode()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// Bytes changed under a right checksum: a face that can be asked, or a sentence, never a
    /// panic.
    #[test]
    fn no_bytes_make_the_reader_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut bytes = small().encode();
        for (place, value) in changes {
            let place = 8 + place.index(bytes.len() - 16);
            bytes[place] = value;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        FaceModel::seal(&mut bytes);
        match FaceModel::decode(&bytes) {
            Ok(face) => {
                prop_assert_eq!(face.skin_at(&face.solid.positions).len(), face.binding.tets.len());
                prop_assert_eq!(face.strains(&face.solid.positions).len(), face.muscles.len());
                prop_assert!(!Ensemble::new(&face, false).rest.mesh.positions.is_empty());
                if let Err(error) = FaceSimulation::new(&face, &FaceSimulationOptions::default()) {
                    prop_assert!(!error.to_string().contains('\n'));
                }
            }
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }

    /// Any text is a performance of finite numbers, or a sentence that names the file.
    #[test]
    fn no_text_makes_a_performance_of_nonsense(
        head in "(frame|Timecode|jawOpen|HeadYaw|mentalis_l|,|[a-z]){1,8}",
        lines in proptest::collection::vec("[-0-9.,:einfaN \\\\\"{}]{0,24}", 0..5),
    ) {
        let text = format!("{head}\n{}", lines.join("\n"));
        let names = Names { muscles: &["mentalis_l"], ..Names::default() };
        for read in [Performance::parse, Performance::parse_json] {
            match read(Path::new("w.csv"), &text, &names, None) {
                Ok(performance) => {
                    let all = performance.frames.iter().flat_map(|f| f.weights.iter().chain(&f.head));
                    prop_assert!(all.into_iter().all(|x| x.is_finite()));
                }
                Err(error) => prop_assert!(error.to_string().starts_with("w.csv")),
            }
        }
    }

    /// Any text is effects of numbers within their ranges, or a sentence that names the file.
    #[test]
    fn no_text_makes_effects_of_nonsense(
        lines in proptest::collection::vec(
            (
                "(|\\[wind\\]|\\[head\\]|\\[\\[(fat|palsy|bone|object|map|injection)\\]\\])\n",
                "(amount|strength|place|turn|gravity|shift|part|region|of|velocity|[a-z]{1,6})",
                "([-0-9.e]{1,6}|\\[{1,3}[-0-9.,e\\[\\] naif]{0,20}\\]{0,3}|'(left|chin|mass|x)')",
            ),
            0..6,
        ),
    ) {
        let text: String =
            lines.iter().map(|(table, key, value)| format!("{table}{key} = {value}\n")).collect();
        match Effects::parse(Path::new("E.toml"), &text) {
            Ok(effects) => {
                prop_assert!(effects.gravity.is_none_or(|track| track.at(0.3).is_finite()));
                prop_assert!(effects.fat.iter().all(|fat| (0.1..=8.0).contains(&fat.amount.at(0.3))));
            }
            Err(error) => {
                let error = error.to_string();
                prop_assert!(error.starts_with("E.toml: ") && !error.contains('\n'), "{}", error);
            }
        }
    }
}

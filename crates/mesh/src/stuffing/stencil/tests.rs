use super::*;
use crate::mesh::Mesh;
use crate::quality::{dihedral_range, min_dihedral};
use crate::stuffing::field::Field;
use crate::stuffing::octree::Octree;
use crate::topology::boundary_of_tets;
use pliant_math::team::Team;
use proptest::prelude::*;

/// A ball around a place: everything about it is known.
struct Ball(DVec3, f64);

impl Field for Ball {
    fn value(&self, p: DVec3) -> f64 {
        (self.1 - p.distance(self.0)).clamp(-1.0, 1.0)
    }
    fn closest(&self, p: DVec3, reach: f64) -> Option<DVec3> {
        let away = (p - self.0).normalize_or(DVec3::X);
        Some(self.0 + self.1 * away).filter(|q| q.distance(p) < reach)
    }
    fn limit(&self) -> f64 {
        1.0
    }
}

const FRAME: Frame = Frame { base: DVec3::ZERO, size: 1.0 };

fn filled(field: &Ball, depth: u8, coarsest: u8) -> (Octree, Lattice, Filling) {
    let team = Team::new(1);
    let mut tree = Octree::new(FRAME, depth, coarsest, field, &team).unwrap();
    loop {
        let lattice = Lattice::new(&tree);
        let values: Vec<f64> =
            lattice.keys.iter().map(|&k| field.value(FRAME.place(unpack(k)))).collect();
        match fill(&lattice, &FRAME, &values) {
            Ok(filling) => return (tree, lattice, filling),
            Err(coarse) => tree.refine(&coarse, field, coarsest, &team).unwrap(),
        }
    }
}

/// Every face between two tets, or on the boundary, which is closed.
fn assert_conforming(filling: &Filling) {
    let mesh = Mesh::solid(filling.positions.clone(), filling.tets.clone());
    let shell = Mesh::surface(mesh.positions.clone(), boundary_of_tets(&mesh.tets));
    // A face that two tets do not share though they touch would be counted as boundary twice.
    assert!((shell.volume() - mesh.volume()).abs() < 1e-9 * mesh.volume());
    for v in shell.triangles.iter().flatten() {
        assert!(filling.on_boundary[*v as usize], "a crack inside");
    }
}

#[test]
fn a_ball_is_filled_without_cracks_coarse_inside() {
    let ball = Ball(DVec3::new(16.1, 15.7, 16.4), 12.3);
    let (_, _, uniform) = filled(&ball, 5, 0);
    let (_, _, graded) = filled(&ball, 5, 3);
    for filling in [&uniform, &graded] {
        assert_conforming(filling);
        let mesh = Mesh::solid(filling.positions.clone(), filling.tets.clone());
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 12.3f64.powi(3);
        assert!((mesh.volume() / exact - 1.0).abs() < 0.01, "{} of {exact}", mesh.volume());
        assert!(min_dihedral(&mesh) > 10.7, "{}", min_dihedral(&mesh));
    }
    assert!(graded.tets.len() * 3 < uniform.tets.len() * 2);
}

#[test]
fn points_are_located_with_their_weights() {
    let ball = Ball(DVec3::splat(8.0), 5.0);
    let (tree, lattice, _) = filled(&ball, 4, 0);
    for k in 0..500 {
        let t = f64::from(k);
        let p = DVec3::splat(8.0) + 4.0 * DVec3::new(t.sin(), (1.9 * t).cos(), (0.7 * t).sin());
        let (corners, weights) = lattice.locate(&tree, (2.0 * p).to_array()).unwrap();
        assert!(weights.iter().all(|w| *w >= -1e-12), "{weights:?}");
        let there: DVec3 = corners
            .iter()
            .zip(weights)
            .map(|(&v, w)| w * FRAME.place(unpack(lattice.keys[v as usize])))
            .sum();
        assert!((there - p).length() < 1e-12, "{there} instead of {p}");
        assert!(lattice.regular.iter().any(|Regular(t)| corners.iter().all(|c| t.contains(c))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    /// The promise that everything else is built on: whatever the values, no flat tet.
    #[test]
    fn any_values_give_good_angles(seed in any::<u64>(), inside in 0.2f64..0.8) {
        let everywhere = Ball(DVec3::splat(4.0), 3.0);
        let tree = Octree::new(FRAME, 3, 0, &everywhere, &Team::new(1)).unwrap();
        let mut lattice = Lattice::new(&tree);
        lattice.rims.clear();
        let mut state = seed | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let values: Vec<f64> = lattice.keys.iter().map(|_| {
            // Many orders of magnitude: cuts at every place along the edges.
            let size = 10f64.powf(4.0 * random() - 4.0);
            if random() < inside { size } else { -size }
        }).collect();
        lattice.graded.clear();
        let filling = fill(&lattice, &FRAME, &values).unwrap();
        for tet in &filling.tets {
            let (least, most) = dihedral_range(tet.map(|v| filling.positions[v as usize]));
            prop_assert!(least > 10.0, "{least}");
            prop_assert!(most < 166.0, "{most}");
        }
    }
}

use super::*;
use crate::shapes;
use crate::testing::euler;
use crate::tetrahedralise::Resolution;

/// A hairpin: two arms joined at one end, whose gap is `gap`.
fn hairpin(gap: f64) -> Mesh {
    let solid = shapes::solid_box(DVec3::new(8.0, 1.0, 1.0), [48, 6, 6]).unwrap();
    let mut mesh = Mesh::surface(solid.positions, solid.triangles);
    let inner = 0.5 * gap;
    for x in &mut mesh.positions {
        // Bent about the middle by half a turn of a circle of radius `bend`.
        let (along, across) = (x.x, x.y + 0.5);
        let bend = 0.8;
        let half = 0.5 * std::f64::consts::PI * bend;
        let far = (along.abs() - half).max(0.0);
        let angle = along.clamp(-half, half) / bend;
        let radius = bend + across;
        let mut to = DVec3::new(-radius * angle.cos() + far, radius * angle.sin(), x.z);
        // The arms close towards their ends.
        let closing = (far / 2.0).min(1.0) * (bend - inner);
        to.y -= closing * along.signum() * f64::from(far > 0.0);
        *x = to;
    }
    mesh
}

#[test]
fn arms_that_touch_or_cross_are_not_welded() {
    let options = TetOptions { resolution: Resolution::Cells(20), ..TetOptions::default() };
    let team = Team::new(2);
    let open = hairpin(1.6);
    for gap in [0.02, -0.3] {
        let shut = hairpin(gap);
        let welded = tetrahedralise(&shut, &options, &team).unwrap();
        let apart = tetrahedralise_separated(&shut, &open, &options, &team).unwrap();
        assert_eq!(apart.report.inverted, 0);
        assert!(apart.report.min_dihedral > 5.0, "{}", apart.report.min_dihedral);
        let used = used_vertices(&shut);
        let outside = apart.embedding.outside();
        assert_eq!(outside.iter().filter(|&&v| used[v as usize]).count(), 0);
        let back = apart.embedding.positions(&apart.solid);
        let furthest =
            back.iter().zip(&shut.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(furthest < 1e-9, "{furthest}");
        // Welding makes a ring of the pin.
        assert_eq!(euler(&apart.solid), 1);
        assert_ne!(euler(&welded.solid), 1);
    }
}

#[test]
fn vertices_stay_on_their_side_where_arms_cross() {
    let options = TetOptions { resolution: Resolution::Cells(20), ..TetOptions::default() };
    let (open, shut) = (hairpin(1.6), hairpin(-0.3));
    let team = Team::new(1);
    let apart = tetrahedralise(&open, &options, &team).unwrap();
    let carried = tetrahedralise_separated(&shut, &open, &options, &team).unwrap();
    let used = used_vertices(&shut);
    for v in (0..open.positions.len()).filter(|&v| used[v]) {
        // The same tets where they were made: there, the side is plain to see.
        let tet = apart.solid.corners(carried.embedding.tets[v] as usize).unwrap();
        let middle = 0.25 * tet.iter().sum::<DVec3>();
        let there = open.positions[v];
        assert!(there.x < 1.0 || there.y * middle.y > 0.0, "vertex {v}: {there} in {middle}");
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let options = TetOptions { resolution: Resolution::Cells(12), ..TetOptions::default() };
    let carried = |threads: usize| {
        let team = Team::new(threads);
        tetrahedralise_separated(&hairpin(-0.3), &hairpin(1.6), &options, &team).unwrap()
    };
    let (one, three) = (carried(1), carried(3));
    assert!(one.solid == three.solid);
    assert!(one.embedding == three.embedding);
}

#[test]
fn vertices_without_triangles_pull_at_nothing() {
    let options = TetOptions { resolution: Resolution::Cells(12), ..TetOptions::default() };
    let (mut shut, mut open) = (hairpin(0.02), hairpin(1.6));
    let team = Team::new(1);
    let without = tetrahedralise_separated(&shut, &open, &options, &team).unwrap();
    shut.positions.extend([DVec3::splat(30.0), DVec3::NAN]);
    open.positions.extend([DVec3::NAN, DVec3::splat(-9.0)]);
    let with = tetrahedralise_separated(&shut, &open, &options, &team).unwrap();
    assert!(with.solid == without.solid);
    assert!(with.embedding.weights.iter().flatten().all(|w| w.is_finite()));
}

#[test]
fn a_pose_that_cannot_be_reached_is_told_and_does_no_harm() {
    let options = TetOptions { resolution: Resolution::Cells(8), ..TetOptions::default() };
    let open = hairpin(1.6);
    let mut mirrored = open.clone();
    mirrored.positions.iter_mut().for_each(|x| x.z = -x.z);
    let turned = tetrahedralise_separated(&mirrored, &open, &options, &Team::new(2)).unwrap();
    assert!(turned.report.inverted > 0 || turned.report.embedded < open.positions.len());
    let mut point = open.clone();
    point.positions.iter_mut().for_each(|x| *x = DVec3::ONE);
    let collapsed = tetrahedralise_separated(&point, &open, &options, &Team::new(2)).unwrap();
    assert!(collapsed.solid.positions.iter().all(|x| x.is_finite()));
}

#[test]
fn another_surface_is_refused() {
    let (one, other) = (hairpin(1.6), Mesh::default());
    let error = tetrahedralise_separated(&one, &other, &TetOptions::default(), &Team::new(1));
    assert!(error.unwrap_err().to_string().starts_with("the separated pose has 0 vertices"));
}

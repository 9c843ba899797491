use super::*;
use crate::shapes;
use crate::testing::joined;
use crate::topology::boundary_of_tets;

fn filled(surface: &Mesh, cells: u32) -> Tetrahedralised {
    let options = TetOptions { resolution: Resolution::Cells(cells), ..TetOptions::default() };
    let filled = tetrahedralise(surface, &options, &Team::new(2)).unwrap();
    assert_sound(surface, &filled);
    filled
}

/// What is promised of every surface.
fn assert_sound(surface: &Mesh, filled: &Tetrahedralised) {
    let Tetrahedralised { solid, embedding, report } = filled;
    assert_eq!(report.inverted, 0);
    assert!(report.min_dihedral >= 8.0, "{}", report.min_dihedral);
    let back = embedding.positions(solid);
    let used = used_vertices(surface);
    for (v, used) in used.into_iter().enumerate() {
        if used {
            assert!(embedding.weights[v].iter().all(|w| *w >= -1e-9), "vertex {v}");
            assert!((back[v] - surface.positions[v]).length() < 1e-9 * report.size.max(1.0));
        }
    }
    assert_eq!(boundary_of_tets(&solid.tets), solid.triangles);
}

fn shell(size: DVec3, cells: [usize; 3]) -> Mesh {
    let solid = shapes::solid_box(size, cells).unwrap();
    Mesh::surface(solid.positions, solid.triangles)
}

fn moved(mut mesh: Mesh, by: DVec3) -> Mesh {
    mesh.positions.iter_mut().for_each(|x| *x += by);
    mesh
}

#[test]
fn a_closed_body_keeps_its_volume() {
    let jelly = shapes::jelly(20).unwrap();
    let surface = Mesh::surface(jelly.positions.clone(), jelly.triangles.clone());
    let filled = filled(&surface, 40);
    let ratio = filled.solid.volume() / surface.volume();
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    assert_eq!(filled.report.components, 1);
    assert!(filled.report.closed);
}

#[test]
fn a_triangle_that_is_there_twice_and_encloses_nothing_is_enclosed() {
    let corners = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.02]].map(DVec3::from_array);
    let twice = Mesh::surface(corners.to_vec(), vec![[0, 1, 2], [0, 2, 1]]);
    let apart = moved(twice, DVec3::new(0.0, 1.5, 0.0));
    let filled = filled(&joined(&[shell(DVec3::ONE, [2, 2, 2]), apart]), 20);
    assert_eq!(filled.report.embedded, 27 + 3);
}

#[test]
fn open_inward_doubled_and_crossing_surfaces_are_filled() {
    let cube = shell(DVec3::splat(2.0), [4, 4, 4]);
    let mut inward = cube.clone();
    inward.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let mut open = cube.clone();
    open.triangles.retain(|t| t.iter().any(|&v| cube.positions[v as usize].y < 0.9));
    let doubled = joined(&[cube.clone(), cube.clone()]);
    for surface in [&inward, &open, &doubled] {
        let ratio = filled(surface, 16).solid.volume() / 8.0;
        assert!((ratio - 1.0).abs() < 0.12, "{ratio}");
    }
    let crossing = joined(&[cube.clone(), moved(cube, DVec3::new(1.0, 0.7, 0.3))]);
    let both = filled(&crossing, 24);
    let overlap = 1.0 * 1.3 * 1.7;
    assert!((both.solid.volume() / (16.0 - overlap) - 1.0).abs() < 0.08);
    assert_eq!(both.report.components, 1);
}

#[test]
fn sheets_and_whiskers_are_covered_and_thickened() {
    let (sheet, _) = shapes::cloth([1.0, 1.0], [7, 5]).unwrap();
    let covered = filled(&sheet, 20);
    assert_eq!(covered.report.components, 1);
    let mut flat = shell(DVec3::new(1.0, 1.0, 0.6), [1, 1, 1]);
    flat.positions.iter_mut().for_each(|x| x.y = 0.3 * x.x);
    let ratio = filled(&flat, 30).solid.volume() / 0.6;
    assert_eq!(filled(&flat, 30).report.components, 1);
    // Half a cell to two cells thick.
    assert!(ratio > 0.5 / 30.0 && ratio < 2.0 / 30.0, "{ratio}");
    let whisker = shell(DVec3::new(1.0, 1e-4, 2e-4), [1, 1, 1]);
    assert_eq!(filled(&whisker, 15).report.components, 1);
    let options =
        TetOptions { thicken: 0.3, resolution: Resolution::Cells(20), ..TetOptions::default() };
    let thick = tetrahedralise(&sheet, &options, &Team::new(1)).unwrap();
    assert_sound(&sheet, &thick);
    // A slab with a rounded rim.
    let slab = 0.3
        + 4.0 * std::f64::consts::PI * 0.15 * 0.15 / 2.0
        + 4.0 / 3.0 * std::f64::consts::PI * 0.15f64.powi(3);
    assert!((thick.solid.volume() / slab - 1.0).abs() < 0.1, "{} {slab}", thick.solid.volume());
}

/// A cone with a very thin tip, beside the lattice's axes.
fn spike() -> Mesh {
    let axis = DVec3::new(1.0, 0.37, 0.23);
    let (across, along) = (axis.cross(DVec3::Z).normalize(), axis.normalize());
    let other = along.cross(across);
    let around = 9;
    let ring = (0..around).map(|k| {
        let (sine, cosine) = (std::f64::consts::TAU * f64::from(k) / f64::from(around)).sin_cos();
        0.08 * (cosine * across + sine * other)
    });
    let mut positions: Vec<DVec3> = ring.collect();
    positions.extend([axis, -0.05 * axis]);
    let n = around as u32;
    let sides = (0..n).flat_map(|k| [[k, (k + 1) % n, n], [(k + 1) % n, k, n + 1]]);
    Mesh::surface(positions, sides.collect())
}

#[test]
fn thin_tips_and_flat_bodies_stay_in_one_piece() {
    for cells in [12, 25, 40] {
        assert_eq!(filled(&spike(), cells).report.components, 1, "{cells}");
    }
    // Slanted and almost flat: without tets between its few vertices it would have holes.
    let corners = [[0.0, 0.0, 0.0], [0.65, -1.3, 0.65], [0.1, -1.0, 1.0], [2.0, -2.0, -0.5]];
    let faces = vec![[2, 1, 0], [1, 3, 0], [3, 2, 0], [3, 1, 2]];
    let flat = Mesh::surface(corners.map(DVec3::from_array).to_vec(), faces);
    assert_eq!(filled(&flat, 40).report.components, 1);
    // What is apart stays apart.
    let two = joined(&[spike(), moved(spike(), DVec3::Y)]);
    assert_eq!(filled(&two, 30).report.components, 2);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (sheet, _) = shapes::cloth([1.0, 1.0], [7, 5]).unwrap();
    let both = joined(&[sheet, shell(DVec3::splat(0.4), [2, 2, 2])]);
    let options = TetOptions::default();
    let one = tetrahedralise(&both, &options, &Team::new(1)).unwrap();
    let three = tetrahedralise(&both, &options, &Team::new(3)).unwrap();
    assert_eq!(one.solid, three.solid);
    assert_eq!(one.embedding, three.embedding);
}

#[test]
fn strays_and_nonsense_do_no_harm() {
    let mut cube = shell(DVec3::ONE, [2, 2, 2]);
    cube.positions.extend([DVec3::NAN, DVec3::splat(50.0)]);
    let stray = cube.positions.len() as u32 - 2;
    cube.triangles.extend([[0, 1, stray], [0, 0, 1], [0, 1, 9999]]);
    let filled = filled(&cube, 10);
    assert_eq!(filled.report.embedded, cube.positions.len() - 2);
    let fail = |surface: &Mesh, options: &TetOptions| {
        tetrahedralise(surface, options, &Team::new(1)).unwrap_err().to_string()
    };
    let options = TetOptions::default();
    assert!(fail(&Mesh::default(), &options).contains("nothing to fill"));
    let point = Mesh::surface(vec![DVec3::ONE; 3], vec![[0, 1, 2]]);
    assert!(fail(&point, &options).contains("longest side"));
    let cells = |count| TetOptions { resolution: Resolution::Cells(count), ..options };
    assert!(fail(&cube, &cells(0)).contains("resolution is 0"));
    assert!(fail(&cube, &cells(1_000_000)).contains("more than"));
    let size = |size| TetOptions { resolution: Resolution::Size(size), ..options };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(fail(&cube, &size(bad)).contains("size is"));
    }
    assert!(fail(&cube, &TetOptions { thicken: -1.0, ..options }).contains("thicken"));
}

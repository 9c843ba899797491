//! Sentences about pictures: coverage, hiding, shadow, independence of threads, and that no
//! input makes the renderer panic.

use glam::DVec3;
use proptest::prelude::*;

use super::*;

const RED: Material = Material { colour: [0.9, 0.02, 0.02], gloss: 0.0, translucency: 0.0 };
const BLUE: Material = RED.coloured([0.02, 0.02, 0.9]);

fn square(centre: DVec3, half: f64) -> [DVec3; 4] {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y)| centre + half * DVec3::new(x, y, 0.0))
}

const SQUARE: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn ahead() -> Camera {
    Camera { eye: DVec3::Z * 10.0, target: DVec3::ZERO, up: DVec3::Y, field_of_view: 40.0 }
}

fn small(threads: usize) -> Settings {
    Settings { width: 200, height: 150, threads }
}

fn redness(c: [u8; 3]) -> i32 {
    i32::from(c[0]) - i32::from(c[2])
}

/// A lumpy ball over the floor, fine enough for many triangles per tile.
fn ball() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (rows, columns) = (24u32, 32u32);
    let points = (0..=rows)
        .flat_map(|i| {
            (0..columns).map(move |j| {
                let (theta, phi) = (3.2 * f64::from(i) / 24.0, 6.4 * f64::from(j) / 32.0);
                let radius = 1.0 + 0.1 * (5.0 * phi).sin();
                let (s, c) = theta.sin_cos();
                DVec3::new(radius * s * phi.cos(), 1.3 + c, radius * s * phi.sin())
            })
        })
        .collect();
    let at = |i: u32, j: u32| i * columns + j % columns;
    let triangles = (0..rows)
        .flat_map(|i| {
            (0..columns).flat_map(move |j| {
                [
                    [at(i, j), at(i, j + 1), at(i + 1, j)],
                    [at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)],
                ]
            })
        })
        .collect();
    (points, triangles)
}

#[test]
fn a_triangle_covers_its_projected_area() {
    let points =
        [DVec3::new(-1.3, -1.1, 0.0), DVec3::new(1.7, -0.6, 0.0), DVec3::new(0.2, 1.9, 0.0)];
    let object = Object::new(&points[..], &[[0, 1, 2]], RED);
    let scene = Scene { objects: vec![object], ..Scene::default() };
    let view = View::new(&ahead(), 200, 150).unwrap();
    let p = points.map(|p| view.project(p).0);
    let area = 0.5
        * ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]))
            .abs();
    let facets = Facets::of(&scene, DVec3::ZERO);
    let bins = Bins::new(&facets.list, &view, 200, 150, 0.01);
    let mut samples = Samples::new();
    let covered: usize = (0..bins.tile_count())
        .map(|tile| {
            bins.resolve(tile, None, &mut samples);
            samples.seen.iter().flatten().filter(|&&s| s == 0).count()
        })
        .sum();
    let covered = covered as f64 / SAMPLES as f64;
    assert!((covered - area).abs() < 0.005 * area, "{covered} px of {area} px");
    let picture = render(&scene, &ahead(), &small(1)).unwrap();
    let red = picture.rgb.chunks(3).filter(|c| redness([c[0], c[1], c[2]]) > 60).count() as f64;
    assert!((red - area).abs() < 0.05 * area, "{red} px of {area} px");
}

#[test]
fn triangles_that_share_edges_leave_no_gap() {
    // A fan of slivers around an inner point, seen over a blue wall: no blue may shine through.
    let rim = 97u32;
    let mut points = vec![DVec3::new(0.013, 0.027, 0.0)];
    points.extend((0..rim).map(|i| {
        let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(rim)).sin_cos();
        3.0 * DVec3::new(c, s, 0.0)
    }));
    let fan: Vec<[u32; 3]> = (0..rim).map(|i| [0, 1 + i, 1 + (i + 1) % rim]).collect();
    let wall = square(DVec3::NEG_Z, 9.0);
    let objects = vec![Object::new(&wall[..], &SQUARE, BLUE), Object::new(&points[..], &fan, RED)];
    let scene = Scene { objects, ..Scene::default() };
    let facets = Facets::of(&scene, DVec3::ZERO);
    let view = View::new(&ahead(), 200, 150).unwrap();
    let bins = Bins::new(&facets.list, &view, 200, 150, 0.01);
    let mut samples = Samples::new();
    for tile in 0..bins.tile_count() {
        bins.resolve(tile, None, &mut samples);
        let [left, top] = bins.corner(tile);
        for (pixel, seen) in samples.seen.iter().enumerate() {
            let x = (left + pixel % TILE) as f64 - 100.0;
            let y = (top + pixel / TILE) as f64 - 75.0;
            if x.hypot(y) < 55.0 {
                assert!(seen.iter().all(|&s| (2..raster::GROUND).contains(&s)), "gap at {x}, {y}");
            }
        }
    }
}

#[test]
fn the_nearer_hides_the_farther_in_any_order() {
    let (near, far) = (square(DVec3::Z, 1.0), square(DVec3::NEG_Z, 2.0));
    let red = Object::new(&near[..], &SQUARE, RED);
    let blue = Object::new(&far[..], &SQUARE, BLUE);
    for objects in [vec![red, blue], vec![blue, red]] {
        let scene = Scene { objects, ..Scene::default() };
        let picture = render(&scene, &ahead(), &small(1)).unwrap();
        assert!(redness(picture.pixel(100, 75).unwrap()) > 60);
        assert!(redness(picture.pixel(100, 40).unwrap()) < -60);
    }
}

#[test]
fn a_shadow_darkens_the_floor_under_an_object() {
    let (points, triangles) = ball();
    let object = Object::new(&points[..], &triangles, RED);
    let bare = Scene { ground: Some(Ground::at(0.0)), light: Some(DVec3::Y), ..Scene::default() };
    let scene = Scene { objects: vec![object], ..bare.clone() };
    let camera = Camera { eye: DVec3::new(0.0, 4.0, 9.0), target: DVec3::Y, ..ahead() };
    let view = View::new(&camera, 200, 150).unwrap();
    let brightness = |scene: &Scene, floor: DVec3| {
        let [x, y] = view.project(floor).0;
        let picture = render(scene, &camera, &small(1)).unwrap();
        i32::from(picture.pixel(x as usize, y as usize).unwrap()[1])
    };
    let (under, aside) = (DVec3::new(0.0, 0.0, 0.75), DVec3::new(2.6, 0.0, 0.6));
    assert!(brightness(&scene, under) < brightness(&bare, under) - 40);
    assert!((brightness(&scene, aside) - brightness(&bare, aside)).abs() < 8);
}

#[test]
fn the_picture_does_not_depend_on_the_number_of_threads() {
    let (points, triangles) = ball();
    let mut object = Object::new(&points[..], &triangles, Material::JELLY);
    object.wireframe = true;
    object.highlighted = &[3, 500];
    let ground = Some(Ground { grid: 0.5, ..Ground::at(0.0) });
    let scene = Scene { objects: vec![object], ground, ..Scene::default() };
    let camera =
        Camera::framing(Bounds::of(points.iter().copied()), DVec3::new(0.5, -0.6, -1.0), 1.3);
    let one = render(&scene, &camera, &small(1)).unwrap();
    for threads in [2, 3, 0] {
        assert!(one == render(&scene, &camera, &small(threads)).unwrap());
    }
}

#[test]
fn highlighted_triangles_are_red_and_vertex_colours_replace_the_material() {
    let points = square(DVec3::ZERO, 2.0);
    let plain = Object::new(&points[..], &SQUARE, BLUE);
    let look = |object: Object| {
        let scene = Scene { objects: vec![object], ..Scene::default() };
        let picture = render(&scene, &ahead(), &small(1)).unwrap();
        // The first triangle is to the lower right of the diagonal, the second to its upper left.
        [picture.pixel(115, 85).unwrap(), picture.pixel(85, 65).unwrap()].map(redness)
    };
    let [first, second] = look(Object { highlighted: &[0, 77], ..plain });
    assert!(first > 60 && second < -60, "{first} {second}");
    let red = [[0.9, 0.0, 0.0]; 4];
    assert!(look(Object { colours: Some(&red), ..plain }).into_iter().all(|r| r > 60));
    assert!(look(Object { colours: Some(&red[..3]), ..plain }).into_iter().all(|r| r < -60));
}

#[test]
fn both_sides_of_a_sheet_are_lit_alike() {
    let points = square(DVec3::ZERO, 2.0);
    let centre = |triangles: &[[u32; 3]]| {
        let scene =
            Scene { objects: vec![Object::new(&points[..], triangles, RED)], ..Scene::default() };
        render(&scene, &ahead(), &small(1)).unwrap().pixel(103, 75).unwrap()
    };
    assert_eq!(centre(&SQUARE), centre(&SQUARE.map(|[a, b, c]| [a, c, b])));
}

#[test]
fn a_scene_far_from_the_origin_looks_the_same() {
    let (points, triangles) = ball();
    let draw = |shift: DVec3| {
        let points: Vec<DVec3> = points.iter().map(|p| p + shift).collect();
        let scene = Scene {
            objects: vec![Object::new(&points[..], &triangles, RED)],
            ground: Some(Ground::at(shift.y)),
            ..Scene::default()
        };
        let camera =
            Camera { eye: shift + DVec3::new(0.0, 3.0, 8.0), target: shift + DVec3::Y, ..ahead() };
        render(&scene, &camera, &small(1)).unwrap()
    };
    let (here, there) = (draw(DVec3::ZERO), draw(DVec3::new(3e6, -2e6, 1e6)));
    let differing = here.rgb.iter().zip(&there.rgb).filter(|(a, b)| a.abs_diff(**b) > 3).count();
    assert!(differing < here.rgb.len() / 500, "{differing} bytes differ");
}

#[test]
fn an_object_that_surrounds_the_eye_is_clipped_at_it() {
    // A floor made of two huge triangles that reach behind the camera fills the lower half.
    let points = [[-1e4, -1.0, -1e4], [1e4, -1.0, -1e4], [1e4, -1.0, 1e4], [-1e4, -1.0, 1e4]]
        .map(DVec3::from_array);
    let scene = Scene { objects: vec![Object::new(&points[..], &SQUARE, RED)], ..Scene::default() };
    let picture = render(&scene, &ahead(), &small(1)).unwrap();
    assert!((0..200).all(|x| redness(picture.pixel(x, 149).unwrap()) > 60));
    assert!((0..200).all(|x| redness(picture.pixel(x, 70).unwrap()) < 30));
}

#[test]
fn sizes_that_cannot_be_made_are_refused() {
    for (width, height) in [(0, 10), (10, 0), (1 << 40, 3), (16_384, 16_384)] {
        let settings = Settings { width, height, threads: 1 };
        assert!(matches!(render(&Scene::default(), &ahead(), &settings), Err(Error::Size { .. })));
    }
}

fn wild() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -2.0..2.0f32,
        1 => prop::sample::select(vec![0.0, f32::NAN, f32::INFINITY, f32::MAX, f32::MIN_POSITIVE, -1e20, 1e-20]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_input_makes_the_renderer_panic(
        points in prop::collection::vec(prop::array::uniform3(wild()), 0..12),
        triangles in prop::collection::vec(prop::array::uniform3(0..14u32), 0..12),
        eye in prop::array::uniform3(wild()),
        floor in wild(),
        grid in wild(),
        light in prop::array::uniform3(wild()),
        shine in wild(),
    ) {
        let wide = |p: [f32; 3]| DVec3::from_array(p.map(f64::from));
        let material = Material { gloss: shine, translucency: shine, colour: [shine, 0.5, floor] };
        let mut object = Object::new(&points[..], &triangles, material);
        object.wireframe = true;
        let scene = Scene {
            objects: vec![object],
            ground: Some(Ground { height: floor.into(), grid: grid.into(), ..Ground::at(0.0) }),
            light: Some(wide(light)),
            ..Scene::default()
        };
        let settings = Settings { width: 41, height: 33, threads: 1 };
        let _ = render(&scene, &Camera { eye: wide(eye), ..ahead() }, &settings);
        let bounds = Bounds::of(points.iter().map(|p| wide(*p)));
        let _ = render(&scene, &Camera::framing(bounds, wide(eye), 1.2), &settings);
    }
}

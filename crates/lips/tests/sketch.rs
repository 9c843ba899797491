//! Contours drawn over a mouth.

use glam::DVec2;
use pliant_lips::performance::Performance;
use pliant_lips::sketch::{Camera, Contour, Contours, SketchOptions, SketchReport, sketch};
use pliant_math::team::Team;
use pliant_mesh::diagnosis::{self, FindingKind};
use pliant_mesh::{DVec3, Mesh};

const CAMERA: &str = r#"{ "eye": [0.0, 0.02, 0.5], "target": [0, 0, 0], "field_of_view": 14,
    "width": 1000, "height": 1000 }"#;

struct Studio {
    show: Performance,
    camera: Camera,
}

impl Studio {
    fn new() -> Studio {
        let show = Performance::new(96, 36).unwrap();
        Studio { show, camera: Camera::parse(CAMERA).unwrap() }
    }

    fn mesh(&self, frame: usize) -> Mesh {
        Mesh { positions: self.show.truth(frame), ..self.show.rest().clone() }
    }

    fn pixel(&self, mesh: &Mesh, v: u32) -> DVec2 {
        self.camera.pixel(mesh.positions[v as usize]).unwrap()
    }

    fn draw(&self, mesh: &Mesh, contour: Contour) -> (Mesh, SketchReport) {
        let contours = Contours(vec![contour]);
        let (inner, options) = (self.show.inner(), SketchOptions::default());
        let (positions, report) =
            sketch(mesh, &inner, &self.camera, &contours, options, &Team::new(1)).unwrap();
        (Mesh { positions, ..mesh.clone() }, report)
    }
}

fn crossings(mesh: &Mesh) -> usize {
    let found = diagnosis::findings(mesh);
    found.iter().filter(|f| f.kind == FindingKind::SelfIntersection).map(|f| f.count).sum()
}

/// The frame with the widest open mouth.
fn widest(show: &Performance) -> usize {
    let seeds = show.seeds();
    let opening = |frame: &usize| {
        let x = show.truth(*frame);
        x[seeds[1] as usize].distance(x[seeds[3] as usize])
    };
    (0..276).max_by(|a, b| opening(a).total_cmp(&opening(b))).unwrap()
}

/// How far the middles of the lips are apart.
fn opening(show: &Performance, mesh: &Mesh) -> f64 {
    let seeds = show.seeds();
    mesh.positions[seeds[1] as usize].distance(mesh.positions[seeds[3] as usize])
}

#[test]
fn a_line_drawn_over_an_open_mouth_closes_it_without_crossing() {
    let studio = Studio::new();
    let mesh = studio.mesh(widest(&studio.show));
    let seeds = studio.show.seeds();
    let [right, _, left, _] = seeds[..] else { panic!("four seeds") };
    let (a, b) = (studio.pixel(&mesh, left), studio.pixel(&mesh, right));
    let sag = DVec2::new(0.0, 12.0);
    let line: Vec<[f64; 2]> = (0..=8)
        .map(|k| f64::from(k) / 8.0)
        .map(|t| (a.lerp(b, t) + 4.0 * t * (1.0 - t) * sag).to_array())
        .collect();
    let mut contour = Contour::new(line, false, None);
    contour.ring = Some(seeds);
    let (closed, report) = studio.draw(&mesh, contour);
    println!("{report:?}, open {:.2} mm", 1e3 * opening(&studio.show, &mesh));
    assert!(opening(&studio.show, &mesh) > 0.008, "it was open");
    assert!(opening(&studio.show, &closed) < 3e-4, "it is closed");
    assert!(report.mean_pixels < 0.5 && report.max_pixels < 2.0, "{report:?}");
    assert!(report.penetration < 1e-5, "{report:?}");
    assert_eq!((crossings(&mesh), crossings(&closed)), (0, 0), "nothing passes through anything");
    let inner = studio.show.inner();
    let outside = (0..mesh.positions.len()).filter(|v| inner.binary_search(&(*v as u32)).is_err());
    outside.for_each(|v| assert_eq!(mesh.positions[v], closed.positions[v]));
}

#[test]
fn a_closed_contour_opens_a_closed_mouth() {
    let studio = Studio::new();
    let mesh = studio.show.rest().clone();
    let seeds = studio.show.seeds();
    let (right, left) = (studio.pixel(&mesh, seeds[0]), studio.pixel(&mesh, seeds[2]));
    let (middle, half) = (0.5 * (left + right), 0.5 * left.distance(right));
    // An ellipse, begun somewhere and drawn the other way round.
    let ellipse: Vec<[f64; 2]> = (0..40)
        .map(|k| 1.0 - 0.157 * f64::from(k))
        .map(|t| [middle.x + 0.97 * half * t.cos(), middle.y + 50.0 * t.sin()])
        .collect();
    let mut contour = Contour::new(ellipse, true, None);
    contour.ring = Some(seeds);
    let (open, report) = studio.draw(&mesh, contour);
    println!("{report:?}, now open {:.2} mm", 1e3 * opening(&studio.show, &open));
    assert!(opening(&studio.show, &open) > 0.009);
    assert!(report.mean_pixels < 1.0, "{report:?}");
    assert!(crossings(&open) <= crossings(&mesh));
}

#[test]
fn a_silhouette_follows_a_line_without_being_told_which_vertices() {
    let studio = Studio::new();
    let frame = widest(&studio.show);
    let mesh = studio.mesh(frame);
    // Over the lower edge of the upper lip, a bit lower, and short of the corners.
    let seeds = studio.show.seeds();
    let top = studio.pixel(&mesh, seeds[1]);
    let line = vec![[top.x - 60.0, top.y + 22.0], [top.x + 60.0, top.y + 22.0]];
    let (lowered, report) = studio.draw(&mesh, Contour::new(line, false, None));
    println!("{report:?}");
    assert!(report.vertices > 5 && report.max_pixels < 3.0, "{report:?}");
    let sunk = mesh.positions[seeds[1] as usize].y - lowered.positions[seeds[1] as usize].y;
    assert!(sunk > 0.001, "the lip sank by {sunk} m");
}

#[test]
fn bad_sketches_are_one_sentence() {
    let studio = Studio::new();
    let mesh = studio.mesh(30);
    let say = |contour: &str, inner: &[u32], camera: &str| {
        let (camera, contours) =
            (Camera::parse(camera).unwrap(), Contours::parse(contour).unwrap());
        let options = SketchOptions::default();
        sketch(&mesh, inner, &camera, &contours, options, &Team::new(1)).unwrap_err().to_string()
    };
    let inner = studio.show.inner();
    let line = r#"{ "points": [[400, 500], [600, 500]], "vertices": [VERTICES] }"#;
    let of = |vertices: &str| line.replace("VERTICES", vertices);
    let text = say(&of("99999"), &inner, CAMERA);
    assert!(text.starts_with("the contour names vertex 99999"), "{text}");
    let text = say(&of("0, 1"), &inner, CAMERA);
    assert_eq!(text, "contour 0 is of no vertex of the inner lip");
    let text = say(&of("2000"), &[], CAMERA);
    assert!(text.starts_with("the inner lip holds no vertex"), "{text}");
    let text = say(
        &of("2000"),
        &inner,
        &CAMERA.replace("0.5]", "-0.5]").replace("[0, 0, 0]", "[0, 0, -1]"),
    );
    assert!(text.contains("behind it"), "{text}");
    let seeds: Vec<String> = studio.show.seeds().iter().map(u32::to_string).collect();
    let short = of(&seeds.join(",")).replace("vertices", "loop").replace("600", "401");
    let text = say(&short, &inner, CAMERA);
    assert!(text.starts_with("the contour is too short"), "{text}");
    assert!(mesh.positions.iter().all(|x: &DVec3| x.is_finite()));
}

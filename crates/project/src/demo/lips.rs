//! A talking mouth with everything that lip correction needs, and pictures.

use std::path::Path;

use glam::DVec3;
use pliant_io::atomic::{create_folder, write_whole};
use pliant_io::{Loaded, write_mesh};
use pliant_lips::measures::{distances, heat};
use pliant_lips::performance::damage::Damage;
use pliant_lips::performance::{FPS, FRAMES, Performance};
use pliant_lips::sketch::{Camera, Contours, SketchOptions, sketch};
use pliant_lips::{Head, LipModel, RegressionOptions};
use pliant_math::team::Team;
use pliant_mesh::Mesh;
use pliant_view::{Filmstrip, FilmstripRow, Material, Object, Picture};
use serde_json::json;

use crate::driver::Watch;
use crate::error::ProjectError;
use crate::lips::{suggest, write_corrected_frame};
use crate::picture::{Size, Stage, save_png};
use crate::saved::write_animation;

/// Camera of the picture with the contour.
const CAMERA: &str = r#"{ "eye": [0.0, 0.02, 0.5], "target": [0, 0, 0], "up": [0, 1, 0],
  "field_of_view": 14, "width": 1000, "height": 1000 }
"#;
const LENGTH: f64 = 0.5;
/// How far the lips are apart in the frame that a contour closes \[m\].
const OPEN: f64 = 0.012;

/// Writes a damaged performance of a mouth with `around` vertices around it, `count` corrected
/// frames, and pictures. Returns the corrected frames.
///
/// # Errors
/// When an output cannot be written, or the caller stops.
pub fn run(
    folder: &Path,
    (around, count): (usize, usize),
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Vec<usize>, ProjectError> {
    let fix = folder.join("fix");
    create_folder(&fix)?;
    let show = Performance::new(around, 2 * around / 5)?;
    let corrected = files(&show, count, folder, (threads, watch))?;
    pictures(&show, &corrected, folder, threads)?;
    closing(&show, folder, threads)?;
    Ok(corrected)
}

/// Everything that the other commands read; returns the corrected frames.
fn files(
    show: &Performance,
    count: usize,
    folder: &Path,
    (threads, watch): (usize, &mut Watch<'_>),
) -> Result<Vec<usize>, ProjectError> {
    let rest = Loaded::from(show.rest().clone());
    write_mesh(&folder.join("rest.obj"), &rest)?;
    type Pose<'a> = &'a dyn Fn(usize) -> Vec<DVec3>;
    let poses: [(&str, Pose); 2] =
        [("capture.pc2", &|frame| show.captured(frame)), ("truth.pc2", &|frame| show.truth(frame))];
    for (name, pose) in poses {
        let path = folder.join(name);
        write_animation(&path, rest.clone(), FPS, FRAMES, |frame| Ok(pose(frame)))?;
    }
    for (name, ids) in
        [("inner.txt", show.inner()), ("mouth.txt", show.around()), ("lips.txt", show.seeds())]
    {
        let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
        write_whole(&folder.join(name), text.as_bytes())?;
    }
    let captured: Vec<Vec<DVec3>> = (0..FRAMES).map(|frame| show.captured(frame)).collect();
    let read = |frame: usize| Ok(captured[frame].clone());
    let found = suggest(&mut model(show)?, count, FRAMES, read, (threads, watch))?;
    let frames: Vec<usize> = found.iter().map(|suggestion| suggestion.frame).collect();
    for frame in &frames {
        write_corrected_frame(&folder.join("fix"), &rest, *frame, show.truth(*frame))?;
    }
    Ok(frames)
}

fn model(show: &Performance) -> Result<LipModel, ProjectError> {
    let region = show.region()?;
    Ok(LipModel::new(region, Head::default(), RegressionOptions::default())?)
}

const SIZE: Size = Size { width: 300, height: 240 };
/// The error at which the pictures are darkest \[m\].
const DARKEST: f64 = 1.5e-3;

fn skin(depth: f64) -> [f32; 3] {
    // From skin to the red of the lips.
    let (skin, lip) = ([0.87, 0.66, 0.56], [0.72, 0.33, 0.31]);
    std::array::from_fn(|c| (skin[c] + depth * (lip[c] - skin[c])) as f32)
}

/// Skin, and lips in their own colour: vertices within the red.
fn make_up(show: &Performance) -> Vec<[f32; 3]> {
    let mut colours = vec![skin(0.0); show.rest().positions.len()];
    show.red().into_iter().for_each(|(v, redness)| colours[v as usize] = skin(redness));
    colours
}

/// A frame of every kind of damage, and a good one; none of the corrected ones, and none next to
/// them.
fn shown(show: &Performance, corrected: &[usize]) -> Vec<usize> {
    type Kind<'a> = &'a dyn Fn(usize, &Damage) -> f64;
    let kinds: [Kind; 5] = [
        &|frame, _| -opening(show, frame),
        &|_, damage| damage.corners[0] - damage.corners[1] - damage.teeth,
        &|_, damage| damage.corners[1] - damage.corners[0] - damage.teeth,
        &|_, damage| damage.teeth - damage.corners[0] - damage.corners[1],
        &|_, damage| -damage.gap - damage.teeth - damage.corners[0] - damage.corners[1],
    ];
    let far = |frame: &usize| corrected.iter().all(|known| known.abs_diff(*frame) > 3);
    let most = |kind: &Kind| {
        let score = |frame: &usize| kind(*frame, &Damage::of(*frame));
        let ranked: Vec<(usize, f64)> = (0..FRAMES).filter(far).map(|f| (f, score(&f))).collect();
        ranked.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |best| best.0)
    };
    kinds.iter().map(most).collect()
}

/// How far the middles of the lips are apart \[m\].
fn opening(show: &Performance, frame: usize) -> f64 {
    let (seeds, x) = (show.seeds(), show.truth(frame));
    x[seeds[1] as usize].distance(x[seeds[3] as usize])
}

/// The frames that show most: what was captured, corrected, and true; and the errors of both.
fn pictures(
    show: &Performance,
    corrected: &[usize],
    folder: &Path,
    threads: usize,
) -> Result<(), ProjectError> {
    let mut model = model(show)?;
    let team = Team::new(threads);
    let capture: Vec<_> =
        (0..FRAMES).step_by(2).map(|frame| (frame, show.captured(frame))).collect();
    model.follow(&capture, &team)?;
    for frame in corrected {
        model.add(*frame, &show.captured(*frame), &show.truth(*frame))?;
    }
    let mut framing = Stage::framing_along(DVec3::new(-0.25, -0.12, -1.0), SIZE);
    (0..FRAMES).step_by(12).for_each(|frame| framing.add(show.truth(frame)));
    let stage = Stage::around(&framing, SIZE, threads).without_ground();
    let mut work = model.workspace(team.size());
    let frames = shown(show, corrected);
    let (make_up, inner, cavity) = (make_up(show), show.inner(), cavity());
    let mut rows: [Vec<Picture>; 3] = Default::default();
    let mut maps: [Vec<Picture>; 2] = Default::default();
    for frame in &frames {
        let (truth, captured) = (show.truth(*frame), show.captured(*frame));
        let mut made = captured.clone();
        model.correct(&mut made, &mut work, &team);
        let picture = |positions: &[DVec3], colours: &[[f32; 3]]| {
            let object = Object::new(positions, &show.rest().triangles, Material::SKIN);
            stage.picture(vec![Object { colours: Some(colours), ..object }, dark(&cavity)])
        };
        for (row, positions) in rows.iter_mut().zip([&captured, &made, &truth]) {
            row.push(picture(positions, &make_up)?);
        }
        for (row, positions) in maps.iter_mut().zip([&captured, &made]) {
            let mut colours = vec![heat(0.0).map(|c| c as f32); positions.len()];
            for (v, off) in inner.iter().zip(distances(positions, &truth, &inner)) {
                colours[*v as usize] = heat(off / DARKEST).map(|c| c as f32);
            }
            row.push(picture(positions, &colours)?);
        }
    }
    let kinds = ["gap", "corner", "corner", "teeth", "good"];
    let columns = frames.iter().zip(kinds).map(|(frame, kind)| format!("{kind}, frame {frame}"));
    let columns: Vec<String> = columns.collect();
    let strip = |labels: &[&str], rows: Vec<Vec<Picture>>| Filmstrip {
        title: String::new(),
        columns: columns.clone(),
        rows: labels
            .iter()
            .zip(rows)
            .map(|(label, frames)| FilmstripRow { label: (*label).to_owned(), frames })
            .collect(),
    };
    let made = format!("corrected from {} frames", corrected.len());
    let shown = strip(&["captured", &made, "true"], rows.into());
    save_png(&shown.compose()?, &folder.join("filmstrip.png"))?;
    let errors =
        strip(&["errors of the capture (darkest: 1.5 mm)", "errors after correction"], maps.into());
    save_png(&errors.compose()?, &folder.join("errors.png"))
}

/// A frame with an open mouth, a camera, a contour that closes it, and a picture of both.
fn closing(show: &Performance, folder: &Path, threads: usize) -> Result<(), ProjectError> {
    let seeds = show.seeds();
    // Wide enough to be plainly open.
    let off: Vec<f64> = (0..FRAMES).map(|frame| (opening(show, frame) - OPEN).abs()).collect();
    let frame = (0..FRAMES).min_by(|a, b| off[*a].total_cmp(&off[*b])).unwrap_or(0);
    let open = Mesh { positions: show.truth(frame), ..show.rest().clone() };
    write_mesh(&folder.join("open.obj"), &open.clone().into())?;
    write_whole(&folder.join("camera.json"), CAMERA.as_bytes())?;
    let camera = Camera::parse(CAMERA)?;
    let corner = |v: u32| camera.pixel(open.positions[v as usize]).unwrap_or_default();
    let (left, right) = (corner(seeds[2]), corner(seeds[0]));
    let line: Vec<[f64; 2]> = (0..=10)
        .map(|k| f64::from(k) / 10.0)
        .map(|t| left.lerp(right, t) + glam::DVec2::new(0.0, 48.0 * t * (1.0 - t)))
        .map(|pixel| [pixel.x.round(), pixel.y.round()])
        .collect();
    let written = format!("{:#}\n", json!({ "points": line, "closed": false, "loop": seeds }));
    write_whole(&folder.join("contour.json"), written.as_bytes())?;
    let contours = Contours::parse(&written)?;
    let team = Team::new(threads);
    let (closed, _) =
        sketch(&open, &show.inner(), &camera, &contours, SketchOptions::default(), &team)?;
    let mut framing = Stage::framing_along(DVec3::new(0.0, -0.02, -LENGTH), SIZE);
    framing.add(open.positions.iter().copied());
    let stage = Stage::around(&framing, Size { width: 420, height: 400 }, threads);
    let stage = stage.without_ground();
    let (make_up, cavity) = (make_up(show), cavity());
    // The drawn line as a thin ribbon in front of the face.
    let ribbon = ribbon(&line, &camera);
    let picture = |positions: &[DVec3], drawn: bool| {
        let object = Object::new(positions, &open.triangles, Material::SKIN);
        let mut objects = vec![Object { colours: Some(&make_up), ..object }, dark(&cavity)];
        if drawn {
            let ink = Material::PLASTER.coloured([0.1, 0.35, 0.9]);
            objects.push(Object::new(&ribbon.positions[..], &ribbon.triangles, ink));
        }
        stage.picture(objects)
    };
    let frames = vec![picture(&open.positions, true)?, picture(&closed, false)?];
    let columns =
        vec!["drawn over an open mouth".to_owned(), "what it makes of the lips".to_owned()];
    let strip = Filmstrip {
        columns,
        rows: vec![FilmstripRow { label: String::new(), frames }],
        ..Filmstrip::default()
    };
    save_png(&strip.compose()?, &folder.join("sketch.png"))
}

/// A dark disc behind the lips, visible through an open mouth.
fn cavity() -> Mesh {
    let rim = |k: u32| {
        let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 48.0).sin_cos();
        DVec3::new(0.041 * cos, 0.026 * sin - 0.006, -0.024)
    };
    let positions = (0..48).map(rim).chain([DVec3::new(0.0, -0.006, -0.034)]).collect();
    Mesh::surface(positions, (0..48).map(|k| [k, (k + 1) % 48, 48]).collect())
}

fn dark(cavity: &Mesh) -> Object<'_> {
    let paint = Material { gloss: 0.0, ..Material::PLASTER }.coloured([0.16, 0.05, 0.05]);
    Object::new(&cavity.positions[..], &cavity.triangles, paint)
}

/// A polyline of pixels as a strip of triangles nearer to the camera than the face.
fn ribbon(line: &[[f64; 2]], camera: &Camera) -> Mesh {
    let depth = LENGTH - 0.03;
    let at = |x: f64, y: f64| {
        let slope = camera.slope(glam::DVec2::new(x, y));
        camera.world(DVec3::new(slope.x * depth, slope.y * depth, depth))
    };
    let positions = line.iter().flat_map(|[x, y]| [at(*x, y - 2.0), at(*x, y + 2.0)]).collect();
    let pieces = 0..line.len().saturating_sub(1) as u32;
    let triangles =
        pieces.flat_map(|k| [[2 * k, 2 * k + 1, 2 * k + 2], [2 * k + 1, 2 * k + 3, 2 * k + 2]]);
    Mesh::surface(positions, triangles.collect())
}

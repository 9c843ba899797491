//! Draws a few procedural scenes into a folder: `cargo run --example gallery -- DIR`.

use std::f64::consts::TAU;
use std::time::Instant;
use std::{env, fs, path::Path};

use glam::DVec3;
use pliant_view::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = env::args().nth(1).ok_or("usage: gallery DIR")?;
    fs::create_dir_all(&folder)?;
    let folder = Path::new(&folder);
    let (torus, torus_triangles) = torus(250, 100);
    let (wave, wave_triangles) = wave(100);

    let jelly = Scene {
        objects: vec![Object::new(&torus[..], &torus_triangles, Material::JELLY)],
        ground: Some(Ground::at(0.0)),
        ..Scene::default()
    };
    save(&jelly, DVec3::new(-0.35, -0.42, -1.0), &folder.join("jelly.png"))?;
    let cloth = Scene {
        objects: vec![Object::new(&wave[..], &wave_triangles, Material::CLOTH)],
        ground: Some(Ground { grid: 0.25, ..Ground::at(0.0) }),
        ..Scene::default()
    };
    save(&cloth, DVec3::new(-0.35, -0.35, -1.0), &folder.join("cloth.png"))?;
    write_png(&bouncing_balls()?.compose()?, fs::File::create(folder.join("filmstrip.png"))?)?;
    animate(&torus, &torus_triangles, folder)?;
    let energies = energies();
    fs::write(folder.join("energies.svg"), energies.svg()?)?;
    write_png(&energies.picture(2.0)?, fs::File::create(folder.join("energies.png"))?)?;
    Ok(())
}

/// The torus, stretched to and fro, as GIF and, where ffmpeg is installed, as MP4.
fn animate(
    rest: &[DVec3],
    triangles: &[[u32; 3]],
    folder: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let at = |frame: u32| -> Vec<DVec3> {
        let swing = 0.25 * (TAU * f64::from(frame) / 30.0).sin();
        rest.iter().map(|p| *p * DVec3::new(1.0 + swing, 1.0 - 0.8 * swing, 1.0)).collect()
    };
    let bounds = (0..30).map(|f| Bounds::of(at(f))).fold(Bounds::EMPTY, Bounds::union);
    let camera = Camera::framing(bounds, DVec3::new(-0.3, -0.5, -1.0), 16.0 / 9.0);
    let settings = Settings { width: 480, height: 270, threads: 0 };
    let mut gif = GifWriter::new(fs::File::create(folder.join("torus.gif"))?, 480, 270, 30.0)?;
    let mut mp4 = match Mp4Writer::new(&folder.join("torus.mp4"), 480, 270, 30.0) {
        Err(Error::FfmpegMissing) => None,
        other => Some(other?),
    };
    for frame in 0..30 {
        let positions = at(frame);
        let objects = vec![Object::new(&positions[..], triangles, Material::JELLY)];
        let scene = Scene { objects, ground: Some(Ground::at(0.0)), ..Scene::default() };
        let picture = render(&scene, &camera, &settings)?;
        gif.add(&picture)?;
        if let Some(mp4) = &mut mp4 {
            mp4.add(&picture)?;
        }
    }
    gif.finish()?;
    Ok(mp4.map_or(Ok(()), Mp4Writer::finish)?)
}

/// Two runs of a ball that is squeezed and let go, one of them losing its energy.
fn bouncing_balls() -> Result<Filmstrip, Error> {
    let (rest, triangles) = ball();
    let at = |time: f64, loss: f64| -> Vec<DVec3> {
        let swing = (-loss * time).exp() * (TAU * time).cos();
        let stretch = DVec3::new(1.0 - 0.2 * swing, 1.0 + 0.4 * swing, 1.0 - 0.2 * swing);
        rest.iter().map(|p| *p * stretch).collect()
    };
    let times: Vec<f64> = (0..5).map(|i| 0.5 * f64::from(i)).collect();
    let bounds = times.iter().map(|t| Bounds::of(at(*t, 0.0))).fold(Bounds::EMPTY, Bounds::union);
    let camera = Camera::framing(bounds, DVec3::new(-0.3, -0.35, -1.0), 4.0 / 3.0);
    let settings = Settings { width: 320, height: 240, threads: 0 };
    let run = |label: &str, loss: f64, colour: [f32; 3]| -> Result<_, Error> {
        let frame = |time: &f64| {
            let positions = at(*time, loss);
            let material = Material::JELLY.coloured(colour);
            let objects = vec![Object::new(&positions[..], &triangles, material)];
            render(
                &Scene { objects, ground: Some(Ground::at(0.0)), ..Scene::default() },
                &camera,
                &settings,
            )
        };
        let frames = times.iter().map(frame).collect::<Result<_, _>>()?;
        Ok(FilmstripRow { label: label.into(), frames })
    };
    Ok(Filmstrip {
        title: "A stretched ball is let go".into(),
        columns: times.iter().map(|t| format!("{t:.1} s")).collect(),
        rows: vec![
            run("with energy projection", 0.0, [0.93, 0.55, 0.12])?,
            run("backward Euler", 0.9, [0.20, 0.55, 0.78])?,
        ],
    })
}

/// Energies and momenta of two made-up runs.
fn energies() -> plot::Figure {
    let time: Vec<f64> = (0..3000).map(|i| f64::from(i) * 0.01).collect();
    let curve = |f: &dyn Fn(f64) -> f64| time.iter().map(|t| f(*t)).collect::<Vec<f64>>();
    let panel = |title: &str, y_label: &str, log_y, held: Vec<f64>, lost: Vec<f64>| plot::Panel {
        title: title.into(),
        x_label: "time [s]".into(),
        y_label: y_label.into(),
        log_x: false,
        log_y,
        series: vec![
            plot::Series::new("implicit midpoint + FEPR", time.clone(), held),
            plot::Series::new("backward Euler", time.clone(), lost),
        ],
    };
    let fading = |t: f64| 41_200.0 * (-0.16 * t).exp();
    plot::Figure {
        title: "Spinning cube: what is conserved".into(),
        panels: vec![
            panel("Total energy", "energy [J]", false, curve(&|_| 41_200.0), curve(&fading)),
            panel(
                "Energy drift",
                "|H − target| ÷ H₀",
                true,
                curve(&|t| 1e-10 * (1.1 + (3.0 * t).sin()) * (1.0 + t)),
                curve(&|t| 1.0 - (-0.16 * t).exp()),
            ),
            panel(
                "Kinetic energy",
                "energy [J]",
                false,
                curve(&|t| 20_600.0 * (1.0 + (2.3 * t).cos())),
                curve(&|t| 0.5 * fading(t) * (1.0 + (2.3 * t).cos())),
            ),
            panel(
                "Angular momentum about y",
                "L [kg m²/s]",
                false,
                curve(&|_| 1250.0),
                curve(&|t| 1250.0 * (-0.03 * t).exp()),
            ),
        ],
        columns: 2,
    }
}

fn ball() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let point = |i: u32, j: u32| {
        let (theta, phi) = (0.5 * TAU * f64::from(i) / 60.0, TAU * f64::from(j) / 120.0);
        let (s, c) = theta.sin_cos();
        DVec3::new(s * phi.sin(), 1.0 + c, s * phi.cos())
    };
    let points = (0..=60).flat_map(|i| (0..=120).map(move |j| point(i, j))).collect();
    (points, grid(61, 121, false))
}

fn save(scene: &Scene, direction: DVec3, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let bounds = Bounds::of(scene.objects.iter().flat_map(|o| o.positions.iter()));
    let camera = Camera::framing(bounds, direction, 4.0 / 3.0);
    let settings = Settings { width: 1152, height: 864, threads: 2 };
    let start = Instant::now();
    let picture = render(scene, &camera, &settings)?;
    let triangles: usize = scene.objects.iter().map(|o| o.triangles.len()).sum();
    println!(
        "{} {triangles} triangles {:.0} ms",
        path.display(),
        start.elapsed().as_secs_f64() * 1e3
    );
    write_png(&picture, fs::File::create(path)?)?;
    Ok(())
}

/// A wobbling torus that stands on the floor.
fn torus(around: u32, along: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let point = |i: u32, j: u32| {
        let (u, v) =
            (TAU * f64::from(i) / f64::from(around), TAU * f64::from(j) / f64::from(along));
        let tube = 0.22 * (1.0 + 0.18 * (3.0 * u).sin());
        let radius = 0.6 + 0.05 * (2.0 * u).cos() + tube * v.cos();
        DVec3::new(
            radius * u.cos(),
            0.25 + tube * v.sin() + 0.06 * (2.0 * u).sin(),
            radius * u.sin(),
        )
    };
    let points = (0..around).flat_map(|i| (0..along).map(move |j| point(i, j))).collect();
    (points, grid(around, along, true))
}

/// A hanging sheet with a travelling wave.
fn wave(cells: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let point = |i: u32, j: u32| {
        let (x, y) = (f64::from(i) / f64::from(cells), f64::from(j) / f64::from(cells));
        let swing = (1.0 - y) * 0.16;
        DVec3::new(
            1.6 * x - 0.8,
            0.15 + y,
            swing * (9.0 * x + 4.0 * y).sin() + 0.3 * (1.0 - y) * (1.0 - y),
        )
    };
    let side = cells + 1;
    let points = (0..side).flat_map(|i| (0..side).map(move |j| point(i, j))).collect();
    (points, grid(side, side, false))
}

fn grid(rows: u32, columns: u32, closed: bool) -> Vec<[u32; 3]> {
    let last = if closed { 0 } else { 1 };
    let at = |i: u32, j: u32| i % rows * columns + j % columns;
    let cell = |i: u32, j: u32| {
        let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
        [[a, b, c], [a, c, d]]
    };
    (0..rows - last).flat_map(|i| (0..columns - last).flat_map(move |j| cell(i, j))).collect()
}

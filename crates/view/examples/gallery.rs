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
    Ok(())
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

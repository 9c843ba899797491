//! A software renderer: triangles with soft light on a soft floor, without GPU or window.
//!
//! [`render`] reads top to bottom: facets, projection, shadow maps, then tiles that threads
//! take one by one. Every tile depends on the scene alone, so the picture is the same for any
//! number of threads.

mod camera;
mod facets;
mod raster;
mod scene;
mod shade;
mod shadow;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use glam::{DVec3, Vec3};

pub use camera::{Bounds, Camera, Framing};
pub use scene::{Background, Ground, Material, Object, Positions, Scene};

use crate::picture::{encode_srgb, linear};
use crate::{Error, Picture};
use camera::View;
use facets::Facets;
use raster::{Bins, PATTERN, SAMPLES, Samples, TILE};
use shade::{KEY_SOFTNESS, SKY_SOFTNESS, Studio};
use shadow::ShadowMap;

/// Size of the picture, and with how many threads it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Columns \[px\].
    pub width: usize,
    /// Rows \[px\].
    pub height: usize,
    /// Threads to use; 0 = as many as the machine has. The picture does not depend on it.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { width: 1280, height: 720, threads: 0 }
    }
}

/// Draws the scene as the camera sees it.
///
/// ```
/// use glam::DVec3;
/// use pliant_view::{Bounds, Camera, Ground, Material, Object, Scene, Settings, render};
/// let positions = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let scene = Scene {
///     objects: vec![Object::new(&positions[..], &[[0, 1, 2]], Material::CLOTH)],
///     ground: Some(Ground::at(0.0)),
///     ..Scene::default()
/// };
/// let bounds = Bounds { min: DVec3::ZERO, max: DVec3::new(1.0, 1.0, 0.0) };
/// let camera = Camera::framing(bounds, DVec3::new(0.2, -0.3, -1.0), 4.0 / 3.0);
/// let settings = Settings { width: 160, height: 120, ..Settings::default() };
/// let picture = render(&scene, &camera, &settings)?;
/// assert_eq!(picture.rgb.len(), 3 * 160 * 120);
/// # Ok::<(), pliant_view::Error>(())
/// ```
pub fn render(scene: &Scene, camera: &Camera, settings: &Settings) -> Result<Picture, Error> {
    let mut picture = Picture::filled(settings.width, settings.height, [0; 3])?;
    let triangles: usize = scene.objects.iter().map(|o| o.triangles.len()).sum();
    if triangles > (u32::MAX / 4) as usize {
        return Err(Error::TooManyTriangles { triangles });
    }
    let threads = thread_count(settings.threads);
    let view = View::new(camera, settings.width, settings.height)?;
    // Relative to the target, single precision is enough for shading, also far from the origin.
    let origin = camera.target;
    let view = View { eye: view.eye - origin, ..view };
    let facets = Facets::of(scene, origin);
    let near = 1e-3 * view.eye.length();
    let bins = Bins::new(&facets.list, &view, settings.width, settings.height, near);
    let studio = studio(scene, &facets, view, settings.height, origin, threads);
    let ground = scene.ground.and_then(|_| ground_nearness(&view, f64::from(studio.floor)));

    let next = AtomicUsize::new(0);
    let work = || {
        let mut samples = Samples::new();
        let mut tiles = Vec::new();
        loop {
            let tile = next.fetch_add(1, Ordering::Relaxed);
            if tile >= bins.tile_count() {
                return tiles;
            }
            bins.resolve(tile, ground, &mut samples);
            tiles.push((tile, paint(&studio, &samples, bins.corner(tile))));
        }
    };
    let painted: Vec<(usize, Picture)> = thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut tiles = work();
        for worker in workers {
            tiles.extend(worker.join().unwrap_or_default());
        }
        tiles
    });
    for (tile, pixels) in painted {
        let [x, y] = bins.corner(tile);
        picture.paste(&pixels, x, y);
    }
    Ok(picture)
}

fn thread_count(asked: usize) -> usize {
    let available = || thread::available_parallelism().map_or(1, usize::from);
    if asked == 0 { available() } else { asked.min(256) }
}

fn studio<'a>(
    scene: &'a Scene,
    facets: &'a Facets,
    view: View,
    height: usize,
    origin: DVec3,
    threads: usize,
) -> Studio<'a> {
    // What the picture shows at the target: the same in all frames of an animation.
    let size = (height as f64 * view.eye.length() / view.focal) as f32;
    let heights = facets.list.iter().flat_map(|f| f.corners).map(|c| c.y);
    let lowest = heights.fold(f32::INFINITY, f32::min);
    let lowest = if lowest.is_finite() { lowest } else { 0.0 };
    let height_of =
        |g: Ground| if g.height.is_finite() { (g.height - origin.y) as f32 } else { lowest };
    let floor = scene.ground.map_or(lowest - 0.02 * size, height_of);
    let light = light_direction(scene.light, &view);
    let key = || ShadowMap::new(&facets.list, light, KEY_SOFTNESS, floor, 512);
    let sky = || ShadowMap::new(&facets.list, Vec3::Y, SKY_SOFTNESS, floor, 256);
    let (key_map, sky_map) = if threads > 1 {
        thread::scope(|scope| {
            let sky = scope.spawn(sky);
            (key(), sky.join().unwrap_or_default())
        })
    } else {
        (key(), sky())
    };
    Studio {
        scene,
        facets,
        view,
        height: height as f32,
        light,
        key_map,
        sky_map,
        size,
        floor,
        origin,
        top: linear(scene.background.top),
        bottom: linear(scene.background.bottom),
        floor_colour: linear(scene.ground.map_or([0.75; 3], |g| g.colour)),
    }
}

/// Towards the key light, never lower than 25° above the horizon, where shadows would run away.
fn light_direction(asked: Option<DVec3>, view: &View) -> Vec3 {
    let level = |v: DVec3| DVec3::new(v.x, 0.0, v.z).try_normalize();
    let back = level(-view.forward).or(level(-view.up)).unwrap_or(DVec3::Z);
    let left = DVec3::Y.cross(-back);
    let default = 0.45 * back + 0.55 * left + 1.0 * DVec3::Y;
    let light = asked.and_then(DVec3::try_normalize).unwrap_or(default.normalize());
    let lowest = 25f64.to_radians();
    if light.y >= lowest.sin() {
        return light.as_vec3();
    }
    let flat = level(light).unwrap_or(back);
    (lowest.cos() * flat + lowest.sin() * DVec3::Y).as_vec3()
}

/// 1 ÷ depth of the floor over pixels: the ray's fall divided by the eye's height; `None` when
/// the eye is not above the floor.
fn ground_nearness(view: &View, floor: f64) -> Option<[f64; 3]> {
    let above = view.eye.y - floor;
    if above.is_nan() || above <= 0.0 {
        return None;
    }
    let at = |x: f64, y: f64| -view.ray(x, y).y / above;
    let constant = at(0.0, 0.0);
    Some([at(1.0, 0.0) - constant, at(0.0, 1.0) - constant, constant])
}

/// Colours of a tile: each thing that a pixel's samples see is shaded once, at their middle.
fn paint(studio: &Studio, samples: &Samples, corner: [usize; 2]) -> Picture {
    let mut rgb = Vec::with_capacity(3 * TILE * TILE);
    for (pixel, seen) in samples.seen.iter().enumerate() {
        let at = [corner[0] + pixel % TILE, corner[1] + pixel / TILE].map(|c| c as f32);
        if seen.iter().all(|s| *s == seen[0]) {
            let colour = studio.colour(seen[0], at[0] + 0.5, at[1] + 0.5);
            rgb.extend(colour.to_array().map(encode_srgb));
            continue;
        }
        let mut colour = Vec3::ZERO;
        let mut todo = [true; SAMPLES];
        for first in 0..SAMPLES {
            if !todo[first] {
                continue;
            }
            let (mut count, mut middle) = (0.0, [0.0f32; 2]);
            for s in first..SAMPLES {
                if todo[s] && (seen[s] == seen[first] || studio.alike(seen[s], seen[first])) {
                    todo[s] = false;
                    count += 1.0;
                    middle[0] += f32::from(PATTERN[s][0]) / 16.0;
                    middle[1] += f32::from(PATTERN[s][1]) / 16.0;
                }
            }
            let [x, y] = std::array::from_fn(|axis| at[axis] + middle[axis] / count);
            colour += count * studio.colour(seen[first], x, y);
        }
        rgb.extend((colour / SAMPLES as f32).to_array().map(encode_srgb));
    }
    Picture { width: TILE, height: TILE, rgb }
}

#[cfg(test)]
mod tests;

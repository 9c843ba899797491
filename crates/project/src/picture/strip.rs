//! Moments of an animation as different methods have it, one below the other.

use crate::demo::Look;
use glam::DVec3;
use pliant_view::{Filmstrip, FilmstripRow, Material, Object, Picture};

use super::stage::{Size, Stage};
use crate::error::ProjectError;
use crate::source::Source;

/// Frames in a picture, unless moments are asked for.
const COLUMNS: usize = 6;
const SIZE: Size = Size { width: 400, height: 300 };

/// The frames that a picture shows, of `count`.
pub fn places(count: usize, fps: f64, look: &Look) -> Vec<usize> {
    if look.moments.is_empty() {
        let columns = COLUMNS.min(count);
        return (0..columns).map(|c| c * (count - 1) / (columns - 1).max(1)).collect();
    }
    let frame = |seconds: &f64| ((seconds * fps).round().max(0.0) as usize).min(count - 1);
    look.moments.iter().map(frame).collect()
}

/// Draws poses of a mesh, a row per label and a column per place. `met` are triangles of what it
/// meets, whose vertices come after its own in the poses that have them.
pub fn draw(
    source: &Source,
    look: &Look,
    places: &[usize],
    rows: &[(&str, &[Vec<DVec3>])],
    met: &[[u32; 3]],
    threads: usize,
) -> Result<Picture, ProjectError> {
    let mut framing = match look.view {
        Some(direction) => Stage::framing_along(DVec3::from_array(direction), SIZE),
        None => Stage::framing(SIZE),
    };
    let rest = source.rest();
    let is_shown = |v: u32| {
        let x = rest.positions[v as usize];
        look.cut.is_none_or(|room| {
            let [min, max] = [room.min, room.max].map(DVec3::from_array);
            x.cmpge(min).all() && x.cmple(max).all()
        })
    };
    let all = rest.triangles.iter().copied();
    let triangles: Vec<[u32; 3]> = all.filter(|t| t.iter().all(|&v| is_shown(v))).collect();
    let mut seen: Vec<u32> = triangles.iter().flatten().copied().collect();
    seen.sort_unstable();
    seen.dedup();
    for pose in rows.iter().flat_map(|(_, poses)| poses.iter()) {
        framing.add(seen.iter().map(|&v| pose[v as usize]));
        framing.add(pose[rest.positions.len()..].iter().copied());
    }
    let mut stage = Stage::around(&framing, SIZE, threads);
    if look.cut.is_some() {
        stage = stage.without_ground();
    }
    let colours = source.colours();
    let colours = colours.as_deref();
    let row = |(label, poses): &(&str, &[Vec<DVec3>])| -> Result<FilmstripRow, ProjectError> {
        let drawn = |pose: &Vec<DVec3>| {
            let (body, others) = pose.split_at(rest.positions.len());
            let body = Object { colours, ..Object::new(body, &triangles, Material::SKIN) };
            let other = (!others.is_empty()).then(|| Object::new(others, met, Material::JELLY));
            stage.picture([body].into_iter().chain(other).collect())
        };
        let frames = poses.iter().map(drawn).collect::<Result<_, ProjectError>>()?;
        Ok(FilmstripRow { label: (*label).to_owned(), frames })
    };
    let rows = rows.iter().map(row).collect::<Result<_, ProjectError>>()?;
    let times = places.iter().map(|&k| format!("{:.2} s", k as f64 / source.fps())).collect();
    let title = if look.title.is_empty() { source.name() } else { look.title.clone() };
    Ok(Filmstrip { title, columns: times, rows }.compose()?)
}

//! Draws pieces of a head in colour, and saves sheets of pictures.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use glam::DVec3;
use pliant_face::Eye;
use pliant_mesh::Surface;
use pliant_view::{
    Background, Filmstrip, FilmstripRow, Framing, Material, Object, Picture, Scene, Settings,
    render, write_png,
};

pub type Failure = Box<dyn std::error::Error>;

pub const FRONT: DVec3 = DVec3::new(0.0, -0.03, -1.0);
pub const THREE_QUARTERS: DVec3 = DVec3::new(-0.62, -0.05, -1.0);
pub const WET: Material = Material { colour: [0.9; 3], gloss: 0.7, translucency: 0.2 };

/// Skin, as shiny as it is at rest.
pub fn skin() -> Material {
    Material { gloss: 0.28, ..Material::SKIN }
}

/// A surface's own colours, or those of bone.
pub fn colours(surface: &Surface) -> Vec<[f32; 3]> {
    let colour = surface.attributes.iter().find(|a| a.is_color());
    let of = |v: usize| match colour.map(|c| c.of(v)) {
        Some([r, g, b, ..]) => [*r as f32, *g as f32, *b as f32],
        _ => [0.85, 0.79, 0.67],
    };
    (0..surface.mesh.positions.len()).map(of).collect()
}

/// A point below the middle of the eyes (m).
pub fn below(eyes: &[Eye], by: f64) -> DVec3 {
    let sum: DVec3 = eyes.iter().map(|eye| eye.center).sum();
    sum / eyes.len().max(1) as f64 + DVec3::new(0.0, by, 0.0)
}

/// A surface where it is shown (m), and what it is made of.
pub type Piece<'a> = (&'a [DVec3], &'a Surface, Material);

/// Surfaces in their own colours, as [`draw`] shows them.
pub fn draw_pieces(
    pieces: &[Piece<'_>],
    direction: DVec3,
    close: (DVec3, f64),
    size: [usize; 2],
) -> Result<Picture, Failure> {
    let painted: Vec<Vec<[f32; 3]>> = pieces.iter().map(|piece| colours(piece.1)).collect();
    let mut objects = Vec::new();
    for ((positions, surface, material), colours) in pieces.iter().zip(&painted) {
        objects.push(Object {
            colours: Some(colours),
            ..Object::new(*positions, &surface.mesh.triangles, *material)
        });
    }
    draw(objects, direction, close, size)
}

/// Draws objects along a direction: those around a point, within a width (m).
pub fn draw(
    objects: Vec<Object>,
    direction: DVec3,
    close: (DVec3, f64),
    [width, height]: [usize; 2],
) -> Result<Picture, Failure> {
    let mut framing = Framing::new(direction, width as f64 / height as f64);
    let (middle, half) = (close.0, 0.5 * close.1);
    for corner in [-1.0, 1.0] {
        framing.add([
            middle + DVec3::new(-half, corner * half, 0.0),
            middle + DVec3::new(half, 0.0, 0.02 * corner),
        ]);
    }
    let background = Background { top: [0.80, 0.83, 0.87], bottom: [0.90, 0.91, 0.92] };
    let back = -DVec3::new(direction.x, 0.0, direction.z).normalize();
    let light = 0.75 * back + 0.55 * DVec3::Y.cross(-back) + 0.62 * DVec3::Y;
    let scene = Scene { objects, ground: None, background, light: Some(light) };
    Ok(render(&scene, &framing.camera(), &Settings { width, height, threads: 2 })?)
}

/// Writes a sheet of pictures, with the names of its columns and rows as far as there are any.
pub fn save(
    path: &Path,
    columns: &[&str],
    rows: Vec<Vec<Picture>>,
    labels: &[&str],
) -> Result<(), Failure> {
    let label = |k: usize| labels.get(k).map_or(String::new(), |label| (*label).to_owned());
    let row = |(k, frames)| FilmstripRow { label: label(k), frames };
    let rows = rows.into_iter().enumerate().map(row).collect();
    let columns = columns.iter().map(|column| (*column).to_owned()).collect();
    let strip = Filmstrip { title: String::new(), columns, rows };
    write_png(&strip.compose()?, &mut BufWriter::new(File::create(path)?))?;
    Ok(())
}

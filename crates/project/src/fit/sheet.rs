//! A fit as a picture: the target, the skin that muscles make, how far the two are apart, and along
//! which lines flesh contracts (Ichim et al. 2017, Fig. 7).

use std::path::Path;

use pliant_face::FaceModel;
use pliant_face::inverse::solve::Fitted;
use pliant_lips::measures::heat;
use pliant_mesh::DVec3;
use pliant_mesh::menagerie::Colour;
use pliant_view::{Bounds, ColourScale, Filmstrip, FilmstripRow, Material, Object};

use super::lines::Lines;
use crate::error::ProjectError;
use crate::picture::{Size, Stage, save_png};

const SIZE: Size = Size { width: 400, height: 480 };
/// From the front, and a little from the side: what comes forward is seen.
const VIEWS: [(&str, DVec3); 2] =
    [("front", DVec3::new(0.0, -0.03, -1.0)), ("side", DVec3::new(-0.62, -0.05, -1.0))];
/// Half extents of the visible box about a point \[m\].
const BELOW_THE_EYES: DVec3 = DVec3::new(0.0, -0.025, 0.0);
const ABOUT: DVec3 = DVec3::new(0.062, 0.085, 0.03);
/// A distance that is painted darkest (mm), and how the scale is lettered.
const WORST: f64 = 2.0;
const DISTANCES: [&str; 3] = ["0", "1", "2 mm"];
const BONE: Material = Material::PLASTER.coloured([0.93, 0.91, 0.86]);

/// Writes it.
pub fn write(
    path: &Path,
    face: &FaceModel,
    (name, target): (&str, &[DVec3]),
    fitted: &Fitted,
    threads: usize,
) -> Result<(), ProjectError> {
    let colour = face.skin.attributes.iter().find(|attribute| attribute.is_color());
    let own: Option<Vec<Colour>> = colour.map(|colour| {
        let of = |v: usize| match colour.of(v) {
            [r, g, b, ..] => [*r as f32, *g as f32, *b as f32],
            _ => Material::SKIN.colour,
        };
        (0..target.len()).map(of).collect()
    });
    let painted = |value: f64| heat(value).map(|c| c as f32);
    let apart = target.iter().zip(&fitted.skin).map(|(a, b)| 1e3 * a.distance(*b) / WORST);
    let apart: Vec<Colour> = apart.map(painted).collect();
    let lines = Lines::of(face, fitted);
    let mandible: Vec<DVec3> =
        face.mandible.mesh.positions.iter().map(|p| face.hinge.moved(*p, &fitted.jaw)).collect();
    let columns = [
        (format!("{name}, asked for"), target, own.as_deref()),
        ("made by muscles".to_owned(), &fitted.skin[..], own.as_deref()),
        ("apart".to_owned(), &fitted.skin[..], Some(&apart[..])),
    ];
    let eyes: DVec3 = face.eyes.iter().map(|eye| eye.center).sum();
    let middle = eyes / face.eyes.len().max(1) as f64 + BELOW_THE_EYES;
    let bounds = Bounds { min: middle - ABOUT, max: middle + ABOUT };
    let mut rows = Vec::new();
    for (label, direction) in VIEWS {
        let mut framing = Stage::framing_along(direction, SIZE);
        framing.add(bounds.corners());
        let stage = Stage::around(&framing, SIZE, threads).without_ground();
        let mut frames = Vec::new();
        for (_, positions, colours) in &columns {
            let triangles = &face.skin.mesh.triangles;
            let skin =
                Object { colours: *colours, ..Object::new(*positions, triangles, Material::SKIN) };
            frames.push(stage.picture(vec![skin])?);
        }
        if let Some(apart) = frames.last_mut() {
            ColourScale { colour: &heat, labels: &DISTANCES }.paint_on(apart)?;
        }
        let skull = &face.skull.mesh;
        frames.push(stage.picture(vec![
            Object::new(&skull.positions[..], &skull.triangles, BONE),
            Object::new(&mandible[..], &face.mandible.mesh.triangles, BONE),
            lines.object(),
        ])?);
        rows.push(FilmstripRow { label: label.to_owned(), frames });
    }
    let mut columns: Vec<String> = columns.into_iter().map(|column| column.0).collect();
    columns.push("lines of contraction".to_owned());
    save_png(&Filmstrip { title: String::new(), columns, rows }.compose()?, path)
}

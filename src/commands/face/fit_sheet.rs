//! A fit as a picture: the target, the skin that muscles make, how far the two are apart, and where fibres contract.

use std::path::Path;

use pliant::face::FaceModel;
use pliant::face::inverse::fit::Fitted;
use pliant::face::inverse::priors::strain;
use pliant::lips::measures::heat;
use pliant::mesh::DVec3;
use pliant::mesh::menagerie::Colour;
use pliant::model::potentials::activation::Activation;
use pliant::view::{Bounds, Filmstrip, FilmstripRow, Material, Object};

use crate::arguments::{Options, Size};
use crate::failure::Failure;
use crate::stage::{Stage, save_png};

const SIZE: Size = Size { width: 400, height: 480 };
/// From the front, and a little from the side: what comes forward is seen.
const VIEWS: [(&str, DVec3); 2] =
    [("front", DVec3::new(0.0, -0.03, -1.0)), ("side", DVec3::new(-0.62, -0.05, -1.0))];
/// What is seen: so far about a point (m).
const BELOW_THE_EYES: DVec3 = DVec3::new(0.0, -0.025, 0.0);
const ABOUT: DVec3 = DVec3::new(0.062, 0.085, 0.03);
/// What is painted darkest: a distance (mm), and ‖S − I‖.
const WORST: f64 = 2.0;
const STRONGEST: f64 = 0.8;

/// Writes it.
pub fn write(
    path: &Path,
    face: &FaceModel,
    (name, target): (&str, &[DVec3]),
    fitted: &Fitted,
    options: &Options,
) -> Result<(), Failure> {
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
    let work: Vec<Colour> =
        efforts(face, &fitted.activations).iter().map(|e| painted(e / STRONGEST)).collect();
    let columns = [
        (format!("{name}, asked for"), target, own.as_deref()),
        ("made by muscles".to_owned(), &fitted.skin[..], own.as_deref()),
        (format!("apart, dark at {WORST} mm"), &fitted.skin[..], Some(&apart[..])),
        ("muscles at work".to_owned(), &fitted.skin[..], Some(&work[..])),
    ];
    let eyes: DVec3 = face.eyes.iter().map(|eye| eye.center).sum();
    let middle = eyes / face.eyes.len().max(1) as f64 + BELOW_THE_EYES;
    let bounds = Bounds { min: middle - ABOUT, max: middle + ABOUT };
    let mut rows = Vec::new();
    for (label, direction) in VIEWS {
        let mut framing = Stage::framing_along(direction, SIZE);
        framing.add(bounds.corners());
        let stage = Stage::around(&framing, SIZE, options.threads()).without_ground();
        let mut frames = Vec::new();
        for (_, positions, colours) in &columns {
            let triangles = &face.skin.mesh.triangles;
            let skin = Object { colours: *colours, ..Object::new(*positions, triangles, Material::SKIN) };
            frames.push(stage.picture(vec![skin])?);
        }
        rows.push(FilmstripRow { label: label.to_owned(), frames });
    }
    let columns = columns.into_iter().map(|column| column.0).collect();
    save_png(&Filmstrip { title: String::new(), columns, rows }.compose()?, path)
}

/// ‖S − I‖ of the flesh under every vertex of the skin, as strong as any of it near by.
fn efforts(face: &FaceModel, activations: &[Activation]) -> Vec<f64> {
    /// Muscle lies some tets deep.
    const RINGS: usize = 3;
    let mut at = vec![0.0_f64; face.solid.positions.len()];
    for (shares, activation) in face.active_tets().into_iter().zip(activations) {
        let own: f64 = face.shares[shares.clone()].iter().map(|share| share.fraction).sum();
        let effort = own.min(1.0) * strain(activation).sqrt();
        let corners = face.solid.tets[face.shares[shares.start].tet as usize];
        corners.iter().for_each(|&v| at[v as usize] = at[v as usize].max(effort));
    }
    for _ in 0..RINGS {
        let before = at.clone();
        for tet in &face.solid.tets {
            let most = tet.iter().map(|&v| before[v as usize]).fold(0.0, f64::max);
            tet.iter().for_each(|&v| at[v as usize] = at[v as usize].max(0.8 * most));
        }
    }
    let under = |(tet, weights): (&Option<u32>, &[f64; 4])| {
        let corners = face.solid.tets.get((*tet)? as usize)?;
        Some((0..4).map(|k| weights[k] * at[corners[k] as usize]).sum())
    };
    let all = face.binding.tets.iter().zip(&face.binding.weights);
    all.map(|pair| under(pair).unwrap_or(0.0)).collect()
}

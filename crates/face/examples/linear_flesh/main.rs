//! Pictures of what sliding and rotations do, side by side (Figs. 5 and 10 of \[ichim2017phace\]).
//!
//! `cargo run --release -p pliant-face --example linear_flesh -- head.face out/comparison`

mod drawing;

use std::fs;
use std::path::{Path, PathBuf};

use glam::{DMat3, DVec3};
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::effects::Effects;
use pliant_face::linear_flesh::{Elasticity, SimpleFlesh};
use pliant_face::{
    FaceError, FaceModel, FaceProp, FaceSimulation, FaceSimulationOptions, FaceSolver, Slip,
};
use pliant_math::decomposition::polar;
use pliant_view::{Object, Picture};

use self::drawing::{
    FRONT, Failure, Piece, THREE_QUARTERS, WET, below, colours, draw, draw_pieces, save, skin,
};

/// How much shorter the muscle of the forehead becomes.
const RAISED: f64 = 0.5;
/// Bands are painted on the forehead, one after the other in this distance (m).
const BANDS: f64 = 0.012;
/// A boxing glove: a ball that has come from the side and takes the nose along (m).
const GLOVE: (DVec3, f64) = (DVec3::new(0.012, -0.036, 0.050), 0.034);
const WAY: DVec3 = DVec3::NEG_X;
/// Flesh that is turned by more than this has kept its shape or not (degrees).
const TURNED: f64 = 15.0;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "head.face".to_owned());
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "out/comparison".to_owned()));
    fs::create_dir_all(&folder)?;
    let face = FaceModel::decode(&fs::read(file)?)?;
    let told = [forehead(&face, &folder)?, punch(&face, &folder)?].concat();
    fs::write(folder.join("numbers.txt"), &told)?;
    Ok(())
}

/// Brows raised where flesh slides over the forehead, and where it is pinned.
fn forehead(face: &FaceModel, folder: &Path) -> Result<String, Failure> {
    let of = |name: &str| if name.starts_with("frontalis") { RAISED } else { 0.0 };
    let contractions: Vec<f64> = face.muscles.iter().map(|muscle| of(&muscle.name)).collect();
    let painted = banded(face);
    let mut pictures = vec![portrait(face, &face.skin.mesh.positions, &painted)?];
    let mut told = String::new();
    for (name, sliding) in [("sliding", true), ("pinned", false)] {
        let solver = FaceSolver::Exact { tolerance: 1e-6 };
        let options = FaceSimulationOptions { sliding, solver, ..FaceSimulationOptions::default() };
        let mut simulation = FaceSimulation::new(face, &options)?;
        simulation.pose(&contractions, &JawPose::default());
        pictures.push(portrait(face, &simulation.skin(), &painted)?);
        let Slip { deep, skin, shear } = face.slip(&simulation.positions());
        let (deep, skin) = (1e3 * deep, 1e3 * skin);
        told += &format!(
            "forehead {name}: along the bone flesh on it {deep:.2} mm, skin {skin:.2} mm, shear {shear:.2}\n"
        );
    }
    let columns = ["at rest", "flesh slides over bone", "flesh is pinned"];
    save(&folder.join("forehead.png"), &columns, vec![pictures], &[])?;
    Ok(told)
}

/// The skin's colours, with soft bands over the forehead: nine to ten vertices make one.
fn banded(face: &FaceModel) -> Vec<[f32; 3]> {
    let brow = below(&face.eyes, 0.020);
    let mut painted = colours(&face.skin);
    for (colour, p) in painted.iter_mut().zip(&face.skin.mesh.positions) {
        let above = (p.y - brow.y) / BANDS;
        let is_forehead = (0.0..=3.5).contains(&above) && p.z > brow.z - 0.035;
        let wave = 0.5 + 0.5 * (std::f64::consts::TAU * above).cos();
        let part = if is_forehead { (wave * 2.0 - 0.5).clamp(0.0, 1.0) as f32 } else { 0.0 };
        for (own, blue) in colour.iter_mut().zip([0.10, 0.36, 0.66]) {
            *own += part * (blue - *own);
        }
    }
    painted
}

fn portrait(face: &FaceModel, shown: &[DVec3], painted: &[[f32; 3]]) -> Result<Picture, Failure> {
    let eyes: Vec<_> = face.eyes.iter().map(|eye| (&eye.surface, colours(&eye.surface))).collect();
    let mut objects = vec![Object {
        colours: Some(painted),
        ..Object::new(shown, &face.skin.mesh.triangles, skin())
    }];
    objects.extend(eyes.iter().map(|(surface, colours)| Object {
        colours: Some(colours),
        ..Object::new(&surface.mesh.positions[..], &surface.mesh.triangles, WET)
    }));
    draw(objects, FRONT, Some((below(&face.eyes, 0.024), 0.13)), [420, 420])
}

/// A glove in flesh that knows rotations, and in flesh that does not.
fn punch(face: &FaceModel, folder: &Path) -> Result<String, Failure> {
    let flesh = SimpleFlesh::new(face);
    let [linear, corotated] = [Elasticity::Linear, Elasticity::Corotated]
        .map(|elasticity| flesh.pressed(elasticity, &|p| p, &[], &before_the_glove));
    let glove = glove(face)?;
    let placed: Vec<DVec3> = glove.surface.mesh.positions.iter().map(|p| *p + GLOVE.0).collect();
    let mut rows = Vec::new();
    for x in [&linear, &corotated] {
        let shown = face.skin_at(x);
        let mut pieces: Vec<Piece<'_>> = vec![(&shown, &face.skin, skin())];
        pieces.extend(face.eyes.iter().map(|e| (&e.surface.mesh.positions[..], &e.surface, WET)));
        let close = Some((below(&face.eyes, -0.030), 0.13));
        let mut row = Vec::new();
        for direction in [FRONT, THREE_QUARTERS] {
            row.push(draw_pieces(&pieces, direction, close, [400, 400])?);
        }
        pieces.push((&placed, &glove.surface, skin()));
        row.insert(0, draw_pieces(&pieces, FRONT, close, [400, 400])?);
        rows.push(row);
    }
    save(&folder.join("punch.png"), &[], rows, &["linear elasticity", "with rotations"])?;
    let rotation = |t: usize, x: &[DVec3]| polar(&flesh.gradient(t, x));
    let angle = |r: DMat3| (0.5 * (r.x_axis.x + r.y_axis.y + r.z_axis.z - 1.0)).acos().to_degrees();
    let turned: Vec<usize> =
        (0..face.solid.tets.len()).filter(|&t| angle(rotation(t, &corotated)) > TURNED).collect();
    let strain = |x: &[DVec3]| {
        let own = |t: &usize| {
            let off = flesh.gradient(*t, x) - rotation(*t, x);
            off.to_cols_array().iter().map(|e| e * e).sum::<f64>().sqrt()
        };
        turned.iter().map(own).sum::<f64>() / turned.len().max(1) as f64
    };
    let (without, with) = (strain(&linear), strain(&corotated));
    Ok(format!(
        "punch: {} tets turn by more than {TURNED} degrees; mean strain of these {without:.3} with linear elasticity, \
         {with:.3} with rotations\n",
        turned.len()
    ))
}

/// Something round and red to look at.
fn glove(face: &FaceModel) -> Result<FaceProp, Failure> {
    let text = format!("[[object]]\nshape = 'sphere'\nradius = {}", GLOVE.1);
    let effects = Effects::parse(Path::new("the glove"), &text)?;
    let glove = effects.objects.first().ok_or("an object")?;
    let no_files = |file: &str| FaceError::Part {
        path: file.into(),
        part: "a mesh".to_owned(),
        problem: "is not needed".to_owned(),
    };
    Ok(FaceProp::made(face, glove, &mut |file| Err(no_files(file)))?)
}

/// Where flesh in the glove is taken: to its front, along its way (m).
fn before_the_glove(x: DVec3) -> Option<DVec3> {
    let (center, radius) = GLOVE;
    let from = x - center;
    let along = from.dot(WAY);
    let room = radius * radius - from.length_squared();
    (room > 0.0).then(|| x + WAY * ((along * along + room).sqrt() - along))
}

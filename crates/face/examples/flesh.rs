//! A face of flesh, cut open and in poses: to look at while changing it.
//!
//! `cargo run --release -p pliant-face --example flesh -- head.face out/flesh [exact|ITERATIONS] [POSES] [pinned]`,
//! where `POSES` are recipes and weights: `"jawOpen=0.8;mouthSmileLeft=1,mouthSmileRight=1"`; with `pinned`, nothing slides over the forehead.

mod drawing;

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use glam::DVec3;
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::performance::Frame;
use pliant_face::{Animator, FaceModel, FaceSolver, SimulationOptions};
use pliant_mesh::boundary_of_tets;
use pliant_view::{Material, Object, Picture};

use self::drawing::{
    FRONT, Failure, Piece, THREE_QUARTERS, WET, below, draw, draw_pieces, save, skin,
};

const PROFILE: DVec3 = DVec3::new(-1.0, -0.1, -0.1);
const POSES: &str = "jawOpen=0.85;mouthSmileLeft=1,mouthSmileRight=1,cheekSquintLeft=0.5,cheekSquintRight=0.5;\
    mouthPucker=1;browInnerUp=1,browOuterUpLeft=1,browOuterUpRight=1";

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "head.face".to_owned());
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "out/flesh".to_owned()));
    let solver = match arguments.next().as_deref() {
        Some("exact") => FaceSolver::Exact { tolerance: 1e-6 },
        Some(number) => FaceSolver::Interactive { iterations: number.parse()? },
        None => FaceSolver::Interactive { iterations: 60 },
    };
    let poses = arguments.next().unwrap_or_else(|| POSES.to_owned());
    let sliding = arguments.next().as_deref() != Some("pinned");
    fs::create_dir_all(&folder)?;
    let face = FaceModel::decode(&fs::read(file)?)?;
    let whole = |_: DVec3| true;
    let cut = vec![
        flesh(&face, &whole, FRONT, None)?,
        flesh(&face, &|p| p.x < 0.0, PROFILE, None)?,
        flesh(&face, &whole, THREE_QUARTERS, Some((below(&face.eyes, -0.060), 0.09)))?,
    ];
    save(&folder.join("cut.png"), &[], vec![cut], &[])?;
    let options = SimulationOptions { solver, sliding, threads: 2, ..SimulationOptions::default() };
    let names: Vec<String> = face.recipes.iter().map(|recipe| recipe.0.clone()).collect();
    let (mut front, mut side) = (Vec::new(), Vec::new());
    for pose in poses.split(';') {
        let mut frame = Frame { weights: vec![0.0; names.len()], ..Frame::default() };
        for (name, weight) in pose.split(',').filter_map(|item| item.trim().split_once('=')) {
            let place = names.iter().position(|n| n == name).ok_or("a shape without a recipe")?;
            frame.weights[place] = weight.parse()?;
        }
        let mut animator = Animator::new(&face, &names, &options)?;
        let clock = Instant::now();
        let shown = animator.frame(&frame);
        let seconds = clock.elapsed().as_secs_f64();
        let again = animator.frame(&frame).report;
        let report = shown.report;
        fs::write(
            folder.join(format!("pose{}.txt", front.len())),
            format!("{pose}: {seconds:.3} s, {report:?}\nagain: {again:?}\n"),
        )?;
        let close = Some((below(&face.eyes, -0.030), 0.21));
        front.push(portrait(&face, &shown.skin, &shown.jaw, FRONT, close)?);
        side.push(portrait(&face, &shown.skin, &shown.jaw, THREE_QUARTERS, close)?);
    }
    save(&folder.join("poses.png"), &[], vec![front, side], &[])
}

/// Tets whose middles are kept, in facets.
fn flesh(
    face: &FaceModel,
    keep: &dyn Fn(DVec3) -> bool,
    direction: DVec3,
    close: Option<(DVec3, f64)>,
) -> Result<Picture, Failure> {
    let at = |v: &u32| face.solid.positions[*v as usize];
    let middle = |tet: &[u32; 4]| tet.iter().map(at).sum::<DVec3>() * 0.25;
    let tets: Vec<[u32; 4]> =
        face.solid.tets.iter().filter(|tet| keep(middle(tet))).copied().collect();
    let faces = boundary_of_tets(&tets);
    let positions: Vec<DVec3> = faces.iter().flatten().map(at).collect();
    let own: Vec<[u32; 3]> =
        (0..faces.len() as u32).map(|k| [0, 1, 2].map(|c| 3 * k + c)).collect();
    let colour = Material { colour: [0.75, 0.45, 0.40], gloss: 0.1, translucency: 0.1 };
    draw(vec![Object::new(&positions[..], &own, colour)], direction, close, [700, 800])
}

fn portrait(
    face: &FaceModel,
    shown: &[DVec3],
    jaw: &JawPose,
    direction: DVec3,
    close: Option<(DVec3, f64)>,
) -> Result<Picture, Failure> {
    let moved = |p: &DVec3| face.hinge.moved(*p, jaw);
    let mandible: Vec<DVec3> = face.mandible.mesh.positions.iter().map(moved).collect();
    let mut pieces: Vec<Piece<'_>> = vec![(shown, &face.skin, skin())];
    pieces.extend(face.eyes.iter().map(|e| (&e.surface.mesh.positions[..], &e.surface, WET)));
    pieces.push((&face.skull.mesh.positions, &face.skull, WET));
    pieces.push((&mandible, &face.mandible, WET));
    draw_pieces(&pieces, direction, close, [450, 520])
}

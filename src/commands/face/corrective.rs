//! `pliant face corrective`: combinations of weights as flesh does them, for who animates with
//! shapes.

use std::path::PathBuf;

use clap::Args;
use pliant::face::alteration::Alteration;
use pliant::face::deformation_transfer::crossing_lips;
use pliant::face::{Combination, FaceSolver, FaceSimulationOptions, correctives};
use pliant::io::atomic::refuse_overwriting;
use pliant::io::{Loaded, write_blendshapes, write_mesh};
use pliant::project::performance::{OpenedEffects, open_face};

use crate::arguments::{Options, mesh_output};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;

/// Simulate combinations of shapes and write them as a mesh or as morph targets
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant face corrective head.face --shape jawOpen=0.5,mouthSmileLeft=1 --out smirk.obj\n  \
    pliant face corrective head.face --shape jawOpen --shape mouthPucker --out shapes.glb --effects fat.toml")]
pub struct Arguments {
    /// Face that `pliant face build` or `pliant face fit` wrote
    #[arg(value_name = "MODEL.face")]
    model: PathBuf,
    /// Shape to write: weights from 0 to 1, separated by commas; may be repeated
    #[arg(long = "shape", alias = "weights", value_name = "NAME=WEIGHT,…", required = true)]
    weights: Vec<String>,
    /// File to write: a mesh of one shape, or a glTF file with one morph target per shape; the
    /// skin keeps its vertex order
    #[arg(long, short, value_name = "FILE.obj|.glb", value_parser = mesh_output)]
    out: PathBuf,
    /// Effects file; the neutral is that of the altered face
    #[arg(long, value_name = "E.toml")]
    effects: Option<PathBuf>,
    /// Time at which effects that change over time are evaluated
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    time: f64,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let Arguments { model, weights, out, effects: path, time } = arguments;
    let parse = |text: &String| {
        let wrong = |problem| Failure::new(format!("--shape: {problem}"));
        Combination::parse(text).map_err(wrong)
    };
    let combinations = weights.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    let ending = out.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is_gltf = ["glb", "gltf"].contains(&ending.as_str());
    if !is_gltf && combinations.len() > 1 {
        let problem = "holds one shape: several are morph targets of a .glb";
        return Err(Failure::about(&out, problem));
    }
    if !time.is_finite() {
        return Err(Failure::new(format!("--time {time}: expected seconds")));
    }
    let face = open_face(&model)?;
    let opened = OpenedEffects::open(path.as_deref(), &face)?;
    let mut inputs = opened.inputs.clone();
    inputs.push(model.clone());
    refuse_overwriting(&out, &inputs)?;
    let asked = FaceSimulationOptions {
        solver: FaceSolver::EXACT,
        threads: options.threads(),
        ..FaceSimulationOptions::default()
    };
    let alteration: &Alteration = &opened.alteration;
    let made =
        correctives(&face, &combinations, alteration, time, &asked, &model)?;
    let skin = &face.skin;
    let at = |positions: &[pliant::mesh::DVec3]| Loaded {
        mesh: pliant::mesh::Mesh { positions: positions.to_vec(), ..skin.mesh.clone() },
        polygons: skin.polygons.clone(),
        attributes: skin.attributes.clone(),
        notes: Vec::new(),
    };
    if is_gltf {
        let shape = |(own, skin): (&Combination, &Vec<pliant::mesh::DVec3>)| {
            let by = skin.iter().zip(&made.neutral).map(|(p, q)| *p - *q).collect();
            (own.name.clone(), by)
        };
        let shapes: Vec<_> = combinations.iter().zip(&made.skins).map(shape).collect();
        write_blendshapes(&out, &at(&made.neutral), &shapes)?;
    } else if let Some(skin) = made.skins.first() {
        write_mesh(&out, &at(skin))?;
    }
    if !options.quiet {
        let residual = made.reports.iter().map(|report| report.residual).fold(0.0, f64::max);
        let (count, deepest) = (
            combinations.len(),
            1e3 * made.reports.iter().map(|report| report.max_penetration).fold(0.0, f64::max),
        );
        let crossing = |skin: &Vec<_>| crossing_lips(&face, skin);
        let crossing = made.skins.iter().map(crossing).max().unwrap_or(0);
        report::say(&format!(
            "wrote {}: {count} {}, residual {residual:.0e}, at most {deepest:.2} mm in teeth or lips, of \
             which {crossing} vertices cross",
            out.display(),
            if count == 1 { "shape" } else { "shapes" },
        ));
    }
    next_step::suggest(Output::Mesh(&out), options);
    Ok(())
}

//! `pliant face build`: from a template, or a head that it is put into, to a face that can be simulated.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use pliant::face::build::DEFAULT_SIZE;
use pliant::face::folder::{TEMPLATE, read_template};
use pliant::face::{BuildOptions, FaceModel, build, read_own_head, register};
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::math::team::Team;

use crate::arguments::{Options, unit};
use crate::failure::Failure;
use crate::report;

/// Fill the space between skin and bones of a template with tets, and find the muscles in them
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant face build head --out head.face\n  \
    pliant face build head --out fine.face --size 0.0035\n  \
    pliant face build head --neutral me.obj --expressions smile.obj jawOpen.obj --markers me.json \
    --unit cm --out me.face")]
pub struct Arguments {
    /// The folder of the template
    #[arg(value_name = "DIR")]
    template: PathBuf,
    /// The face to write
    #[arg(long, value_name = "MODEL.face")]
    out: PathBuf,
    /// Length of the tets' edges in the cheek; lips and lids are finer, the scalp is coarser
    #[arg(long, value_name = "METRES", default_value_t = DEFAULT_SIZE, value_parser = size)]
    size: f64,
    /// A head of your own, at rest, that the template's bones and muscles are warped into
    #[arg(long, value_name = "SCAN", requires = "markers")]
    neutral: Option<PathBuf>,
    /// The same head in expressions, vertex by vertex: meshes, folders of them, or glTF files with
    /// morph targets [default: the template's, carried over]
    #[arg(long, value_name = "FILES", num_args = 1.., requires = "neutral")]
    expressions: Vec<PathBuf>,
    /// Where landmarks are on it: {"pronasale": VERTEX, "menton": [X, Y, Z], …}
    #[arg(long, value_name = "M.json", requires = "neutral")]
    markers: Option<PathBuf>,
    /// Of its files: m, cm, mm, in or ft
    #[arg(long, default_value = "m", value_parser = unit, requires = "neutral")]
    unit: f64,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let Arguments { template: mut folder, out, size, neutral, expressions, markers, unit } =
        arguments;
    let start = Instant::now();
    let mut template = read_template(&folder)?;
    let parts = [folder.join(TEMPLATE)];
    let own_files = neutral.iter().chain(&markers).chain(&expressions);
    refuse_overwriting(&out, &parts.iter().chain(own_files).collect::<Vec<_>>())?;
    let team = Team::new(options.threads());
    let mut remarks = Vec::new();
    if let (Some(scan), Some(markers)) = (neutral, markers) {
        let own = read_own_head(&scan, &expressions, &markers, unit)?;
        (template, remarks) = register(&template, &own, &scan, &team)?;
        folder = scan;
    }
    let (face, more) = build(&template, &folder, &BuildOptions { size }, &team)?;
    remarks.extend(more);
    write_whole(&out, &face.encode())?;
    if !options.quiet {
        remarks.iter().for_each(|remark| report::remark(&format!("note: {remark}")));
        let seconds = start.elapsed().as_secs_f64();
        report::say(&format!("wrote {}: {} in {seconds:.1} s", out.display(), contents(&face)));
    }
    Ok(())
}

fn contents(face: &FaceModel) -> String {
    let tets = face.solid.tets.len();
    let active = face.active_fractions().iter().filter(|a| **a > 0.0).count();
    format!(
        "{} vertices, {tets} tets, {:.0}% of them with some of {} muscles, dihedral angles from {:.1}°",
        face.solid.positions.len(),
        100.0 * active as f64 / tets.max(1) as f64,
        face.muscles.len(),
        face.least_angle(),
    )
}

fn size(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(size) if (0.002..=0.012).contains(&size) => Ok(size),
        _ => Err("expected metres, from 0.002 to 0.012".to_owned()),
    }
}

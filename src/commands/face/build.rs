//! `pliant face build`: from a template, or a head that it is put into, to a face that can be
//! simulated.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use pliant::face::build::DEFAULT_SIZE;
use pliant::face::template_folder::{TEMPLATE, read_template};
use pliant::face::{BuildOptions, FaceModel, build, read_own_head, register};
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::math::team::Team;

use crate::arguments::{BadValue, Options, number, output, unit};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;

/// Build a face from a template: tets between skin and bones, with muscles in them
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant face build head --out head.face\n  \
    pliant face build head --out fine.face --size 0.0035\n  \
    pliant face build head --neutral me.obj --expressions smile.obj jawOpen.obj --markers me.json \
    --unit cm --out me.face")]
pub struct Arguments {
    /// Template folder
    #[arg(value_name = "DIR")]
    template: PathBuf,
    /// Face to write
    #[arg(long, short, value_name = "FILE.face", value_parser = output(&["face"]))]
    out: PathBuf,
    /// Edge length of the tets in the cheek; lips and lids are finer, the scalp is coarser
    #[arg(long, value_name = "METRES", default_value_t = DEFAULT_SIZE, value_parser = size)]
    size: f64,
    /// Your head mesh in its neutral pose; bones and muscles of the template are warped into it
    #[arg(long, value_name = "SCAN", requires = "markers")]
    neutral: Option<PathBuf>,
    /// The same mesh in expressions: meshes, folders of meshes, or glTF files with morph targets
    /// [default: the template's, transferred]
    #[arg(long, value_name = "FILES", num_args = 1.., requires = "neutral")]
    expressions: Vec<PathBuf>,
    /// Landmarks on your mesh: {"pronasale": VERTEX, "menton": [X, Y, Z], …}
    #[arg(long, value_name = "M.json", requires = "neutral")]
    markers: Option<PathBuf>,
    /// Unit of length of your files: m, cm, mm, in or ft
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
    next_step::suggest(Output::Face(&out), options);
    Ok(())
}

fn contents(face: &FaceModel) -> String {
    let tets = face.solid.tets.len();
    let active = face.active_fractions().iter().filter(|a| **a > 0.0).count();
    format!(
        "{} vertices, {tets} tets, {:.0}% of them with some of {} muscles, dihedral angles from \
            {:.1}°",
        face.solid.positions.len(),
        100.0 * active as f64 / tets.max(1) as f64,
        face.muscles.len(),
        face.least_angle(),
    )
}

fn size(text: &str) -> Result<f64, BadValue> {
    number(text, |size| (0.002..=0.012).contains(&size), "metres, from 0.002 to 0.012")
}

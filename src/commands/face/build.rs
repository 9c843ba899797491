//! `pliant face build`: from a template to a face that can be simulated.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use pliant::face::build::DEFAULT_SIZE;
use pliant::face::folder::read_template;
use pliant::face::{BuildOptions, FaceModel, build};
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::math::team::Team;

use super::failure;
use crate::arguments::Options;
use crate::failure::Failure;
use crate::report;

/// Fill the space between skin and bones of a template with tets, and find the muscles in them
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant face build head --out head.face\n  \
    pliant face build head --out fine.face --size 0.0035")]
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
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let Arguments { template: folder, out, size } = arguments;
    let start = Instant::now();
    let template = read_template(&folder).map_err(failure)?;
    refuse_overwriting(&out, &[folder.join(pliant::face::folder::TEMPLATE)])?;
    let team = Team::new(options.threads());
    let (face, remarks) =
        build(&template, &folder, &BuildOptions { size }, &team).map_err(failure)?;
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

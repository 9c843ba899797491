//! `pliant mesh`: tetrahedra from any triangles.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::io::{Loaded, write_mesh};
use pliant::math::team::Team;
use pliant::mesh::diagnosis::findings;
use pliant::mesh::{
    Mesh,
    Resolution, TetOptions, Tetrahedralised, tetrahedralise, tetrahedralise_separated,
};
use pliant::project::source::Source;
use serde_json::{Value, json};

use crate::arguments::{BadValue, Options, Reading, mesh_output, number, output};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;
use crate::work::watched;

/// Fill a triangle mesh with tetrahedra, however broken it is
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant mesh bunny.obj --out bunny.msh\n  \
    pliant mesh head.obj --out head.vtu --resolution 80 --report head.json\n  \
    pliant mesh lips.obj --out lips.mesh --separated lips_open.obj")]
pub struct Arguments {
    /// Triangle mesh; it may be open, cross itself, or have doubled and flipped faces
    #[arg(value_name = "SURFACE")]
    surface: String,
    /// File to write; its ending sets the format
    #[arg(long, short, value_name = "FILE", value_parser = mesh_output)]
    out: PathBuf,
    /// Cells along the longest side [default: 40]
    #[arg(long, value_name = "N", conflicts_with = "size", value_parser = clap::value_parser!(u32).range(1..))]
    resolution: Option<u32>,
    /// Cell size in metres
    #[arg(long, value_name = "METRES", value_parser = length)]
    size: Option<f64>,
    /// The same mesh in a pose whose parts do not touch, so that the tets do not weld them
    #[arg(long, value_name = "POSE")]
    separated: Option<String>,
    /// Thickness given to open sheets [default: 0, which only encloses them]
    #[arg(long, value_name = "METRES", value_parser = length)]
    thicken: Option<f64>,
    /// Number of times that cells may double in size towards the inside
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u8).range(0..=8))]
    coarsening: u8,
    /// Write quality, counts and defects to this JSON file
    #[arg(long, value_name = "FILE.json", value_parser = output(&["json"]))]
    report: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let source = Source::open(&arguments.surface, arguments.reading.options())?;
    watched(options, |watch| source.report(watch))?;
    let pose = match &arguments.separated {
        Some(written) => Some(Source::open(written, arguments.reading.options())?),
        None => None,
    };
    for output in [Some(&arguments.out), arguments.report.as_ref()].into_iter().flatten() {
        refuse_overwriting(output, source.files())?;
        if let Some(pose) = &pose {
            refuse_overwriting(output, pose.files())?;
        }
    }
    let resolution = match (arguments.resolution, arguments.size) {
        (_, Some(size)) => Resolution::Size(size),
        (Some(cells), None) => Resolution::Cells(cells),
        (None, None) => TetOptions::default().resolution,
    };
    let thicken = arguments.thicken.unwrap_or(0.0);
    let wanted = TetOptions { resolution, coarsening: arguments.coarsening, thicken };
    let team = Team::new(options.threads());
    let start = Instant::now();
    let surface = source.rest();
    let filled = match &pose {
        Some(pose) => tetrahedralise_separated(surface, pose.rest(), &wanted, &team),
        None => tetrahedralise(surface, &wanted, &team),
    };
    let filled = filled.map_err(|error| Failure::about(Path::new(&arguments.surface), error))?;
    let seconds = start.elapsed().as_secs_f64();
    if let Some(path) = &arguments.report {
        let text = format!("{:#}\n", as_json(&filled, surface, seconds));
        write_whole(path, text.as_bytes())?;
    }
    let line = closing_line(&filled, surface.positions.len(), seconds, &arguments.out);
    let notes = write_mesh(&arguments.out, &Loaded::from(filled.solid))?;
    if !options.quiet {
        notes.iter().for_each(|note| report::remark(&format!("note: {note}")));
        report::say(&line);
    }
    next_step::suggest(Output::Tets(&arguments.out), options);
    Ok(())
}

fn length(text: &str) -> Result<f64, BadValue> {
    number(text, |length| length > 0.0 && length.is_finite(), "a positive number of metres")
}

fn as_json(filled: &Tetrahedralised, surface: &Mesh, seconds: f64) -> Value {
    let findings: Vec<Value> = findings(surface).iter().map(report::finding).collect();
    // Only what is closed has one.
    let enclosed = filled.report.closed.then(|| surface.volume());
    json!({
        "vertices": filled.solid.positions.len(),
        "tets": filled.solid.tets.len(),
        "size": filled.report.size,
        "volume": filled.solid.volume(),
        "surface_volume": enclosed,
        "min_dihedral_deg": filled.report.min_dihedral,
        "inverted": filled.report.inverted,
        "embedded": filled.report.embedded,
        "components": filled.report.components,
        "closed": filled.report.closed,
        "rounds": filled.report.rounds,
        "findings": findings,
        "seconds": seconds,
    })
}

fn closing_line(filled: &Tetrahedralised, vertices: usize, seconds: f64, out: &Path) -> String {
    format!(
        "wrote {}: {} tets, {} vertices, angles from {:.1}°, {} of {vertices} surface vertices \
         inside, in {seconds:.1} s",
        out.display(),
        filled.solid.tets.len(),
        filled.solid.positions.len(),
        filled.report.min_dihedral,
        filled.report.embedded,
    )
}

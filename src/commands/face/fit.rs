//! `pliant face fit`: the muscles and the jaw that make given skins.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pliant::face::inverse::solve::ActivationModel;
use pliant::project::{FitProject, Project};
use serde_json::Value;

use crate::arguments::{Options, Resuming};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;
use crate::work::{RESUME, finished, watched};

/// Fit muscle activations and jaw pose to target meshes
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant face fit head.face --all --out fitted\n  \
    pliant face fit head.face --target smile.obj frown.obj --out fitted\n  \
    pliant face fit head.face --target a.obj b.obj c.obj d.obj e.obj --learn-muscles --out subject\n  \
    pliant face fit subject/model.face --target new.obj --activation geometry --out more\n  \
    pliant face animate fitted/model.face --weights take.csv --out talk.glb")]
pub struct Arguments {
    /// Face that `pliant face build` wrote
    #[arg(value_name = "MODEL.face")]
    model: PathBuf,
    /// Target meshes with the vertices of the face's skin, in its order; the file name is the
    /// shape's name
    #[arg(long, value_name = "FILES", num_args = 1.., required_unless_present = "all")]
    target: Vec<PathBuf>,
    /// Fit every shape of the face; mouthClose and tongueOut are fitted relative to jawOpen
    #[arg(long, conflicts_with = "target")]
    all: bool,
    /// Folder for model.face, report.json, and NAME.obj and NAME.png of each target
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// Kind of activation
    #[arg(long, value_enum, default_value_t = Kind::Tensor)]
    activation: Kind,
    /// Learn the extent of the muscles from all targets together and store it in the model
    #[arg(long, conflicts_with = "activation")]
    learn_muscles: bool,
    /// Turn contact off: lips may pass through teeth and each other
    #[arg(long)]
    no_contact: bool,
    /// Write no pictures
    #[arg(long)]
    no_pictures: bool,
    #[command(flatten)]
    resuming: Resuming,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Symmetric matrix per tet
    Tensor,
    /// Contraction along the fibres per tet
    Fibre,
    /// Contraction along the fibres per muscle
    Muscle,
    /// Symmetric matrix per muscle, distributed as learned by --learn-muscles, else as the anatomy
    Geometry,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let settings = arguments.resuming.settings(options);
    let project = FitProject {
        activation: match arguments.activation {
            Kind::Tensor => ActivationModel::Tensor,
            Kind::Fibre => ActivationModel::Fibre,
            Kind::Muscle => ActivationModel::Muscle,
            Kind::Geometry => ActivationModel::Geometry,
        },
        learn_muscles: arguments.learn_muscles,
        contact: !arguments.no_contact,
        pictures: !arguments.no_pictures,
        ..FitProject::new(&arguments.model, &arguments.target, &arguments.out)
    };
    let outcome = watched(options, |watch| project.drive(&settings, watch))??;
    let report = finished(outcome, &arguments.out, RESUME)?;
    if !options.quiet {
        let rows = report.json["targets"].as_array().map_or(&[][..], Vec::as_slice);
        table(rows).iter().for_each(|line| report::say(line));
        let (path, targets, seconds) = (arguments.out.display(), report.targets, report.seconds);
        report::say(&format!("wrote {path}: {targets} targets in {seconds:.1} s"));
    }
    next_step::suggest(Output::Face(&arguments.out.join("model.face")), options);
    Ok(())
}

/// The rows as lines, the worst fitted last.
fn table(rows: &[Value]) -> Vec<String> {
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap_or(0.0);
    let part = |row: &Value| number(row, "mean_mm") / number(row, "moved_mm").max(1e-9);
    let mut order: Vec<&Value> = rows.iter().collect();
    order.sort_by(|a, b| part(a).total_cmp(&part(b)));
    let line = |row: &&Value| {
        format!(
            "{:<28} moved {:6.2} mm, left {:5.2} mm ({:3.0} %), at most {:5.2} mm, {:5.1} s",
            row["name"].as_str().unwrap_or(""),
            number(row, "moved_mm"),
            number(row, "mean_mm"),
            100.0 * part(row),
            number(row, "max_mm"),
            number(row, "seconds"),
        )
    };
    order.iter().map(line).collect()
}

//! `pliant face`: the physics-based face, an action per file.

mod animate;
mod build;
mod corrective;
mod fit;
mod template;

use clap::{Args, Subcommand};

use crate::arguments::Options;
use crate::failure::Failure;

/// Build, fit and animate a physics-based face
#[derive(Args)]
#[command(after_help = "Example:\n  pliant face template --out head\n  \
    pliant face build head --out head.face\n  \
    pliant face animate head.face --weights head/performance.csv --out talk.glb")]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Template(template::Arguments),
    Build(build::Arguments),
    Fit(fit::Arguments),
    Animate(animate::Arguments),
    Corrective(corrective::Arguments),
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    match arguments.what {
        What::Template(arguments) => template::run(arguments, options),
        What::Build(arguments) => build::run(arguments, options),
        What::Fit(arguments) => fit::run(arguments, options),
        What::Animate(arguments) => animate::run(arguments, options),
        What::Corrective(arguments) => corrective::run(arguments, options),
    }
}

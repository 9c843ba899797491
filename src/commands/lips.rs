//! `pliant lips`: correct ten frames of a captured performance, get all of them.

mod apply;
mod demo;
mod region;
mod sketch;
mod suggest;
mod train;

use clap::{Args, Subcommand};

use crate::arguments::Options;
use crate::failure::Failure;

/// Correct the lips of a captured performance
#[derive(Args)]
#[command(after_help = "Example:\n  pliant lips demo --out lips\n  cd lips\n  \
    pliant lips train --rest rest.obj --capture capture.pc2 --corrected \"fix/*.obj\" \
    --inner inner.txt --mouth mouth.txt --out mouth.lips\n  \
    pliant lips apply mouth.lips --capture capture.pc2 --out corrected.pc2")]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Train(train::Arguments),
    Apply(apply::Arguments),
    Suggest(suggest::Arguments),
    Sketch(sketch::Arguments),
    Demo(demo::Arguments),
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    match arguments.action {
        Action::Train(arguments) => train::run(arguments, options),
        Action::Apply(arguments) => apply::run(arguments, options),
        Action::Suggest(arguments) => suggest::run(arguments, options),
        Action::Sketch(arguments) => sketch::run(arguments, options),
        Action::Demo(arguments) => demo::run(arguments, options),
    }
}

//! The commands, one file each: an `Arguments` for the command line, and a `run`.

use clap::Subcommand;

use crate::arguments::Options;
use crate::failure::Failure;

/// Declares the modules, the subcommands and what runs them.
macro_rules! commands {
    ($($module:ident => $variant:ident,)*) => {
        $(mod $module;)*

        /// What to do.
        #[derive(Subcommand)]
        pub enum Command {
            $($variant($module::Arguments),)*
        }

        /// Does it.
        pub fn run(command: Command, options: &Options) -> Result<(), Failure> {
            match command {
                $(Command::$variant(arguments) => $module::run(arguments, options),)*
            }
        }
    };
}

commands! {
    demo => Demo,
    new => New,
    simulate => Simulate,
    convert => Convert,
    inspect => Inspect,
    mesh => Mesh,
    lips => Lips,
    enrich => Enrich,
    face => Face,
    render => Render,
    plot => Plot,
    studio => Studio,
    bench => Bench,
    completions => Completions,
    man => Man,
}

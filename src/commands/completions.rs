//! `pliant completions`: a script that completes commands and options in a shell.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::arguments::Options;
use crate::command_line::CommandLine;
use crate::failure::Failure;
use crate::report;

/// Print a script that completes commands and options in your shell
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant completions bash > ~/.local/share/bash-completion/completions/pliant\n  \
    pliant completions zsh > ~/.zfunc/_pliant\n  \
    pliant completions fish > ~/.config/fish/completions/pliant.fish")]
pub struct Arguments {
    /// Shell that reads the script
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub fn run(arguments: Arguments, _: &Options) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut CommandLine::command(), "pliant", &mut script);
    report::say(String::from_utf8_lossy(&script).trim_end());
    Ok(())
}

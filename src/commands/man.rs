//! `pliant man`: manual pages, one per command.

use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use pliant::io::atomic::{create_folder, write_whole};

use crate::arguments::Options;
use crate::command_line::CommandLine;
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;

/// Write the manual pages of all commands
#[derive(Args)]
#[command(after_help = "Example:\n  pliant man ~/.local/share/man/man1")]
pub struct Arguments {
    /// Folder for the pages: pliant.1, pliant-simulate.1 and so on
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let folder = arguments.folder;
    create_folder(&folder)?;
    let mut whole = CommandLine::command();
    whole.build();
    let mut pages = Vec::new();
    collect(&whole, &mut pages);
    for page in &pages {
        let path = folder.join(page.get_filename());
        let mut text = Vec::new();
        page.render(&mut text).map_err(|error| Failure::about(&path, error))?;
        write_whole(&path, &text)?;
    }
    if !options.quiet {
        report::say(&format!("wrote {} manual pages into {}", pages.len(), folder.display()));
    }
    let first = next_step::quoted(&folder.join("pliant.1").to_string_lossy());
    next_step::suggest(Output::Project(&format!("man {first}")), options);
    Ok(())
}

/// A page for a command and for each of its own.
fn collect(command: &Command, pages: &mut Vec<Man>) {
    pages.push(Man::new(command.clone()));
    for own in command.get_subcommands().filter(|own| own.get_name() != "help") {
        collect(own, pages);
    }
}

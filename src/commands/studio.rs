//! `pliant studio`: the interactive page.

use std::net::IpAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use pliant::project::ProjectError;
use pliant_studio::{Library, Studio, StudioOptions, missing};

use crate::arguments::Options;
use crate::failure::Failure;
use crate::interrupt;
use crate::report;

/// Open the interactive page in a browser: scenes, animations, faces and lips
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant studio\n  pliant studio scene.toml\n  \
    pliant studio head.face --port 8080 --no-open\n\n\
    The server accepts this machine only, at an address with a random token, until Ctrl-C.\n\
    The page can read only files in the folder of FILE.")]
pub struct Arguments {
    /// Scene, animation, enrich project or face to open, or a folder of them
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Port of the page; 0 picks a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Address of the page; an address of the network admits everyone who has the token
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    host: IpAddr,
    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
}

/// How often to look whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(100);

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let Arguments { file, port, host, no_open } = arguments;
    interrupt::listen()?;
    // A fault of a place is told on its page; the other places go on.
    std::panic::set_hook(Box::new(|_| {}));
    let threads = options.threads();
    let library = Library::built_in().map_err(ProjectError::from)?;
    let studio = Studio::open(StudioOptions { file, host, port, threads, library })
        .map_err(|error| Failure::new(error.to_string()))?;
    let url = studio.url();
    report::say(&url);
    match missing() {
        Some(sentence) => report::remark(&format!("note: {sentence}")),
        None if !no_open => open_browser(&url),
        None => {}
    }
    if !options.quiet {
        report::remark("the studio is open at the address above; Ctrl-C closes it");
    }
    while !interrupt::asked() {
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// By whatever the system opens addresses with; where there is nothing, the address has been
/// printed.
fn open_browser(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    let _ = command.arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}

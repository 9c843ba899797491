//! Opens the studio on the built-in demos, without the rest of the command: for work on the page.
//! `cargo run --release -p pliant-studio --example open [FILE]` prints where it is, and stays until
//! it is ended.

use std::io::Read;
use std::path::PathBuf;

use pliant_studio::{Library, Studio, StudioOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let studio = Studio::open(StudioOptions {
        file: std::env::args().nth(1).map(PathBuf::from),
        library: Library::built_in()?,
        ..StudioOptions::default()
    })?;
    println!("{}", studio.url());
    // Until standard input is closed.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

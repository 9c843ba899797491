//! Opens the studio on scenes of `assets/scenes/`, without the rest of the command: for work on the page.
//! `cargo run --release -p pliant-studio --example open [FILE]` prints where it is, and stays until it is ended.

use std::io::Read;
use std::path::PathBuf;

use pliant_studio::{Library, SceneEntry, Studio, StudioOptions};

const SCENES: [&str; 6] = ["jelly", "bar", "hippo", "cube", "spin", "flag"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let assets = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/scenes");
    let entry = |name: &str| -> Result<SceneEntry, std::io::Error> {
        let text = std::fs::read_to_string(assets.join(format!("{name}.toml")))?;
        // The table [demo] comes last, and is the command's.
        let scene = text.split("\n[demo]").next().unwrap_or(&text).to_owned();
        let variants = vec![(String::new(), scene)];
        Ok(SceneEntry { name: name.to_owned(), about: String::new(), variants })
    };
    let scenes = SCENES.iter().map(|name| entry(name)).collect::<Result<_, _>>()?;
    let studio = Studio::open(StudioOptions {
        file: std::env::args().nth(1).map(PathBuf::from),
        library: Library { scenes, ..Library::default() },
        ..StudioOptions::default()
    })?;
    println!("{}", studio.url());
    // Until standard input is closed.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

//! Every example runs to its end; its assertions hold.

use std::error::Error;

#[path = "../examples/correct_lips.rs"]
mod correct_lips;
#[path = "../examples/enrich_clip.rs"]
mod enrich_clip;
#[path = "../examples/fit_expression.rs"]
mod fit_expression;
#[path = "../examples/play_face.rs"]
mod play_face;
#[path = "../examples/simulate_scene.rs"]
mod simulate_scene;

fn runs(main: fn() -> Result<(), Box<dyn Error>>) {
    main().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn lips_are_corrected() {
    runs(correct_lips::main);
}

#[test]
fn a_clip_is_enriched() {
    runs(enrich_clip::main);
}

#[test]
fn an_expression_is_fitted() {
    runs(fit_expression::main);
}

#[test]
fn a_face_plays() {
    runs(play_face::main);
}

#[test]
fn a_scene_is_simulated() {
    runs(simulate_scene::main);
}

#[test]
fn every_example_is_here_and_short() {
    let here = include_str!("examples.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    for entry in std::fs::read_dir(folder).expect("there are examples") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        assert!(here.contains(&format!("#[path = \"../examples/{name}\"]")), "{name} is not run");
        let lines = std::fs::read_to_string(&path).expect("text").lines().count();
        assert!(lines <= 60, "{name} has {lines} lines");
    }
}

//! Simulates a scene file, stops after two frames, and resumes.

use std::error::Error;
use std::fs;

use pliant::prelude::*;

const SCENE: &str = r#"
    frames = 10
    [[body]]
    mesh = { box = { size = [1, 1, 1], cells = [3, 3, 3] } }
    material = { preset = "jelly", density = 1100 }
    place = { translate = [0, 2, 0] }
    [[collider]]
    shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
"#;

pub fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join("pliant-simulate-scene");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("scene.toml"), SCENE)?;

    let project = SceneProject::open(folder.join("scene.toml"), folder.join("run"))?;
    let stopped = project.run(&Settings::default(), |event| match event {
        Event::Progress(progress) if progress.done == 2 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    })?;
    assert!(matches!(stopped, Outcome::Stopped { done: 2, total: 10, .. }));
    let finished = project.run(&Settings::default().resuming(), |event| {
        println!("{event:?}");
        ControlFlow::Continue(())
    })?;
    let summary = finished.report().ok_or("the run was stopped")?;
    assert_eq!((summary.steps, summary.exploded), (10, false));
    Ok(())
}

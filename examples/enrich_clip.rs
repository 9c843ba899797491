//! Adds physics to an animation: a generated puppet here, any clip in your own code.

use std::error::Error;

use pliant::prelude::*;

pub fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join("pliant-enrich-clip");
    std::fs::create_dir_all(&folder)?;

    let mut project = EnrichmentProject::open("puppet:bird:24", folder.join("bird.glb"))?;
    project.frames = "0..12".parse()?;
    project.values.resolution = Some(16);
    let outcome = project.run(&Settings::default(), |event| {
        println!("{event:?}");
        ControlFlow::Continue(())
    })?;
    let report = outcome.report().ok_or("the run was stopped")?;
    println!("{} frames with {} tets", report.frames, report.tets);
    assert!(report.most_motion > 0.0 && folder.join("bird.glb").exists());
    Ok(())
}

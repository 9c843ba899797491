//! Builds a coarse version of the built-in head and lets it speak by muscles and jaw.

use std::error::Error;
use std::fs;

use pliant::face::{BuildOptions, Performance, Template, build};
use pliant::math::team::Team;
use pliant::prelude::*;

pub fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join("pliant-play-face");
    fs::create_dir_all(&folder)?;
    let (model, weights) = (folder.join("head.face"), folder.join("speech.csv"));
    let team = Team::new(2);
    let template = Template::built_in(0.008, &team)?;
    let (face, _) = build(&template, &model, &BuildOptions { size: 0.009 }, &team)?;
    fs::write(&model, face.encode())?;
    fs::write(&weights, Performance::speech(30.0).to_csv())?;

    let mut project = PerformanceProject::new(&model, &weights, folder.join("talk.glb"));
    project.frames = Some("0..3".parse()?);
    let outcome = project.run(&Settings::default(), |event| {
        println!("{event:?}");
        ControlFlow::Continue(())
    })?;
    let report = outcome.report().ok_or("the run was stopped")?;
    println!("{:.1} ms per frame", report.ms_per_frame);
    assert_eq!((report.frames, report.json["exploded"].as_bool()), (4, Some(false)));
    Ok(())
}

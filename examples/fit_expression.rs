//! Finds the muscles and the jaw pose that open the mouth of the built-in head.

use std::error::Error;
use std::fs;

use pliant::face::{BuildOptions, Template, build};
use pliant::io::{Loaded, write_mesh};
use pliant::math::team::Team;
use pliant::mesh::Mesh;
use pliant::prelude::*;

pub fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join("pliant-fit-expression");
    fs::create_dir_all(&folder)?;
    let (model, target) = (folder.join("head.face"), folder.join("jawOpen.obj"));
    let team = Team::new(2);
    let template = Template::built_in(0.008, &team)?;
    let (face, _) = build(&template, &model, &BuildOptions { size: 0.009 }, &team)?;
    fs::write(&model, face.encode())?;
    let rest = &face.skin.mesh;
    let shape = face.shapes.iter().find(|s| s.name == "jawOpen").ok_or("no such shape")?;
    let positions = rest.positions.iter().zip(&shape.displacement).map(|(x, d)| *x + 0.5 * *d);
    let half_open = Mesh { positions: positions.collect(), ..rest.clone() };
    write_mesh(&target, &Loaded::from(half_open))?;

    let mut project = FitProject::new(&model, &[target], folder.join("fit"));
    project.pictures = false;
    let outcome = project.run(&Settings::default(), |event| {
        println!("{event:?}");
        ControlFlow::Continue(())
    })?;
    let report = outcome.report().ok_or("the run was stopped")?;
    let row = &report.json["targets"][0];
    let (moved, left) = (row["moved_mm"].as_f64(), row["mean_mm"].as_f64());
    println!("moved {moved:?} mm, left {left:?} mm");
    assert!(left < moved.map(|moved| 0.5 * moved), "less than half is left");
    Ok(())
}

//! Every creature of the menagerie from four sides: to look at while sculpting.
//!
//! `cargo run --release -p pliant-project --example menagerie -- out/menagerie [NAME…]`

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::PathBuf;

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::menagerie::Creature;
use pliant_view::{
    Filmstrip, FilmstripRow, Framing, Ground, Material, Object, Scene, Settings, render, write_png,
};

const VIEWS: [(&str, DVec3); 4] = [
    ("three quarters", DVec3::new(-0.55, -0.32, -1.0)),
    ("front", DVec3::new(0.0, -0.15, -1.0)),
    ("side", DVec3::new(-1.0, -0.15, -0.05)),
    ("behind", DVec3::new(0.6, -0.3, 1.0)),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "out/menagerie".to_owned()));
    let asked: Vec<String> = arguments.collect();
    fs::create_dir_all(&folder)?;
    let team = Team::new(2);
    for name in Creature::names().filter(|n| asked.is_empty() || asked.iter().any(|a| a == n)) {
        let creature = Creature::named(name).ok_or("no such creature")?;
        let skin = creature.skin(110, &team)?;
        let material = Material { colour: [0.7; 3], gloss: 0.35, translucency: 0.3 };
        let mut frames = Vec::new();
        for (_, direction) in VIEWS {
            let mut framing = Framing::new(direction, 1.0);
            framing.add(skin.surface.positions.iter().copied());
            let mut object =
                Object::new(&skin.surface.positions[..], &skin.surface.triangles, material);
            object.colours = Some(&skin.colours);
            let scene = Scene {
                objects: vec![object],
                ground: Some(Ground::at(framing.bounds().min.y)),
                ..Scene::default()
            };
            let settings = Settings { width: 420, height: 420, threads: 2 };
            frames.push(render(&scene, &framing.camera(), &settings)?);
        }
        let rows = vec![FilmstripRow { label: String::new(), frames }];
        let columns = VIEWS.map(|(view, _)| view.to_owned()).into();
        let strip = Filmstrip { title: name.to_owned(), columns, rows };
        let file = File::create(folder.join(format!("{name}.png")))?;
        write_png(&strip.compose()?, &mut BufWriter::new(file))?;
        println!("{name}: {} triangles", skin.surface.triangles.len());
    }
    Ok(())
}

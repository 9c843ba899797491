//! `pliant face template`: the built-in head as a folder, a head of one's own with its parts, or a
//! folder looked at.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use pliant::face::anatomy::edge_lengths::DEFAULT_SIZE;
use pliant::face::template_folder::{check, read_template, write_template};
use pliant::face::{Performance, Template, read_own_head, register};
use pliant::io::atomic::{create_folder, refuse_overwriting, write_whole};
use pliant::math::team::Team;

use crate::arguments::{BadValue, Options, number, unit};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;

/// Write the built-in head as a template folder, fit it into your head mesh, or check a folder
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant face template --out head\n  \
    pliant face template --out fine --size 0.0015\n  \
    pliant face template --skin me.obj --markers me.json --shapes shapes/ --unit cm --out me\n  \
    pliant face template --check head")]
pub struct Arguments {
    /// Folder to write
    #[arg(long, short, value_name = "DIR", required_unless_present = "check")]
    out: Option<PathBuf>,
    /// Edge length of the skin in the cheek; lips and lids are finer, the scalp is coarser
    #[arg(long, value_name = "METRES", default_value_t = DEFAULT_SIZE, value_parser = size)]
    size: f64,
    /// Your head mesh; bones, muscles and eyes of the built-in head are warped into it
    #[arg(long, value_name = "MESH", requires = "markers", conflicts_with = "check")]
    skin: Option<PathBuf>,
    /// Landmarks on your mesh: {"pronasale": VERTEX, "menton": [X, Y, Z], …}
    #[arg(long, value_name = "M.json", requires = "skin")]
    markers: Option<PathBuf>,
    /// Shapes of your mesh: meshes, folders of meshes, or glTF files with morph targets
    #[arg(long, value_name = "FILES", num_args = 1.., requires = "skin")]
    shapes: Vec<PathBuf>,
    /// Unit of length of your files: m, cm, mm, in or ft
    #[arg(long, default_value = "m", value_parser = unit, requires = "skin")]
    unit: f64,
    /// Check the template in this folder instead of writing one
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "size"])]
    check: Option<PathBuf>,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let team = Team::new(options.threads());
    if let Some(folder) = &arguments.check {
        let template = read_template(folder)?;
        let remarks = check(&template, folder, &team)?;
        if !options.quiet {
            remarks.iter().for_each(|remark| report::remark(&format!("note: {remark}")));
            report::say(&format!("{} is sound: {}", folder.display(), contents(&template)));
        }
        return Ok(());
    }
    let Some(folder) = arguments.out else { return Ok(()) };
    let start = Instant::now();
    let own = match (&arguments.skin, &arguments.markers) {
        (Some(skin), Some(markers)) => {
            for output in ["skin.obj", "blendshapes.glb"] {
                refuse_overwriting(&folder.join(output), &[skin, markers])?;
            }
            let shapes = &arguments.shapes;
            let own = read_own_head(skin, shapes, markers, arguments.unit)?;
            Some((skin, own))
        }
        _ => None,
    };
    let mut template = Template::built_in(arguments.size, &team)?;
    if let Some((path, own)) = own {
        let (registered, remarks) = register(&template, &own, path, &team)?;
        if !options.quiet {
            remarks.iter().for_each(|remark| report::remark(&format!("note: {remark}")));
        }
        template = registered;
    }
    create_folder(&folder)?;
    let files = write_template(&template, &folder)?;
    let speech = Performance::speech(30.0);
    write_whole(&folder.join("performance.csv"), speech.to_csv().as_bytes())?;
    if !options.quiet {
        let seconds = start.elapsed().as_secs_f64();
        let (count, parts) = (files.len() + 1, contents(&template));
        report::say(&format!("wrote {}: {parts}; {count} files in {seconds:.1} s", folder.display()));
    }
    next_step::suggest(Output::Template(&folder), options);
    Ok(())
}

fn contents(template: &Template) -> String {
    format!(
        "skin of {} triangles, {} muscles, {} shapes, {} regions, {} landmarks",
        template.skin.mesh.triangles.len(),
        template.muscles.len(),
        template.shapes.len(),
        template.regions.len(),
        template.landmarks.len(),
    )
}

fn size(text: &str) -> Result<f64, BadValue> {
    number(text, |size| (0.0008..=0.02).contains(&size), "metres, from 0.0008 to 0.02")
}

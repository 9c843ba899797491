//! `pliant new`: project files to begin with, which run as they are.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pliant::io::atomic::write_whole;

use crate::arguments::{Options, ending};
use crate::failure::Failure;
use crate::next_step::{self, Output, quoted};
use crate::report;

/// Write a project file with comments, which runs as it is
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant new scene\n  pliant new walk --out hippo.toml\n  \
    pliant new face\n  pliant new lips")]
pub struct Arguments {
    /// Kind of project
    #[arg(value_enum, value_name = "KIND")]
    kind: Kind,
    /// File to write [default: KIND.toml, for lips KIND.sh]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Scene for `pliant simulate`: two bodies, a floor and a ball
    Scene,
    /// Project for `pliant enrich`: a walking elephant
    Walk,
    /// Effects and weights for `pliant face animate`; the weights go into a .csv file beside
    Face,
    /// Shell script of `pliant lips` commands on a sample capture
    Lips,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Scene => "scene",
            Kind::Walk => "walk",
            Kind::Face => "face",
            Kind::Lips => "lips",
        })
    }
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let Arguments { kind, out } = arguments;
    let expected = if kind == Kind::Lips { "sh" } else { "toml" };
    let out = out.unwrap_or_else(|| PathBuf::from(format!("{kind}.{expected}")));
    if ending(&out) != expected {
        let found = out.display();
        let problem = format!("--out {found}: expected a file ending in .{expected}");
        return Err(Failure::usage(problem));
    }
    let files = files(kind, &out);
    // `exists` follows links; a broken link is in the way, too.
    if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        let problem = "is there already and stays as it is; give another name with --out";
        return Err(Failure::about(path, problem));
    }
    for (path, text) in &files {
        write_whole(path, text.as_bytes())?;
    }
    if !options.quiet {
        let names: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
        report::say(&format!("wrote {}", names.join(" and ")));
    }
    next_step::suggest(Output::Project(&command(kind, &out)), options);
    Ok(())
}

/// The files of a project, with the names that were asked for in their comments.
fn files(kind: Kind, out: &Path) -> Vec<(PathBuf, String)> {
    let name = |path: &Path| quoted(&path.file_name().unwrap_or_default().to_string_lossy());
    let own = name(out);
    match kind {
        Kind::Scene => {
            let text = include_str!("../../assets/templates/scene.toml");
            vec![(out.to_owned(), text.replace("scene.toml", &own))]
        }
        Kind::Walk => {
            let text = include_str!("../../assets/templates/walk.toml");
            vec![(out.to_owned(), text.replace("walk.toml", &own))]
        }
        Kind::Face => {
            let weights = out.with_extension("csv");
            let text = include_str!("../../assets/templates/face.toml")
                .replace("WEIGHTS", &name(&weights))
                .replace("EFFECTS", &own);
            let table = include_str!("../../assets/templates/face.csv");
            vec![(out.to_owned(), text), (weights, table.to_owned())]
        }
        Kind::Lips => {
            let text = include_str!("../../assets/templates/lips.sh");
            vec![(out.to_owned(), text.replace("LIST", &own))]
        }
    }
}

/// The command that runs a project.
fn command(kind: Kind, out: &Path) -> String {
    let path = |path: &Path| quoted(&path.to_string_lossy());
    let own = path(out);
    match kind {
        Kind::Scene => format!("pliant simulate {own} --out run"),
        Kind::Walk => format!("pliant enrich {own} --out {}", path(&out.with_extension("glb"))),
        Kind::Face => format!(
            "pliant face template --out head && pliant face build head --out head.face && pliant \
             face animate head.face --weights {} --effects {own} --out {}",
            path(&out.with_extension("csv")),
            path(&out.with_extension("glb"))
        ),
        Kind::Lips => format!("sh {own}"),
    }
}

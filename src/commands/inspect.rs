//! `pliant inspect`: what is in a file, with its defects.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant::io::atomic::refuse_overwriting;
use pliant::mesh::Mesh;
use pliant::mesh::diagnosis::{Finding, FindingKind, findings};
use pliant::view::{Material, Object};
use serde_json::{Value, json};

use crate::animation::Source;
use crate::arguments::{Options, Size, output};
use crate::failure::Failure;
use crate::report;
use crate::stage::{Stage, save_png};

/// Say what is in a mesh or an animation, with its defects
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant inspect hippo.msh\n  \
                        pliant inspect scan.obj --json --picture defects.png")]
pub struct Arguments {
    /// A mesh, a quoted glob of frames, rest.obj+cache.pc2, or the directory of a run
    #[arg(value_name = "FILE")]
    file: String,
    /// Say it as JSON
    #[arg(long)]
    json: bool,
    /// Draw it into this file, defective faces in red
    #[arg(long, value_name = "FILE.png", value_parser = output(&["png"]))]
    picture: Option<PathBuf>,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    size: Size,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let source = Source::open(&arguments.file)?;
    let mesh = source.rest();
    let findings = findings(mesh);
    if let Some(path) = &arguments.picture {
        refuse_overwriting(path, source.files())?;
        draw(mesh, &findings, arguments.size, options.threads(), path)?;
    }
    if !options.quiet {
        source.notes().iter().for_each(|note| report::remark(&format!("note: {note}")));
    }
    if arguments.json {
        report::say(&as_json(mesh, source.frames(), &findings).to_string());
    } else {
        as_text(mesh, source.frames(), &findings).iter().for_each(|line| report::say(line));
    }
    Ok(())
}

fn as_json(mesh: &Mesh, frames: usize, findings: &[Finding]) -> Value {
    let bounds = mesh
        .bounds()
        .map(|bounds| json!({ "min": bounds.min.to_array(), "max": bounds.max.to_array() }));
    let findings: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({
                "kind": finding.kind.name(),
                "count": finding.count,
                "elements": finding.elements,
            })
        })
        .collect();
    json!({
        "vertices": mesh.positions.len(),
        "faces": mesh.triangles.len(),
        "tets": mesh.tets.len(),
        "frames": frames,
        "bounds": bounds,
        "findings": findings,
    })
}

fn as_text(mesh: &Mesh, frames: usize, findings: &[Finding]) -> Vec<String> {
    let mut lines = vec![
        format!("vertices  {}", mesh.positions.len()),
        format!("faces     {}", mesh.triangles.len()),
        format!("tets      {}", mesh.tets.len()),
        format!("frames    {frames}"),
    ];
    if let Some(bounds) = mesh.bounds() {
        let [x, y, z] = bounds.size().to_array();
        let [left, low, back] = bounds.min.to_array();
        lines.push(format!("size      {x:.4} × {y:.4} × {z:.4} m, from {left:.4}, {low:.4}, {back:.4}"));
    }
    if !mesh.groups.is_empty() {
        let names: Vec<&str> = mesh.groups.iter().map(|group| group.name.as_str()).collect();
        lines.push(format!("groups    {}", names.join(", ")));
    }
    if findings.is_empty() {
        lines.push("defects   no defects found".to_owned());
    }
    for finding in findings {
        let first: Vec<String> = finding.elements.iter().take(8).map(u32::to_string).collect();
        let more = if finding.count > first.len() { ", …" } else { "" };
        let (kind, count) = (finding.kind.name(), finding.count);
        lines.push(format!("defect    {count} {kind} (at {}{more})", first.join(", ")));
    }
    lines
}

fn draw(
    mesh: &Mesh,
    findings: &[Finding],
    size: Size,
    threads: usize,
    path: &Path,
) -> Result<(), Failure> {
    let defective: Vec<u32> = findings
        .iter()
        .filter(|finding| lists_faces(finding.kind))
        .flat_map(|finding| finding.elements.iter().copied())
        .collect();
    let object = Object {
        highlighted: &defective,
        wireframe: true,
        ..Object::new(&mesh.positions[..], &mesh.triangles, Material::PLASTER)
    };
    let mut framing = Stage::framing(size);
    framing.add(mesh.positions.iter().copied());
    let stage = Stage::around(&framing, size, threads).without_ground();
    let picture = stage.picture(vec![object]).map_err(|error| Failure::about(path, error))?;
    save_png(&picture, path)
}

/// Whether the elements of such a finding are faces, which can be painted red.
fn lists_faces(kind: FindingKind) -> bool {
    use FindingKind as Kind;
    matches!(
        kind,
        Kind::OpenEdge
            | Kind::NonManifoldEdge
            | Kind::DuplicateFace
            | Kind::DegenerateFace
            | Kind::FlippedFace
            | Kind::SelfIntersection
    )
}

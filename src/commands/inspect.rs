//! `pliant inspect`: what is in a file, with its defects.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant::io::atomic::refuse_overwriting;
use pliant::mesh::Mesh;
use pliant::mesh::diagnosis::{Finding, FindingKind, findings};
use pliant::project::picture::{Stage, save_png};
use pliant::project::source::Source;
use pliant::view::{Material, Object};
use serde_json::{Value, json};

use crate::arguments::{Options, Reading, Size, output};
use crate::failure::Failure;
use crate::report;
use crate::work::watched;

/// Show the contents and defects of a mesh or animation
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant inspect hippo.msh\n  pliant inspect fox.glb --clip Walk\n  \
                        pliant inspect scan.obj --json --picture defects.png")]
pub struct Arguments {
    /// Mesh or animation: a file, a quoted glob of frames, rest.obj+cache.pc2, or a run directory
    #[arg(value_name = "FILE")]
    file: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write a picture of the mesh, with defective faces in red
    #[arg(long, value_name = "FILE.png", value_parser = output(&["png"]))]
    picture: Option<PathBuf>,
    /// Size of the picture in pixels
    #[arg(long, alias = "size", value_name = "WxH", default_value = "1280x720")]
    pixels: Size,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let source = Source::open(&arguments.file, arguments.reading.options())?;
    let mesh = source.rest();
    let findings = findings(mesh);
    if let Some(path) = &arguments.picture {
        refuse_overwriting(path, source.files())?;
        draw(mesh, &findings, arguments.pixels, options.threads(), path)?;
    }
    watched(options, |watch| source.report(watch))?;
    if arguments.json {
        report::say(&as_json(&source, &findings).to_string());
    } else {
        as_text(&source, &findings).iter().for_each(|line| report::say(line));
    }
    Ok(())
}

fn as_json(source: &Source, findings: &[Finding]) -> Value {
    let mesh = source.rest();
    let groups = mesh.groups.iter();
    let groups: Vec<Value> = groups
        .map(|group| json!({ "name": group.name, "vertices": group.vertices.len() }))
        .collect();
    let attributes = source.loaded().attributes.iter();
    let attributes: Vec<Value> = attributes
        .map(|attribute| json!({ "name": attribute.name, "components": attribute.components }))
        .collect();
    let bounds = mesh
        .bounds()
        .map(|bounds| json!({ "min": bounds.min.to_array(), "max": bounds.max.to_array() }));
    let findings: Vec<Value> = findings.iter().map(report::finding).collect();
    json!({
        "vertices": mesh.positions.len(),
        "faces": mesh.triangles.len(),
        "polygons": source.loaded().face_count(),
        "tets": mesh.tets.len(),
        "frames": source.frames(),
        "fps": source.stated_fps(),
        "clips": source.clips(),
        "groups": groups,
        "attributes": attributes,
        "unit_guess": source.unit_guess().first(),
        "bounds": bounds,
        "findings": findings,
    })
}

fn as_text(source: &Source, findings: &[Finding]) -> Vec<String> {
    let mesh = source.rest();
    let polygons = match source.loaded().polygons.len() {
        0 => String::new(),
        count => format!(", cut from {count} polygons"),
    };
    let rate = source.stated_fps().map_or(String::new(), |fps| format!(" at {fps} per second"));
    let mut lines = vec![
        format!("vertices  {}", mesh.positions.len()),
        format!("faces     {}{polygons}", mesh.triangles.len()),
        format!("tets      {}", mesh.tets.len()),
        format!("frames    {}{rate}", source.frames()),
    ];
    if !source.clips().is_empty() {
        lines.push(format!("clips     {}", source.clips().join(", ")));
    }
    if let Some(bounds) = mesh.bounds() {
        let [x, y, z] = bounds.size().to_array();
        let [left, low, back] = bounds.min.to_array();
        lines.push(format!("size      {x:.4} × {y:.4} × {z:.4} m, from {left:.4}, {low:.4}, {back:.4}"));
    }
    if !mesh.groups.is_empty() {
        let names: Vec<&str> = mesh.groups.iter().map(|group| group.name.as_str()).collect();
        lines.push(format!("groups    {}", names.join(", ")));
    }
    let attributes = source.loaded().attributes.iter();
    let attributes: Vec<String> = attributes
        .map(|attribute| match attribute.components {
            1 => attribute.name.clone(),
            count => format!("{} ({count} numbers)", attribute.name),
        })
        .collect();
    if !attributes.is_empty() {
        lines.push(format!("per vertex {}", attributes.join(", ")));
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
    Ok(save_png(&picture, path)?)
}

/// True if the elements of such a finding are faces, which are painted red.
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

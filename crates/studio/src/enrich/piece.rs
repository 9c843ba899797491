//! The animation that is open, with the project that it is enriched by, and those that can be.

use std::collections::BTreeMap;
use std::path::PathBuf;

use glam::DVec3;
use pliant_enrich::Project;
use pliant_enrich::project::ResolvedProject;
use pliant_io::{AnimationOptions, Attribute, Loaded};
use pliant_mesh::Mesh;
use pliant_project::ProjectError;
use pliant_project::enrichment::{resolve, selectable_rest};
use pliant_project::source::{self, FrameRange, PUPPET, Sequence};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toml::Table;

use crate::error::StudioError;
use crate::opened::{Opened, UPLOADED};
use crate::outlet::Outlet;

/// A text that is longer is no project that somebody wrote (bytes).
const LONGEST_PROJECT: u64 = 16 << 20;
/// Files that hold an animation, or could.
const ANIMATED: [&str; 8] = ["glb", "gltf", "usda", "usd", "usdc", "usdz", "pc2", "mdd"];

/// Where an animation comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A project that is built in.
    BuiltIn(String),
    /// A project, or an animation, of the opened folder or uploaded.
    File(String),
}

/// An animation that is open.
pub struct Piece {
    pub source: Source,
    pub loaded: Loaded,
    /// The rest mesh, with everything that can be selected by name.
    pub rest: Mesh,
    /// Whole frames, in the input's unit.
    pub frames: Vec<Vec<DVec3>>,
    pub fps: f64,
    /// Metres per unit of the input.
    pub unit: f64,
    /// The project as it was written.
    pub table: Table,
    /// Its folder, as places name files.
    pub folder: String,
    /// Files that must not be overwritten.
    pub inputs: Vec<PathBuf>,
    pub notes: Vec<String>,
}

/// What there is to choose from.
pub fn library(opened: &Opened) -> Value {
    let built_in: Vec<Value> = opened
        .library
        .projects
        .iter()
        .map(|demo| json!({ "name": demo.name, "about": demo.about }))
        .collect();
    json!({
        "kind": "library",
        "builtIn": built_in,
        "projects": projects(opened),
        "animations": animations(opened),
    })
}

/// Files that are projects, not scenes.
fn projects(opened: &Opened) -> Vec<String> {
    let is_project = |name: &String| {
        let data = opened.find(name).ok().and_then(|path| path.metadata().ok());
        let is_short = data.is_some_and(|data| data.len() < LONGEST_PROJECT);
        let table = || opened.text(name).ok()?.parse::<Table>().ok();
        is_short && table().is_some_and(|table| table.contains_key("input"))
    };
    opened.files(&["toml"]).into_iter().filter(is_project).collect()
}

/// Files with animations, and numbered meshes as a name with a `*`.
fn animations(opened: &Opened) -> Vec<String> {
    let mut all = opened.files(&ANIMATED);
    let mut numbered: BTreeMap<(String, String), usize> = BTreeMap::new();
    for name in opened.files(&["obj", "ply", "off", "stl"]) {
        let Some((stem, ending)) = name.rsplit_once('.') else { continue };
        let text = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        if text.len() < stem.len() {
            *numbered.entry((text.to_owned(), ending.to_owned())).or_default() += 1;
        }
    }
    let several = numbered.into_iter().filter(|(_, count)| *count > 1);
    all.extend(several.map(|((text, ending), _)| format!("{text}*.{ending}")));
    all
}

/// What is opened at first: the file that was named, the first of a folder that was, or of those
/// built in.
pub fn first(opened: &Opened) -> Option<Source> {
    let is_animated = |file: &&str| {
        file.rsplit_once('.').is_some_and(|(_, own)| own == "toml" || ANIMATED.contains(&own))
    };
    if let Some(file) = opened.first().filter(is_animated) {
        let is_scene = file.ends_with(".toml")
            && !opened.text(file).is_ok_and(|text| Project::parse(&text).is_ok());
        if !is_scene {
            return Some(Source::File(file.to_owned()));
        }
    }
    if opened.first().is_none() {
        let own = projects(opened).into_iter().chain(animations(opened)).next();
        return own.map(Source::File).or_else(|| built_in(opened));
    }
    built_in(opened)
}

/// The first that is built in.
pub fn built_in(opened: &Opened) -> Option<Source> {
    opened.library.projects.first().map(|demo| Source::BuiltIn(demo.name.to_owned()))
}

impl Piece {
    /// Reads an animation, all frames; `None` when the user has cancelled.
    ///
    /// # Errors
    /// When a file is missing, or is no animation.
    pub fn open(
        opened: &Opened,
        source: &Source,
        outlet: &Outlet,
    ) -> Result<Option<Piece>, StudioError> {
        let (text, folder) = match source {
            Source::BuiltIn(name) => {
                let found = opened.library.projects.iter().find(|demo| demo.name == name);
                let missing = || StudioError::refused(format!("There is no animation `{name}`."));
                (found.ok_or_else(missing)?.text.to_owned(), String::new())
            }
            Source::File(name) => {
                let (folder, own) = split(name);
                match own.ends_with(".toml") {
                    true => (opened.text(name)?, folder.to_owned()),
                    false => {
                        let input = toml::Value::from(own).to_string();
                        (format!("input = {input}\n"), folder.to_owned())
                    }
                }
            }
        };
        let about = |problem: String| StudioError::refused(format!("{}: {problem}", source.name()));
        let project = Project::parse(&text).map_err(|error| about(error.to_string()))?;
        let table = text.parse::<Table>().map_err(|error| about(error.to_string()))?;
        let written = located(opened, &folder, &project.input)?;
        let reading = AnimationOptions { fps: project.fps, clip: project.clip.clone(), unit: None };
        let input = source::Source::open(&written, reading)?;
        let mut input = Sequence::of(input, FrameRange::ALL)?;
        let (count, vertices) = (input.frames(), input.source.rest().positions.len());
        let read = |k: usize| input.frame(k);
        let name = source.name();
        let frames = outlet.frames("Reading the animation", (name, count, vertices), read)?;
        let Some(frames) = frames else { return Ok(None) };
        let rest = selectable_rest(&input.source)?;
        if rest.triangles.is_empty() {
            return Err(about("expected triangles that move, found none".to_owned()));
        }
        let unit = input.source.working_unit();
        let mut notes = input.source.notes().to_vec();
        if unit != 1.0 {
            let length = rest.bounds().map_or(1.0, |b| b.size().max_element());
            notes.push(format!(
                "It is {length:.0} m long: simulated as if that were {unit} m each."
            ));
        }
        Ok(Some(Piece {
            source: source.clone(),
            loaded: input.source.loaded().clone(),
            rest,
            frames,
            fps: input.source.fps(),
            unit,
            table,
            folder,
            inputs: input.source.files().to_vec(),
            notes,
        }))
    }

    /// Metres per unit of the input, and frames per second.
    pub fn scale(&self) -> (f64, f64) {
        (self.unit, self.fps)
    }

    /// What a project asks of this animation.
    ///
    /// # Errors
    /// The key whose files or selections cannot be had.
    pub fn asked(
        &self,
        project: &Project,
        opened: &Opened,
    ) -> Result<ResolvedProject, ProjectError> {
        resolve(project, &self.rest, self.scale(), &opened.within(&self.folder))
    }

    /// Colours of vertices where it has any, three numbers from 0 to 1 each.
    pub fn colours(&self) -> Vec<f32> {
        let painted = self.loaded.attributes.iter().find(|attribute| attribute.is_color());
        let of = |painted: &Attribute| {
            let own = |v: usize, k: usize| painted.of(v).get(k).map_or(1.0, |c| *c as f32);
            (0..self.rest.positions.len()).flat_map(|v| [0, 1, 2].map(|k| own(v, k))).collect()
        };
        painted.map_or(Vec::new(), of)
    }
}

impl Source {
    /// For sentences.
    pub fn name(&self) -> &str {
        match self {
            Source::BuiltIn(name) | Source::File(name) => {
                name.strip_prefix(UPLOADED).unwrap_or(name)
            }
        }
    }
}

/// A name's folder, with what it is divided from the rest by, and the rest.
fn split(name: &str) -> (&str, &str) {
    let begins = if name.starts_with(UPLOADED) { UPLOADED.len() } else { 0 };
    name.split_at(name.rfind('/').map_or(begins, |at| at + 1))
}

/// The input of a project as [`source::Source::open`] takes it, with paths of the opened folder.
fn located(opened: &Opened, folder: &str, input: &str) -> Result<String, ProjectError> {
    if input.starts_with(PUPPET) {
        return Ok(input.to_owned());
    }
    let find = opened.within(folder);
    if input.contains(['*', '?', '[']) {
        let pattern = opened.find_pattern(&format!("{folder}{input}"))?;
        return Ok(pattern.display().to_string());
    }
    if let (Some((rest, cache)), Err(_)) = (input.rsplit_once('+'), find(input)) {
        return Ok(format!("{}+{}", find(rest)?.display(), find(cache)?.display()));
    }
    let path = find(input)?;
    let is_cache = path.extension().is_some_and(|own| own == "pc2" || own == "mdd");
    // The mesh of a cache lies beside it, and must not lead out of the folder either.
    for beside in [path.with_extension("obj"), path.with_file_name("rest.obj")] {
        if is_cache && beside.exists() {
            let name = beside.file_name().unwrap_or_default().to_string_lossy().into_owned();
            find(&format!("{}{name}", split(input).0))?;
        }
    }
    Ok(path.display().to_string())
}

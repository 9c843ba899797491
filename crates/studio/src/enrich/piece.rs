//! The animation that is open, with the project that it is enriched by, and those that can be.

use std::collections::BTreeMap;
use std::path::PathBuf;

use glam::DVec3;
use pliant_enrich::Project;
use pliant_enrich::input::missing_frames;
use pliant_enrich::project::{ResolvedProject, weight_map};
use pliant_io::{
    Animation, AnimationOptions, Attribute, Loaded, guess_unit, read_mesh, unit_named,
};
use pliant_mesh::Mesh;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toml::Table;

use crate::error::StudioError;
use crate::opened::{Made, Opened, ProjectFiles, UPLOADED};
use crate::outlet::Outlet;

/// Frames per second where nothing says how many.
const FPS: f64 = 30.0;
/// Positions of all frames together: some 800 MB.
const MOST: usize = 32 << 20;
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
        .map(|(name, text)| {
            let about = text.lines().next().unwrap_or("").trim_start_matches(['#', ' ']);
            json!({ "name": name, "about": about })
        })
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

/// What is opened at first: the file that was named, the first of a folder that was, or of those built in.
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
    opened.library.projects.first().map(|(name, _)| Source::BuiltIn(name.clone()))
}

impl Piece {
    /// Reads it, all frames; `None` when somebody has cancelled that.
    ///
    /// # Errors
    /// When it is not there, or no animation.
    pub fn open(
        opened: &Opened,
        source: &Source,
        outlet: &Outlet,
    ) -> Result<Option<Piece>, StudioError> {
        let (text, folder) = match source {
            Source::BuiltIn(name) => {
                let found = opened.library.projects.iter().find(|(known, _)| known == name);
                let missing = || StudioError::refused(format!("There is no animation `{name}`."));
                (found.ok_or_else(missing)?.1.clone(), String::new())
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
        let puppets = opened.library.puppets;
        let made = puppets.and_then(|puppets| puppets(&project.input, project.fps));
        let read = match made {
            Some(made) => Some((made?, Vec::new())),
            None => read(opened, &folder, &project, outlet)?,
        };
        let Some((Made { loaded, fps, frames }, inputs)) = read else { return Ok(None) };
        let rest = loaded.clone().into_selectable();
        if let Some(vertex) = rest.positions.iter().position(|x| !x.is_finite()) {
            return Err(about(format!("vertex {vertex} of the rest mesh is not finite")));
        }
        if rest.triangles.is_empty() || frames.is_empty() {
            return Err(about("expected triangles that move, found none".to_owned()));
        }
        let length = rest.bounds().map_or(1.0, |b| b.size().max_element());
        let unit = guess_unit(length).first().and_then(|name| unit_named(name)).unwrap_or(1.0);
        let mut notes = loaded.notes.clone();
        if unit != 1.0 {
            notes.push(format!(
                "It is {length:.0} m long: simulated as if that were {unit} m each."
            ));
        }
        let source = source.clone();
        Ok(Some(Piece { source, loaded, rest, frames, fps, unit, table, folder, inputs, notes }))
    }

    /// What a project asks of this animation.
    ///
    /// # Errors
    /// The key whose files or selections cannot be had.
    pub fn asked(
        &self,
        project: &Project,
        opened: &Opened,
    ) -> Result<ResolvedProject, StudioError> {
        let map = match &project.weight_map {
            None => None,
            Some(file) => {
                let map = read_mesh(&opened.find(&format!("{}{file}", self.folder))?)?;
                let (found, own) = (map.mesh.positions.len(), self.rest.positions.len());
                let weights = weight_map(map.attributes, found, own);
                let named = |error| StudioError::refused(format!("{file}: {error}"));
                Some(weights.map_err(named)?)
            }
        };
        let mut files = ProjectFiles::within(opened, &self.folder);
        Ok(ResolvedProject::new(project, &self.rest, (self.unit, self.fps), map, &mut files)?)
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

/// An animation from files of the project, made whole, and these files; `None` when that was cancelled.
type Read = Option<(Made, Vec<PathBuf>)>;

fn read(
    opened: &Opened,
    folder: &str,
    project: &Project,
    outlet: &Outlet,
) -> Result<Read, StudioError> {
    let input = &project.input;
    let find = |name: &str| opened.find(&format!("{folder}{name}"));
    let mut inputs = Vec::new();
    let written = if input.contains(['*', '?', '[']) {
        opened.pattern(&format!("{folder}{input}"))?.display().to_string()
    } else if let (Some((rest, cache)), Err(_)) = (input.rsplit_once('+'), find(input)) {
        inputs.extend([find(rest)?, find(cache)?]);
        format!("{}+{}", inputs[0].display(), inputs[1].display())
    } else {
        let path = find(input)?;
        let is_cache = path.extension().is_some_and(|own| own == "pc2" || own == "mdd");
        // The mesh of a cache lies beside it, and must not lead out of the project either.
        for beside in [path.with_extension("obj"), path.with_file_name("rest.obj")] {
            if is_cache && beside.exists() {
                let name = beside.file_name().unwrap_or_default().to_string_lossy().into_owned();
                inputs.push(find(&format!("{}{name}", split(input).0))?);
            }
        }
        inputs.push(path.clone());
        path.display().to_string()
    };
    let options = AnimationOptions { fps: project.fps, clip: project.clip.clone(), unit: None };
    let mut animation = Animation::open_with(&written, options)?;
    inputs.extend_from_slice(animation.files());
    let numbers: Option<Vec<u64>> =
        animation.files().iter().map(|f| missing_frames::frame_number(f)).collect();
    let slots: Vec<Option<usize>> = match numbers {
        Some(numbers) if numbers.len() == animation.frame_count() => {
            missing_frames::frame_slots(&numbers)
        }
        _ => (0..animation.frame_count()).map(Some).collect(),
    };
    let vertices = animation.rest().positions.len();
    if slots.len().saturating_mul(vertices) > MOST {
        let sentence = format!(
            "{input} has {} frames of {vertices} vertices, more than the studio holds: cut it with \
             `pliant convert --frames`, or enrich it with `pliant enrich`.",
            slots.len()
        );
        return Err(StudioError::refused(sentence));
    }
    let loaded = animation.loaded().clone();
    let fps = animation.fps().unwrap_or(FPS);
    let mut frames = Vec::with_capacity(slots.len());
    for k in 0..slots.len() {
        if !outlet.progress("Reading the animation", k as f64 / slots.len() as f64) {
            return Ok(None);
        }
        let mut one = |k: usize| -> Result<Option<Vec<DVec3>>, StudioError> {
            let Some(slot) = slots[k] else { return Ok(None) };
            let mut positions = vec![DVec3::ZERO; vertices];
            animation.read_frame(slot, &mut positions)?;
            Ok(Some(positions))
        };
        let Some(frame) = missing_frames::repaired_frame(k, slots.len(), &mut one)? else {
            let sentence = format!("{input} has a vertex that is not finite in any frame.");
            return Err(StudioError::refused(sentence));
        };
        frames.push(frame.positions);
    }
    Ok(Some((Made { loaded, fps, frames }, inputs)))
}

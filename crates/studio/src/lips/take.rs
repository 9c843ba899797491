//! The performance that is open: what was captured, and which of it is lips; and those that can be.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_io::{Loaded, read_ids, read_mesh};
use pliant_lips::growth::Edges;
use pliant_lips::performance::{FPS, FRAMES, Performance};
use pliant_lips::{Head, LipModel, Region, RegressionOptions, grow};
use pliant_mesh::Mesh;
use pliant_project::source;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::StudioError;
use crate::opened::Opened;
use crate::outlet::Outlet;

/// Vertices around the built-in mouth, and faces from cheek to cavity.
const MOUTH: [usize; 2] = [96, 38];
/// What a folder's capture, and its truth, may be called after their names.
const ENDINGS: [&str; 6] = ["pc2", "mdd", "glb", "usda", "usd", "gltf"];

/// Where a performance comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A mouth that talks, damaged; its truth is known.
    BuiltIn,
    /// A folder of the project, as `pliant lips demo` writes it; it ends with `/`, or is empty.
    Folder(String),
}

/// A performance that is open.
pub struct Take {
    pub source: Source,
    pub rest: Loaded,
    /// As captured \[m\].
    pub frames: Vec<Vec<DVec3>>,
    /// As it really was, where that is known.
    pub truth: Option<Vec<Vec<DVec3>>>,
    pub fps: f64,
    /// Vertices of the line where the lips meet, around the mouth.
    pub ring: Vec<u32>,
    /// The vertices that are made anew, ascending.
    pub inner: Vec<u32>,
    region: Region,
    /// How red vertices are, from 0 to 1, where that is known.
    pub red: Vec<f32>,
    /// Corrected frames that there were already.
    pub corrected: Vec<(usize, Vec<DVec3>)>,
    /// Files that must not be overwritten.
    pub inputs: Vec<PathBuf>,
}

/// What there is to choose from: folders with a list of lip vertices.
pub fn folders(opened: &Opened) -> Vec<String> {
    let lists = opened.files(&["txt"]).into_iter();
    let mut all: Vec<String> =
        lists.filter_map(|name| name.strip_suffix("lips.txt").map(str::to_owned)).collect();
    all.retain(|folder| folder.is_empty() || folder.ends_with('/'));
    all.retain(|folder| capture(opened, folder, "capture").is_some());
    all
}

pub fn library(opened: &Opened) -> Value {
    json!({ "kind": "library", "folders": folders(opened) })
}

/// The animation of a name in a folder.
fn capture(opened: &Opened, folder: &str, name: &str) -> Option<PathBuf> {
    ENDINGS.iter().find_map(|ending| opened.find(&format!("{folder}{name}.{ending}")).ok())
}

impl Take {
    /// Reads it, all frames; `None` when somebody has cancelled that.
    ///
    /// # Errors
    /// When something of it is not there, or not of one mesh.
    pub fn open(
        opened: &Opened,
        source: &Source,
        outlet: &Outlet,
    ) -> Result<Option<Take>, StudioError> {
        match source {
            Source::BuiltIn => Take::built_in(outlet),
            Source::Folder(folder) => Take::of_folder(opened, folder, outlet),
        }
    }

    fn built_in(outlet: &Outlet) -> Result<Option<Take>, StudioError> {
        let show = Performance::new(MOUTH[0], MOUTH[1])?;
        let (mut frames, mut truth) = (Vec::new(), Vec::new());
        for frame in 0..FRAMES {
            if !outlet.progress("A mouth talks", frame as f64 / FRAMES as f64) {
                return Ok(None);
            }
            frames.push(show.captured(frame));
            truth.push(show.truth(frame));
        }
        let mut red = vec![0.0; show.rest().positions.len()];
        show.red().into_iter().for_each(|(v, own)| red[v as usize] = own as f32);
        Ok(Some(Take {
            source: Source::BuiltIn,
            rest: show.rest().clone().into(),
            frames,
            truth: Some(truth),
            fps: FPS,
            ring: Edges::new(&show.rest().positions, &show.rest().triangles)?
                .chain(&show.seeds(), true)?,
            inner: show.inner(),
            region: show.region()?,
            red,
            corrected: Vec::new(),
            inputs: Vec::new(),
        }))
    }

    fn of_folder(
        opened: &Opened,
        folder: &str,
        outlet: &Outlet,
    ) -> Result<Option<Take>, StudioError> {
        let Some(path) = capture(opened, folder, "capture") else {
            let sentence = format!(
                "Expected a captured performance, {folder}capture.pc2 or in another format, found \
                    none."
            );
            return Err(StudioError::refused(sentence));
        };
        // Meshes of caches lie beside them, and must not lead out of the project either.
        for name in ["capture.obj", "truth.obj", "rest.obj"] {
            if path.with_file_name(name).exists() {
                opened.find(&format!("{folder}{name}"))?;
            }
        }
        let Some((rest, fps, frames)) = read(&path, outlet)? else { return Ok(None) };
        let neutral = opened.find(&format!("{folder}rest.obj"));
        let rest = match &neutral {
            Ok(path) => read_mesh(path)?,
            Err(_) => rest,
        };
        let count = rest.mesh.positions.len();
        let named = |error| StudioError::refused(format!("{folder}lips.txt: {error}"));
        let seeds = read_ids(&opened.find(&format!("{folder}lips.txt"))?)?;
        let grown = grow(&rest.mesh, &seeds, None, None).map_err(named)?;
        let ids = |name: &str, found: Vec<u32>| -> Result<Vec<u32>, StudioError> {
            match opened.find(&format!("{folder}{name}")) {
                Ok(path) => Ok(read_ids(&path)?),
                Err(_) => Ok(found),
            }
        };
        let (inner, mouth) = (ids("inner.txt", grown.inner)?, ids("mouth.txt", grown.mouth)?);
        let region = Region::new(&rest.mesh, &inner, &mouth)?;
        let truth = match capture(opened, folder, "truth") {
            None => None,
            Some(path) => match read(&path, outlet)? {
                None => return Ok(None),
                Some((_, _, truth)) => Some(truth),
            },
        };
        let of_one = |all: &[Vec<DVec3>]| all.iter().all(|frame| frame.len() == count);
        if !of_one(&frames) || truth.as_ref().is_some_and(|t| !of_one(t) || t.len() != frames.len())
        {
            let sentence =
                format!("{folder}: the neutral mesh has {count} vertices, and frames others.");
            return Err(StudioError::refused(sentence));
        }
        let mut corrected = Vec::new();
        for name in opened.files(&["obj"]) {
            let own = name.strip_prefix(folder).and_then(|own| own.strip_prefix("fix/"));
            let number = own.and_then(|own| own.strip_suffix(".obj"));
            let number = number.and_then(|own| own.parse::<usize>().ok());
            if let Some(frame) = number.filter(|frame| *frame < frames.len()) {
                let mesh = read_mesh(&opened.find(&name)?)?.mesh;
                if mesh.positions.len() == count {
                    corrected.push((frame, mesh.positions));
                }
            }
        }
        let inner = region.free_vertices();
        let mut inputs = vec![path];
        inputs.extend(neutral.ok());
        let source = Source::Folder(folder.to_owned());
        let ring = around(&rest.mesh, &seeds, grown.loop_)?;
        let red = Vec::new();
        Ok(Some(Take {
            source,
            rest,
            frames,
            truth,
            fps,
            ring,
            inner,
            region,
            red,
            corrected,
            inputs,
        }))
    }

    /// A model that has seen nothing.
    ///
    /// # Errors
    /// When the region cannot be factored.
    pub fn model(&self) -> Result<LipModel, StudioError> {
        let options = RegressionOptions::default();
        Ok(LipModel::new(self.region.clone(), Head::default(), options)?)
    }
}

/// The line through some lip vertices in their own order, if that goes round; else the one that was
/// grown.
fn around(rest: &Mesh, seeds: &[u32], grown: Vec<u32>) -> Result<Vec<u32>, StudioError> {
    let own = Edges::new(&rest.positions, &rest.triangles)?.chain(seeds, true)?;
    let mut different = own.clone();
    different.sort_unstable();
    different.dedup();
    Ok(if different.len() == own.len() { own } else { grown })
}

/// A mesh, frames per second, and all frames; `None` when that was cancelled.
type Read = Option<(Loaded, f64, Vec<Vec<DVec3>>)>;

fn read(path: &Path, outlet: &Outlet) -> Result<Read, StudioError> {
    let mut source = source::Source::open(&path.display().to_string(), Default::default())?;
    let (count, vertices) = (source.frames(), source.rest().positions.len());
    let name = source.name();
    let of = (&name[..], count, vertices);
    let frames = outlet.frames("Reading the performance", of, |k| source.frame(k))?;
    Ok(frames.map(|frames| (source.loaded().clone(), source.fps(), frames)))
}

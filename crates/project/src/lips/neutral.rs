//! The neutral mesh of a mouth, and the regions of it that are corrected and trusted.

use std::path::Path;

use pliant_io::{AnimationOptions, Loaded, read_ids};
use pliant_lips::{Head, LipModel, Region, RegressionOptions, grow};
use pliant_mesh::Selection;

use crate::driver::Watch;
use crate::error::ProjectError;
use crate::source::Source;

/// How the regions of a mouth are given.
#[derive(Clone, Debug, PartialEq)]
pub enum NeutralRegion {
    /// Selections of the inner lip, which is corrected, and of the mouth around it, which is
    /// trusted.
    Selected {
        /// The inner lip.
        inner: String,
        /// The mouth.
        mouth: String,
    },
    /// A few vertices on the line where the lips meet, corners included, and how far the two
    /// regions reach from it \[m\].
    Grown {
        /// The vertices.
        lips: String,
        /// Reach of the inner lip; a fifth of the lips' width by default.
        inner_reach: Option<f64>,
        /// Reach of the mouth; four fifths of the width by default.
        mouth_reach: Option<f64>,
    },
}

/// The neutral mesh of a mouth, and its regions. A selection is a file of ids, or `group=NAME` for
/// a group or a painted attribute of the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Neutral {
    /// The neutral mesh.
    pub rest: String,
    /// Its regions.
    pub region: NeutralRegion,
    /// Vertices that move with the skull, where the capture has the head's motion in it.
    pub rigid: Option<String>,
}

/// A mesh from a file, in metres; `unit` is that of the file.
///
/// # Errors
/// When the file cannot be read.
pub fn read_mesh_in(unit: Option<f64>, written: &str) -> Result<(Loaded, Source), ProjectError> {
    let source = Source::open(written, AnimationOptions { unit, ..Default::default() })?;
    Ok((source.loaded().clone(), source))
}

/// The vertices of a selection: a file of ids, or `group=NAME`.
///
/// # Errors
/// When the file cannot be read, or there is no such group.
pub fn selection(written: &str, mesh: &Loaded) -> Result<Vec<u32>, ProjectError> {
    match written.strip_prefix("group=") {
        Some(name) => {
            let mesh = mesh.clone().into_selectable();
            let chosen = Selection::Group(name.to_owned()).evaluate(&mesh.positions, &mesh.groups);
            chosen.map_err(|error| ProjectError::about(Path::new(written), error))
        }
        None => Ok(read_ids(Path::new(written))?),
    }
}

impl Neutral {
    /// A lip model without corrected frames.
    ///
    /// # Errors
    /// When a selection cannot be read or the regions make no mouth.
    pub fn model(
        &self,
        rest: &Loaded,
        regression: RegressionOptions,
        watch: &mut Watch<'_>,
    ) -> Result<LipModel, ProjectError> {
        let about = |written: &str, error: pliant_lips::LipsError| {
            ProjectError::about(Path::new(written), error)
        };
        let (inner, mouth, name) = match &self.region {
            NeutralRegion::Grown { lips, inner_reach, mouth_reach } => {
                let grown = grow(&rest.mesh, &selection(lips, rest)?, *inner_reach, *mouth_reach)
                    .map_err(|error| about(lips, error))?;
                let [inner, mouth] = grown.reaches.map(|reach| 1e3 * reach);
                watch.note(&format!(
                    "{} vertices of the inner lip lie within {inner:.1} mm of the line, {} of the \
                     mouth within {mouth:.1} mm",
                    grown.inner.len(),
                    grown.mouth.len(),
                ));
                (grown.inner, grown.mouth, lips)
            }
            NeutralRegion::Selected { inner, mouth } => {
                (selection(inner, rest)?, selection(mouth, rest)?, inner)
            }
        };
        let region = Region::new(&rest.mesh, &inner, &mouth).map_err(|error| about(name, error))?;
        let head = match &self.rigid {
            None => Head::default(),
            Some(rigid) => Head::new(&rest.mesh, &selection(rigid, rest)?)
                .map_err(|error| about(rigid, error))?,
        };
        LipModel::new(region, head, regression).map_err(|error| about(name, error))
    }
}

/// Refuses a capture of another mesh.
///
/// # Errors
/// When the numbers of vertices differ.
pub fn check_capture(source: &Source, model: &LipModel) -> Result<(), ProjectError> {
    let (found, expected) = (source.rest().positions.len(), model.region().vertex_count);
    match found == expected {
        true => Ok(()),
        false => Err(ProjectError::about(
            source.path(),
            format!("has {found} vertices, but the neutral mesh has {expected}"),
        )),
    }
}

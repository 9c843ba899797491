//! What commands about lips share: the neutral mesh, selections on it, and the region they make.

use std::path::Path;

use clap::Args;
use pliant::io::{Loaded, read_ids};
use pliant::lips::{Head, LipModel, Region, RegressionOptions, grow};
use pliant::mesh::Selection;

use crate::animation::Source;
use crate::arguments::{Options, Reading};
use crate::failure::Failure;
use crate::report;

/// The neutral mesh and its regions.
#[derive(Args)]
pub struct Neutral {
    /// Neutral mesh
    #[arg(long, value_name = "MESH")]
    pub rest: Option<String>,
    /// Vertices of the inner lip, which are reconstructed: a file of vertex ids, or group=NAME
    /// for a group or a painted attribute of the neutral mesh
    #[arg(long, value_name = "SEL", conflicts_with = "lips")]
    inner: Option<String>,
    /// Vertices of the mouth around the inner lip, whose captured positions are trusted
    #[arg(long, value_name = "SEL", conflicts_with = "lips")]
    mouth: Option<String>,
    /// In place of --inner and --mouth: a few vertices on the contact line of the lips, corners
    /// included
    #[arg(long, value_name = "SEL")]
    lips: Option<String>,
    /// Distance of the inner lip from that line [default: a fifth of the mouth's width]
    #[arg(long, value_name = "METRES", requires = "lips")]
    inner_reach: Option<f64>,
    /// Distance of the mouth region from that line [default: four fifths of the mouth's width]
    #[arg(long, value_name = "METRES", requires = "lips")]
    mouth_reach: Option<f64>,
    /// Vertices that move with the skull, if the capture contains the head's rotation
    #[arg(long, value_name = "SEL")]
    rigid: Option<String>,
}

/// A mesh from a file, in metres.
pub fn mesh(written: &str, reading: &Reading) -> Result<(Loaded, Source), Failure> {
    let unit = pliant::io::AnimationOptions { unit: reading.unit, ..Default::default() };
    let source = Source::open(written, unit)?;
    Ok((source.loaded().clone(), source))
}

/// The vertices that are meant: a file of ids, or `group=NAME`.
pub fn selection(written: &str, mesh: &Loaded) -> Result<Vec<u32>, Failure> {
    let path = Path::new(written);
    match written.strip_prefix("group=") {
        Some(name) => {
            let mesh = mesh.clone().into_selectable();
            let chosen = Selection::Group(name.to_owned()).evaluate(&mesh.positions, &mesh.groups);
            chosen.map_err(|error| Failure::about(path, error))
        }
        None => Ok(read_ids(path)?),
    }
}

impl Neutral {
    /// A model without examples.
    pub fn model(
        &self,
        rest: &Loaded,
        regression: RegressionOptions,
        options: &Options,
    ) -> Result<LipModel, Failure> {
        let about = |written: &str, error: pliant::lips::LipsError| {
            Failure::about(Path::new(written), error)
        };
        let (inner, mouth, name) = match (&self.lips, &self.inner, &self.mouth) {
            (Some(lips), _, _) => {
                let seeds = selection(lips, rest)?;
                let grown = grow(&rest.mesh, &seeds, self.inner_reach, self.mouth_reach)
                    .map_err(|error| about(lips, error))?;
                if !options.quiet {
                    let [inner, mouth] = grown.reaches;
                    report::remark(&format!(
                        "grown: {} vertices of the inner lip within {:.1} mm, {} of the mouth within {:.1} mm",
                        grown.inner.len(),
                        1e3 * inner,
                        grown.mouth.len(),
                        1e3 * mouth,
                    ));
                }
                (grown.inner, grown.mouth, lips)
            }
            (None, Some(inner), Some(mouth)) => {
                (selection(inner, rest)?, selection(mouth, rest)?, inner)
            }
            _ => {
                let sentence = "expected --inner and --mouth, or --lips to find both";
                return Err(Failure::usage(sentence));
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
pub fn check_capture(source: &Source, written: &str, model: &LipModel) -> Result<(), Failure> {
    let (found, expected) = (source.rest().positions.len(), model.region().vertex_count);
    match found == expected {
        true => Ok(()),
        false => Err(Failure::about(
            Path::new(written),
            format!("has {found} vertices, but the neutral mesh has {expected}"),
        )),
    }
}

//! Arguments that the lips commands share: the neutral mesh and the regions of the mouth.

use clap::Args;
use pliant::project::lips::{Neutral, NeutralRegion};

use crate::failure::Failure;

/// The neutral mesh and its regions.
#[derive(Args)]
pub struct NeutralArguments {
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

impl NeutralArguments {
    /// The same for the library.
    pub fn neutral(self) -> Result<Neutral, Failure> {
        let Some(rest) = self.rest else {
            return Err(Failure::usage("expected --rest, the neutral mesh"));
        };
        let region = match (self.lips, self.inner, self.mouth) {
            (Some(lips), _, _) => {
                let (inner_reach, mouth_reach) = (self.inner_reach, self.mouth_reach);
                NeutralRegion::Grown { lips, inner_reach, mouth_reach }
            }
            (None, Some(inner), Some(mouth)) => NeutralRegion::Selected { inner, mouth },
            _ => {
                let sentence = "expected --inner and --mouth, or --lips to find both";
                return Err(Failure::usage(sentence));
            }
        };
        Ok(Neutral { rest, region, rigid: self.rigid })
    }
}

//! What commands about lips share: the neutral mesh, selections on it, and the region they make.

use clap::Args;
use pliant::project::lips::{Neutral, NeutralRegion};

use crate::failure::Failure;

/// The neutral mesh and its regions.
#[derive(Args)]
pub struct NeutralArguments {
    /// The neutral mesh
    #[arg(long, value_name = "MESH")]
    pub rest: Option<String>,
    /// Vertices of the inner lip, which are made anew: a file of ids, or group=NAME for a group
    /// or a painted attribute of the neutral mesh
    #[arg(long, value_name = "SEL", conflicts_with = "lips")]
    inner: Option<String>,
    /// Vertices of the mouth around it, which are trusted
    #[arg(long, value_name = "SEL", conflicts_with = "lips")]
    mouth: Option<String>,
    /// In place of both: a few vertices on the line where the lips meet, the corners among them
    #[arg(long, value_name = "SEL")]
    lips: Option<String>,
    /// How far the inner lip reaches from that line, in metres [default: a fifth of its width]
    #[arg(long, value_name = "METRES", requires = "lips")]
    inner_reach: Option<f64>,
    /// How far the mouth reaches from that line, in metres [default: four fifths of its width]
    #[arg(long, value_name = "METRES", requires = "lips")]
    mouth_reach: Option<f64>,
    /// Vertices that move with the skull, where the head's rotation is not taken out of the capture
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

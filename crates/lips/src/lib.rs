//! Lips for captured performances: correct a few frames, get all of them. "User-guided lip
//! correction for facial performance capture" (Dinev, Beeler, Bradley, Bächer, Xu, Kavan 2018;
//! Dinev 2020, Chapter 2).
//!
//! | file | section | |
//! |---|---|---|
//! | [`region`], [`growth`] | Fig. 2.1 | the inner lip, and the mouth around it |
//! | [`gradients`] | 2.2 | triangles as deformation gradients, with a phantom vertex |
//! | [`reduction`], [`regression`] | Eq. 2.1–2.6 | the map from mouth to inner lip |
//! | [`reconstruction`] | 2.2 | from gradients back to positions |
//! | [`model`] | 2.2 | all of it, frame by frame; [`projection`] is its hot loop |
//! | [`topology`] | – | whether two meshes are one in two poses |
//! | [`head`] | – | the head's rotation, where it is not stabilised |
//! | [`prior`], [`trust`] | – | what the capture itself tells, and where it is to be trusted |
//! | [`suggest`] | 2.3.1.1 | which frame to correct next |
//! | [`measures`] | Fig. 2.8, 2.9 | errors, their maps, smoothness over time |
//! | [`sketch`] | 2.3 | a correction from a contour drawn on a picture |
//! | [`performance`] | – | a mouth that talks, and how a capture damages it |
//!
//! Nothing here reads files; [`model_file`] turns models into bytes and back.

mod error;
pub mod gradients;
pub mod growth;
pub mod head;
pub mod measures;
pub mod model;
pub mod model_file;
pub mod performance;
pub mod prior;
pub mod projection;
pub mod reconstruction;
pub mod reduction;
pub mod region;
pub mod regression;
pub mod sketch;
pub mod suggest;
pub mod topology;
pub mod trust;

pub use error::LipsError;
pub use growth::{Grown, grow};
pub use head::Head;
pub use model::{FrameReport, LipModel, Sample, Workspace};
pub use region::Region;
pub use regression::{Regression, RegressionOptions};
pub use suggest::{Suggester, Suggestion};

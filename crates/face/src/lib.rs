//! A physics-based face, from anatomy to animation: \[ichim2017phace\], and chapter 4 of
//! \[dinev2020\].
//!
//! | item | content |
//! |---|---|
//! | [`anatomy`] | the built-in head as functions of space: skin, bones, teeth, muscles |
//! | [`expression`] | sculpted shapes: the 52 of ARKit, and action units |
//! | [`Template`] | all parts of a head as meshes, built in or from a [`template_folder`] |
//! | [`register()`] | registers a template to your head mesh |
//! | [`build()`] | makes a [`FaceModel`]: tets between skin and bones, with their muscles |
//! | [`FaceSimulation`] | forward physics: contractions and jaw pose in, flesh and skin out |
//! | [`inverse`] | inverse physics: activations and jaw pose that make a skin |
//! | [`Animator`] | plays weights of shapes; [`Ensemble`] adds eyes and teeth |
//! | [`World`] | wind, objects that press on the face ([`FaceProp`]), and the path of the head |
//! | [`effects`] | the effects file |
//! | [`alteration`] | effects applied to a face: fat, filler, palsy, bones, maps |
//! | [`linear_flesh`] | linear and corotated elasticity, to compare both |
//! | [`correctives()`] | corrective blendshapes from simulation |
//! | [`deformation_transfer`] | expressions transferred to another neutral skin, without flesh |
//! | [`Performance`] | weights of shapes over time, from Live Link Face, a table or JSON |

pub mod alteration;
pub mod anatomy;
mod animation;
pub mod build;
mod correctives;
pub mod deformation_transfer;
pub mod effects;
mod error;
pub mod expression;
pub mod inverse;
pub mod linear_flesh;
mod model;
mod penetration;
pub mod performance;
mod props;
mod registration;
mod simulation;
mod teeth_projection;
mod template;
pub mod template_folder;
mod vertex_normals;
mod world;

pub use animation::{AnimatedFrame, Animator, Ensemble};
pub use build::{BuildOptions, build};
pub use correctives::{Combination, Correctives, correctives};
pub use error::{EffectProblem, FaceError};
pub use model::{
    BoneHold, BoundaryPart, FaceModel, FittedShape, MuscleCourse, Share, SkinBinding, Slip,
};
pub use penetration::{LipGauge, Penetration};
pub use performance::Performance;
pub use props::FaceProp;
pub use registration::{OwnHead, read_own_head, register};
pub use simulation::{
    Dynamics, FaceFrameReport, FaceSimulation, FaceSimulationOptions, FaceSolver, HeadPose,
    JawKnobs,
};
pub use teeth_projection::TeethProjection;
pub use template::{Blendshape, Eye, Template};
pub use world::World;

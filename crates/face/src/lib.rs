//! A physics-based face (Ichim et al. 2017, "Phace"; Dinev 2020, chapter 4): from anatomy to
//! animation.
//!
//! - [`anatomy`]: the built-in head as functions of space: skin, bones, teeth, muscles
//! - [`expression`]: sculpted shapes, 52 of them with the names of ARKit, and action units
//! - [`Template`]: all parts of a head as meshes, built in or read from a folder ([`folder`])
//! - [`register`]: a template's parts in a head of one's own
//! - [`build()`]: tets between skin and bones, and what muscle is in them: a [`FaceModel`]
//! - [`FaceSimulation`]: contractions and a pose of the jaw go in, flesh and skin come out
//! - [`Animator`]: the same from weights of shapes; [`Ensemble`]: with eyes and teeth, to be written
//! - [`World`]: wind, things that a face meets ([`Prop`]), and how its head is carried
//! - [`effects`]: what is done to a face and what it meets, from a file
//! - [`alteration`]: effects put to a face: fat, filler, palsy, bones, maps
//! - [`comparison`]: flesh without rotations, to see what they are for
//! - [`correctives`]: combinations of shapes as flesh does them
//! - [`transfer`]: expressions on another neutral, by its skin alone
//! - [`Performance`]: weights of shapes over time, from Live Link Face or from a table

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

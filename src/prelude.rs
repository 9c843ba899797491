//! The names that most programs need.
//!
//! ```standalone_crate
//! use pliant::prelude::*;
//!
//! let mesh = shapes::box3([1.0, 0.2, 0.2], [20, 4, 4])?;
//! let bar = Body::solid("bar", mesh, Material::neo_hookean(1e5, 0.4, 1000.0));
//! let mut sim = Simulation::builder()
//!     .body(bar.pin(|x| x.x < -0.49))
//!     .collider(Collider::plane(Y, -1.0).friction(0.3))
//!     .method(Method::VIVID)
//!     .build()?;
//! for _ in 0..6 {
//!     let report = sim.step(1.0 / 60.0);
//!     println!("{:.3} J", report.energy.total());
//! }
//! let tip = sim.positions("bar")?.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
//! assert!(tip < -0.1, "the free end sinks");
//! # let folder = std::env::temp_dir().join("pliant-prelude");
//! # std::fs::create_dir_all(&folder)?;
//! # std::env::set_current_dir(&folder)?;
//! sim.save("bar.pc2")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use std::ops::ControlFlow;

pub use pliant_mesh::{Mesh, Selection, shapes};
pub use pliant_model::method::{Correction, Damping, Fepr, Method, Preset, Scheme, Solver};
pub use pliant_model::{
    Body, Collider, DVec3, ElasticModel, Hold, Material, MaterialPreset, Motion, Shape, Word, X, Y,
    Z,
};
pub use pliant_project::{
    CorrectionProject, EnrichmentProject, Event, FitProject, Outcome, PerformanceProject, Project,
    ProjectError, Save, SceneProject, Settings, Watch,
};
pub use pliant_sim::{Simulation, SimulationError, StepReport};

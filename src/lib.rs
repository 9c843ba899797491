//! Physics for faces and for everything soft: one door to the rooms of the engine.
//!
//! Data flows in one direction: [`io`] reads a [`mesh`], a [`scene`] makes it a [`model`], [`sim`]
//! moves it, [`io`] writes the result and [`view`] shows it; [`math`] serves them all. The
//! products [`enrich`], [`face`] and [`lips`] stand on these rooms. [`project`] runs whole
//! projects from files to files.
//!
//! ```
//! use pliant::project::demo;
//! use pliant::scene::SceneFile;
//! let jelly = demo::find("jelly").expect("a built-in demo")?;
//! let scene = SceneFile::parse(&jelly.scene_of(&jelly.variants[0])?)?;
//! assert!(scene.frames > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use pliant_enrich as enrich;
pub use pliant_face as face;
pub use pliant_io as io;
pub use pliant_lips as lips;
pub use pliant_math as math;
pub use pliant_mesh as mesh;
pub use pliant_model as model;
pub use pliant_project as project;
pub use pliant_scene as scene;
pub use pliant_sim as sim;
pub use pliant_view as view;

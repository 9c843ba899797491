//! Built-in heads and a face, coarse and each built once for all tests.
//!
//! Simulations have one thread each, as other tests use the other cores; a test of its own checks
//! that threads change nothing.

use std::path::Path;
use std::sync::OnceLock;

use pliant_face::{BuildOptions, FaceModel, Template, build};
use pliant_math::team::Team;

/// Edges of the head's skin \[m\].
pub const SIZE: f64 = 0.004;

pub fn head() -> &'static Template {
    static HEAD: OnceLock<Template> = OnceLock::new();
    HEAD.get_or_init(|| Template::built_in(SIZE, &Team::new(2)).expect("a head"))
}

/// A head for files and registration, whose cost grows with its skin.
pub fn small_head() -> &'static Template {
    static HEAD: OnceLock<Template> = OnceLock::new();
    HEAD.get_or_init(|| Template::built_in(0.0055, &Team::new(2)).expect("a head"))
}

pub fn face() -> &'static FaceModel {
    static FACE: OnceLock<FaceModel> = OnceLock::new();
    FACE.get_or_init(|| {
        let options = BuildOptions { size: 0.0075 };
        build(head(), Path::new("built in"), &options, &Team::new(2)).expect("a face").0
    })
}

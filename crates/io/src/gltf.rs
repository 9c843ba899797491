//! glTF 2.0, as `.gltf` with buffers beside or inside it, and as `.glb`.
//!
//! What is read is what moves: nodes, meshes with morph targets, skins, and the animations of all
//! of them, evaluated at any time in double precision. Vertices keep the numbers they have in the
//! file; primitives and meshes are joined one after the other, with groups named after them.

mod accessor;
mod buffer;
mod clip;
mod container;
mod document;
mod pieces;
mod pose;
mod scene;
mod shapes;
mod surface;
mod write;

pub use pieces::lost_groups;
pub use scene::Scene;
pub use shapes::{Blendshapes, read_blendshapes, write_blendshapes};
pub use write::Writer;

#[cfg(test)]
mod tests;

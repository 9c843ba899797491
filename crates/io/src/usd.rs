//! USD: the meshes of a layer, with points and transforms that change over time; as text, `.usda`,
//! as binary, `.usdc`, and either of them in an archive, `.usdz`.
//!
//! What a layer only refers to (references, payloads, sublayers, variants) is not followed;
//! `usdcat --flatten` makes one layer of all.

mod archive;
mod binary;
mod content;
mod layer;
mod mesh;
mod scanner;
mod scene;
mod track;
mod transform;
mod write;

pub use scene::Scene;
pub use write::Writer;

#[cfg(test)]
mod tests;

//! USD as text, `.usda`: the meshes of a layer, with points and transforms that change over time.
//!
//! What a layer only refers to (references, payloads, sublayers, variants) is not followed, and the
//! binary forms `.usdc` and `.usdz` are not read; `usdcat --flatten` turns both into one `.usda`.

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

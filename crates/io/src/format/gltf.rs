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

pub use shapes::{Blendshapes, read_blendshapes, write_blendshapes};

use crate::animation::AnimationOptions;
use crate::format::{Attributes, Description, Groups, Reader, Writer};
use scene::Scene;

/// glTF in the registry.
pub const FORMAT: Description = Description {
    written: &["glb", "gltf"],
    companions: &[("gltf", "bin")],
    attributes: Attributes::All,
    groups: Groups::Without(pieces::lost_groups),
    writer: Some(Writer::Scene(|path, rest, fps, frames| {
        Ok(Box::new(write::Writer::create(path, rest, fps, frames)?))
    })),
    ..Description::new(
        "glTF",
        &["glb", "gltf"],
        Reader::Scene {
            mesh: |path, bytes, beside| {
                let options = AnimationOptions::default();
                Ok(Scene::read(path, bytes.to_vec(), beside, &options)?.1)
            },
            open: |path, options| {
                let (scene, loaded) = Scene::open(path, options)?;
                Ok((loaded, scene.if_animated()))
            },
            applies_unit: false,
        },
    )
};

#[cfg(test)]
mod tests;

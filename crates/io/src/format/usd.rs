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

use crate::animation::AnimationOptions;
use crate::format::{Attributes, Description, Groups, Reader, Writer};
use crate::read::read_bytes;
use scene::Scene;

/// USD in the registry.
pub const FORMAT: Description = Description {
    written: &["usda"],
    polygons: true,
    attributes: Attributes::All,
    groups: Groups::All,
    writer: Some(Writer::Scene(|path, rest, fps, frames| {
        Ok(Box::new(write::Writer::create(path, rest, fps, frames)?))
    })),
    ..Description::new(
        "USD",
        &["usda", "usdc", "usdz", "usd"],
        Reader::Scene {
            mesh: |path, bytes, _| {
                Ok(Scene::read(path, bytes.to_vec(), &AnimationOptions::default())?.1)
            },
            open: |path, options| {
                let (scene, loaded) = Scene::read(path, read_bytes(path)?, options)?;
                Ok((loaded, scene.if_animated()))
            },
            applies_unit: true,
        },
    )
};

#[cfg(test)]
mod tests;

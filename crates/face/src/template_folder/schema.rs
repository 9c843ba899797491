//! The schema of `template.toml`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateFile {
    #[serde(default)]
    pub name: String,
    /// Of all files and numbers.
    #[serde(default = "metres")]
    pub unit: String,
    pub skin: String,
    pub skull: String,
    pub mandible: String,
    pub upper_teeth_proxy: String,
    pub lower_teeth_proxy: String,
    /// One glTF with morph targets, or a folder of meshes.
    pub blendshapes: String,
    #[serde(default)]
    pub regions: BTreeMap<String, String>,
    pub hinge: HingeTable,
    #[serde(default)]
    pub landmarks: BTreeMap<String, [f64; 3]>,
    #[serde(default)]
    pub expressions: BTreeMap<String, BTreeMap<String, f64>>,
    #[serde(default)]
    pub recipes: BTreeMap<String, RecipeTable>,
    #[serde(rename = "eye")]
    pub eyes: Vec<EyeTable>,
    #[serde(rename = "muscle", default)]
    pub muscles: Vec<MuscleTable>,
}

fn metres() -> String {
    "m".to_owned()
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HingeTable {
    pub point: [f64; 3],
    #[serde(default = "left")]
    pub axis: [f64; 3],
    #[serde(default = "up")]
    pub vertical: [f64; 3],
    #[serde(default)]
    pub slide_per_degree: [f64; 3],
    #[serde(default = "opening")]
    pub opening: [f64; 2],
    #[serde(default = "turning")]
    pub turning: [f64; 2],
    #[serde(default)]
    pub shift_min: [f64; 3],
    #[serde(default)]
    pub shift_max: [f64; 3],
}

fn left() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

fn up() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

fn opening() -> [f64; 2] {
    [0.0, 30.0]
}

fn turning() -> [f64; 2] {
    [-7.0, 7.0]
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EyeTable {
    pub file: String,
    pub center: [f64; 3],
    pub radius: f64,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MuscleTable {
    pub name: String,
    pub file: String,
    #[serde(default)]
    pub origin: String,
    #[serde(default)]
    pub insertion: String,
    /// From origin to insertion.
    pub curve: Vec<[f64; 3]>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeTable {
    #[serde(default)]
    pub muscles: BTreeMap<String, f64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub jaw_open: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub jaw_turn: f64,
    #[serde(default, skip_serializing_if = "are_zero")]
    pub jaw_shift: [f64; 3],
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

fn are_zero(x: &[f64; 3]) -> bool {
    *x == [0.0; 3]
}

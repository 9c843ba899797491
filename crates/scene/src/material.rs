//! Reads materials.

use pliant_model::{ElasticModel, Material, MaterialPreset};

use crate::error::SceneError;
use crate::limits::Limits;
use crate::value::Value;

const YOUNG: Limits = Limits::above(0.0, "Pa");
const POISSON: Limits = Limits::above(-1.0, "").below(0.5);
const DENSITY: Limits = Limits::above(0.0, "kg/m³").up_to(1e9);

/// Reads a material as a scene or a project has it.
pub fn read_material(value: &Value<'_>) -> Result<Material, SceneError> {
    let table =
        value.table(&["model", "preset", "young", "poisson", "density", "stiffness", "mass"])?;
    let preset: Option<MaterialPreset> = table.optional("preset", |v| v.word())?;
    let usual = preset.map_or(ElasticModel::Corotated, MaterialPreset::model);
    let model = table.or("model", Some(usual), |v| match v.words()? {
        Material::SPRINGS => Ok(None),
        _ => v.word_beside(&[Material::SPRINGS]).map(Some),
    })?;
    let misplaced: &[&'static str] = match model {
        Some(_) => &["stiffness", "mass"],
        None => &["preset", "young", "poisson", "density"],
    };
    if let Some((key, found)) = misplaced.iter().find_map(|&key| Some((key, table.get(key)?))) {
        let name = model.as_ref().map_or(Material::SPRINGS, ElasticModel::name);
        return Err(found.refuse(format!("`{key}` has no meaning for the model `{name}`")));
    }
    let Some(model) = model else {
        let stiffness = table.require("stiffness", "the stiffness of every spring in N/m")?;
        let mass = table.require("mass", "the mass of the whole body in kg")?;
        return Ok(Material::Springs {
            stiffness: stiffness.number(Limits::above(0.0, "N/m"))?,
            mass: mass.number(Limits::above(0.0, "kg"))?,
        });
    };
    let number = |key: &'static str, preset: Option<f64>, limits: Limits, expected: &str| match (
        table.get(key),
        preset,
    ) {
        (None, Some(value)) => Ok(value),
        _ => table.require(key, expected)?.number(limits),
    };
    Ok(Material::Elastic {
        model,
        young: number(
            "young",
            preset.map(MaterialPreset::young),
            YOUNG,
            "Young's modulus in Pa, or a `preset`",
        )?,
        poisson: number(
            "poisson",
            preset.map(MaterialPreset::poisson),
            POISSON,
            "Poisson's ratio, or a `preset`",
        )?,
        density: number(
            "density",
            preset.map(MaterialPreset::density),
            DENSITY,
            "the density in kg/m³, or a `preset`",
        )?,
    })
}

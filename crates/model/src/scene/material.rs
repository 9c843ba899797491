//! What a body is made of.

use serde::Serialize;

use super::error::SceneError;
use super::limits::Limits;
use super::preset::MaterialPreset;
use super::value::Value;

/// The material of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Material {
    /// A continuum: an energy density of the deformation gradient.
    Elastic {
        /// Energy density.
        model: ElasticModel,
        /// Young's modulus \[Pa\].
        young: f64,
        /// Poisson's ratio, between −1 and 0.5.
        poisson: f64,
        /// Density [kg/m³].
        density: f64,
    },
    /// A net of springs, ½k(l − l₀)² each.
    Springs {
        /// Stiffness of every spring [N/m].
        stiffness: f64,
        /// Mass of the whole body \[kg\].
        mass: f64,
    },
}

/// Energy densities. μ and λ are the Lamé parameters of Young's modulus and Poisson's ratio, R
/// is the rotation of the polar decomposition of F.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ElasticModel {
    /// μ‖F − R‖² + λ/2 tr²(RᵀF − I)
    Corotated,
    /// μ‖F − R‖²
    Arap,
    /// St. Venant–Kirchhoff.
    Stvk,
    /// St. Venant–Kirchhoff that recovers from inversion.
    InvertibleStvk,
    /// The stable neo-Hookean energy of Smith, de Goes and Kim 2018.
    NeoHookean,
    /// μ‖F − R‖² + λ/2 (det F − 1)²
    Tissue,
}

const MODELS: [(&str, Option<ElasticModel>); 7] = [
    ("corotated", Some(ElasticModel::Corotated)),
    ("arap", Some(ElasticModel::Arap)),
    ("stvk", Some(ElasticModel::Stvk)),
    ("invertible-stvk", Some(ElasticModel::InvertibleStvk)),
    ("neo-hookean", Some(ElasticModel::NeoHookean)),
    ("tissue", Some(ElasticModel::Tissue)),
    ("springs", None),
];

impl ElasticModel {
    /// As written in scene files.
    pub fn name(self) -> &'static str {
        MODELS.iter().find(|(_, model)| *model == Some(self)).map_or("", |(name, _)| name)
    }

    /// The model of a name.
    pub fn named(name: &str) -> Option<ElasticModel> {
        MODELS.iter().find(|(known, _)| *known == name).and_then(|(_, model)| *model)
    }
}

const YOUNG: Limits = Limits::above(0.0, "Pa");
const POISSON: Limits = Limits::above(-1.0, "").below(0.5);
const DENSITY: Limits = Limits::above(0.0, "kg/m³").up_to(1e9);

impl Material {
    /// As written in a file.
    pub fn read(value: &Value<'_>) -> Result<Material, SceneError> {
        let table = value.table(&[
            "model",
            "preset",
            "young",
            "poisson",
            "density",
            "stiffness",
            "mass",
        ])?;
        let preset =
            table.optional("preset", |v| v.named("material preset", &MaterialPreset::NAMES))?;
        let default_model = preset.map_or(ElasticModel::Corotated, MaterialPreset::model);
        let model =
            table.or("model", Some(default_model), |v| v.named("material model", &MODELS))?;
        let misplaced: &[&'static str] = match model {
            Some(_) => &["stiffness", "mass"],
            None => &["preset", "young", "poisson", "density"],
        };
        if let Some((key, found)) = misplaced.iter().find_map(|&key| Some((key, table.get(key)?))) {
            let name = model.map_or("springs", ElasticModel::name);
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
}

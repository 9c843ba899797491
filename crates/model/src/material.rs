//! The vocabulary of materials: what a body can be made of.

mod preset;

use serde::Serialize;

pub use self::preset::MaterialPreset;

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

impl ElasticModel {
    /// Every model with its name in files.
    pub const NAMES: [(&'static str, ElasticModel); 6] = [
        ("corotated", ElasticModel::Corotated),
        ("arap", ElasticModel::Arap),
        ("stvk", ElasticModel::Stvk),
        ("invertible-stvk", ElasticModel::InvertibleStvk),
        ("neo-hookean", ElasticModel::NeoHookean),
        ("tissue", ElasticModel::Tissue),
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, model)| *model == self).map_or("", |(name, _)| name)
    }

    /// The model with this name.
    pub fn named(name: &str) -> Option<ElasticModel> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, model)| *model)
    }
}

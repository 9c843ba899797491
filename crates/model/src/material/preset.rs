//! Materials by name, with the measurements that they come from.

use serde::Serialize;

use super::{ElasticModel, Material};
use crate::words::words;

words! {
    /// A named material. What a scene writes beside the preset overrides its values.
    ///
    /// Densities of tissues: ICRU Report 44 (1989), and Woodard and White (1986) for skin. Measured
    /// tissue is nearly incompressible (Poisson's ratio above 0.49); the presets stop at 0.45, from
    /// where on linear tetrahedra become visibly too stiff.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub enum MaterialPreset: "material preset" {
        /// Muscle with the fat and connective tissue around it, as one material: 10 kPa, between
        /// fat and muscle, with the density of soft tissue, 1060 kg/m³.
        "flesh", "Flesh", ["icru1989"] => Flesh,
        /// Fat: 3.25 kPa (normal adipose tissue of the breast), 950 kg/m³.
        "fat", "Fat", ["samani2007"] => Fat,
        // By suction; the literature spans 5 kPa to 140 MPa by method (Kalra, Lowe, Al-Jumaily
        // 2016).
        /// Skin, all layers together, in plane: of the order of 0.1 MPa, 1090 kg/m³.
        "skin", "Skin", ["diridollou2000"] => Skin,
        /// Relaxed skeletal muscle: 12 kPa, 1050 kg/m³.
        "muscle", "Muscle", ["engler2004"] => Muscle,
        /// Soft vulcanised natural rubber: shear modulus 0.39 MPa, so E = 3G = 1.2 MPa, 930 kg/m³.
        "rubber", "Rubber", ["treloar1944"] => Rubber,
        /// Gelatin dessert, one part of gelatin in twenty of water: 4.3 kPa, 1000 kg/m³, almost all
        /// of it water.
        "jelly", "Jelly", ["bonavia2025"] => Jelly,
    }
}

impl MaterialPreset {
    /// The material.
    pub const fn material(self) -> Material {
        Material::elastic(self.model(), self.young(), self.poisson(), self.density())
    }

    /// Model of the energy density.
    pub const fn model(self) -> ElasticModel {
        match self {
            MaterialPreset::Rubber => ElasticModel::NeoHookean,
            _ => ElasticModel::Corotated,
        }
    }

    /// Young's modulus \[Pa\].
    pub const fn young(self) -> f64 {
        match self {
            MaterialPreset::Flesh => 1.0e4,
            MaterialPreset::Fat => 3.25e3,
            MaterialPreset::Skin => 1.0e5,
            MaterialPreset::Muscle => 1.2e4,
            MaterialPreset::Rubber => 1.2e6,
            MaterialPreset::Jelly => 4.3e3,
        }
    }

    /// Poisson's ratio.
    pub const fn poisson(self) -> f64 {
        0.45
    }

    /// Density [kg/m³].
    pub const fn density(self) -> f64 {
        match self {
            MaterialPreset::Flesh => 1060.0,
            MaterialPreset::Fat => 950.0,
            MaterialPreset::Skin => 1090.0,
            MaterialPreset::Muscle => 1050.0,
            MaterialPreset::Rubber => 930.0,
            MaterialPreset::Jelly => 1000.0,
        }
    }
}

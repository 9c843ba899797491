//! Materials by name, with the measurements that they come from.

use serde::Serialize;

use super::ElasticModel;

/// A named material. What a scene writes beside the preset overrides its values.
///
/// Densities of tissues: ICRU Report 44 (1989), and Woodard and White (1986) for skin. Measured
/// tissue is nearly incompressible (Poisson's ratio above 0.49); the presets stop at 0.45, from
/// where on linear tetrahedra become visibly too stiff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum MaterialPreset {
    /// Muscle with the fat and connective tissue around it, as one material: 10 kPa, between
    /// [`Fat`](MaterialPreset::Fat) and [`Muscle`](MaterialPreset::Muscle); the density of soft
    /// tissue, 1060 kg/m³.
    Flesh,
    /// Fat: 3.25 kPa (Samani, Zubovits, Plewes 2007, normal adipose tissue of the breast);
    /// 950 kg/m³.
    Fat,
    /// Skin, all layers together, in plane: of the order of 0.1 MPa by suction (Diridollou and
    /// others 2000), in a literature that spans 5 kPa to 140 MPa by method (Kalra, Lowe,
    /// Al-Jumaily 2016); 1090 kg/m³.
    Skin,
    /// Relaxed skeletal muscle: 12 kPa (Engler and others 2004); 1050 kg/m³.
    Muscle,
    /// Soft vulcanised natural rubber: shear modulus 0.39 MPa (Treloar 1944), so E = 3G =
    /// 1.2 MPa; 930 kg/m³.
    Rubber,
    /// Gelatin dessert, one part of gelatin in twenty of water: 4.3 kPa (Bonavia 2025,
    /// arXiv:2512.20502); 1000 kg/m³, almost all of it water.
    Jelly,
}

impl MaterialPreset {
    /// Every preset with its name in files.
    pub const NAMES: [(&'static str, MaterialPreset); 6] = [
        ("flesh", MaterialPreset::Flesh),
        ("fat", MaterialPreset::Fat),
        ("skin", MaterialPreset::Skin),
        ("muscle", MaterialPreset::Muscle),
        ("rubber", MaterialPreset::Rubber),
        ("jelly", MaterialPreset::Jelly),
    ];

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

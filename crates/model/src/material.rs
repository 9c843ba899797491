//! Materials: what a body can be made of. A file per energy density ψ(F), and one table of them.
//!
//! To add one: its file, and in this one its `mod` and its entry of `densities!`.

pub mod arap;
pub mod corotated;
pub mod density;
pub mod invertible_stvk;
pub mod isotropic;
pub mod neo_hookean;
mod preset;
pub mod stvk;
pub mod tissue;

use serde::Serialize;

pub use self::density::{Density, Matrix9};
pub use self::preset::MaterialPreset;
use crate::words::words;

/// The material of a body: a model with its parameters.
///
/// ```
/// use pliant_model::{ElasticModel, Material};
/// let rubber = Material::neo_hookean(1e5, 0.4, 1000.0);
/// assert_eq!(rubber, Material::elastic(ElasticModel::NeoHookean, 1e5, 0.4, 1000.0));
/// assert_eq!(rubber.name(), "neo-hookean");
/// ```
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

impl Material {
    /// The name of a net of springs in files, beside those of [`ElasticModel`].
    pub const SPRINGS: &'static str = "springs";

    /// A solid of a model: Young's modulus \[Pa\], Poisson's ratio, density [kg/m³].
    pub const fn elastic(model: ElasticModel, young: f64, poisson: f64, density: f64) -> Self {
        Material::Elastic { model, young, poisson, density }
    }

    /// A net of equal springs: stiffness of each [N/m], mass of the whole body \[kg\].
    pub const fn springs(stiffness: f64, mass: f64) -> Self {
        Material::Springs { stiffness, mass }
    }

    /// The model's name in files.
    pub const fn name(&self) -> &'static str {
        match self {
            Material::Elastic { model, .. } => model.name(),
            Material::Springs { .. } => Material::SPRINGS,
        }
    }
}

/// Work on a density that is known by its name only; see [`ElasticModel::visit`].
pub trait VisitDensity {
    /// What comes of it.
    type Output;

    /// The work.
    fn visit<D: Density>(self) -> Self::Output;
}

/// Makes the vocabulary of models, and everything that depends on which there are: an entry is
/// that of `words!`, then its density and the name of its constructor.
macro_rules! densities {
    ($(
        $(#[doc = $about:literal])+
        $name:literal, $title:literal, [$($cite:literal)?] =>
        $Variant:ident, $Density:ty, $constructor:ident;
    )+) => {
        words! {
            /// Energy densities ψ(F). μ and λ are the Lamé parameters of Young's modulus and
            /// Poisson's ratio, R is the rotation of the polar decomposition of F.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
            pub enum ElasticModel: "material model" {
                $( $(#[doc = $about])+ $name, $title, [$($cite)?] => $Variant ),+
            }
        }

        impl ElasticModel {
            /// Does some work on the model's density.
            ///
            /// ```
            /// use pliant_model::ElasticModel;
            /// use pliant_model::material::{Density, VisitDensity};
            /// struct Name;
            /// impl VisitDensity for Name {
            ///     type Output = &'static str;
            ///     fn visit<D: Density>(self) -> &'static str {
            ///         D::NAME
            ///     }
            /// }
            /// assert_eq!(ElasticModel::Arap.visit(Name), "arap");
            /// ```
            pub fn visit<V: VisitDensity>(self, work: V) -> V::Output {
                match self { $( ElasticModel::$Variant => work.visit::<$Density>() ),+ }
            }
        }

        impl Material {
            $(
                #[doc = concat!("A solid of the model `", $name, "`: Young's modulus \\[Pa\\], \
                    Poisson's ratio, density [kg/m³].")]
                pub const fn $constructor(young: f64, poisson: f64, density: f64) -> Self {
                    Material::elastic(ElasticModel::$Variant, young, poisson, density)
                }
            )+
        }
    };
}

densities! {
    /// μ‖F − R‖² + λ/2 tr²(RᵀF − I).
    "corotated", "Co-rotated", ["mcadams2011"] => Corotated, corotated::Corotated, corotated;
    /// μ‖F − R‖².
    "arap", "As rigid as possible", ["chao2010"] => Arap, arap::Arap, arap;
    /// St. Venant–Kirchhoff: μ‖E‖² + λ/2 tr²E with E = ½(FᵀF − I).
    "stvk", "St. Venant–Kirchhoff", ["sifakis2012"] => Stvk, stvk::StVenantKirchhoff, stvk;
    /// St. Venant–Kirchhoff, continued from small stretches on, so that it recovers from inversion.
    "invertible-stvk", "St. Venant–Kirchhoff, invertible", ["stomakhin2012"] =>
        InvertibleStvk, invertible_stvk::InvertibleStVenantKirchhoff, invertible_stvk;
    /// The stable neo-Hookean energy.
    "neo-hookean", "Neo-Hookean", ["smith2018"] =>
        NeoHookean, neo_hookean::StableNeoHookean, neo_hookean;
    /// μ‖F − R‖² + λ/2 (det F − 1)².
    "tissue", "Soft tissue", ["ichim2017phace"] => Tissue, tissue::Tissue, tissue;
}

impl ElasticModel {
    /// True if the energy is finite, and pushes back, for inverted elements.
    pub fn recovers_from_inversion(self) -> bool {
        struct Recovers;
        impl VisitDensity for Recovers {
            type Output = bool;
            fn visit<D: Density>(self) -> bool {
                D::RECOVERS_FROM_INVERSION
            }
        }
        self.visit(Recovers)
    }
}

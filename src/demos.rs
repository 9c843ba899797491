//! The scenes that are built in.

use pliant_mesh::{Mesh, MeshError, shapes};
use pliant_view::Material;

/// A scene that needs no files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demo {
    /// What to type.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// The text of its scene file, which ends within `[integrator]`.
    pub scene: &'static str,
    /// The methods it compares.
    pub variants: &'static [Variant],
    /// Its liveliest stretch \[s\]: what the filmstrip shows.
    pub strip: [f64; 2],
    /// How its bodies look.
    pub material: Material,
    /// What stands on the stage besides the bodies, and moves with the first attachment.
    pub props: &'static [Prop],
}

/// One way to simulate a demo's scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its name in pictures and plots.
    pub label: &'static str,
    /// Its folder; empty when it is the only one.
    pub folder: &'static str,
    /// What it adds to the scene's `[integrator]`.
    pub integrator: &'static str,
}

impl Demo {
    /// The scene of one of the variants.
    pub fn scene_of(&self, variant: &Variant) -> String {
        format!("{}{}\n", self.scene, variant.integrator)
    }
}

const AS_WRITTEN: &[Variant] = &[Variant { label: "", folder: "", integrator: "" }];

/// Something on the stage that takes no part in the physics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prop {
    /// A porcelain plate of a radius \[m\], its well at the height of the floor's origin.
    Plate(f64),
}

impl Prop {
    /// Its shape \[m\].
    ///
    /// # Errors
    /// When its size makes no shape.
    pub fn mesh(self) -> Result<Mesh, MeshError> {
        match self {
            Prop::Plate(radius) => shapes::plate(radius),
        }
    }

    /// How it looks.
    pub fn material(self) -> Material {
        match self {
            Prop::Plate(_) => {
                Material { colour: [0.93, 0.94, 0.95], gloss: 0.7, translucency: 0.0 }
            }
        }
    }
}

const RUBBER: Material = Material { colour: [0.93, 0.58, 0.16], gloss: 0.5, translucency: 0.25 };

/// Every demo, the flagship first.
pub const ALL: &[Demo] = &[
    Demo {
        name: "jelly",
        about: "A jelly on a shaken plate",
        scene: include_str!("../assets/scenes/jelly.toml"),
        variants: &[
            Variant { label: "backward Euler", folder: "backward-euler", integrator: "" },
            Variant {
                label: "backward Euler + FEPR",
                folder: "fepr",
                integrator: "correction = \"fepr\"",
            },
        ],
        strip: [0.9, 3.4],
        material: Material::JELLY,
        props: &[Prop::Plate(0.115)],
    },
    Demo {
        name: "drop",
        about: "A jelly, dropped on a table",
        scene: include_str!("../assets/scenes/drop.toml"),
        variants: AS_WRITTEN,
        strip: [0.1, 1.8],
        material: Material::JELLY,
        props: &[],
    },
    Demo {
        name: "cube",
        about: "A stretched rubber cube, spinning free of gravity",
        scene: include_str!("../assets/scenes/cube.toml"),
        variants: AS_WRITTEN,
        strip: [0.0, 1.0],
        material: RUBBER,
        props: &[],
    },
    Demo {
        name: "bar",
        about: "A soft bar, twisted one and a half turns and back",
        scene: include_str!("../assets/scenes/bar.toml"),
        variants: AS_WRITTEN,
        strip: [0.5, 4.5],
        material: RUBBER,
        props: &[],
    },
    Demo {
        name: "horns",
        about: "Horns that cross at rest, drawn apart: nothing is welded",
        scene: include_str!("../assets/scenes/horns.toml"),
        variants: AS_WRITTEN,
        strip: [0.0, 2.5],
        material: Material { colour: [0.86, 0.74, 0.55], gloss: 0.4, translucency: 0.15 },
        props: &[],
    },
    Demo {
        name: "flag",
        about: "A cloth on two corners in gusty wind",
        scene: include_str!("../assets/scenes/flag.toml"),
        variants: AS_WRITTEN,
        strip: [0.0, 3.0],
        material: Material::CLOTH,
        props: &[],
    },
];

/// The demo of a name.
///
/// ```
/// assert_eq!(pliant::demos::find("cube").map(|demo| demo.name), Some("cube"));
/// assert!(pliant::demos::find("sphinx").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static Demo> {
    ALL.iter().find(|demo| demo.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_model::scene::SceneFile;

    #[test]
    fn every_demo_is_a_valid_scene_with_its_own_name() {
        for (index, demo) in ALL.iter().enumerate() {
            for variant in demo.variants {
                let scene = SceneFile::parse(&demo.scene_of(variant));
                assert!(scene.is_ok(), "{}: {}", demo.name, scene.unwrap_err());
            }
            assert_eq!(ALL.iter().position(|other| other.name == demo.name), Some(index));
            assert!(demo.props.iter().all(|prop| prop.mesh().is_ok()));
        }
    }
}

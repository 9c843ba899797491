//! The recipes of CONTRIBUTING.md for a material, a scheme, a collider shape and a format, followed
//! in a copy of the tree: each touches two files, and the copy compiles.
//!
//! Compiling takes minutes, and only happens where `PLIANT_RECIPES` is set.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What is written where.
enum Change {
    /// A new file.
    File { path: &'static str, text: &'static str },
    /// Lines after the only place that ends with an anchor.
    Lines { path: &'static str, after: &'static str, text: &'static str },
}

/// A recipe: its name in CONTRIBUTING.md, and what it asks for.
struct Recipe {
    name: &'static str,
    changes: &'static [Change],
}

const RECIPES: [Recipe; 4] = [
    Recipe {
        name: "a material",
        changes: &[
            Change::File { path: "crates/model/src/material/scratch.rs", text: MATERIAL },
            Change::Lines {
                path: "crates/model/src/material.rs",
                after: "mod preset;\n",
                text: "pub mod scratch;\n",
            },
            Change::Lines {
                path: "crates/model/src/material.rs",
                after: "=> Tissue, tissue::Tissue, tissue;\n",
                text: "/// ‖F − R‖², once more.\n\
                       \"scratch\", \"Scratch\", [] => Scratch, scratch::Scratch, scratch;\n",
            },
        ],
    },
    Recipe {
        name: "a scheme",
        changes: &[
            Change::Lines {
                path: "crates/model/src/method/scheme.rs",
                after: "=> QuasiStatic,\n",
                text: "/// Backward Euler, once more.\n\
                       \"scratch\", \"Scratch\", [] => Scratch,\n",
            },
            Change::Lines {
                path: "crates/sim/src/scheme.rs",
                after: "Scheme::Bdf2 => (4.0 / 9.0, 1.0),\n",
                text: "Scheme::Scratch => (1.0, 1.0),\n",
            },
            Change::Lines {
                path: "crates/sim/src/scheme.rs",
                after: "Scheme::QuasiStatic => x,\n",
                text: "Scheme::Scratch => x.plus_scaled(h, v),\n",
            },
        ],
    },
    Recipe {
        name: "a collider shape",
        changes: &[
            Change::File { path: "crates/model/src/collider/shape/scratch.rs", text: SHAPE },
            Change::Lines {
                path: "crates/model/src/collider/shape.rs",
                after: "mod round;\n",
                text: "mod scratch;\n",
            },
            Change::Lines {
                path: "crates/model/src/collider/shape.rs",
                after: "=> Torus, torus::Torus;\n",
                text: "/// A ball about the origin.\n\
                       \"scratch\", \"Scratch\", [] => Scratch, scratch::Scratch;\n",
            },
        ],
    },
    Recipe {
        name: "a mesh or animation format",
        changes: &[
            Change::File { path: "crates/io/src/format/scratch.rs", text: FORMAT },
            Change::Lines {
                path: "crates/io/src/format.rs",
                after: "mod ply;\n",
                text: "mod scratch;\n",
            },
            Change::Lines {
                path: "crates/io/src/format.rs",
                after: "Vega: vega::FORMAT,\n",
                text: "Scratch: scratch::FORMAT,\n",
            },
        ],
    },
];

const FORMAT: &str = r#"//! A scratch format: three numbers per vertex, and no faces.

use std::path::Path;

use crate::cursor::Cursor;
use crate::error::IoError;
use crate::format::{Description, Reader};
use crate::loaded::{Loaded, Parts};

pub const FORMAT: Description =
    Description::new("Scratch", &["scratch"], Reader::Mesh(|path, bytes, _| parse(path, bytes)));

fn parse(path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    let mut cursor = Cursor::new(path, bytes);
    let mut parts = Parts::default();
    for _ in 0..cursor.count("the number of vertices", 6)? {
        let [x, y, z] = [cursor.number("x")?, cursor.number("y")?, cursor.number("z")?];
        parts.positions.push(glam::DVec3::new(x, y, z));
    }
    parts.finish(path)
}
"#;

const MATERIAL: &str = r#"//! A scratch material.

use glam::{DMat3, DVec3};
use pliant_math::lanes::Lanes;

use super::arap::Arap;
use super::density::Density;
use super::isotropic::Spectrum;

#[derive(Clone, Copy, Debug, Default)]
pub struct Scratch;

impl Density for Scratch {
    const NAME: &'static str = "scratch";
    const RECOVERS_FROM_INVERSION: bool = true;

    fn stress(f: &DMat3, mu: f64, lambda: f64) -> (f64, DMat3) {
        Arap::stress(f, mu, lambda)
    }

    fn spectrum(sigma: DVec3, mu: f64, lambda: f64) -> Spectrum {
        Arap::spectrum(sigma, mu, lambda)
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Real = f64>, const STRESS: bool>(
        f: &[L; 9],
        mu: L,
        lambda: L,
    ) -> (L, [L; 9]) {
        unsafe { Arap::lanes::<L, STRESS>(f, mu, lambda) }
    }
}
"#;

const SHAPE: &str = r#"//! A scratch shape.

use glam::{DMat3, DVec3};

use super::round::{around, ball, inverse};
use super::{Distance, Form, Number, Quantity, is_size};
use crate::motion::Rigid;

#[derive(Clone, Debug, PartialEq)]
pub struct Scratch {
    radius: f64,
}

impl Form for Scratch {
    const KEYS: &'static [&'static str] = &["radius"];
    const QUANTITIES: &'static [Quantity] = &[Quantity::Length];

    fn of(numbers: &[Number]) -> Option<Self> {
        let [Number::Length(radius)] = *numbers else { return None };
        Some(Scratch { radius })
    }

    fn moved(&self, _: &Rigid) -> Self {
        self.clone()
    }

    fn distance(&self, x: DVec3) -> Distance {
        around(x, self.radius, DVec3::Y)
    }

    fn bend(&self, x: DVec3, normal: DVec3) -> DMat3 {
        ball(normal, inverse(x.length()))
    }

    fn bounds(&self) -> Option<(DVec3, f64)> {
        Some((DVec3::ZERO, self.radius))
    }

    fn is_sound(&self) -> bool {
        is_size(self.radius)
    }
}
"#;

#[test]
fn a_recipe_touches_two_files_and_names_both() {
    let contributing = read(root(), "CONTRIBUTING.md");
    for Recipe { name, changes } in RECIPES {
        let recipe = contributing.split(&format!("**… {name}.**")).nth(1);
        let recipe = recipe.unwrap_or_else(|| panic!("there is no recipe for {name}"));
        let recipe = recipe.split("\n**… ").next().unwrap_or_default();
        assert!(recipe.starts_with(" Two files"), "{name}");
        let paths: BTreeSet<&str> = changes.iter().map(Change::path).collect();
        assert_eq!(paths.len(), 2, "{name}: {paths:?}");
        for path in paths {
            let named = path.replace("scratch.rs", "NAME.rs");
            assert!(recipe.contains(&format!("`{named}`")), "{name}: {named} is not named");
        }
        for change in changes {
            change.result(root());
        }
    }
}

#[test]
fn what_the_recipes_make_compiles() {
    if env::var_os("PLIANT_RECIPES").is_none() {
        println!("skipped: PLIANT_RECIPES is not set");
        return;
    }
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes");
    if copy.exists() {
        fs::remove_dir_all(&copy).expect("the last copy can be removed");
    }
    fs::create_dir_all(&copy).expect("a folder for the copy");
    for part in ["Cargo.toml", "Cargo.lock", "src", "crates", "assets", "docs", "README.md"] {
        copy_tree(&root().join(part), &copy.join(part)).expect("the tree can be copied");
    }
    // Targets that the manifest names must be there, and are not checked.
    for part in ["tests", "examples", "peers"] {
        copy_tree(&root().join(part), &copy.join(part)).expect("the tree can be copied");
    }
    for change in RECIPES.iter().flat_map(|recipe| recipe.changes) {
        let text = change.result(&copy);
        fs::write(copy.join(change.path()), text).expect("the copy can be written");
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let check = Command::new(cargo)
        .args(["check", "--workspace", "--offline", "--quiet"])
        // In the folder of the tree itself, cargo would take the one's packages for the other's.
        .env("CARGO_TARGET_DIR", copy.with_file_name("recipes-target"))
        .current_dir(&copy)
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&check.stderr);
    assert!(check.status.success(), "{said}");
}

impl Change {
    fn path(&self) -> &'static str {
        match self {
            Change::File { path, .. } | Change::Lines { path, .. } => path,
        }
    }

    /// The file's text after the change, in a tree.
    fn result(&self, tree: &Path) -> String {
        match self {
            Change::File { path, text } => {
                assert!(!tree.join(path).exists(), "{path} is there already");
                (*text).to_owned()
            }
            Change::Lines { path, after, text } => {
                let whole = read(tree, path);
                assert_eq!(whole.matches(after).count(), 1, "{path}: `{after}`");
                whole.replace(after, &format!("{after}{text}"))
            }
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(tree: &Path, path: &str) -> String {
    fs::read_to_string(tree.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Copies a file, or a folder without what programs make in it.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_file() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry: PathBuf = entry?.path();
        let name = entry.file_name().unwrap_or_default();
        if name != "target" && name != "node_modules" {
            copy_tree(&entry, &to.join(name))?;
        }
    }
    Ok(())
}

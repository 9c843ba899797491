//! The demos that are built in: each a scene file, with a table `[demo]` that says which methods it
//! compares and what to show.
//!
//! A new one is a file in `assets/scenes/` and its name in the list below; animations that are
//! enriched are project files in `assets/projects/`, faces are in `assets/faces/`.

mod face;
pub mod face_show;
pub mod lips;
mod project;
mod recipe;
pub mod scene_show;
mod table;

pub use face::{FaceDemo, FaceShow, Measure, MeasureKind, Play};
pub use project::{Look, ProjectDemo};
pub use recipe::{Accuracy, Curve, Demo, DemoError, Quantity, Room, Variant};

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../assets/scenes/", $name, ".toml")))),*]
    };
}

/// Names and files, the flagship first.
const FILES: &[(&str, &str)] = scenes![
    "jelly",
    "drop",
    "collide",
    "folded",
    "conveyor",
    "draped",
    "cube",
    "bar",
    "horns",
    "flag",
    "multiplier",
    "buckle",
    "orbit",
    "spin",
    "scramble",
    "alpha",
    "shaken",
    "snout",
    "swing",
    "loose",
    "spheres",
    "marbles",
    "slide",
    "sqp",
    "torus",
    "order",
    "trampoline",
    "xpbd",
    "cannonball",
    "hippo",
    "cactus",
    "squirrel",
    "bounce",
    "octopus",
    "delta",
    "five",
];

macro_rules! projects {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../assets/projects/", $name, ".toml")))),*]
    };
}

/// Animations that are enriched: names and project files.
const PROJECTS: &[(&str, &str)] = projects![
    "elephant",
    "dragon",
    "bird",
    "sumo",
    "plant",
    "talking-head",
    "tracks",
    "spikes",
    "stretched",
    "wither",
    "ball",
];

/// Names of the demos that enrich an animation.
pub fn project_names() -> impl Iterator<Item = &'static str> {
    PROJECTS.iter().map(|(name, _)| *name)
}

/// Such a demo.
///
/// ```
/// let elephant = pliant_project::demo::project("elephant").expect("there is an elephant")?;
/// assert!(elephant.text.contains("puppet:elephant"));
/// # Ok::<(), pliant_project::demo::DemoError>(())
/// ```
pub fn project(name: &str) -> Option<Result<ProjectDemo, DemoError>> {
    let (name, text) = PROJECTS.iter().find(|(known, _)| *known == name)?;
    Some(ProjectDemo::parse(name, text))
}

macro_rules! faces {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../assets/faces/", $name, ".toml")))),*]
    };
}

/// Faces, and what happens to them: names and files.
const FACES: &[(&str, &str)] = faces![
    "gust",
    "jump",
    "fat",
    "ratio",
    "filler",
    "surgery",
    "palsy",
    "headset",
    "punch",
    "zombie",
    "headstand",
];

/// Names of the demos of the face.
pub fn face_names() -> impl Iterator<Item = &'static str> {
    FACES.iter().map(|(name, _)| *name)
}

/// Such a demo.
///
/// ```
/// let gust = pliant_project::demo::face("gust").expect("there is wind")?;
/// assert_eq!(gust.name, "gust");
/// # Ok::<(), pliant_project::demo::DemoError>(())
/// ```
pub fn face(name: &str) -> Option<Result<FaceDemo, DemoError>> {
    let (name, text) = FACES.iter().find(|(known, _)| *known == name)?;
    Some(FaceDemo::parse(name, text))
}

/// Every name, the flagship first.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The demo of a name.
///
/// ```
/// let cube = pliant_project::demo::find("cube").expect("there is a cube")?;
/// assert_eq!(cube.name, "cube");
/// assert!(pliant_project::demo::find("sphinx").is_none());
/// # Ok::<(), pliant_project::demo::DemoError>(())
/// ```
pub fn find(name: &str) -> Option<Result<Demo, DemoError>> {
    let (name, text) = FILES.iter().find(|(known, _)| *known == name)?;
    Some(Demo::parse(name, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_scene::SceneFile;

    #[test]
    fn every_project_can_be_read_and_says_what_it_shows() {
        for name in project_names() {
            let demo = project(name).unwrap().unwrap();
            let text = demo.text;
            assert!(text.starts_with("# ") && names().all(|other| other != name), "{name}");
            let read =
                pliant_enrich::Project::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(read.input.starts_with("puppet:"), "{name}: {}", read.input);
        }
        assert!(project("jelly").is_none());
    }

    #[test]
    fn every_face_can_be_read_and_plays() {
        for name in face_names() {
            let demo = face(name).unwrap().unwrap();
            assert!(names().chain(project_names()).all(|other| other != name), "{name}");
            let moments = demo.moments();
            let end = demo.play.seconds;
            assert!(
                moments.is_sorted() && moments.iter().all(|t| (0.0..=end).contains(t)),
                "{name}"
            );
            for variant in &demo.show.variants {
                let text = demo.effects_of(variant).unwrap();
                let read = pliant_face::effects::Effects::parse(name.as_ref(), &text);
                read.unwrap_or_else(|e| panic!("{name}, {}: {e}", variant.label));
            }
        }
    }

    #[test]
    fn every_demo_is_a_scene_as_it_stands() {
        for (name, text) in FILES {
            SceneFile::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    #[test]
    fn every_demo_is_valid_scenes_with_names_and_folders_of_their_own() {
        for (index, name) in names().enumerate() {
            assert_eq!(
                names().position(|other| other == name),
                Some(index),
                "{name} is there twice"
            );
            let demo = find(name).unwrap().unwrap();
            for (place, variant) in demo.variants.iter().enumerate() {
                let scene = SceneFile::parse(&demo.scene_of(variant).unwrap());
                let scene =
                    scene.unwrap_or_else(|error| panic!("{name}, {}: {error}", variant.label));
                let end = f64::from(scene.frames) / scene.fps;
                let moments = demo.moments();
                assert!(moments.is_sorted() && moments[0] < moments[5], "{name}: {moments:?}");
                assert!(moments[0] >= 0.0 && moments[5] <= end + 1e-9, "{name}: {moments:?}");
                let same = |other: &Variant| other.folder() == variant.folder();
                assert_eq!(demo.variants.iter().position(same), Some(place), "{name}: folders");
                assert_eq!(variant.label.is_empty(), demo.variants.len() == 1, "{name}: labels");
            }
        }
    }
}

//! What the documents show is run: scenes are built, and the example in Rust is this one.

use std::fs;
use std::path::Path;

use ::pliant::model::collider::{ColliderShape, Response};
use ::pliant::model::method::{
    Correction, Damping, FeprMetric, FeprMomenta, FeprSolution, Preset, Scheme, Solver,
};
use ::pliant::model::{ElasticModel, MaterialPreset, Word};
use ::pliant::scene::{NoFiles, SceneFile};

use crate::pliant::Folder;

#[test]
fn the_example_of_the_readme_runs() -> Result<(), Box<dyn std::error::Error>> {
    // The lines between the two lines of dashes, and the one that saves, are those of the README.
    // ----
    use pliant::prelude::*;

    let mesh = shapes::box3([1.0, 0.2, 0.2], [20, 4, 4])?;
    let bar = Body::solid("bar", mesh, Material::neo_hookean(1e5, 0.4, 1000.0));
    let mut sim = Simulation::builder()
        .body(bar.pin(|x| x.x < -0.49))
        .collider(Collider::plane(Y, -1.0).friction(0.3))
        .method(Method::VIVID)
        .build()?;
    for _ in 0..60 {
        let report = sim.step(1.0 / 60.0);
        println!("{:.3} J", report.energy.total());
    }
    // ----
    let lowest = sim.positions("bar")?.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    assert!(lowest < -0.11, "the free end sinks, to {lowest} m");
    let folder = Folder::new("readme");
    sim.save(folder.path("bar.pc2"))?;
    assert_eq!(folder.list("."), ["bar.obj", "bar.pc2"]);

    let source = include_str!("documents.rs");
    let shown = source.split("    // ----\n").nth(1).ok_or("the dashes are gone")?;
    let shown: String = shown.lines().map(|line| format!("{}\n", unindented(line))).collect();
    assert_eq!(blocks("README.md", "rust"), [shown + "sim.save(\"bar.pc2\")?;\n"]);
    Ok(())
}

#[test]
fn every_scene_in_the_documents_can_be_built() {
    for document in ["README.md", "docs/scenes.md"] {
        let scenes = blocks(document, "toml");
        assert!(!scenes.is_empty(), "{document} shows no scene");
        for text in scenes {
            let scene = SceneFile::parse(&text).unwrap_or_else(|e| panic!("{document}: {e}"));
            let model = scene.build(&mut NoFiles);
            assert!(model.is_ok(), "{document}: {}", model.err().unwrap());
        }
    }
}

#[test]
fn the_gallery_shows_every_demo_with_its_command_and_a_small_picture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/gallery.md")).expect("the gallery");
    let mut sum = 0;
    for name in pliant::project::demo::names()
        .chain(pliant::project::demo::project_names())
        .chain(pliant::project::demo::face_names())
    {
        let command = format!("pliant demo {name}");
        assert!(page.lines().any(|line| line.contains(&command)), "`{command}` is missing");
        let picture = format!("images/gallery/{name}.png");
        assert!(page.contains(&format!("({picture})")), "{picture} is not shown");
        let size = fs::metadata(root.join("docs").join(&picture)).map_or(0, |data| data.len());
        assert!((1_000..=60_000).contains(&size), "{picture} has {size} bytes");
        sum += size;
    }
    assert!(sum <= 2_000_000, "{sum} bytes of pictures");
}

/// The tables of words in docs/scenes.md. Where `PLIANT_WRITE` is set, the document is written.
#[test]
fn the_document_of_scenes_has_every_word() {
    let tables = [
        table::<Scheme>(),
        table::<Solver>(),
        table::<Correction>(),
        table::<FeprMomenta>(),
        table::<FeprMetric>(),
        table::<FeprSolution>(),
        table::<Damping>(),
        table::<Preset>(),
        table::<ElasticModel>(),
        table::<MaterialPreset>(),
        table::<ColliderShape>(),
        table::<Response>(),
    ];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scenes.md");
    let page = fs::read_to_string(&path).expect("the document of scenes");
    let (before, rest) = page.split_once(FIRST).expect("the mark before the tables");
    let (_, after) = rest.split_once(LAST).expect("the mark after the tables");
    let wanted = format!("{before}{FIRST}{}\n{LAST}{after}", tables.concat());
    if std::env::var_os("PLIANT_WRITE").is_some() {
        fs::write(&path, &wanted).expect("the document can be written");
    } else {
        assert!(page == wanted, "write the tables anew: PLIANT_WRITE=1 cargo test documents::");
    }
}

const FIRST: &str = "<!-- words -->\n";
const LAST: &str = "<!-- end of words -->\n";

/// A choice as a table, its sources known.
fn table<T: Word>() -> String {
    let references = include_str!("../references.bib");
    let source = |key: &str| {
        assert!(references.contains(&format!("{{{key},")), "references.bib has no {key}");
        format!(" [{key}]")
    };
    let row = |word: &T| {
        let source = word.cite().map(source).unwrap_or_default();
        format!("| `{}` | {}{source} |\n", word.name(), word.about())
    };
    let rows: String = T::ALL.iter().map(row).collect();
    format!("\n| {} | |\n|---|---|\n{rows}", T::KIND)
}

fn unindented(line: &str) -> &str {
    line.strip_prefix("    ").unwrap_or(line)
}

/// The code blocks of a language in a document.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(document))
        .unwrap_or_else(|error| panic!("{document}: {error}"));
    let opening = format!("```{language}\n");
    let starts = text.split(opening.as_str()).skip(1);
    starts.filter_map(|rest| Some(rest.split("```").next()?.to_owned())).collect()
}

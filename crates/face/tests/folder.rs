//! Templates on disk: what is written is read again, and defects are reported.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_face::template_folder::{check, read_template, write_template};
use pliant_face::{FaceError, Performance, Template};
use pliant_math::team::Team;

use crate::coarse::small_head;

fn written() -> (tempfile::TempDir, &'static Template) {
    let folder = tempfile::tempdir().expect("a folder");
    write_template(small_head(), folder.path()).expect("a template is written");
    (folder, small_head())
}

fn change(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("a text");
    assert!(text.contains(from), "{} has no {from:?}", path.display());
    fs::write(path, text.replacen(from, to, 1)).expect("it is changed");
}

#[test]
fn a_template_is_read_as_it_was_written() {
    let (folder, head) = written();
    let again = read_template(folder.path()).expect("a template");
    assert_eq!(again.name, head.name);
    assert_eq!(again.skin.mesh.triangles, head.skin.mesh.triangles);
    for (a, b) in again.skin.mesh.positions.iter().zip(&head.skin.mesh.positions) {
        assert!(a.distance(*b) < 1e-7);
    }
    assert_eq!(again.shapes.len(), head.shapes.len());
    for (a, b) in again.shapes.iter().zip(&head.shapes) {
        assert_eq!(a.name, b.name);
        let off = a.displacement.iter().zip(&b.displacement).map(|(a, b)| a.distance(*b));
        assert!(off.fold(0.0, f64::max) < 1e-7);
    }
    for (a, b) in again.muscles.iter().zip(&head.muscles) {
        assert_eq!((&a.name, &a.solid.tets), (&b.name, &b.solid.tets));
        assert!(a.fibres.direction[100].distance(b.fibres.direction[100]) < 1e-5);
    }
    assert_eq!(again.regions.len(), head.regions.len());
    assert_eq!(again.hinge, head.hinge);
    assert_eq!(again.eyes[1].center, head.eyes[1].center);
    let mut recipes = head.recipes.clone();
    recipes.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(again.recipes.len(), recipes.len());
    check(&again, folder.path(), &Team::new(2)).expect("a sound head");
    let speech = Performance::speech(30.0);
    assert_eq!(speech.skin(&again, 40).len(), again.skin.mesh.positions.len());
}

#[test]
fn what_is_broken_is_told_in_a_sentence() {
    let (folder, _) = written();
    let root = folder.path();
    let toml = root.join("template.toml");
    let whole = fs::read_to_string(&toml).expect("a template");

    fs::rename(root.join("mandible.obj"), root.join("away.obj")).expect("renamed");
    let error = read_template(root).expect_err("a part is missing");
    assert!(
        matches!(&error, FaceError::MissingPart { part, .. } if part == "the mandible"),
        "{error}"
    );
    fs::rename(root.join("away.obj"), root.join("mandible.obj")).expect("renamed");

    change(&toml, "mandible =", "mandibel =");
    let error = read_template(root).expect_err("a wrong key").to_string();
    assert!(error.contains("template.toml, line ") && error.contains("mandibel"), "{error}");
    fs::write(&toml, &whole).expect("restored");

    change(&toml, "unit = \"m\"", "unit = \"parsec\"");
    let error = read_template(root).expect_err("a wrong unit").to_string();
    assert!(error.contains("parsec"), "{error}");
    fs::write(&toml, &whole).expect("restored");

    let lips: PathBuf = root.join("regions/lips.txt");
    let ids = fs::read_to_string(&lips).expect("ids");
    fs::write(&lips, "99999999\n").expect("changed");
    let error = read_template(root).expect_err("a vertex that is not there").to_string();
    assert!(error.contains("names vertex 99999999"), "{error}");
    fs::write(&lips, ids).expect("restored");

    let skin = fs::read_to_string(root.join("skin.obj")).expect("a skin");
    let fewer: String =
        skin.lines().filter(|l| !l.starts_with("f 1 ")).map(|l| format!("{l}\n")).collect();
    fs::write(root.join("skin.obj"), format!("v 9 9 9\n{fewer}")).expect("changed");
    let error = read_template(root).expect_err("another skin").to_string();
    assert!(error.contains("expected the skin's"), "{error}");
    fs::write(root.join("skin.obj"), skin).expect("restored");
    read_template(root).expect("as it was");
}

#[test]
fn shapes_may_be_a_folder_of_meshes() {
    let (folder, head) = written();
    let root = folder.path();
    fs::create_dir(root.join("shapes")).expect("a folder");
    fs::copy(root.join("skin.obj"), root.join("shapes/still.obj")).expect("copied");
    change(&root.join("template.toml"), "\"blendshapes.glb\"", "\"shapes\"");
    let again = read_template(root).expect("a template");
    assert_eq!((again.shapes.len(), again.shapes[0].name.as_str()), (1, "still"));
    assert_eq!(again.shapes[0].displacement.len(), head.skin.mesh.positions.len());
    assert!(again.shapes[0].displacement.iter().all(|d| d.length() < 1e-12));
}

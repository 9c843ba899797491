//! `pliant inspect` on meshes small enough to count by hand.

use crate::pliant::Folder;

/// A tetrahedron as a surface, one face missing, and a vertex too many.
const OPEN: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 9 9 9\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
const CLOSED: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn a_mesh_is_counted_and_its_defects_are_listed() {
    let folder = Folder::new("inspect-json");
    folder.write("open.obj", OPEN);
    let run = folder.pliant(&["inspect", "open.obj", "--json"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["vertices"], 5);
    assert_eq!(report["faces"], 3);
    assert_eq!(report["tets"], 0);
    assert_eq!(report["frames"], 1);
    assert_eq!(report["bounds"]["max"], serde_json::json!([9.0, 9.0, 9.0]));
    let findings = report["findings"].as_array().unwrap();
    let count = |kind: &str| findings.iter().find(|f| f["kind"] == kind).map(|f| &f["count"]);
    assert_eq!(count("open-edge"), Some(&3.into()));
    assert_eq!(count("unused-vertex"), Some(&1.into()));
    assert_eq!(findings.len(), 2, "{findings:?}");
    let unused = findings.iter().find(|f| f["kind"] == "unused-vertex").unwrap();
    assert_eq!(unused["elements"], serde_json::json!([4]));
}

#[test]
fn a_sound_mesh_is_said_to_be_sound() {
    let folder = Folder::new("inspect-text");
    folder.write("closed.obj", CLOSED);
    let run = folder.pliant(&["inspect", "closed.obj"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("no defects"), "{}", run.stdout);
    assert!(run.stderr.is_empty(), "{}", run.stderr);
}

#[test]
fn a_broken_file_names_its_line() {
    let folder = Folder::new("inspect-broken");
    folder.write("broken.obj", "v 0 0 0\nv 1 zero 0\n");
    let run = folder.pliant(&["inspect", "broken.obj"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("broken.obj, line 2"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn the_picture_is_a_png_and_never_replaces_the_input() {
    let folder = Folder::new("inspect-picture");
    folder.write("open.obj", OPEN);
    let run = folder.pliant(&["inspect", "open.obj", "--picture", "open.png", "--size", "160x120"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(std::fs::read(folder.path("open.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(!folder.path("open.png.part").exists());
    let before = std::fs::read(folder.path("open.obj")).unwrap();
    std::os::unix::fs::symlink(folder.path("open.obj"), folder.path("link.png")).unwrap();
    let run = folder.pliant(&["inspect", "open.obj", "--picture", "link.png"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert_eq!(std::fs::read(folder.path("open.obj")).unwrap(), before);
}

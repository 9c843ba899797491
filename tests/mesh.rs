//! `pliant mesh` from outside: tets around good and bad surfaces, with a report.

use crate::pliant::Folder;

/// A cube of side 2 without its top, one face turned round, one there twice.
const OPEN_CUBE: &str = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 6 7 3\nf 1 5 8 4\nf 1 5 8 4\n";

#[test]
fn a_broken_cube_is_filled_and_reported() {
    let folder = Folder::new("mesh-report");
    folder.write("cube.obj", OPEN_CUBE);
    let arguments = ["mesh", "cube.obj", "--out", "cube.msh", "--resolution", "12"];
    let run = folder.pliant(&[&arguments[..], &["--report", "cube.json"]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let text = std::fs::read_to_string(folder.path("cube.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["embedded"], 8);
    assert_eq!(report["inverted"], 0);
    assert_eq!(report["components"], 1);
    assert!(report["min_dihedral_deg"].as_f64().unwrap() >= 8.0);
    assert!(report["seconds"].as_f64().is_some());
    let kinds: Vec<&str> =
        report["findings"].as_array().unwrap().iter().filter_map(|f| f["kind"].as_str()).collect();
    assert!(kinds.contains(&"open-edge") && kinds.contains(&"duplicate-face"), "{kinds:?}");
    let inspected = folder.pliant(&["inspect", "cube.msh", "--json"]);
    let mesh: serde_json::Value = serde_json::from_str(&inspected.stdout).unwrap();
    assert_eq!(mesh["tets"], report["tets"]);
    assert_eq!(mesh["vertices"], report["vertices"]);
    // The same bytes again, with another number of threads.
    let first = std::fs::read(folder.path("cube.msh")).unwrap();
    let again = folder.pliant(&[&arguments[..], &["--threads", "3"]].concat());
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(std::fs::read(folder.path("cube.msh")).unwrap(), first);
}

#[test]
fn what_makes_no_sense_is_refused_in_a_sentence() {
    let folder = Folder::new("mesh-refused");
    folder.write("cube.obj", OPEN_CUBE);
    folder.write("line.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n");
    folder.write("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let point = folder.pliant(&["mesh", "line.obj", "--out", "a.msh"]);
    assert_eq!(point.status, 1);
    assert!(point.stderr.contains("line.obj") && point.stderr.contains("longest side"));
    let pose = folder.pliant(&["mesh", "cube.obj", "--out", "a.msh", "--separated", "other.obj"]);
    assert_eq!(pose.status, 1);
    assert!(pose.stderr.contains("the separated pose has 3 vertices"), "{}", pose.stderr);
    let same = folder.pliant(&["mesh", "cube.obj", "--out", "cube.obj"]);
    assert_eq!(same.status, 1);
    assert_eq!(std::fs::read_to_string(folder.path("cube.obj")).unwrap(), OPEN_CUBE);
    for wrong in [["--resolution", "0"], ["--size", "-1"], ["--thicken", "nan"]] {
        let run = folder.pliant(&["mesh", "cube.obj", "--out", "a.msh", wrong[0], wrong[1]]);
        assert_eq!(run.status, 2, "{wrong:?}");
    }
}

#[test]
fn a_scene_fills_the_surface_it_names() {
    let folder = Folder::new("mesh-scene");
    folder.write("cube.obj", OPEN_CUBE);
    folder.write(
        "scene.toml",
        "frames = 2\n[[body]]\nmesh = { surface = \"cube.obj\", resolution = 6 }\n\
         material = { model = \"corotated\", young = 1e5, poisson = 0.3, density = 1000.0 }\n",
    );
    let run = folder.pliant(&["simulate", "scene.toml", "--out", "run"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let summary = std::fs::read_to_string(folder.path("run/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert!(summary["elements"].as_u64().unwrap() > 500);
    assert_eq!(summary["exploded"], false);
}

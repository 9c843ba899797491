//! Scenes that cannot be simulated, and places that cannot be written to: one sentence each.

use crate::pliant::{Folder, Run};

/// A scene with nothing wrong; every case spoils one thing.
const SCENE: &str = r#"
frames = 2
fps = 30
substeps = 1

[[body]]
name = "cube"
mesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { model = "corotated", young = 1e5, poisson = 0.3, density = 1000 }
[[body.attach]]
select = { vertices = [0, 1] }
stiffness = 10

[integrator]
scheme = "backward-euler"
solver = { projective = { iterations = 4 } }
correction = "none"
"#;

const MESH: &str = "mesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }";
const TETS: &str = "MeshVersionFormatted 2\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n\
    0 0 1 0\n1 1 1 0\nTetrahedra 2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n";

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

fn with_mesh(file: &str) -> String {
    replaced(SCENE, MESH, &format!("mesh = {{ file = \"{file}\" }}"))
}

fn simulate(folder: &Folder) -> Run {
    folder.pliant(&["simulate", "scene.toml", "--out", "out"])
}

/// Asserts that a run has failed as it should: status 1 and one sentence with `parts` in it.
fn assert_one_sentence(run: &Run, parts: &[&str], what: &str) {
    assert_eq!(run.status, 1, "{what}: {}{}", run.stdout, run.stderr);
    assert_eq!(run.stdout, "", "{what}");
    assert_eq!(run.stderr.lines().count(), 1, "{what}: {}", run.stderr);
    assert!(run.stderr.starts_with("error: ") && run.stderr.ends_with('\n'), "{}", run.stderr);
    for word in ["panicked", "bug"] {
        assert!(!run.stderr.contains(word), "{what}: {}", run.stderr);
    }
    for part in parts {
        assert!(run.stderr.contains(part), "{what}: no \"{part}\" in: {}", run.stderr);
    }
}

/// Simulates a text as scene.toml, which is refused before anything is written.
fn assert_refused(folder: &Folder, scene: impl AsRef<[u8]>, parts: &[&str], what: &str) {
    folder.write("scene.toml", scene);
    assert_one_sentence(&simulate(folder), &[&["scene.toml"], parts].concat(), what);
    assert!(folder.list("out").is_empty(), "{what}: left {:?}", folder.list("out"));
}

#[test]
fn what_a_scene_may_not_say_is_named_with_its_line_and_key() {
    let folder = Folder::new("bad-values");
    folder.write("scene.toml", SCENE);
    assert_eq!(simulate(&folder).status, 0, "the scene itself is fine");
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    let cases: &[(&str, &str, &[&str])] = &[
        ("fps = 30", "fpss = 30", &["`fpss`", "line 3", "did you mean `fps`?"]),
        ("young = 1e5", "yuong = 1e5", &["`yuong`", "body[0].material", "line 9", "`young`"]),
        ("stiffness = 10", "stifness = 10", &["`stifness`", "body[0].attach[0]", "line 12"]),
        ("frames = 2\n", "", &["missing key `frames`"]),
        ("frames = 2", "frames = 0", &["`frames`", "line 2", "0 is out of range"]),
        ("frames = 2", "frames = -3", &["`frames`", "line 2", "-3"]),
        ("frames = 2", "frames = 2.5", &["`frames`", "line 2", "2.5"]),
        ("frames = 2", "frames = \"2\"", &["`frames`", "line 2", "the text \"2\""]),
        ("frames = 2", "frames = 9999999999999", &["`frames`", "line 2", "at most"]),
        ("frames = 2", "frames = 99999999999999999999999", &["`frames`", "line 2"]),
        ("substeps = 1", "substeps = 0", &["`substeps`", "line 4"]),
        ("substeps = 1", "substeps = 4000000000", &["`substeps`", "line 4"]),
        ("fps = 30", "fps = 0", &["`fps`", "line 3"]),
        ("fps = 30", "fps = nan", &["`fps`", "line 3", "nan"]),
        ("fps = 30", "fps = inf", &["`fps`", "line 3", "inf"]),
        ("fps = 30", "fps = 1e999", &["`fps`", "line 3"]),
        ("fps = 30", "fps = 30\ngravity = [0, nan, 0]", &["`gravity[1]`", "line 4", "nan"]),
        ("fps = 30", "fps = 30\ngravity = [0, 1]", &["`gravity`", "line 4", "3 numbers"]),
        ("density = 1000", "density = -1000", &["body[0].material.density", "line 9", "-1000"]),
        ("density = 1000", "density = 0", &["body[0].material.density", "line 9"]),
        ("poisson = 0.3", "poisson = 0.5", &["body[0].material.poisson", "line 9", "0.5"]),
        ("poisson = 0.3", "poisson = -1", &["body[0].material.poisson", "line 9"]),
        ("young = 1e5", "young = 0", &["body[0].material.young", "line 9"]),
        ("young = 1e5", "young = nan", &["body[0].material.young", "line 9", "nan"]),
        ("\"corotated\"", "\"corotatd\"", &["`corotatd`", "line 9", "`corotated`"]),
        ("cells = [1, 1, 1]", "cells = [0, 1, 1]", &["body[0].mesh.box.cells[0]", "line 8"]),
        ("cells = [1, 1, 1]", "cells = [1, 1]", &["body[0].mesh.box.cells", "line 8"]),
        ("cells = [1, 1, 1]", "cells = [5000, 5000, 5000]", &["body[0].mesh.box.cells", "line 8"]),
        ("cells = [1, 1, 1]", "cells = [270, 270, 270]", &["`cube`", "elements"]),
        ("size = [1, 1, 1]", "size = [1, 0, 1]", &["body[0].mesh.box.size[1]", "line 8"]),
        ("size = [1, 1, 1]", "size = [1, 1e30, 1]", &["body[0].mesh.box.size[1]", "line 8"]),
        ("iterations = 4", "iterations = 0", &["integrator.solver.projective.iterations"]),
        ("iterations = 4", "iterations = 9999999999", &["integrator.solver.projective.iterations"]),
        ("stiffness = 10", "stiffness = -10", &["body[0].attach[0].stiffness", "line 12"]),
        ("stiffness = 10", "stiffness = \"firm\"", &["body[0].attach[0].stiffness", "`firm`"]),
        ("vertices = [0, 1]", "vertices = []", &["`cube`", "attach", "no vertex"]),
        ("vertices = [0, 1]", "vertices = [8]", &["`cube`", "vertex 8", "8 vertices"]),
        ("vertices = [0, 1]", "vertices = [-1]", &["body[0].attach[0].select", "line 11", "-1"]),
        ("vertices = [0, 1]", "group = \"ears\"", &["`cube`", "group \"ears\""]),
        (
            "vertices = [0, 1]",
            "box = { min = [5, 5, 5], max = [6, 6, 6] }",
            &["`cube`", "attach", "no vertex"],
        ),
        ("vertices = [0, 1]", "not = { all = true }", &["`cube`", "attach", "no vertex"]),
        (
            "stiffness = 10",
            "stiffness = 10\n[[body.ether]]\nselect = { vertices = [] }\nrate = 1",
            &["`cube`", "ether", "no vertex"],
        ),
        (
            "stiffness = 10",
            "stiffness = 10\n[[body.ether]]\nselect = \"all\"\nrate = -1",
            &["body[0].ether[0].rate", "line 15"],
        ),
        ("[integrator]", "[integrator", &["line 14", "not valid TOML"]),
        ("name = \"cube\"", "name = \"cube\"\nname = \"ball\"", &["line 8", "not valid TOML"]),
        (
            "stiffness = 10",
            "stiffness = 10\nmotion = { times = [1, 0], translate = [[0, 0, 0], [1, 0, 0]] }",
            &["body[0].attach[0].motion.times", "line 13"],
        ),
    ];
    for (from, to, parts) in cases {
        assert_refused(&folder, replaced(SCENE, from, to), parts, to);
    }
}

#[test]
fn what_there_is_not_is_refused_by_name() {
    let folder = Folder::new("bad-features");
    folder.write("point.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n");
    let mesh = |name: &str| format!("[[collider]]\nshape = {{ mesh = \"{name}\" }}\n[integrator]");
    let (rock, point) = (mesh("rock.obj"), mesh("point.obj"));
    let xpbd = "solver = { xpbd = { iterations = 4 } }\nself_collision = true";
    let cases: &[(&str, &str, &[&str])] = &[
        ("[integrator]", &rock, &["collider 0", "rock.obj"]),
        ("[integrator]", &point, &["collider 0", "`point.obj`", "has no size"]),
        (
            "solver = { projective = { iterations = 4 } }",
            xpbd,
            &["integrator.self_collision", "XPBD"],
        ),
        (MESH, "mesh = { shape = \"cactos\" }", &["body[0].mesh.shape", "cactos", "`cactus`"]),
        (MESH, "mesh = { shape = \"hippo\", resolution = 3 }", &["`cube`", "hippo", "at least 8"]),
        (MESH, "mesh = { surface = \"bunny.obj\" }", &["`cube`", "bunny.obj"]),
        // What no version will have.
        ("\"none\"", "{ blend = { base = \"bdf2\" } }", &["integrator.correction", "line 17"]),
        ("\"backward-euler\"", "\"sideways-euler\"", &["integrator.scheme", "sideways-euler"]),
    ];
    for (from, to, parts) in cases {
        assert_refused(&folder, replaced(SCENE, from, to), parts, to);
    }
}

#[test]
fn a_file_that_holds_no_scene_is_refused() {
    let folder = Folder::new("bad-files");
    let every_byte: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let cases: &[(&[u8], &[&str], &str)] = &[
        (b"", &["missing key `frames`"], "empty"),
        (b"\n\n  # nothing\n", &["missing key `frames`"], "blank"),
        (b"frames = 2\n", &["missing key `body`"], "no body"),
        (b"frames = 2\nbody = []\n", &["`body`", "line 2", "empty"], "empty list of bodies"),
        (b"Dear reader,\n", &["line 1", "not valid TOML"], "a letter"),
        (b"{\"frames\": 2}", &["line 1", "not valid TOML"], "JSON"),
        (&every_byte, &["UTF-8"], "binary"),
        (b"frames\0= 2", &["line 1", "not valid TOML"], "a zero byte"),
        (b"\xff\xfef\0r\0a\0m\0e\0s\0", &["UTF-8"], "UTF-16"),
    ];
    for (scene, parts, what) in cases {
        assert_refused(&folder, scene, parts, what);
    }
    let nested = format!("frames = 2\nbody = {}{}", "[".repeat(50_000), "]".repeat(50_000));
    assert_refused(&folder, nested, &["line 2"], "nested a thousandfold");

    std::fs::remove_file(folder.path("scene.toml")).unwrap();
    assert_one_sentence(&simulate(&folder), &["scene.toml: cannot read"], "missing");
    std::fs::create_dir(folder.path("scene.toml")).unwrap();
    assert_one_sentence(&simulate(&folder), &["scene.toml: cannot read"], "a directory");
    let run = folder.pliant(&["simulate", "scene.toml/deeper/scene.toml", "--out", "out"]);
    assert_one_sentence(&run, &["scene.toml/deeper/scene.toml: cannot read"], "no way to it");
    assert!(folder.list("out").is_empty());
}

#[test]
fn what_a_scene_reads_is_named_with_its_line_or_element() {
    let folder = Folder::new("bad-meshes");
    folder.write("good.mesh", TETS);
    folder.write("scene.toml", with_mesh("good.mesh"));
    assert_eq!(simulate(&folder).status, 0, "the mesh itself is fine");
    std::fs::remove_dir_all(folder.path("out")).unwrap();

    let last = "1 1 1 0\n";
    for (name, content, parts) in [
        (
            "inverted.mesh",
            replaced(TETS, "2 3 4 5 0", "2 4 3 5 0"),
            &["`cube`", "inverted", "tet 1"][..],
        ),
        ("flat.mesh", replaced(TETS, last, "1 0 0 0\n"), &["`cube`", "no volume", "tet 1"]),
        ("nan.mesh", replaced(TETS, last, "1 nan 1 0\n"), &["`cube`", "vertex 4", "not finite"]),
        ("inf.mesh", replaced(TETS, last, "1 -inf 1 0\n"), &["`cube`", "vertex 4", "not finite"]),
        ("huge.mesh", replaced(TETS, last, "1 1e999 1 0\n"), &["`cube`", "vertex 4"]),
        ("word.mesh", replaced(TETS, last, "1 one 1 0\n"), &["word.mesh, line 8", "\"one\""]),
        ("corner.mesh", replaced(TETS, "5 0\nEnd", "6 0\nEnd"), &["corner.mesh, line 11"]),
        ("count.mesh", replaced(TETS, "Vertices 5", "Vertices 9"), &["count.mesh, line"]),
        ("many.mesh", replaced(TETS, "Vertices 5", "Vertices 999999999999"), &["line 3"]),
        ("cut.mesh", TETS[..TETS.len() / 2].to_owned(), &["cut.mesh, line"]),
        ("empty.mesh", String::new(), &["empty.mesh"]),
        ("surface.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_owned(), &["no tetrahedra"]),
        ("tets.docx", TETS.to_owned(), &["tets.docx", "unknown kind of file", ".msh"]),
    ] {
        folder.write(name, content);
        assert_refused(&folder, with_mesh(name), parts, name);
    }
    folder.write("noise.msh", (0..=255).cycle().take(5000).collect::<Vec<u8>>());
    assert_refused(&folder, with_mesh("noise.msh"), &["noise.msh"], "binary");
    std::fs::create_dir(folder.path("folder.mesh")).unwrap();
    assert_refused(&folder, with_mesh("folder.mesh"), &["folder.mesh: cannot read"], "directory");
    assert_refused(&folder, with_mesh("no.mesh"), &["no.mesh: cannot read"], "missing");
    assert_refused(&folder, with_mesh("good.mesh/x.mesh"), &["x.mesh: cannot read"], "no way");

    let with_ids = |file: &str| replaced(SCENE, "vertices = [0, 1]", &format!("file = \"{file}\""));
    folder.write("words.txt", "0 1\ntwo\n");
    folder.write("far.txt", "0 1 2000\n");
    folder.write("none.txt", "# nothing\n");
    assert_refused(&folder, with_ids("no.txt"), &["no.txt: cannot read"], "missing ids");
    assert_refused(&folder, with_ids("words.txt"), &["words.txt, line 2", "\"two\""], "words");
    assert_refused(&folder, with_ids("far.txt"), &["`cube`", "vertex 2000"], "far id");
    assert_refused(&folder, with_ids("none.txt"), &["`cube`", "no vertex"], "no ids");
}

#[cfg(unix)]
#[test]
fn a_place_that_cannot_be_written_to_is_named() {
    let folder = Folder::new("bad-places");
    folder.write("scene.toml", SCENE);
    folder.write("file", "not a directory");
    for out in ["file", "file/run", "/proc/pliant-run", "/dev/null/run"] {
        let run = folder.pliant(&["simulate", "scene.toml", "--out", out]);
        assert_one_sentence(&run, &[out, "cannot create"], out);
    }
    assert_eq!(std::fs::read(folder.path("file")).unwrap(), b"not a directory");
    // A directory in the way of a file.
    for name in ["metrics.csv", "animation.pc2", "summary.json", "rest.obj", "metrics.csv.part"] {
        let out = format!("way-of-{name}");
        std::fs::create_dir_all(folder.path(&out).join(name).join("inner")).unwrap();
        let run = folder.pliant(&["simulate", "scene.toml", "--out", &out]);
        assert_one_sentence(&run, &[&format!("{out}/{name}")], name);
        assert!(folder.path(&out).join(name).join("inner").is_dir(), "{name} was removed");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_leaves_nothing_half_under_its_name() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new("bad-disk");
    folder.write("scene.toml", SCENE);
    let whole = folder.pliant(&["simulate", "scene.toml", "--out", "whole"]);
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let bytes = |path: &str| std::fs::read(folder.path(path)).unwrap();
    for (name, left) in [
        ("rest.obj", &[][..]),
        ("metrics.csv", &["rest.obj", "scene.toml"]),
        ("animation.pc2", &["rest.obj", "scene.toml"]),
        ("summary.json", &["animation.pc2", "metrics.csv", "rest.obj", "scene.toml"]),
    ] {
        // Every write into this device finds it full.
        let out = format!("full-{name}");
        let part = format!("{out}/{name}.part");
        std::fs::create_dir(folder.path(&out)).unwrap();
        symlink("/dev/full", folder.path(&part)).unwrap();
        let run = folder.pliant(&["simulate", "scene.toml", "--out", &out]);
        assert_one_sentence(&run, &[&part, "No space left"], name);
        let mut files = folder.list(&out);
        files.retain(|file| !file.ends_with(".part"));
        assert_eq!(files, left, "{name}");
        // Timing makes two metrics.csv differ; the others are all there or not at all.
        for file in left.iter().filter(|file| **file != "metrics.csv") {
            assert_eq!(bytes(&format!("{out}/{file}")), bytes(&format!("whole/{file}")), "{name}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_can_be_cleared_and_the_run_resumed() {
    use std::process::Command;

    let folder = Folder::new("bad-limit");
    let larger = replaced(SCENE, "frames = 2", "frames = 120");
    let larger = replaced(&larger, "cells = [1, 1, 1]", "cells = [4, 4, 4]");
    folder.write("scene.toml", larger);
    let arguments = ["simulate", "scene.toml", "--checkpoint", "0", "--out"];
    let whole = folder.pliant(&[&arguments[..], &["whole"]].concat());
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    // No file may grow beyond 100 blocks of 512 bytes: what a full disk does, at a known place.
    let mut limited = Command::new("sh");
    limited.current_dir(folder.path("."));
    limited.args(["-c", "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\""]);
    limited.arg(env!("CARGO_BIN_EXE_pliant")).args(arguments).arg("out");
    let run = crate::pliant::run(&mut limited);
    assert_one_sentence(&run, &["out/animation.pc2.part: cannot write"], "limited");
    let files = folder.list("out");
    assert!(files.contains(&"snapshot.bin".to_owned()), "{files:?}");
    for name in ["metrics.csv", "animation.pc2", "summary.json"] {
        assert!(!folder.path("out").join(name).exists(), "{name} has its name");
    }
    let run = folder.pliant(&[&arguments[..], &["out", "--resume"]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let results = |out: &str| crate::pliant::results::Results::read(&folder.path(out));
    results("out").assert_same(&results("whole"), "resumed after the disk was full");
}

#[test]
fn wrong_usage_is_status_2_and_writes_nothing() {
    let folder = Folder::new("bad-usage");
    folder.write("scene.toml", SCENE);
    for arguments in [
        &[][..],
        &["scene.toml"],
        &["--out", "out"],
        &["scene.toml", "--out"],
        &["scene.toml", "other.toml", "--out", "out"],
        &["scene.toml", "--out", "out", "--resum"],
        &["scene.toml", "--out", "out", "--resume=yes"],
        &["scene.toml", "--out", "out", "--threads", "0"],
        &["scene.toml", "--out", "out", "--threads", "-2"],
        &["scene.toml", "--out", "out", "--checkpoint", "-1"],
        &["scene.toml", "--out", "out", "--checkpoint", "nan"],
        &["scene.toml", "--out", "out", "--checkpoint", "soon"],
        &["scene.toml", "--out", "out", "--checkpoint", "1e9"],
    ] {
        let run = folder.pliant(&[&["simulate"], arguments].concat());
        assert_eq!(run.status, 2, "{arguments:?}: {}{}", run.stdout, run.stderr);
        assert!(!run.stderr.is_empty() && run.stdout.is_empty(), "{arguments:?}");
        assert!(!folder.path("out").exists(), "{arguments:?}");
    }
}

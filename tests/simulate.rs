//! `pliant simulate`: the files it writes, and that they do not depend on the machine.

use crate::pliant::results::{HEADER, Results, cache_size};
use crate::pliant::{Folder, run};

/// Two solids, one of them turned by a hard attachment, the other held by springs.
const SOLIDS: &str = r#"
name = "two solids"
frames = 8
fps = 30
substeps = 2

[[body]]
name = "cube"
mesh = { box = { size = [1, 1, 1], cells = [10, 9, 8] } }
material = { model = "corotated", young = 2e4, poisson = 0.3, density = 1000 }
initial = { stretch = [1.3, 1, 1], angular_velocity = [0, 0, 5], jitter = 0.001 }
[[body.attach]]
select = { box = { min = [-1, 0.4, -1], max = [1, 1, 1] } }
stiffness = 1e3

[[body]]
name = "bar"
mesh = { box = { size = [2, 0.4, 0.4], cells = [20, 4, 4] } }
material = { model = "neo-hookean", young = 5e4, poisson = 0.4, density = 1000 }
place = { translate = [0, 2, 0] }
[[body.attach]]
select = { box = { min = [-1.1, 1, -1], max = [-0.99, 3, 1] } }
stiffness = "hard"
motion = { times = [0, 0.3], translate = [[0, 0, 0], [0, 0.1, 0]], rotate = [[0, 0, 0], [60, 0, 0]], about = [0, 2, 0] }

[integrator]
solver = { projective = { iterations = 8, history = 5 } }
damping = { rigid-preserving = 0.5 }
"#;

/// A flag and a loose net in gusty wind.
const CLOTHS: &str = r#"
name = "two cloths"
frames = 10
fps = 30

[[body]]
name = "flag"
mesh = { cloth = { size = [1.5, 1], cells = [30, 20] } }
material = { model = "springs", stiffness = 400, mass = 0.3 }
place = { rotate = [90, 0, 0] }
[[body.attach]]
select = { box = { min = [-1, -1, -1], max = [-0.74, 1, 1] } }
stiffness = "hard"

[[body]]
name = "net"
mesh = { box = { size = [0.5, 0.5, 0.5], cells = [3, 3, 3] } }
material = { model = "springs", stiffness = 100, mass = 0.5 }
place = { translate = [3, 0, 0] }

[integrator]
solver = { newton = { iterations = 2 } }
wind = { velocity = [6, 0, 2], drag = 1.2, gust = 0.4, seed = 7 }
"#;

/// The files of a finished run.
const RUN_FILES: [&str; 5] =
    ["animation.pc2", "metrics.csv", "rest.obj", "scene.toml", "summary.json"];

/// Simulates a scene of the folder with variables and options, and reads what it left.
fn simulated(folder: &Folder, scene: &str, lanes: &str, threads: &str) -> Results {
    let out = format!("{scene}-{lanes}-{threads}");
    let file = format!("{scene}.toml");
    let arguments = ["simulate", &file, "--out", &out, "--threads", threads];
    let run = run(folder.command(&arguments).env("PLIANT_LANES", lanes));
    assert_eq!(run.status, 0, "{out}: {}", run.stderr);
    assert_eq!(folder.list(&out), RUN_FILES);
    Results::read(&folder.path(&out))
}

#[test]
fn the_files_are_those_of_the_contract() {
    let folder = Folder::new("simulate-files");
    folder.write("solids.toml", SOLIDS);
    let results = simulated(&folder, "solids", "", "2");
    let (frames, steps) = (8, 16);

    assert_eq!(results.metrics[0].join(","), HEADER);
    assert_eq!(results.metrics.len(), 1 + steps + 1);
    for (step, row) in results.metrics[1..].iter().enumerate() {
        assert_eq!(row[0], step.to_string());
        for (name, cell) in results.metrics[0].iter().zip(row) {
            let value: f64 = cell.parse().unwrap_or_else(|_| panic!("{name}: {cell}"));
            let expected_nan = ["s", "t"].contains(&&**name);
            assert!(value.is_finite() != expected_nan, "step {step}: {name} is {cell}");
        }
    }
    let column = |name: &str| results.metrics[0].iter().position(|n| n == name).unwrap();
    let value = |row: usize, name: &str| results.metrics[row + 1][column(name)].parse::<f64>();
    assert_eq!(value(0, "time"), Ok(0.0));
    assert_eq!(value(steps, "time"), Ok(steps as f64 / 60.0));
    assert!(value(0, "kinetic").unwrap() > 0.0, "the cube spins");
    assert!(value(steps, "added").unwrap() != 0.0, "the bar is turned");
    assert!(value(steps, "dissipated").unwrap() > 0.0, "damping takes energy");

    let keys = [
        "name",
        "hash",
        "vertices",
        "elements",
        "steps",
        "ms_per_step",
        "correction_ms_per_step",
        "energy_drift",
        "momentum_drift",
        "fallbacks",
        "exploded",
        "version",
    ];
    let summary = results.summary.as_object().unwrap();
    for key in keys {
        assert!(summary.contains_key(key), "summary.json has no {key}");
    }
    assert_eq!(summary.len(), keys.len(), "{summary:?}");
    let vertices = 11 * 10 * 9 + 21 * 5 * 5;
    assert_eq!(summary["name"], "two solids");
    assert_eq!(summary["vertices"], vertices);
    assert_eq!(summary["elements"], 5 * (10 * 9 * 8 + 20 * 4 * 4));
    assert_eq!(summary["steps"], steps);
    assert_eq!(summary["momentum_drift"], serde_json::Value::Null);
    assert_eq!(summary["exploded"], false);
    assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
    let [mean, min, p95] = ["mean", "min", "p95"].map(|k| summary["ms_per_step"][k].as_f64());
    assert!(min > Some(0.0) && min <= mean && min <= p95, "{:?}", summary["ms_per_step"]);

    assert_eq!(cache_size(&results.animation), (vertices, frames + 1));
    let rest = String::from_utf8(results.rest).unwrap();
    assert_eq!(rest.lines().filter(|line| line.starts_with("v ")).count(), vertices);
    for body in ["cube", "bar"] {
        assert!(rest.lines().any(|line| line.split(' ').any(|word| word == body)), "{body}");
    }
}

#[test]
fn the_hash_is_that_of_the_scene_and_not_of_its_spelling() {
    let folder = Folder::new("simulate-hash");
    folder.write("cloths.toml", CLOTHS);
    folder.write("again.toml", format!("# the same\n{}", CLOTHS.replace("0.3", "3e-1")));
    folder.write("other.toml", CLOTHS.replace("seed = 7", "seed = 8"));
    let [cloths, again, other] =
        ["cloths", "again", "other"].map(|scene| simulated(&folder, scene, "", "1"));
    assert_eq!(cloths.summary["hash"], again.summary["hash"]);
    cloths.assert_same(&again, "a comment");
    assert_ne!(cloths.summary["hash"], other.summary["hash"]);
    assert!(cloths.animation != other.animation, "another seed is another wind");
}

#[test]
fn threads_and_instruction_sets_change_no_byte() {
    let folder = Folder::new("simulate-bytes");
    folder.write("solids.toml", SOLIDS);
    folder.write("cloths.toml", CLOTHS);
    for scene in ["solids", "cloths"] {
        let reference = simulated(&folder, scene, "", "1");
        // Where an instruction set is missing, the next lesser one takes its place.
        for (lanes, threads) in
            [("", "2"), ("", "3"), ("plain", "1"), ("plain", "3"), ("avx2", "2"), ("avx512", "2")]
        {
            let results = simulated(&folder, scene, lanes, threads);
            results.assert_same(&reference, &format!("{scene}, lanes {lanes}, {threads} threads"));
        }
    }
}

/// A cube falls on another, which falls on a block from a file.
const STACK: &str = r#"
frames = 20
fps = 60

[[body]]
mesh = { box = { size = [0.4, 0.4, 0.4], cells = [4, 4, 4] } }
material = { preset = "jelly", young = 5e4 }
place = { translate = [0, 0.72, 0] }

[[body]]
mesh = { box = { size = [0.3, 0.3, 0.3], cells = [3, 3, 3] } }
material = { preset = "jelly", young = 5e4 }
place = { rotate = [0, 30, 0], translate = [0, 1.1, 0] }
initial = { velocity = [0, -1, 0] }

[[collider]]
shape = { mesh = "block.obj" }

[integrator]
correction = "fepr"
self_collision = true
"#;

#[test]
fn bodies_lie_on_each_other_and_on_a_mesh() {
    let folder = Folder::new("simulate-contact");
    folder.write("stack.toml", STACK);
    let corner = |k: usize| [k & 1, k >> 1 & 1, k >> 2].map(|bit| bit as f64 - 0.5);
    let vertices = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    folder.write("block.obj", vertices.collect::<String>() + faces);
    let one = simulated(&folder, "stack", "", "1");
    simulated(&folder, "stack", "", "2").assert_same(&one, "two threads");
    assert_eq!(one.summary["fallbacks"], 0);
    let drift = one.summary["energy_drift"].as_f64();
    assert!(drift < Some(1e-8), "{drift:?}");
    let column = |name: &str| one.metrics[0].iter().position(|n| n == name).unwrap();
    let values = |name: &str| {
        let column = column(name);
        one.metrics[1..].iter().map(move |row| row[column].parse::<f64>().unwrap())
    };
    assert!(values("contacts").any(|count| count > 20.0), "both touch");
    assert!(values("max_penetration").all(|depth| depth < 0.01), "nothing sinks in");
}

#[test]
fn quiet_says_nothing_and_otherwise_a_closing_line_is_said() {
    let folder = Folder::new("simulate-quiet");
    folder.write("cloths.toml", CLOTHS);
    let run = folder.pliant(&["simulate", "cloths.toml", "--out", "run", "--quiet"]);
    assert_eq!((run.status, &*run.stdout, &*run.stderr), (0, "", ""));
    let run = folder.pliant(&["simulate", "cloths.toml", "--out", "run"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    assert!(run.stdout.contains("two cloths") && run.stdout.contains("10 steps"), "{}", run.stdout);
}

#[test]
fn a_second_run_replaces_the_first() {
    let folder = Folder::new("simulate-again");
    folder.write("cloths.toml", CLOTHS);
    folder.write("run/animation.pc2.part", "left by a killed run");
    folder.write("run/snapshot.bin", "of another scene");
    for _ in 0..2 {
        let run = folder.pliant(&["simulate", "cloths.toml", "--out", "run", "-q"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert_eq!(folder.list("run"), RUN_FILES);
    }
    let fresh = simulated(&folder, "cloths", "", "1");
    Results::read(&folder.path("run")).assert_same(&fresh, "a directory used before");
}

#[cfg(unix)]
#[test]
fn an_input_is_never_overwritten() {
    let folder = Folder::new("simulate-inputs");
    let tets = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n\
        0 0 1 0\nTetrahedra 1\n1 2 3 4 0\nEnd\n";
    let with_mesh = "frames = 2\n[[body]]\nmesh = { file = \"tet.mesh\" }\n\
        material = { preset = \"jelly\" }\n";
    let with_ids = "frames = 2\n[[body]]\nmesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }\n\
        material = { preset = \"jelly\" }\n\
        [[body.attach]]\nselect = { file = \"run/rest.obj\" }\nstiffness = \"hard\"\n";
    for scene in ["run/metrics.csv", "run/metrics.csv.part", "run/snapshot.bin", "run/summary.json"]
    {
        folder.write(scene, CLOTHS);
    }
    folder.write("with-mesh.toml", with_mesh);
    folder.write("with-ids.toml", with_ids);
    folder.write("tet.mesh", tets);
    folder.write("run/rest.obj", "0 1 2");
    folder.write("linked/other.txt", "");
    std::os::unix::fs::symlink("../tet.mesh", folder.path("linked/animation.pc2")).unwrap();
    for (scene, out, input) in [
        ("run/metrics.csv", "run", "run/metrics.csv"),
        ("run/metrics.csv.part", "run", "run/metrics.csv.part"),
        ("run/snapshot.bin", "run/../run/.", "run/snapshot.bin"),
        ("run/summary.json", "run", "run/summary.json"),
        ("with-ids.toml", "run", "run/rest.obj"),
        ("with-mesh.toml", "linked", "tet.mesh"),
    ] {
        let files = [scene, input, "tet.mesh", "run/rest.obj"];
        let before = files.map(|file| std::fs::read(folder.path(file)).unwrap());
        let listed = folder.list(out);
        for resume in [&[][..], &["--resume"]] {
            let arguments = [&["simulate", scene, "--out", out][..], resume].concat();
            let run = folder.pliant(&arguments);
            assert_eq!(run.status, 1, "{scene}: {}{}", run.stdout, run.stderr);
            assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
            assert!(run.stderr.contains("would overwrite the input"), "{}", run.stderr);
            assert!(run.stderr.contains(input), "{}", run.stderr);
        }
        assert_eq!(files.map(|file| std::fs::read(folder.path(file)).unwrap()), before);
        assert_eq!(folder.list(out), listed);
    }
    // The same files, somewhere else: nothing to refuse.
    let run = folder.pliant(&["simulate", "with-mesh.toml", "--out", "elsewhere", "-q"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

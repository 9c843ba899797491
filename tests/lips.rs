//! `pliant lips` from outside, as docs/lips.md tells it.

use std::fs;

use crate::pliant::Folder;
use serde_json::Value;

/// A folder with a small demo, a model of it, and what must be typed to train it.
const TRAIN: [&str; 12] = [
    "lips",
    "train",
    "--rest",
    "d/rest.obj",
    "--frames",
    "d/capture.pc2",
    "--inner",
    "d/inner.txt",
    "--mouth",
    "d/mouth.txt",
    "--out",
    "m.lips",
];

fn demo(name: &str) -> Folder {
    let folder = Folder::new(name);
    let run =
        folder.pliant(&["lips", "demo", "--out", "d", "--around", "32", "--corrected", "10", "-q"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    folder
}

fn train(folder: &Folder, more: &[&str]) -> crate::pliant::Run {
    folder.pliant(&[&TRAIN[..], more].concat())
}

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.path(name)).unwrap()).unwrap()
}

#[test]
fn a_performance_is_corrected_from_a_few_frames() {
    let folder = demo("lips-apply");
    assert_eq!(folder.list("d/fix").len(), 10);
    let run = train(&folder, &["--corrected", "d/fix/*.obj"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("10 corrected frames that show 10 ways to move"), "{}", run.stdout);
    let apply = |threads: &str, out: &str| {
        let run = folder.pliant(&[
            "lips",
            "apply",
            "m.lips",
            "--frames",
            "d/capture.pc2",
            "--out",
            out,
            "--truth",
            "d/truth.pc2",
            "--threads",
            threads,
            "--maps",
            "maps/e-*.ply",
            "--range",
            "20..59",
        ]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        fs::read(folder.path(out)).unwrap()
    };
    assert_eq!(
        apply("1", "a.pc2"),
        apply("3", "b.pc2"),
        "the same bytes for any number of threads"
    );
    let report = json(&folder, "a.pc2.report.json");
    assert_eq!(
        (&report["frames"], &report["outside_changed"]),
        (&Value::from(40), &Value::from(0))
    );
    assert!(report["ms_per_frame"].as_f64().unwrap() > 0.0 && report["train_seconds"].is_f64());
    let next = &report["suggest_next"];
    assert!(
        (20..60).contains(&next["frame"].as_u64().unwrap())
            && next["score"].as_f64().unwrap() < 0.2
    );
    let better = report["error"]["times_better"].as_f64().unwrap();
    assert!(better > 5.0, "{better} times better");
    let [captured, corrected] =
        ["captured", "corrected"].map(|k| report["smoothness"][k].as_f64().unwrap());
    assert!(captured > 1.2 * corrected, "{captured} and {corrected} m");
    assert_eq!(folder.list("maps").len(), 40);
    let map = fs::read(folder.path("maps/e-0020.ply")).unwrap();
    let header = String::from_utf8_lossy(&map[..600]).into_owned();
    for property in ["moved", "error_before", "error", "surface_error", "red"] {
        assert!(header.contains(property), "{header}");
    }
    let table = fs::read_to_string(folder.path("a.pc2.frames.csv")).unwrap();
    assert_eq!(table.lines().count(), 41);
    // Any format is taken and given.
    for out in ["c.glb", "c.usda", "c/*.obj"] {
        let capture = "d/rest.obj+d/capture.pc2";
        let run = folder.pliant(&[
            "lips", "apply", "m.lips", "--frames", capture, "--out", out, "--range", "0..3",
        ]);
        assert_eq!(run.status, 0, "{out}: {}", run.stderr);
    }
}

#[test]
fn frames_are_added_to_a_model_and_suggested_before_there_is_one() {
    let folder = demo("lips-add");
    let fixes: Vec<String> =
        folder.list("d/fix").into_iter().map(|f| format!("d/fix/{f}")).collect();
    let first: Vec<&str> = fixes[..9].iter().map(String::as_str).collect();
    let run = train(&folder, &[&["--corrected"], &first[..]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let add = [
        "lips",
        "train",
        "--model",
        "m.lips",
        "--frames",
        "d/capture.pc2",
        "--corrected",
        &fixes[9],
        "--out",
        "n.lips",
    ];
    let run = folder.pliant(&add);
    assert!(run.status == 0 && run.stdout.contains("10 corrected frames"), "{}", run.stderr);
    let run = train(&folder, &["--corrected", "d/fix/*.obj"]);
    assert_eq!(run.status, 0);
    assert_eq!(fs::read(folder.path("m.lips")).unwrap(), fs::read(folder.path("n.lips")).unwrap());
    // Regions grown from four vertices on the lips.
    let run = folder.pliant(&[
        "lips",
        "suggest",
        "--rest",
        "d/rest.obj",
        "--frames",
        "d/capture.pc2",
        "--lips",
        "d/lips.txt",
        "--count",
        "3",
        "--json",
        "-q",
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let list: Value = serde_json::from_str(&run.stdout).unwrap();
    let scores: Vec<f64> =
        list["frames"].as_array().unwrap().iter().map(|s| s["score"].as_f64().unwrap()).collect();
    assert!(
        scores.len() == 3 && scores[0] == 1.0 && scores.is_sorted_by(|a, b| a > b),
        "{scores:?}"
    );
}

#[test]
fn a_drawn_contour_closes_a_mouth() {
    let folder = demo("lips-sketch");
    let sketch = [
        "lips",
        "sketch",
        "--mesh",
        "d/open.obj",
        "--camera",
        "d/camera.json",
        "--contour",
        "d/contour.json",
        "--inner",
        "d/inner.txt",
        "--out",
        "closed.obj",
    ];
    let run = folder.pliant(&sketch);
    assert!(run.status == 0 && run.stdout.contains("vertices on the contour"), "{}", run.stderr);
    let closed = fs::read_to_string(folder.path("closed.obj")).unwrap();
    let open = fs::read_to_string(folder.path("d/open.obj")).unwrap();
    assert_eq!(closed.lines().count(), open.lines().count());
    assert_ne!(closed, open);
    let mut again = sketch;
    again[11] = "d/open.obj";
    let run = folder.pliant(&again);
    assert!(run.status == 1 && run.stderr.contains("would overwrite the input"), "{}", run.stderr);
}

#[test]
fn bad_input_is_one_sentence_that_names_the_file() {
    let folder = demo("lips-bad");
    folder.write("none.txt", "# nothing\n");
    let every: String = (0..2000).map(|v| format!("{v}\n")).collect();
    folder.write("every.txt", every.as_str());
    folder.write("fix/7.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("fix/nameless.obj", fs::read(folder.path("d/rest.obj")).unwrap());
    let rest = fs::read_to_string(folder.path("d/rest.obj")).unwrap();
    // As many vertices, but other faces.
    let mut other: Vec<String> = rest.lines().map(str::to_owned).collect();
    other
        .iter_mut()
        .filter(|line| line.starts_with("f "))
        .take(1)
        .for_each(|l| *l = "f 1 200 300".into());
    folder.write("fix/12.obj", other.join("\n"));
    folder.write("fix/0.obj", rest.as_str());
    folder.write("fix/00.obj", rest.as_str());
    let last = |more: &[&str]| {
        let run = train(&folder, more);
        assert_eq!((run.status, run.stderr.lines().count()), (1, 1), "{more:?}: {}", run.stderr);
        run.stderr
    };
    let with = |inner: &str, mouth: &str| {
        let run = folder.pliant(&[
            "lips",
            "train",
            "--rest",
            "d/rest.obj",
            "--frames",
            "d/capture.pc2",
            "--inner",
            inner,
            "--mouth",
            mouth,
            "--corrected",
            "d/fix/*.obj",
            "--out",
            "m.lips",
        ]);
        assert_eq!((run.status, run.stderr.lines().count()), (1, 1), "{}", run.stderr);
        run.stderr
    };
    for (said, parts) in [
        (
            last(&["--corrected", "fix/7.obj"]),
            ["fix/7.obj", "has 3 vertices, but the rest mesh has 416"],
        ),
        (
            last(&["--corrected", "fix/12.obj"]),
            ["fix/12.obj", "its faces are not those of the rest mesh"],
        ),
        (last(&["--corrected", "fix/nameless.obj"]), ["nameless.obj", "number of its frame"]),
        (last(&["--corrected", "fix/0.obj", "fix/00.obj"]), ["fix/00.obj", "is of frame 0 as"]),
        (last(&["--corrected", "fix/999.obj"]), ["fix/999.obj", "cannot read"]),
        (with("none.txt", "d/mouth.txt"), ["none.txt", "the inner lip holds no vertex"]),
        (with("every.txt", "d/mouth.txt"), ["every.txt", "names vertex 416, but there are 416"]),
        (with("group=lips", "d/mouth.txt"), ["group=lips", "group \"lips\""]),
        (with("d/mouth.txt", "d/mouth.txt"), ["d/mouth.txt", "no triangle outside"]),
    ] {
        for part in parts {
            assert!(said.contains(part), "{said} has no {part}");
        }
    }
    folder.write("bad.lips", "PLIANTL1");
    let run = folder.pliant(&[
        "lips",
        "apply",
        "bad.lips",
        "--frames",
        "d/capture.pc2",
        "--out",
        "o.pc2",
    ]);
    assert!(run.status == 1 && run.stderr.contains("bad.lips: byte"), "{}", run.stderr);
    let run = folder.pliant(&[
        "lips",
        "train",
        "--frames",
        "d/capture.pc2",
        "--corrected",
        "x",
        "--out",
        "m.lips",
    ]);
    assert!(run.status == 2 && run.stderr.contains("--rest"), "{}", run.stderr);
}

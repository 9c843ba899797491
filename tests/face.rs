//! `pliant face` from outside: the built-in head as a folder, built and animated, and what is refused.

mod pliant;

use std::fs;

use pliant::Folder;

#[test]
fn the_head_is_written_checked_and_broken() {
    let folder = Folder::new("face-template");
    let run = folder.pliant(&["face", "template", "--out", "head", "--size", "0.008"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("67 muscles, 79 shapes"), "{}", run.stdout);
    assert_eq!(folder.list("head/muscles").len(), 67);
    let speech = fs::read_to_string(folder.path("head/performance.csv")).unwrap();
    assert!(speech.starts_with("Timecode,BlendShapeCount,EyeBlinkLeft,"));
    assert_eq!(speech.lines().count(), 301);

    let check = ["face", "template", "--check", "head"];
    let sound = folder.pliant(&check);
    assert_eq!(sound.status, 0, "{}", sound.stderr);
    assert!(sound.stdout.starts_with("head is sound"), "{}", sound.stdout);

    // A hole in the skull, a muscle outside the skin, and a part that is gone.
    let skull = fs::read_to_string(folder.path("head/skull.obj")).unwrap();
    let face = skull.lines().find(|line| line.starts_with("f ")).unwrap();
    folder.write("head/skull.obj", skull.replacen(&format!("{face}\n"), "", 1));
    let holed = folder.pliant(&check);
    assert_eq!(holed.status, 1);
    assert!(
        holed.stderr.contains("head: the skull has a hole: 3 of its edges"),
        "{}",
        holed.stderr
    );
    folder.write("head/skull.obj", skull);

    let eye = fs::read(folder.path("head/eye_left.obj")).unwrap();
    let toml = fs::read_to_string(folder.path("head/template.toml")).unwrap();
    let swapped = toml.replacen("muscles/mentalis_l.vtu", "eye_left.obj", 1);
    folder.write("head/template.toml", &swapped);
    let moved: String = String::from_utf8(eye)
        .unwrap()
        .lines()
        .map(|line| {
            line.strip_prefix("v ").map_or(format!("{line}\n"), |xyz| format!("v 1{xyz}\n"))
        })
        .collect();
    folder.write("head/eye_left.obj", moved);
    let outside = folder.pliant(&check);
    assert_eq!(outside.status, 1);
    assert!(
        outside.stderr.contains("the muscle mentalis_l is outside the skin"),
        "{}",
        outside.stderr
    );
    folder.write("head/template.toml", toml);

    fs::remove_file(folder.path("head/mandible.obj")).unwrap();
    let missing = folder.pliant(&check);
    assert_eq!(missing.status, 1);
    assert!(missing.stderr.contains("the mandible is missing"), "{}", missing.stderr);
}

#[test]
fn wrong_usage_is_told() {
    let folder = Folder::new("face-usage");
    assert_eq!(folder.pliant(&["face", "template"]).status, 2);
    let size = folder.pliant(&["face", "template", "--out", "head", "--size", "3"]);
    assert_eq!(size.status, 2);
    assert!(size.stderr.contains("expected metres"), "{}", size.stderr);
    let nowhere = folder.pliant(&["face", "template", "--check", "nothing"]);
    assert_eq!(nowhere.status, 1);
    assert!(nowhere.stderr.contains("template.toml"), "{}", nowhere.stderr);
}

#[test]
fn the_head_is_built_talks_and_refuses_nonsense() {
    let folder = Folder::new("face-animate");
    let made = folder.pliant(&["face", "template", "--out", "head", "--size", "0.006", "-q"]);
    assert_eq!(made.status, 0, "{}", made.stderr);
    let built = folder.pliant(&["face", "build", "head", "--out", "head.face", "--size", "0.009"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    assert!(built.stdout.contains("of 67 muscles"), "{}", built.stdout);

    folder.write("w.csv", "frame,jawOpen,mouthSmileLeft\n0,0,0\n1,0.2,0\n2,0.2,0.5\n");
    let animate = ["face", "animate", "head.face", "--weights", "w.csv", "--out", "talk.pc2"];
    let talk = folder.pliant(&animate);
    assert_eq!(talk.status, 0, "{}", talk.stderr);
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path("talk.pc2.report.json")).unwrap())
            .unwrap();
    assert_eq!(report["frames"], 3);
    assert_eq!(report["exploded"], false);
    let strains = fs::read_to_string(folder.path("talk.pc2.strains.csv")).unwrap();
    assert!(strains.starts_with("frame,frontalis_medial_l,"));
    assert_eq!(strains.lines().count(), 4);
    let rest: Vec<&str> = strains.lines().nth(1).unwrap().split(',').collect();
    assert!(rest[1..].iter().all(|s| s.parse::<f64>().unwrap().abs() < 1e-4));

    for (weights, expected) in [
        ("frame,jawOpn\n0,1\n", "w.csv: there is no shape jawOpn; did you mean jawOpen?"),
        ("frame,jawOpen\n0,nan\n", "line 2"),
        ("", "expected a line of names"),
    ] {
        folder.write("w.csv", weights);
        let refused = folder.pliant(&animate);
        assert_eq!(refused.status, 1, "{weights}");
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
    folder.write("w.csv", "frame,jawOpen\n0,1\n");
    let mut bytes = fs::read(folder.path("head.face")).unwrap();
    bytes.truncate(70_000);
    folder.write("head.face", &bytes);
    let damaged = folder.pliant(&animate);
    assert_eq!(damaged.status, 1);
    assert!(damaged.stderr.contains("head.face: byte"), "{}", damaged.stderr);
}

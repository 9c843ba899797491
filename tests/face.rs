//! `pliant face template` from outside: the built-in head as a folder, and what is refused.

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

//! `pliant face` from outside: the built-in head as a folder, built and animated, and what is
//! refused.

use std::fs;

use crate::pliant::Folder;
use crate::pliant::head::head;

#[test]
fn the_head_is_written_checked_and_broken() {
    let folder = Folder::new("face-template");
    head().write(&folder);
    let made = &head().made.stdout;
    assert!(made.contains("67 muscles, 79 shapes"), "{made}");
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
    head().write(&folder);
    let built = &head().built.stdout;
    assert!(built.contains("of 67 muscles"), "{built}");

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

    // Muscles, eyes and head from JSON; skin, eyes and teeth are written, or the skin alone.
    let frames = r#"{"fps": 24, "frames": [{}, {"zygomaticus_major_l": 0.5},
        {"zygomaticus_major_l": 0.5, "LeftEyeYaw": 0.4, "HeadYaw": 0.2}]}"#;
    folder.write("w.json", frames);
    let played = |out: &str, more: &[&str]| {
        let fixed = ["face", "animate", "head.face", "--weights", "w.json", "--out", out];
        let run = folder.pliant(&[&fixed[..], more].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        read_frames(&fs::read(folder.path(out)).unwrap())
    };
    let all = played("all.pc2", &["--frames", "1..2"]);
    let skin = played("skin.pc2", &["--skin-only"]);
    assert_eq!((all.len(), skin.len()), (2, 3));
    assert!(all[0].len() > skin[0].len() + 1000, "{} and {}", all[0].len(), skin[0].len());
    let groups = fs::read_to_string(folder.path("all.obj")).unwrap();
    for part in ["skin", "eye_left", "eye_right", "upper_teeth", "lower_teeth"] {
        assert!(groups.contains(part), "no group {part}");
    }
    let moved = |a: &[[f32; 3]], b: &[[f32; 3]]| {
        let far = |(a, b): (&[f32; 3], &[f32; 3])| (0..3).map(|k| (a[k] - b[k]).abs()).sum::<f32>();
        a.iter().zip(b).map(far).fold(0.0, f32::max)
    };
    assert!(moved(&skin[0], &skin[1]) > 5e-4, "a slider moves the skin");
    assert!(
        moved(&all[0][skin[0].len()..], &all[1][skin[0].len()..]) > 0.005,
        "eyes and teeth move"
    );
    let strains = fs::read_to_string(folder.path("skin.pc2.strains.csv")).unwrap();
    let column =
        strains.lines().next().unwrap().split(',').position(|n| n == "zygomaticus_major_l");
    let strain = strains.lines().nth(2).unwrap().split(',').nth(column.unwrap()).unwrap();
    assert!(strain.parse::<f64>().unwrap() < -0.02, "{strain}");

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

#[test]
fn effects_alter_the_face_and_correctives_are_written() {
    let folder = Folder::new("face-effects");
    head().write(&folder);
    folder.write("w.csv", "frame,mouthSmileLeft\n0,0\n1,0.4\n");
    let skin = fs::read_to_string(folder.path("head/skin.obj")).unwrap();
    let vertices = skin.lines().filter(|line| line.starts_with("v ")).count();
    // A map beside the effects file, in a folder of its own.
    fs::create_dir(folder.path("looks")).unwrap();
    folder.write("looks/fat.txt", "0.5 ".repeat(vertices));
    folder.write("looks/E.toml", "[[fat]]\nmap = 'fat.txt'\namount = 1.3\n");
    let animate = |more: &[&str]| {
        let fixed = ["face", "animate", "head.face", "--weights", "w.csv", "--out", "out.pc2"];
        folder.pliant(&[&fixed[..], more].concat())
    };
    let run = animate(&["--effects", "looks/E.toml"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path("out.pc2.report.json")).unwrap())
            .unwrap();
    let [asked, gained] =
        ["growth_asked_cm3", "growth_cm3"].map(|key| report[key].as_f64().unwrap());
    assert!(asked > 20.0 && gained > 0.5 * asked && gained < 1.1 * asked, "{report}");

    for (text, expected) in [
        ("[[fat]]\namont = 1\n", "looks/E.toml: unknown key `amont` in fat[0], line 2"),
        ("[[fat]]\nmap = 'no.txt'\namount = 1\n", "no.txt"),
        ("[[palsy]]\nmuscles = 'risorios'\n", "E.toml: palsy[0]: there is no muscle `risorios`"),
    ] {
        folder.write("looks/E.toml", text);
        let refused = animate(&["--effects", "looks/E.toml"]);
        assert_eq!(refused.status, 1, "{text}");
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }

    let corrective = |weights: &[&str], out: &str| {
        let mut all = vec!["face", "corrective", "head.face", "--out", out];
        weights.iter().for_each(|own| all.extend(["--weights", own]));
        folder.pliant(&all)
    };
    let run = corrective(&["jawOpen=0.3,mouthSmileLeft=0.5"], "shape.obj");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let shape = fs::read_to_string(folder.path("shape.obj")).unwrap();
    assert_eq!(shape.lines().filter(|line| line.starts_with("v ")).count(), vertices);
    let run = corrective(&["jawOpen=0.3", "mouthPucker"], "shapes.glb");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let bytes = fs::read(folder.path("shapes.glb")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("\"jawOpen=0.3\"") && text.contains("\"mouthPucker\""));
    let refused = corrective(&["jawOpen", "mouthPucker"], "two.obj");
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("morph targets of a .glb"), "{}", refused.stderr);
    let refused = corrective(&["jawOpn=1"], "one.obj");
    assert!(refused.stderr.contains("head.face: there is no shape jawOpn; did you mean jawOpen?"));
    assert_eq!(corrective(&["jawOpen=7"], "one.obj").status, 1);
}

/// The frames of a PC2 file.
fn read_frames(bytes: &[u8]) -> Vec<Vec<[f32; 3]>> {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (points, count) = (number(16), number(28));
    let value = |k: usize| f32::from_le_bytes(bytes[32 + 4 * k..36 + 4 * k].try_into().unwrap());
    let place = |f: usize, p: usize| [0, 1, 2].map(|k| value(3 * (f * points + p) + k));
    (0..count).map(|f| (0..points).map(|p| place(f, p)).collect()).collect()
}

#[test]
fn a_head_of_ones_own_gets_bones_and_muscles() {
    let folder = Folder::new("face-own");
    head().write(&folder);
    let toml = fs::read_to_string(folder.path("head/template.toml")).unwrap();
    let table = toml.split("[landmarks]").nth(1).unwrap().split("\n[").next().unwrap();
    let line = |line: &str| line.split_once(" = ").map(|(name, at)| format!("\"{name}\": {at}"));
    let markers: Vec<String> = table.lines().filter_map(line).collect();
    folder.write("markers.json", format!("{{{}}}", markers.join(", ")));
    let own = ["face", "template", "--skin", "head/skin.obj", "--markers", "markers.json"];
    let run = folder.pliant(&[&own[..], &["--size", "0.008", "--out", "mine"]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("67 muscles, 79 shapes"), "{}", run.stdout);
    let sound = folder.pliant(&["face", "template", "--check", "mine"]);
    assert_eq!(sound.status, 0, "{}", sound.stderr);
    let [a, b] = ["head", "mine"]
        .map(|name| fs::read_to_string(folder.path(&format!("{name}/skin.obj"))).unwrap());
    let corner = |text: &str| text.lines().find(|l| l.starts_with("v ")).unwrap()[..20].to_owned();
    assert_eq!(corner(&a), corner(&b), "the skin stays where it is");

    let inches =
        folder.pliant(&[&own[..], &["--size", "0.008", "--unit", "in", "--out", "small"]].concat());
    assert_eq!(inches.status, 1);
    assert!(inches.stderr.contains("is its unit right?"), "{}", inches.stderr);
    assert!(!folder.path("small").exists());
    let over = folder.pliant(&[&own[..], &["--out", "head"]].concat());
    assert_eq!(over.status, 1, "an input is not overwritten");
    assert_eq!(
        folder.pliant(&["face", "template", "--skin", "head/skin.obj", "--out", "x"]).status,
        2
    );

    let build = |more: &[&str]| {
        let fixed = ["face", "build", "head", "--markers", "markers.json", "--size", "0.009"];
        folder.pliant(&[&fixed[..], more].concat())
    };
    let scans = ["--neutral", "head/skin.obj", "--expressions", "head/blendshapes.glb"];
    let built = build(&[&scans[..], &["--out", "own.face"]].concat());
    assert_eq!(built.status, 0, "{}", built.stderr);
    assert!(built.stdout.contains("of 67 muscles"), "{}", built.stdout);
    assert_eq!(build(&[&scans[..], &["--out", "head/skin.obj"]].concat()).status, 2);
    std::fs::copy(folder.path("markers.json"), folder.path("markers.face")).unwrap();
    let fixed = ["face", "build", "head", "--markers", "markers.face", "--out", "markers.face"];
    let over = folder.pliant(&[&fixed[..], &scans].concat());
    assert!(over.status == 1 && over.stderr.contains("overwrite"), "{}", over.stderr);
    assert_eq!(build(&["--out", "x.face"]).status, 2, "markers of what?");
    let other = build(&[&scans[..3], &["head/eye_left.obj", "--out", "x.face"]].concat());
    assert!(other.stderr.contains("the shape eye_left has"), "{}", other.stderr);
}

#[cfg(unix)]
#[test]
fn a_performance_in_the_wind_is_resumed_to_the_same_bytes() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use std::time::{Duration, Instant};

    let folder = Folder::new("face-resume");
    head().write(&folder);
    folder.write(
        "e.toml",
        "[wind]\nvelocity = [20.0, 0.0, -10.0]\ngust = 0.5\n[integrator]\niterations = 6\n\
         [[object]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.02\nplace = [0.078, -0.045, 0.01]\n",
    );
    let animate = |out: &str| {
        let fixed = ["face", "animate", "head.face", "--weights", "head/performance.csv"];
        let more = ["--effects", "e.toml", "--frames", "14..23", "--checkpoint", "0", "--quiet"];
        let mut command = folder.command(&[&fixed[..], &["--out", out], &more].concat());
        command.stderr(std::process::Stdio::null());
        command
    };
    assert!(animate("whole.pc2").status().unwrap().success());
    let whole = fs::read(folder.path("whole.pc2")).unwrap();
    assert!(fs::read_to_string(folder.path("whole.obj")).unwrap().contains("object_ball"));
    let report = fs::read_to_string(folder.path("whole.pc2.report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report["rms_skin_speed"].as_f64().unwrap() > 0.001, "{report}");
    let plot = folder.pliant(&["plot", "whole.pc2.metrics.csv", "--out", "energy.svg", "-q"]);
    assert_eq!(plot.status, 0, "{}", plot.stderr);
    for signal in [Signal::SIGKILL, Signal::SIGINT] {
        let mut child = animate("cut.pc2").spawn().unwrap();
        let clock = Instant::now();
        while !folder.path("cut.pc2.snapshot").exists() {
            assert!(clock.elapsed() < Duration::from_secs(120), "nothing happens");
            assert!(child.try_wait().unwrap().is_none(), "over before it could be stopped");
            std::thread::sleep(Duration::from_millis(1));
        }
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
        assert!(!child.wait().unwrap().success());
        assert!(animate("cut.pc2").arg("--resume").status().unwrap().success(), "{signal}");
        assert!(fs::read(folder.path("cut.pc2")).unwrap() == whole, "{signal}");
        let strains = |name: &str| fs::read(folder.path(&format!("{name}.strains.csv"))).unwrap();
        assert!(strains("cut.pc2") == strains("whole.pc2"), "{signal}");
        let listed = folder.list("");
        let left = |n: &String| n.contains(".part") || n.contains("snapshot");
        assert!(!listed.iter().any(left), "{listed:?}");
    }
}

#[test]
fn targets_that_are_no_skins_of_the_face_are_refused() {
    let folder = Folder::new("face-fit");
    head().write(&folder);
    folder.write("smile.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let few =
        folder.pliant(&["face", "fit", "head.face", "--target", "smile.obj", "--out", "fits"]);
    assert_eq!(few.status, 1);
    assert!(few.stderr.contains("smile.obj: has 3 vertices, expected the"), "{}", few.stderr);
    let none = folder.pliant(&["face", "fit", "head.face", "--out", "fits"]);
    assert_eq!(none.status, 2, "{}", none.stderr);
    assert!(!folder.path("fits").exists());
}

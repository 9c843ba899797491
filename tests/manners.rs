//! The manners of the command: project files to begin with, suggestions, checks before work, and
//! what it says at the end.

use std::fs;
use std::time::{Duration, Instant};

use crate::pliant::{Folder, Run};

fn done(run: &Run) {
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
}

const SCENE: &str = "frames = 4\n[[body]]\n\
    mesh = { box = { size = [0.2, 0.2, 0.2], cells = [1, 1, 1] } }\n\
    material = { preset = \"jelly\" }\nplace = { translate = [0, 0.5, 0] }\n\
    [[collider]]\nshape = { plane = { point = [0, -0.5, 0], normal = [0, 1, 0] } }\n\
    [[collider]]\nshape = { sphere = { center = [0.8, 0, 0], radius = 0.3 } }\n";

#[test]
fn a_new_scene_is_simulated_shown_and_never_overwritten() {
    let folder = Folder::new("new-scene");
    let new = folder.pliant(&["new", "scene", "--out", "my fall.toml"]);
    done(&new);
    assert!(new.stderr.contains("next: pliant simulate \"my fall.toml\" --out run"));
    let text = fs::read_to_string(folder.path("my fall.toml")).unwrap();
    assert!(text.contains("pliant demo \"my fall.toml\""), "{text}");
    done(&folder.pliant(&["simulate", "my fall.toml", "-o", "run", "--quiet"]));
    let again = folder.pliant(&["new", "scene", "--out", "my fall.toml"]);
    assert_eq!(again.status, 1);
    assert!(again.stderr.contains("my fall.toml: is there already"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(folder.path("my fall.toml")).unwrap(), text);
    let wrong = folder.pliant(&["new", "scene", "--out", "scene.txt"]);
    assert!(wrong.status == 2 && wrong.stderr.contains(".toml"), "{}", wrong.stderr);
    let quiet = folder.pliant(&["new", "scene", "--quiet"]);
    assert_eq!((quiet.status, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
}

#[test]
fn a_new_walk_is_enriched() {
    let folder = Folder::new("new-walk");
    done(&folder.pliant(&["new", "walk"]));
    let run =
        ["enrich", "walk.toml", "-o", "walk.glb", "--range", "0..2", "--resolution", "10", "-q"];
    done(&folder.pliant(&run));
    assert!(folder.path("walk.glb").exists());
}

#[test]
fn a_new_face_is_animated() {
    let folder = Folder::new("new-face");
    done(&folder.pliant(&["new", "face", "--out", "smile.toml"]));
    assert_eq!(folder.list(""), ["smile.csv", "smile.toml"]);
    let taken = folder.pliant(&["new", "face", "--out", "smile.toml"]);
    assert_eq!(taken.status, 1, "{}", taken.stderr);
    done(&folder.pliant(&["face", "template", "-o", "head", "--size", "0.008", "-q"]));
    let built = folder.pliant(&["face", "build", "head", "-o", "head.face", "--size", "0.01"]);
    done(&built);
    assert!(built.stderr.contains("next: pliant face animate head.face"), "{}", built.stderr);
    let animate = ["face", "animate", "head.face", "--weights", "smile.csv"];
    let more = ["--effects", "smile.toml", "-o", "smile.pc2", "--frames", "30..31", "-q"];
    done(&folder.pliant(&[&animate[..], &more].concat()));
}

#[cfg(unix)]
#[test]
fn a_new_list_of_lip_commands_runs_in_a_shell() {
    use std::path::Path;
    use std::process::Command;

    let folder = Folder::new("new-lips");
    done(&folder.pliant(&["new", "lips"]));
    let own = Path::new(env!("CARGO_BIN_EXE_pliant")).parent().unwrap();
    let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    let run =
        crate::pliant::run(shell.arg("lips.sh").env("PATH", path).current_dir(folder.path("")));
    done(&run);
    assert!(folder.path("lips-sample/corrected.glb").exists());
}

#[test]
fn shells_complete_commands_and_manuals_are_written() {
    let folder = Folder::new("completions");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = folder.pliant(&["completions", shell]);
        done(&run);
        assert!(run.stdout.contains("simulate") && run.stdout.contains("resume"), "{shell}");
    }
    assert_eq!(folder.pliant(&["completions", "cmd"]).status, 2);
    done(&folder.pliant(&["man", "man1", "--quiet"]));
    let pages = folder.list("man1");
    for page in ["pliant.1", "pliant-simulate.1", "pliant-lips-train.1", "pliant-face-fit.1"] {
        assert!(pages.contains(&page.to_owned()), "{pages:?}");
    }
    let page = fs::read_to_string(folder.path("man1/pliant-lips-train.1")).unwrap();
    assert!(page.contains("corrected") && page.contains("Examples:"), "{page}");
}

#[test]
fn a_mistyped_demo_is_told_the_nearest_name() {
    let folder = Folder::new("demo-name");
    let run = folder.pliant(&["demo", "jely"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("did you mean `jelly`?"), "{}", run.stderr);
}

#[test]
fn a_scene_is_a_demo_and_a_demo_is_a_scene() {
    let folder = Folder::new("demo-scene");
    folder.write(
        "here/cube.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    );
    let surface = "mesh = { surface = \"cube.obj\", resolution = 4 }";
    let mesh = SCENE.lines().find(|line| line.starts_with("mesh")).unwrap();
    folder.write("here/plain.toml", SCENE.replace(mesh, surface));
    let run = folder.pliant(&["demo", "here/plain.toml", "--still", "--out", "plain"]);
    done(&run);
    for file in ["filmstrip.png", "plot.svg", "scene.toml", "metrics.csv"] {
        assert!(folder.path("plain").join(file).exists(), "{file}");
    }
    let with_table = format!("{SCENE}[demo]\nabout = 'a cube'\nstrip = [0, 0.1]\n");
    folder.write("shown.toml", with_table);
    done(&folder.pliant(&["simulate", "shown.toml", "--out", "run", "-q"]));
    folder.write("wrong.toml", SCENE.replace("frames", "farmes"));
    let wrong = folder.pliant(&["demo", "wrong.toml"]);
    assert_eq!(wrong.status, 1);
    assert!(wrong.stderr.contains("line 1: did you mean `frames`?"), "{}", wrong.stderr);
}

#[test]
fn a_file_of_another_kind_is_told_its_command() {
    let folder = Folder::new("other-kind");
    folder.write("scene.toml", SCENE);
    folder.write("walk.toml", "resolution = 20\ninput = \"puppet:elephant\"\n");
    let run = folder.pliant(&["simulate", "walk.toml", "--out", "run"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("line 2: this file is an enrich project"), "{}", run.stderr);
    let run = folder.pliant(&["enrich", "scene.toml", "--out", "a.glb"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("`pliant simulate` takes it"), "{}", run.stderr);
    let run = folder.pliant(&["inspect", "nothing"]);
    assert!(run.stderr.contains("nothing: cannot read"), "{}", run.stderr);
}

#[test]
fn triangles_in_place_of_tets_are_told_the_other_key() {
    let folder = Folder::new("scene-surface");
    folder.write("tent.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let mesh = SCENE.lines().find(|line| line.starts_with("mesh")).unwrap();
    folder.write("scene.toml", SCENE.replace(mesh, "mesh = { file = \"tent.obj\" }"));
    let run = folder.pliant(&["simulate", "scene.toml", "--out", "run"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("write `surface = \"tent.obj\"`"), "{}", run.stderr);
}

#[test]
fn threads_are_bounded_by_the_cores() {
    let folder = Folder::new("threads");
    folder.write("tent.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let run = folder.pliant(&["inspect", "tent.obj", "--threads", "999"]);
    done(&run);
    assert!(run.stderr.starts_with("note: --threads 999: using "), "{}", run.stderr);
    let quiet = folder.pliant(&["inspect", "tent.obj", "--threads", "999", "-q"]);
    assert_eq!((quiet.status, quiet.stderr.as_str()), (0, ""));
    let few = folder.pliant(&["inspect", "tent.obj", "--threads", "1"]);
    assert_eq!((few.status, few.stderr.as_str()), (0, ""));
    assert_eq!(folder.pliant(&["inspect", "tent.obj", "--threads", "1025"]).status, 2);
}

/// No input exists: whatever is said of endings was said before anything was read.
#[test]
fn an_unknown_ending_is_refused_before_anything_is_read() {
    let folder = Folder::new("endings");
    for (arguments, expected) in [
        (&["convert", "no.glb", "a.docx"][..], ".glb"),
        (&["mesh", "no.obj", "--out", "a.docx"], ".msh"),
        (&["mesh", "no.obj", "--out", "a.pc2"], "animation"),
        (&["mesh", "no.obj", "--out", "a.msh", "--report", "a.txt"], ".json"),
        (&["enrich", "no.glb", "--out", "a.docx"], ".glb"),
        (&["enrich", "no.glb", "--out", "a.glb", "--picture", "a.bmp"], ".png"),
        (&["render", "no.glb", "--out", "a.bmp"], ".mp4"),
        (&["plot", "no", "--out", "a.pdf"], ".svg"),
        (&["inspect", "no.glb", "--picture", "a.bmp"], ".png"),
        (&["face", "build", "no", "--out", "a.docx"], ".face"),
        (&["face", "animate", "no.face", "--weights", "no.csv", "-o", "a.docx"], ".glb"),
        (&["face", "corrective", "no.face", "--shape", "jawOpen", "-o", "a.docx"], ".glb"),
        (&["lips", "train", "--capture", "no.pc2", "--corrected", "x", "-o", "a.docx"], ".lips"),
        (&["lips", "apply", "no.lips", "--capture", "no.pc2", "-o", "a.docx"], ".glb"),
        (&["lips", "apply", "no.lips", "--capture", "no.pc2", "-o", "*.mdd"], "one file"),
        (
            &[
                "lips",
                "sketch",
                "--mesh",
                "no.obj",
                "--camera",
                "c",
                "--contour",
                "k",
                "--inner",
                "i",
                "-o",
                "a.docx",
            ],
            ".obj",
        ),
    ] {
        let clock = Instant::now();
        let run = folder.pliant(arguments);
        assert!(clock.elapsed() < Duration::from_secs(5), "{arguments:?} takes its time");
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.contains("cannot read"), "{arguments:?}: {}", run.stderr);
    }
    assert!(folder.list("").is_empty());
}

#[test]
fn the_colliders_of_a_run_are_drawn_and_the_camera_is_chosen() {
    let folder = Folder::new("render-scene");
    folder.write("scene.toml", SCENE);
    done(&folder.pliant(&["simulate", "scene.toml", "--out", "run", "--quiet"]));
    let render = |out: &str, more: &[&str]| {
        let fixed = ["render", "run", "--out", out, "--pixels", "120x80"];
        let run = folder.pliant(&[&fixed[..], more].concat());
        done(&run);
        assert!(run.stderr.ends_with(&format!("next: open {out}\n")), "{}", run.stderr);
        fs::read(folder.path(out)).unwrap()
    };
    let found = render("found.png", &[]);
    let scene = render("scene.png", &["--scene", "scene.toml"]);
    assert_eq!(scene, found, "the scene in the run folder is found");
    folder.write("run/scene.toml", "frames = 0");
    let spoiled = render("spoiled.png", &[]);
    fs::remove_file(folder.path("run/scene.toml")).unwrap();
    let plain = render("plain.png", &[]);
    assert_eq!(plain, spoiled, "a scene that is none is a note");
    assert_ne!(plain, scene, "the ball and the floor are seen");

    let front = render("front.png", &["--view", "0,0,-1"]);
    assert_eq!(front, render("same.png", &["--view=0,0,-3"]), "the length has no meaning");
    assert_ne!(front, render("side.png", &["--view", "-1,-0.2,0"]));
    assert_ne!(front, render("near.png", &["--view", "0,0,-1", "--zoom", "2"]));
    let written = render("text.png", &["--camera", "eye=0,1,4 target=0,0.5,0 fov=40"]);
    folder.write(
        "camera.json",
        r#"{ "eye": [0, 1, 4], "target": [0, 0.5, 0], "field_of_view": 40, "width": 9, "height": 9 }"#,
    );
    assert_eq!(written, render("json.png", &["--camera", "camera.json"]));
    for (more, status, part) in [
        (&["--camera", "eye=0,1,4"][..], 2, "`target` is missing"),
        (&["--camera", "no.json"], 1, "no.json: cannot read"),
        (&["--view", "0,0,0"], 2, "expected a direction"),
        (&["--zoom", "0"], 2, "expected a factor"),
        (&["--view", "0,0,-1", "--camera", "camera.json"], 2, "cannot be used with"),
        (&["--scene", "no.toml"], 1, "no.toml: cannot read"),
    ] {
        let run = folder.pliant(&[&["render", "run", "--out", "a.png"], more].concat());
        assert_eq!(run.status, status, "{more:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{more:?}: {}", run.stderr);
    }
}

#[test]
fn the_last_line_says_what_to_do_next() {
    let folder = Folder::new("next-step");
    folder.write(
        "tent.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    );
    for (arguments, next) in [
        (
            &["mesh", "tent.obj", "-o", "tent.msh", "--resolution", "4"][..],
            "next: name it in a scene as mesh = { file = \"tent.msh\" }\n",
        ),
        (&["convert", "tent.obj", "tent.ply"], "next: pliant inspect tent.ply\n"),
    ] {
        let run = folder.pliant(arguments);
        done(&run);
        assert!(run.stderr.ends_with(next), "{}", run.stderr);
        let quiet = folder.pliant(&[arguments, &["--quiet"]].concat());
        assert_eq!((quiet.status, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
    }
}

#[test]
fn a_run_folder_has_the_scene_and_its_colliders() {
    let folder = Folder::new("scene-copy");
    let ball = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    folder.write("here/ball.obj", ball);
    let sphere = "sphere = { center = [0.8, 0, 0], radius = 0.3 }";
    folder.write("here/scene.toml", SCENE.replace(sphere, "mesh = \"ball.obj\""));
    let simulate = |scene: &str, out: &str, more: &[&str]| {
        let run = folder.pliant(&[&["simulate", scene, "--out", out], more].concat());
        done(&run);
        run.stderr
    };
    let copy = || fs::read_to_string(folder.path("run/scene.toml")).unwrap();
    let said = simulate("here/scene.toml", "run", &[]);
    assert!(said.ends_with("next: pliant render run --out run.gif\n"), "{said}");
    assert!(copy().contains("\"../here/ball.obj\""), "{}", copy());
    done(&folder.pliant(&["render", "run", "--out", "a.png", "--pixels", "120x80"]));

    // The copy can be simulated in its place, and is never an input that would be overwritten.
    let before = copy();
    simulate("run/scene.toml", "run", &["--overwrite"]);
    assert_eq!(copy(), before);
    simulate("here/scene.toml", "run", &["--overwrite"]);
    assert_eq!(copy(), before);

    // A scene that the user has put there stays.
    folder.write("own/scene.toml", SCENE);
    folder.write("other.toml", SCENE.replace("frames = 4", "frames = 3"));
    let said = simulate("other.toml", "own", &[]);
    assert!(said.contains("own/scene.toml is no copy of a scene and stays"), "{said}");
    assert_eq!(fs::read_to_string(folder.path("own/scene.toml")).unwrap(), SCENE);
}

#[test]
fn frames_that_a_file_cannot_hold_are_refused_before_work() {
    let folder = Folder::new("one-mesh");
    let run = folder.pliant(&["enrich", "puppet:elephant", "--out", "elephant.obj", "-q"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(run.stderr.contains("elephant.obj: holds one mesh"), "{}", run.stderr);
    assert!(folder.list("").is_empty(), "{:?}", folder.list(""));
}

//! Projects as library calls: stopped by the caller, resumed, and locked.

use ::pliant::prelude::*;
use ::pliant::project::performance::open_face;

use crate::pliant::{Folder, head};

/// Stops after so many units.
fn stop_after(done: usize) -> impl FnMut(Event<'_>) -> ControlFlow<()> {
    move |event| match event {
        Event::Progress(progress) if progress.done == done => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    }
}

fn go_on(_: Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn read(folder: &Folder, name: &str) -> Vec<u8> {
    std::fs::read(folder.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_resumed_lip_correction_gives_the_same_bytes() {
    let folder = Folder::new("products-lips");
    let demo = ["lips", "demo", "--out", "d", "--around", "32", "-q"];
    assert_eq!(folder.pliant(&demo).status, 0);
    let train = [
        &["lips", "train", "--rest", "d/rest.obj", "--frames", "d/capture.pc2"][..],
        &["--corrected", "d/fix/*.obj", "--inner", "d/inner.txt", "--mouth", "d/mouth.txt"],
        &["--out", "m.lips", "-q"],
    ];
    let trained = folder.pliant(&train.concat());
    assert_eq!(trained.status, 0, "{}", trained.stderr);
    let capture = folder.path("d/capture.pc2").display().to_string();
    let project = |out: &str| {
        let mut project = CorrectionProject::new(folder.path("m.lips"), &capture, folder.path(out));
        project.truth = Some(folder.path("d/truth.pc2").display().to_string());
        project.frames = "5..40".parse().unwrap();
        project
    };
    let whole = project("whole.pc2").run(&Settings::default(), go_on).unwrap();
    assert_eq!(whole.report().unwrap().frames, 36);
    let one = Settings { threads: 1, ..Settings::default() };
    let stopped = project("parts.pc2").run(&one, stop_after(7)).unwrap();
    assert!(matches!(stopped, Outcome::Stopped { unit: "frames", done: 7, total: 36 }));
    assert!(!read(&folder, "parts.pc2").is_empty(), "what is done can be read");
    let resumed = project("parts.pc2").run(&Settings::default().resuming(), go_on).unwrap();
    assert_eq!(resumed.report().unwrap().frames, 36);
    for ending in ["", ".frames.csv"] {
        let [whole, parts] =
            ["whole.pc2", "parts.pc2"].map(|name| read(&folder, &format!("{name}{ending}")));
        assert!(whole == parts, "{ending}");
    }
    let left = folder.list(".");
    let is_temporary = |name: &String| name.contains("snapshot") || name.contains(".part");
    assert!(!left.iter().any(is_temporary), "{left:?}");
}

#[test]
fn a_resumed_fit_gives_the_same_bytes() {
    let folder = Folder::new("products-fit");
    head::head().write(&folder);
    let face = open_face(&folder.path("head.face")).unwrap();
    let mut targets = Vec::new();
    for name in ["jawLeft", "mouthSmileLeft"] {
        let shape = face.shapes.iter().find(|shape| shape.name == name).expect("a shape");
        let moved = face.skin.mesh.positions.iter().zip(&shape.displacement).map(|(x, d)| *x + *d);
        let mesh = ::pliant::mesh::Mesh { positions: moved.collect(), ..face.skin.mesh.clone() };
        targets.push(folder.path(&format!("{name}.obj")));
        ::pliant::io::write_mesh(&targets[targets.len() - 1], &mesh.into()).unwrap();
    }
    let project = |out: &str| {
        let mut project = FitProject::new(folder.path("head.face"), &targets, folder.path(out));
        project.activation = ::pliant::face::inverse::solve::ActivationModel::Muscle;
        (project.pictures, project.contact) = (false, false);
        project
    };
    let whole = project("whole").run(&Settings::default(), go_on).unwrap();
    assert_eq!(whole.report().unwrap().targets, 2);
    let stopped = project("parts").run(&Settings::default(), stop_after(1)).unwrap();
    assert!(matches!(stopped, Outcome::Stopped { unit: "targets", done: 1, total: 2 }));
    let resumed = project("parts").run(&Settings::default().resuming(), go_on).unwrap();
    assert_eq!(resumed.report().unwrap().targets, 2);
    for name in ["model.face", "jawLeft.obj", "mouthSmileLeft.obj"] {
        let [whole, parts] = ["whole", "parts"].map(|out| read(&folder, &format!("{out}/{name}")));
        assert!(whole == parts, "{name}");
    }
    assert_eq!(folder.list("whole"), folder.list("parts"));
}

/// Four frames of a cube.
const CUBE: &str = "frames = 4\n[[body]]\nmesh = { box = { size = [1, 1, 1], \
    cells = [1, 1, 1] } }\nmaterial = { preset = \"jelly\", density = 1000 }\n";

#[test]
fn a_second_format_that_is_stopped_is_said_and_written_by_a_resume() {
    let folder = Folder::new("products-format");
    folder.write("scene.toml", CUBE);
    let mut project = SceneProject::open(folder.path("scene.toml"), folder.path("run")).unwrap();
    project.animation = Some(folder.path("run/animation.usda"));
    // The animation has the initial frame, too, which the simulation does not count.
    let stopped = project.run(&Settings::default(), |event| match event {
        Event::Progress(progress) if progress.total == 5 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(matches!(stopped, Ok(Outcome::Stopped { done: 1, total: 5, .. })), "{stopped:?}");
    let part = read(&folder, "run/animation.usda").len();
    let resumed = project.run(&Settings::default().resuming(), go_on).unwrap();
    assert!(matches!(resumed, Outcome::AlreadyFinished(_)), "{resumed:?}");
    assert!(read(&folder, "run/animation.usda").len() > part);
}

#[test]
fn two_runs_never_write_the_same_output() {
    let folder = Folder::new("products-lock");
    folder.write("scene.toml", CUBE);
    let open = || SceneProject::open(folder.path("scene.toml"), folder.path("run")).unwrap();
    let mut refused = None;
    let outcome = open().run(&Settings::default(), |event| {
        if let Event::Progress(_) = event {
            refused = Some(open().run(&Settings::default(), go_on));
        }
        ControlFlow::Continue(())
    });
    assert!(matches!(outcome, Ok(Outcome::Finished(_))));
    let refused = refused.expect("progress is told").unwrap_err().to_string();
    assert!(refused.contains("another process is writing here"), "{refused}");
    assert_eq!(folder.list("."), ["run", "scene.toml"], "no lock is left");
}

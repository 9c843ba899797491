//! `pliant simulate --resume`: a run that was killed or stopped ends with the same bytes as one
//! that was left alone.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime};

use crate::pliant::results::{HEADER, Results, cache_size};
use crate::pliant::{Folder, Run};

const FRAMES: usize = 60;
const SUBSTEPS: usize = 2;
const SCENE: &str = r#"
name = "bar and flag"
frames = 60
substeps = 2

[[body]]
name = "bar"
mesh = { file = "bar.mesh" }
material = { model = "corotated", young = 5e4, poisson = 0.3, density = 1000 }
initial = { angular_velocity = [1, 0, 0], jitter = 0.001 }
[[body.attach]]
select = { vertices = [0, 1, 2, 3] }
stiffness = 1e4
motion = { times = [0, 1], translate = [[0, 0, 0], [0, 0.2, 0]] }

[[body]]
name = "block"
mesh = { box = { size = [1, 0.5, 0.5], cells = [12, 6, 6] } }
material = { model = "neo-hookean", young = 5e4, poisson = 0.4, density = 1000 }
[[body.attach]]
select = { box = { min = [-1, -1, -1], max = [-0.49, 1, 1] } }
stiffness = "hard"

[[body]]
name = "flag"
mesh = { cloth = { size = [1.5, 1], cells = [15, 10] } }
material = { model = "springs", stiffness = 400, mass = 0.3 }

[integrator]
solver = { projective = { iterations = 15, history = 5 } }
damping = { ether = 0.2 }
wind = { velocity = [6, 0, 2], drag = 1.2, gust = 0.4, seed = 7 }
"#;

/// A row of tetrahedra: every four vertices in turn.
fn bar() -> String {
    let corners = ["0 0", "1 0", "0 1"];
    let count = 12;
    let vertices = (0..count).map(|v| format!("{} {} 0\n", corners[v % 3], 0.5 * v as f64));
    let tets = (1..=count - 3).map(|v| format!("{v} {} {} {} 0\n", v + 1, v + 2, v + 3));
    format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices {count}\n{}Tetrahedra {}\n{}End\n",
        vertices.collect::<String>(),
        count - 3,
        tets.collect::<String>()
    )
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("scene.toml", SCENE);
    folder.write("bar.mesh", bar());
    folder
}

/// The run, left alone.
fn uninterrupted(folder: &Folder) -> Results {
    let run = folder.pliant(&["simulate", "scene.toml", "--out", "whole", "-q"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    Results::read(&folder.path("whole"))
}

/// Starts (or goes on with) the run in `run`, with a checkpoint after every frame.
fn start(folder: &Folder, threads: usize) -> Child {
    let mut command = folder.command(&["simulate", "scene.toml", "--out", "run"]);
    command.args(["--resume", "--checkpoint", "0", "--threads", &threads.to_string()]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn resume(folder: &Folder, scene: &str) -> Run {
    folder.pliant(&["simulate", scene, "--out", "run", "--resume"])
}

/// When the snapshot was written last.
fn saved(folder: &Folder) -> Option<SystemTime> {
    fs::metadata(folder.path("run/snapshot.bin")).and_then(|file| file.modified()).ok()
}

/// Waits until a condition holds, or the process has ended.
fn wait_until(child: &mut Child, condition: impl Fn() -> bool) {
    let clock = Instant::now();
    while !condition() && child.try_wait().unwrap().is_none() {
        assert!(clock.elapsed() < Duration::from_secs(60), "nothing happens");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs until a few frames are there, then kills.
fn killed(folder: &Folder) {
    let mut child = start(folder, 1);
    wait_until(&mut child, || saved(folder).is_some());
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "the run was over before the kill");
    assert!(saved(folder).is_some());
}

/// The files of a run that was stopped.
const STOPPED_FILES: [&str; 5] =
    ["animation.pc2", "metrics.csv", "rest.obj", "scene.toml", "snapshot.bin"];

/// Every file of the run directory.
fn contents(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let bytes = fs::read(folder.path("run").join(&name)).unwrap();
        (name, bytes)
    };
    folder.list("run").into_iter().map(read).collect()
}

fn assert_whole(folder: &Folder, expected: &Results, what: &str) {
    let files = ["animation.pc2", "metrics.csv", "rest.obj", "scene.toml", "summary.json"];
    assert_eq!(folder.list("run"), files, "{what}");
    Results::read(&folder.path("run")).assert_same(expected, what);
}

/// Asserts that a resume is refused in one sentence with `part` in it, and touches nothing.
fn assert_refused(folder: &Folder, scene: &str, part: &str, what: &str) {
    let before = contents(folder);
    let run = resume(folder, scene);
    assert_eq!(run.status, 1, "{what}: {}{}", run.stdout, run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{what}: {}", run.stderr);
    assert!(run.stderr.contains(part), "{what}: {}", run.stderr);
    assert!(contents(folder) == before, "{what}: the directory was changed");
}

#[test]
fn twenty_kills_at_random_moments_leave_no_trace() {
    let folder = folder("resume-kills");
    let clock = Instant::now();
    let expected = uninterrupted(&folder);
    let whole = clock.elapsed();
    // Moments from a fixed sequence; the machine's own unrest does the rest.
    let mut sequence = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |most: Duration| {
        sequence ^= sequence << 13;
        sequence ^= sequence >> 7;
        sequence ^= sequence << 17;
        most.mul_f64((sequence >> 11) as f64 / (1u64 << 53) as f64)
    };
    let (mut kills, mut resumed, mut finished) = (0, 0, 0);
    while kills < 20 {
        let before = saved(&folder);
        let mut child = start(&folder, 1 + kills % 3);
        if kills % 2 == 1 {
            // Every other life makes some progress; the rest may end before it begins.
            wait_until(&mut child, || saved(&folder) > before);
        }
        std::thread::sleep(random(whole / 8));
        child.kill().unwrap();
        match child.wait_with_output().unwrap() {
            output if output.status.code().is_none() => {
                kills += 1;
                resumed += usize::from(saved(&folder).is_some());
            }
            output => {
                assert_eq!(output.status.code(), Some(0), "{:?}", Run::from(output).stderr);
                assert_whole(&folder, &expected, "finished between kills");
                finished += 1;
                fs::remove_dir_all(folder.path("run")).unwrap();
            }
        }
    }
    assert!(resumed >= 10, "{resumed} of {kills} kills left something to go on from");
    let run = resume(&folder, "scene.toml");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_whole(&folder, &expected, &format!("after {kills} kills, {finished} runs before"));
}

#[test]
fn ctrl_c_leaves_readable_files_and_the_run_goes_on() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let folder = folder("resume-interrupt");
    let expected = uninterrupted(&folder);
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        // With the usual checkpoints: stopping makes one of its own.
        let mut command = folder.command(&["simulate", "scene.toml", "--out", "run", "--resume"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        wait_until(&mut child, || folder.path("run/metrics.csv.part").exists());
        kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!(run.status, 130, "{}{}", run.stdout, run.stderr);
        let last = run.stderr.lines().last().unwrap_or_default();
        assert!(last.contains("--resume") && last.contains("of 60 frames"), "{}", run.stderr);

        assert_eq!(folder.list("run"), STOPPED_FILES);
        let (points, samples) = cache_size(&fs::read(folder.path("run/animation.pc2")).unwrap());
        assert_eq!(points, expected.summary["vertices"]);
        assert!(samples > 1 && samples <= FRAMES, "{samples} samples");
        let metrics = fs::read_to_string(folder.path("run/metrics.csv")).unwrap();
        assert_eq!(metrics.lines().next(), Some(HEADER));
        assert_eq!(metrics.lines().count(), 2 + (samples - 1) * SUBSTEPS);
        assert!(metrics.ends_with('\n'));
        let inspected = folder.pliant(&["inspect", "run", "--json"]);
        assert_eq!(inspected.status, 0, "{}", inspected.stderr);
    }
    let run = resume(&folder, "scene.toml");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_whole(&folder, &expected, "after Ctrl-C and a termination");
}

#[test]
fn a_finished_run_stays_as_it_is() {
    let folder = folder("resume-finished");
    killed(&folder);
    let snapshot = fs::read(folder.path("run/snapshot.bin")).unwrap();
    assert_eq!(resume(&folder, "scene.toml").status, 0);
    let before = contents(&folder);
    let run = resume(&folder, "scene.toml");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("already finished"), "{}", run.stdout);
    assert!(contents(&folder) == before, "the directory was changed");

    // A kill between the summary and the end.
    folder.write("run/snapshot.bin", snapshot);
    assert_eq!(resume(&folder, "scene.toml").status, 0);
    assert!(contents(&folder) == before, "the snapshot was not cleared away");

    folder.write("other.toml", SCENE.replace("young = 5e4", "young = 6e4"));
    assert_refused(
        &folder,
        "other.toml",
        "run/summary.json: is the summary of another",
        "finished",
    );
}

#[test]
fn what_is_not_of_this_scene_is_refused() {
    let folder = folder("resume-other");
    killed(&folder);
    for (name, from, to) in [
        ("softer", "young = 5e4", "young = 4e4"),
        ("longer", "frames = 60", "frames = 61"),
        ("finer", "cells = [15, 10]", "cells = [15, 11]"),
        ("calmer", "gust = 0.4", "gust = 0.3"),
    ] {
        let scene = format!("{name}.toml");
        folder.write(&scene, SCENE.replace(from, to));
        let part = "run/snapshot.bin: belongs to another input or to other settings";
        assert_refused(&folder, &scene, part, name);
    }
    folder.write("bar.mesh", bar().replace("0 0 0 0\n", "0 0 -0.1 0\n"));
    assert_refused(&folder, "scene.toml", "another input", "another shape in the mesh file");
    folder.write("bar.mesh", bar());
    assert_eq!(resume(&folder, "scene.toml").status, 0);
}

#[test]
fn a_damaged_snapshot_is_refused() {
    let folder = folder("resume-damaged");
    killed(&folder);
    let whole = fs::read(folder.path("run/snapshot.bin")).unwrap();
    let end = whole.len();
    for at in [0, 7, 8, 16, 24, 31, 32, 47, 48, end / 2, end - 9, end - 8, end - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        folder.write("run/snapshot.bin", damaged);
        assert_refused(&folder, "scene.toml", "run/snapshot.bin", &format!("bit at byte {at}"));
    }
    for length in [0, 1, 15, 47, 48, end / 2, end - 8, end - 1] {
        folder.write("run/snapshot.bin", &whole[..length]);
        assert_refused(
            &folder,
            "scene.toml",
            "not a complete snapshot",
            &format!("{length} bytes"),
        );
    }
    folder.write("run/snapshot.bin", [&whole[..], b"\n"].concat());
    assert_refused(&folder, "scene.toml", "not a complete snapshot", "a byte too many");
}

#[test]
fn files_behind_the_snapshot_are_cut_and_files_short_of_it_refused() {
    let folder = folder("resume-files");
    let expected = uninterrupted(&folder);
    killed(&folder);
    let parts = ["run/metrics.csv.part", "run/animation.pc2.part"];
    let whole = parts.map(|part| fs::read(folder.path(part)).unwrap());
    for (part, bytes) in parts.iter().zip(&whole) {
        for (damage, what) in [
            (&bytes[..bytes.len() / 3], "two thirds lost"),
            (&bytes[..0], "everything lost"),
            (&vec![0; bytes.len()], "nothing but zeros, as after a power cut"),
        ] {
            folder.write(part, damage);
            let run = resume(&folder, "scene.toml");
            assert_eq!(run.status, 1, "{part}, {what}: {}", run.stdout);
            assert_eq!(run.stderr.lines().count(), 1, "{part}, {what}: {}", run.stderr);
            assert!(run.stderr.contains(part), "{part}, {what}: {}", run.stderr);
        }
        folder.write(part, bytes);
    }
    // What was written after the last snapshot, up to the kill; here with holes.
    for (part, bytes) in parts.iter().zip(&whole) {
        folder.write(part, [&bytes[..], &[0; 5000], b"1,2,3\n\xff"].concat());
    }
    let run = resume(&folder, "scene.toml");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_whole(&folder, &expected, "rubbish at the end of files");
}

#[test]
fn a_kill_between_two_renames_is_no_harm() {
    let folder = folder("resume-renames");
    let expected = uninterrupted(&folder);
    for name in ["metrics.csv", "animation.pc2"] {
        killed(&folder);
        let part = folder.path(&format!("run/{name}.part"));
        fs::rename(part, folder.path(&format!("run/{name}"))).unwrap();
        let run = resume(&folder, "scene.toml");
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert_whole(&folder, &expected, name);
        fs::remove_dir_all(folder.path("run")).unwrap();
    }
}

#[test]
fn without_a_snapshot_the_run_starts_from_the_beginning() {
    let folder = folder("resume-nothing");
    let expected = uninterrupted(&folder);
    assert_eq!(resume(&folder, "scene.toml").status, 0);
    assert_whole(&folder, &expected, "no directory");
    fs::remove_dir_all(folder.path("run")).unwrap();
    killed(&folder);
    fs::remove_file(folder.path("run/snapshot.bin")).unwrap();
    assert_eq!(resume(&folder, "scene.toml").status, 0);
    assert_whole(&folder, &expected, "killed before the first snapshot");
}

/// A block whose held corners are flung away, 10¹⁴ m in a tenth of a second, until `back`.
fn flung(back: f64) -> String {
    format!(
        r#"
        frames = 300
        [[body]]
        mesh = {{ box = {{ size = [1, 1, 1], cells = [1, 1, 1] }} }}
        material = {{ model = "corotated", young = 1e5, poisson = 0.3, density = 1000 }}
        [[body.attach]]
        select = {{ vertices = [0, 1, 2] }}
        stiffness = "hard"
        motion = {{ times = [0, 0.1, {back}], translate = [[0, 0, 0], [0, 1e14, 0], [0, 0, 0]] }}
        [integrator]
        solver = {{ projective = {{ iterations = 1 }} }}
        "#
    )
}

#[test]
fn steps_given_up_before_a_kill_are_remembered() {
    let folder = Folder::new("resume-exploded");
    folder.write("scene.toml", flung(0.2));
    let expected = uninterrupted(&folder);
    assert_eq!(expected.summary["exploded"], true);
    let fallbacks = expected.summary["fallbacks"].as_u64().unwrap();
    assert!((1..10).contains(&fallbacks), "{fallbacks} steps of 10 that end a run");

    // A snapshot has the number of frames as its second word. All is well again after the kill.
    let frames = || {
        let snapshot = fs::read(folder.path("run/snapshot.bin")).ok()?;
        Some(u64::from_le_bytes(snapshot.get(8..16)?.try_into().unwrap()))
    };
    let mut child = start(&folder, 1);
    wait_until(&mut child, || frames() > Some(fallbacks));
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "the run was over before the kill");
    assert_eq!(resume(&folder, "scene.toml").status, 0);
    assert_whole(&folder, &expected, "steps were given up");
}

#[test]
fn a_lost_run_is_said_to_be_lost_as_often_as_asked() {
    let folder = Folder::new("resume-lost");
    folder.write("scene.toml", flung(10.0));
    let first = folder.pliant(&["simulate", "scene.toml", "--out", "run", "-q"]);
    assert_eq!((first.status, first.stderr.lines().count()), (1, 1), "{}", first.stderr);
    assert!(first.stderr.contains("could not be continued at step 10"), "{}", first.stderr);
    assert_eq!(folder.list("run"), STOPPED_FILES);
    let (_, samples) = cache_size(&fs::read(folder.path("run/animation.pc2")).unwrap());
    assert_eq!(samples, 11);
    assert_refused(&folder, "scene.toml", "could not be continued at step 10", "lost");
}

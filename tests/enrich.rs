//! `pliant enrich` from outside: a creature of boxes that walks on the spot.

use std::fs;
use std::path::Path;

use crate::pliant::{Folder, Run};
use ::pliant::io::{Animation, Loaded, Pc2Writer, write_mesh};
use ::pliant::mesh::{DVec3, Mesh, shapes};
use serde_json::Value;

const FRAMES: usize = 16;

fn part(size: [f64; 3], center: [f64; 3], cells: [usize; 3]) -> Mesh {
    let mut part = shapes::solid_box(DVec3::from_array(size), cells).unwrap();
    part.positions.iter_mut().for_each(|x| *x += DVec3::from_array(center));
    part
}

/// A body, a tail, and two legs, that run into each other as parts of creatures do.
fn creature() -> Mesh {
    let parts = [
        part([1.2, 0.6, 0.6], [0.0, 0.0, 0.0], [8, 4, 4]),
        part([0.8, 0.12, 0.12], [0.95, 0.15, 0.0], [8, 1, 1]),
        part([0.16, 0.6, 0.16], [-0.4, -0.55, 0.0], [1, 4, 1]),
        part([0.16, 0.6, 0.16], [0.4, -0.55, 0.0], [1, 4, 1]),
    ];
    let mut all = Mesh::default();
    for part in parts {
        let first = all.positions.len() as u32;
        all.positions.extend(&part.positions);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

/// Feet on the ground, all else bobbing and rocking; after [`FRAMES`] as at first.
fn walking(rest: &Mesh, frame: usize) -> Vec<DVec3> {
    let phase = std::f64::consts::TAU * frame as f64 / FRAMES as f64;
    let walk = |x: &DVec3| {
        let share = ((x.y + 0.85) / 0.5).clamp(0.0, 1.0);
        let turned = DVec3::new(x.x, x.y + 0.1 * x.x * phase.cos(), x.z);
        turned + share * DVec3::new(0.05 * phase.cos(), 0.08 * phase.sin(), 0.0)
    };
    // As the file holds them, so that outputs can be compared to the bit.
    let rounded = |x: DVec3| x.as_vec3().as_dvec3();
    rest.positions.iter().map(walk).map(rounded).collect()
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    let rest = creature();
    write_mesh(&folder.path("walk.obj"), &Loaded::from(rest.clone())).unwrap();
    write_cache(&folder.path("walk.pc2"), &rest, |k| walking(&rest, k));
    folder
}

fn write_cache(path: &Path, rest: &Mesh, frame: impl Fn(usize) -> Vec<DVec3>) {
    let mut writer = Pc2Writer::create(path, rest.positions.len(), 0.0, 1.0, FRAMES).unwrap();
    (0..FRAMES).for_each(|k| writer.write_frame(frame(k)).unwrap());
    writer.finish().unwrap();
}

/// Coarse, so that it takes no time.
fn enrich(folder: &Folder, more: &[&str]) -> Run {
    let mut arguments = vec!["enrich", "walk.pc2", "--out", "soft.pc2", "--resolution", "18"];
    arguments.extend(more);
    folder.pliant(&arguments)
}

fn report(folder: &Folder, name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.path(name)).unwrap()).unwrap()
}

fn frames(path: &Path) -> Vec<Vec<DVec3>> {
    let mut animation = Animation::open(path.to_str().unwrap()).unwrap();
    let count = animation.rest().positions.len();
    (0..animation.frame_count())
        .map(|k| {
            let mut frame = vec![DVec3::ZERO; count];
            animation.read_frame(k, &mut frame).unwrap();
            frame
        })
        .collect()
}

#[test]
fn a_word_is_enough_and_its_project_file_says_it_all() {
    let folder = folder("enrich-word");
    let run = enrich(&folder, &["--picture", "both.png"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let listed = folder.list("");
    for file in ["soft.pc2", "soft.obj", "soft.pc2.report.json", "soft.pc2.weights.ply", "both.png"]
    {
        assert!(listed.iter().any(|name| name == file), "{file} is not in {listed:?}");
    }
    assert!(!listed.iter().any(|name| name.contains(".part") || name.contains("snapshot")));
    let report = report(&folder, "soft.pc2.report.json");
    assert_eq!(report["follow_error"], 0.0);
    assert_eq!((&report["inverted"], &report["spikes"]), (&Value::from(0), &Value::from(0)));
    assert!(report["motion_most"].as_f64().unwrap() > 0.01, "{report}");
    // Again, from the project file that was written: the same bytes.
    let run = folder.pliant(&["enrich", "soft.pc2.project.toml", "--out", "again.pc2"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        fs::read(folder.path("again.pc2")).unwrap() == fs::read(folder.path("soft.pc2")).unwrap()
    );
}

#[test]
fn what_follows_has_the_inputs_bits_and_the_feet_are_among_it() {
    let folder = folder("enrich-exact");
    assert_eq!(enrich(&folder, &[]).status, 0);
    let map = ::pliant::io::read_mesh(&folder.path("soft.pc2.weights.ply")).unwrap();
    let exact = &map.attributes.iter().find(|a| a.name == "exact").unwrap().values;
    let [input, output] = ["walk.pc2", "soft.pc2"].map(|name| frames(&folder.path(name)));
    let mut feet = 0;
    for v in (0..exact.len()).filter(|&v| exact[v] == 1.0) {
        feet += usize::from(map.mesh.positions[v].y < -0.8);
        for (a, b) in input.iter().zip(&output) {
            assert_eq!(a[v], b[v], "vertex {v}");
        }
    }
    assert!(feet >= 8, "only {feet} vertices of the feet follow exactly");
}

#[test]
fn a_loop_closes() {
    let folder = folder("enrich-loop");
    assert_eq!(enrich(&folder, &["--loop"]).status, 0);
    let looped = report(&folder, "soft.pc2.report.json");
    assert!(looped["loop"]["gap"].as_f64().unwrap() < 0.01, "{looped}");
    // From the last frame to the first is no more of a way than between others.
    let shapes = frames(&folder.path("soft.pc2"));
    let apart =
        |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let usual = shapes.windows(2).map(|pair| apart(&pair[0], &pair[1])).fold(0.0, f64::max);
    let closing = apart(&shapes[FRAMES - 1], &shapes[0]);
    assert!(closing <= usual, "{closing} against {usual}");
}

#[test]
fn frames_that_are_not_whole_are_interpolated_and_it_is_said() {
    let folder = folder("enrich-gaps");
    let rest = creature();
    write_cache(&folder.path("walk.pc2"), &rest, |k| {
        let mut frame = walking(&rest, k);
        if k == 5 {
            frame[7] = DVec3::NAN;
        }
        if k == 9 {
            frame.fill(DVec3::splat(f64::INFINITY));
        }
        frame
    });
    let run = enrich(&folder, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("interpolated: 5, 9"), "{}", run.stderr);
    assert!(frames(&folder.path("soft.pc2")).iter().flatten().all(|x| x.is_finite()));
    // Frames of their own, of which one is missing.
    for k in (0..6).filter(|k| *k != 3) {
        let pose = Mesh { positions: walking(&rest, k), ..rest.clone() };
        write_mesh(&folder.path(&format!("f{k}.obj")), &Loaded::from(pose)).unwrap();
    }
    let run = folder.pliant(&["enrich", "f*.obj", "--out", "whole.pc2", "--resolution", "12"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("interpolated: 3"), "{}", run.stderr);
    assert_eq!(frames(&folder.path("whole.pc2")).len(), 6);
}

#[test]
fn what_cannot_be_enriched_is_refused_in_one_sentence() {
    let folder = folder("enrich-refused");
    let rest = creature();
    let count = rest.positions.len();
    Pc2Writer::create(&folder.path("none.pc2"), count, 0.0, 1.0, 0).unwrap().finish().unwrap();
    write_mesh(&folder.path("none.obj"), &Loaded::from(rest.clone())).unwrap();
    write_mesh(&folder.path("g1.obj"), &Loaded::from(rest.clone())).unwrap();
    let other = shapes::solid_box(DVec3::ONE, [2, 2, 2]).unwrap();
    write_mesh(&folder.path("g2.obj"), &Loaded::from(other.clone())).unwrap();
    write_mesh(&folder.path("small.ply"), &Loaded::from(other)).unwrap();
    let nowhere = vec![DVec3::NAN; count];
    write_cache(&folder.path("walk.pc2"), &rest, |_| nowhere.clone());
    folder.write("map.toml", "input = 'none.obj'\nweight_map = 'small.ply'");
    folder.write(
        "far.toml",
        "input = 'none.obj'\n[[weight]]\nselect = { vertices = [99999] }\nvalue = 1",
    );
    let cases = [
        (&["none.pc2"][..], "at least one frame"),
        (&["g*.obj"], "expected"),
        (&["walk.pc2"], "not finite in any frame"),
        (&["map.toml"], "small.ply: has 27 vertices, but the animation has"),
        (&["far.toml"], "weight"),
        (&["none.obj", "--frames", "4..9"], "none of those asked for"),
    ];
    for (arguments, expected) in cases {
        let mut all = vec!["enrich"];
        all.extend(arguments);
        all.extend(["--out", "soft.glb", "--resolution", "12"]);
        let run = folder.pliant(&all);
        assert_eq!(run.status, 1, "{arguments:?}: {}{}", run.stdout, run.stderr);
        let said: Vec<&str> = run.stderr.lines().filter(|l| !l.starts_with("note")).collect();
        assert_eq!(said.len(), 1, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{arguments:?}: {}", run.stderr);
        assert!(!folder.path("soft.glb").exists());
    }
}

#[test]
fn one_frame_is_an_animation_and_settles_under_its_weight() {
    let folder = folder("enrich-one");
    let run = folder.pliant(&["enrich", "walk.obj", "--out", "one.obj", "--resolution", "12"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let report = report(&folder, "one.obj.report.json");
    assert_eq!((&report["frames"], &report["spikes"]), (&Value::from(1), &Value::from(0)));
}

#[test]
fn a_weight_of_one_is_the_input_and_a_map_can_be_edited() {
    let folder = folder("enrich-map");
    let rest = creature();
    let mut map = Loaded::from(rest.clone());
    let weights = ::pliant::io::Attribute {
        name: "weight".to_owned(),
        components: 1,
        values: vec![1.0; rest.positions.len()],
    };
    map.attributes.push(weights);
    write_mesh(&folder.path("map.ply"), &map).unwrap();
    folder.write("all.toml", "input = 'walk.pc2'\nresolution = 18\nweight_map = 'map.ply'");
    let run = folder.pliant(&["enrich", "all.toml", "--out", "all.pc2"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(enrich(&folder, &[]).status, 0);
    let most = |name: &str| report(&folder, name)["motion_most"].as_f64().unwrap();
    let (held, free) = (most("all.pc2.report.json"), most("soft.pc2.report.json"));
    assert!(held < 0.2 * free, "{held} against {free}");
}

#[test]
fn a_moving_stick_dents_the_back() {
    let folder = folder("enrich-contact");
    let stick = part([0.2, 0.1, 1.4], [0.0, 0.75, 0.0], [2, 1, 8]);
    write_mesh(&folder.path("stick.obj"), &Loaded::from(stick.clone())).unwrap();
    write_cache(&folder.path("stick.pc2"), &stick, |k| {
        let down = DVec3::Y * (-0.06 * k.min(10) as f64);
        stick.positions.iter().map(|&x| x + down).collect()
    });
    folder.write(
        "meet.toml",
        "input = 'walk.pc2'\nresolution = 18\n[contact]\n[[contact.object]]\nmesh = 'stick.obj'\n\
         cache = 'stick.pc2'",
    );
    let run = folder.pliant(&["enrich", "meet.toml", "--out", "met.pc2"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(enrich(&folder, &[]).status, 0);
    let met = frames(&folder.path("met.pc2"));
    let alone = frames(&folder.path("soft.pc2"));
    let back = |frame: &[DVec3]| {
        let near = |x: &&DVec3| x.x.abs() < 0.15 && x.z.abs() < 0.2 && x.y > 0.0;
        frame.iter().filter(near).map(|x| x.y).fold(f64::NEG_INFINITY, f64::max)
    };
    let dents = (0..FRAMES).map(|k| back(&alone[k]) - back(&met[k]));
    let deepest = dents.fold(0.0, f64::max);
    assert!(deepest > 0.03, "the stick dents the back by {deepest} m only");
    assert_eq!(report(&folder, "met.pc2.report.json")["follow_error"], 0.0);
}

/// Section 7.2: where shapes are blended after the simulation, the blended one meets things, and
/// what is simulated feels it. Of a project in which things fall.
const FALLING: &str = "gravity = [0.0, -9.81, 0.0]";

#[test]
fn a_blended_shape_is_pushed_out_of_a_ball_too() {
    let folder = folder("enrich-blended");
    let ball = "[[contact.object]]\nmesh = { shape = 'ball', resolution = 8 }\n\
        place = { scale = 0.5 }";
    let blend = "[[weight]]\nselect = 'all'\nvalue = 0.3\n[blend]\nmode = 'kinematic'";
    let feet = "[follow]\nselect = { box = { min = [-9.0, -9.0, -9.0], max = [9.0, -0.4, 9.0] } }";
    let overlaps = |name: &str, contact: &str| {
        folder.write(
            "meet.toml",
            format!("input = 'walk.pc2'\nresolution = 14\n{FALLING}\n{feet}\n{blend}\n{contact}"),
        );
        let run = folder.pliant(&["enrich", "meet.toml", "--out", name, "--quiet"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let depth = |x: &DVec3| 0.25 - x.distance(DVec3::Y * 0.25);
        let last = &frames(&folder.path(name))[FRAMES - 1];
        last.iter().map(depth).fold(f64::NEG_INFINITY, f64::max)
    };
    let (met, alone) = (overlaps("met.pc2", ball), overlaps("alone.pc2", ""));
    assert!(alone > 0.05 && met < 0.7 * alone, "{met} m deep with contact, {alone} m without");
    let report = report(&folder, "met.pc2.report.json");
    assert_eq!((&report["follow_error"], &report["spikes"]), (&0.0.into(), &0.into()));
}

#[test]
fn a_soft_ball_falls_onto_the_back_and_both_give_way() {
    let folder = folder("enrich-ball");
    let alone = format!("input = 'walk.pc2'\nresolution = 12\n{FALLING}\n");
    let ball = "[[contact.object]]\nmesh = { shape = 'ball', resolution = 8 }\n\
         place = { scale = 0.4, translate = [0.0, 0.5, 0.0] }\n\
         soft = { young = 2e4, density = 1500.0, velocity = [0.0, -2.0, 0.0] }";
    folder.write("ball.toml", format!("{alone}{ball}"));
    folder.write("alone.toml", alone);
    let part = ["--frames", "0..9", "--quiet"];
    let run = folder.pliant(&[&["enrich", "ball.toml", "--out", "met.pc2"], &part[..]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let alone = ["enrich", "alone.toml", "--out", "soft.pc2"];
    assert_eq!(folder.pliant(&[&alone, &part[..]].concat()).status, 0);
    let [ball, met, alone] =
        ["met.object0.pc2", "met.pc2", "soft.pc2"].map(|name| frames(&folder.path(name)));
    assert_eq!(ball.len(), 10);
    let heights = |x: &[DVec3]| {
        let range = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x.y), high.max(x.y))
        });
        (range, range.1 - range.0)
    };
    // It falls, is stopped by the back, whose top is at about 0.3 m, and is squashed on the way.
    let ((first, _), round) = heights(&ball[0]);
    let lowest = ball.iter().map(|x| heights(x).0.0).fold(f64::INFINITY, f64::min);
    let flattest = ball.iter().map(|x| heights(x).1).fold(f64::INFINITY, f64::min);
    assert!(first > 0.4 && lowest < 0.4 && lowest > 0.1, "from {first} m down to {lowest} m");
    assert!(flattest < 0.97 * round, "{round} m high at first, at least {flattest} m");
    let apart = met.iter().flatten().zip(alone.iter().flatten());
    let dented = apart.map(|(a, b)| b.y - a.y).fold(0.0, f64::max);
    assert!(dented > 0.01, "the ball dents the back by {dented} m only");
    let report = report(&folder, "met.pc2.report.json");
    assert_eq!((&report["follow_error"], &report["spikes"]), (&0.0.into(), &0.into()));
}

#[test]
fn formats_hold_the_same_frames() {
    let folder = folder("enrich-formats");
    for out in ["a.pc2", "a.glb", "a.usda"] {
        let run =
            folder.pliant(&["enrich", "walk.pc2", "--out", out, "--resolution", "12", "--quiet"]);
        assert_eq!(run.status, 0, "{out}: {}", run.stderr);
    }
    let [cache, gltf, usd] = ["a.pc2", "a.glb", "a.usda"].map(|name| frames(&folder.path(name)));
    assert_eq!(cache.len(), FRAMES);
    let apart = |other: &[Vec<DVec3>]| {
        let pairs = cache.iter().flatten().zip(other.iter().flatten());
        pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    };
    assert!(apart(&gltf) < 1e-6 && apart(&usd) < 1e-6, "{} {}", apart(&gltf), apart(&usd));
}

#[cfg(unix)]
#[test]
fn after_a_kill_or_ctrl_c_the_same_bytes_come_out() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use std::time::{Duration, Instant};

    let folder = folder("enrich-resume");
    assert_eq!(enrich(&folder, &["--quiet"]).status, 0);
    let whole = fs::read(folder.path("soft.pc2")).unwrap();
    for signal in [Signal::SIGKILL, Signal::SIGINT] {
        let start = || {
            let arguments = [
                "enrich",
                "walk.pc2",
                "--out",
                "cut.pc2",
                "--resolution",
                "18",
                "--checkpoint",
                "0",
            ];
            let mut command = folder.command(&arguments);
            command.args(["--resume", "--quiet"]).stderr(std::process::Stdio::null());
            command.spawn().unwrap()
        };
        let mut child = start();
        let clock = Instant::now();
        while !folder.path("cut.pc2.snapshot").exists() {
            assert!(clock.elapsed() < Duration::from_secs(60), "nothing happens");
            assert!(child.try_wait().unwrap().is_none(), "over before it could be stopped");
            std::thread::sleep(Duration::from_millis(1));
        }
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
        let status = child.wait().unwrap();
        assert!(!status.success());
        assert!(folder.path("cut.pc2.snapshot").exists(), "{signal}: the place to go on is lost");
        assert_eq!(start().wait().unwrap().code(), Some(0), "{signal}");
        assert!(fs::read(folder.path("cut.pc2")).unwrap() == whole, "{signal}");
        let listed = folder.list("");
        assert!(
            !listed.iter().any(|n| n.contains(".part") || n.contains("snapshot")),
            "{listed:?}"
        );
        fs::remove_file(folder.path("cut.pc2")).unwrap();
    }
}

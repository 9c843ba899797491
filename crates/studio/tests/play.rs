//! Play: what a page does there, and what comes of it.

use std::time::Duration;

use crate::visitor::{Said, Visitor, studio};
use pliant_model::Word;
use pliant_model::method::{Correction, Method, Preset, Scheme, Solver, check};
use serde_json::{Value, json};

/// Where a vertex is in a frame.
fn place(frame: &Said, vertex: usize) -> [f32; 3] {
    let all = frame.floats("positions0");
    [all[3 * vertex], all[3 * vertex + 1], all[3 * vertex + 2]]
}

/// The lowest corner of what is shown: far from what holds the cube.
fn lowest(frame: &Said) -> usize {
    let all = frame.floats("positions0");
    let height = |v: &usize| all[3 * v + 1] + 0.1 * all[3 * v];
    (0..all.len() / 3).min_by(|a, b| height(a).total_cmp(&height(b))).expect("something is shown")
}

fn set(change: Value) -> Value {
    json!({ "do": "set", "change": change, "what": "test", "ended": true })
}

/// A method that ends its search, with or without keeping energy.
fn method(correction: &str) -> Value {
    json!({ "scheme": "backward-euler", "solver": "projective", "iterations": 20, "correction": correction, "filter": 0.0 })
}

#[tokio::test]
async fn a_vertex_that_is_dragged_moves_and_comes_back() {
    let studio = studio();
    let mut visitor = Visitor::enter(&studio, "play").await;
    visitor.order(set(json!({ "damping": { "kind": "ether", "rate": 8.0 }, "pace": 0.0 }))).await;
    let first = visitor.kind("frame").await;
    let vertex = lowest(&first);
    for _ in 0..120 {
        visitor.kind("frame").await;
    }
    let before = place(&visitor.kind("frame").await, vertex);
    visitor.order(json!({ "do": "grab", "vertex": vertex })).await;
    visitor.order(json!({ "do": "drag", "by": [0.6, 0, 0] })).await;
    let pulled = |said: &Said| said.kind() == "frame" && place(said, vertex)[0] > before[0] + 0.15;
    visitor.until(pulled).await;
    visitor.order(json!({ "do": "release" })).await;
    let back = |said: &Said| said.kind() == "frame" && place(said, vertex)[0] < before[0] + 0.08;
    visitor.until(back).await;
    // And undo goes back to before it was pulled.
    visitor.order(json!({ "do": "undo" })).await;
    visitor.until(|said| said.kind() == "state" && said.header["redo"] == "pull").await;
}

#[tokio::test]
async fn the_hand_is_on_the_account() {
    let studio = studio();
    let mut visitor = Visitor::enter(&studio, "play").await;
    visitor
        .order(json!({ "do": "open", "scene": { "demo": { "name": "free", "variant": 0 } } }))
        .await;
    visitor.order(set(json!({ "methods": [method("fepr")], "pace": 0.0 }))).await;
    visitor.order(json!({ "do": "reset" })).await;
    let off = |sample: &[f64]| {
        let (energy, target) = (sample[1] + sample[2], sample[3]);
        (energy - target).abs() / energy.abs().max(target.abs()).max(1.0)
    };
    let frame = visitor.kind("frame").await;
    let vertex = lowest(&frame);
    for _ in 0..20 {
        visitor.samples().await;
    }
    assert!(off(&visitor.samples().await[0]) < 1e-8);
    visitor.order(json!({ "do": "grab", "vertex": vertex })).await;
    let mut worst: f64 = 0.0;
    let mut given: f64 = 0.0;
    let start = visitor.samples().await[0][3];
    for k in 0..40 {
        visitor.order(json!({ "do": "drag", "by": [0.02 * f64::from(k), 0, 0] })).await;
        let sample = visitor.samples().await.remove(0);
        worst = worst.max(off(&sample));
        given = given.max(sample[3] - start);
    }
    assert!(given > 0.1, "the hand has worked: {given} J");
    assert!(worst < 1e-6, "energy is off its account by {worst}");
    visitor.order(json!({ "do": "release" })).await;
    for _ in 0..10 {
        visitor.samples().await;
    }
    // Thrown: it goes on, and both energy and momentum are kept from now on.
    let one = visitor.samples().await.remove(0);
    for _ in 0..30 {
        visitor.samples().await;
    }
    let other = visitor.samples().await.remove(0);
    assert!(off(&other) < 1e-6, "{}", off(&other));
    assert!((other[3] - one[3]).abs() < 1e-6 * one[3].abs().max(1.0), "nobody pulls any more");
    assert!(one[4] > 1.0 && (other[4] - one[4]).abs() < 1e-6 * one[4], "{} {}", one[4], other[4]);
}

#[tokio::test]
async fn switching_the_correction_changes_the_energy_curve() {
    let studio = studio();
    let mut visitor = Visitor::enter(&studio, "play").await;
    visitor
        .order(json!({ "do": "open", "scene": { "demo": { "name": "free", "variant": 0 } } }))
        .await;
    visitor.until(|said| said.kind() == "mesh" && said.header["name"] == "free").await;
    visitor.order(set(json!({ "methods": [method("none"), method("fepr")], "pace": 0.0 }))).await;
    visitor.order(json!({ "do": "reset" })).await;
    let two = |said: &Said| said.kind() == "frame" && said.header["samples"][1][0].is_array();
    visitor.until(two).await;
    for _ in 0..120 {
        visitor.samples().await;
    }
    let lanes = visitor.samples().await;
    let energy = |lane: usize| lanes[lane][1] + lanes[lane][2];
    assert_eq!(lanes[0][0], lanes[1][0], "in lockstep");
    assert!(energy(0) < 0.7 * energy(1), "{} {}", energy(0), energy(1));
    assert!((energy(1) - lanes[1][3]).abs() < 1e-6 * energy(1));
    // Switched while it runs, the curve stops falling.
    visitor.order(set(json!({ "methods": [method("fepr")] }))).await;
    visitor.until(|said| said.kind() == "mesh" && said.header["lanes"] == 1).await;
    let before = visitor.samples().await.remove(0);
    for _ in 0..60 {
        visitor.samples().await;
    }
    let after = visitor.samples().await.remove(0);
    let [a, b] = [before, after].map(|sample| sample[1] + sample[2]);
    assert!((a - b).abs() < 1e-6 * a.abs().max(1e-9), "{a} {b}");
}

#[tokio::test]
async fn every_method_can_be_switched_to_or_says_why_not() {
    let studio = studio();
    let mut visitor = Visitor::enter(&studio, "play").await;
    visitor.order(set(json!({ "pace": 0.0 }))).await;
    for scheme in Scheme::ALL {
        for solver in Solver::ALL {
            let mut changed = method("none");
            changed["scheme"] = json!(scheme.name());
            changed["solver"] = json!(solver.name());
            changed["iterations"] = json!(3);
            visitor.order(set(json!({ "methods": [changed] }))).await;
            let method = Method { scheme: *scheme, solver: *solver, ..Method::default() };
            match check(&method) {
                Ok(()) => drop(visitor.samples().await),
                Err(reason) => refused(&mut visitor, &reason.to_string()).await,
            }
        }
    }
    // What a scene file may not ask for, a page may not either.
    let vivid = json!({ "scheme": "implicit-midpoint", "solver": "xpbd", "iterations": 5, "correction": "fepr", "filter": 0.1 });
    visitor.order(set(json!({ "methods": [vivid] }))).await;
    refused(&mut visitor, "cannot solve `implicit-midpoint`").await;
    visitor.order(set(json!({ "methods": [method("fepr")], "wind": [5.0, 0, 0], "stiffness": 3.0, "step": 0.01 }))).await;
    visitor.samples().await;
}

/// Waits for an error that contains a sentence.
async fn refused(visitor: &mut Visitor, sentence: &str) {
    let names =
        |said: &Said| said.header["sentence"].as_str().is_some_and(|s| s.contains(sentence));
    visitor.until(|said| said.kind() == "error" && names(said)).await;
}

#[tokio::test]
async fn menus_have_every_word_of_the_vocabulary() {
    let studio = studio();
    let mut visitor = Visitor::enter(&studio, "play").await;
    let library = visitor.kind("library").await;
    let menus = &library.header["menus"];
    let names = |menu: &str| -> Vec<&str> {
        menus[menu].as_array().unwrap().iter().filter_map(|entry| entry["value"].as_str()).collect()
    };
    assert_eq!(names("schemes"), Scheme::NAMES);
    assert_eq!(names("solvers"), Solver::NAMES);
    assert_eq!(names("corrections"), [&["none"], Correction::NAMES].concat());
    assert_eq!(names("presets"), Preset::NAMES);
    assert_eq!(menus["presets"][0]["method"]["correction"], "fepr");
}

#[tokio::test]
async fn a_slow_page_drops_frames_and_the_simulation_goes_on() {
    let studio = studio();
    let mut slow = Visitor::enter(&studio, "play").await;
    let mut quick = Visitor::enter(&studio, "play").await;
    quick.order(set(json!({ "pace": 0.0 }))).await;
    // It says nothing of what it has shown.
    slow.is_polite = false;
    let one = slow.kind("frame").await.header["number"].as_u64().unwrap();
    let two = slow.kind("frame").await.header["number"].as_u64().unwrap();
    for _ in 0..200 {
        quick.kind("frame").await;
    }
    let last = quick.kind("frame").await.header["number"].as_u64().unwrap();
    assert!(last > two + 100, "{one} {two} {last}");
    let third = tokio::time::timeout(Duration::from_millis(300), slow.kind("frame")).await;
    assert!(third.is_err(), "two frames are on their way, and no more");
    slow.order(json!({ "do": "shown", "number": two })).await;
    let next = slow.kind("frame").await.header["number"].as_u64().unwrap();
    assert!(next >= last, "the latest: {next} after {last}");
}

#[tokio::test]
async fn whoever_comes_later_finds_everything_as_it_was() {
    let studio = studio();
    let mut first = Visitor::enter(&studio, "play").await;
    first
        .order(json!({ "do": "open", "scene": { "demo": { "name": "free", "variant": 0 } } }))
        .await;
    first.order(set(json!({ "stiffness": 2.5 }))).await;
    first.until(|said| said.kind() == "state" && said.header["settings"]["stiffness"] == 2.5).await;
    let mut second = Visitor::enter(&studio, "play").await;
    let mesh = second.kind("mesh").await;
    assert_eq!(mesh.header["name"], "free");
    let state = second.kind("state").await;
    assert_eq!(state.header["settings"]["stiffness"], 2.5);
    let time = second.samples().await[0][0];
    // Killed, both of them, without a word.
    drop(first);
    drop(second);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut third = Visitor::enter(&studio, "play").await;
    let sample = third.samples().await.remove(0);
    assert!(sample[0] >= time, "it went on from there: {} {time}", sample[0]);
    third.order(json!({ "do": "undo" })).await;
    third.until(|said| said.kind() == "state" && said.header["settings"]["stiffness"] == 1.0).await;
    third.order(json!({ "do": "redo" })).await;
    third.until(|said| said.kind() == "state" && said.header["settings"]["stiffness"] == 2.5).await;
}

#[tokio::test]
async fn a_page_that_is_killed_lets_go() {
    let studio = studio();
    let mut watching = Visitor::enter(&studio, "play").await;
    let mut pulling = Visitor::enter(&studio, "play").await;
    let vertex = lowest(&pulling.kind("frame").await);
    pulling.order(json!({ "do": "grab", "vertex": vertex })).await;
    pulling.order(json!({ "do": "drag", "by": [0.5, 0, 0] })).await;
    watching.until(|said| said.kind() == "state" && said.header["held"] == true).await;
    drop(pulling);
    watching.until(|said| said.kind() == "state" && said.header["held"] == false).await;
}

#[tokio::test]
async fn many_pages_come_and_go() {
    let studio = studio();
    for _ in 0..40 {
        let mut visitor = Visitor::enter(&studio, "play").await;
        visitor.kind("frame").await;
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut pages = Vec::new();
    for _ in 0..16 {
        pages.push(Visitor::enter(&studio, "play").await);
    }
    for page in &mut pages {
        page.kind("frame").await;
    }
    let origin = format!("http://{}", studio.address());
    let more = Visitor::knock(&studio, "play", studio.token(), Some(&origin)).await;
    assert!(more.is_err(), "there is room for sixteen");
    drop(studio);
    for page in &mut pages {
        while page.hear().await.is_some() {}
    }
}

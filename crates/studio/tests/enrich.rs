//! Enrich: what is painted, what becomes of it, and the files that say so.

use std::fs;

use crate::visitor::{
    SHAKEN, Said, Visitor, bar, options, own_headers, request, shaken_project, studio, write_shaken,
};
use pliant_enrich::Project;
use pliant_io::Animation;
use pliant_studio::{Studio, StudioOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

fn paint(vertices: &[u32], brush: Value) -> Value {
    json!({ "do": "paint", "vertices": vertices, "brush": brush, "what": "test", "ended": true })
}

/// Vertices of the bar beyond a place along it.
fn beyond(x: f64) -> Vec<u32> {
    let mesh = bar();
    (0..mesh.positions.len() as u32).filter(|v| mesh.positions[*v as usize].x > x).collect()
}

fn is_done(said: &Said) -> bool {
    said.kind() == "state" && said.header["run"].is_null() && said.header["result"].is_object()
}

fn open(folder: &TempDir, file: &str) -> Studio {
    let file = Some(folder.path().join(file));
    Studio::open(StudioOptions { file, ..options() }).unwrap()
}

#[tokio::test]
async fn what_is_painted_is_filled_in_and_can_be_undone() {
    let studio = studio();
    let mut visitor = Visitor::enter(&studio, "enrich").await;
    visitor.kind("mesh").await;
    let tets = visitor.kind("tets").await;
    assert!(tets.floats("positions").len() > 100);
    let before = visitor.kind("paint").await;
    let (tip, middle) = (beyond(0.49), beyond(0.1));
    let exact = before.floats("exact");
    assert!(exact.contains(&1.0) && tip.iter().all(|v| exact[*v as usize] == 0.0));
    assert!(before.floats("painted").iter().all(|w| *w < 0.0));

    // A weight at the tip: smoothly from 1, where the bar follows, to it.
    visitor.order(paint(&tip, json!({ "kind": "weight", "value": 0.25 }))).await;
    let painted = |said: &Said| said.kind() == "paint" && said.floats("painted").contains(&0.25);
    let after = visitor.until(painted).await;
    let weights = after.floats("weights");
    assert!(tip.iter().all(|v| (weights[*v as usize] - 0.25).abs() < 0.1));
    let between: Vec<u32> = middle.into_iter().filter(|v| !beyond(0.3).contains(v)).collect();
    let inside = |v: &u32| weights[*v as usize] > 0.26 && weights[*v as usize] < 1.0;
    assert!(
        between.iter().all(inside),
        "{:?}",
        between.iter().map(|v| weights[*v as usize]).collect::<Vec<_>>()
    );
    assert!(after.floats("solid").len() * 3 == tets.floats("positions").len());

    visitor.order(json!({ "do": "undo" })).await;
    visitor.until(|said| said.kind() == "paint" && !painted(said)).await;
    visitor.order(json!({ "do": "redo" })).await;
    visitor.until(painted).await;

    for (command, words) in [
        (paint(&[1_000_000], json!({ "kind": "follow" })), "There is no vertex 1000000"),
        (paint(&tip, json!({ "kind": "weight", "value": 1.5 })), "from 0, physics, to 1"),
        (paint(&tip, json!({ "kind": "stiffness", "young": -1.0 })), "stiffness"),
        (paint(&beyond(-2.0), json!({ "kind": "clear" })), "Something has to follow"),
        (
            json!({ "do": "set", "change": { "resolution": 1 }, "what": "x", "ended": true }),
            "resolution",
        ),
        (json!({ "do": "open", "source": { "file": "../walk.glb" } }), "not in the opened project"),
        (json!({ "do": "open", "source": { "built-in": "sphinx" } }), "There is no animation"),
        (
            json!({ "do": "save", "name": "soft", "format": "glb", "over": false }),
            "No folder is open",
        ),
        (json!({ "do": "make", "what": "result", "format": "glb" }), "There is no result yet"),
        (json!({ "do": "dance" }), "Enrich does not know that"),
    ] {
        visitor.order(command).await;
        let sentence = visitor.complaint().await;
        assert!(sentence.contains(words), "{words}: {sentence}");
    }
}

#[tokio::test]
async fn an_enrichment_runs_is_scrubbed_and_saved_with_its_project() {
    let folder = TempDir::new().unwrap();
    write_shaken(&folder.path().join("walk.pc2"), 30.0, SHAKEN);
    fs::write(folder.path().join("bar.toml"), shaken_project()).unwrap();
    let studio = open(&folder, "bar.toml");
    let mut visitor = Visitor::enter(&studio, "enrich").await;
    let mesh = visitor.kind("mesh").await;
    assert_eq!(mesh.header["groups"][0][0], "right");
    visitor.kind("paint").await;
    visitor.order(paint(&beyond(0.3), json!({ "kind": "weight", "value": 0.05 }))).await;
    visitor.order(paint(&beyond(0.0), json!({ "kind": "stiffness", "young": 5e3 }))).await;
    visitor.order(json!({ "do": "enrich" })).await;
    let done = visitor.until(is_done).await;
    assert_eq!(done.header["result"]["frames"], SHAKEN);
    assert_eq!(done.header["result"]["isStale"], false);
    assert_eq!(done.header["result"]["report"]["followError"], 0.0);
    assert!(done.header["result"]["report"]["motionMost"].as_f64().unwrap() > 0.002);

    // What follows is the input to the last bit; the tip is elsewhere.
    visitor.order(json!({ "do": "seek", "frame": 6 })).await;
    let frame = visitor.until(|said| said.kind() == "frame" && said.header["cursor"] == 6).await;
    let (input, result) = (frame.floats("input"), frame.floats("result"));
    let apart = |v: u32| (0..3).any(|c| input[3 * v as usize + c] != result[3 * v as usize + c]);
    assert!(beyond(0.45).into_iter().any(apart));
    let held = (0..input.len() as u32 / 3).filter(|v| !beyond(-0.25).contains(v));
    assert!(!held.into_iter().any(apart));

    visitor
        .order(json!({ "do": "save", "name": "bar_soft", "format": "pc2", "over": false }))
        .await;
    let saved = visitor.kind("saved").await;
    assert_eq!(saved.header["files"], json!(["bar_soft.toml", "bar_soft.pc2", "bar_soft.obj"]));
    let text = fs::read_to_string(folder.path().join("bar_soft.toml")).unwrap();
    let project = Project::parse(&text).unwrap();
    assert_eq!((project.weights.len(), project.regions.len()), (1, 1));
    assert_eq!((project.weights[0].values[0], project.regions[0].young), (0.05, 5e3));
    assert_eq!(project.gamma, Some(1e-10));
    let cache = folder.path().join("bar_soft.pc2");
    let mut written = Animation::open(cache.to_str().unwrap()).unwrap();
    let mut positions = written.rest().positions.clone();
    written.read_frame(6, &mut positions).unwrap();
    let of_page: Vec<f32> = positions.iter().flat_map(|x| x.to_array()).map(|x| x as f32).collect();
    assert_eq!(of_page, result);

    // Saved files may be saved again, others are left alone.
    visitor
        .order(json!({ "do": "save", "name": "bar_soft", "format": "pc2", "over": false }))
        .await;
    visitor.kind("saved").await;
    visitor.order(json!({ "do": "save", "name": "bar", "format": "pc2", "over": false })).await;
    assert_eq!(visitor.kind("exists").await.header["file"], "bar.toml");
    visitor.order(json!({ "do": "save", "name": "../bar", "format": "pc2", "over": false })).await;
    assert!(visitor.complaint().await.contains("not in the opened project"));

    // To be taken along, by whoever has the token.
    visitor.order(json!({ "do": "make", "what": "project", "format": "glb" })).await;
    let made = visitor.kind("made").await.header["file"].as_str().unwrap().to_owned();
    let (headers, token) = (own_headers(&studio), studio.token().to_owned());
    let get = |name: &str, token: &str| {
        request(&studio, &format!("GET /made/{name}?token={token}"), &headers, b"")
    };
    let (status, answer) = get(&made, &token);
    assert!(status == 200 && answer.ends_with(&text), "{status}");
    assert_eq!(get(&made, "wrong").0, 403);
    assert_eq!(get("..%2Fbar.toml", &token).0, 404);

    // What was painted since makes it stale, and undo makes it what it was.
    visitor.order(paint(&beyond(0.3), json!({ "kind": "clear" }))).await;
    visitor.until(|said| said.kind() == "state" && said.header["result"]["isStale"] == true).await;
    visitor.order(json!({ "do": "undo" })).await;
    visitor.until(|said| said.kind() == "state" && said.header["result"]["isStale"] == false).await;
}

#[tokio::test]
async fn animations_of_files_are_opened_and_a_run_can_be_stopped() {
    let folder = TempDir::new().unwrap();
    write_shaken(&folder.path().join("walk.pc2"), 24.0, 400);
    fs::create_dir(folder.path().join("frames")).unwrap();
    write_shaken(&folder.path().join("frames/f-*.obj"), 24.0, 5);
    fs::write(folder.path().join("walk.toml"), shaken_project()).unwrap();
    let studio = open(&folder, "walk.toml");
    let mut visitor = Visitor::enter(&studio, "enrich").await;
    let library = visitor.kind("library").await;
    assert_eq!(library.header["projects"], json!(["walk.toml"]));
    assert_eq!(library.header["animations"], json!(["walk.pc2", "frames/f-*.obj"]));
    visitor.kind("paint").await;
    visitor.order(json!({ "do": "enrich" })).await;
    visitor.until(|said| said.kind() == "state" && said.header["run"]["done"] == 3).await;
    visitor.order(json!({ "do": "stop" })).await;
    let stopped = visitor.until(is_done).await;
    let frames = stopped.header["result"]["frames"].as_u64().unwrap();
    assert!((3..400).contains(&frames), "{frames}");

    visitor.order(json!({ "do": "open", "source": { "file": "frames/f-*.obj" } })).await;
    visitor.until(|said| said.kind() == "state" && said.header["frames"] == 5).await;
    visitor.order(json!({ "do": "undo" })).await;
    visitor.until(|said| said.kind() == "state" && said.header["frames"] == 400).await;

    // A folder is opened at its first project.
    drop(studio);
    let studio = open(&folder, "");
    let mut visitor = Visitor::enter(&studio, "enrich").await;
    assert_eq!(visitor.kind("state").await.header["name"], "walk.toml");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_a_sentence_beside_what_is_built_in() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("walk.glb"), "no glTF").unwrap();
    let studio = open(&folder, "walk.glb");
    let mut visitor = Visitor::enter(&studio, "enrich").await;
    let mut kinds = Vec::new();
    while !(kinds.contains(&"error".to_owned()) && kinds.contains(&"mesh".to_owned())) {
        kinds.push(visitor.hear().await.expect("it is told").kind().to_owned());
    }
}

#[tokio::test]
async fn what_is_uploaded_is_enriched_and_taken_along() {
    let folder = TempDir::new().unwrap();
    write_shaken(&folder.path().join("walk.pc2"), 24.0, 6);
    let studio = studio();
    let project = shaken_project().into_bytes();
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let files =
        [("walk.pc2", read("walk.pc2")), ("walk.obj", read("walk.obj")), ("walk.toml", project)];
    for (name, bytes) in files {
        let head = format!("POST /upload/{name}?token={}", studio.token());
        assert_eq!(request(&studio, &head, &own_headers(&studio), &bytes).0, 200);
    }
    let mut visitor = Visitor::enter(&studio, "enrich").await;
    visitor.order(json!({ "do": "open", "source": { "file": "upload:walk.toml" } })).await;
    visitor.until(|said| said.kind() == "state" && said.header["frames"] == 6).await;
    visitor.kind("paint").await;
    visitor.order(json!({ "do": "enrich" })).await;
    visitor.until(is_done).await;
    visitor.order(json!({ "do": "save", "name": "soft", "format": "glb", "over": false })).await;
    assert!(visitor.complaint().await.contains("was uploaded"));
    visitor.order(json!({ "do": "make", "what": "result", "format": "glb" })).await;
    assert_eq!(visitor.kind("made").await.header["file"], "walk_soft.glb");
    let head = format!("GET /made/walk_soft.glb?token={}", studio.token());
    let (status, answer) = request(&studio, &head, &own_headers(&studio), b"");
    assert!(status == 200 && answer.contains("glTF"), "{status}");
}

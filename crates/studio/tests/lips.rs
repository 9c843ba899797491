//! Lips: a contour is drawn, joins the training set, and all frames are the better for it.

use std::fs;

use crate::visitor::{Said, Visitor, options};
use pliant_io::{Animation, AnimationWriter, write_mesh};
use pliant_lips::model_file;
use pliant_lips::performance::Performance;
use pliant_studio::{Studio, StudioOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Frames of the performance that the folder has.
const FRAMES: usize = 60;

/// A coarse performance, as `pliant lips demo` writes it.
fn folder(show: &Performance) -> TempDir {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    write_mesh(&at("rest.obj"), &show.rest().clone().into()).unwrap();
    for (name, is_true) in [("capture.pc2", false), ("truth.pc2", true)] {
        let rest = show.rest().clone().into();
        let mut writer = AnimationWriter::create(&at(name), rest, 30.0, FRAMES).unwrap();
        for k in 0..FRAMES {
            let frame = if is_true { show.truth(4 * k) } else { show.captured(4 * k) };
            writer.write_frame(&frame).unwrap();
        }
        writer.finish().unwrap();
    }
    for (name, ids) in
        [("inner.txt", show.inner()), ("mouth.txt", show.around()), ("lips.txt", show.seeds())]
    {
        let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
        fs::write(at(name), text).unwrap();
    }
    folder
}

/// Where the mouth is looked at from, and a line where its lips should meet.
fn line(points: &[[f64; 2]]) -> Value {
    json!({
        "do": "draw",
        "camera": { "eye": [0, 0, 0.4], "target": [0, 0, 0], "up": [0, 1, 0], "field_of_view": 20, "width": 800, "height": 800 },
        "points": points,
        "closed": false,
        "handles": [[0.0, 0.0, 0.0]],
        "ended": true,
    })
}

const CLOSED: [[f64; 2]; 3] = [[255.0, 417.0], [400.0, 410.0], [545.0, 417.0]];

fn apart(said: &Said, a: &str, b: &str) -> f32 {
    let (a, b) = (said.floats(a), said.floats(b));
    a.iter().zip(&b).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}

#[tokio::test]
async fn a_drawn_contour_is_learned_from_and_everything_can_be_undone() {
    let show = Performance::new(48, 20).unwrap();
    let folder = folder(&show);
    let file = Some(folder.path().to_owned());
    let studio = Studio::open(StudioOptions { file, ..options() }).unwrap();
    let mut visitor = Visitor::enter(&studio, "lips").await;
    let mesh = visitor.kind("mesh").await;
    assert_eq!(mesh.floats("rest").len(), 3 * show.rest().positions.len());
    let state =
        visitor.until(|said| said.kind() == "state" && said.header["suggestion"].is_object()).await;
    assert_eq!((&state.header["folder"], &state.header["frames"]), (&json!(""), &json!(FRAMES)));
    let first = state.header["suggestion"]["frame"].as_u64().unwrap();
    assert!(state.header["suggestion"]["score"].as_f64().unwrap() > 0.99);

    // Without a corrected frame, captures stay as they are.
    visitor.order(json!({ "do": "seek", "frame": first })).await;
    let frame =
        visitor.until(|said| said.kind() == "frame" && said.header["cursor"] == first).await;
    assert_eq!(apart(&frame, "captured", "corrected"), 0.0);

    visitor.order(json!({ "do": "add" })).await;
    assert!(visitor.complaint().await.contains("Nothing is drawn"));
    visitor.order(line(&CLOSED)).await;
    let is_shown = |said: &Said| said.kind() == "frame" && !said.floats("drawn").is_empty();
    let is_told = |said: &Said| said.kind() == "state" && said.header["drawn"].is_object();
    let [drawn, state] = visitor.both(is_shown, is_told).await;
    assert!(apart(&drawn, "captured", "drawn") > 1e-3);
    assert!(state.header["drawn"]["meanPixels"].as_f64().unwrap() < 2.0);

    visitor.order(json!({ "do": "add" })).await;
    let taught = |said: &Said| said.kind() == "state" && said.header["training"] == json!([first]);
    let state = visitor.until(taught).await;
    assert_ne!(state.header["suggestion"]["frame"], first);
    visitor.order(json!({ "do": "undo" })).await;
    visitor.until(|said| said.kind() == "state" && said.header["training"] == json!([])).await;
    visitor.order(json!({ "do": "redo" })).await;
    visitor.until(taught).await;
    visitor.order(json!({ "do": "open", "source": "built-in" })).await;
    visitor.until(|said| said.kind() == "state" && said.header["folder"].is_null()).await;
    visitor.order(json!({ "do": "undo" })).await;
    visitor.until(|said| taught(said) && said.header["folder"] == "").await;

    for (command, words) in [
        (line(&[[1.0, 1.0], [1.0, 1.0]]), "two different points"),
        (json!({ "do": "remove", "frame": 999 }), "is not among those"),
        (json!({ "do": "open", "source": { "folder": "../" } }), "found none"),
        (json!({ "do": "sing" }), "Lips does not know that"),
    ] {
        visitor.order(command).await;
        let sentence = visitor.complaint().await;
        assert!(sentence.contains(words), "{words}: {sentence}");
    }
}

#[tokio::test]
async fn suggested_frames_that_are_corrected_make_all_better_and_are_saved() {
    let show = Performance::new(48, 20).unwrap();
    let folder = folder(&show);
    let file = Some(folder.path().to_owned());
    let studio = Studio::open(StudioOptions { file, ..options() }).unwrap();
    let mut visitor = Visitor::enter(&studio, "lips").await;
    let mut state = visitor.kind("state").await;
    for count in 1..=6 {
        while !state.header["suggestion"].is_object() {
            state = visitor.kind("state").await;
        }
        let next = state.header["suggestion"]["frame"].as_u64().unwrap();
        visitor.order(json!({ "do": "seek", "frame": next })).await;
        visitor.order(json!({ "do": "truth" })).await;
        let taught = |said: &Said| {
            let all = said.header["training"].as_array().map_or(0, Vec::len);
            said.kind() == "state" && all == count
        };
        state = visitor.until(taught).await;
    }
    let [before, after] = [0, 1].map(|k| state.header["errors"][k].as_f64().unwrap());
    assert!(after < 0.6 * before, "{before} mm became {after}");

    visitor.order(json!({ "do": "save", "over": false })).await;
    visitor.kind("saved").await;
    let model = model_file::decode(&fs::read(folder.path().join("mouth.lips")).unwrap()).unwrap();
    assert_eq!(model.samples().len(), 6);
    assert_eq!(fs::read_dir(folder.path().join("fix")).unwrap().count(), 6);
    let path = folder.path().join("corrected.pc2");
    let corrected = Animation::open(path.to_str().unwrap()).unwrap();
    assert_eq!(corrected.frame_count(), FRAMES);

    // Whoever opens the folder again finds what was corrected.
    drop(studio);
    let file = Some(folder.path().to_owned());
    let studio = Studio::open(StudioOptions { file, ..options() }).unwrap();
    let mut visitor = Visitor::enter(&studio, "lips").await;
    let again = visitor.kind("state").await;
    assert_eq!(again.header["training"].as_array().unwrap().len(), 6);
    // What was there before is written over only when that is asked for.
    visitor.order(json!({ "do": "save", "over": false })).await;
    assert_eq!(visitor.kind("exists").await.header["file"], "mouth.lips");
    visitor.order(json!({ "do": "save", "over": true })).await;
    visitor.kind("saved").await;
}

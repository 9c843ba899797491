//! Face: sliders, effects, performances and fits, on a coarse head.

use std::fs;
use std::path::Path;

use crate::visitor::{Said, Visitor, options};
use pliant_face::{BuildOptions, Template, build};
use pliant_math::team::Team;
use pliant_studio::{Studio, StudioOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

fn set(change: Value) -> Value {
    json!({ "do": "set", "change": change, "what": "test", "ended": true })
}

fn furthest(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}

/// A head as coarse as heads can be, its weights, and two meshes, in a folder.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let team = Team::new(1);
    let template = Template::built_in(0.006, &team).unwrap();
    let (face, _) =
        build(&template, Path::new("test"), &BuildOptions { size: 0.012 }, &team).unwrap();
    fs::write(folder.path().join("head.face"), face.encode()).unwrap();
    fs::write(folder.path().join("talk.csv"), "frame,jawOpen\n0,0\n1,0.5\n2,0.8\n3,0.3\n").unwrap();
    let square = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    fs::write(folder.path().join("target.obj"), square).unwrap();
    fs::write(folder.path().join("result.obj"), square.replace("v 1 0 0", "v 1 0 0.002")).unwrap();
    fs::write(folder.path().join("other.obj"), square.replace("f ", "v 1 1 0\nf ")).unwrap();
    folder
}

#[tokio::test]
async fn sliders_move_the_face_and_everything_can_be_undone() {
    let folder = folder();
    let file = Some(folder.path().join("head.face"));
    let studio = Studio::open(StudioOptions { file, ..options() }).unwrap();
    let mut visitor = Visitor::enter(&studio, "face").await;
    let mesh = visitor.kind("mesh").await;
    let library = visitor.kind("library").await;
    assert_eq!(library.header["muscles"].as_array().unwrap().len(), 67);
    let rest = mesh.floats("rest");
    let moved = |said: &Said, by: f32| {
        said.kind() == "frame" && furthest(&said.floats("positions"), &rest) > by
    };

    visitor.order(set(json!({ "shapes": { "jawOpen": 0.8 } }))).await;
    let open = visitor.until(|said| moved(said, 0.01)).await;
    assert!(open.header["jaw"][0].as_f64().unwrap() > 3.0);
    visitor.order(json!({ "do": "undo" })).await;
    visitor
        .until(|said| said.kind() == "frame" && furthest(&said.floats("positions"), &rest) < 1e-3)
        .await;

    visitor
        .order(set(json!({ "shapes": { "mouthSmileLeft": 1.0, "mouthSmileRight": 1.0 } })))
        .await;
    let smile = visitor.until(|said| moved(said, 0.002)).await;
    let warm = smile.floats("activation").iter().copied().fold(0.0, f32::max);
    assert!(warm > 0.02, "muscles are at work: {warm}");
    assert!(smile.floats("strains").iter().any(|s| *s < -0.01));

    // Half of the face does not obey: the left is still.
    visitor.order(set(json!({ "palsy": [1.0, 0.0] }))).await;
    visitor.kind("mesh").await;
    let lame = visitor.until(|said| moved(said, 0.002)).await;
    let side = |said: &Said, sign: f32| {
        let now = said.floats("positions");
        let apart = |v: usize| {
            (0..3).map(|c| (now[3 * v + c] - rest[3 * v + c]).powi(2)).sum::<f32>().sqrt()
        };
        let own = (0..rest.len() / 3).filter(|v| sign * rest[3 * v] > 0.01);
        own.map(apart).fold(0.0, f32::max)
    };
    assert!(
        side(&lame, 1.0) < 0.6 * side(&lame, -1.0),
        "{} {}",
        side(&lame, 1.0),
        side(&lame, -1.0)
    );

    visitor.order(json!({ "do": "neutral" })).await;
    visitor
        .until(|said| said.kind() == "state" && said.header["settings"]["palsy"][0] == 0.0)
        .await;
    visitor.order(json!({ "do": "load", "file": "talk.csv" })).await;
    visitor.until(|said| said.kind() == "state" && said.header["performance"]["frames"] == 4).await;
    visitor.until(|said| moved(said, 0.008)).await;
    visitor.order(json!({ "do": "load", "file": "../talk.csv" })).await;
    assert!(visitor.complaint().await.ends_with("is not in the opened project"));
    visitor.order(json!({ "do": "load", "file": "target.obj" })).await;
    assert!(!visitor.complaint().await.is_empty());

    visitor.order(json!({ "do": "compare", "target": "target.obj", "result": "result.obj" })).await;
    let fit = visitor.kind("fit").await;
    assert!((fit.header["most"].as_f64().unwrap() - 2.0).abs() < 1e-6);
    assert_eq!(fit.floats("errors"), [0.0, 2.0, 0.0]);
    visitor.order(json!({ "do": "compare", "target": "target.obj", "result": "other.obj" })).await;
    assert!(visitor.complaint().await.contains("the same mesh twice"));
    for (change, words) in [
        (json!({ "shapes": { "jawOpen": 1e9 } }), "weights"),
        (json!({ "fat": { "cheeks": 0.0 } }), "fat"),
        (json!({ "fat": { "nowhere": 1.5 } }), "nowhere"),
    ] {
        visitor.order(set(change)).await;
        let sentence = visitor.complaint().await;
        assert!(sentence.contains(words), "{words}: {sentence}");
    }
}

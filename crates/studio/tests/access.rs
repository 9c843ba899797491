//! Who comes in, what can be read, and what strangers do.

use std::fs;

use crate::visitor::{CUBE, Visitor, options, own_headers, request, studio};
use pliant_studio::{Studio, StudioOptions};
use serde_json::json;
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::{Error, Message};

fn refused(outcome: Result<Visitor, Error>) -> u16 {
    match outcome {
        Err(Error::Http(answer)) => answer.status().as_u16(),
        Err(other) => panic!("{other}"),
        Ok(_) => 200,
    }
}

#[tokio::test]
async fn only_the_token_opens_the_door() {
    let studio = studio();
    let own = own_headers(&studio);
    let token = studio.token();
    assert_eq!(request(&studio, &format!("GET /?token={token}"), &own, b"").0, 200);
    for wrong in ["", "0", &token[1..], &token.to_uppercase().replace('A', "B")] {
        assert_eq!(request(&studio, &format!("GET /?token={wrong}"), &own, b"").0, 403);
        let upload = format!("POST /upload/a.csv?token={wrong}");
        assert_eq!(request(&studio, &upload, &own, b"frame\n").0, 403);
        let origin = format!("http://{}", studio.address());
        assert_eq!(refused(Visitor::knock(&studio, "play", wrong, Some(&origin)).await), 403);
    }
    assert_eq!(request(&studio, "GET /", &own, b"").0, 403);
}

#[tokio::test]
async fn pages_of_other_sites_are_not_let_in() {
    let studio = studio();
    let token = studio.token();
    let port = studio.address().port();
    for origin in
        ["http://example.org", "null", &format!("http://127.0.0.1:{}", port ^ 1), "file://"]
    {
        assert_eq!(
            refused(Visitor::knock(&studio, "play", token, Some(origin)).await),
            403,
            "{origin}"
        );
        let headers = format!("Host: {}\r\nOrigin: {origin}\r\n", studio.address());
        let upload = format!("POST /upload/a.csv?token={token}");
        assert_eq!(request(&studio, &upload, &headers, b"x").0, 403);
    }
    assert_eq!(refused(Visitor::knock(&studio, "play", token, None).await), 403);
    // A name that somebody has made lead here.
    let headers = format!("Host: evil.example:{port}\r\nOrigin: http://evil.example:{port}\r\n");
    assert_eq!(request(&studio, &format!("GET /?token={token}"), &headers, b"").0, 403);
    let origin = format!("http://{}", studio.address());
    assert_eq!(refused(Visitor::knock(&studio, "nowhere", token, Some(&origin)).await), 404);
}

#[tokio::test]
async fn nothing_outside_the_project_is_read() {
    let folder = TempDir::new().unwrap();
    let project = folder.path().join("project");
    fs::create_dir_all(project.join("deeper")).unwrap();
    fs::write(project.join("scene.toml"), CUBE).unwrap();
    fs::write(project.join("deeper/other.toml"), CUBE.replace("'cube'", "'deep'")).unwrap();
    fs::write(folder.path().join("secret.toml"), CUBE).unwrap();
    let reads_out = CUBE
        .replace("{ box = { size = [1, 1, 1], cells = [4, 4, 4] } }", "{ file = '../secret.msh' }");
    fs::write(project.join("reads_out.toml"), reads_out).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("secret.toml"), project.join("link.toml"))
        .unwrap();
    let file = Some(project.join("scene.toml"));
    let studio = Studio::open(StudioOptions { file, ..options() }).unwrap();
    let own = own_headers(&studio);
    for path in
        ["/../secret.toml", "/..%2fsecret.toml", "/scene.toml", "/etc/passwd", "//etc/passwd"]
    {
        let (status, answer) =
            request(&studio, &format!("GET {path}?token={}", studio.token()), &own, b"");
        assert!((400..500).contains(&status), "{path}: {status}");
        assert!(!answer.contains("root:") && !answer.contains("material"), "{path}");
    }
    let mut visitor = Visitor::enter(&studio, "play").await;
    let secret = folder.path().join("secret.toml");
    let named = [
        "../secret.toml",
        "deeper/../../secret.toml",
        secret.to_str().unwrap(),
        "link.toml",
        "",
        ".",
    ];
    for name in named {
        visitor.order(json!({ "do": "open", "scene": { "file": name } })).await;
        let sentence = visitor.complaint().await;
        assert!(sentence.ends_with("is not in the opened project"), "{name}: {sentence}");
    }
    visitor.order(json!({ "do": "open", "scene": { "file": "reads_out.toml" } })).await;
    let sentence = visitor.complaint().await;
    assert!(sentence.contains("is not in the opened project"), "{sentence}");
    visitor.order(json!({ "do": "open", "scene": { "file": "deeper/other.toml" } })).await;
    visitor.until(|said| said.kind() == "mesh" && said.header["name"] == "deep").await;
}

#[tokio::test]
async fn a_file_that_is_no_scene_leaves_play_with_one() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("project.toml"), "input = 'puppet:elephant'\n").unwrap();
    let file = Some(folder.path().join("project.toml"));
    let studio = Studio::open(StudioOptions { file, ..options() }).unwrap();
    let mut visitor = Visitor::enter(&studio, "play").await;
    assert!(visitor.complaint().await.starts_with("project.toml: "));
    visitor.kind("frame").await;
}

#[tokio::test]
async fn uploads_are_bounded_and_keep_to_their_folder() {
    let studio = studio();
    let own = own_headers(&studio);
    let at = |name: &str| format!("POST /upload/{name}?token={}", studio.token());
    let (status, answer) = request(&studio, &at("talk.csv"), &own, b"frame,jawOpen\n0,1\n");
    assert_eq!(status, 200);
    assert!(answer.ends_with("upload:talk.csv"));
    for name in ["..", "..%2fx", "%2fetc%2fx", ".hidden", "a%00b"] {
        assert!((400..500).contains(&request(&studio, &at(name), &own, b"x").0), "{name}");
    }
    let huge = vec![b'x'; (64 << 20) + 1];
    let (status, _) = request(&studio, &at("huge.bin"), &own, &huge);
    assert!(status == 413 || status == 0, "{status}");
    assert_eq!(request(&studio, &format!("GET /?token={}", studio.token()), &own, b"").0, 200);
}

#[tokio::test]
async fn garbage_is_answered_with_sentences() {
    let studio = studio();
    let mut visitor = Visitor::enter(&studio, "play").await;
    visitor.kind("frame").await;
    let deep = "[".repeat(100_000);
    for garbage in
        ["", "{", "7", "[]", "{}", r#"{"do":7}"#, r#"{"do":"fly"}"#, r#"{"do":"shown"}"#, &deep]
    {
        visitor.send(Message::Text(garbage.to_owned().into())).await;
        assert!(!visitor.complaint().await.is_empty(), "{garbage:.20}");
    }
    visitor.send(Message::Binary(vec![0xff; 1000].into())).await;
    assert!(!visitor.complaint().await.is_empty());
    for (command, words) in [
        (
            json!({ "do": "set", "change": { "stiffness": -1 }, "what": "x", "ended": true }),
            "stiffness",
        ),
        (json!({ "do": "set", "change": { "step": 1e300 }, "what": "x", "ended": true }), "step"),
        (json!({ "do": "set", "change": { "methods": [] }, "what": "x", "ended": true }), "method"),
        (json!({ "do": "set", "change": { "colour": 1 }, "what": "x", "ended": true }), "colour"),
        (json!({ "do": "set", "change": 7, "what": "x", "ended": true }), "change"),
        (
            json!({ "do": "open", "scene": { "demo": { "name": "sphinx", "variant": 0 } } }),
            "sphinx",
        ),
    ] {
        visitor.order(command).await;
        let sentence = visitor.complaint().await;
        assert!(sentence.contains(words), "{words}: {sentence}");
    }
    // What means nothing is passed over.
    visitor.order(json!({ "do": "grab", "vertex": 4_000_000_000u64 })).await;
    visitor.order(json!({ "do": "drag", "by": [1e300, 0, 0] })).await;
    visitor.order(json!({ "do": "release" })).await;
    visitor.kind("frame").await;
}

#[tokio::test]
async fn a_message_that_is_too_long_costs_its_sender_the_connection() {
    let studio = studio();
    let mut rude = Visitor::enter(&studio, "play").await;
    let mut other = Visitor::enter(&studio, "play").await;
    rude.kind("frame").await;
    let long = format!("{{\"do\":\"{}\"}}", "x".repeat(2 << 20));
    rude.send(Message::Text(long.into())).await;
    while rude.hear().await.is_some() {}
    other.kind("frame").await;
}

//! `pliant render` on animations small enough to write by hand.

use crate::pliant::Folder;

const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// The tetrahedron, moved to the right by a tenth per frame, as PointCache2.
fn cache(frames: i32) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    for header in [
        1i32.to_le_bytes(),
        4i32.to_le_bytes(),
        0f32.to_le_bytes(),
        1f32.to_le_bytes(),
        frames.to_le_bytes(),
    ] {
        bytes.extend(header);
    }
    for frame in 0..frames {
        let shift = frame as f32 / 10.0;
        for [x, y, z] in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0f32]] {
            bytes.extend([x + shift, y, z].iter().flat_map(|c| c.to_le_bytes()));
        }
    }
    bytes
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("run/rest.obj", TETRAHEDRON);
    folder.write("run/animation.pc2", cache(8));
    for frame in 0..3 {
        folder.write(
            &format!("frames/{frame:02}.obj"),
            TETRAHEDRON.replace("v 1 0 0", &format!("v 1 0 {frame}")),
        );
    }
    folder
}

/// Width and height in the header of a PNG.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert!(bytes.starts_with(b"\x89PNG"));
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn every_kind_of_animation_becomes_a_still() {
    let folder = folder("render-still");
    for animation in ["run", "run/rest.obj", "run/rest.obj+run/animation.pc2", "frames/*.obj"] {
        let run = folder.pliant(&["render", animation, "--out", "still.png", "--size", "120x80"]);
        assert_eq!(run.status, 0, "{animation}: {}", run.stderr);
        let still = std::fs::read(folder.path("still.png")).unwrap();
        assert_eq!(png_size(&still), (120, 80));
    }
}

#[test]
fn frames_differ_and_threads_do_not_matter() {
    let folder = folder("render-frames");
    let still = |name: &str, arguments: &[&str]| {
        let all = [&["render", "run", "--out", name, "--size", "120x80"], arguments].concat();
        let run = folder.pliant(&all);
        assert_eq!(run.status, 0, "{}", run.stderr);
        std::fs::read(folder.path(name)).unwrap()
    };
    let first = still("first.png", &["--frame", "0", "--threads", "1"]);
    let last = still("last.png", &["--frame", "7", "--threads", "2"]);
    assert_ne!(first, last);
    assert_eq!(last, still("again.png", &["--threads", "1"]), "the default is the last frame");
}

#[test]
fn a_filmstrip_has_a_row_per_animation() {
    let folder = folder("render-strip");
    let strip = |name: &str, animations: &[&str]| {
        let mut arguments = vec!["render"];
        arguments.extend(animations);
        arguments.extend(["--out", name, "--strip", "4", "--size", "60x40"]);
        let run = folder.pliant(&arguments);
        assert_eq!(run.status, 0, "{}", run.stderr);
        png_size(&std::fs::read(folder.path(name)).unwrap())
    };
    let (width, one_row) = strip("one.png", &["run"]);
    assert!(width > 4 * 60, "{width}");
    let (_, two_rows) = strip("two.png", &["run", "frames/*.obj"]);
    assert!(two_rows >= one_row + 40, "{one_row} {two_rows}");
}

#[test]
fn an_animation_becomes_a_gif_of_the_frames_asked_for() {
    let folder = folder("render-gif");
    let run = folder.pliant(&[
        "render", "run", "--out", "run.gif", "--size", "60x40", "--frames", "2..4", "--fps", "10",
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let gif = std::fs::read(folder.path("run.gif")).unwrap();
    assert!(gif.starts_with(b"GIF89a"));
    // Every frame is announced by a graphic control extension.
    let frames =
        gif.windows(4).filter(|bytes| *bytes == [0x21, 0xf9, 0x04, gif_flags(&gif)]).count();
    assert_eq!(frames, 3);
    assert!(!folder.path("run.gif.part").exists());
}

fn gif_flags(gif: &[u8]) -> u8 {
    let at = gif.windows(3).position(|bytes| bytes == [0x21, 0xf9, 0x04]).unwrap();
    gif[at + 3]
}

#[test]
fn what_cannot_be_rendered_is_one_sentence() {
    let folder = folder("render-refused");
    folder.write("short.pc2", &cache(8)[..100]);
    folder.write("text.obj", "this is no mesh\n");
    for (arguments, part) in [
        (&["run", "--out", "a.png", "--frame", "8"][..], "8 frames"),
        (&["run", "--out", "a.gif", "--frames", "20..80"], "8 frames"),
        (&["run/rest.obj+short.pc2", "--out", "a.png"], "short.pc2"),
        (&["text.obj", "--out", "a.png"], "text.obj"),
        (&["run", "--out", "no-such/a.png"], "no-such/a.png"),
        (&["frames", "--out", "a.png"], "rest.obj"),
    ] {
        let run = folder.pliant(&[&["render"], arguments].concat());
        assert_eq!(run.status, 1, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
    assert!(!folder.path("a.png").exists() && !folder.path("a.gif").exists());
}

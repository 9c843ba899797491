//! `pliant convert` and what it shares with `inspect`, `render` and `simulate`: animations in every
//! format, under every spelling.

use crate::pliant::Folder;
use serde_json::Value;

/// A tetrahedron as a surface in two groups, longer by a tenth per frame, as OBJ files.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    for frame in 0..5 {
        folder.write(
            &format!("frames/{frame:02}.obj"),
            format!(
                "v 0 0 0\nv 1.{frame} 0 0\nv 0 1 0\nv 0 0 1\ng base\nf 1 3 2\ng side\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
            ),
        );
    }
    folder
}

fn inspect(folder: &Folder, arguments: &[&str]) -> Value {
    let run = folder.pliant(&[&["inspect", "--json"], arguments].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn any_animation_becomes_any_other() {
    let folder = folder("convert-any");
    let mut from = "frames/*.obj".to_owned();
    // Through all of them in a row, and back to files.
    for to in ["a.glb", "b.usda", "c.mdd", "d.gltf", "e.pc2", "again/f*.obj"] {
        let run = folder.pliant(&["convert", &from, to, "--fps", "24", "--quiet"]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{from} {to}");
        from = to.to_owned();
    }
    assert_eq!(folder.list("again").len(), 5);
    // Again, over what was written before; but not over the mesh of a cache that is read.
    for (from, to, status) in [("a.glb", "c.mdd", 0), ("c.mdd", "c.pc2", 1), ("e.pc2", "c.mdd", 0)]
    {
        let run = folder.pliant(&["convert", from, to, "--quiet"]);
        assert_eq!(run.status, status, "{from} {to}: {}", run.stderr);
    }
    let text = std::fs::read_to_string(folder.path("again/f0003.obj")).unwrap();
    assert!(text.contains("v 1.2999999") || text.contains("v 1.3"), "{text}");
    let report = inspect(&folder, &["a.glb"]);
    assert_eq!((&report["frames"], &report["fps"]), (&5.into(), &24.0.into()));
    assert_eq!(inspect(&folder, &["c.obj+c.mdd"])["frames"], 5);
    assert_eq!(inspect(&folder, &["e.pc2"])["fps"], Value::Null);
    assert!(!folder.list(".").iter().any(|name| name.ends_with(".part")), "{:?}", folder.list("."));
}

#[test]
fn a_part_of_the_frames_is_taken() {
    let folder = folder("convert-frames");
    let run = folder.pliant(&["convert", "frames/*.obj", "part.pc2", "--frames", "1..2"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(run.stdout, "wrote part.pc2, 2 files\n");
    assert_eq!(inspect(&folder, &["part.pc2"])["frames"], 2);
    let run = folder.pliant(&["convert", "frames/*.obj", "one.ply", "--frames", "2..2"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(inspect(&folder, &["one.ply"])["bounds"]["max"][0], 1.2);
    for (frames, expected) in [("7..9", "none of those asked for"), ("3..", "holds one mesh")] {
        let run = folder.pliant(&["convert", "frames/*.obj", "no.ply", "--frames", frames]);
        assert_eq!((run.status, run.stderr.lines().count()), (1, 1), "{}", run.stderr);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    assert!(!folder.path("no.ply").exists());
}

#[test]
fn what_cannot_be_written_is_refused_or_said() {
    let folder = folder("convert-refusals");
    folder.write("t.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n");
    let run = folder.pliant(&["convert", "t.mesh", "t.obj"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("note: wrote the surface: the 1 tets"), "{}", run.stderr);
    let run = folder.pliant(&["convert", "t.mesh", "t.vtu"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, "next: pliant inspect t.vtu\n"));
    assert_eq!(inspect(&folder, &["t.vtu"])["tets"], 1);
    for (from, to, expected) in [
        ("frames/00.obj", "t.ele", "TetGen files hold tets"),
        ("frames/00.obj", "frames/00.obj", "would overwrite the input"),
        ("frames/*.obj", "frames/03.pc2", "would overwrite the input"),
        ("t.mesh", "no/such/folder.obj", "cannot create"),
        ("gone.glb", "t.obj", "gone.glb: cannot read"),
    ] {
        let run = folder.pliant(&["convert", from, to]);
        assert_eq!(run.status, 1, "{from} {to}");
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    let run = folder.pliant(&["convert", "frames/00.obj", "t.docx"]);
    let expected = "unknown kind of file; expected one of .obj";
    assert!(run.status == 2 && run.stderr.contains(expected), "{}", run.stderr);
    let run = folder.pliant(&["convert", "t.mesh", "t.obj", "--unit", "parsec"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    let run = folder.pliant(&["convert", "t.mesh", "t.obj", "--clip", "Walk"]);
    assert!(run.status == 1 && run.stderr.contains("only glTF files have clips"), "{}", run.stderr);
}

#[test]
fn a_size_that_cannot_be_metres_is_said() {
    let folder = Folder::new("convert-units");
    folder.write("fox.obj", "v 0 0 0\nv 160 0 0\nv 0 78 0\nf 1 2 3\n");
    let run = folder.pliant(&["inspect", "fox.obj", "--json"]);
    assert!(
        run.stderr.contains("160.0 m long") && run.stderr.contains("cm (1.600 m)"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("\"unit_guess\":\"cm\""), "{}", run.stdout);
    let run = folder.pliant(&["convert", "fox.obj", "small.ply", "--unit", "cm", "-q"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert_eq!(inspect(&folder, &["small.ply"])["bounds"]["max"][0], 1.6);
}

/// Two tets with a painted weight per vertex.
fn painted(weights: &str) -> String {
    format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece><PointData>\
         <DataArray type=\"Float32\" Name=\"pinned\">{weights}</DataArray></PointData><Points>\
         <DataArray type=\"Float64\">0 0 0 1 0 0 0 1 0 0 0 1 1 1 1</DataArray></Points><Cells>\
         <DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 3 1 2 3 4</DataArray>\
         <DataArray type=\"Int32\" Name=\"offsets\">4 8</DataArray>\
         <DataArray type=\"UInt8\" Name=\"types\">10 10</DataArray></Cells></Piece>\
         </UnstructuredGrid></VTKFile>"
    )
}

/// Vertex 4 hangs free; the others are held, by a set of elements or by a painted weight.
#[test]
fn groups_and_what_is_painted_can_be_selected() {
    let folder = Folder::new("convert-selections");
    folder.write("painted.vtu", painted("1 1 0.6 0.51 0.5"));
    folder.write("sets.veg", "*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n*SET pinned\n1\n");
    assert_eq!(inspect(&folder, &["painted.vtu"])["attributes"][0]["name"], "pinned");
    assert_eq!(inspect(&folder, &["sets.veg"])["groups"][0]["vertices"], 4);
    let scene = |file: &str, group: &str| {
        format!(
            "frames = 3\n[[body]]\nmesh = {{ file = \"{file}\" }}\nmaterial = {{ preset = \"jelly\" }}\n\
             [[body.attach]]\nselect = {{ group = \"{group}\" }}\nstiffness = \"hard\"\n"
        )
    };
    for file in ["painted.vtu", "sets.veg"] {
        folder.write("scene.toml", scene(file, "pinned"));
        let out = ["--out", "run", "--overwrite", "--quiet"];
        let run = folder.pliant(&[&["simulate", "scene.toml"], &out[..]].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        let cache = std::fs::read(folder.path("run/animation.pc2")).unwrap();
        let moved = |vertex: usize| {
            let height = |frame: usize| &cache[32 + 60 * frame + 12 * vertex + 4..][..4];
            height(0) != height(3)
        };
        let moved: Vec<usize> = (0..5).filter(|&vertex| moved(vertex)).collect();
        assert_eq!(moved, [4], "{file}");
    }
    folder.write("gone.toml", scene("painted.vtu", "gone"));
    let run = folder.pliant(&["simulate", "gone.toml", "--out", "no", "--quiet"]);
    assert!(run.status == 1 && run.stderr.contains("pinned"), "{}", run.stderr);
}

#[test]
fn simulations_are_written_in_the_format_asked_for() {
    let folder = Folder::new("convert-simulate");
    folder.write("scene.toml", "frames = 3\nfps = 25\n[[body]]\nmesh = { box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\nmaterial = { preset = \"jelly\" }\n");
    for format in ["glb", "usda", "mdd", "ply"] {
        let run = folder.pliant(&[
            "simulate",
            "scene.toml",
            "--out",
            "run",
            "--format",
            format,
            "--resume",
        ]);
        assert_eq!(run.status, 0, "{}", run.stderr);
    }
    for name in ["run/animation.glb", "run/animation.usda", "run/animation.mdd"] {
        let report = inspect(&folder, &[name]);
        assert_eq!((&report["frames"], &report["fps"]), (&4.into(), &25.0.into()), "{name}");
    }
    assert_eq!(inspect(&folder, &["run/frames/*.ply"])["frames"], 4);
    let run = folder.pliant(&["simulate", "scene.toml", "--out", "run", "--format", "docx"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    let run =
        folder.pliant(&["render", "run/animation.glb", "--out", "still.png", "--size", "80x60"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

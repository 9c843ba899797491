use std::path::Path;

use glam::DVec3;

use super::*;
use crate::animation::AnimationOptions;
use crate::error::IoError;
use crate::format::FrameReader;
use crate::loaded::Loaded;

fn read(text: &str) -> Result<(Scene, Loaded), String> {
    let options = AnimationOptions::default();
    let read = Scene::read(Path::new("m.usda"), text.as_bytes().to_vec(), &options);
    read.map_err(|e: IoError| e.to_string())
}

const SQUARE: &str = r#"#usda 1.0
(
    "a square, moved"
    defaultPrim = "World"
    metersPerUnit = 0.1
    upAxis = "Z"
    startTimeCode = 1
    endTimeCode = 3
    timeCodesPerSecond = 12
    customLayerData = { string by = "hand ) }" }
)

def Xform "World" (
    kind = "component"
)
{
    double3 xformOp:translate.timeSamples = {
        1: (0, 0, 0),
        3: (4, 0, 0),
    }
    float xformOp:rotateZ:spin = 90
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ:spin"]

    def Mesh "square" # a comment
    {
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 1, 2, 3]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        point3f[] points.timeSamples = {
            1:[(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)],
            2: [(0, 0, 0), (2, 0, 0), (1, 1, 0), (0, 1, 0)],
        }
        float[] primvars:weight = [0, 1, 0, 1] (
            interpolation = "vertex"
        )
        color3f[] primvars:displayColor = [(1, 0, 0)] (interpolation = "constant")
        rel material:binding = </World/paint>
        token visibility

        def GeomSubset "half"
        {
            uniform token elementType = "face"
            int[] indices = [0]
        }
    }
    over "other" { }
    class Mesh "ghost" { point3f[] points = [(0, 0, 0)] }
}
"#;

#[test]
fn points_and_transforms_move_in_metres_with_y_up() {
    let (mut scene, loaded) = read(SQUARE).unwrap();
    assert_eq!(loaded.polygons.iter().collect::<Vec<_>>(), [[0, 1, 2, 3]]);
    assert_eq!((scene.frames(), scene.fps()), (3, Some(12.0)));
    assert_eq!(loaded.attributes.len(), 1);
    assert_eq!(loaded.attributes[0].values, [0.0, 1.0, 0.0, 1.0]);
    let groups: Vec<&str> = loaded.mesh.groups.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(groups, ["square", "half"]);
    let mut frame = loaded.mesh.positions.clone();
    let mut corner = |index: usize| {
        scene.frame(index, &mut frame).unwrap();
        frame[1]
    };
    // Turned by 90° about z, shifted along x, in tenths of a metre; z becomes y.
    for (index, expected) in
        [[0.0, 0.0, -0.1], [0.2, 0.0, -0.2], [0.4, 0.0, -0.2]].iter().enumerate()
    {
        let found = corner(index);
        assert!(found.distance(DVec3::from(*expected)) < 1e-15, "{index}: {found}");
    }
    assert!(scene.frame(3, &mut frame).is_err());
}

#[test]
fn every_transform_is_understood() {
    let placed = |operations: &str, order: &str| {
        let text = format!(
            "#usda 1.0\n(\n metersPerUnit = 1\n)\ndef Mesh \"m\"\n{{\n {operations}\n \
             uniform token[] xformOpOrder = [{order}]\n int[] faceVertexCounts = [3]\n \
             int[] faceVertexIndices = [0, 1, 2]\n point3f[] points = [(1, 2, 3), (0, 0, 0), (0, 1, 0)]\n}}\n"
        );
        read(&text).map(|(_, loaded)| loaded.mesh.positions[0])
    };
    for (operations, order, expected) in [
        ("float3 xformOp:rotateXYZ = (90, 0, 90)", "\"xformOp:rotateXYZ\"", [3.0, 1.0, 2.0]),
        ("quatf xformOp:orient = (0, 1, 0, 0)", "\"xformOp:orient\"", [1.0, -2.0, -3.0]),
        (
            "matrix4d xformOp:transform = ( (2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0), (5, 0, 0, 1) \
                )",
            "\"xformOp:transform\"",
            [7.0, 4.0, 6.0],
        ),
        (
            "double3 xformOp:translate:pivot = (1, 2, 3)\n float3 xformOp:scale = (9, 9, 9)",
            "\"xformOp:translate:pivot\", \"xformOp:scale\", \"!invert!xformOp:translate:pivot\"",
            [1.0, 2.0, 3.0],
        ),
    ] {
        let found = placed(operations, order).unwrap();
        assert!(found.distance(DVec3::from(expected)) < 1e-12, "{operations}: {found}");
    }
    let error = placed("", "\"xformOp:shear\"").unwrap_err();
    assert!(error.contains("m: expected a transform, found \"xformOp:shear\""), "{error}");
}

#[test]
fn what_is_elsewhere_is_said() {
    let error = read(
        "#usda 1.0\ndef Xform \"a\" (\n prepend references = @b.usd@</B> (offset = 2)\n)\n{\n}\n",
    )
    .unwrap_err();
    assert!(error.contains("behind references") && error.contains("usdcat --flatten"), "{error}");
}

#[test]
fn errors_name_the_line() {
    let mut error = read(&SQUARE.replace("(2, 0, 0)", "(two, 0, 0)")).unwrap();
    let mut frame = error.1.mesh.positions.clone();
    let error = error.0.frame(1, &mut frame).unwrap_err().to_string();
    assert_eq!(error, "m.usda, line 31: expected a number, found \"two\"");
    let error = read(&SQUARE.replace("[0, 1, 2, 3]", "[0, 1, 2, 4]")).unwrap_err();
    assert!(error.contains("square: face 0 names point 4, but there are 4"), "{error}");
    let error = read("#usda 1.0\ndef Mesh \"m\" {\n int[] a = [1, 2\n").unwrap_err();
    assert!(error.contains("expected the end of a value"), "{error}");
    assert!(read("PXR").unwrap_err().contains("#usda"));
    let nested = format!("#usda 1.0\n{}", "def \"a\" {".repeat(1000));
    assert!(read(&nested).unwrap_err().contains("at most 200"));
}

/// Written by Pixar's own library: a tet that grows until time 2 and moves until time 3.
const BINARY: &[u8] = include_bytes!("../../../tests/fixtures/tet.usdc");
const ARCHIVE: &[u8] = include_bytes!("../../../tests/fixtures/tet.usdz");

#[test]
fn binary_layers_and_archives_are_read() {
    for bytes in [BINARY, ARCHIVE] {
        let options = AnimationOptions::default();
        let (mut scene, loaded) =
            Scene::read(Path::new("m.usdz"), bytes.to_vec(), &options).unwrap();
        assert_eq!((scene.frames(), scene.fps()), (3, Some(12.0)));
        let groups: Vec<&str> = loaded.mesh.groups.iter().map(|g| &g.name[..]).collect();
        assert_eq!(groups, ["tet", "half"]);
        assert_eq!(loaded.attributes[0].values, [0.0, 1.0, 0.25, 0.5]);
        assert_eq!((loaded.mesh.triangles.len(), &loaded.notes[..]), (4, &[][..]));
        let mut positions = loaded.mesh.positions.clone();
        scene.frame(1, &mut positions).unwrap();
        assert_eq!(positions[1], DVec3::new(2.0 + 2.25, 0.0, 0.0));
        scene.frame(2, &mut positions).unwrap();
        assert_eq!(positions[3], DVec3::new(4.5, 0.0, 2.0));
    }
}

#[test]
fn broken_binary_layers_are_refused_with_a_sentence() {
    let fail = |bytes: Vec<u8>| {
        let read = Scene::read(Path::new("m.usdc"), bytes, &AnimationOptions::default());
        read.unwrap_err().to_string()
    };
    assert_eq!(fail(BINARY[..60].to_vec()), "m.usdc: its table of contents is cut short or broken");
    let mut old = BINARY.to_vec();
    old[9] = 3;
    assert!(fail(old).contains("of version 0.3.0, expected 0.4.0 or later"));
    // An archive whose file is compressed.
    let mut packed = ARCHIVE.to_vec();
    packed[8] = 8;
    assert!(fail(packed).contains("found it compressed or encrypted"));
    assert!(fail(ARCHIVE[..500].to_vec()).contains("shorter than its first file"));
}

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::DVec3;
use serde_json::{Value, json};

use super::*;
use crate::animation::AnimationOptions;
use crate::beside::Beside;
use crate::format::FrameReader;
use crate::loaded::Loaded;

/// A document around one buffer of floats and indices, to be filled by a test.
struct Builder {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Builder {
    fn new() -> Builder {
        Builder { bytes: Vec::new(), views: Vec::new(), accessors: Vec::new() }
    }

    fn add(&mut self, bytes: &[u8], kind: &str, component: u32, count: usize) -> usize {
        self.views.push(
            json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }),
        );
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.accessors
            .push(json!({ "bufferView": self.views.len() - 1, "componentType": component,
            "type": kind, "count": count }));
        self.accessors.len() - 1
    }

    fn floats(&mut self, values: &[f32], kind: &str) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "MAT4" => 16,
            _ => 4,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.add(&bytes, kind, 5126, values.len() / width)
    }

    fn document(&self, mut rest: Value) -> String {
        let data = STANDARD.encode(&self.bytes);
        rest["asset"] = json!({ "version": "2.0" });
        rest["bufferViews"] = self.views.clone().into();
        rest["accessors"] = self.accessors.clone().into();
        rest["buffers"] = json!([{ "byteLength": self.bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{data}") }]);
        rest.to_string()
    }
}

fn read(text: &str, options: &AnimationOptions) -> Result<(Scene, Loaded), String> {
    let read = Scene::read(Path::new("m.gltf"), text.as_bytes().to_vec(), Beside::Nothing, options);
    read.map_err(|e| e.to_string())
}

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// A triangle that hangs on a joint, which turns by 90° about z within a second; the node above the
/// joint is moved by (1, 0, 0), and turns the joint's bind pose back.
fn skinned(interpolation: &str) -> String {
    let mut builder = Builder::new();
    let position = builder.floats(&TRIANGLE, "VEC3");
    let joints = builder.add(&[0; 12], "VEC4", 5121, 3);
    let weights = builder.floats(&[1.0, 0.0, 0.0, 0.0].repeat(3), "VEC4");
    let bind = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -1., 0., 0., 1.];
    let bind = builder.floats(&bind, "MAT4");
    let times = builder.floats(&[0.0, 1.0], "SCALAR");
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let keys = [[0., 0., 0., 1.], [0., 0., half, half]];
    let tangent = [[0.0; 4]; 1];
    let rows: Vec<[f32; 4]> = match interpolation {
        "CUBICSPLINE" => keys.iter().flat_map(|key| [tangent[0], *key, tangent[0]]).collect(),
        _ => keys.to_vec(),
    };
    let turns = builder.floats(rows.as_flattened(), "VEC4");
    builder.document(json!({
        "scenes": [{ "nodes": [0, 2] }],
        "nodes": [
            { "translation": [1.0, 0.0, 0.0], "children": [1] },
            { "name": "joint" },
            // The place of a skinned mesh itself does not count.
            { "name": "body", "mesh": 0, "skin": 0, "translation": [9.0, 9.0, 9.0] },
        ],
        "skins": [{ "joints": [1], "inverseBindMatrices": bind }],
        "meshes": [{ "primitives": [{ "attributes":
            { "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights } }] }],
        "animations": [
            { "name": "Armature|Turn", "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
              "samplers": [{ "input": times, "output": turns, "interpolation": interpolation }] },
            { "name": "Rest" },
        ],
    }))
}

#[test]
fn skins_follow_their_joints() {
    for (interpolation, angle_at_half) in
        [("LINEAR", 45.0f64), ("STEP", 0.0), ("CUBICSPLINE", 45.0)]
    {
        let options = AnimationOptions { fps: Some(2.0), clip: Some("turn".into()), unit: None };
        let (mut scene, loaded) = read(&skinned(interpolation), &options).unwrap();
        assert_eq!(loaded.mesh.positions, [DVec3::ZERO, DVec3::X, DVec3::Y]);
        assert_eq!((scene.frames(), loaded.mesh.groups[0].name.as_str()), (3, "body"));
        let mut frame = loaded.mesh.positions.clone();
        for (index, angle) in [0.0, angle_at_half, 90.0].iter().enumerate() {
            scene.frame(index, &mut frame).unwrap();
            // x̄ = (0, 1, 0) is (−1, 1, 0) to the joint at (1, 0, 0).
            let (sin, cos) = angle.to_radians().sin_cos();
            let expected = DVec3::new(1.0 - cos - sin, cos - sin, 0.0);
            assert!(frame[2].distance(expected) < 1e-7, "{interpolation} {index}: {}", frame[2]);
        }
    }
}

#[test]
fn clips_are_chosen_by_name() {
    let clip = |name: &str| AnimationOptions { clip: Some(name.into()), ..Default::default() };
    let (scene, _) = read(&skinned("LINEAR"), &clip("Rest")).unwrap();
    assert_eq!(scene.frames(), 1);
    let error = read(&skinned("LINEAR"), &clip("Jump")).map(drop).unwrap_err();
    assert_eq!(error, "m.gltf: has no clip Jump, expected one of Armature|Turn, Rest");
    let (scene, loaded) = read(&skinned("LINEAR"), &AnimationOptions::default()).unwrap();
    assert_eq!(scene.frames(), 31);
    assert!(loaded.notes[0].contains("--clip chooses another"), "{:?}", loaded.notes);
}

/// Two primitives, a strip and a fan, under a node that doubles their size; sparse morph target;
/// bytes as colours.
#[test]
fn primitives_are_joined_with_what_they_carry() {
    let mut builder = Builder::new();
    let square = [0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.];
    let position = builder.floats(&square, "VEC3");
    let color = builder.add(&[255, 0, 51, 255].repeat(4), "VEC4", 5121, 4);
    builder.accessors[color]["normalized"] = true.into();
    let painted = builder.floats(&[0.0, 0.0, 1.0, 1.0], "SCALAR");
    let changed = builder.add(&[3], "SCALAR", 5121, 1);
    let moved = builder.floats(&[0.0, 0.0, 5.0], "VEC3");
    let sparse = |accessor: usize| json!({ "bufferView": accessor, "componentType": 5121 });
    builder.accessors.push(json!({ "componentType": 5126, "type": "VEC3", "count": 4,
        "sparse": { "count": 1, "indices": sparse(changed), "values": sparse(moved) } }));
    let target = builder.accessors.len() - 1;
    let text = builder.document(json!({
        "nodes": [{ "scale": [2.0, 2.0, 2.0], "mesh": 0, "weights": [0.5] }],
        "materials": [{ "name": "cloth" }],
        "meshes": [{ "name": "flag", "primitives": [
            { "mode": 5, "attributes": { "POSITION": position, "COLOR_0": color },
              "targets": [{ "POSITION": target }], "material": 0 },
            { "mode": 6, "attributes": { "POSITION": position, "_FOLLOW": painted },
              "targets": [{}] },
            { "mode": 1, "attributes": { "POSITION": position } },
        ] }],
    }));
    let (scene, loaded) = read(&text, &AnimationOptions::default()).unwrap();
    assert!(scene.if_animated().is_none());
    assert_eq!(loaded.mesh.triangles, [[0, 1, 2], [2, 1, 3], [4, 5, 6], [4, 6, 7]]);
    assert_eq!(loaded.mesh.positions[3], DVec3::new(2.0, 2.0, 5.0));
    assert_eq!(loaded.mesh.positions[7], DVec3::new(2.0, 2.0, 0.0));
    let groups: Vec<_> =
        loaded.mesh.groups.iter().map(|g| (g.name.as_str(), g.vertices.len())).collect();
    assert_eq!(groups, [("cloth", 4), ("flag", 8), ("flag.0", 4), ("flag.1", 4)]);
    let by_name = |name: &str| loaded.attributes.iter().find(|a| a.name == name).unwrap();
    assert_eq!(by_name("COLOR_0").of(2), [1.0, 0.0, 0.2, 1.0]);
    assert_eq!(by_name("COLOR_0").of(5), [1.0; 4]);
    assert_eq!(by_name("_FOLLOW").values, [0., 0., 0., 0., 0., 0., 1., 1.]);
    assert!(loaded.notes[0].contains("1 primitives of points or lines"), "{:?}", loaded.notes);
    let selectable = loaded.into_selectable();
    assert!(selectable.groups.iter().any(|g| g.name == "FOLLOW" && g.vertices == [6, 7]));
}

#[test]
fn compressed_meshes_are_refused_with_a_way_out() {
    for (extension, method) in
        [("KHR_draco_mesh_compression", "Draco"), ("EXT_meshopt_compression", "meshopt")]
    {
        let text = json!({ "asset": {}, "extensionsRequired": [extension] }).to_string();
        let error = read(&text, &AnimationOptions::default()).map(drop).unwrap_err();
        assert!(error.contains(method) && error.contains("gltf-transform"), "{error}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let valid = skinned("LINEAR");
    let change = |from: &str, to: &str| {
        assert!(valid.contains(from), "{from}");
        read(&valid.replacen(from, to, 1), &AnimationOptions::default()).map(drop).unwrap_err()
    };
    let error = change("\"children\":[1]", "\"children\":[0]");
    assert!(error.contains("m.gltf: node 0 has two parents"), "{error}");
    let error = change("\"children\":[1]", "\"children\":[7]");
    assert!(error.contains("there is no node 7"), "{error}");
    let error = change("\"count\":3,", "\"count\":99999999999,");
    assert!(error.contains("is larger than its buffer view"), "{error}");
    let error = change("\"joints\":[1]", "\"joints\":[9]");
    assert!(error.contains("skin 0: names node 9"), "{error}");
    let error = read("{", &AnimationOptions::default()).map(drop).unwrap_err();
    assert!(error.contains("m.gltf: expected the JSON of a glTF"), "{error}");
    let outside = json!({ "buffers": [{ "uri": "a%20b.bin", "byteLength": 4 }] }).to_string();
    let error = read(&outside, &AnimationOptions::default()).map(drop).unwrap_err();
    assert!(error.contains("buffer 0 cannot be had: a b.bin: is named"), "{error}");
}

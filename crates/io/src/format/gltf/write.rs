//! Writes glTF: a mesh, or a mesh with a morph target per frame and a track of weights that shows
//! one after the other.
//!
//! Positions are single precision, targets are differences from the mesh at rest. Frames go to the
//! disk as they come: of a `.glb`, the room for the JSON in front of them is kept free, as much as
//! it can need, and what is left of it stays blank.

use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::{Value, json};

use super::pieces::{Piece, pieces};
use crate::atomic::{OnFailure, PartFile, write_whole};
use crate::error::IoError;
use crate::format::FrameWriter;
use crate::loaded::Loaded;

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
const BYTE: u32 = 5121;
const ARRAY: u32 = 34962;
const ELEMENTS: u32 = 34963;
/// Header of a `.glb`, and that of its JSON chunk.
const GLB_HEADERS: u64 = 12 + 8;
/// Up to this many frames weights are floats; beyond, bytes: they are frames × frames numbers.
const MOST_FLOAT_WEIGHTS: usize = 1024;
/// No number is written longer than this one.
const LONGEST_NUMBER: f64 = -1.175_494_350_822_287_5e-38;

/// Writes one mesh, frame by frame.
#[derive(Debug)]
pub struct Writer {
    file: PartFile,
    /// Of a `.gltf`, the JSON beside the buffer.
    json: Option<PathBuf>,
    /// Bytes kept free for the JSON.
    room: u64,
    name: String,
    fps: f64,
    planned: usize,
    rest: Vec<[f32; 3]>,
    /// What is in the buffer so far.
    length: u64,
    views: Vec<Value>,
    accessors: Vec<Value>,
    attributes: serde_json::Map<String, Value>,
    /// Indices of every primitive, and its material.
    primitives: Vec<(usize, Option<usize>)>,
    /// Names of the materials: those of the groups.
    materials: Vec<String>,
    targets: Vec<usize>,
    /// Of shapes, which are shown by no animation.
    target_names: Vec<String>,
}

impl Writer {
    /// Starts `path`, or, of a `.gltf`, the `.bin` beside it. Without frames it is a mesh at rest.
    pub fn create(path: &Path, rest: &Loaded, fps: f64, frames: usize) -> Result<Self, IoError> {
        Writer::start(path, rest, fps, frames, Vec::new())
    }

    /// Starts a mesh with a target for each of these names, and no animation.
    pub fn create_shapes(path: &Path, rest: &Loaded, names: Vec<String>) -> Result<Self, IoError> {
        Writer::start(path, rest, 1.0, names.len(), names)
    }

    fn start(
        path: &Path,
        rest: &Loaded,
        fps: f64,
        frames: usize,
        target_names: Vec<String>,
    ) -> Result<Self, IoError> {
        let binary = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb"));
        let buffer = if binary { path.to_owned() } else { path.with_extension("bin") };
        let name = path.file_stem().map_or("mesh".into(), |stem| stem.to_string_lossy().into());
        let mut writer = Writer {
            file: PartFile::create(&buffer, OnFailure::Remove)?,
            json: (!binary).then(|| path.to_owned()),
            room: 0,
            name,
            fps,
            planned: frames,
            rest: Vec::new(),
            length: 0,
            views: Vec::new(),
            accessors: Vec::new(),
            attributes: serde_json::Map::new(),
            primitives: Vec::new(),
            materials: Vec::new(),
            targets: Vec::new(),
            target_names,
        };
        let pieces = pieces(&rest.mesh);
        if binary {
            writer.room = writer.most_room(rest, &pieces)?;
            let blank = vec![b' '; (GLB_HEADERS + writer.room + 8) as usize];
            writer.file.append(&blank)?;
        }
        writer.mesh(rest, &pieces)?;
        Ok(writer)
    }

    fn fail(&self, problem: String) -> IoError {
        IoError::content(self.json.as_deref().unwrap_or(self.file.target()), problem)
    }

    fn mesh(&mut self, rest: &Loaded, pieces: &[Piece]) -> Result<(), IoError> {
        let positions = self.singles("the mesh at rest", &rest.mesh.positions, None)?;
        let accessor = self.vectors(&positions, ARRAY)?;
        self.attributes.insert("POSITION".into(), accessor.into());
        self.rest = positions;
        for attribute in &rest.attributes {
            let name = match attribute.is_color() {
                true => "COLOR_0".to_owned(),
                false if attribute.name == "TEXCOORD_0" && attribute.components == 2 => {
                    attribute.name.clone()
                }
                false => format!("_{}", attribute.plain_name()),
            };
            let values = attribute.values.iter().flat_map(|&x| (x as f32).to_le_bytes());
            let view = self.append(&values.collect::<Vec<u8>>(), Some(ARRAY))?;
            let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][attribute.components.clamp(1, 4) - 1];
            let accessor = json!({ "bufferView": view, "componentType": FLOAT, "type": kind,
                "count": rest.mesh.positions.len() });
            let accessor = self.accessor(accessor);
            self.attributes.insert(name, accessor.into());
        }
        for piece in pieces {
            let corners = piece.triangles.as_flattened();
            let bytes: Vec<u8> = corners.iter().flat_map(|v| v.to_le_bytes()).collect();
            let view = self.append(&bytes, Some(ELEMENTS))?;
            let accessor = json!({ "bufferView": view, "componentType": UNSIGNED,
                "type": "SCALAR", "count": corners.len() });
            let indices = self.accessor(accessor);
            let material = piece.group.map(|group| {
                self.materials.push(rest.mesh.groups[group].name.clone());
                self.materials.len() - 1
            });
            self.primitives.push((indices, material));
        }
        Ok(())
    }

    /// Adds a target that moves the vertices (m); for [`Writer::create_shapes`].
    pub fn write_target(&mut self, displacement: &[DVec3]) -> Result<(), IoError> {
        if displacement.len() != self.rest.len() || self.targets.len() == self.planned {
            let (expected, given) = (self.rest.len(), displacement.len());
            let problem = format!(
                "shape {}: expected {expected} vertices, was given {given}",
                self.targets.len()
            );
            return Err(self.fail(problem));
        }
        let what = format!("shape {}", self.targets.len());
        let moved = self.singles(&what, displacement, None)?;
        let target = self.vectors(&moved, ARRAY)?;
        self.targets.push(target);
        Ok(())
    }

    fn finish_binary(mut self, json: &str) -> Result<(), IoError> {
        let total = GLB_HEADERS + self.room + 8 + self.length;
        let (Ok(total), true) = (u32::try_from(total), json.len() as u64 <= self.room) else {
            let problem = format!(
                "a .glb holds at most 4 GiB, but this is {total} bytes: write a .gltf, or fewer \
                    frames"
            );
            return Err(self.fail(problem));
        };
        let mut head = b"glTF".to_vec();
        head.extend(2u32.to_le_bytes());
        head.extend(total.to_le_bytes());
        head.extend((self.room as u32).to_le_bytes());
        head.extend(b"JSON");
        head.extend(json.as_bytes());
        self.file.patch(0, &head)?;
        let mut chunk = (self.length as u32).to_le_bytes().to_vec();
        chunk.extend(b"BIN\0");
        self.file.patch(GLB_HEADERS + self.room, &chunk)?;
        self.file.commit()
    }

    /// Differences from `from`, or positions, in single precision. Numbers that are not finite
    /// have no place in a glTF.
    fn singles(
        &self,
        what: &str,
        positions: &[DVec3],
        from: Option<&[[f32; 3]]>,
    ) -> Result<Vec<[f32; 3]>, IoError> {
        let mut singles = Vec::with_capacity(positions.len());
        for (vertex, position) in positions.iter().enumerate() {
            let origin = from.and_then(|from| from.get(vertex)).copied().unwrap_or_default();
            let single =
                (position.as_vec3().as_dvec3() - DVec3::from(origin.map(f64::from))).as_vec3();
            if !single.is_finite() {
                return Err(self.fail(format!("vertex {vertex} of {what} is not finite")));
            }
            singles.push(single.to_array());
        }
        Ok(singles)
    }

    /// Appends vectors with their bounds; returns the accessor.
    fn vectors(&mut self, vectors: &[[f32; 3]], target: u32) -> Result<usize, IoError> {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.append(&bytes, Some(target))?;
        let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for vector in vectors {
            for axis in 0..3 {
                bounds[0][axis] = bounds[0][axis].min(vector[axis]);
                bounds[1][axis] = bounds[1][axis].max(vector[axis]);
            }
        }
        let accessor = json!({ "bufferView": view, "componentType": FLOAT, "type": "VEC3",
            "count": vectors.len(), "min": bounds[0], "max": bounds[1] });
        Ok(self.accessor(accessor))
    }

    fn append(&mut self, bytes: &[u8], target: Option<u32>) -> Result<usize, IoError> {
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.views.push(view);
        self.file.append(bytes)?;
        self.length += bytes.len() as u64;
        Ok(self.views.len() - 1)
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Times and weights: in frame i, target i has all the weight.
    fn track(&mut self) -> Result<Option<[usize; 2]>, IoError> {
        let frames = self.targets.len();
        if frames == 0 || !self.target_names.is_empty() {
            return Ok(None);
        }
        let times: Vec<f32> = (0..frames).map(|i| (i as f64 / self.fps) as f32).collect();
        let bytes: Vec<u8> = times.iter().flat_map(|t| t.to_le_bytes()).collect();
        let view = self.append(&bytes, None)?;
        let times = json!({ "bufferView": view, "componentType": FLOAT, "type": "SCALAR",
            "count": frames, "min": [0.0], "max": [times[frames - 1]] });
        let times = self.accessor(times);
        let floats = frames <= MOST_FLOAT_WEIGHTS;
        let (zero, one): (&[u8], &[u8]) =
            if floats { (&[0; 4], &[0, 0, 0x80, 0x3f]) } else { (&[0], &[255]) };
        let view = json!({ "buffer": 0, "byteOffset": self.length,
            "byteLength": frames * frames * zero.len() });
        self.views.push(view);
        for row in 0..frames {
            let bytes: Vec<u8> =
                (0..frames).flat_map(|i| if i == row { one } else { zero }).copied().collect();
            self.file.append(&bytes)?;
            self.length += bytes.len() as u64;
        }
        let mut weights = json!({ "bufferView": self.views.len() - 1, "type": "SCALAR",
            "componentType": if floats { FLOAT } else { BYTE }, "count": frames * frames });
        if !floats {
            weights["normalized"] = true.into();
        }
        Ok(Some([times, self.accessor(weights)]))
    }

    fn document(&self, track: Option<[usize; 2]>, uri: Option<String>) -> Value {
        let mut mesh = json!({ "name": self.name });
        if !self.targets.is_empty() {
            mesh["weights"] = vec![0.0; self.targets.len()].into();
        }
        if !self.target_names.is_empty() {
            mesh["extras"] = json!({ "targetNames": self.target_names });
        }
        let primitive = |&(indices, material): &(usize, Option<usize>)| {
            let mut primitive = json!({ "attributes": self.attributes, "indices": indices });
            if !self.targets.is_empty() {
                let targets = self.targets.iter().map(|target| json!({ "POSITION": target }));
                primitive["targets"] = targets.collect();
            }
            if let Some(material) = material {
                primitive["material"] = material.into();
            }
            primitive
        };
        mesh["primitives"] = self.primitives.iter().map(primitive).collect();
        let mut buffer = json!({ "byteLength": self.length });
        if let Some(uri) = uri {
            buffer["uri"] = uri.into();
        }
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "pliant" },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "name": self.name, "mesh": 0 }],
            "meshes": [mesh],
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [buffer],
        });
        if !self.materials.is_empty() {
            let named = self.materials.iter().map(|name| json!({ "name": name }));
            document["materials"] = named.collect();
        }
        if let Some([times, weights]) = track {
            document["animations"] = json!([{
                "name": self.name,
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
                "samplers": [{ "input": times, "output": weights, "interpolation": "LINEAR" }],
                "extras": { "fps": self.fps },
            }]);
        }
        document
    }

    /// Bytes that the JSON takes at most, a multiple of four: per array a view and an accessor, per
    /// primitive its attributes and targets, per frame a weight, all numbers at their longest.
    fn most_room(&self, rest: &Loaded, pieces: &[Piece]) -> Result<u64, IoError> {
        let length = |value: Value| value.to_string().len() + 1;
        let longest = [LONGEST_NUMBER; 3];
        let array = length(json!({ "buffer": 0, "byteOffset": u64::MAX, "byteLength": u64::MAX,
            "target": ELEMENTS }))
            + length(json!({ "bufferView": u32::MAX, "componentType": FLOAT, "type": "SCALAR",
            "normalized": false, "count": u64::MAX, "min": longest, "max": longest }));
        let arrays = self.planned + rest.attributes.len() + pieces.len() + 4;
        let target = length(json!({ "POSITION": u32::MAX }));
        let weight = ",0.0".len();
        // An escaped letter takes at most six bytes; with the name comes a number.
        let written = |name: &str| 6 * name.len() + 20;
        let attributes: usize = rest.attributes.iter().map(|a| written(&a.name)).sum();
        let names: usize = self.target_names.iter().map(|name| written(name)).sum();
        let groups = pieces.iter().filter_map(|piece| piece.group);
        let materials: usize = groups.map(|g| written(&rest.mesh.groups[g].name)).sum();
        let primitive = 200 + attributes + self.planned * target;
        let frame = 1024 + 4 * written(&self.name) + length(self.document(Some([0, 0]), None));
        let room = arrays * array
            + pieces.len() * primitive
            + self.planned * weight
            + names
            + materials
            + frame;
        let room = (room as u64).next_multiple_of(4);
        match u32::try_from(room) {
            Ok(_) => Ok(room),
            Err(_) => Err(self.fail(format!("a .glb cannot hold {} frames", self.planned))),
        }
    }
}

impl FrameWriter for Writer {
    /// Adds a frame: as many positions (m) as the mesh has vertices.
    fn write_frame(&mut self, positions: &[DVec3]) -> Result<(), IoError> {
        if positions.len() != self.rest.len() || self.targets.len() == self.planned {
            let problem = format!(
                "expected {} frames of {} vertices, was given frame {} of {}",
                self.planned,
                self.rest.len(),
                self.targets.len() + 1,
                positions.len()
            );
            return Err(self.fail(problem));
        }
        let what = format!("frame {}", self.targets.len());
        let rest = std::mem::take(&mut self.rest);
        let moved = self.singles(&what, positions, Some(&rest));
        self.rest = rest;
        let target = self.vectors(&moved?, ARRAY)?;
        self.targets.push(target);
        Ok(())
    }

    /// Adds the track of weights and the JSON, and gives the files their names.
    fn finish(mut self: Box<Self>) -> Result<(), IoError> {
        let track = self.track()?;
        let pad = self.length.next_multiple_of(4) - self.length;
        self.file.append(&[0; 4][..pad as usize])?;
        self.length += pad;
        let uri = self.json.as_ref().map(|_| file_name(self.file.target()));
        let json = self.document(track, uri).to_string();
        let Some(path) = &self.json else { return self.finish_binary(&json) };
        self.file.commit()?;
        write_whole(path, json.as_bytes())
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // What a URI cannot hold as it is.
    name.bytes()
        .map(|b| match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(b).to_string()
            }
            _ => format!("%{b:02X}"),
        })
        .collect()
}

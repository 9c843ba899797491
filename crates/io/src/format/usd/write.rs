//! Writes `.usda`: one Mesh prim, its points sampled at every frame.

use std::fmt::Write;
use std::path::Path;

use glam::DVec3;

use crate::atomic::{OnFailure, PartFile};
use crate::attribute::Attribute;
use crate::error::IoError;
use crate::format::FrameWriter;
use crate::loaded::Loaded;

/// Digits kept free for the last time code.
const DIGITS: usize = 10;

/// Writes one mesh, frame by frame.
#[derive(Debug)]
pub struct Writer {
    file: PartFile,
    vertices: usize,
    planned: usize,
    written: usize,
    /// Where the last time code stands.
    end_at: u64,
    text: String,
}

impl Writer {
    /// Starts a layer. Without frames it is a mesh at rest.
    pub fn create(path: &Path, rest: &Loaded, fps: f64, frames: usize) -> Result<Self, IoError> {
        let name = identifier(&path.file_stem().unwrap_or_default().to_string_lossy());
        let mut text = format!("#usda 1.0\n(\n    defaultPrim = \"{name}\"\n");
        let mut end_at = 0;
        // Writing to a String cannot fail.
        if frames > 0 {
            text.push_str("    startTimeCode = 0\n    endTimeCode = ");
            end_at = text.len() as u64;
            let _ = writeln!(text, "{:<DIGITS$}", frames - 1);
            let _ = writeln!(text, "    timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}");
        }
        text.push_str("    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\n");
        let _ = writeln!(text, "def Mesh \"{name}\"\n{{");
        text.push_str(
            "    uniform token subdivisionScheme = \"none\"\n    int[] faceVertexCounts = [",
        );
        list(rest.faces().map(<[u32]>::len), &mut text);
        text.push_str("]\n    int[] faceVertexIndices = [");
        list(rest.faces().flatten(), &mut text);
        text.push_str("]\n    point3f[] points = [");
        points(&rest.mesh.positions, &mut text);
        text.push_str("]\n");
        rest.attributes.iter().for_each(|attribute| primvar(attribute, &mut text));
        subsets(rest, &name, &mut text);
        if frames > 0 {
            text.push_str("    point3f[] points.timeSamples = {\n");
        }
        let vertices = rest.mesh.positions.len();
        let mut file = PartFile::create(path, OnFailure::Remove)?;
        file.append(text.as_bytes())?;
        Ok(Writer { file, vertices, planned: frames, written: 0, end_at, text: String::new() })
    }
}

impl FrameWriter for Writer {
    /// Adds a frame: as many positions (m) as the mesh has vertices.
    fn write_frame(&mut self, positions: &[DVec3]) -> Result<(), IoError> {
        if positions.len() != self.vertices || self.written == self.planned {
            let problem = format!(
                "expected {} frames of {} vertices, was given frame {} of {}",
                self.planned,
                self.vertices,
                self.written + 1,
                positions.len()
            );
            return Err(IoError::content(self.file.target(), problem));
        }
        self.text.clear();
        let _ = write!(self.text, "        {}: [", self.written);
        points(positions, &mut self.text);
        self.text.push_str("],\n");
        self.file.append(self.text.as_bytes())?;
        self.written += 1;
        Ok(())
    }

    /// Gives the file its name.
    fn finish(mut self: Box<Self>) -> Result<(), IoError> {
        if self.planned > 0 {
            self.file.append(b"    }\n")?;
            let last = format!("{:<DIGITS$}", self.written.saturating_sub(1));
            self.file.patch(self.end_at, last.as_bytes())?;
        }
        self.file.append(b"}\n")?;
        self.file.commit()
    }
}

fn list(items: impl Iterator<Item = impl std::fmt::Display>, text: &mut String) {
    for (index, item) in items.enumerate() {
        let _ = write!(text, "{}{item}", if index > 0 { ", " } else { "" });
    }
}

/// Single precision, as the type of points has it, with the fewest digits that read back.
fn points(positions: &[DVec3], text: &mut String) {
    for (index, p) in positions.iter().enumerate() {
        let [x, y, z] = p.as_vec3().to_array();
        let _ = write!(text, "{}({x}, {y}, {z})", if index > 0 { ", " } else { "" });
    }
}

fn primvar(attribute: &Attribute, text: &mut String) {
    let name = match attribute.is_color() {
        true => "displayColor".to_owned(),
        false => identifier(attribute.plain_name()),
    };
    // Colours have no alpha here; it would be a primvar of its own.
    let width = if attribute.is_color() { 3 } else { attribute.components };
    let kind = match (attribute.is_color(), width) {
        (true, _) => "color3f[]".to_owned(),
        (false, 1) => "float[]".to_owned(),
        (false, width) => format!("float{width}[]"),
    };
    let _ = write!(text, "    {kind} primvars:{name} = [");
    for (index, row) in attribute.values.chunks(attribute.components.max(1)).enumerate() {
        text.push_str(if index > 0 { ", " } else { "" });
        text.push_str(if width > 1 { "(" } else { "" });
        list(row.iter().take(width).map(|&value| value as f32), text);
        text.push_str(if width > 1 { ")" } else { "" });
    }
    text.push_str("] (\n        interpolation = \"vertex\"\n    )\n");
}

/// Groups as subsets of faces: those all of whose vertices are in the group.
fn subsets(rest: &Loaded, mesh: &str, text: &mut String) {
    for group in &rest.mesh.groups {
        let name = identifier(&group.name);
        let inside = |face: &[u32]| face.iter().all(|v| group.vertices.binary_search(v).is_ok());
        let faces: Vec<usize> =
            rest.faces().enumerate().filter(|(_, face)| inside(face)).map(|(i, _)| i).collect();
        if faces.is_empty() || name == mesh {
            continue;
        }
        let _ = write!(
            text,
            "    def GeomSubset \"{name}\"\n    {{\n        uniform token elementType = \"face\"\n        int[] indices = ["
        );
        list(faces.iter(), text);
        text.push_str("]\n    }\n");
    }
}

/// Letters, digits and underscores, not starting with a digit.
fn identifier(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(letter).collect();
    match name.chars().next() {
        None => "mesh".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{name}"),
        Some(_) => name,
    }
}

//! Error maps: a mesh per frame with numbers and colours on its vertices.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_io::{Attribute, Loaded, write_mesh};
use pliant_lips::measures::{Errors, distances, heat, surface_distances};
use pliant_mesh::Mesh;

use crate::error::ProjectError;

/// Distances of one frame on the inner lip \[m\].
pub struct FrameErrors {
    /// How far each free vertex moved.
    pub moved: Vec<f64>,
    /// How far each is from the truth, before and after, where that is known.
    pub off: Option<[Vec<f64>; 2]>,
    /// How far each is from the true surface, after.
    pub surface: Option<Vec<f64>>,
}

impl FrameErrors {
    /// Distances in a frame.
    pub fn of(
        rest: &Mesh,
        inner: &[u32],
        captured: &[DVec3],
        corrected: &[DVec3],
        truth: Option<&[DVec3]>,
    ) -> FrameErrors {
        let surface = |truth: &[DVec3]| {
            let near = |t: &&[u32; 3]| t.iter().any(|v| inner.binary_search(v).is_ok());
            let triangles = rest.triangles.iter().filter(near).copied().collect();
            surface_distances(corrected, &Mesh::surface(truth.to_vec(), triangles), inner)
        };
        FrameErrors {
            moved: distances(corrected, captured, inner),
            off: truth.map(|x| [captured, corrected].map(|found| distances(found, x, inner))),
            surface: truth.map(surface),
        }
    }

    /// Errors before and after.
    pub fn errors(&self) -> Option<[Errors; 2]> {
        self.off.as_ref().map(|lists| lists.each_ref().map(|list| Errors::of(list)))
    }

    /// Writes the map of a frame: the corrected mesh, coloured by its error (or, without a truth,
    /// by how far it moved), which is darkest at `scale` \[m\].
    pub fn write(
        &self,
        path: &Path,
        rest: &Loaded,
        inner: &[u32],
        corrected: &[DVec3],
        scale: f64,
    ) -> Result<(), ProjectError> {
        let spread = |list: &[f64]| {
            let mut values = vec![0.0; corrected.len()];
            list.iter().zip(inner).for_each(|(value, v)| values[*v as usize] = *value);
            values
        };
        let attribute = |name: &str, components: usize, values: Vec<f64>| Attribute {
            name: name.to_owned(),
            components,
            values,
        };
        let mut attributes = vec![attribute("moved", 1, spread(&self.moved))];
        let mut shown = spread(&self.moved);
        if let (Some([before, after]), Some(surface)) = (&self.off, &self.surface) {
            shown = spread(after);
            attributes.push(attribute("error_before", 1, spread(before)));
            attributes.push(attribute("error", 1, shown.clone()));
            attributes.push(attribute("surface_error", 1, spread(surface)));
        }
        let colours = shown.iter().flat_map(|value| heat(value / scale)).collect();
        attributes.push(attribute(Attribute::COLOR, 3, colours));
        let mesh = Mesh { positions: corrected.to_vec(), ..rest.mesh.clone() };
        write_mesh(path, &Loaded { mesh, attributes, ..rest.clone() })?;
        Ok(())
    }
}

/// The file of a frame's map: the number in place of the `*`.
pub fn map_path(pattern: &Path, frame: usize) -> PathBuf {
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    pattern.with_file_name(name.replacen('*', &format!("{frame:04}"), 1))
}

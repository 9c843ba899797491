//! Weights from 0 to 1 per tet, from maps, regions, landmarks and points.

use std::path::Path;

use glam::DVec3;
use pliant_mesh::{Surface, SurfaceTree};

use super::diffusion::{Laplacian, bell};
use crate::anatomy::regions::is_hidden;
use crate::effects::{InjectionSites, PaintSource};
use crate::error::{EffectProblem, FaceError};
use crate::model::{BoundaryPart, FaceModel};

/// Borders of regions are as wide as this (m).
const BORDER: f64 = 0.004;

/// Less is nothing.
const UNPAINTED: f64 = 0.02;

/// Reads the map of a file that effects name, a weight per vertex of the skin; the path is as
/// written.
pub type ReadMap<'r> = dyn FnMut(&str) -> Result<Vec<f64>, FaceError> + 'r;

/// Reads no files: for effects that name none.
///
/// # Errors
/// Always: [`FaceError::MissingFile`].
pub fn no_maps(path: &str) -> Result<Vec<f64>, FaceError> {
    Err(FaceError::MissingFile { path: path.to_owned() })
}

/// Reads a map from text: a number per vertex, separated by blanks, commas or lines; `#` starts a
/// comment. `path` is named in errors.
///
/// ```
/// use pliant_face::alteration::read_map;
/// let path = "map.txt".as_ref();
/// assert_eq!(read_map(path, "# cheeks\n0 0.5\n1,0.25")?, [0.0, 0.5, 1.0, 0.25]);
/// let refused = read_map(path, "0 much").unwrap_err().to_string();
/// assert_eq!(refused, "map.txt, line 1: expected a number, found `much`");
/// # Ok::<(), pliant_face::FaceError>(())
/// ```
///
/// # Errors
/// When a line has something else.
pub fn read_map(path: &Path, text: &str) -> Result<Vec<f64>, FaceError> {
    let mut values = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let said = text.split('#').next().unwrap_or("");
        for word in said.split([' ', ',', '\t', ';']).filter(|word| !word.is_empty()) {
            let short: String = word.chars().take(20).flat_map(char::escape_debug).collect();
            let wrong =
                |_| FaceError::in_line(path, line, format!("expected a number, found `{short}`"));
            values.push(word.parse::<f64>().map_err(wrong)?);
        }
    }
    Ok(values)
}

/// The map painted on a mesh: its first scalar attribute, or else the red of its colour less the
/// mean of green and blue. `path` is named in errors.
///
/// # Errors
/// When it has neither.
pub fn painted_on(path: &Path, surface: &Surface) -> Result<Vec<f64>, FaceError> {
    let attributes = &surface.attributes;
    if let Some(own) = attributes.iter().find(|a| a.components == 1) {
        return Ok(own.values.clone());
    }
    let Some(colour) = attributes.iter().find(|a| a.is_color()) else {
        return Err(FaceError::Unpainted { path: path.to_owned() });
    };
    let red = |v: usize| match colour.of(v) {
        [r, g, b, ..] => (r - 0.5 * (g + b)).max(0.0),
        _ => 0.0,
    };
    Ok((0..surface.mesh.positions.len()).map(red).collect())
}

/// What weights of a face's flesh are made with.
pub(super) struct Painter<'a> {
    face: &'a FaceModel,
    flesh: Laplacian,
    skin: Option<(SurfaceTree, Laplacian)>,
}

impl<'a> Painter<'a> {
    pub fn new(face: &'a FaceModel) -> Painter<'a> {
        Painter { face, flesh: Laplacian::of_tets(&face.solid), skin: None }
    }

    /// Per tet.
    pub fn of(
        &mut self,
        place: &PaintSource,
        depth: Option<f64>,
        read: &mut ReadMap,
    ) -> Result<Vec<f64>, EffectProblem> {
        let painted = match place {
            PaintSource::Passive => return Ok(self.face.passive_fractions()),
            PaintSource::Map(file) => {
                let map = read(file).map_err(|error| EffectProblem::File(Box::new(error)))?;
                check_map(file, &map, self.face.skin.mesh.positions.len())?;
                map
            }
            PaintSource::Regions(names) => self.regions(names)?,
        };
        let on_flesh = self.onto_flesh(&painted);
        Ok(self.per_tet(&self.flesh.extended(&on_flesh, depth)))
    }

    /// Per tet, from where needles go in.
    pub fn injected(
        &mut self,
        sites: &InjectionSites,
        radius: f64,
    ) -> Result<Vec<f64>, EffectProblem> {
        let points: Vec<DVec3> = match sites {
            InjectionSites::Points(points) => {
                points.iter().map(|p| DVec3::from_array(*p)).collect()
            }
            InjectionSites::Landmarks(names) => {
                names.iter().map(|name| self.landmark(name)).collect::<Result<_, _>>()?
            }
            InjectionSites::Regions(names) => {
                let painted = self.regions(names)?;
                let on_flesh = self.onto_flesh(&painted);
                let deep = self.flesh.extended(&on_flesh, Some(radius));
                return Ok(self.per_tet(&deep));
            }
        };
        let positions = &self.face.solid.positions;
        let mut left = vec![1.0; positions.len()];
        for point in points {
            let reach = positions.iter().map(|p| p.distance(point)).fold(f64::INFINITY, f64::min);
            if reach > 3.0 * radius.max(0.005) {
                let (point, distance_mm) = (point.to_array(), 1e3 * reach);
                return Err(EffectProblem::FarPoint { point, distance_mm });
            }
            let own = bell(&self.flesh, positions, point, radius);
            left.iter_mut().zip(own).for_each(|(left, own)| *left *= 1.0 - own);
        }
        Ok(self.per_tet(&left.iter().map(|left| 1.0 - left).collect::<Vec<_>>()))
    }

    fn landmark(&self, name: &str) -> Result<DVec3, EffectProblem> {
        let landmarks = &self.face.landmarks;
        let found = landmarks.iter().find(|landmark| landmark.name == name);
        found.map(|landmark| landmark.position).ok_or_else(|| {
            let names = landmarks.iter().map(|landmark| landmark.name.as_str());
            EffectProblem::unknown("landmark", name, names)
        })
    }

    /// 1 in regions of the skin, with soft borders.
    fn regions(&mut self, names: &[String]) -> Result<Vec<f64>, EffectProblem> {
        let skin = &self.face.skin.mesh;
        let mut painted = vec![0.0; skin.positions.len()];
        let regions = &self.face.regions;
        for name in names {
            let Some(region) = regions.iter().find(|region| region.name == *name) else {
                let names = regions.iter().map(|r| r.name.as_str());
                return Err(EffectProblem::unknown("region", name, names));
            };
            for &v in &region.vertices {
                painted.get_mut(v as usize).into_iter().for_each(|p| *p = 1.0);
            }
        }
        let (_, laplacian) = self.skin();
        Ok(laplacian.spread(&painted, BORDER))
    }

    fn skin(&mut self) -> &(SurfaceTree, Laplacian) {
        let mesh = &self.face.skin.mesh;
        self.skin.get_or_insert_with(|| (SurfaceTree::new(mesh), Laplacian::of_triangles(mesh)))
    }

    /// What is painted on the skin, at the flesh's vertices that lie on it; nothing inside of the
    /// mouth where that is not painted.
    fn onto_flesh(&mut self, painted: &[f64]) -> Vec<Option<f64>> {
        let face = self.face;
        let mut is_inside = vec![false; face.skin.mesh.positions.len()];
        for region in face.regions.iter().filter(|r| is_hidden(&r.name)) {
            for &v in &region.vertices {
                is_inside.get_mut(v as usize).into_iter().for_each(|inside| *inside = true);
            }
        }
        let (tree, _) = self.skin();
        let value = |v: usize| {
            let found = tree.closest(face.solid.positions[v])?;
            let corners = face.skin.mesh.triangles.get(found.triangle as usize)?;
            let is_bare = |v: &u32| is_inside[*v as usize] && painted[*v as usize] < UNPAINTED;
            if corners.iter().all(is_bare) {
                return None;
            }
            Some((0..3).map(|k| found.weights[k] * painted[corners[k] as usize]).sum())
        };
        let is_skin = |v: usize| face.parts[v] == Some(BoundaryPart::Skin);
        (0..face.parts.len()).map(|v| if is_skin(v) { value(v) } else { None }).collect()
    }

    fn per_tet(&self, values: &[f64]) -> Vec<f64> {
        let mean = |tet: &[u32; 4]| tet.iter().map(|&v| values[v as usize]).sum::<f64>() / 4.0;
        self.face.solid.tets.iter().map(|tet| mean(tet).clamp(0.0, 1.0)).collect()
    }
}

/// Checks that a map has a weight from 0 to 1 for every vertex.
fn check_map(file: &str, map: &[f64], vertices: usize) -> Result<(), EffectProblem> {
    let name = || file.to_owned();
    if map.len() != vertices {
        return Err(EffectProblem::MapLength { map: name(), numbers: map.len(), vertices });
    }
    match map.iter().position(|value| !(0.0..=1.0).contains(value)) {
        Some(vertex) => Err(EffectProblem::MapRange { map: name(), vertex, value: map[vertex] }),
        None => Ok(()),
    }
}

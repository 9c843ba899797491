//! Weights of flesh: from files, regions, landmarks and points to a number from 0 to 1 per tet.

use glam::DVec3;
use pliant_mesh::{Mesh, Surface, SurfaceTree};

use super::diffusion::{Laplacian, bell};
use crate::effects::{Sites, Where};
use crate::folder::nearest;
use crate::model::{FaceModel, Part};

/// Borders of regions are as wide as this (m).
const BORDER: f64 = 0.004;

/// Less is nothing.
const UNPAINTED: f64 = 0.02;
/// Regions of the skin that nobody paints: what is painted on the outside goes on to them.
const INSIDE: [&str; 6] = [
    "upper_lip_inner",
    "lower_lip_inner",
    "tongue",
    "mouth_cavity",
    "eye_socket_l",
    "eye_socket_r",
];

/// Where files that effects name come from.
pub trait EffectFiles {
    /// Weights of the skin's vertices; `path` is as written. The error names the file, and says what is wrong.
    ///
    /// # Errors
    /// When there is none, or it is no map.
    fn map(&mut self, path: &str) -> Result<Vec<f64>, String>;

    /// A closed surface (m).
    ///
    /// # Errors
    /// When there is none.
    fn mesh(&mut self, path: &str) -> Result<Mesh, String>;
}

/// No files: for effects that name none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl EffectFiles for NoFiles {
    fn map(&mut self, path: &str) -> Result<Vec<f64>, String> {
        Err(format!("there is no file {path}"))
    }

    fn mesh(&mut self, path: &str) -> Result<Mesh, String> {
        Err(format!("there is no file {path}"))
    }
}

/// A map as text: a number for every vertex, between blanks, commas or lines; what follows `#` is a remark.
///
/// ```
/// use pliant_face::alteration::read_map;
/// assert_eq!(read_map("# cheeks\n0 0.5\n1,0.25"), Ok(vec![0.0, 0.5, 1.0, 0.25]));
/// assert!(read_map("0 much").unwrap_err().contains("line 1: expected a number, found `much`"));
/// ```
///
/// # Errors
/// Names the line that has something else.
pub fn read_map(text: &str) -> Result<Vec<f64>, String> {
    let mut values = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let said = text.split('#').next().unwrap_or("");
        for word in said.split([' ', ',', '\t', ';']).filter(|word| !word.is_empty()) {
            let short: String = word.chars().take(20).flat_map(char::escape_debug).collect();
            let number = word.parse::<f64>();
            values.push(
                number.map_err(|_| format!("line {line}: expected a number, found `{short}`"))?,
            );
        }
    }
    Ok(values)
}

/// A map as it is painted on a mesh: its first attribute of one number, or else how red its colour is, less green and blue.
pub fn painted_on(surface: &Surface) -> Option<Vec<f64>> {
    let attributes = &surface.attributes;
    if let Some(own) = attributes.iter().find(|a| a.components == 1) {
        return Some(own.values.clone());
    }
    let colour = attributes.iter().find(|a| a.is_color())?;
    let red = |v: usize| match colour.of(v) {
        [r, g, b, ..] => (r - 0.5 * (g + b)).max(0.0),
        _ => 0.0,
    };
    Some((0..surface.mesh.positions.len()).map(red).collect())
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
        place: &Where,
        depth: Option<f64>,
        files: &mut dyn EffectFiles,
    ) -> Result<Vec<f64>, String> {
        let painted = match place {
            Where::Passive => return Ok(self.face.passive_fractions()),
            Where::Map(file) => {
                let map = files.map(file)?;
                checked(&map, self.face.skin.mesh.positions.len())
                    .map_err(|problem| format!("map {file}: {problem}"))?;
                map
            }
            Where::Regions(names) => self.regions(names)?,
        };
        let on_flesh = self.onto_flesh(&painted);
        Ok(self.per_tet(&self.flesh.extended(&on_flesh, depth)))
    }

    /// Per tet, from where needles go in.
    pub fn injected(&mut self, sites: &Sites, radius: f64) -> Result<Vec<f64>, String> {
        let points: Vec<DVec3> = match sites {
            Sites::Points(points) => points.iter().map(|p| DVec3::from_array(*p)).collect(),
            Sites::Landmarks(names) => {
                names.iter().map(|name| self.landmark(name)).collect::<Result<_, _>>()?
            }
            Sites::Regions(names) => {
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
                let [x, y, z] = point.to_array();
                let far = 1e3 * reach;
                return Err(format!("({x}, {y}, {z}) m is {far:.0} mm from the flesh"));
            }
            let own = bell(&self.flesh, positions, point, radius);
            left.iter_mut().zip(own).for_each(|(left, own)| *left *= 1.0 - own);
        }
        Ok(self.per_tet(&left.iter().map(|left| 1.0 - left).collect::<Vec<_>>()))
    }

    fn landmark(&self, name: &str) -> Result<DVec3, String> {
        let landmarks = &self.face.landmarks;
        let found = landmarks.iter().find(|landmark| landmark.name == name);
        found.map(|landmark| landmark.position).ok_or_else(|| {
            unknown("landmark", name, landmarks.iter().map(|landmark| landmark.name.as_str()))
        })
    }

    /// 1 in regions of the skin, with soft borders.
    fn regions(&mut self, names: &[String]) -> Result<Vec<f64>, String> {
        let skin = &self.face.skin.mesh;
        let mut painted = vec![0.0; skin.positions.len()];
        let regions = &self.face.regions;
        for name in names {
            let Some(region) = regions.iter().find(|region| region.name == *name) else {
                return Err(unknown("region", name, regions.iter().map(|r| r.name.as_str())));
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

    /// What is painted on the skin, at the flesh's vertices that lie on it; nothing inside of the mouth where that is not painted.
    fn onto_flesh(&mut self, painted: &[f64]) -> Vec<Option<f64>> {
        let face = self.face;
        let mut is_inside = vec![false; face.skin.mesh.positions.len()];
        for region in face.regions.iter().filter(|r| INSIDE.contains(&r.name.as_str())) {
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
        let is_skin = |v: usize| face.parts[v] == Some(Part::Skin);
        (0..face.parts.len()).map(|v| if is_skin(v) { value(v) } else { None }).collect()
    }

    fn per_tet(&self, values: &[f64]) -> Vec<f64> {
        let mean = |tet: &[u32; 4]| tet.iter().map(|&v| values[v as usize]).sum::<f64>() / 4.0;
        self.face.solid.tets.iter().map(|tet| mean(tet).clamp(0.0, 1.0)).collect()
    }
}

/// Refuses what is no map of a skin.
fn checked(map: &[f64], vertices: usize) -> Result<(), String> {
    if map.len() != vertices {
        return Err(format!("{} numbers, but the skin has {vertices} vertices", map.len()));
    }
    match map.iter().position(|value| !(0.0..=1.0).contains(value)) {
        Some(v) => Err(format!("vertex {v} has {}, expected a weight from 0 to 1", map[v])),
        None => Ok(()),
    }
}

/// A name that nothing has, and the one that it resembles.
pub(super) fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    match nearest(name, known.clone()) {
        Some(like) => format!("there is no {kind} `{name}`; did you mean `{like}`?"),
        None => {
            let all: Vec<&str> = known.collect();
            format!("there is no {kind} `{name}`, expected one of {}", all.join(", "))
        }
    }
}

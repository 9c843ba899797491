//! Reads a template from a folder.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_io::{Format, Loaded, read_blendshapes, read_ids, read_mesh, read_text, unit_named};
use pliant_mesh::{Attribute, Group, Mesh, Surface};

use super::TEMPLATE;
use super::schema::{EyeTable, HingeTable, MuscleTable, TemplateFile};
use crate::anatomy::hinge::{Hinge, JawPose};
use crate::anatomy::landmarks::Landmark;
use crate::anatomy::{Fibres, MuscleVolume};
use crate::error::FaceError;
use crate::expression::Recipe;
use crate::template::{Blendshape, Eye, Template};

/// Reads the template in a folder, in metres. Files are read; whether parts fit together is seen
/// by [`check`](super::check).
///
/// ```
/// use pliant_face::template_folder::read_template;
/// let missing = read_template(std::path::Path::new("/no/such/head")).unwrap_err();
/// assert!(missing.to_string().contains("template.toml"));
/// ```
pub fn read_template(folder: &Path) -> Result<Template, FaceError> {
    let path = folder.join(TEMPLATE);
    let text = read_text(&path)?;
    let file: TemplateFile = toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let problem = error.message().to_owned();
        FaceError::Syntax { path: path.clone(), line: before.matches('\n').count() + 1, problem }
    })?;
    let Some(unit) = unit_named(&file.unit) else {
        let problem = format!("unit is {:?}, expected m, cm, mm, in or ft", file.unit);
        let line = text.lines().position(|line| line.starts_with("unit")).unwrap_or(0) + 1;
        return Err(FaceError::Syntax { path, line, problem });
    };
    Reader { folder, path, unit }.template(file)
}

struct Reader<'a> {
    folder: &'a Path,
    path: PathBuf,
    unit: f64,
}

impl Reader<'_> {
    fn template(&self, file: TemplateFile) -> Result<Template, FaceError> {
        let skin = self.surface("the skin", &file.skin)?;
        let vertices = skin.mesh.positions.len();
        Ok(Template {
            shapes: self.shapes(&file.blendshapes, &skin.mesh)?,
            skull: self.surface("the skull", &file.skull)?,
            mandible: self.surface("the mandible", &file.mandible)?,
            teeth_proxies: [
                self.surface("the upper teeth's proxy", &file.upper_teeth_proxy)?.mesh,
                self.surface("the lower teeth's proxy", &file.lower_teeth_proxy)?.mesh,
            ],
            eyes: file.eyes.iter().map(|eye| self.eye(eye)).collect::<Result<_, _>>()?,
            muscles: file.muscles.iter().map(|m| self.muscle(m)).collect::<Result<_, _>>()?,
            regions: file
                .regions
                .iter()
                .map(|(name, file)| self.region(name, file, vertices))
                .collect::<Result<_, _>>()?,
            landmarks: file
                .landmarks
                .iter()
                .map(|(name, p)| Landmark { name: name.clone(), position: self.place(*p) })
                .collect(),
            hinge: self.hinge(&file.hinge),
            recipes: file
                .recipes
                .into_iter()
                .map(|(name, table)| {
                    let shift = self.place(table.jaw_shift);
                    let jaw = JawPose { open: table.jaw_open, turn: table.jaw_turn, shift };
                    (name, Recipe { muscles: table.muscles.into_iter().collect(), jaw })
                })
                .collect(),
            expressions: file
                .expressions
                .into_iter()
                .map(|(name, weights)| (name, weights.into_iter().collect()))
                .collect(),
            name: file.name,
            skin,
        })
    }

    fn place(&self, p: [f64; 3]) -> DVec3 {
        self.unit * DVec3::from_array(p)
    }

    /// The file of a part, which must be there.
    fn file(&self, part: &str, name: &str) -> Result<PathBuf, FaceError> {
        let file = self.folder.join(name);
        if name.is_empty() || !file.exists() {
            return Err(FaceError::MissingPart {
                path: self.path.clone(),
                part: part.to_owned(),
                file: name.to_owned(),
            });
        }
        Ok(file)
    }

    fn surface(&self, part: &str, name: &str) -> Result<Surface, FaceError> {
        let path = self.file(part, name)?;
        let mut surface = read_mesh(&path)?.into_surface();
        let problem = if surface.mesh.triangles.is_empty() {
            "has no triangles".to_owned()
        } else if let Some(v) = surface.mesh.positions.iter().position(|p| !p.is_finite()) {
            format!("has a vertex that is not finite: number {v}")
        } else {
            surface.mesh.positions.iter_mut().for_each(|p| *p *= self.unit);
            return Ok(surface);
        };
        Err(FaceError::Part { path, part: part.to_owned(), problem })
    }

    fn eye(&self, table: &EyeTable) -> Result<Eye, FaceError> {
        let surface = self.surface("an eye", &table.file)?;
        Ok(Eye { center: self.place(table.center), radius: self.unit * table.radius, surface })
    }

    fn hinge(&self, table: &HingeTable) -> Hinge {
        Hinge {
            point: self.place(table.point),
            axis: DVec3::from_array(table.axis).normalize_or(DVec3::X),
            vertical: DVec3::from_array(table.vertical).normalize_or(DVec3::Y),
            slide: self.place(table.slide_per_degree),
            opening: table.opening,
            turning: table.turning,
            shift: [self.place(table.shift_min), self.place(table.shift_max)],
        }
    }

    fn region(&self, name: &str, file: &str, vertices: usize) -> Result<Group, FaceError> {
        let part = format!("the region {name}");
        let path = self.file(&part, file)?;
        let ids = read_ids(&path)?;
        if let Some(wrong) = ids.iter().find(|&&v| v as usize >= vertices) {
            let problem = format!("names vertex {wrong}, but the skin has {vertices}");
            return Err(FaceError::Part { path, part, problem });
        }
        Ok(Group::new(name, ids))
    }

    fn muscle(&self, table: &MuscleTable) -> Result<MuscleVolume, FaceError> {
        let surface = self.surface(&format!("the muscle {}", table.name), &table.file)?;
        let count = surface.mesh.positions.len();
        let find = |name: &str, components: usize| {
            let fits = |a: &&Attribute| a.name == name && a.components == components;
            surface
                .attributes
                .iter()
                .find(fits)
                .map(|a| &a.values)
                .filter(|v| v.len() == components * count)
        };
        let curve: Vec<DVec3> = table.curve.iter().map(|&p| self.place(p)).collect();
        let fibres = match (find("along", 1), find("fibre", 3)) {
            (Some(along), Some(fibre)) => Fibres {
                along: along.clone(),
                direction: fibre
                    .chunks_exact(3)
                    .map(|d| DVec3::new(d[0], d[1], d[2]).normalize_or(DVec3::Y))
                    .collect(),
            },
            _ => Fibres::along_curve(&surface.mesh.positions, &curve),
        };
        Ok(MuscleVolume {
            name: table.name.clone(),
            origin: table.origin.clone(),
            insertion: table.insertion.clone(),
            solid: surface.mesh,
            curve,
            fibres,
        })
    }

    fn shapes(&self, name: &str, skin: &Mesh) -> Result<Vec<Blendshape>, FaceError> {
        let path = self.file("the blendshapes", name)?;
        let shapes: Vec<(PathBuf, Blendshape)> = if path.is_dir() {
            self.shapes_in(&path, skin)?
        } else {
            let read = read_blendshapes(&path)?;
            let scaled = |v: Vec<DVec3>| v.into_iter().map(|d| self.unit * d).collect();
            let shape = |(name, d)| (path.clone(), Blendshape { name, displacement: scaled(d) });
            read.shapes.into_iter().map(shape).collect()
        };
        for (path, shape) in &shapes {
            let (found, expected) = (shape.displacement.len(), skin.positions.len());
            let problem = if found != expected {
                format!("has {found} vertices, expected the skin's {expected}")
            } else if let Some(v) = shape.displacement.iter().position(|d| !d.is_finite()) {
                format!("moves vertex {v} to where nothing is")
            } else {
                continue;
            };
            let part = format!("the shape {}", shape.name);
            return Err(FaceError::Part { path: path.clone(), part, problem });
        }
        Ok(shapes.into_iter().map(|shape| shape.1).collect())
    }

    /// Every mesh in a folder, by name: the skin in that shape.
    fn shapes_in(
        &self,
        folder: &Path,
        skin: &Mesh,
    ) -> Result<Vec<(PathBuf, Blendshape)>, FaceError> {
        let mut files: Vec<PathBuf> = pliant_io::files_in(folder)?;
        files.retain(|file| Format::of(file).is_some_and(Format::holds_mesh));
        let mut shapes = Vec::with_capacity(files.len());
        for path in files {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let Loaded { mesh, .. } = read_mesh(&path)?;
            let (found, expected) = (mesh.positions.len(), skin.positions.len());
            if found != expected {
                let problem = format!("has {found} vertices, expected the skin's {expected}");
                return Err(FaceError::Part { path, part: format!("the shape {name}"), problem });
            }
            let moved = mesh.positions.iter().zip(&skin.positions);
            let displacement = moved.map(|(to, from)| self.unit * *to - *from).collect();
            shapes.push((path, Blendshape { name, displacement }));
        }
        Ok(shapes)
    }
}

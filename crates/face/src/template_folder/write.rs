//! Writes a template to a folder.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_io::atomic::write_whole;
use pliant_io::{Loaded, write_blendshapes, write_mesh};
use pliant_mesh::{Attribute, Mesh, Surface};

use super::TEMPLATE;
use super::schema::{EyeTable, HingeTable, MuscleTable, RecipeTable, TemplateFile};
use crate::anatomy::MuscleVolume;
use crate::error::FaceError;
use crate::template::Template;

/// Writes all parts into a folder that exists, `template.toml` last; returns the files' names.
pub fn write_template(template: &Template, folder: &Path) -> Result<Vec<PathBuf>, FaceError> {
    let mut writer = Writer { folder, written: Vec::new() };
    let file = TemplateFile {
        name: template.name.clone(),
        unit: "m".to_owned(),
        skin: writer.surface("skin.obj", &template.skin)?,
        skull: writer.surface("skull.obj", &template.skull)?,
        mandible: writer.surface("mandible.obj", &template.mandible)?,
        upper_teeth_proxy: writer.mesh("upper_teeth_proxy.obj", &template.teeth_proxies[0])?,
        lower_teeth_proxy: writer.mesh("lower_teeth_proxy.obj", &template.teeth_proxies[1])?,
        blendshapes: writer.shapes("blendshapes.glb", template)?,
        regions: template
            .regions
            .iter()
            .map(|region| {
                let ids: String = region.vertices.iter().map(|v| format!("{v}\n")).collect();
                let name = writer.text(&format!("regions/{}.txt", region.name), &ids)?;
                Ok((region.name.clone(), name))
            })
            .collect::<Result<_, FaceError>>()?,
        hinge: HingeTable {
            point: template.hinge.point.into(),
            axis: template.hinge.axis.into(),
            vertical: template.hinge.vertical.into(),
            slide_per_degree: template.hinge.slide.into(),
            opening: template.hinge.opening,
            turning: template.hinge.turning,
            shift_min: template.hinge.shift[0].into(),
            shift_max: template.hinge.shift[1].into(),
        },
        landmarks: template
            .landmarks
            .iter()
            .map(|l| (l.name.clone(), rounded(l.position)))
            .collect(),
        expressions: template
            .expressions
            .iter()
            .map(|(name, weights)| (name.clone(), weights.iter().cloned().collect()))
            .collect(),
        recipes: template
            .recipes
            .iter()
            .map(|(name, recipe)| {
                let table = RecipeTable {
                    muscles: recipe.muscles.iter().cloned().collect(),
                    jaw_open: recipe.jaw.open,
                    jaw_turn: recipe.jaw.turn,
                    jaw_shift: recipe.jaw.shift.into(),
                };
                (name.clone(), table)
            })
            .collect(),
        eyes: template
            .eyes
            .iter()
            .zip(["eye_left.obj", "eye_right.obj"])
            .map(|(eye, name)| {
                let file = writer.surface(name, &eye.surface)?;
                Ok(EyeTable { file, center: eye.center.into(), radius: eye.radius })
            })
            .collect::<Result<_, FaceError>>()?,
        muscles: template
            .muscles
            .iter()
            .map(|muscle| {
                Ok(MuscleTable {
                    name: muscle.name.clone(),
                    file: writer.muscle(muscle)?,
                    origin: muscle.origin.clone(),
                    insertion: muscle.insertion.clone(),
                    curve: muscle.curve.iter().map(|&p| rounded(p)).collect(),
                })
            })
            .collect::<Result<_, FaceError>>()?,
    };
    let text = toml::to_string(&file).map_err(|error| FaceError::Part {
        path: folder.join(TEMPLATE),
        part: "the template".to_owned(),
        problem: format!("cannot be written: {error}"),
    })?;
    writer.text(TEMPLATE, &text)?;
    Ok(writer.written)
}

struct Writer<'a> {
    folder: &'a Path,
    written: Vec<PathBuf>,
}

impl Writer<'_> {
    fn path(&mut self, name: &str) -> Result<PathBuf, FaceError> {
        let path = self.folder.join(name);
        if let Some(folder) = path.parent() {
            pliant_io::atomic::create_folder(folder)?;
        }
        self.written.push(path.clone());
        Ok(path)
    }

    fn text(&mut self, name: &str, text: &str) -> Result<String, FaceError> {
        write_whole(&self.path(name)?, text.as_bytes())?;
        Ok(name.to_owned())
    }

    fn surface(&mut self, name: &str, surface: &Surface) -> Result<String, FaceError> {
        write_mesh(&self.path(name)?, &loaded(surface))?;
        Ok(name.to_owned())
    }

    fn mesh(&mut self, name: &str, mesh: &Mesh) -> Result<String, FaceError> {
        self.surface(name, &Surface::from(mesh.clone()))
    }

    fn shapes(&mut self, name: &str, template: &Template) -> Result<String, FaceError> {
        let shapes: Vec<(String, Vec<DVec3>)> =
            template.shapes.iter().map(|s| (s.name.clone(), s.displacement.clone())).collect();
        write_blendshapes(&self.path(name)?, &loaded(&template.skin), &shapes)?;
        Ok(name.to_owned())
    }

    fn muscle(&mut self, muscle: &MuscleVolume) -> Result<String, FaceError> {
        let name = format!("muscles/{}.vtu", muscle.name);
        let directions = muscle.fibres.direction.iter().flat_map(|d| d.to_array()).collect();
        let attributes = vec![
            Attribute {
                name: "along".to_owned(),
                components: 1,
                values: muscle.fibres.along.clone(),
            },
            Attribute { name: "fibre".to_owned(), components: 3, values: directions },
        ];
        self.surface(&name, &Surface { attributes, ..Surface::from(muscle.solid.clone()) })
    }
}

fn loaded(surface: &Surface) -> Loaded {
    let Surface { mesh, polygons, attributes } = surface.clone();
    Loaded { mesh, polygons, attributes, notes: Vec::new() }
}

/// To hundredths of a millimetre: for people to read.
fn rounded(p: DVec3) -> [f64; 3] {
    p.to_array().map(|x| (x * 1e5).round() / 1e5)
}

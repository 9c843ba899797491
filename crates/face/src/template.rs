//! A template: the parts of a head that a face is built from.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::{Attribute, Group, Mesh, Surface};

use crate::anatomy::hinge::{HINGE, Hinge};
use crate::anatomy::landmarks::{Landmark, landmarks};
use crate::anatomy::mouth_cavity::{LOWER_ARCH, UPPER_ARCH};
use crate::anatomy::muscles::{MuscleVolume, muscles};
use crate::anatomy::{Anatomy, colours, eye, regions, surfaces};
use crate::error::FaceError;
use crate::expression::{PRESETS, Recipe, Sculptor, Site, keep_off_eye, recipe};

/// The name of the group of teeth in the meshes of skull and mandible.
pub const TEETH: &str = "teeth";
/// And of the group of bone that stands in the mouth as they do.
pub const BARED: &str = "bared";

/// All parts of a head, at rest in one frame (m).
#[derive(Clone, Debug, Default)]
pub struct Template {
    /// What it is called.
    pub name: String,
    /// The outer skin, which goes on into the mouth; with colours.
    pub skin: Surface,
    /// Left, then right.
    pub eyes: Vec<Eye>,
    /// With its teeth in the group `teeth`.
    pub skull: Surface,
    /// With its teeth in the group `teeth`.
    pub mandible: Surface,
    /// Teeth of few triangles, for contact: upper, then lower.
    pub teeth_proxies: [Mesh; 2],
    /// Closed volumes with fibres.
    pub muscles: Vec<MuscleVolume>,
    /// Named sets of the skin's vertices.
    pub regions: Vec<Group>,
    /// Named points on the skin.
    pub landmarks: Vec<Landmark>,
    /// The joint of the jaw.
    pub hinge: Hinge,
    /// Displacements of the skin.
    pub shapes: Vec<Blendshape>,
    /// Which muscles make which shape.
    pub recipes: Vec<(String, Recipe)>,
    /// Weights of shapes by the expression's name.
    pub expressions: Vec<(String, Vec<(String, f64)>)>,
}

/// An eyeball.
#[derive(Clone, Debug, Default)]
pub struct Eye {
    /// About which it turns (m).
    pub center: DVec3,
    /// Without the cornea (m).
    pub radius: f64,
    /// Looking ahead.
    pub surface: Surface,
}

/// A named displacement of the skin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blendshape {
    /// `mouthSmileLeft`.
    pub name: String,
    /// Per vertex (m).
    pub displacement: Vec<DVec3>,
}

impl Template {
    /// The built-in head, with edges of `size` on the cheek (m); about 1 mm to 6 mm make sense.
    ///
    /// ```
    /// use pliant_face::Template;
    /// use pliant_math::team::Team;
    /// let head = Template::built_in(0.006, &Team::new(2))?;
    /// assert_eq!((head.muscles.len(), head.eyes.len()), (67, 2));
    /// let open = head.pose(&[("jawOpen", 1.0)]);
    /// assert_eq!(open.len(), head.skin.mesh.positions.len());
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    pub fn built_in(size: f64, team: &Team) -> Result<Template, FaceError> {
        let anatomy = Anatomy::new();
        let (skin, _) = surfaces::skin(&anatomy, size, team)?;
        let sites: Vec<Site> = skin.positions.iter().map(|&p| Site::new(p, &anatomy)).collect();
        let sculptor = Sculptor::new(&anatomy);
        let shapes = Sculptor::names()
            .filter_map(|name| {
                let displacement = sculptor.shape(name, &sites, team)?;
                Some(Blendshape { name: name.to_owned(), displacement })
            })
            .collect();
        let with_teeth = |bone: Mesh, upper: bool| -> Result<Surface, FaceError> {
            let arch = if upper { UPPER_ARCH } else { LOWER_ARCH };
            Ok(with_teeth(bone, surfaces::teeth(&anatomy, upper, size, team)?, arch))
        };
        Ok(Template {
            name: "pliant head".to_owned(),
            eyes: [1.0, -1.0].map(built_in_eye).into(),
            skull: with_teeth(surfaces::skull(&anatomy, size, team)?, true)?,
            mandible: with_teeth(surfaces::mandible(&anatomy, size, team)?, false)?,
            teeth_proxies: [
                surfaces::teeth_proxy(&anatomy, true, team)?,
                surfaces::teeth_proxy(&anatomy, false, team)?,
            ],
            muscles: muscles(&anatomy, team),
            regions: built_in_regions(&skin, &anatomy),
            landmarks: landmarks(&anatomy),
            hinge: HINGE,
            shapes,
            recipes: crate::expression::ARKIT
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), recipe(name)?)))
                .collect(),
            expressions: PRESETS.iter().map(|p| (p.name.to_owned(), p.shapes())).collect(),
            skin: painted(skin, &anatomy),
        })
    }

    /// The shape of that name.
    pub fn shape(&self, name: &str) -> Option<&Blendshape> {
        self.shapes.iter().find(|shape| shape.name == name)
    }

    /// Where the skin's vertices are (m) with weights of shapes, which are blended linearly; lids
    /// are then put back onto the eyeballs. Names that no shape has move nothing; `mouthClose`,
    /// which corrects `jawOpen`, has no more weight than that.
    pub fn pose(&self, weights: &[(&str, f64)]) -> Vec<DVec3> {
        let mut posed = self.skin.mesh.positions.clone();
        let opened: f64 = weights.iter().filter(|w| w.0 == "jawOpen").map(|w| w.1.max(0.0)).sum();
        for (name, weight) in weights {
            let weight = if *name == "mouthClose" { &weight.min(opened) } else { weight };
            let Some(shape) = self.shape(name).filter(|_| *weight != 0.0) else { continue };
            for (p, d) in posed.iter_mut().zip(&shape.displacement) {
                *p += *weight * *d;
            }
        }
        for eye in &self.eyes {
            keep_off_eye(eye.center, eye.radius, &self.skin.mesh.positions, &mut posed);
        }
        posed
    }

    /// The skin in one of the template's named expressions.
    pub fn expression(&self, name: &str) -> Option<Vec<DVec3>> {
        let (_, weights) = self.expressions.iter().find(|expression| expression.0 == name)?;
        let weights: Vec<(&str, f64)> = weights.iter().map(|(n, w)| (n.as_str(), *w)).collect();
        Some(self.pose(&weights))
    }
}

fn built_in_eye(side: f64) -> Eye {
    let center = DVec3::from_array(eye::CENTER) * DVec3::new(side, 1.0, 1.0);
    let mesh = surfaces::eyeball(center);
    let values = mesh.positions.iter().flat_map(|p| colours::eyeball(*p - center)).collect();
    Eye { center, radius: eye::RADIUS, surface: coloured(mesh, values) }
}

fn built_in_regions(skin: &Mesh, anatomy: &Anatomy) -> Vec<Group> {
    let own: Vec<&str> = skin.positions.iter().map(|&p| regions::region(p, anatomy)).collect();
    let members = |name: &str| -> Vec<u32> {
        let inside = |v: &u32| {
            let v = *v as usize;
            regions::is_in(name, own[v], skin.positions[v])
        };
        (0..own.len() as u32).filter(inside).collect()
    };
    regions::REGIONS.iter().map(|name| Group::new(*name, members(name))).collect()
}

fn painted(skin: Mesh, anatomy: &Anatomy) -> Surface {
    let palette = colours::HeadPalette::new(anatomy);
    let values = skin.positions.iter().flat_map(|&p| palette.skin(p)).collect();
    coloured(skin, values)
}

fn coloured(mesh: Mesh, values: Vec<f64>) -> Surface {
    let colour = Attribute { name: Attribute::COLOR.to_owned(), components: 3, values };
    Surface { attributes: vec![colour], ..Surface::from(mesh) }
}

/// Whether each vertex of a bone is of no flesh: of teeth, which stand in the mouth, or bared.
pub(crate) fn in_the_open(bone: &Surface, groups: &[&str]) -> Vec<bool> {
    let mut open = vec![false; bone.mesh.positions.len()];
    for group in bone.mesh.groups.iter().filter(|g| groups.contains(&g.name.as_str())) {
        for &v in &group.vertices {
            open.get_mut(v as usize).into_iter().for_each(|open| *open = true);
        }
    }
    open
}

/// A bone and its teeth, of an arch, as one mesh, the latter in a group.
fn with_teeth(bone: Mesh, teeth: Mesh, arch: f64) -> Surface {
    const BONE: [f64; 3] = [0.85, 0.79, 0.67];
    let first = bone.positions.len() as u32;
    let mut mesh = bone;
    let enamel = teeth.positions.iter().flat_map(|p| colours::tooth(*p, arch)).collect();
    let values = [BONE.repeat(first as usize), enamel].concat();
    mesh.positions.extend(teeth.positions);
    mesh.triangles.extend(teeth.triangles.iter().map(|t| t.map(|v| v + first)));
    let end = mesh.positions.len() as u32;
    mesh.groups =
        vec![Group::new("bone", (0..first).collect()), Group::new(TEETH, (first..end).collect())];
    coloured(mesh, values)
}

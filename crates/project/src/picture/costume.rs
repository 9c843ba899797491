//! How bodies look in a demo: creatures wear their skins, which are finer than their tets.

use std::rc::Rc;

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::menagerie::{Creature, Skin};
use pliant_mesh::{Embedding, Mesh, MeshError, shapes};
use pliant_model::ModelBody;
use pliant_scene::MeshSource;
use pliant_view::{Material, Object};

/// The drawn surface of one body.
#[derive(Clone)]
pub enum Costume {
    /// Its own boundary.
    Plain { triangles: Vec<[u32; 3]>, material: Material },
    /// A skin that its tets carry.
    Skin(Rc<Worn>),
    /// Balls, and rods between them.
    Net { springs: Vec<[u32; 2]>, triangles: Vec<[u32; 3]>, radius: f64 },
}

/// A skin on tets.
pub struct Worn {
    skin: Skin,
    embedding: Embedding,
    /// Tets of the body; positions change from frame to frame.
    tets: Vec<[u32; 4]>,
}

/// Costumes by shape and resolution: variants of a demo share theirs.
#[derive(Default)]
pub struct Wardrobe(Vec<(&'static str, u32, Rc<Worn>)>);

const RUBBER: Material = Material { colour: [0.93, 0.58, 0.16], gloss: 0.5, translucency: 0.25 };
const HORN: Material = Material { colour: [0.86, 0.74, 0.55], gloss: 0.4, translucency: 0.15 };
const HIDE: Material = Material { colour: [0.7; 3], gloss: 0.35, translucency: 0.3 };
/// Cells along the longest side of a skin, at least.
const FINENESS: usize = 80;

impl Wardrobe {
    /// The costume of a body made from `source`.
    pub fn dress(
        &mut self,
        source: &MeshSource,
        body: &ModelBody,
        threads: usize,
    ) -> Result<Costume, MeshError> {
        let material = match source {
            MeshSource::Shape { name, resolution } => match Creature::named(name) {
                Some(creature) => {
                    return self.skin(&creature, name, *resolution, threads).map(Costume::Skin);
                }
                None if *name == "jelly" => Material::JELLY,
                None => HORN,
            },
            MeshSource::Cloth { .. } => Material::CLOTH,
            MeshSource::Net { points, springs } => return Ok(net(points, springs)),
            _ => RUBBER,
        };
        let own = body.skin.as_ref().map_or(&body.triangles, |s| &s.surface.mesh.triangles);
        Ok(Costume::Plain { triangles: own.clone(), material })
    }

    fn skin(
        &mut self,
        creature: &Creature,
        name: &'static str,
        resolution: u32,
        threads: usize,
    ) -> Result<Rc<Worn>, MeshError> {
        if let Some((.., worn)) = self.0.iter().find(|w| (w.0, w.1) == (name, resolution)) {
            return Ok(Rc::clone(worn));
        }
        let team = Team::new(threads);
        let solid = creature.solid(resolution as usize, &team)?;
        let skin = creature.skin(FINENESS.max(resolution as usize), &team)?;
        // Weights are the same wherever the body is placed.
        let embedding = Embedding::new(&solid, &skin.surface.positions, &team);
        let worn = Rc::new(Worn { skin, embedding, tets: solid.tets });
        self.0.push((name, resolution, Rc::clone(&worn)));
        Ok(worn)
    }
}

impl Costume {
    /// Vertices of what is drawn when the body's are here \[m\].
    pub fn positions(&self, body: &[DVec3]) -> Vec<DVec3> {
        match self {
            Costume::Plain { .. } => body.to_vec(),
            Costume::Net { springs, radius, .. } => {
                let balls = body.iter().flat_map(|x| pill(*x, *x, 2.0 * radius).positions);
                let rods = springs.iter().flat_map(|ends| {
                    let [a, b] = ends.map(|v| body[v as usize]);
                    pill(a, b, *radius).positions
                });
                balls.chain(rods).collect()
            }
            Costume::Skin(worn) => {
                let tets = worn.tets.clone();
                worn.embedding.positions(&Mesh {
                    positions: body.to_vec(),
                    tets,
                    ..Mesh::default()
                })
            }
        }
    }

    /// Object to draw, with its vertices at these positions.
    pub fn object<'a>(&'a self, positions: &'a [DVec3]) -> Object<'a> {
        match self {
            Costume::Plain { triangles, material } => Object::new(positions, triangles, *material),
            Costume::Net { triangles, .. } => Object::new(positions, triangles, RUBBER),
            Costume::Skin(worn) => Object {
                colours: Some(&worn.skin.colours),
                ..Object::new(positions, &worn.skin.surface.triangles, HIDE)
            },
        }
    }
}

/// Rods as thick as an eighth of the longest, with balls of twice that at their ends.
fn net(points: &[[f64; 3]], springs: &[[u32; 2]]) -> Costume {
    let at = |v: u32| points.get(v as usize).copied().map_or(DVec3::ZERO, DVec3::from_array);
    let longest = springs.iter().map(|[a, b]| at(*a).distance(at(*b))).fold(0.0, f64::max);
    let one = pill(DVec3::ZERO, DVec3::Y, 1.0);
    let triangles = (0..points.len() + springs.len()).flat_map(|k| {
        let first = (k * one.positions.len()) as u32;
        one.triangles.iter().map(move |t| t.map(|v| v + first))
    });
    Costume::Net {
        springs: springs.to_vec(),
        triangles: triangles.collect(),
        radius: longest / 16.0,
    }
}

/// A capsule between two points.
fn pill(a: DVec3, b: DVec3, radius: f64) -> Mesh {
    shapes::placed(shapes::capsule(a.distance(b), radius, 16), b - a, a)
}

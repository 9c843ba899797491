//! What a page sees of a scene: surfaces of the bodies, rods of nets, and obstacles.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::menagerie::Creature;
use pliant_mesh::{Embedding, Mesh, MeshError, Surface};
use pliant_model::{Matter, ModelBuilder, Skin};
use pliant_scene::{MeshSource, SceneFile, ShapeSource, revolved};
use serde_json::{Value, json};

use super::lane::Grip;
use crate::error::StudioError;
use crate::packet::Packet;

/// Cells along the longest side of a creature's skin, at least.
const FINENESS: usize = 64;
/// How far around a grip a hand holds, in the diagonal of everything.
const HAND: f64 = 0.07;

/// Surfaces, carried by bodies.
pub struct Shown {
    bodies: Vec<Dress>,
    /// Corners of triangles, and ends of rods, in the order of what is shown.
    triangles: Vec<u32>,
    rods: Vec<u32>,
    /// Colours from 0 to 1; empty where bodies have no own.
    colours: Vec<f32>,
    obstacles: Value,
    /// The smallest box around everything at first \[m\].
    bounds: [DVec3; 2],
    /// Vertices that can be held, in the order of following.
    pub grips: Vec<Grip>,
    /// The grip of every vertex that is shown.
    grip_of: Vec<u32>,
    rest: Vec<DVec3>,
}

/// What one body is shown by.
enum Dress {
    /// Vertices of its own, from its first in user order on.
    Own { first: usize, vertices: Vec<u32> },
    /// A surface that it carries.
    Skin { first: usize, count: usize, skin: Box<Skin> },
}

impl Shown {
    /// Of a scene as it was written and as it is built.
    ///
    /// # Errors
    /// When a creature has no skin.
    pub fn new(
        scene: &SceneFile,
        builder: &ModelBuilder,
        threads: usize,
    ) -> Result<Shown, StudioError> {
        let refused = |error: MeshError| StudioError::refused(error.to_string());
        let mut shown = Shown {
            bodies: Vec::new(),
            triangles: Vec::new(),
            rods: Vec::new(),
            colours: Vec::new(),
            obstacles: obstacles(scene).map_err(refused)?,
            bounds: [DVec3::INFINITY, DVec3::NEG_INFINITY],
            grips: Vec::new(),
            grip_of: Vec::new(),
            rest: Vec::new(),
        };
        let (mut first, mut painted) = (0, false);
        for (number, (spec, written)) in builder.specs().iter().zip(&scene.body).enumerate() {
            let from = shown.grip_of.len() as u32;
            let mut skin = spec.skin.clone().map(|skin| (skin, Vec::new()));
            if let MeshSource::Shape { name, resolution } = &written.mesh
                && let Some(creature) = Creature::named(name)
            {
                let team = Team::new(threads);
                let fine = FINENESS.max(*resolution as usize);
                let mut own = creature.skin(fine, &team).map_err(refused)?;
                written.place.apply(&mut own.surface.positions);
                let embedding = Embedding::new(&spec.mesh, &own.surface.positions, &team);
                let surface = Surface::from(own.surface);
                skin = Some((Skin::new(surface, &spec.mesh, &embedding), own.colours));
            }
            let (mut corners, count) = (Vec::new(), spec.mesh.positions.len());
            let mut ends = Vec::new();
            let before = shown.grips.len() as u32;
            if let Some((skin, colours)) = skin {
                corners.extend(skin.surface.mesh.triangles.iter().flatten().map(|v| v + from));
                let carriers: Vec<u32> =
                    skin.corners.iter().zip(&skin.weights).map(heaviest).collect();
                let mut own = carriers.clone();
                own.sort_unstable();
                own.dedup();
                let grip = |v: &u32| before + own.binary_search(v).unwrap_or(0) as u32;
                shown.grip_of.extend(carriers.iter().map(grip));
                shown.grips.extend(own.iter().map(|&vertex| Grip { body: number, vertex }));
                painted |= !colours.is_empty();
                let colour = |k: usize| colours.get(k).copied().unwrap_or([-1.0; 3]);
                shown.colours.extend((0..carriers.len()).flat_map(colour));
                shown.bodies.push(Dress::Skin { first, count, skin: Box::new(skin) });
            } else {
                let mut faces = spec.mesh.triangles.clone();
                if faces.is_empty() && !spec.mesh.tets.is_empty() {
                    faces = pliant_mesh::boundary_of_tets(&spec.mesh.tets);
                }
                let mut vertices: Vec<u32> = faces.iter().flatten().copied().collect();
                if let (true, Matter::Springs { ends, .. }) = (faces.is_empty(), &spec.matter) {
                    vertices.extend(ends.iter().flatten());
                }
                vertices.sort_unstable();
                vertices.dedup();
                let of = |v: &u32| from + vertices.binary_search(v).unwrap_or(0) as u32;
                corners.extend(faces.iter().flatten().map(of));
                if let (true, Matter::Springs { ends: own, .. }) = (faces.is_empty(), &spec.matter)
                {
                    ends.extend(own.iter().flatten().map(of));
                }
                shown.grip_of.extend((0..vertices.len() as u32).map(|k| before + k));
                shown.grips.extend(vertices.iter().map(|&vertex| Grip { body: number, vertex }));
                shown.colours.extend(std::iter::repeat_n(-1.0, 3 * vertices.len()));
                shown.bodies.push(Dress::Own { first, vertices });
            }
            shown.triangles.extend(corners);
            shown.rods.extend(ends);
            let placed = spec.positions.as_ref().unwrap_or(&spec.mesh.positions);
            for x in placed {
                shown.bounds = [shown.bounds[0].min(*x), shown.bounds[1].max(*x)];
            }
            let own = &shown.grips[before as usize..];
            shown.rest.extend(own.iter().map(|grip| spec.mesh.positions[grip.vertex as usize]));
            first += count;
        }
        if !painted {
            shown.colours.clear();
        }
        Ok(shown)
    }

    /// The message that comes before its frames.
    pub fn packet(&self, generation: u64, name: &str, lanes: usize) -> Packet {
        let [low, high] = self.bounds.map(|x| x.to_array());
        let mut counts = Vec::new();
        for dress in &self.bodies {
            counts.push(dress.count());
        }
        Packet::new("mesh")
            .with("generation", generation)
            .with("name", name)
            .with("lanes", lanes)
            .with("bodies", counts)
            .with("bounds", json!([low, high]))
            .with("obstacles", self.obstacles.clone())
            .counts("triangles", self.triangles.iter().copied())
            .counts("rods", self.rods.iter().copied())
            .floats("colours", self.colours.iter().copied())
    }

    /// Where everything that is shown is, when the bodies' vertices are here, in user order.
    pub fn positions(&self, user: &[DVec3], out: &mut Vec<f32>) {
        out.clear();
        let mut push = |x: DVec3| out.extend([x.x as f32, x.y as f32, x.z as f32]);
        let mut carried = Vec::new();
        for dress in &self.bodies {
            match dress {
                Dress::Own { first, vertices } => {
                    vertices.iter().for_each(|v| push(user[first + *v as usize]));
                }
                Dress::Skin { first, count, skin } => {
                    carried.resize(skin.corners.len(), DVec3::ZERO);
                    skin.carry(&user[*first..first + count], &mut carried);
                    carried.iter().for_each(|x| push(*x));
                }
            }
        }
    }

    /// What a hand at a vertex that is shown holds: places among the grips, with weights from 0 to
    /// 1.
    pub fn around(&self, vertex: usize) -> Vec<(usize, f64)> {
        let Some(&grip) = self.grip_of.get(vertex) else { return Vec::new() };
        let (grip, radius) = (grip as usize, HAND * (self.bounds[1] - self.bounds[0]).length());
        let (body, centre) = (self.grips[grip].body, self.rest[grip]);
        let weight = |k: usize| {
            let distance = self.rest[k].distance(centre) / radius.max(1e-9);
            let near = self.grips[k].body == body && distance < 1.0;
            let weight = (1.0 - distance * distance).powi(2);
            (k == grip || near).then_some((k, if k == grip { 1.0 } else { weight }))
        };
        (0..self.grips.len()).filter_map(weight).collect()
    }
}

impl Dress {
    fn count(&self) -> usize {
        match self {
            Dress::Own { vertices, .. } => vertices.len(),
            Dress::Skin { skin, .. } => skin.corners.len(),
        }
    }
}

fn heaviest((corners, weights): (&[u32; 4], &[f64; 4])) -> u32 {
    let most = (0..4).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap_or(0);
    corners[most]
}

/// Obstacles as triangles, half spaces as a point of their plane and its normal; meshes of files
/// are not shown.
fn obstacles(scene: &SceneFile) -> Result<Value, MeshError> {
    let shown = |source: &ShapeSource| -> Result<Value, MeshError> {
        let surface = |mesh: Mesh| {
            let positions: Vec<[f64; 3]> = mesh.positions.iter().map(|x| x.to_array()).collect();
            json!({ "positions": positions, "triangles": mesh.triangles })
        };
        if let ShapeSource::Revolved { profile } = source {
            return Ok(surface(revolved(profile)));
        }
        let Some(shape) = source.shape() else { return Ok(Value::Null) };
        if shape.bounds().is_none() {
            let nearest = shape.nearest(DVec3::ZERO);
            return Ok(json!({
                "point": nearest.point.to_array(),
                "normal": nearest.normal.to_array(),
            }));
        }
        Ok(shape.outline(1.0)?.map_or(Value::Null, surface))
    };
    scene.collider.iter().map(|collider| shown(&collider.shape)).collect()
}

//! Skin, eyes and teeth as one animated mesh.

use glam::DVec3;
use pliant_mesh::{Attribute, Group, Surface};

use super::AnimatedFrame;
use crate::model::FaceModel;
use crate::props::FaceProp;
use crate::template::{BARED, TEETH, in_the_open};

/// What a part moves with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moves {
    Eye(usize),
    Skull,
    Mandible,
    FaceProp(usize),
}

/// Skin, eyes, teeth, and things around them. The skin's vertices come first, in their order.
#[derive(Clone, Debug)]
pub struct Ensemble<'a> {
    face: &'a FaceModel,
    /// At rest (m), with colours and a group for every part.
    pub rest: Surface,
    /// Where each part but the skin ends among the vertices.
    parts: Vec<(Moves, usize)>,
}

impl<'a> Ensemble<'a> {
    /// Of a face; of its skin alone if that is all that is asked for.
    ///
    /// ```
    /// use pliant_face::{Ensemble, FaceModel};
    /// let nobody = FaceModel::default();
    /// assert!(Ensemble::new(&nobody, false).rest.mesh.positions.is_empty());
    /// ```
    pub fn new(face: &'a FaceModel, skin_only: bool) -> Ensemble<'a> {
        let mut ensemble = Ensemble { face, rest: face.skin.clone(), parts: Vec::new() };
        if skin_only {
            return ensemble;
        }
        let count = face.skin.mesh.positions.len() as u32;
        ensemble.rest.mesh.groups.push(Group::new("skin", (0..count).collect()));
        ensemble.rest.attributes = vec![colour_of(&face.skin)];
        for (k, (eye, name)) in face.eyes.iter().zip(["eye_left", "eye_right"]).enumerate() {
            let all = vec![true; eye.surface.mesh.positions.len()];
            ensemble.add(&eye.surface, &all, name, Moves::Eye(k));
        }
        for (bone, name, moves) in [
            (&face.skull, "upper_teeth", Moves::Skull),
            (&face.mandible, "lower_teeth", Moves::Mandible),
        ] {
            ensemble.add(bone, &in_the_open(bone, &[TEETH, BARED]), name, moves);
        }
        ensemble
    }

    /// The same with the things of a world, in groups `object_NAME`, unless it is the skin alone.
    pub fn with_props(mut self, props: &[FaceProp]) -> Ensemble<'a> {
        let shown =
            if self.rest.mesh.groups.iter().any(|g| g.name == "skin") { props } else { &[] };
        for (k, prop) in shown.iter().enumerate() {
            let all = vec![true; prop.surface.mesh.positions.len()];
            self.add(&prop.surface, &all, &format!("object_{}", prop.name), Moves::FaceProp(k));
        }
        self
    }

    /// Adds the triangles of a surface whose vertices are all chosen.
    fn add(&mut self, surface: &Surface, chosen: &[bool], name: &str, moves: Moves) {
        let first = self.rest.mesh.positions.len() as u32;
        let own = |t: &&[u32; 3]| t.iter().all(|&v| chosen[v as usize]);
        let mut number = vec![None; chosen.len()];
        let colour = colour_of(surface);
        for triangle in surface.mesh.triangles.iter().filter(own) {
            let corners = triangle.map(|v| {
                *number[v as usize].get_or_insert_with(|| {
                    self.rest.mesh.positions.push(surface.mesh.positions[v as usize]);
                    self.rest.attributes[0].values.extend(colour.of(v as usize));
                    self.rest.mesh.positions.len() as u32 - 1
                })
            });
            self.rest.mesh.triangles.push(corners);
            if !self.rest.polygons.is_empty() {
                self.rest.polygons.push(&corners);
            }
        }
        let end = self.rest.mesh.positions.len();
        self.rest.mesh.groups.push(Group::new(name, (first..end as u32).collect()));
        self.parts.push((moves, end));
    }

    /// Where all vertices are in a frame (m).
    pub fn at(&self, frame: &AnimatedFrame) -> Vec<DVec3> {
        let mut positions = frame.skin.clone();
        let head = frame.head.rigid(frame.neck);
        for (moves, end) in &self.parts {
            let own = &self.rest.mesh.positions[positions.len()..*end];
            let place = |p: &DVec3| {
                let in_skull = match *moves {
                    Moves::FaceProp(k) => {
                        return frame.props.get(k).map_or(*p, |pose| pose.apply(*p));
                    }
                    Moves::Skull => frame.teeth[0].apply(*p),
                    Moves::Mandible => self.face.hinge.moved(frame.teeth[1].apply(*p), &frame.jaw),
                    Moves::Eye(k) => {
                        let center = self.face.eyes[k].center;
                        frame.eyes.get(k).map_or(*p, |turn| center + *turn * (*p - center))
                    }
                };
                head.apply(in_skull)
            };
            positions.extend(own.iter().map(place));
        }
        positions
    }
}

/// Red, green and blue per vertex.
fn colour_of(surface: &Surface) -> Attribute {
    const PALE: [f64; 3] = [0.85, 0.79, 0.67];
    let known = surface.attributes.iter().find(|a| a.is_color());
    let of = |v: usize| match known.map(|colour| colour.of(v)) {
        Some([r, g, b, ..]) => [*r, *g, *b],
        _ => PALE,
    };
    let values = (0..surface.mesh.positions.len()).flat_map(of).collect();
    Attribute { name: Attribute::COLOR.to_owned(), components: 3, values }
}

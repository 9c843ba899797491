//! The surfaces that a run writes: one per body, joined. A body that fills a surface file with tets
//! shows that surface; every other body shows its own boundary with all its vertices.

use std::ops::Range;

use pliant_io::Loaded;
use pliant_mesh::{Group, Mesh, Surface};
use pliant_model::{DVec3, Model, ModelBody};

/// The surfaces of a model, and where they are.
pub struct Surfaces<'a> {
    model: &'a Model,
    rest: Loaded,
    /// The vertices of every body among those written.
    ranges: Vec<Range<usize>>,
    /// All vertices of the model, in user order \[m\].
    vertices: Vec<DVec3>,
}

impl<'a> Surfaces<'a> {
    /// All bodies at rest, one group each.
    pub fn of(model: &'a Model) -> Self {
        let mut vertices = vec![DVec3::ZERO; model.vertex_count()];
        model.to_user_order(model.rest(), &mut vertices);
        let surfaces: Vec<Surface> =
            model.bodies().iter().map(|body| surface(body, &vertices)).collect();
        let mut end = 0;
        let ranges = surfaces.iter().map(|surface| {
            let start = end;
            end += surface.mesh.positions.len();
            start..end
        });
        Surfaces { model, ranges: ranges.collect(), rest: Loaded::join(surfaces), vertices }
    }

    /// The surfaces at rest, with faces, groups and attributes as in the bodies' files.
    pub fn rest(&self) -> &Loaded {
        &self.rest
    }

    /// The vertices of every body among those written.
    pub fn vertices_of_bodies(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Positions of the surfaces in a state, whose positions are in model order \[m\].
    pub fn carry(&mut self, positions: &[pliant_math::Row], shown: &mut [DVec3]) {
        let mut vertices = std::mem::take(&mut self.vertices);
        self.model.to_user_order(positions, &mut vertices);
        self.carry_vertices(&vertices, shown);
        self.vertices = vertices;
    }

    /// Positions of the surfaces when all vertices, in user order, are here \[m\].
    pub fn carry_vertices(&self, vertices: &[DVec3], shown: &mut [DVec3]) {
        for (body, range) in self.model.bodies().iter().zip(&self.ranges) {
            let of_body = &vertices[body.first_vertex..][..body.vertex_count];
            let shown = &mut shown[range.clone()];
            match &body.skin {
                Some(skin) => skin.carry(of_body, shown),
                None => shown.copy_from_slice(of_body),
            }
        }
    }
}

/// The surface of a body at rest: all of it is a group of the body's name, before its own groups.
fn surface(body: &ModelBody, vertices: &[DVec3]) -> Surface {
    let mut surface = match &body.skin {
        Some(skin) => skin.surface.clone(),
        None => {
            let positions = vertices[body.first_vertex..][..body.vertex_count].to_vec();
            Surface::from(Mesh::surface(positions, body.triangles.clone()))
        }
    };
    let all = (0u32..).zip(&surface.mesh.positions).map(|(vertex, _)| vertex).collect();
    surface.mesh.groups.retain(|group| group.name != body.name);
    surface.mesh.groups.insert(0, Group { name: body.name.clone(), vertices: all });
    surface
}

//! Values of a model's vertices: masses, rest shape, and where and how fast they start.

use glam::{DMat3, DVec3};
use pliant_math::{Buffer, Row};

use super::ModelBuilder;
use super::numbering::{Numbering, UserOrder};
use crate::body::Matter;
use crate::error::ModelError;

/// Values per vertex, in model order.
pub(crate) struct VertexData {
    /// \[kg\].
    pub masses: Vec<f64>,
    /// \[m\].
    pub rest: Buffer<Row>,
    /// \[m\].
    pub initial_positions: Buffer<Row>,
    /// [m/s].
    pub initial_velocities: Buffer<Row>,
    /// Body of each vertex.
    pub body_of: Vec<u32>,
    /// Diagonal of the rest shape's bounding box \[m\]; 1 m for a single point.
    pub extent: f64,
}

impl VertexData {
    /// From masses in user order.
    pub fn new(numbering: &Numbering, user_masses: &[f64]) -> Self {
        let users = &numbering.users;
        let mut masses = vec![0.0; users.count()];
        let mut body_of = vec![0; users.count()];
        for (v, &number) in numbering.numbers.iter().enumerate() {
            masses[number as usize] = user_masses[v];
            body_of[number as usize] = users.body_of(v) as u32;
        }
        let rest = numbering.rows(|v| users.rest(v));
        let low = rest.iter().fold(DVec3::INFINITY, |a, r| a.min(r.xyz()));
        let high = rest.iter().fold(DVec3::NEG_INFINITY, |a, r| a.max(r.xyz()));
        let diagonal = (high - low).length();
        VertexData {
            masses,
            rest,
            initial_positions: numbering.rows(|v| {
                let (body, local) = users.local(v);
                body.positions.as_ref().map_or_else(|| users.rest(v), |p| p[local])
            }),
            initial_velocities: numbering.rows(|v| {
                let (body, local) = users.local(v);
                body.velocities.as_ref().map_or(DVec3::ZERO, |own| own[local])
            }),
            body_of,
            extent: if diagonal > 0.0 { diagonal } else { 1.0 },
        }
    }
}

impl ModelBuilder {
    /// Lumped masses in user order \[kg\]: a quarter of each tet to its corners.
    pub(super) fn masses(&self, users: &UserOrder) -> Result<Vec<f64>, ModelError> {
        let mut masses = vec![0.0; users.count()];
        for (b, body) in self.bodies.iter().enumerate() {
            let factors = self.flesh.mass_factors(b, body)?;
            let own = &mut masses[users.of_body(b)];
            match &body.matter {
                Matter::Solid { density, .. } => {
                    for (t, tet) in body.mesh.tets.iter().enumerate() {
                        let density = density * factors.get(t).copied().unwrap_or(1.0);
                        let x = tet.map(|v| body.mesh.positions[v as usize]);
                        let edges = DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
                        let volume = edges.determinant() / 6.0;
                        tet.iter().for_each(|&v| own[v as usize] += density * volume / 4.0);
                    }
                }
                Matter::Springs { mass, .. } => own.fill(mass / own.len() as f64),
                Matter::Points { masses } => own.copy_from_slice(masses),
            }
        }
        Ok(masses)
    }
}

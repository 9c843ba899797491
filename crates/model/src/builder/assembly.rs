//! The potentials of a model, and the points that its drive moves.

use std::sync::Arc;

use super::numbering::Numbering;
use super::own_energy::Numbers;
use super::vertices::VertexData;
use super::{Hold, ModelBuilder};
use crate::collider::Collider;
use crate::error::ModelError;
use crate::field::add_diagonal;
use crate::model::{AttachedPoints, FollowedPoints, SlidingPoints};
use crate::potentials::Potential;
use crate::potentials::attachment::Attachments;
use crate::potentials::body_contact::BodyContact;
use crate::potentials::body_friction::BodyFriction;
use crate::potentials::collider_contact::ColliderContact;
use crate::potentials::collider_friction::ColliderFriction;
use crate::potentials::follow::Follow;
use crate::potentials::tracking::{Tracked, Tracking};
use crate::potentials::wind::Wind;
use crate::touching::{SolidSpec, Solids};

/// What potentials are made from.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub builder: &'a ModelBuilder,
    pub numbering: &'a Numbering<'a>,
    pub vertices: &'a VertexData,
}

impl Source<'_> {
    /// An error about a body.
    pub fn refuse(&self, body: usize, reason: String) -> ModelError {
        ModelError::Body { body: self.builder.bodies[body].name.clone(), reason }
    }
}

/// Potentials and driven points.
#[derive(Default)]
pub(super) struct Assembly {
    pub potentials: Vec<Box<dyn Potential>>,
    pub solids: Option<Arc<Solids>>,
    pub attached: AttachedPoints,
    pub followed: FollowedPoints,
    pub tracked: Vec<Tracked>,
    pub sliding: SlidingPoints,
    /// How many tets are activated.
    pub active: usize,
    /// Of every body the model vertices that may touch colliders.
    pub meeting: Vec<Vec<u32>>,
    /// How many triangles wind blows on.
    blown: usize,
}

impl Assembly {
    /// All potentials of a model.
    pub fn new(source: Source) -> Result<Self, ModelError> {
        let mut assembly = Assembly::default();
        let bodies = 0..source.builder.bodies.len();
        for body in bodies.clone() {
            assembly.add_elasticity(source, body)?;
        }
        assembly.add_body_contact(source);
        // Potentials act on one body each, so that every body can have an energy budget of its own.
        for body in bodies {
            assembly.add_attachments(source, body)?;
            assembly.add_following(source, body)?;
            assembly.add_tracking(source, body)?;
            assembly.add_flesh(source, body)?;
            assembly.add_wind(source, body)?;
            assembly.add_colliders(source, body)?;
        }
        for own in &source.builder.own {
            assembly.potentials.push(own.make(&Numbers(source.numbering))?);
        }
        Ok(assembly)
    }

    /// Adds a potential.
    pub fn push(&mut self, potential: impl Potential + 'static) {
        self.potentials.push(Box::new(potential));
    }

    fn add_elasticity(&mut self, source: Source, body: usize) -> Result<(), ModelError> {
        let Source { builder, numbering, vertices } = source;
        let (spec, own) = (&builder.bodies[body], numbering.of_body(body));
        let grows = builder.flesh.grows(body, spec)?;
        self.potentials.extend(spec.elastic(own, &vertices.rest, &grows)?);
        self.potentials.extend(spec.growing(own, &vertices.rest, &grows, self.active)?);
        self.active += grows.len();
        Ok(())
    }

    /// Contact between bodies, made as stiff as what is elastic so far.
    fn add_body_contact(&mut self, source: Source) {
        let Source { builder, numbering, vertices } = source;
        let Some(law) = builder.touching else { return };
        let mut elastic = vec![0.0; vertices.masses.len()];
        self.potentials.iter().for_each(|potential| add_diagonal(&**potential, &mut elastic));
        let spec = |b: usize| SolidSpec {
            mesh: &builder.bodies[b].mesh,
            numbers: numbering.of_body(b),
            ranges: numbering.ranges[b].clone().map(|r| r.start as u32..r.end as u32),
            elastic: &elastic,
            masses: &vertices.masses,
            sides: builder.sides.of(b).next().map_or(&[], |sides| sides),
        };
        let specs: Vec<SolidSpec> = (0..builder.bodies.len()).map(spec).collect();
        let solids = Arc::new(Solids::new(law, &vertices.rest, &specs));
        self.push(BodyContact::new(solids.clone()));
        if law.is_lossy() {
            self.push(BodyFriction::new(solids.clone()));
        }
        self.solids = Some(solids);
    }

    fn add_attachments(&mut self, source: Source, body: usize) -> Result<(), ModelError> {
        let Source { builder, numbering, .. } = source;
        let AttachedPoints { vertices, stiffness, points } = &mut self.attached;
        let first = vertices.len();
        for (h, held) in builder.holds.iter().enumerate().filter(|(_, held)| held.body == body) {
            let Hold::Spring(own) = held.hold else { continue };
            for &v in &held.vertices {
                let v = numbering.users.vertex(body, v)?;
                vertices.push(numbering.numbers[v]);
                stiffness.push(own);
                points.rest.push(numbering.users.rest(v));
                points.motion.push(builder.motion_of(h));
            }
        }
        if vertices.len() > first {
            let (vertices, stiffness) = (vertices[first..].to_vec(), stiffness[first..].to_vec());
            self.push(Attachments::new(first, vertices, stiffness));
        }
        Ok(())
    }

    fn add_following(&mut self, source: Source, body: usize) -> Result<(), ModelError> {
        let FollowedPoints { vertices, weights } = &mut self.followed;
        let first = vertices.len();
        for follow in source.builder.follows.of(body) {
            for (&v, &weight) in follow.vertices.iter().zip(&follow.weights) {
                vertices.push(source.numbering.number(body, v)?);
                weights.push(weight);
            }
        }
        if vertices.len() > first {
            let (vertices, weights) = (vertices[first..].to_vec(), weights[first..].to_vec());
            self.push(Follow::new(first, vertices, weights));
        }
        Ok(())
    }

    fn add_tracking(&mut self, source: Source, body: usize) -> Result<(), ModelError> {
        let first = self.tracked.len();
        for point in source.builder.tracked.of(body).flatten() {
            let corners = source.numbering.all(body, point.corners)?;
            self.tracked.push(Tracked { corners, ..*point });
        }
        if self.tracked.len() > first {
            self.push(Tracking::new(first, &self.tracked[first..]));
        }
        Ok(())
    }

    fn add_wind(&mut self, source: Source, body: usize) -> Result<(), ModelError> {
        let Source { builder, numbering, vertices } = source;
        let Some(breeze) = &builder.breeze else { return Ok(()) };
        let triangles = builder.flesh.blown(body, numbering)?;
        self.push(Wind::new(self.blown, &vertices.rest, &triangles, breeze.drag));
        self.blown += triangles.len();
        Ok(())
    }

    fn add_colliders(&mut self, source: Source, body: usize) -> Result<(), ModelError> {
        let colliders = &source.builder.colliders;
        let own = source.builder.flesh.meets(body, source.numbering)?;
        if !colliders.is_empty() {
            self.push(ColliderContact::new(own.clone(), colliders.clone()));
        }
        if colliders.iter().any(Collider::is_lossy) {
            self.push(ColliderFriction::new(own.clone(), colliders.clone()));
        }
        self.meeting.push(own);
        Ok(())
    }
}

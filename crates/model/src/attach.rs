//! What a body says about itself beside its matter: attachments, placement, initial velocity.

use glam::{DMat3, DVec3};
use pliant_mesh::{Mesh, Selection};

use crate::body::{Body, Matter};
use crate::builder::{Hold, ModelBuilder};
use crate::error::ModelError;
use crate::motion::Motion;

/// Vertices of a body that are held at their rest positions, or moved from there.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// The vertices, selected in the placed rest shape.
    pub select: Selection,
    /// How firmly they are held.
    pub hold: Hold,
    /// How their targets move; at rest if `None`.
    pub motion: Option<Motion>,
}

impl From<f64> for Hold {
    /// A zero-length spring of this stiffness [N/m].
    fn from(stiffness: f64) -> Hold {
        Hold::Spring(stiffness)
    }
}

impl Body {
    /// Pins the vertices whose rest positions meet a condition exactly there.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{Body, Material, ModelBuilder};
    /// let mesh = shapes::box3([1.0, 0.2, 0.2], [5, 1, 1])?;
    /// let bar = Body::solid("bar", mesh, Material::neo_hookean(1e5, 0.4, 1000.0));
    /// let model = ModelBuilder::new().body(bar.pin(|x| x.x < -0.49)).build()?;
    /// assert_eq!(model.hard_vertices().len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pin(self, condition: impl Fn(DVec3) -> bool) -> Self {
        self.attach(condition, Hold::Hard)
    }

    /// Holds the vertices whose rest positions meet a condition there: by a zero-length spring
    /// each, of a stiffness [N/m], or exactly by [`Hold::Hard`]. Place the body first.
    pub fn attach(self, condition: impl Fn(DVec3) -> bool, hold: impl Into<Hold>) -> Self {
        let chosen = (0u32..).zip(&self.mesh.positions).filter(|(_, x)| condition(**x));
        let vertices = chosen.map(|(v, _)| v).collect();
        self.attach_selection(Selection::Vertices(vertices), hold)
    }

    /// As [`attach`](Self::attach), for a selection.
    pub fn attach_selection(mut self, select: Selection, hold: impl Into<Hold>) -> Self {
        self.attachments.push(Attachment { select, hold: hold.into(), motion: None });
        self
    }

    /// Moves the targets of the last attachment.
    pub fn motion(mut self, motion: Motion) -> Self {
        match self.attachments.last_mut() {
            Some(last) => last.motion = Some(motion),
            // Building refuses a motion of nothing.
            None => self.attachments.push(Attachment {
                select: Selection::Vertices(Vec::new()),
                hold: Hold::Hard,
                motion: Some(motion),
            }),
        }
        self
    }

    /// Scales the rest shape about the origin.
    pub fn scale(self, factor: f64) -> Self {
        self.placed(|x| x * factor, |v| v)
    }

    /// Turns the rest shape, and its velocities, about an axis through the origin \[rad\].
    pub fn rotate(self, axis: DVec3, angle: f64) -> Self {
        let turn = DMat3::from_axis_angle(axis.normalize_or(DVec3::Y), angle);
        self.placed(|x| turn * x, |v| turn * v)
    }

    /// Moves the rest shape \[m\].
    pub fn translate(self, by: impl Into<DVec3>) -> Self {
        let by = by.into();
        self.placed(|x| x + by, |v| v)
    }

    fn placed(mut self, x: impl Fn(DVec3) -> DVec3, v: impl Fn(DVec3) -> DVec3) -> Self {
        let skin = self.skin.iter_mut().flat_map(|skin| &mut skin.surface.mesh.positions);
        let start = self.positions.iter_mut().flatten();
        self.mesh.positions.iter_mut().chain(start).chain(skin).for_each(|own| *own = x(*own));
        self.velocities.iter_mut().flatten().for_each(|own| *own = v(*own));
        self
    }

    /// Adds a velocity to that with which the body starts [m/s].
    pub fn velocity(self, velocity: impl Into<DVec3>) -> Self {
        let velocity = velocity.into();
        self.thrown(|_| velocity)
    }

    /// Adds a spin about the centre of mass to the velocity with which the body starts [rad/s].
    pub fn spin(self, angular_velocity: impl Into<DVec3>) -> Self {
        let spin = angular_velocity.into();
        let start = self.positions.clone().unwrap_or_else(|| self.mesh.positions.clone());
        let start = Mesh { positions: start, ..self.mesh.clone() };
        let count = start.positions.len().max(1) as f64;
        let centre = match &self.matter {
            Matter::Solid { .. } => start.centroid(),
            Matter::Springs { .. } => start.positions.iter().sum::<DVec3>() / count,
            Matter::Points { masses } => {
                let moments = start.positions.iter().zip(masses).map(|(x, m)| *x * *m);
                moments.sum::<DVec3>() / masses.iter().sum::<f64>()
            }
        };
        self.thrown(|x| spin.cross(x - centre))
    }

    fn thrown(mut self, velocity: impl Fn(DVec3) -> DVec3) -> Self {
        let start = self.positions.as_ref().unwrap_or(&self.mesh.positions);
        let own = self.velocities.get_or_insert_with(|| vec![DVec3::ZERO; start.len()]);
        own.iter_mut().zip(start).for_each(|(v, x)| *v += velocity(*x));
        self
    }
}

impl ModelBuilder {
    /// Turns the attachments that bodies bring along into holds.
    pub(crate) fn with_attachments(mut self) -> Result<Self, ModelError> {
        for b in 0..self.bodies.len() {
            for attachment in std::mem::take(&mut self.bodies[b].attachments) {
                let vertices = attachment.vertices_of(&self.bodies[b])?;
                self = self.hold(b, vertices, attachment.hold, attachment.motion);
            }
        }
        Ok(self)
    }
}

impl Attachment {
    /// The vertices that it holds; none is an error.
    fn vertices_of(&self, body: &Body) -> Result<Vec<u32>, ModelError> {
        let refuse = |reason: String| ModelError::Body { body: body.name.clone(), reason };
        let selected = self.select.evaluate(&body.mesh.positions, &body.mesh.groups);
        let vertices = selected.map_err(|error| refuse(format!("attachment: {error}")))?;
        if vertices.is_empty() {
            return Err(refuse("an attachment selects no vertex".to_owned()));
        }
        match self.hold {
            Hold::Spring(stiffness) if !(stiffness > 0.0 && stiffness.is_finite()) => {
                Err(refuse(format!(
                    "an attachment has a stiffness of {stiffness} N/m, expected a positive number"
                )))
            }
            _ => Ok(vertices),
        }
    }
}

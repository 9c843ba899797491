//! Building a model in code: bodies, what holds them, and what acts on them.

mod assembly;
mod flesh;
mod holds;
mod numbering;
mod own_energy;
mod per_body;
mod vertices;

use std::sync::Arc;

use glam::DVec3;

use crate::body::Body;
use crate::breeze::Breeze;
use crate::collider::Collider;
use crate::error::ModelError;
use crate::field::Field;
use crate::method::{self, Damping, Method};
use crate::model::{Model, ModelBody};
use crate::motion::Motion;
use crate::pivot::Pivot;
use crate::potentials::Potential;
use crate::potentials::point_energy::{PointEnergy, PointLaw, PointResponse};
use crate::potentials::tracking::Tracked;
use crate::touching::TouchLaw;
use assembly::{Assembly, Source};
use flesh::Flesh;
pub use flesh::{ActiveTet, SlidingVertex};
pub use holds::Hold;
use holds::{HardVertices, HeldVertices};
use numbering::{Numbering, UserOrder};
pub use own_energy::Numbers;
use own_energy::OwnEnergy;
use per_body::PerBody;
pub(crate) use vertices::VertexData;

/// Collects the bodies of a model and everything that acts on them.
///
/// ```
/// use pliant_mesh::shapes;
/// use pliant_model::{Body, DVec3, Material, ModelBuilder};
/// let mesh = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
/// let cube = Body::solid("cube", mesh, Material::corotated(1e5, 0.3, 1000.0));
/// let model = ModelBuilder::new().body(cube).pin(0, |x| x.y < -0.4).build()?;
/// assert_eq!(model.vertex_count(), 27);
/// assert_eq!(model.free_count(), 18);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    pub(crate) bodies: Vec<Body>,
    holds: Vec<HeldVertices>,
    follows: PerBody<FollowedVertices>,
    tracked: PerBody<Vec<Tracked>>,
    colliders: Vec<Collider>,
    touching: Option<TouchLaw>,
    sides: PerBody<Vec<u8>>,
    own: Vec<OwnEnergy>,
    ether: PerBody<DampedVertices>,
    flesh: Flesh,
    gravity: Option<DVec3>,
    breeze: Option<Breeze>,
    method: Method,
}

/// Vertices that follow an input, with their weights [N/m].
#[derive(Clone, Debug)]
struct FollowedVertices {
    vertices: Vec<u32>,
    weights: Vec<f64>,
}

/// Vertices with a rate of velocity damping of their own [1/s].
#[derive(Clone, Debug)]
struct DampedVertices {
    vertices: Vec<u32>,
    rate: f64,
}

impl ModelBuilder {
    /// Nothing yet; gravity is 9.81 m/s² downward.
    pub fn new() -> Self {
        ModelBuilder::default()
    }

    /// Adds a body; the first is number 0.
    pub fn body(mut self, body: Body) -> Self {
        self.bodies.push(body);
        self
    }

    /// Holds vertices of a body at (or moves them from) their placed, unstretched positions. A
    /// vertex held hard twice obeys the last.
    pub fn hold(
        mut self,
        body: usize,
        vertices: Vec<u32>,
        hold: Hold,
        motion: Option<Motion>,
    ) -> Self {
        self.holds.push(HeldVertices { body, vertices, hold, motion });
        self
    }

    /// Holds the vertices whose rest positions satisfy a condition, hard and without motion.
    pub fn pin(self, body: usize, condition: impl Fn(DVec3) -> bool) -> Self {
        let positions = self.bodies.get(body).map_or(&[][..], |b| &b.mesh.positions);
        let ids = (0u32..).zip(positions).filter(|(_, x)| condition(**x)).map(|(v, _)| v).collect();
        self.hold(body, ids, Hold::Hard, None)
    }

    /// Lets vertices follow an input with weights [N/m]; see [`crate::Drive::follow`].
    pub fn follow(mut self, body: usize, vertices: Vec<u32>, weights: Vec<f64>) -> Self {
        self.follows.add(body, FollowedVertices { vertices, weights });
        self
    }

    /// Pulls points that are bound to a body's tets to an input; see [`crate::Drive::tracked`].
    pub fn track(mut self, body: usize, points: Vec<Tracked>) -> Self {
        self.tracked.add(body, points);
        self
    }

    /// Adds an obstacle for all bodies; the first is number 0.
    pub fn collider(mut self, collider: Collider) -> Self {
        self.colliders.push(collider);
        self
    }

    /// Lets bodies touch each other and themselves instead of passing through, by a law: tets
    /// push out what enters them, and sheets keep a distance.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::touching::TouchLaw;
    /// use pliant_model::{Body, DVec3, Material, ModelBuilder};
    /// let cube = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
    /// let cube = Body::solid("cube", cube, Material::corotated(1e5, 0.3, 1000.0));
    /// let model = ModelBuilder::new().body(cube).touching(TouchLaw::default()).build()?;
    /// assert!(model.solids().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn touching(mut self, law: TouchLaw) -> Self {
        self.touching = Some(law);
        self
    }

    /// Adds an energy of your own, made when vertices have their model numbers: `make` asks for
    /// those. It counts as acting from outside: momenta are not held against it.
    pub fn potential(
        mut self,
        make: impl Fn(&Numbers) -> Result<Box<dyn Potential>, ModelError> + Send + Sync + 'static,
    ) -> Self {
        self.own.push(OwnEnergy(Arc::new(make)));
        self
    }

    /// Adds an energy of your own to each of some vertices of a body: a function of the position
    /// \[m\], with its derivatives.
    ///
    /// ```
    /// use glam::DMat3;
    /// use pliant_model::potentials::PointResponse;
    /// use pliant_model::{Body, DVec3, ModelBuilder};
    ///
    /// // A particle of 1 kg in the well 128 x⁴.
    /// let body = Body::points("particle", vec![DVec3::X], vec![1.0]);
    /// let well = |x: DVec3| PointResponse {
    ///     energy: 128.0 * x.x.powi(4),
    ///     gradient: DVec3::X * (512.0 * x.x.powi(3)),
    ///     hessian: DMat3::from_diagonal(DVec3::X * (1536.0 * x.x * x.x)),
    /// };
    /// let model = ModelBuilder::new().body(body).point_energy(0, vec![0], well).build()?;
    /// assert!(model.field().names().eq(["point energy"]));
    /// # Ok::<(), pliant_model::ModelError>(())
    /// ```
    pub fn point_energy(
        self,
        body: usize,
        vertices: Vec<u32>,
        law: impl Fn(DVec3) -> PointResponse + Send + Sync + 'static,
    ) -> Self {
        let law: PointLaw = Arc::new(law);
        self.potential(move |numbers| {
            let vertices: Result<_, _> = vertices.iter().map(|&v| numbers.of(body, v)).collect();
            Ok(Box::new(PointEnergy::new(vertices?, law.clone())))
        })
    }

    /// Lets vertices of a body decay towards rest at a rate of their own [1/s], in place of that of
    /// [`Damping::Ether`]; a vertex named twice obeys the last.
    pub fn ether(mut self, body: usize, vertices: Vec<u32>, rate: f64) -> Self {
        self.ether.add(body, DampedVertices { vertices, rate });
        self
    }

    /// Sets gravity [m/s²].
    pub fn gravity(mut self, gravity: DVec3) -> Self {
        self.gravity = Some(gravity);
        self
    }

    /// Lets wind blow on all surfaces; [`ModelBuilder::blow_on`] leaves it at some.
    pub fn wind(mut self, breeze: Breeze) -> Self {
        self.breeze = Some(breeze);
        self
    }

    /// Sets how the model is to be stepped.
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Builds the model.
    ///
    /// # Errors
    /// When a body is no solid to be simulated (the error names it and its elements), holds name
    /// vertices that do not exist, or a collider has impossible numbers.
    pub fn build(self) -> Result<Model, ModelError> {
        self.with_attachments()?.assemble()
    }

    fn assemble(self) -> Result<Model, ModelError> {
        self.check()?;
        let users = UserOrder::new(&self.bodies)?;
        let masses = self.masses(&users)?;
        let hard = HardVertices::new(&self, &users, &masses)?;
        let numbering = Numbering::new(users, &|v| hard.contains(v))?;
        let vertices = VertexData::new(&numbering, &masses);
        let source = Source { builder: &self, numbering: &numbering, vertices: &vertices };
        let mut assembly = Assembly::new(source)?;
        let potentials = std::mem::take(&mut assembly.potentials);
        Ok(Model {
            bodies: self.finished_bodies(&numbering, &mut assembly.meeting),
            field: Field::new(potentials, &vertices.body_of),
            hard: hard.driven(&self, &numbering),
            motions: self.motions(),
            ether: self.ether_rates(&numbering)?,
            gravity: self.chosen_gravity(),
            free: numbering.free,
            numbers: numbering.numbers,
            vertices,
            attached: assembly.attached,
            followed: assembly.followed,
            tracked: assembly.tracked,
            sliding: assembly.sliding,
            active: assembly.active,
            solids: assembly.solids,
            colliders: self.colliders,
            breeze: self.breeze,
            method: self.method,
        })
    }

    /// Refuses impossible bodies and numbers.
    fn check(&self) -> Result<(), ModelError> {
        method::check(&self.method)?;
        self.bodies.iter().try_for_each(Body::check)?;
        let is_rate = |rate: f64| rate >= 0.0 && rate.is_finite();
        if let Some((body, own)) = self.ether.iter().find(|(_, own)| !is_rate(own.rate)) {
            let body = self.bodies.get(body).map_or_else(String::new, |b| b.name.clone());
            let reason = format!("an ether of {} per second", own.rate);
            return Err(ModelError::Body { body, reason });
        }
        for (collider, own) in self.colliders.iter().enumerate() {
            if let Some(reason) = own.fault() {
                return Err(ModelError::Collider { collider, reason: reason.to_owned() });
            }
        }
        match self.touching.and_then(|law| law.fault()) {
            Some(reason) => {
                let potential = "contact of bodies".to_owned();
                Err(ModelError::Potential { potential, reason })
            }
            None => Ok(()),
        }
    }

    fn chosen_gravity(&self) -> DVec3 {
        self.gravity.unwrap_or(DVec3::new(0.0, -9.81, 0.0))
    }

    /// The bodies as the model knows them; `meeting` are each body's vertices that may touch
    /// colliders.
    fn finished_bodies(&self, numbering: &Numbering, meeting: &mut [Vec<u32>]) -> Vec<ModelBody> {
        let finished = |(b, meeting): (usize, &mut Vec<u32>)| {
            let is_driven = self.is_driven(b);
            let is_pushed = is_driven || !self.colliders.is_empty();
            let is_attached = self.holds.iter().any(|h| h.body == b && !h.vertices.is_empty());
            let [free, hard] = numbering.ranges[b].clone();
            ModelBody {
                first_vertex: numbering.users.firsts[b],
                free,
                hard,
                meeting: std::mem::take(meeting),
                is_held: is_pushed || is_attached,
                is_loose: !is_driven && !is_attached,
                pivot: if is_pushed { None } else { self.pivot(b) },
                ..self.bodies[b].described()
            }
        };
        meeting.iter_mut().enumerate().map(finished).collect()
    }

    /// True if a body follows an input, slides, or feels an energy of the user's.
    fn is_driven(&self, body: usize) -> bool {
        self.follows.of(body).any(|follow| !follow.vertices.is_empty())
            || self.tracked.of(body).any(|points| !points.is_empty())
            || self.flesh.slides(body)
            || !self.own.is_empty()
    }

    /// The point or line that a body turns about, if nothing but its holds acts on it.
    fn pivot(&self, body: usize) -> Option<Pivot> {
        let mut points = Vec::new();
        let rest = &self.bodies[body].mesh.positions;
        for held in self.holds.iter().filter(|held| held.body == body && !held.vertices.is_empty())
        {
            if held.motion.is_some() || self.breeze.is_some() {
                return None;
            }
            points.extend(held.vertices.iter().filter_map(|&v| rest.get(v as usize)));
        }
        Pivot::of(&points, self.chosen_gravity())
    }

    /// Rates of velocity damping of the free vertices [1/s]; none without any.
    fn ether_rates(&self, numbering: &Numbering) -> Result<Vec<f64>, ModelError> {
        let mut rates = match self.method.damping {
            Some(Damping::Ether(rate)) => vec![rate; numbering.free],
            _ if self.ether.is_empty() => Vec::new(),
            _ => vec![0.0; numbering.free],
        };
        for (body, DampedVertices { vertices, rate }) in self.ether.iter() {
            for &v in vertices {
                // Hard vertices go where they are driven.
                if let Some(own) = rates.get_mut(numbering.number(body, v)? as usize) {
                    *own = *rate;
                }
            }
        }
        Ok(rates)
    }
}

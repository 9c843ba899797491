//! Building a model in code: bodies, what holds them, what blows on them.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use pliant_math::{Buffer, Row};

use crate::body_spec::{BodySpec, Matter};
use crate::breeze::Breeze;
use crate::collider::Collider;
use crate::error::ModelError;
use crate::field::Field;
use crate::flesh::{BuiltFlesh, Flesh};
use crate::integrator::{Damping, Integrator};
use crate::model::{Body, DrivenPoints, Model};
use crate::motion::Motion;
use crate::numbering::Numbering;
use crate::own_energy::{Numbers, OwnEnergy};
use crate::pivot::Pivot;
use crate::potentials::Potential;
use crate::potentials::ProxyKind;
use crate::potentials::attachment::Attachments;
use crate::potentials::body_contact::BodyContact;
use crate::potentials::body_friction::BodyFriction;
use crate::potentials::contact::Contact;
use crate::potentials::follow::Follow;
use crate::potentials::friction::Friction;
use crate::potentials::point_energy::{PointEnergy, PointLaw, PointResponse};
use crate::potentials::tracking::{Tracked, Tracking};
use crate::potentials::wind::Wind;
use crate::touching::{SolidSpec, Solids, TouchLaw};

/// How firmly vertices are held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold {
    /// Exactly: they are no unknowns any more.
    Hard,
    /// By a zero-length spring each [N/m].
    Spring(f64),
}

/// Collects what a model is made of.
///
/// ```
/// use pliant_mesh::shapes;
/// use pliant_model::{BodySpec, DVec3, ElasticModel, ModelBuilder};
/// let mesh = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
/// let cube = BodySpec::solid("cube", mesh, ElasticModel::Corotated, 1e5, 0.3, 1000.0);
/// let model = ModelBuilder::new().body(cube).pin(0, |x| x.y < -0.4).build()?;
/// assert_eq!(model.vertex_count(), 27);
/// assert_eq!(model.free_count(), 18);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    pub(crate) bodies: Vec<BodySpec>,
    held: Vec<Held>,
    follows: Vec<(usize, Vec<u32>, Vec<f64>)>,
    tracked: Vec<(usize, Vec<Tracked>)>,
    colliders: Vec<Collider>,
    touching: Option<TouchLaw>,
    pub(crate) sides: Vec<(usize, Vec<u8>)>,
    own: Vec<OwnEnergy>,
    ether: Vec<(usize, Vec<u32>, f64)>,
    pub(crate) flesh: Flesh,
    gravity: Option<DVec3>,
    breeze: Option<Breeze>,
    integrator: Integrator,
}

#[derive(Clone, Debug)]
struct Held {
    body: usize,
    vertices: Vec<u32>,
    hold: Hold,
    motion: Option<Motion>,
}

impl ModelBuilder {
    /// Nothing yet; gravity is 9.81 m/s² downward.
    pub fn new() -> Self {
        ModelBuilder::default()
    }

    /// Adds a body; the first is number 0.
    pub fn body(mut self, body: BodySpec) -> Self {
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
        self.held.push(Held { body, vertices, hold, motion });
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
        self.follows.push((body, vertices, weights));
        self
    }

    /// Pulls points that are bound to a body's tets to an input; see [`crate::Drive::tracked`].
    pub fn track(mut self, body: usize, points: Vec<Tracked>) -> Self {
        self.tracked.push((body, points));
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
    /// use pliant_model::{BodySpec, DVec3, ElasticModel, ModelBuilder};
    /// let cube = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
    /// let cube = BodySpec::solid("cube", cube, ElasticModel::Corotated, 1e5, 0.3, 1000.0);
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
    /// use pliant_model::{BodySpec, DVec3, ModelBuilder};
    ///
    /// // A particle of 1 kg in the well 128 x⁴.
    /// let body = BodySpec::points("particle", vec![DVec3::X], vec![1.0]);
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
        self.ether.push((body, vertices, rate));
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
    pub fn integrator(mut self, integrator: Integrator) -> Self {
        self.integrator = integrator;
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
        for body in &self.bodies {
            body.check()?;
        }
        if let Some((body, _, rate)) = self.ether.iter().find(|e| !(e.2 >= 0.0 && e.2.is_finite()))
        {
            let body = self.bodies.get(*body).map_or_else(String::new, |b| b.name.clone());
            return Err(ModelError::Body {
                body,
                reason: format!("an ether of {rate} per second"),
            });
        }
        for (collider, reason) in self.colliders.iter().map(Collider::fault).enumerate() {
            if let Some(reason) = reason {
                return Err(ModelError::Collider { collider, reason: reason.to_owned() });
            }
        }
        if let Some(reason) = self.touching.and_then(|law| law.fault()) {
            return Err(ModelError::Potential {
                potential: "contact of bodies".to_owned(),
                reason,
            });
        }
        let mut firsts = vec![0];
        for body in &self.bodies {
            firsts.push(firsts[firsts.len() - 1] + body.mesh.positions.len());
        }
        let count = firsts[self.bodies.len()];
        if count == 0 || count > u32::MAX as usize {
            let reason = format!("{count} vertices cannot be simulated");
            return Err(ModelError::Body { body: "all".to_owned(), reason });
        }
        let user = |body: usize, v: u32| self.user_vertex(&firsts, body, v);
        let masses = self.masses(&firsts)?;
        // A vertex that no element uses has no mass; it stays where it is.
        let mut hard: Vec<Option<(usize, bool)>> =
            masses.iter().map(|&m| (m == 0.0).then_some((0, false))).collect();
        for (h, held) in self.held.iter().enumerate() {
            for &v in &held.vertices {
                let v = user(held.body, v)?;
                if held.hold == Hold::Hard {
                    hard[v] = Some((h, true));
                }
            }
        }
        let Numbering { numbers, free, ranges } =
            Numbering::new(&self.bodies, &firsts, &|v| hard[v].is_some())?;
        let permuted = |values: &dyn Fn(usize) -> Row| {
            let mut rows = Buffer::zeroed(count);
            (0..count).for_each(|v| rows[numbers[v] as usize] = values(v));
            rows
        };
        let body_of = |v: usize| firsts.partition_point(|&f| f <= v) - 1;
        let all = |get: fn(&BodySpec) -> Option<&Vec<DVec3>>, or: &dyn Fn(usize) -> DVec3| {
            permuted(&|v| {
                let body = body_of(v);
                let own = get(&self.bodies[body]).map(|p| p[v - firsts[body]]);
                own.unwrap_or_else(|| or(v)).into()
            })
        };
        let rest_of = |v: usize| self.bodies[body_of(v)].mesh.positions[v - firsts[body_of(v)]];
        let rest = permuted(&|v| rest_of(v).into());
        let initial_positions = all(|b| b.positions.as_ref(), &rest_of);
        let initial_velocities = all(|b| b.velocities.as_ref(), &|_| DVec3::ZERO);
        let mut model_masses = vec![0.0; count];
        (0..count).for_each(|v| model_masses[numbers[v] as usize] = masses[v]);

        let mut potentials: Vec<Box<dyn Potential>> = Vec::new();
        let mut flesh = BuiltFlesh::default();
        for (b, body) in self.bodies.iter().enumerate() {
            let grows = self.flesh.grows(b, body)?;
            let own = &numbers[firsts[b]..firsts[b + 1]];
            potentials.extend(body.elastic(own, &rest, &grows)?);
            potentials.extend(body.growing(own, &rest, &grows, flesh.active)?);
            flesh.active += grows.len();
        }
        let solids = self.touching.map(|law| {
            let elastic = diagonal(&potentials, count);
            let spec = |b: usize| SolidSpec {
                mesh: &self.bodies[b].mesh,
                numbers: &numbers[firsts[b]..firsts[b + 1]],
                ranges: ranges[b].clone().map(|r| r.start as u32..r.end as u32),
                elastic: &elastic,
                masses: &model_masses,
                sides: self.sides.iter().find(|s| s.0 == b).map_or(&[], |s| &s.1),
            };
            Arc::new(Solids::new(law, &rest, &(0..self.bodies.len()).map(spec).collect::<Vec<_>>()))
        });
        if let Some(solids) = &solids {
            potentials.push(Box::new(BodyContact::new(solids.clone())));
            if solids.law.is_lossy() {
                potentials.push(Box::new(BodyFriction::new(solids.clone())));
            }
        }
        let motions: Vec<Motion> = self.held.iter().filter_map(|h| h.motion.clone()).collect();
        let motion_of = |h: usize| {
            let before = self.held[..h].iter().filter(|h| h.motion.is_some()).count();
            if self.held[h].motion.is_some() { before } else { usize::MAX }
        };
        let mut driven_hard = DrivenPoints {
            rest: vec![DVec3::ZERO; count - free],
            motion: vec![usize::MAX; count - free],
        };
        for (v, held) in hard.iter().enumerate() {
            if let Some((h, named)) = *held {
                let at = numbers[v] as usize - free;
                driven_hard.rest[at] = rest_of(v);
                driven_hard.motion[at] = if named { motion_of(h) } else { usize::MAX };
            }
        }
        let mut attached = DrivenPoints { rest: Vec::new(), motion: Vec::new() };
        let (mut attached_vertices, mut attachment_stiffness) = (Vec::new(), Vec::new());
        let (mut follow_vertices, mut follow_weights) = (Vec::new(), Vec::new());
        let (mut tracked, mut blown) = (Vec::new(), 0);
        // Potentials act on one body each, so that every body can have an account of its own.
        for (b, body) in self.bodies.iter().enumerate() {
            let first = attached_vertices.len();
            for (h, held) in self.held.iter().enumerate().filter(|(_, held)| held.body == b) {
                let Hold::Spring(stiffness) = held.hold else { continue };
                for &v in &held.vertices {
                    let v = user(held.body, v)?;
                    attached_vertices.push(numbers[v]);
                    attachment_stiffness.push(stiffness);
                    attached.rest.push(rest_of(v));
                    attached.motion.push(motion_of(h));
                }
            }
            let (vertices, stiffness) =
                (attached_vertices[first..].to_vec(), attachment_stiffness[first..].to_vec());
            if !vertices.is_empty() {
                potentials.push(Box::new(Attachments::new(first, vertices, stiffness)));
            }
            let first = follow_vertices.len();
            for (_, vertices, weights) in self.follows.iter().filter(|f| f.0 == b) {
                for (&v, &w) in vertices.iter().zip(weights) {
                    follow_vertices.push(numbers[user(b, v)?]);
                    follow_weights.push(w);
                }
            }
            let (vertices, weights) =
                (follow_vertices[first..].to_vec(), follow_weights[first..].to_vec());
            if !vertices.is_empty() {
                potentials.push(Box::new(Follow::new(first, vertices, weights)));
            }
            let first = tracked.len();
            for point in self.tracked.iter().filter(|t| t.0 == b).flat_map(|t| &t.1) {
                let mut corners = point.corners;
                for corner in &mut corners {
                    *corner = numbers[user(b, *corner)?];
                }
                tracked.push(Tracked { corners, ..*point });
            }
            if tracked.len() > first {
                potentials.push(Box::new(Tracking::new(first, &tracked[first..])));
            }
            let number = |v: u32| user(b, v).map(|v| numbers[v]);
            self.flesh.build(b, body, number, &rest, &mut flesh, &mut potentials)?;
            if let Some(breeze) = &self.breeze {
                let triangles = self.flesh.blown(b, &body.mesh.triangles, number)?;
                potentials.push(Box::new(Wind::new(blown, &rest, &triangles, breeze.drag)));
                blown += triangles.len();
            }
            let free = ranges[b][0].start as u32..ranges[b][0].end as u32;
            let own = self.flesh.meets(b, number, free)?;
            if !self.colliders.is_empty() {
                potentials.push(Box::new(Contact::new(own.clone(), self.colliders.clone())));
            }
            if self.colliders.iter().any(Collider::is_lossy) {
                potentials.push(Box::new(Friction::new(own.clone(), self.colliders.clone())));
            }
            flesh.meeting.push(own);
        }
        let mut ether = self.uniform_ether(free);
        for (body, vertices, rate) in &self.ether {
            for &v in vertices {
                // Hard vertices go where they are driven.
                if let Some(own) = ether.get_mut(numbers[user(*body, v)?] as usize) {
                    *own = *rate;
                }
            }
        }
        let mut bodies_of = vec![0; count];
        (0..count).for_each(|v| bodies_of[numbers[v] as usize] = body_of(v) as u32);
        let translated = |body: usize, v: u32| user(body, v).map(|v| numbers[v]);
        for own in &self.own {
            potentials.push(own.make(&Numbers { of: &translated }, count)?);
        }
        let is_driven = |body: usize| {
            let follows = |f: &(usize, Vec<u32>, Vec<f64>)| f.0 == body && !f.1.is_empty();
            let tracks = |t: &(usize, Vec<Tracked>)| t.0 == body && !t.1.is_empty();
            let driven = self.follows.iter().any(follows) || self.tracked.iter().any(tracks);
            driven || self.flesh.slides(body) || !self.own.is_empty()
        };
        let is_pushed = |body: usize| is_driven(body) || !self.colliders.is_empty();
        let is_attached =
            |body: usize| self.held.iter().any(|h| h.body == body && !h.vertices.is_empty());
        let gravity = self.gravity.unwrap_or(DVec3::new(0.0, -9.81, 0.0));
        let finished = |b: usize| {
            let pivot = if is_pushed(b) { None } else { self.pivot(b, gravity) };
            let is_held = is_pushed(b) || is_attached(b);
            let is_loose = !is_driven(b) && !is_attached(b);
            let of =
                self.bodies[b].finished(firsts[b], ranges[b].clone(), [is_held, is_loose], pivot);
            Body { meeting: flesh.meeting[b].clone(), ..of }
        };
        let bodies = (0..self.bodies.len()).map(finished).collect();
        let low = rest.iter().fold(DVec3::INFINITY, |a, r| a.min(r.xyz()));
        let high = rest.iter().fold(DVec3::NEG_INFINITY, |a, r| a.max(r.xyz()));
        Ok(Model {
            bodies,
            free,
            masses: model_masses,
            initial_positions,
            initial_velocities,
            field: Field::new(potentials, &bodies_of),
            body_of: bodies_of,
            numbers,
            rest,
            hard: driven_hard,
            attached,
            attached_vertices,
            attachment_stiffness,
            motions,
            follow_vertices,
            follow_weights,
            tracked,
            active: flesh.active,
            planes: flesh.planes,
            sliding: flesh.sliding,
            colliders: self.colliders,
            solids,
            gravity,
            breeze: self.breeze,
            integrator: self.integrator,
            ether,
            extent: extent_between(low, high),
        })
    }

    /// Where a body turns that nothing but its holds acts on.
    fn pivot(&self, body: usize, gravity: DVec3) -> Option<Pivot> {
        let mut points = Vec::new();
        for held in self.held.iter().filter(|held| held.body == body && !held.vertices.is_empty()) {
            if held.motion.is_some() || self.breeze.is_some() {
                return None;
            }
            let rest = &self.bodies[body].mesh.positions;
            points.extend(held.vertices.iter().filter_map(|&v| rest.get(v as usize)));
        }
        Pivot::of(&points, gravity)
    }

    /// The rates of an ether without parts; none where there is no ether at all.
    fn uniform_ether(&self, free: usize) -> Vec<f64> {
        match self.integrator.damping {
            Some(Damping::Ether(rate)) => vec![rate; free],
            _ if self.ether.is_empty() => Vec::new(),
            _ => vec![0.0; free],
        }
    }

    fn user_vertex(&self, firsts: &[usize], body: usize, vertex: u32) -> Result<usize, ModelError> {
        let count = self.bodies.get(body).map_or(0, |b| b.mesh.positions.len());
        if (vertex as usize) < count {
            return Ok(firsts[body] + vertex as usize);
        }
        let name =
            self.bodies.get(body).map_or_else(|| format!("number {body}"), |b| b.name.clone());
        Err(ModelError::Body {
            body: name,
            reason: format!("has {count} vertices, and no vertex {vertex}"),
        })
    }

    /// Lumped masses in user order \[kg\]: a quarter of each tet to its corners.
    fn masses(&self, firsts: &[usize]) -> Result<Vec<f64>, ModelError> {
        let mut masses = vec![0.0; firsts[self.bodies.len()]];
        for (b, (body, &first)) in self.bodies.iter().zip(firsts).enumerate() {
            let factors = self.flesh.mass_factors(b, body)?;
            match &body.matter {
                Matter::Solid { density, .. } => {
                    for (t, tet) in body.mesh.tets.iter().enumerate() {
                        let density = density * factors.get(t).copied().unwrap_or(1.0);
                        let x = tet.map(|v| body.mesh.positions[v as usize]);
                        let volume = DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0])
                            .determinant()
                            / 6.0;
                        tet.iter()
                            .for_each(|&v| masses[first + v as usize] += density * volume / 4.0);
                    }
                }
                Matter::Springs { mass, .. } => {
                    let count = body.mesh.positions.len();
                    masses[first..first + count].fill(mass / count as f64);
                }
                Matter::Points { masses: own } => {
                    masses[first..first + own.len()].copy_from_slice(own);
                }
            }
        }
        Ok(masses)
    }
}

/// Diagonal of potentials' proxies at all model vertices [N/m].
fn diagonal(potentials: &[Box<dyn Potential>], count: usize) -> Vec<f64> {
    let mut diagonal = vec![0.0; count];
    for potential in potentials {
        potential.proxy(ProxyKind::Typical, &mut |i, j, w| {
            if i == j {
                diagonal[i as usize] += w;
            }
        });
    }
    diagonal
}

/// Diagonal of a box; of what has no size, because it is one point, a metre.
fn extent_between(low: DVec3, high: DVec3) -> f64 {
    let diagonal = (high - low).length();
    if diagonal > 0.0 { diagonal } else { 1.0 }
}

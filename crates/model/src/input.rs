//! Everything animated: what enters a step from outside.

use glam::DVec3;
use pliant_math::Row;

use crate::motion::Rigid;
use crate::potentials::activation::Activation;
use crate::potentials::sliding::Plane;

/// The animated quantities at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drive {
    /// Positions of the hard vertices \[m\], in the order of [`crate::Model::hard_vertices`].
    pub hard: Vec<Row>,
    /// Targets of the soft attachments \[m\], in the order of the model's attachments.
    pub attachments: Vec<Row>,
    /// Targets of the followed vertices \[m\].
    pub follow: Vec<Row>,
    /// Stiffness of following, per followed vertex [N/m].
    pub follow_weights: Vec<f64>,
    /// Targets of the tracked points \[m\], in the order of [`crate::Model::tracked_points`].
    pub tracked: Vec<Row>,
    /// Activations of the active tets, in the order in which these were named; those missing are
    /// relaxed.
    pub activations: Vec<Activation>,
    /// Factors on μ and λ of the active tets, in the same order; those missing are 1.
    pub firmness: Vec<[f64; 2]>,
    /// Planes that vertices slide in, in the order in which these were named.
    pub planes: Vec<Plane>,
    /// Poses of the colliders, in the order of [`crate::Model::colliders`].
    pub colliders: Vec<Rigid>,
    /// Their poses at the start of the step that ends at this moment: what slipping is measured
    /// against. Missing ones stood where they are.
    pub colliders_before: Vec<Rigid>,
    /// What carries the bodies: the ether moves with it, and searches begin where it takes them. It
    /// holds nothing.
    pub carrier: Rigid,
    /// Acceleration of gravity [m/s²].
    pub gravity: DVec3,
    /// Accelerations of the masses that [`crate::ModelBuilder::burden`] was given [m/s²], in the
    /// order in which these were named; nothing on missing ones.
    pub burdens: Vec<DVec3>,
    /// Velocity of the air [m/s].
    pub wind: DVec3,
    /// Factor of it on every triangle that wind blows on, in the order in which these were named; 1
    /// on missing ones. Gusts differ from place to place.
    pub gusts: Vec<f64>,
}

impl Drive {
    /// The blend of two moments, into `self`, without allocating: linear, but for rotations of
    /// colliders. The step of [`Drive::colliders_before`] is that from `a`; where it is a shorter
    /// one, [`Drive::begin_at`] says so afterwards.
    pub fn set_between(&mut self, a: &Drive, b: &Drive, fraction: f64) {
        let mix = |x: f64, y: f64| if x == y { x } else { x + fraction * (y - x) };
        let rows = |out: &mut Vec<Row>, a: &[Row], b: &[Row]| {
            out.clear();
            out.extend(a.iter().zip(b).map(|(p, q)| {
                let mut row = Row::zero();
                for c in 0..3 {
                    row.0[c] = mix(p.0[c], q.0[c]);
                }
                row
            }));
        };
        rows(&mut self.hard, &a.hard, &b.hard);
        rows(&mut self.attachments, &a.attachments, &b.attachments);
        rows(&mut self.follow, &a.follow, &b.follow);
        rows(&mut self.tracked, &a.tracked, &b.tracked);
        self.follow_weights.clear();
        let weights = a.follow_weights.iter().zip(&b.follow_weights);
        self.follow_weights.extend(weights.map(|(&p, &q)| mix(p, q)));
        self.activations.clear();
        let activations = a.activations.iter().zip(&b.activations);
        self.activations.extend(activations.map(|(p, q)| std::array::from_fn(|k| mix(p[k], q[k]))));
        self.firmness.clear();
        let firmness = a.firmness.iter().zip(&b.firmness);
        self.firmness.extend(firmness.map(|(p, q)| [mix(p[0], q[0]), mix(p[1], q[1])]));
        self.planes.clear();
        self.planes.extend(a.planes.iter().zip(&b.planes).map(|(p, q)| Plane {
            point: p.point + fraction * (q.point - p.point),
            normal: (p.normal + fraction * (q.normal - p.normal)).normalize_or(q.normal),
        }));
        self.colliders.clear();
        let poses = a.colliders.iter().zip(&b.colliders);
        self.colliders.extend(poses.map(|(p, q)| p.between(q, fraction)));
        self.begin_at(a);
        self.carrier = a.carrier.between(&b.carrier, fraction);
        let vector = |p: DVec3, q: DVec3| DVec3::new(mix(p.x, q.x), mix(p.y, q.y), mix(p.z, q.z));
        self.gravity = vector(a.gravity, b.gravity);
        self.burdens.clear();
        self.burdens.extend(a.burdens.iter().zip(&b.burdens).map(|(&p, &q)| vector(p, q)));
        self.wind = vector(a.wind, b.wind);
        self.gusts.clear();
        self.gusts.extend(a.gusts.iter().zip(&b.gusts).map(|(&p, &q)| mix(p, q)));
    }

    /// Lets the step that ends at this moment begin at another.
    pub fn begin_at(&mut self, start: &Drive) {
        self.colliders_before.clear();
        self.colliders_before.extend_from_slice(&start.colliders);
    }

    /// Collider poses at the start and the end of the step that ends at this moment.
    pub fn collider_steps(&self) -> impl Iterator<Item = (&Rigid, &Rigid)> {
        let before = |(c, now)| (self.colliders_before.get(c).unwrap_or(now), now);
        self.colliders.iter().enumerate().map(before)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        let rows = [&self.hard, &self.attachments, &self.follow, &self.tracked];
        rows.iter().all(|rows| rows.iter().all(|r| r.xyz().is_finite()))
            && self.follow_weights.iter().all(|w| w.is_finite())
            && self.activations.iter().flatten().all(|a| a.is_finite())
            && self.firmness.iter().flatten().all(|f| f.is_finite())
            && self.planes.iter().all(|p| p.point.is_finite() && p.normal.is_finite())
            && self.colliders.iter().chain(&self.colliders_before).all(Rigid::is_finite)
            && self.carrier.is_finite()
            && self.gravity.is_finite()
            && self.burdens.iter().all(|b| b.is_finite())
            && self.wind.is_finite()
            && self.gusts.iter().all(|g| g.is_finite())
    }

    /// Velocity of the air [m/s] on one of the triangles that wind blows on.
    #[inline]
    pub fn air_on(&self, triangle: usize) -> DVec3 {
        self.gusts.get(triangle).map_or(self.wind, |gust| self.wind * *gust)
    }
}

/// One step's input: its length, and the animated quantities at both its ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameInput {
    /// Step length h \[s\].
    pub h: f64,
    /// At the start of the step.
    pub start: Drive,
    /// At its end.
    pub end: Drive,
}

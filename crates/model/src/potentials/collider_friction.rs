//! Friction and inelastic rebound at colliders, as a convex function of a step's displacement.
//!
//! A vertex that is inside a collider at the start of the step is pressed with a force f along
//! the normal n; both are kept for the step. With its displacement u relative to the surface,
//!
//! ```text
//! D(x) = f [ μ φ(‖u − (u·n)n‖, ε) + (1 − e²) φ(max(0, u·n), ε′) ],
//! φ(s, ε) = s²/ε − s³/(3ε²) for s < ε, else s − ε/3:      φ′ rises from 0 to 1 and stays.
//! ```
//!
//! The first term is Coulomb's law with friction of at most μf (smoothed as by Li et al. 2020,
//! "Incremental Potential Contact", Eq. 14), the second leaves e² of f to a vertex that moves
//! out: contact returns e² of the energy it stored. The force opposes the displacement, so in the
//! collider's frame both only take energy.
//!
//! Why not as a change of velocities after the step (thesis Eq. 3.59)? There a vertex can lose
//! no more than its own momentum m u/h per step: a body M on contact vertices of mass m in all
//! would creep down any slope at h g sin(slope) M/m, metres per second for common meshes and steps.

use glam::{DMat3, DVec3};
use pliant_math::Row;

use super::chunks::{Chunk, point_chunks, points};
use super::compliant::{CompliantElement, CompliantPotential};
use super::contact_potential::{ContactPotential, point_hessians, square};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;
use crate::collider::{Collider, Placed};
use crate::motion::Rigid;

/// Speed up to which sliding counts as sticking [m/s]: friction reaches μf here.
pub const SLIP_SPEED: f64 = 1e-3;
/// Speed up to which moving out is no rebound [m/s]: from it a body hops 0.1 mm.
pub const REBOUND_SPEED: f64 = 5e-2;

/// Friction of a body's free vertices at all colliders, which move from
/// [`crate::Drive::colliders_before`] to [`crate::Drive::colliders`] during the step.
pub struct ColliderFriction {
    vertices: Vec<u32>,
    colliders: Vec<Collider>,
}

impl ColliderFriction {
    /// For these model vertices.
    pub fn new(vertices: Vec<u32>, colliders: Vec<Collider>) -> Self {
        ColliderFriction { vertices, colliders }
    }

    /// Calls `f(index in chunk, what it rubs against)` for every touching vertex.
    fn each(&self, chunk: usize, at: &Situation, mut f: impl FnMut(usize, Rub)) {
        if at.rate <= 0.0 {
            return;
        }
        let colliders = self.colliders.iter().zip(at.drive.collider_steps());
        for (collider, (before, now)) in colliders.filter(|(c, _)| c.is_lossy()) {
            let placed = collider.placed(before);
            for (i, &v) in points(&self.vertices, chunk).iter().enumerate() {
                let (start, x) = (at.start[v as usize].xyz(), at.positions[v as usize].xyz());
                if let Some(rub) = Rub::of(&placed, [before, now], [start, x], at.rate) {
                    f(i, rub);
                }
            }
        }
    }
}

/// A touching vertex within a step.
pub struct Rub {
    /// Displacement along the surface relative to it \[m\].
    slip: DVec3,
    /// Displacement out of it \[m\], negative inward.
    rise: f64,
    normal: DVec3,
    /// Largest forces against both \[N\].
    grip: f64,
    hold: f64,
    /// ε and ε′ \[m\].
    slip_scale: f64,
    rise_scale: f64,
}

impl Rub {
    /// Of a vertex that moves from `start` to `x` with velocity (x − start) · rate, at a collider
    /// that moves from `before` to `now` and is `placed` before it moves; `None` if they do not
    /// touch then.
    pub fn of(
        placed: &Placed,
        [before, now]: [&Rigid; 2],
        [start, x]: [DVec3; 2],
        rate: f64,
    ) -> Option<Rub> {
        let nearest = placed.touch(start)?;
        let collider = placed.collider;
        let force = collider.force(nearest.distance);
        let u = x - start - carried(start, [before, now]);
        let most = [collider.friction * force, collider.loss() * force];
        Some(Rub::new(u, nearest.normal, most, rate))
    }

    /// Of a displacement u relative to a surface with an outward normal, at velocity u · rate,
    /// against at most these forces \[N\]: along the surface, and out of it.
    pub fn new(u: DVec3, normal: DVec3, [grip, hold]: [f64; 2], rate: f64) -> Rub {
        let rise = u.dot(normal);
        let (slip_scale, rise_scale) = (SLIP_SPEED / rate, REBOUND_SPEED / rate);
        Rub { slip: u - rise * normal, rise, normal, grip, hold, slip_scale, rise_scale }
    }

    /// D \[J\].
    pub fn energy(&self) -> f64 {
        self.grip * smooth(self.slip.length(), self.slip_scale).value
            + self.hold * smooth(self.rise.max(0.0), self.rise_scale).value
    }

    /// ∇D \[N\]: minus the force on the vertex.
    pub fn gradient(&self) -> DVec3 {
        self.slip * (self.grip * smooth(self.slip.length(), self.slip_scale).ratio)
            + self.normal * (self.hold * smooth(self.rise.max(0.0), self.rise_scale).slope())
    }
}

impl Rub {
    /// ∇²D [N/m]; or, where it has to be *definite*, that of the parabola around u = 0 that touches
    /// D here and is nowhere below it: a step along ∇²D of what sticks takes sliding for
    /// impossible, one along ∇²D of what slides takes friction for nothing, and this is neither.
    pub fn hessian(&self, curvature: Curvature) -> DMat3 {
        if curvature == Curvature::Definite {
            let slip = smooth(self.slip.length(), self.slip_scale).ratio;
            let rise = smooth(self.rise.max(0.0), self.rise_scale).ratio;
            let out = if self.rise > 0.0 { self.hold * rise } else { 0.0 };
            let grip = self.grip * slip;
            return DMat3::from_diagonal(DVec3::splat(grip)) + square(self.normal) * (out - grip);
        }
        let along = self.slip.normalize_or_zero();
        let across = self.normal.cross(along);
        let slip = smooth(self.slip.length(), self.slip_scale);
        let mut hessian = if along == DVec3::ZERO {
            (DMat3::IDENTITY - square(self.normal)) * (self.grip * slip.ratio)
        } else {
            square(along) * (self.grip * slip.bend) + square(across) * (self.grip * slip.ratio)
        };
        if self.rise > 0.0 {
            hessian += square(self.normal) * (self.hold * smooth(self.rise, self.rise_scale).bend);
        }
        hessian
    }

    /// The force −∇D \[N\] at which a vertex settles that a force moves by w [m/N] times itself, if
    /// this is where it goes without: f = −∇D(u + w f), in closed form.
    pub fn resisted(&self, w: f64) -> DVec3 {
        let (slip, rise) = (self.slip.length(), self.rise.max(0.0));
        let against = |s: f64, most: f64, scale: f64| most * settled_slope(s, w * most, scale);
        let mut force = -self.normal * against(rise, self.hold, self.rise_scale);
        if slip > 0.0 {
            force -= self.slip * (against(slip, self.grip, self.slip_scale) / slip);
        }
        force
    }
}

/// φ′(s) where s + r φ′(s) = alone, for r, alone ≥ 0.
fn settled_slope(alone: f64, r: f64, scale: f64) -> f64 {
    if alone >= scale + r {
        return 1.0;
    }
    // s + r (2s/ε − s²/ε²) = alone, the root below ε.
    let (square, linear) = (r / (scale * scale), 1.0 + 2.0 * r / scale);
    let root = (linear * linear - 4.0 * square * alone).max(0.0).sqrt();
    smooth(2.0 * alone / (linear + root), scale).slope()
}

/// Displacement of a point that sticks to a collider while that changes its pose \[m\].
pub fn carried(x: DVec3, [before, now]: [&Rigid; 2]) -> DVec3 {
    if before == now { DVec3::ZERO } else { now.apply(before.unapply(x)) - x }
}

/// φ(s, ε) with φ′(s)/s and φ″(s).
struct Smooth {
    s: f64,
    value: f64,
    ratio: f64,
    bend: f64,
}

impl Smooth {
    fn slope(&self) -> f64 {
        self.ratio * self.s
    }
}

fn smooth(s: f64, scale: f64) -> Smooth {
    let part = s / scale;
    if part < 1.0 {
        Smooth {
            s,
            value: s * part * (1.0 - part / 3.0),
            ratio: (2.0 - part) / scale,
            bend: 2.0 * (1.0 - part) / scale,
        }
    } else {
        Smooth { s, value: s - scale / 3.0, ratio: 1.0 / s, bend: 0.0 }
    }
}

impl Potential for ColliderFriction {
    fn name(&self) -> &'static str {
        "friction"
    }

    fn is_stored(&self) -> bool {
        false
    }

    fn chunk_count(&self) -> usize {
        point_chunks(&self.vertices)
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        Chunk::of_points(points(&self.vertices, chunk))
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let out = gradient.unwrap_or(&mut []);
        out.fill(Row::zero());
        let mut energy = 0.0;
        self.each(chunk, at, |i, rub| {
            energy += rub.energy();
            if let Some(row) = out.get_mut(i) {
                *row = *row + Row::from(rub.gradient());
            }
        });
        energy
    }

    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        point_hessians(self, chunk, at, curvature, out);
    }

    /// None: the quasi-Newton loop learns it, as it does contact.
    fn proxy(&self, _: ProxyKind, _: &mut dyn FnMut(u32, u32, f64)) {}

    fn as_contact(&self) -> Option<&dyn ContactPotential> {
        Some(self)
    }

    fn as_compliant(&self) -> Option<&dyn CompliantPotential> {
        Some(self)
    }
}

impl ContactPotential for ColliderFriction {
    fn stiff_points(
        &self,
        chunk: usize,
        at: &Situation,
        curvature: Curvature,
        _: Option<&[Row]>,
        visit: &mut dyn FnMut(usize, DMat3),
    ) {
        self.each(chunk, at, |i, rub| visit(i, rub.hessian(curvature)));
    }
}

impl CompliantPotential for ColliderFriction {
    fn visit_elements(&self, visit: &mut dyn FnMut(CompliantElement)) {
        visit(CompliantElement::Touching);
    }
}

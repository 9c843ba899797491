//! What contact did in a step: how deep, and how much energy it took.
//!
//! Contact and friction themselves are potentials (`pliant_model::potentials`), part of what the
//! step minimises. Nothing here changes a state, but for `quieten`.

use pliant_math::team::Team;
use pliant_math::{Buffer, Row};
use pliant_model::potentials::collider_friction::{Rub, carried};
use pliant_model::touching::{Touch, Touching};
use pliant_model::{Drive, Model, ModelBody, Placed};

/// Contact at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Vertices inside a collider or a body; one inside two counts twice.
    pub count: u32,
    /// How deep the deepest is \[m\].
    pub deepest: f64,
}

/// The contacts of free vertices at positions \[m\], with colliders as in `drive`.
///
/// ```
/// use pliant_mesh::shapes;
/// use pliant_model::{Body, Collider, DVec3, Drive, Material, ModelBuilder, Shape};
///
/// let mesh = shapes::solid_box(DVec3::ONE, [1, 1, 1])?;
/// let cube = Body::solid("cube", mesh, Material::corotated(1e5, 0.3, 1000.0));
/// let floor = Collider::new(Shape::plane(DVec3::new(0.0, -0.25, 0.0), DVec3::Y), 1e5);
/// let model = ModelBuilder::new().body(cube).collider(floor).build()?;
/// let mut drive = Drive::default();
/// model.drive(0.0, &mut drive);
/// let contacts = pliant_sim::contact::contacts(&model, &drive, model.initial_positions());
/// assert_eq!((contacts.count, contacts.deepest), (4, 0.25));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contacts(model: &Model, drive: &Drive, positions: &[Row]) -> Contacts {
    let mut contacts = Contacts::default();
    for (collider, pose) in model.colliders().iter().zip(&drive.colliders) {
        let placed = collider.placed(pose);
        for nearest in model.meeting().filter_map(|v| placed.touch(positions[v].xyz())) {
            contacts.count += 1;
            contacts.deepest = contacts.deepest.max(-nearest.distance);
        }
    }
    contacts
}

impl Contacts {
    /// Adds the contacts of bodies with each other and with themselves; `touching` is memory.
    pub(crate) fn add_touches(
        &mut self,
        model: &Model,
        positions: &[Row],
        touching: &mut Touching,
        team: &Team,
    ) {
        touching.find(model.solids(), positions, team);
        for touch in touching.touches() {
            self.count += 1;
            // Of edges that hardly count the depth is not the way out: that is through their sides.
            if touch.share >= 0.5 {
                self.deepest = self.deepest.max(touch.depth - touch.thickness);
            }
        }
    }
}

/// Takes the ringing of stiff contact out of the velocities after a step of implicit midpoint that
/// went on from `x0`, and returns nothing of its energy; `book(body, J)` tells of it.
///
/// Midpoint's v₁ = 2u/h − v₀ lets a vertex that a surface stops (u = 0) leave as fast as it came,
/// and come back in the next step, for ever. Where it is about to leave a surface faster than it
/// just moved along its normal n, it loses that: all of it where contact of a stiffness k is too
/// stiff for the step (k h² ≫ 4m), and nothing where a rebound is resolved.
pub(crate) fn quieten(
    model: &Model,
    [from, to]: [&Drive; 2],
    h: f64,
    x0: &[Row],
    touches: &[Touch],
    [positions, velocities]: [&mut Buffer<Row>; 2],
    mut book: impl FnMut(usize, f64),
) {
    let excess = |mean: f64, rise: f64, stiff: f64| {
        let part = 0.25 * stiff * h * h;
        (rise - mean.max(0.0)).max(0.0) * part / (1.0 + part)
    };
    let poses = from.colliders.iter().zip(&to.colliders);
    for (collider, (start, end)) in model.colliders().iter().zip(poses) {
        let placed = collider.placed(end);
        for v in model.meeting() {
            let Some(nearest) = placed.touch(positions[v].xyz()) else { continue };
            let (mass, n) = (model.masses()[v], nearest.normal);
            // Back by the surface's own motion.
            let carried = carried(positions[v].xyz(), [end, start]);
            let mean = n.dot((positions[v] - x0[v]).xyz() + carried) / h;
            let rise = n.dot(velocities[v].xyz() + carried / h);
            let less = excess(mean, rise, collider.slope(nearest.distance) / mass);
            velocities[v] = velocities[v] - Row::from(n * less);
            book(model.body_of(v), collider.loss() * mass * less * (rise - 0.5 * less));
        }
    }
    let Some(solids) = model.solids() else { return };
    let free = |v: u32| (v as usize) < model.free_count();
    let lightness = |v: u32| if free(v) { 1.0 / model.masses()[v as usize] } else { 0.0 };
    for touch in touches {
        let n = -touch.normal;
        let corners = || touch.corners.iter().zip(touch.weights);
        let shares = corners().map(|(&v, w)| w * w * lightness(v)).sum::<f64>();
        let points = || touch.points.iter().zip(touch.shares);
        let give = points().map(|(&v, w)| w * w * lightness(v)).sum::<f64>() + shares;
        let moved = |v: u32| (positions[v as usize] - x0[v as usize]).xyz();
        let rise = n.dot(touch.relative(|v| velocities[v as usize].xyz()));
        let less = excess(n.dot(touch.relative(moved)) / h, rise, touch.stiffness * give);
        if less > 0.0 && give > 0.0 {
            let impulse = n * (less / give);
            let mut push = |v: u32, share: f64| {
                let change = impulse * (share * lightness(v));
                velocities[v as usize] = velocities[v as usize] - Row::from(change);
            };
            points().for_each(|(&v, w)| push(v, w));
            corners().for_each(|(&v, w)| push(v, -w));
            book(touch.body as usize, solids.law.loss() * less * (rise - 0.5 * less) / give);
        }
    }
}

/// What inelastic contact took in a step from `from` to `to` and `x0` to `x1`, with what touched at
/// both ends, as `book(body, J)`; `late` is the displacement [m] by which each vertex moved later
/// than its velocities (v₀ + v₁)/2 say: ½ h Δv of backward Euler, nothing of midpoint.
///
/// A force that is felt at the end of a step, ∇E(x₁), takes ∇E(x₁)·(Δx − late) and stores ΔE; the
/// difference is lost, and the share e² of it is given back. It is that of vertices that stop at a
/// surface: waves that no mesh could carry.
pub(crate) fn losses(
    model: &Model,
    [from, to]: [&Drive; 2],
    [x0, x1]: [&[Row]; 2],
    late: impl Fn(usize) -> Row,
    [touched, touches]: [&[Touch]; 2],
    mut book: impl FnMut(usize, f64),
) {
    let passed = |v: usize| (x1[v] - x0[v] - late(v)).xyz();
    let poses = from.colliders.iter().zip(&to.colliders);
    for (collider, (start, end)) in model.colliders().iter().zip(poses) {
        if collider.restitution == 1.0 {
            continue;
        }
        let [before, after] = [start, end].map(|pose| collider.placed(pose));
        for (b, body) in model.bodies().iter().enumerate() {
            let mut lost = 0.0;
            for v in body.meeting.iter().map(|&v| v as usize) {
                let depth = |placed: &Placed, x: Row| placed.touch(x.xyz());
                if let Some(nearest) = depth(&before, x0[v]) {
                    lost += collider.energy(nearest.distance);
                }
                if let Some(nearest) = depth(&after, x1[v]) {
                    let moved = passed(v) - carried(x0[v].xyz(), [start, end]);
                    lost -= collider.push(&nearest).dot(moved);
                    lost -= collider.energy(nearest.distance);
                }
            }
            book(b, collider.loss() * lost.max(0.0));
        }
    }
    let Some(solids) = model.solids().filter(|solids| solids.law.restitution < 1.0) else { return };
    for b in 0..model.bodies().len() {
        let own = |touches: &[Touch], sum: &dyn Fn(&Touch) -> f64| -> f64 {
            touches.iter().filter(|touch| touch.body as usize == b).map(sum).sum()
        };
        let stored = |touch: &Touch| 0.5 * touch.stiffness * touch.depth * touch.depth;
        let taken = |touch: &Touch| {
            let moved = touch.relative(|v| passed(v as usize));
            touch.normal.dot(moved) * touch.stiffness * touch.depth
        };
        let lost = own(touched, &stored) + own(touches, &|t| taken(t) - stored(t));
        book(b, solids.law.loss() * lost.max(0.0));
    }
}

/// What friction and inelastic rebound of a body turned into heat \[J\] in a step whose forces were
/// evaluated at positions `p` and drive `at`, with velocities (p − x₀) · rate, and that went from
/// `x0` to `x1` while colliders went to where they are in `to`.
///
/// The work of potentials that are not stored has this energy already, with a minus: a step that
/// books it as dissipated adds as much to what was added.
pub fn friction_heat(
    model: &Model,
    body: &ModelBody,
    [at, to]: [&Drive; 2],
    rate: f64,
    [x0, p, x1]: [&[Row]; 3],
) -> f64 {
    if rate <= 0.0 {
        return 0.0;
    }
    let mut heat = 0.0;
    let poses = at.collider_steps().zip(&to.colliders);
    for (collider, ((before, now), end)) in model.colliders().iter().zip(poses) {
        if !collider.is_lossy() {
            continue;
        }
        let placed = collider.placed(before);
        for v in body.meeting.iter().map(|&v| v as usize) {
            let start = x0[v].xyz();
            if let Some(rub) = Rub::of(&placed, [before, now], [start, p[v].xyz()], rate) {
                let carried = carried(start, [before, end]);
                heat += rub.gradient().dot(x1[v].xyz() - start - carried);
            }
        }
    }
    heat
}

/// The same of bodies in contact with each other and with themselves, as `book(body, J)`; `touched`
/// is what touched at the start of the step.
pub(crate) fn rubbing_heat(
    model: &Model,
    touched: &[Touch],
    rate: f64,
    [x0, p, x1]: [&[Row]; 3],
    mut book: impl FnMut(usize, f64),
) {
    let Some(solids) = model.solids().filter(|s| s.law.is_lossy() && rate > 0.0) else { return };
    for touch in touched {
        let rub = solids.rub(touch, [x0, p], rate);
        let moved = touch.relative(|v| (x1[v as usize] - x0[v as usize]).xyz());
        book(touch.body as usize, rub.gradient().dot(moved));
    }
}

//! What contact did in a step: how deep, how much energy colliders put in, how much they took.
//!
//! Contact and friction themselves are potentials (`pliant_model::potentials`), part of what the
//! step minimises. Nothing here changes a state.

use pliant_math::Row;
use pliant_math::team::Team;
use pliant_model::potentials::friction::{Rub, carried};
use pliant_model::touching::Touching;
use pliant_model::{Body, Drive, Model};

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
/// use pliant_model::{BodySpec, Collider, DVec3, Drive, ElasticModel, ModelBuilder, Shape};
///
/// let mesh = shapes::solid_box(DVec3::ONE, [1, 1, 1])?;
/// let cube = BodySpec::solid("cube", mesh, ElasticModel::Corotated, 1e5, 0.3, 1000.0);
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
        for nearest in positions[..model.free_count()].iter().filter_map(|x| placed.touch(x.xyz()))
        {
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
            self.deepest = self.deepest.max(touch.depth);
        }
    }
}

/// Work that moving colliders did on a body through contact \[J\]: ½(f₀ + f₁)·Δ with the
/// forces at both ends of a step, from positions `x0` to `x1`, and the displacements Δ of the
/// surface points that exert them. That of friction is not in it: it is part of the work of
/// potentials that are not stored.
pub fn collider_work(
    model: &Model,
    body: &Body,
    [from, to]: [&Drive; 2],
    [x0, x1]: [&[Row]; 2],
) -> f64 {
    let mut work = 0.0;
    let poses = from.colliders.iter().zip(&to.colliders);
    for (collider, (start, end)) in model.colliders().iter().zip(poses) {
        if start == end {
            continue;
        }
        for (here, there, positions, sign) in [(start, end, x0, 0.5), (end, start, x1, -0.5)] {
            let placed = collider.placed(here);
            for x in &positions[body.free.clone()] {
                let Some(nearest) = placed.touch(x.xyz()) else { continue };
                let moved = there.apply(here.unapply(nearest.point)) - nearest.point;
                let force = nearest.normal * collider.force(nearest.distance);
                work += sign * force.dot(moved);
            }
        }
    }
    work
}

/// What friction and inelastic rebound of a body turned into heat \[J\] in a step whose forces were
/// evaluated at positions `p` and drive `at`, with velocities (p − x₀) · rate, and that went from
/// `x0` to `x1` while colliders went to where they are in `to`.
///
/// The work of potentials that are not stored has this energy already, with a minus: a step that
/// books it as dissipated adds as much to what was added.
pub fn friction_heat(
    model: &Model,
    body: &Body,
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
        for v in body.free.clone() {
            let start = x0[v].xyz();
            if let Some(rub) = Rub::of(&placed, [before, now], [start, p[v].xyz()], rate) {
                let carried = carried(start, [before, end]);
                heat += rub.gradient().dot(x1[v].xyz() - start - carried);
            }
        }
    }
    heat
}

//! Creatures that move: a skin on a few bones, and a motion that turns them.
//!
//! The motion is that of a simple animator: limbs swing, and everything on them goes along stiffly.
//! What is missing is what physics adds: ears, trunks, bellies and tails that lag behind.
//!
//! Vertices follow bones by linear blend skinning, x = Σ w_b T_b x₀, with weights that fall with
//! the sixth power of the distance from the bone, in multiples of its radius.

use glam::{DAffine3, DQuat, DVec3};
use pliant_math::team::Team;

use super::puppets;
use super::sculpture::Sculpture;
use super::{Creature, Skin};
use crate::error::MeshError;

/// A creature that moves.
///
/// ```
/// use pliant_math::team::Team;
/// use pliant_mesh::menagerie::Puppet;
/// let bird = Puppet::named("bird").expect("there is a bird");
/// let skin = bird.skin(24, &Team::new(1))?;
/// let wings_up = bird.positions(&skin.surface.positions, 0.2);
/// assert_eq!(wings_up.len(), skin.surface.positions.len());
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Puppet {
    creature: Creature,
    act: &'static Act,
}

/// What a puppet is and does.
#[derive(Debug)]
pub(super) struct Act {
    pub name: &'static str,
    pub sculpt: fn(&mut Sculpture),
    pub bones: &'static [Bone],
    /// Seconds until the motion repeats, or ends where it does not.
    pub seconds: f64,
    pub pose: fn(f64, &mut Pose),
}

/// A bone in the units of the sculpture; children come after their parents.
#[derive(Debug)]
pub(super) struct Bone {
    pub name: &'static str,
    /// The bone it hangs on; the first has none.
    pub parent: &'static str,
    /// It turns about its first end.
    pub ends: [[f64; 3]; 2],
    pub radius: f64,
}

/// How the bones are turned, relative to their parents.
#[derive(Clone, Debug)]
pub(super) struct Pose {
    bones: &'static [Bone],
    turns: Vec<DQuat>,
    /// Where the first bone has gone.
    pub shift: DVec3,
}

impl Pose {
    /// Turns a bone by an angle about an axis, on top of what was said before. Unknown names do
    /// nothing.
    pub fn turn(&mut self, name: &str, axis: DVec3, degrees: f64) -> &mut Self {
        if let Some(at) = self.bones.iter().position(|bone| bone.name == name) {
            self.turns[at] *= DQuat::from_axis_angle(axis, degrees.to_radians());
        }
        self
    }

    /// Where each bone takes space.
    fn transforms(&self) -> Vec<DAffine3> {
        let mut all: Vec<DAffine3> = Vec::with_capacity(self.bones.len());
        for (bone, turn) in self.bones.iter().zip(&self.turns) {
            let joint = DVec3::from(bone.ends[0]);
            let own = DAffine3::from_translation(joint)
                * DAffine3::from_quat(*turn)
                * DAffine3::from_translation(-joint);
            let parent = self.bones[..all.len()].iter().position(|b| b.name == bone.parent);
            let from = parent.map_or(DAffine3::from_translation(self.shift), |p| all[p]);
            all.push(from * own);
        }
        all
    }
}

impl Puppet {
    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        puppets::ACTS.iter().map(|act| act.name)
    }

    /// The puppet of a name.
    pub fn named(name: &str) -> Option<Puppet> {
        let act = puppets::ACTS.iter().find(|act| act.name == name)?;
        Some(Puppet { creature: Creature::sculpted(act.name, act.sculpt), act })
    }

    /// Its surface at rest, with `resolution` cells along the longest side of one metre, coloured.
    ///
    /// # Errors
    /// As for [`Creature::skin`].
    pub fn skin(&self, resolution: usize, team: &Team) -> Result<Skin, MeshError> {
        self.creature.skin(resolution, team)
    }

    /// How long the motion takes until it repeats, or ends where it does not \[s\].
    pub fn seconds(&self) -> f64 {
        self.act.seconds
    }

    /// Where points of the skin (m, at rest) are at a time \[s\].
    pub fn positions(&self, rest: &[DVec3], time: f64) -> Vec<DVec3> {
        let bones = self.act.bones;
        let turns = vec![DQuat::IDENTITY; bones.len()];
        let mut pose = Pose { bones, turns, shift: DVec3::ZERO };
        (self.act.pose)(time, &mut pose);
        let transforms = pose.transforms();
        let moved = |p: &DVec3| {
            let point = self.creature.unscaled(*p);
            let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
            for (bone, transform) in bones.iter().zip(&transforms) {
                let weight = bone.pull(point);
                sum += transform.transform_point3(point) * weight;
                weights += weight;
            }
            self.creature.scaled(sum / weights)
        };
        rest.iter().map(moved).collect()
    }
}

impl Bone {
    /// How strongly it holds a point.
    fn pull(&self, point: DVec3) -> f64 {
        let [a, b] = self.ends.map(DVec3::from);
        let along = b - a;
        let share = (point - a).dot(along) / along.length_squared().max(1e-12);
        let distance = point.distance(a + along * share.clamp(0.0, 1.0)) / self.radius;
        1.0 / (1e-3 + distance.powi(6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::{FindingKind, findings};

    #[test]
    fn puppets_move_as_a_whole_and_stay_whole() {
        let team = Team::new(2);
        for name in Puppet::names() {
            let puppet = Puppet::named(name).unwrap();
            let surface = puppet.skin(40, &team).unwrap().surface;
            let rest = &surface.positions;
            let mut most = 0.0_f64;
            let mut last = puppet.positions(rest, 0.0);
            for frame in 1..48 {
                let now = puppet.positions(rest, frame as f64 / 48.0 * puppet.seconds());
                for ((p, q), rest) in now.iter().zip(&last).zip(rest) {
                    assert!(p.is_finite() && p.distance(*rest) < 0.8, "{name}: {p}");
                    assert!(p.distance(*q) < 0.15, "{name}: a leap at frame {frame}");
                    most = most.max(p.distance(*rest));
                }
                last = now;
            }
            assert!(most > 0.05, "{name} moves {most} m at most");
            let open = findings(&surface).iter().any(|f| f.kind == FindingKind::OpenEdge);
            assert!(!open, "{name} is not closed");
        }
    }

    #[test]
    fn motions_that_repeat_end_where_they_began() {
        for name in ["elephant", "dragon", "bird", "sumo"] {
            let puppet = Puppet::named(name).unwrap();
            let points = [DVec3::new(0.1, 0.5, 0.2), DVec3::new(-0.2, 0.1, 0.1)];
            let (first, last) =
                (puppet.positions(&points, 0.0), puppet.positions(&points, puppet.seconds()));
            for (a, b) in first.iter().zip(&last) {
                assert!(a.distance(*b) < 1e-9, "{name}");
            }
        }
    }

    #[test]
    fn bones_hang_on_bones_before_them() {
        for act in &puppets::ACTS {
            for (k, bone) in act.bones.iter().enumerate() {
                let known = act.bones[..k].iter().any(|b| b.name == bone.parent);
                assert!(k == 0 || known, "{}: {} on {}", act.name, bone.name, bone.parent);
                assert!(bone.radius > 0.0);
            }
        }
    }
}

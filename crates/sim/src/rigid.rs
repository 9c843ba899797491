//! The rigid motion closest to what some points do.

use glam::{DMat3, DVec3};
use pliant_math::Row;

/// Velocities (or displacements) d + ω × (x − c).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// Centre of mass c \[m\].
    pub centre: DVec3,
    /// What the centre does, d.
    pub drift: DVec3,
    /// ω: per second where `drift` is a velocity.
    pub spin: DVec3,
}

impl RigidMotion {
    /// The motion with least Σ m ‖u − d − ω × (x − c)‖², which has the momenta Σ m u and
    /// Σ x × m u of what it is closest to; none for points without mass.
    pub fn closest(
        points: impl Iterator<Item = usize> + Clone,
        masses: &[f64],
        positions: &[Row],
        moving: impl Fn(usize) -> DVec3,
    ) -> Option<RigidMotion> {
        let (mut mass, mut centre, mut drift) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for v in points.clone() {
            mass += masses[v];
            centre += positions[v].xyz() * masses[v];
            drift += moving(v) * masses[v];
        }
        if mass <= 0.0 {
            return None;
        }
        (centre, drift) = (centre / mass, drift / mass);
        let (mut momentum, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
        for v in points {
            let (r, m) = (positions[v].xyz() - centre, masses[v]);
            momentum += r.cross(moving(v)) * m;
            let square = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            inertia += (DMat3::IDENTITY * r.length_squared() - square) * m;
        }
        let scale = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
        // A point or a straight line of points has no inverse inertia: its drift alone.
        let turns = inertia.determinant() > 1e-12 * scale * scale * scale;
        let spin = if turns { inertia.inverse() * momentum } else { DVec3::ZERO };
        Some(RigidMotion { centre, drift, spin })
    }

    /// The motion at a position \[m\].
    pub fn at(&self, x: DVec3) -> DVec3 {
        self.drift + self.spin.cross(x - self.centre)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rigid_motion_is_closest_to_itself() {
        let positions: Vec<Row> =
            [[1.0, 0.0, 0.5], [0.0, 2.0, 0.0], [0.3, 0.1, 4.0], [1.0, 1.0, 1.0]]
                .map(|x| DVec3::from_array(x).into())
                .to_vec();
        let (spin, shift) = (DVec3::new(0.2, -3.0, 1.0), DVec3::new(5.0, 6.0, -7.0));
        let moving = |v: usize| shift + spin.cross(positions[v].xyz());
        let found = RigidMotion::closest(0..4, &[1.0, 2.0, 0.5, 3.0], &positions, moving);
        let found = found.expect("points with mass");
        assert!(found.spin.distance(spin) < 1e-13, "{found:?}");
        for (v, x) in positions.iter().enumerate() {
            assert!(found.at(x.xyz()).distance(moving(v)) < 1e-13, "{found:?}");
        }
    }
}

//! What creatures are made of: balls, ellipsoids, round cones, slabs.
//!
//! Every solid tells a signed distance, negative inside: exact for balls, cones and slabs; for
//! ellipsoids f/‖∇f‖, which is exact to first order at the surface.

use glam::{DQuat, DVec3, EulerRot};

use crate::mesh::Bounds;

/// A simple solid in space.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    kind: Kind,
    /// Whether it is there twice: as written, and with x negated.
    mirrored: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Ellipsoid { center: DVec3, radii: DVec3, turn: DQuat },
    Cone { a: DVec3, b: DVec3, radii: [f64; 2], ribs: f64, depth: f64 },
    Slab { center: DVec3, half: DVec3, round: f64 },
}

/// A ball around `center`.
pub fn ball(center: [f64; 3], radius: f64) -> Solid {
    ellipsoid(center, [radius; 3])
}

/// An ellipsoid with its axes along x, y and z.
pub fn ellipsoid(center: [f64; 3], radii: [f64; 3]) -> Solid {
    turned(center, radii, [0.0; 3])
}

/// An ellipsoid turned about x, then y, then z (degrees).
pub fn turned(center: [f64; 3], radii: [f64; 3], degrees: [f64; 3]) -> Solid {
    let [x, y, z] = degrees.map(f64::to_radians);
    let turn = DQuat::from_euler(EulerRot::ZYX, z, y, x);
    let (center, radii) = (center.into(), radii.into());
    Kind::Ellipsoid { center, radii, turn }.once()
}

/// The hull of two balls.
pub fn cone(a: [f64; 3], radius_a: f64, b: [f64; 3], radius_b: f64) -> Solid {
    let radii = [radius_a, radius_b];
    Kind::Cone { a: a.into(), b: b.into(), radii, ribs: 0.0, depth: 0.0 }.once()
}

/// The same with `ribs` along it, and grooves of a depth between them.
pub fn ribbed(a: DVec3, b: DVec3, radii: [f64; 2], ribs: u32, depth: f64) -> Solid {
    Kind::Cone { a, b, radii, ribs: ribs.into(), depth }.once()
}

/// A box with rounded edges, from its half sides.
pub fn slab(center: [f64; 3], half: [f64; 3], round: f64) -> Solid {
    Kind::Slab { center: center.into(), half: half.into(), round }.once()
}

impl Kind {
    const fn once(self) -> Solid {
        Solid { kind: self, mirrored: false }
    }
}

impl Solid {
    /// The solid and its mirror image in the plane x = 0.
    pub const fn both(self) -> Solid {
        Solid { mirrored: true, ..self }
    }

    /// Signed distance, negative inside.
    pub fn distance(&self, point: DVec3) -> f64 {
        let p = if self.mirrored { self.fold(point) } else { point };
        match self.kind {
            Kind::Ellipsoid { center, radii, turn } => {
                let p = turn.inverse() * (p - center);
                let (k0, k1) = ((p / radii).length(), (p / (radii * radii)).length());
                if k1 > 0.0 { k0 * (k0 - 1.0) / k1 } else { -radii.min_element() }
            }
            Kind::Cone { a, b, radii, ribs, depth } => {
                let distance = cone_distance(p, a, b, radii);
                if ribs == 0.0 { distance } else { distance + groove(p, a, b, ribs, depth) }
            }
            Kind::Slab { center, half, round } => {
                let q = (p - center).abs() - (half - DVec3::splat(round));
                q.max(DVec3::ZERO).length() + q.max_element().min(0.0) - round
            }
        }
    }

    /// The box around it.
    pub fn bounds(&self) -> Bounds {
        let Bounds { min, max } = match self.kind {
            Kind::Ellipsoid { center, radii, turn } => {
                // The support of a turned ellipsoid along an axis e is ‖radii ∘ Rᵀe‖.
                let back = turn.inverse();
                let reach = DVec3::AXES.map(|axis| (radii * (back * axis)).length());
                let reach = DVec3::from_array(reach);
                Bounds { min: center - reach, max: center + reach }
            }
            Kind::Cone { a, b, radii: [ra, rb], .. } => {
                let (ra, rb) = (DVec3::splat(ra), DVec3::splat(rb));
                Bounds { min: (a - ra).min(b - rb), max: (a + ra).max(b + rb) }
            }
            Kind::Slab { center, half, .. } => Bounds { min: center - half, max: center + half },
        };
        if !self.mirrored {
            return Bounds { min, max };
        }
        let wide = min.x.abs().max(max.x.abs());
        Bounds { min: DVec3 { x: -wide, ..min }, max: DVec3 { x: wide, ..max } }
    }

    /// The point, or its mirror image, whichever is on the side of the solid as written.
    fn fold(&self, point: DVec3) -> DVec3 {
        let center = match self.kind {
            Kind::Ellipsoid { center, .. } | Kind::Slab { center, .. } => center.x,
            Kind::Cone { a, b, .. } => a.x + b.x,
        };
        DVec3 { x: point.x.abs() * if center < 0.0 { -1.0 } else { 1.0 }, ..point }
    }
}

/// Distance from the hull of two balls: by the side of the tangent cone that the point is on.
fn cone_distance(p: DVec3, a: DVec3, b: DVec3, [ra, rb]: [f64; 2]) -> f64 {
    let axis = b - a;
    let length = axis.length();
    let shrink = ra - rb;
    if length <= shrink.abs() {
        // One ball holds the other.
        return if ra >= rb { p.distance(a) - ra } else { p.distance(b) - rb };
    }
    let along = (p - a).dot(axis) / length;
    let across = ((p - a).length_squared() - along * along).max(0.0).sqrt();
    // The normal of the tangent cone leans by sin = shrink / length.
    let sin = shrink / length;
    let cos = (1.0 - sin * sin).sqrt();
    let foot = along - across * sin / cos;
    if foot <= 0.0 {
        p.distance(a) - ra
    } else if foot >= length {
        p.distance(b) - rb
    } else {
        across * cos + along * sin - ra
    }
}

/// How far grooves between ribs lie below a cone's surface; nothing on its axis and beyond its
/// ends.
fn groove(p: DVec3, a: DVec3, b: DVec3, ribs: f64, depth: f64) -> f64 {
    let axis = (b - a).normalize_or_zero();
    let out = p - a - (p - a).dot(axis) * axis;
    let side = axis.any_orthonormal_vector();
    let angle = out.dot(axis.cross(side)).atan2(out.dot(side));
    // Ribs would meet in a point on the axis: they fade where it is near.
    let fade = (out.length() / (4.0 * depth)).min(1.0);
    0.5 * depth * fade * fade * (1.0 + (ribs * angle).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points along all directions, at several distances.
    fn around() -> impl Iterator<Item = DVec3> {
        (0..200).map(|i| {
            let (t, z) = (f64::from(i) * 2.4, f64::from(i) / 100.0 - 0.995);
            let r = (1.0 - z * z).sqrt();
            DVec3::new(r * t.cos(), z, r * t.sin()) * (0.3 + 0.01 * f64::from(i))
        })
    }

    #[test]
    fn distances_are_those_of_nearby_surfaces() {
        let solids = [
            ball([0.2, 0.1, 0.0], 0.7),
            cone([-0.5, 0.0, 0.1], 0.4, [0.6, 0.5, 0.0], 0.15),
            cone([-0.5, 0.0, 0.1], 0.4, [-0.45, 0.0, 0.1], 0.15),
            slab([0.0, 0.2, 0.0], [0.5, 0.3, 0.7], 0.1),
            cone([0.6, 0.0, 0.0], 0.2, [0.7, 0.8, 0.0], 0.1).both(),
        ];
        for solid in solids {
            for p in around() {
                let d = solid.distance(p);
                // Walking d down the gradient arrives at the surface, from outside.
                if d <= 0.0 {
                    continue;
                }
                let e = 1e-6;
                let slope = DVec3::from_array(DVec3::AXES.map(|axis| {
                    (solid.distance(p + e * axis) - solid.distance(p - e * axis)) / (2.0 * e)
                }));
                assert!((slope.length() - 1.0).abs() < 1e-4, "{solid:?} {p} {slope}");
                assert!(solid.distance(p - d * slope).abs() < 1e-4, "{solid:?} {p}");
            }
        }
    }

    #[test]
    fn boxes_are_tight() {
        let solids = [
            turned([0.1, 0.2, 0.3], [0.5, 0.2, 0.1], [20.0, 40.0, 60.0]),
            cone([0.3, 0.0, 0.1], 0.2, [0.6, 0.5, 0.0], 0.15).both(),
        ];
        for solid in solids {
            let Bounds { min, max } = solid.bounds();
            let faces = 60;
            for axis in 0..3 {
                let mut least = f64::INFINITY;
                for i in 0..=faces {
                    for j in 0..=faces {
                        let mut p = max;
                        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
                        p[u] = min[u] + (max[u] - min[u]) * f64::from(i) / f64::from(faces);
                        p[v] = min[v] + (max[v] - min[v]) * f64::from(j) / f64::from(faces);
                        least = least.min(solid.distance(p));
                    }
                }
                assert!((0.0..0.01).contains(&(least + 1e-12)), "{solid:?} {axis}: {least}");
            }
        }
    }
}

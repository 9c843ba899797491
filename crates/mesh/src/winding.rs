//! The generalised winding number of any triangles: how often they go round a point.
//!
//! 1 inside and 0 outside of a closed surface that faces outward; in between where it is open. Sums
//! over far triangles are expanded per node of the hierarchy, to second order (Barill, Dickson,
//! Schmidt, Levin and Jacobson 2018, "Fast winding numbers for soups and clouds", Eqs. 12–13); near
//! ones are exact.

use glam::{DMat3, DVec3};

use crate::mesh::Mesh;
use crate::surface_tree::{SurfaceTree, corners_of_triangle};
use crate::triangle;

/// A node is expanded when it is further away than this many of its radii.
const ACCURACY: f64 = 2.5;

/// Σ over the triangles of the solid angle that each covers, ÷ 4π: exact, in linear time.
///
/// ```
/// use pliant_mesh::{DVec3, shapes, winding};
/// let ball = shapes::solid_box(DVec3::ONE, [1, 1, 1])?;
/// assert!((winding::exact(&ball, DVec3::ZERO) - 1.0).abs() < 1e-14);
/// assert!(winding::exact(&ball, DVec3::ONE).abs() < 1e-14);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn exact(mesh: &Mesh, point: DVec3) -> f64 {
    let corners = (0..mesh.triangles.len()).filter_map(|t| corners_of_triangle(mesh, t));
    corners.filter(|c| c.iter().all(|x| x.is_finite())).map(|c| triangle::winding(point, c)).sum()
}

/// What far points see of a node.
#[derive(Clone, Copy, Debug)]
struct Expansion {
    center: DVec3,
    /// ACCURACY times the radius around the centre, squared.
    reach: f64,
    /// Σ aₜ nₜ ÷ 4π
    dipole: DVec3,
    /// Σ aₜ (cₜ − center) nₜᵀ ÷ 4π: columns belong to the components of n.
    quadrupole: DMat3,
}

/// Expansions of all nodes of a surface's hierarchy.
#[derive(Clone, Debug, Default)]
pub struct WindingTree {
    expansions: Vec<Expansion>,
}

impl WindingTree {
    /// For the triangles of a tree.
    pub fn new(tree: &SurfaceTree) -> Self {
        let nodes = tree.bvh().nodes();
        let corners = tree.corners();
        // Places that a node covers: leaves of a subtree are consecutive.
        let mut ranges = vec![(0usize, 0usize); nodes.len()];
        for n in (0..nodes.len()).rev() {
            let first = nodes[n].first as usize;
            ranges[n] = match nodes[n].count {
                0 => (ranges[first].0, ranges[first + 1].1),
                count => (first, first + count as usize),
            };
        }
        // Moments about the origin of the root's box, moved to the node's own centre afterwards.
        let origin = nodes.first().map_or(DVec3::ZERO, |root| root.bounds.center());
        #[derive(Clone, Copy, Default)]
        struct Moments {
            area: f64,
            center: DVec3,
            normal: DVec3,
            product: DMat3,
        }
        let mut moments = vec![Moments { product: DMat3::ZERO, ..Moments::default() }; nodes.len()];
        for n in (0..nodes.len()).rev() {
            let mut sum = Moments { product: DMat3::ZERO, ..Moments::default() };
            let first = nodes[n].first as usize;
            if nodes[n].count == 0 {
                for m in [moments[first], moments[first + 1]] {
                    sum.area += m.area;
                    sum.center += m.center;
                    sum.normal += m.normal;
                    sum.product += m.product;
                }
            } else {
                for [a, b, c] in &corners[first..first + nodes[n].count as usize] {
                    let normal = 0.5 * (b - a).cross(c - a);
                    let center = ((a - origin) + (b - origin) + (c - origin)) / 3.0;
                    let area = normal.length();
                    sum.area += area;
                    sum.center += area * center;
                    sum.normal += normal;
                    sum.product += outer(center, normal);
                }
            }
            moments[n] = sum;
        }
        let expansions = (0..nodes.len())
            .map(|n| {
                let Moments { area, center, normal, product } = moments[n];
                let center =
                    if area > 0.0 { center / area } else { nodes[n].bounds.center() - origin };
                let shifted = product - outer(center, normal);
                let center = center + origin;
                let far = |x: &DVec3| x.distance_squared(center);
                // Exact radii of small nodes, boxes for large ones: keeps building linear.
                let (start, end) = ranges[n];
                let radius = if end - start <= 64 {
                    corners[start..end].iter().flatten().map(far).fold(0.0, f64::max)
                } else {
                    let b = &nodes[n].bounds;
                    (b.min - center).abs().max((b.max - center).abs()).length_squared()
                };
                let scale = 0.25 * std::f64::consts::FRAC_1_PI;
                Expansion {
                    center,
                    reach: ACCURACY * ACCURACY * radius,
                    dipole: scale * normal,
                    quadrupole: shifted * scale,
                }
            })
            .collect();
        WindingTree { expansions }
    }

    /// The winding number around a point, within about 0.03 of [`exact`], much less far away.
    /// `tree` is what the expansions were made from.
    pub fn at(&self, tree: &SurfaceTree, point: DVec3) -> f64 {
        let nodes = tree.bvh().nodes();
        let mut sum = 0.0;
        let mut stack = [0u32; 100];
        let mut depth = usize::from(!self.expansions.is_empty() && !nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let index = stack[depth] as usize;
            let expansion = &self.expansions[index];
            let to = expansion.center - point;
            let squared = to.length_squared();
            if squared > expansion.reach {
                sum += expansion.evaluate(to, squared);
                continue;
            }
            let node = &nodes[index];
            if node.count == 0 {
                stack[depth] = node.first + 1;
                stack[depth + 1] = node.first;
                depth += 2;
            } else {
                let first = node.first as usize;
                for &corners in &tree.corners()[first..first + node.count as usize] {
                    sum += triangle::winding(point, corners);
                }
            }
        }
        sum
    }
}

impl Expansion {
    /// n·r/|r|³ + (I − 3 r rᵀ/|r|²)/|r|³ : Σ a (c − center) nᵀ
    #[inline(always)]
    fn evaluate(&self, to: DVec3, squared: f64) -> f64 {
        let cubed = 1.0 / (squared * squared.sqrt());
        let q = &self.quadrupole;
        let trace = q.x_axis.x + q.y_axis.y + q.z_axis.z;
        let bent = to.dot(*q * to);
        (self.dipole.dot(to) + trace - 3.0 * bent / squared) * cubed
    }
}

/// a bᵀ
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        proptest::array::uniform3(-1.5f64..1.5).prop_map(DVec3::from_array)
    }

    /// Disconnected triangles of all sizes: nothing cancels.
    fn soup(points: &[DVec3]) -> Mesh {
        let triangles =
            (0..points.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        Mesh::surface(points.to_vec(), triangles)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn expansions_agree_with_the_exact_sum(
            points in proptest::collection::vec(point(), 3..900),
            asked in proptest::collection::vec(point(), 20),
        ) {
            // Triangles of a tenth of the size of the cloud, as in a surface.
            let small: Vec<DVec3> = points.chunks_exact(3)
                .flat_map(|t| [t[0], t[0] + 0.1 * t[1], t[0] + 0.1 * t[2]]).collect();
            let mesh = soup(&small);
            let area: f64 = small.chunks_exact(3)
                .map(|t| 0.5 * (t[1] - t[0]).cross(t[2] - t[0]).length()).sum();
            let tree = SurfaceTree::new(&mesh);
            let winding = WindingTree::new(&tree);
            for p in asked {
                let (fast, slow) = (winding.at(&tree, p), exact(&mesh, p));
                // The neglected term of a node of radius R at distance 2.5 R and more.
                let bound = 0.03 * area.max(0.01);
                prop_assert!((fast - slow).abs() <= bound, "{fast} instead of {slow}");
            }
        }
    }

    #[test]
    fn inside_is_one_and_outside_zero() {
        let solid = shapes::jelly(12).unwrap();
        let tree = SurfaceTree::new(&solid);
        let winding = WindingTree::new(&tree);
        let center = solid.centroid();
        for k in 0..200 {
            let t = f64::from(k);
            let p = center + DVec3::new(t.sin(), (1.7 * t).cos(), (0.3 * t).sin()) * (t / 200.0);
            let expected = exact(&solid, p);
            assert!((winding.at(&tree, p) - expected).abs() < 0.04, "at {p}");
        }
    }

    #[test]
    fn nothing_winds_round_nothing() {
        let tree = SurfaceTree::new(&Mesh::default());
        assert_eq!(WindingTree::new(&tree).at(&tree, DVec3::ZERO), 0.0);
    }
}

//! Deformation transfer between skins with the same triangles \[sumner2004\].
//!
//! It knows neither flesh nor contact of the lips. Altered faces are compared with it (Fig. 11 of
//! \[ichim2017phace\]).
//!
//! Each triangle of the source, with a fourth vertex along its normal, has an affine map S from
//! rest to pose, and the target is looked for whose own maps T are nearest, min Σ ‖S − T‖². The
//! fourth vertex of a target's triangle is in no other triangle, and so can be where T n = S n;
//! what is left is Σ ‖(S − T) P‖² with P the projection to its plane, in which T = Σ x ⊗ g has the
//! slopes g of the corners' linear functions. That is a Laplacian with the right-hand side Σ S g,
//! one system for x, y and z.

use glam::{DMat3, DVec3};
use pliant_mesh::{Mesh, SignedDistance};

use crate::alteration::Laplacian;
use crate::model::FaceModel;
use crate::vertex_normals::vertex_normals;

/// Lips that are in each other by less than this (m) touch.
const BENEATH: f64 = 3e-4;

/// Where a target at rest (m) goes when it does what a source does between rest and pose. Vertices
/// that are `fixed` stay.
///
/// ```
/// use pliant_face::deformation_transfer::transferred;
/// use pliant_mesh::{DVec3, Mesh, shapes::solid_box};
/// let cube = solid_box(DVec3::ONE, [1, 1, 1])?;
/// let small = Mesh::surface(cube.positions.clone(), cube.triangles.clone());
/// let large: Vec<DVec3> = small.positions.iter().map(|p| *p * 3.0).collect();
/// // Twice as long along x, with one corner held.
/// let long: Vec<DVec3> = small.positions.iter().map(|p| *p * DVec3::new(2.0, 1.0, 1.0)).collect();
/// let mut fixed = vec![false; 8];
/// fixed[0] = true;
/// let longer = transferred(&small, &long, &large, &fixed);
/// assert!((longer[7] - longer[0] - DVec3::new(6.0, 3.0, 3.0)).length() < 1e-5);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn transferred(source: &Mesh, posed: &[DVec3], target: &[DVec3], fixed: &[bool]) -> Vec<DVec3> {
    let count = target.len();
    let rest = Mesh::surface(target.to_vec(), source.triangles.clone());
    if source.positions.len() != count || posed.len() != count || fixed.len() != count {
        return target.to_vec();
    }
    let mut right = vec![DVec3::ZERO; count];
    for triangle in &rest.triangles {
        let corners = |of: &[DVec3]| triangle.map(|v| of[v as usize]);
        let map = frame(corners(posed)) * frame(corners(&source.positions)).inverse();
        let map = if map.is_finite() { map } else { DMat3::IDENTITY };
        if let Some(slopes) = slopes(corners(target)) {
            for (v, slope) in triangle.iter().zip(slopes) {
                right[*v as usize] += map * slope;
            }
        }
    }
    let laplacian = Laplacian::of_slopes(&rest, slopes);
    let mut moved = target.to_vec();
    for axis in 0..3 {
        let own: Vec<f64> = right.iter().map(|r| r[axis]).collect();
        let mut x: Vec<f64> = target.iter().map(|p| p[axis]).collect();
        laplacian.solve(0.0, 1.0, &own, fixed, &mut x);
        moved.iter_mut().zip(x).for_each(|(p, x)| p[axis] = x);
    }
    moved
}

/// The skin of an altered neutral (m) in an expression that was sculpted on the face as it was
/// built: weights of its shapes.
pub fn transferred_expression(
    face: &FaceModel,
    neutral: &[DVec3],
    weights: &[(&str, f64)],
) -> Vec<DVec3> {
    let skin = &face.skin.mesh;
    let mut posed = skin.positions.clone();
    for (name, weight) in weights {
        let shape = face.shapes.iter().find(|shape| shape.name == *name);
        for (p, by) in posed.iter_mut().zip(shape.map_or(&[][..], |shape| &shape.displacement)) {
            *p += *weight * *by;
        }
    }
    let fixed: Vec<bool> = face.binding.tets.iter().map(Option::is_none).collect();
    transferred(skin, &posed, neutral, &fixed)
}

/// How many of the lips' vertices have gone through the other lip, or their own, in a skin (m):
/// what is a little beneath them is inside of the skin twice.
pub fn crossing_lips(face: &FaceModel, skin: &[DVec3]) -> usize {
    let mesh = Mesh::surface(skin.to_vec(), face.skin.mesh.triangles.clone());
    let normals = vertex_normals(skin, &mesh.triangles);
    let distance = SignedDistance::new(&mesh);
    let crosses = |v: &&u32| {
        let v = **v as usize;
        let beneath = skin[v] - BENEATH * normals[v];
        distance.winding(beneath).abs() >= 1.5
    };
    face.lips.iter().flatten().filter(crosses).count()
}

/// Edges and the paper's normal, (e₁ × e₂)/√|e₁ × e₂|.
fn frame([a, b, c]: [DVec3; 3]) -> DMat3 {
    let normal = (b - a).cross(c - a);
    DMat3::from_cols(b - a, c - a, normal / normal.length().sqrt())
}

/// Slopes of the linear functions that are 1 at a corner, in the triangle's plane (1/m).
fn slopes([a, b, c]: [DVec3; 3]) -> Option<[DVec3; 3]> {
    let normal = (b - a).cross(c - a);
    let doubled = normal.length_squared();
    let of = |p: DVec3, q: DVec3| normal.cross(q - p) / doubled;
    let slopes = [of(b, c), of(c, a), of(a, b)];
    slopes.iter().all(|s| s.is_finite()).then_some(slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_linear_functions() {
        let corners =
            [DVec3::new(0.1, 0.2, 0.0), DVec3::new(1.0, 0.0, 0.3), DVec3::new(0.0, 2.0, 1.0)];
        let slopes = slopes(corners).expect("a triangle");
        for (i, slope) in slopes.iter().enumerate() {
            for j in 0..3 {
                let rise = slope.dot(corners[j] - corners[(j + 1) % 3]);
                let [here, there] = [j, (j + 1) % 3].map(|k| f64::from(u8::from(k == i)));
                assert!((rise - (here - there)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_pose_is_transferred_to_the_same_shape_exactly() {
        let cube = pliant_mesh::shapes::solid_box(DVec3::ONE, [3, 3, 3]).expect("a box");
        let mesh = Mesh::surface(cube.positions.clone(), cube.triangles.clone());
        let bend = |p: &DVec3| DVec3::new(p.x + 0.2 * p.y * p.y, p.y, p.z * (1.0 + 0.1 * p.x));
        let posed: Vec<DVec3> = mesh.positions.iter().map(bend).collect();
        // What is in no triangle stays where it is, and one vertex holds the rest.
        let mut fixed = vec![true; mesh.positions.len()];
        mesh.triangles.iter().flatten().for_each(|&v| fixed[v as usize] = false);
        let held = mesh.triangles[0][0] as usize;
        fixed[held] = true;
        let moved = transferred(&mesh, &posed, &mesh.positions, &fixed);
        for &v in mesh.triangles.iter().flatten() {
            let v = v as usize;
            let off = (moved[v] - moved[held]) - (posed[v] - posed[held]);
            assert!(off.length() < 1e-5, "{off}");
        }
    }
}

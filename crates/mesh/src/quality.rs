//! How well-shaped tets are.

use glam::DVec3;

use crate::mesh::{Mesh, signed_volume};

/// The least and the greatest dihedral angle of a tet in degrees; an inverted tet's are negative,
/// a flat one's are 0 and 180.
///
/// ```
/// use pliant_mesh::{DVec3, quality};
/// let corner = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let (least, most) = quality::dihedral_range(corner);
/// assert!((least - 54.7356).abs() < 1e-4 && (most - 90.0).abs() < 1e-9);
/// ```
pub fn dihedral_range(corners: [DVec3; 4]) -> (f64, f64) {
    let sign = if signed_volume(corners) < 0.0 { -1.0 } else { 1.0 };
    let mut range = (f64::INFINITY, 0.0f64);
    for i in 0..4 {
        for j in 0..i {
            let [k, l] = match (j, i) {
                (0, 1) => [2, 3],
                (0, 2) => [1, 3],
                (0, 3) => [1, 2],
                (1, 2) => [0, 3],
                (1, 3) => [0, 2],
                _ => [0, 1],
            };
            let along = corners[i] - corners[j];
            let n = along.cross(corners[k] - corners[j]);
            let m = along.cross(corners[l] - corners[j]);
            // atan2 keeps its digits where acos loses them.
            let angle = n.cross(m).length().atan2(n.dot(m)).to_degrees();
            range = (range.0.min(angle), range.1.max(angle));
        }
    }
    (sign * range.0, range.1)
}

/// The least dihedral angle of all tets in degrees: negative where one is inverted, 0 where a
/// vertex does not exist. Infinite without tets.
pub fn min_dihedral(mesh: &Mesh) -> f64 {
    let least = |t| mesh.corners(t).map_or(0.0, |corners| dihedral_range(corners).0);
    (0..mesh.tets.len()).map(least).fold(f64::INFINITY, f64::min)
}

/// Tets of negative or no volume.
pub fn inverted(mesh: &Mesh) -> usize {
    inverted_among(&mesh.tets, &mesh.positions)
}

/// The same of tets whose vertices are elsewhere.
pub fn inverted_among(tets: &[[u32; 4]], positions: &[DVec3]) -> usize {
    let corner = |v: u32| positions.get(v as usize).copied().unwrap_or(DVec3::NAN);
    let is_good = |tet: &&[u32; 4]| signed_volume(tet.map(corner)) > 0.0;
    tets.len() - tets.iter().filter(is_good).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    #[test]
    fn a_regular_tet_has_the_angle_of_the_books() {
        let corners = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
            .map(|[x, y, z]: [i32; 3]| DVec3::new(x.into(), y.into(), z.into()));
        let angle = (1.0f64 / 3.0).acos().to_degrees();
        let (least, most) = dihedral_range([corners[0], corners[2], corners[1], corners[3]]);
        assert!((most - angle).abs() < 1e-9);
        assert!((least.abs() - angle).abs() < 1e-9);
        let (mirrored, _) = dihedral_range(corners);
        assert_eq!(mirrored, -least);
    }

    #[test]
    fn one_bad_tet_is_noticed() {
        let mut solid = shapes::solid_box(DVec3::ONE, [2, 2, 2]).unwrap();
        assert!(min_dihedral(&solid) > 50.0);
        assert_eq!(inverted(&solid), 0);
        solid.tets[7].swap(0, 1);
        assert!(min_dihedral(&solid) < 0.0);
        assert_eq!(inverted(&solid), 1);
    }
}

//! Pushes warped parts back under the skin.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, SignedDistance};

/// Rounds in which neighbours are taken along, and rounds after these in which they are not.
const TOGETHER: usize = 8;
const ALONE: usize = 6;
/// What is given up of the depth by the last of these.
const YIELD: f64 = 0.85;
/// What a neighbour takes on of the motion of those around it, and how far that spreads.
const SHARE: f64 = 0.85;
const SPREAD: usize = 4;

/// A skin that others are to be under.
pub struct SkinCover<'a> {
    skin: &'a Mesh,
    distance: SignedDistance,
    /// Whether a triangle of the skin is inside the mouth.
    in_mouth: Vec<bool>,
}

impl<'a> SkinCover<'a> {
    pub fn new(skin: &'a Mesh, in_mouth: Vec<bool>) -> SkinCover<'a> {
        SkinCover { skin, distance: SignedDistance::new(skin), in_mouth }
    }

    /// How deep points are under the skin (m).
    pub fn depths(&self, points: &[DVec3], team: &Team) -> Vec<f64> {
        self.distance.at_all(points, team)
    }

    /// Whether the skin that is nearest to a point is inside the mouth.
    pub fn is_at_mouth(&self, p: DVec3) -> bool {
        let found = self.distance.tree().closest(p);
        found.is_some_and(|found| self.in_mouth[found.triangle as usize])
    }

    /// Moves points inward until they are as deep as asked (m), and takes their neighbours along;
    /// what is at the wall of the mouth stays where it is unless `mouth` is said.
    pub fn push(&self, mesh: &mut Mesh, depth: f64, mouth: bool, team: &Team) {
        let around = neighbours(mesh);
        for round in 0..TOGETHER + ALONE {
            // Between two walls that are near to each other, less and less is asked.
            let alone = (round + 1).saturating_sub(TOGETHER) as f64 / ALONE as f64;
            let depth = depth * (1.0 - YIELD * alone);
            let depths = self.depths(&mesh.positions, team);
            let mut moves: Vec<DVec3> = (mesh.positions.iter().zip(&depths))
                .map(
                    |(p, d)| {
                        if *d < depth { self.inward(*p, *d, depth, mouth) } else { DVec3::ZERO }
                    },
                )
                .collect();
            if moves.iter().all(|m| *m == DVec3::ZERO) {
                return;
            }
            if round < TOGETHER {
                spread(&mut moves, &around);
            }
            mesh.positions.iter_mut().zip(&moves).for_each(|(p, m)| *p += *m);
        }
        self.follow_neighbours(mesh, &around, mouth, team);
    }

    /// What went through a thin wall, and back, is put between those neighbours that did not.
    fn follow_neighbours(&self, mesh: &mut Mesh, around: &[Vec<u32>], mouth: bool, team: &Team) {
        for _ in 0..ALONE {
            let depths = self.depths(&mesh.positions, team);
            for v in (0..depths.len()).filter(|&v| depths[v] < 0.0) {
                let inside = around[v].iter().filter(|&&w| depths[w as usize] > 0.0);
                let places: Vec<DVec3> = inside.map(|&w| mesh.positions[w as usize]).collect();
                if !places.is_empty() && (mouth || !self.is_at_mouth(mesh.positions[v])) {
                    mesh.positions[v] = places.iter().sum::<DVec3>() / places.len() as f64;
                }
            }
        }
    }

    fn inward(&self, p: DVec3, own: f64, depth: f64, mouth: bool) -> DVec3 {
        let Some(found) = self.distance.tree().closest(p) else { return DVec3::ZERO };
        if self.in_mouth[found.triangle as usize] && !mouth {
            return DVec3::ZERO;
        }
        let [a, b, c] =
            self.skin.triangles[found.triangle as usize].map(|v| self.skin.positions[v as usize]);
        let inward = -(b - a).cross(c - a).normalize_or_zero();
        let away = if own < 0.0 { found.point - p } else { p - found.point };
        let direction = if found.distance > 1e-7 { away.normalize_or(inward) } else { inward };
        (depth - own) * direction
    }
}

fn spread(moves: &mut [DVec3], around: &[Vec<u32>]) {
    let own = moves.to_vec();
    for _ in 0..SPREAD {
        let old = moves.to_vec();
        for (v, near) in around.iter().enumerate() {
            if own[v] == DVec3::ZERO && !near.is_empty() {
                let sum: DVec3 = near.iter().map(|&w| old[w as usize]).sum();
                moves[v] = SHARE * sum / near.len() as f64;
            }
        }
    }
}

fn neighbours(mesh: &Mesh) -> Vec<Vec<u32>> {
    let mut around = vec![Vec::new(); mesh.positions.len()];
    let tets = pliant_mesh::edges_of_tets(&mesh.tets);
    let sides = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    for [a, b] in tets.into_iter().chain(sides) {
        around[a as usize].push(b);
        around[b as usize].push(a);
    }
    around.iter_mut().for_each(|near| {
        near.sort_unstable();
        near.dedup();
    });
    around
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes::solid_box;

    #[test]
    fn what_sticks_out_is_pushed_in_with_its_neighbours() {
        let skin = solid_box(DVec3::splat(0.2), [8, 8, 8]).unwrap();
        let skin = Mesh::surface(skin.positions, skin.triangles);
        let mut bone = solid_box(DVec3::splat(0.19), [9, 9, 9]).unwrap();
        bone.positions.iter_mut().for_each(|p| p.x += 0.012);
        let before = bone.clone();
        let cover = SkinCover::new(&skin, vec![false; skin.triangles.len()]);
        cover.push(&mut bone, 0.002, true, &Team::new(1));
        let depths = cover.depths(&bone.positions, &Team::new(1));
        assert!(depths.iter().all(|d| *d > 0.0019), "{depths:?}");
        let moved = |v: usize| bone.positions[v].distance(before.positions[v]);
        let second =
            (0..bone.positions.len()).filter(|&v| (0.07..0.1).contains(&before.positions[v].x));
        assert!(second.map(moved).fold(0.0, f64::max) > 0.001, "neighbours come along");
        // At the wall of a mouth nothing is pushed.
        let cover = SkinCover::new(&skin, vec![true; skin.triangles.len()]);
        let mut other = before.clone();
        cover.push(&mut other, 0.002, false, &Team::new(1));
        assert_eq!(other.positions, before.positions);
    }
}

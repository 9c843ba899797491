//! Connected pieces of a mesh: skin, eyeballs, teeth and lashes of a head.

use glam::DVec3;
use pliant_mesh::{Attribute, Bounds, Group, Mesh, Polygons, Surface, components_of_triangles};

/// A connected piece.
#[derive(Clone, Debug)]
pub struct ConnectedPiece {
    pub triangles: Vec<[u32; 3]>,
    pub bounds: Bounds,
}

/// All pieces, the largest in triangles first.
pub fn pieces(mesh: &Mesh) -> Vec<ConnectedPiece> {
    let numbers = components_of_triangles(&mesh.triangles);
    let mut all: Vec<Vec<[u32; 3]>> = Vec::new();
    for (triangle, number) in mesh.triangles.iter().zip(numbers) {
        all.resize(all.len().max(number as usize + 1), Vec::new());
        all[number as usize].push(*triangle);
    }
    let mut pieces: Vec<ConnectedPiece> = all
        .into_iter()
        .filter_map(|triangles| {
            let points: Vec<DVec3> =
                triangles.iter().flatten().map(|&v| mesh.positions[v as usize]).collect();
            Some(ConnectedPiece { bounds: Bounds::of(&points)?, triangles })
        })
        .collect();
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.triangles.len()));
    pieces
}

/// The part of a surface that some triangles are; also which of its vertices these have, in order.
pub fn part(surface: &Surface, triangles: &[[u32; 3]]) -> (Surface, Vec<u32>) {
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let number = |v: &u32| used.binary_search(v).ok().map(|k| k as u32);
    let renumbered = |t: &[u32; 3]| t.map(|v| number(&v).unwrap_or(0));
    let positions = used.iter().map(|&v| surface.mesh.positions[v as usize]).collect();
    let mut mesh = Mesh::surface(positions, triangles.iter().map(renumbered).collect());
    let groups = surface.mesh.groups.iter();
    mesh.groups = groups
        .map(|g| Group::new(g.name.clone(), g.vertices.iter().filter_map(number).collect()))
        .filter(|g| !g.vertices.is_empty())
        .collect();
    let mut polygons = Polygons::default();
    for corners in surface.polygons.iter() {
        let own: Option<Vec<u32>> = corners.iter().map(number).collect();
        own.iter().for_each(|own| polygons.push(own));
    }
    let chosen = |a: &Attribute| {
        let at = |v: &u32| &a.values[*v as usize * a.components..(*v as usize + 1) * a.components];
        let complete = a.values.len() >= a.components * surface.mesh.positions.len();
        complete
            .then(|| Attribute { values: used.iter().flat_map(at).copied().collect(), ..a.clone() })
    };
    let attributes = surface.attributes.iter().filter_map(chosen).collect();
    (Surface { mesh, polygons, attributes }, used)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes::solid_box;

    #[test]
    fn a_piece_keeps_its_numbers_and_its_attributes() {
        let large = solid_box(DVec3::ONE, [3, 3, 3]).unwrap();
        let small = solid_box(DVec3::splat(0.1), [1, 1, 1]).unwrap();
        let first = small.positions.len() as u32;
        let mut mesh = Mesh::surface(
            [small.positions.clone(), large.positions.clone()].concat(),
            small.triangles.clone(),
        );
        mesh.triangles.extend(large.triangles.iter().map(|t| t.map(|v| v + first)));
        mesh.groups = vec![Group::new("all", (0..mesh.positions.len() as u32).collect())];
        let values = (0..mesh.positions.len()).map(|v| v as f64).collect();
        let attributes = vec![Attribute { name: "n".to_owned(), components: 1, values }];
        let found = pieces(&mesh);
        assert_eq!(found.iter().map(|p| p.triangles.len()).collect::<Vec<_>>(), [108, 12]);
        let whole = Surface { mesh, polygons: Polygons::default(), attributes };
        let (own, used) = part(&whole, &found[0].triangles);
        assert_eq!(own.mesh.triangles.len(), 108);
        assert!(own.attributes[0].values.iter().zip(&used).all(|(n, v)| *n == f64::from(*v)));
        assert!(
            used.iter().all(|v| *v >= first) && own.mesh.groups[0].vertices.len() == used.len()
        );
    }
}

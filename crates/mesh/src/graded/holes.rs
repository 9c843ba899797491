//! Open surfaces, closed: every loop of open edges gets a fan around its middle.

use glam::DVec3;

use crate::mesh::Mesh;

/// The surface with its holes covered; loops that cross themselves are left open.
pub fn closed(mut surface: Mesh) -> Mesh {
    let mut sides: Vec<([u32; 2], [u32; 2])> = Vec::with_capacity(3 * surface.triangles.len());
    for &[a, b, c] in &surface.triangles {
        sides.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], [p, q])));
    }
    sides.sort_unstable();
    // Walked the other way round, open edges bound what is missing.
    let mut open: Vec<[u32; 2]> = sides
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|same| if let [(_, [p, q])] = same { Some([*q, *p]) } else { None })
        .collect();
    open.sort_unstable();
    let mut used = vec![false; open.len()];
    for start in 0..open.len() {
        let mut ring = Vec::new();
        let mut edge = start;
        while !used[edge] {
            used[edge] = true;
            ring.push(open[edge]);
            match open.binary_search_by_key(&open[edge][1], |e| e[0]) {
                Ok(next) => edge = next,
                Err(_) => break,
            }
        }
        let is_loop = ring.len() >= 3 && ring.first().map(|e| e[0]) == ring.last().map(|e| e[1]);
        if is_loop {
            let sum: DVec3 = ring.iter().map(|e| surface.positions[e[0] as usize]).sum();
            let middle = surface.positions.len() as u32;
            surface.positions.push(sum / ring.len() as f64);
            surface.triangles.extend(ring.iter().map(|[p, q]| [*p, *q, middle]));
        }
    }
    surface
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::findings;
    use crate::shapes;

    #[test]
    fn a_box_without_a_lid_gets_one() {
        let solid = shapes::solid_box(DVec3::splat(2.0), [3, 3, 3]).unwrap();
        let mut open = Mesh::surface(solid.positions.clone(), solid.triangles.clone());
        let high = |v: &u32| solid.positions[*v as usize].y > 0.99;
        open.triangles.retain(|t| !t.iter().all(high));
        let whole = closed(open);
        assert!((whole.volume() - 8.0).abs() < 1e-12);
        assert!(
            findings(&whole).iter().all(|f| f.kind == crate::diagnosis::FindingKind::UnusedVertex)
        );
    }
}

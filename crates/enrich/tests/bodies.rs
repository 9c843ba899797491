//! Bodies that several tests enrich.

use pliant_mesh::{DVec3, Mesh, Resolution, TetOptions, shapes};

/// The surface of a solid, without inner vertices.
pub fn surface_of(solid: &Mesh) -> Mesh {
    let mut used: Vec<u32> = solid.triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let place = |v: u32| used.binary_search(&v).unwrap() as u32;
    let triangles = solid.triangles.iter().map(|t| t.map(place)).collect();
    Mesh::surface(used.iter().map(|&v| solid.positions[v as usize]).collect(), triangles)
}

/// The surface of a bar along x, 1 m long and 0.2 m thick, with this many cells.
pub fn bar(cells: [usize; 3]) -> Mesh {
    surface_of(&shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), cells).unwrap())
}

/// Options that fill a surface with `count` cells along its longest side.
pub fn cells(count: u32) -> TetOptions {
    TetOptions { resolution: Resolution::Cells(count), ..TetOptions::default() }
}

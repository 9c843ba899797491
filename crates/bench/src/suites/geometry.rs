//! Geometry: hierarchies, closest points, winding numbers, meshing and embedding, at several sizes.
//!
//! The surface is that of the jelly. Query points fill its bounding box, twice as large. With the
//! feature `peers`, `parry3d-f64` does the same work.

#[cfg(feature = "peers")]
mod parry;

use std::hint::black_box;
use std::time::Instant;

use pliant_math::team::Team;
use pliant_mesh::{
    DVec3, Embedding, Mesh, MeshError, Resolution, SignedDistance, SurfaceTree, TetOptions,
    WindingTree, boundary_of_tets, shapes, tetrahedralise, winding,
};
use serde_json::json;

use crate::suite::{Entry, Suite, Values};
use crate::table::Column;

/// Queries of a row.
const QUERIES: usize = 20_000;
/// Queries of exact winding numbers, which are slow.
const EXACT_QUERIES: usize = 50;
/// Runs of a row; the shortest counts.
const REPEATS: usize = 3;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "geometry",
    about: "hierarchies, queries, meshing and embedding",
    columns: &[
        Column::fixed("triangles", "triangles", 0),
        Column::fixed("tets", "tets", 0),
        Column::scientific("seconds", "seconds"),
        Column::scientific("per_second", "per second"),
        Column::fixed("seconds_per_million_tets", "s/million tets", 1),
        Column::REASON,
    ],
    entries,
    ..Suite::SIDE_BY_SIDE
};

/// Work on a surface.
type Work = fn(&Mesh) -> Result<Values, MeshError>;

const WORKS: &[(&str, Work)] = &[
    ("bvh/build", |mesh| Ok(timed(1, || SurfaceTree::new(mesh)))),
    ("bvh/refit", |mesh| {
        let mut tree = SurfaceTree::new(mesh);
        Ok(timed(1, || tree.refit(mesh)))
    }),
    ("bvh/closest-point", |mesh| {
        let (tree, points) = (SurfaceTree::new(mesh), points_around(mesh, QUERIES));
        Ok(timed(QUERIES, || points.iter().filter_map(|x| tree.closest(*x)).count()))
    }),
    ("winding/build", |mesh| {
        let tree = SurfaceTree::new(mesh);
        Ok(timed(1, || WindingTree::new(&tree)))
    }),
    ("winding/query", |mesh| {
        let (tree, points) = (SurfaceTree::new(mesh), points_around(mesh, QUERIES));
        let winding = WindingTree::new(&tree);
        Ok(timed(QUERIES, || points.iter().map(|x| winding.at(&tree, *x)).sum::<f64>()))
    }),
    ("winding/exact-query", |mesh| {
        let points = points_around(mesh, EXACT_QUERIES);
        Ok(timed(EXACT_QUERIES, || points.iter().map(|x| winding::exact(mesh, *x)).sum::<f64>()))
    }),
    ("signed-distance/query", |mesh| {
        let (distance, points) = (SignedDistance::new(mesh), points_around(mesh, QUERIES));
        let team = Team::new(1);
        Ok(timed(QUERIES, || distance.at_all(&points, &team)))
    }),
    ("mesh/resolution-40", |mesh| meshed(mesh, 40)),
    ("mesh/resolution-80", |mesh| meshed(mesh, 80)),
    ("embedding", |mesh| {
        let team = Team::new(1);
        let filled = tetrahedralise(mesh, &TetOptions::default(), &team)?;
        let points = &mesh.positions;
        let mut values = timed(points.len(), || Embedding::new(&filled.solid, points, &team));
        values.push(("tets", json!(filled.solid.tets.len())));
        Ok(values)
    }),
    #[cfg(feature = "peers")]
    ("parry/bvh/build", parry::build),
    #[cfg(feature = "peers")]
    ("parry/bvh/closest-point", parry::closest_point),
];

fn entries(_threads: usize) -> Vec<Entry> {
    let entry = |resolution: usize, work_name: &str, work: Work| {
        Entry::new(format!("{work_name}/jelly-{resolution}"), move |_| {
            let mesh = surface(resolution)?;
            let mut values = work(&mesh)?;
            values.insert(0, ("triangles", json!(mesh.triangles.len())));
            Ok(values)
        })
    };
    let of = |resolution| WORKS.iter().map(move |(name, work)| entry(resolution, name, *work));
    [20, 60].into_iter().flat_map(of).collect()
}

/// The jelly's surface, without the vertices inside.
fn surface(resolution: usize) -> Result<Mesh, MeshError> {
    let solid = shapes::jelly(resolution)?;
    let mut mesh = Mesh { triangles: boundary_of_tets(&solid.tets), ..Mesh::default() };
    let mut numbers = vec![u32::MAX; solid.positions.len()];
    for v in mesh.triangles.iter_mut().flatten() {
        let number = &mut numbers[*v as usize];
        if *number == u32::MAX {
            *number = mesh.positions.len() as u32;
            mesh.positions.push(solid.positions[*v as usize]);
        }
        *v = *number;
    }
    Ok(mesh)
}

/// Shortest time of some runs of `count` items each, and items per second.
fn timed<T>(count: usize, mut work: impl FnMut() -> T) -> Values {
    let once = |_| {
        let clock = Instant::now();
        black_box(work());
        clock.elapsed().as_secs_f64()
    };
    let seconds = (0..REPEATS).map(once).fold(f64::INFINITY, f64::min);
    vec![("seconds", json!(seconds)), ("per_second", json!(count as f64 / seconds))]
}

fn meshed(mesh: &Mesh, cells: u32) -> Result<Values, MeshError> {
    let options = TetOptions { resolution: Resolution::Cells(cells), ..TetOptions::default() };
    let clock = Instant::now();
    let filled = tetrahedralise(mesh, &options, &Team::new(1))?;
    let (seconds, tets) = (clock.elapsed().as_secs_f64(), filled.solid.tets.len());
    Ok(vec![
        ("tets", json!(tets)),
        ("seconds", json!(seconds)),
        ("per_second", json!(tets as f64 / seconds)),
        ("seconds_per_million_tets", json!(1e6 * seconds / tets as f64)),
        ("min_dihedral_deg", json!(filled.report.min_dihedral)),
    ])
}

/// Points of a low-discrepancy sequence in a box twice as large as the mesh's.
fn points_around(mesh: &Mesh, count: usize) -> Vec<DVec3> {
    let Some(bounds) = mesh.bounds() else { return Vec::new() };
    // Inverse powers of the root of x⁴ = x + 1: the R₃ sequence.
    let steps =
        DVec3::new(0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_970_3);
    let (centre, size) = (0.5 * (bounds.min + bounds.max), bounds.max - bounds.min);
    let point = |k: usize| centre + 2.0 * size * ((steps * k as f64).fract() - 0.5);
    (0..count).map(point).collect()
}

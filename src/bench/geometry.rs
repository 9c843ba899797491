//! Geometry: hierarchies, closest points, winding numbers, meshing and embedding, at several sizes.
//!
//! The surface is that of the jelly. Queries are at points spread over its bounding box, twice as
//! large. With the feature `peers`, what `parry3d-f64` does alike is measured beside it.

#[cfg(feature = "peers")]
mod peers;

use std::time::Instant;

use pliant::math::team::Team;
use pliant::mesh::{
    DVec3, Embedding, Mesh, MeshError, Resolution, SignedDistance, SurfaceTree, TetOptions,
    WindingTree, boundary_of_tets, shapes, tetrahedralise, winding,
};
use serde_json::{Value, json};

use super::{Column, Entry, Stop, Style, Suite, Values};

/// Queries of a row; exact winding numbers are asked fewer times.
const QUERIES: usize = 20_000;
const EXACT_QUERIES: usize = 50;
/// The best of so many.
const REPEATS: usize = 3;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "geometry",
    about: "hierarchies, queries, meshing and embedding",
    columns: &[
        Column { key: "triangles", heading: "triangles", style: Style::Fixed(0) },
        Column { key: "tets", heading: "tets", style: Style::Fixed(0) },
        Column { key: "seconds", heading: "seconds", style: Style::Scientific },
        Column { key: "per_second", heading: "per second", style: Style::Scientific },
        Column {
            key: "seconds_per_million_tets",
            heading: "s/million tets",
            style: Style::Fixed(1),
        },
        Column { key: "reason", heading: "", style: Style::Words },
    ],
    entries,
    conclude: |rows| format!("{} rows", rows.len()),
    figure: None,
    one_at_a_time: false,
    last_row: None,
};

/// What is measured of a surface: values of the row's columns.
type Work = fn(&Mesh) -> Result<Values, MeshError>;

fn entries(_threads: usize) -> Vec<Entry> {
    let works: &[(&'static str, Work)] = &[
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
            Ok(timed(EXACT_QUERIES, || {
                points.iter().map(|x| winding::exact(mesh, *x)).sum::<f64>()
            }))
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
        ("parry/bvh/build", peers::build),
        #[cfg(feature = "peers")]
        ("parry/bvh/closest-point", peers::closest_point),
    ];
    let mut entries = Vec::new();
    for resolution in [20, 60] {
        for &(work_name, work) in works {
            let name = format!("{work_name}/jelly-{resolution}");
            entries.push(Entry::new(name, move |_: Stop<'_>| {
                let mesh = surface(resolution)?;
                let mut values = work(&mesh)?;
                values.insert(0, ("triangles", json!(mesh.triangles.len())));
                Ok::<_, MeshError>(Some(values))
            }));
        }
    }
    entries
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

/// The shortest of some runs, and how often per second that is.
fn timed<T>(count: usize, mut work: impl FnMut() -> T) -> Vec<(&'static str, Value)> {
    let once = |_| {
        let clock = Instant::now();
        std::hint::black_box(work());
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

/// Points that fill a box twice as large as the mesh's evenly: a sequence of low discrepancy.
fn points_around(mesh: &Mesh, count: usize) -> Vec<DVec3> {
    let Some(bounds) = mesh.bounds() else { return Vec::new() };
    // Powers of the root of x⁴ = x + 1, the plastic number's sister in three dimensions.
    let steps =
        DVec3::new(0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_970_3);
    let (centre, size) = (0.5 * (bounds.min + bounds.max), bounds.max - bounds.min);
    let point = |k: usize| centre + 2.0 * size * ((steps * k as f64).fract() - 0.5);
    (0..count).map(point).collect()
}

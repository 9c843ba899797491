//! Where the mesh of a body comes from.

use pliant_mesh::menagerie::Creature;
use serde::Serialize;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::value::Value;

/// The source of a body's mesh. Files are named as written, from the scene's folder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum MeshSource {
    /// A solid box centred on the origin: edge lengths \[m\] and cells per edge, five tets per
    /// cell, alternating.
    Box { size: [f64; 3], cells: [u32; 3] },
    /// A sheet of springs in the xz plane, centred on the origin: edge lengths \[m\] and cells
    /// per edge.
    Cloth { size: [f64; 2], cells: [u32; 2] },
    /// Particles \[m\], and pairs of them that springs join.
    Net { points: Vec<[f64; 3]>, springs: Vec<[u32; 2]> },
    /// Tetrahedra from a file.
    File { path: String, unit: Unit },
    /// A triangle surface, tetrahedralised on load with `resolution` cells along its longest
    /// side. Where it touches itself, `separated` is another pose of it that does not: the tets are
    /// made there and carried back, so that lips are not welded.
    Surface { path: String, resolution: u32, unit: Unit, separated: Option<String> },
    /// A built-in shape, tetrahedralised with `resolution` cells along its longest side.
    Shape { name: &'static str, resolution: u32 },
}

/// The unit of length in which a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// m
    Metre,
    /// cm
    Centimetre,
    /// mm
    Millimetre,
    /// in
    Inch,
    /// ft
    Foot,
}

impl Unit {
    const NAMES: [(&'static str, Unit); 5] = [
        ("m", Unit::Metre),
        ("cm", Unit::Centimetre),
        ("mm", Unit::Millimetre),
        ("in", Unit::Inch),
        ("ft", Unit::Foot),
    ];

    /// Length of the unit \[m\].
    pub const fn metres(self) -> f64 {
        match self {
            Unit::Metre => 1.0,
            Unit::Centimetre => 0.01,
            Unit::Millimetre => 0.001,
            Unit::Inch => 0.0254,
            Unit::Foot => 0.3048,
        }
    }
}

/// More cells than this do not fit into the memory of a workstation.
const MOST_CELLS: u64 = 20_000_000;
const MOST_CELLS_PER_EDGE: u32 = 100_000;
const LENGTH: Limits = Limits::from(1e-6, "m").up_to(1e6);

impl MeshSource {
    pub(crate) fn read(value: Value<'_>) -> Result<MeshSource, SceneError> {
        let table = value.table(&[
            "box",
            "cloth",
            "net",
            "file",
            "surface",
            "shape",
            "resolution",
            "unit",
            "separated",
        ])?;
        let kinds = &["box", "cloth", "net", "file", "surface", "shape"];
        let (kind, source) = table.one_of("mesh", kinds)?;
        if let (Some(extra), "box" | "cloth" | "net" | "file") = (table.get("resolution"), kind) {
            return Err(extra.refuse(format!("`resolution` has no meaning for `{kind}`")));
        }
        if let (Some(extra), "box" | "cloth" | "net" | "shape") = (table.get("unit"), kind) {
            return Err(extra.refuse(format!("`unit` has no meaning for `{kind}`")));
        }
        if let (Some(extra), true) = (table.get("separated"), kind != "surface") {
            return Err(extra.refuse(format!("`separated` has no meaning for `{kind}`")));
        }
        let resolution = table.or("resolution", 40, |v| v.small_count(1, 1000))?;
        let unit = table.or("unit", Unit::Metre, |v| v.named("unit", &Unit::NAMES))?;
        Ok(match kind {
            "box" => {
                let (size, cells) = grid(&source, "[x, y, z]")?;
                MeshSource::Box { size, cells }
            }
            "cloth" => {
                let (size, cells) = grid(&source, "[x, z]")?;
                MeshSource::Cloth { size, cells }
            }
            "net" => net(&source)?,
            "file" => MeshSource::File { path: source.words()?.to_owned(), unit },
            "surface" => {
                let separated = table.or("separated", None, |v| Ok(Some(v.words()?.to_owned())))?;
                MeshSource::Surface {
                    path: source.words()?.to_owned(),
                    resolution,
                    unit,
                    separated,
                }
            }
            _ => {
                let known = ["jelly", "horns"].into_iter().chain(Creature::names());
                let known: Vec<_> = known.map(|name| (name, name)).collect();
                MeshSource::Shape { name: source.named("shape", &known)?, resolution }
            }
        })
    }
}

/// Particles, and springs between two different ones.
fn net(value: &Value<'_>) -> Result<MeshSource, SceneError> {
    let table = value.table(&["points", "springs"])?;
    let points = table.require("points", "a list of [x, y, z] in metres")?;
    let points = points.items("a list of points")?;
    let points: Vec<[f64; 3]> =
        points.iter().map(|p| p.numbers(Limits::any("m"))).collect::<Result<_, _>>()?;
    let last = u32::try_from(points.len().saturating_sub(1)).unwrap_or(u32::MAX);
    let mut springs = Vec::new();
    let pairs = table.require("springs", "a list of [i, j], numbers of points from 0")?;
    for pair in pairs.items("a list of springs")? {
        let [i, j] = pair.counts(0, last)?;
        if i == j {
            return Err(pair.refuse(format!("joins point {i} to itself")));
        }
        springs.push([i, j]);
    }
    Ok(MeshSource::Net { points, springs })
}

/// Edge lengths and cells per edge of a regular grid.
fn grid<const N: usize>(value: &Value<'_>, axes: &str) -> Result<([f64; N], [u32; N]), SceneError> {
    let table = value.table(&["size", "cells"])?;
    let size = table.require("size", &format!("{axes} in metres"))?.numbers(LENGTH)?;
    let cells_value = table.require("cells", &format!("the number of cells along {axes}"))?;
    let cells: [u32; N] = cells_value.counts(1, MOST_CELLS_PER_EDGE)?;
    // 1e5³ fits into 64 bits.
    let total: u64 = cells.iter().map(|&count| u64::from(count)).product();
    if total > MOST_CELLS {
        return Err(cells_value
            .refuse(format!("makes {total} cells, must be at most {MOST_CELLS} together")));
    }
    Ok((size, cells))
}

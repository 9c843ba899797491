//! Cells as VTK lists them: corners of all cells in a row, with where each cell ends.

use crate::error::Problem;
use crate::loaded::Parts;

const TRIANGLE: u64 = 5;
pub const POLYGON: u64 = 7;
const QUAD: u64 = 9;
pub const TET: u64 = 10;

/// Adds cells to the parts of a mesh. `first_vertex` is where the vertices of these cells start;
/// `ends[i]` is where cell i ends in `corners`. An error names the cell.
pub fn add_cells(
    parts: &mut Parts,
    first_vertex: usize,
    types: &[u64],
    ends: &[u64],
    corners: &[u64],
) -> Result<(), Problem> {
    if types.len() != ends.len() {
        return Err(format!(
            "expected as many types as cells, found {} and {}",
            types.len(),
            ends.len()
        )
        .into());
    }
    let vertices = parts.positions.len();
    let mut start = 0;
    let mut cell = Vec::new();
    for (id, (&kind, &end)) in types.iter().zip(ends).enumerate() {
        let end = usize::try_from(end).ok().filter(|&e| e >= start && e <= corners.len());
        let end = end.ok_or_else(|| {
            format!("cell {id} ends at {}, expected {start} to {}", ends[id], corners.len())
        })?;
        cell.clear();
        for &corner in &corners[start..end] {
            let vertex = usize::try_from(corner).ok().and_then(|c| c.checked_add(first_vertex));
            match vertex.filter(|&v| v < vertices).and_then(|v| u32::try_from(v).ok()) {
                Some(vertex) => cell.push(vertex),
                None => {
                    let count = vertices - first_vertex;
                    return Err(
                        format!("cell {id} names point {corner}, but there are {count}").into()
                    );
                }
            }
        }
        start = end;
        add_cell(parts, id, kind, &cell)?;
    }
    Ok(())
}

fn add_cell(parts: &mut Parts, id: usize, kind: u64, cell: &[u32]) -> Result<(), Problem> {
    match (kind, cell) {
        (TET, &[a, b, c, d]) => parts.tets.push([a, b, c, d]),
        (TRIANGLE | POLYGON | QUAD, [_, _, _, ..]) => {
            parts.add_polygon(cell, || format!("cell {id}"));
        }
        (TET | TRIANGLE | POLYGON | QUAD, _) => {
            return Err(format!("cell {id} of type {kind} has {} corners", cell.len()).into());
        }
        (1 | 2, _) => parts.ignore("points", 1),
        (3 | 4, _) => parts.ignore("lines", 1),
        (6, _) => parts.ignore("triangle strips", 1),
        (11 | 12, _) => parts.ignore("hexahedra", 1),
        (13, _) => parts.ignore("prisms", 1),
        (14, _) => parts.ignore("pyramids", 1),
        (24, _) => parts.ignore("curved tets", 1),
        _ => parts.ignore("cells of other kinds", 1),
    }
    Ok(())
}

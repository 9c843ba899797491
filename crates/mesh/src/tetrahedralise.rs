//! Tetrahedra around any triangles, however broken.
//!
//! The inside is where the triangles' winding number is at least a half; it is filled by
//! isosurface stuffing (Labelle and Shewchuk 2007). Values of the function on the lattice are then
//! raised, as little as possible, until every vertex of the surface lies in a tet: which thickens
//! what is thinner than a cell, and costs no quality, since angles are bounded for any values.

mod enclosure;
mod tighten;

use glam::DVec3;
use pliant_math::team::Team;

use self::enclosure::Enclosure;
use self::tighten::tighten;
use crate::embedding::Embedding;
use crate::error::MeshError;
use crate::mesh::{Bounds, Mesh};
use crate::quality;
use crate::soup::{count_pieces, put_in_order};
use crate::stuffing::field::SoupField;
use crate::stuffing::octree::{Frame, Octree};

/// How finely to fill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// Cells along the longest side of the surface.
    Cells(u32),
    /// Side of a cell (m).
    Size(f64),
}

/// How to fill a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetOptions {
    /// Of the cells at the boundary.
    pub resolution: Resolution,
    /// How often cells may double inside.
    pub coarsening: u8,
    /// The thickness that open sheets are given (m); 0 only covers them.
    pub thicken: f64,
}

impl Default for TetOptions {
    fn default() -> Self {
        TetOptions { resolution: Resolution::Cells(40), coarsening: 2, thicken: 0.0 }
    }
}

impl TetOptions {
    /// Side of a cell at the boundary of a surface (m).
    pub fn size(&self, surface: &Mesh) -> Result<f64, MeshError> {
        cell_size(&surface.bounds().ok_or(MeshError::NothingToFill)?, self)
    }
}

/// A surface in tetrahedra.
#[derive(Clone, Debug, Default)]
pub struct Tetrahedralised {
    /// The tets, and their boundary.
    pub solid: Mesh,
    /// Where the surface's vertices are in it.
    pub embedding: Embedding,
    /// What came of it.
    pub report: TetReport,
}

/// What came of filling a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetReport {
    /// Side of a finest cell (m).
    pub size: f64,
    /// The least dihedral angle (degrees).
    pub min_dihedral: f64,
    /// Tets without positive volume.
    pub inverted: usize,
    /// Vertices of the surface that lie in a tet.
    pub embedded: usize,
    /// Pieces of the solid.
    pub components: usize,
    /// Whether the surface has no border.
    pub closed: bool,
    /// How often the boundary was moved out to enclose vertices that stuck out.
    pub rounds: usize,
}

/// The most cells along a side.
const MOST_CELLS: f64 = 20_000.0;
/// Cells around the surface's box.
pub(crate) const PADDING: f64 = 3.0;

/// Fills a surface with tets that enclose all vertices of its triangles.
///
/// ```
/// use pliant_math::team::Team;
/// use pliant_mesh::{DVec3, TetOptions, shapes, tetrahedralise};
/// let surface = shapes::solid_box(DVec3::new(2.0, 1.0, 1.0), [2, 1, 1])?;
/// let filled = tetrahedralise(&surface, &TetOptions::default(), &Team::new(1))?;
/// assert_eq!(filled.report.embedded, surface.positions.len());
/// assert!(filled.report.min_dihedral > 8.0);
/// assert!((filled.solid.volume() / 2.0 - 1.0).abs() < 0.05);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn tetrahedralise(
    surface: &Mesh,
    options: &TetOptions,
    team: &Team,
) -> Result<Tetrahedralised, MeshError> {
    let soup = put_in_order(surface);
    let used = used_vertices(surface);
    // The soup lacks vertices of triangles that occur twice; they must be enclosed, too.
    let needed = surface.positions.iter().zip(used).filter(|(_, used)| *used).map(|(p, _)| *p);
    let needed: Vec<DVec3> = needed.collect();
    let bounds = Bounds::of(&needed).ok_or(MeshError::NothingToFill)?;
    if !(options.thicken >= 0.0 && options.thicken.is_finite()) {
        let (shape, what) = (SHAPE, "thicken");
        return Err(MeshError::BadLength { shape, what, value: options.thicken });
    }
    let grown = PADDING + 0.5 * options.thicken / cell_size(&bounds, options)?;
    let (frame, depth) = frame(&bounds, options, grown)?;
    let open = (options.thicken > 0.0).then_some((&soup.open, options.thicken));
    let field = SoupField::new(&soup.mesh, open, frame.size);
    let tree = Octree::new(frame, depth, options.coarsening, &field, team)?;
    let mut enclosure = Enclosure::new(&soup.mesh, &needed, frame, &field, team);
    let filling = enclosure.fill(tree, options.coarsening)?;
    let mut solid = Mesh::solid(filling.positions, filling.tets);
    if soup.closed {
        tighten(&mut solid, (&needed, soup.mesh.volume()), &field, frame.size, team);
    }
    let embedding = Embedding::new(&solid, &surface.positions, team);
    let finite = |v: usize| surface.positions[v].is_finite();
    let outside = embedding.outside();
    let report = TetReport {
        size: frame.size,
        min_dihedral: quality::min_dihedral(&solid),
        inverted: quality::inverted(&solid),
        embedded: (0..surface.positions.len()).filter(|&v| finite(v)).count()
            - outside.iter().filter(|&&v| finite(v as usize)).count(),
        components: count_pieces(solid.positions.len(), &solid.tets),
        closed: soup.closed,
        rounds: enclosure.rounds,
    };
    Ok(Tetrahedralised { solid, embedding, report })
}

const SHAPE: &str = "tetrahedralisation";

/// Vertices of triangles with finite corners.
pub(crate) fn used_vertices(surface: &Mesh) -> Vec<bool> {
    let mut used = vec![false; surface.positions.len()];
    for triangle in &surface.triangles {
        let corners = triangle.map(|v| surface.positions.get(v as usize));
        if corners.iter().all(|c| c.is_some_and(|c| c.is_finite())) {
            triangle.iter().for_each(|&v| used[v as usize] = true);
        }
    }
    used
}

pub(crate) fn cell_size(bounds: &Bounds, options: &TetOptions) -> Result<f64, MeshError> {
    let longest = bounds.size().max_element();
    let (size, what) = match options.resolution {
        Resolution::Cells(0) => {
            let (shape, what) = (SHAPE, "resolution");
            return Err(MeshError::TooFewCells { shape, what, value: 0, least: 1 });
        }
        Resolution::Cells(count) => (longest / f64::from(count), "the surface's longest side"),
        Resolution::Size(size) => (size, "size"),
    };
    if !(size.is_finite() && size > 0.0) {
        return Err(MeshError::BadLength { shape: SHAPE, what, value: size });
    }
    if longest / size > MOST_CELLS {
        return Err(MeshError::TooManyElements { shape: SHAPE, limit: 100_000_000 });
    }
    Ok(size)
}

/// The lattice's place, and the doublings from a finest cell to the root.
pub(crate) fn frame(
    bounds: &Bounds,
    options: &TetOptions,
    padding: f64,
) -> Result<(Frame, u8), MeshError> {
    let size = cell_size(bounds, options)?;
    let cells = bounds.size().max_element() / size + 2.0 * padding;
    let depth = cells.log2().ceil().max(2.0);
    // Coordinates have 21 bits.
    if depth > 19.0 || depth.is_nan() {
        return Err(MeshError::TooManyElements { shape: SHAPE, limit: 100_000_000 });
    }
    let half = 0.5 * size * depth.exp2();
    Ok((Frame { base: bounds.center() - DVec3::splat(half), size }, depth as u8))
}

#[cfg(test)]
mod tests;

//! A surface Γ embedded in the tetrahedra Ω that enclose it.
//!
//! Sections 4.1 and 8.1 of \[li2017enriching\].

mod neutral_pose;
pub(crate) mod samples;

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::{
    Embedding, Mesh, SurfaceTree, TetOptions, TetReport, tetrahedralise, tetrahedralise_separated,
};
use pliant_model::potentials::Tracked;

use self::samples::Sample;
use crate::error::EnrichError;
use crate::numerics::poisson::Element;

/// Bodies up to this length keep their following frequencies unscaled \[m\].
const UNSCALED_LENGTH: f64 = 3.0;

/// Default number of cells along the longest side, …
const CELLS: f64 = 40.0;
/// … lowered so that the body fills at most this many cells, about ten thousand tets.
const FILLED_CELLS: f64 = 4000.0;

/// Default number of cells along the longest side of a body: 40, or fewer if those would fill it
/// with more than 4000 cells.
///
/// ```
/// use pliant_enrich::embedding::default_resolution;
/// use pliant_mesh::{DVec3, shapes};
/// let [cube, bar] = [1.0, 0.1].map(|thick| DVec3::new(1.0, thick, thick));
/// assert_eq!(default_resolution(&shapes::solid_box(cube, [1, 1, 1])?), 16);
/// assert_eq!(default_resolution(&shapes::solid_box(bar, [1, 1, 1])?), 40);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn default_resolution(surface: &Mesh) -> u32 {
    let side = surface.bounds().map_or(1.0, |b| b.size().max_element());
    let over = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| surface.positions[v as usize]);
        a.dot(b.cross(c)) / 6.0
    };
    // Open or overlapping surfaces have no defined volume, but fill no more than their box.
    let volume = surface.triangles.iter().map(over).sum::<f64>().abs();
    let share = (volume / side.powi(3)).clamp(0.0, 1.0);
    let cells = (FILLED_CELLS / share).cbrt().min(CELLS);
    if cells.is_finite() { cells.round() as u32 } else { CELLS as u32 }
}

/// A surface Γ, the tets Ω that enclose it, and the interpolation C between them.
#[derive(Clone, Debug)]
pub struct EmbeddedSurface {
    /// Γ at rest.
    pub surface: Mesh,
    /// Ω at rest.
    pub solid: Mesh,
    /// C: for every vertex of Γ its tet of Ω, with barycentric weights.
    pub embedding: Embedding,
    /// Report of the mesher that filled Γ.
    pub report: TetReport,
    /// True if Γ was filled in a pose whose parts do not touch.
    pub is_separated: bool,
    /// Index of the pose that replaced the rest shape, if parts of the rest shape nearly touch.
    pub neutral_pose: Option<usize>,
}

impl EmbeddedSurface {
    /// Fills a surface with tets. Where parts of the rest shape touch, `separated` is a pose in
    /// which they do not (Fig. 12).
    ///
    /// ```
    /// use pliant_enrich::EmbeddedSurface;
    /// use pliant_math::team::Team;
    /// use pliant_mesh::{DVec3, Resolution, TetOptions, shapes};
    /// let surface = shapes::solid_box(DVec3::ONE, [4, 4, 4])?;
    /// let options = TetOptions { resolution: Resolution::Cells(8), ..TetOptions::default() };
    /// let embedded = EmbeddedSurface::new(surface, None, &options, &Team::new(1))?;
    /// assert_eq!(embedded.embedding.tets.len(), embedded.surface.positions.len());
    /// # Ok::<(), pliant_enrich::EnrichError>(())
    /// ```
    pub fn new(
        surface: Mesh,
        separated: Option<&Mesh>,
        options: &TetOptions,
        team: &Team,
    ) -> Result<Self, EnrichError> {
        let filled = match separated {
            Some(pose) => tetrahedralise_separated(&surface, pose, options, team)?,
            None => tetrahedralise(&surface, options, team)?,
        };
        Ok(EmbeddedSurface {
            is_separated: separated.is_some(),
            neutral_pose: None,
            surface,
            solid: filled.solid,
            embedding: filled.embedding,
            report: filled.report,
        })
    }

    /// Fills the rest shape of an animation with tets; `poses` are some of its frames \[m\]. If the
    /// whole surface is animated and parts of the rest shape nearly touch, the pose with the least
    /// contact is filled instead.
    pub fn of_animation(
        mut rest: Mesh,
        separated: Option<&Mesh>,
        poses: &[Vec<DVec3>],
        is_whole: bool,
        options: &TetOptions,
        team: &Team,
    ) -> Result<Self, EnrichError> {
        let mut neutral_pose = None;
        if separated.is_none() && is_whole {
            neutral_pose = neutral_pose::find(&rest, poses, options.size(&rest)?, team);
            if let Some(pose) = neutral_pose {
                rest.positions.clone_from(&poses[pose]);
            }
        }
        Ok(EmbeddedSurface {
            neutral_pose,
            ..EmbeddedSurface::new(rest, separated, options, team)?
        })
    }

    /// Longest side of the surface's bounding box \[m\].
    pub fn length(&self) -> f64 {
        self.surface.bounds().map_or(1.0, |b| b.size().max_element())
    }

    /// Scale of following frequencies and damping for this body's size: √(3 m / length), at most 1,
    /// as for pendulums.
    pub fn frequency_scale(&self) -> f64 {
        (UNSCALED_LENGTH / self.length()).sqrt().min(1.0)
    }

    /// Masses of Ω's vertices \[kg\] for a density [kg/m³].
    pub fn masses(&self, density: f64) -> Vec<f64> {
        let mut masses = vec![0.0; self.solid.positions.len()];
        for element in Element::all(&self.solid) {
            let share = density * element.volume / 4.0;
            element.corners.iter().for_each(|&v| masses[v as usize] += share);
        }
        masses
    }

    /// Corners of the tet that a vertex of Γ is embedded in.
    pub fn corners(&self, vertex: usize) -> [u32; 4] {
        self.solid.tets[self.embedding.tets[vertex] as usize]
    }

    /// The one of these corners with the largest weight.
    pub fn nearest_corner(&self, vertex: usize) -> u32 {
        let weights = self.embedding.weights[vertex];
        let most = (0..4).fold(0, |m, k| if weights[k] > weights[m] { k } else { m });
        self.corners(vertex)[most]
    }

    /// For every tet the nearest vertex of Γ, whose region the tet belongs to.
    pub fn nearest_surface_vertices(&self) -> Vec<u32> {
        let tree = SurfaceTree::new(&self.surface);
        let nearest = |tet: usize| {
            let corners = self.solid.corners(tet).unwrap_or_default();
            let found = tree.closest(corners.iter().sum::<DVec3>() / 4.0)?;
            let most =
                (0..3).fold(0, |m, k| if found.weights[k] > found.weights[m] { k } else { m });
            Some(self.surface.triangles[found.triangle as usize][most])
        };
        (0..self.solid.tets.len()).map(|tet| nearest(tet).unwrap_or(0)).collect()
    }

    /// Samples of the tracked part Γ′, with their rows of C′; each row's stiffness is the sample's
    /// area \[m²\], its entry of Λ.
    pub(crate) fn tracked_points(
        &self,
        is_tracked: &[bool],
        team: &Team,
    ) -> (Vec<Sample>, Vec<Tracked>) {
        // Samples between vertices get the tet at their position, which is wrong where Γ touches
        // itself.
        let size = if self.is_separated { f64::INFINITY } else { self.report.size };
        let samples = samples::of_tracked(&self.surface, is_tracked, size);
        let places: Vec<DVec3> =
            samples.iter().map(|s| s.position(&self.surface.positions)).collect();
        let between = Embedding::new(&self.solid, &places, team);
        let point = |k: usize| {
            let sample = &samples[k];
            let at_vertex = sample.weights[0] == 1.0;
            let (of, at) = match at_vertex {
                true => (&self.embedding, sample.corners[0] as usize),
                false => (&between, k),
            };
            Tracked {
                corners: self.solid.tets[of.tets[at] as usize],
                weights: of.weights[at],
                stiffness: sample.area,
            }
        };
        let points = (0..samples.len()).map(point).collect();
        (samples, points)
    }

    /// Position of a vertex of Γ, a row of C u, when Ω's vertices are at `solid` \[m\].
    pub fn surface_position(&self, vertex: usize, solid: &[DVec3]) -> DVec3 {
        let weighted = self.corners(vertex).into_iter().zip(self.embedding.weights[vertex]);
        weighted.map(|(v, w)| w * solid[v as usize]).sum()
    }

    /// Vertices of Ω that these vertices of Γ are interpolated from, ascending: Ω″ for Γ″.
    pub fn supporting_vertices(&self, vertices: &[u32]) -> Vec<u32> {
        let mut held: Vec<u32> = vertices.iter().flat_map(|&v| self.corners(v as usize)).collect();
        held.sort_unstable();
        held.dedup();
        held
    }

    /// For each vertex of Γ, true if all corners of its tet are among these vertices of Ω.
    pub fn held_by(&self, solid: &[u32]) -> Vec<bool> {
        let mut is_among = vec![false; self.solid.positions.len()];
        solid.iter().for_each(|&v| is_among[v as usize] = true);
        let is_held = |v: usize| self.corners(v).iter().all(|&c| is_among[c as usize]);
        (0..self.surface.positions.len()).map(is_held).collect()
    }
}

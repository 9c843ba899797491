//! A surface Γ bound to the tetrahedra Ω that enclose it: section 4.1, and 8.1 for rest shapes that
//! touch themselves.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::{
    Embedding, Mesh, SurfaceTree, TetOptions, TetReport, tetrahedralise, tetrahedralise_separated,
};
use pliant_model::potentials::Tracked;

use crate::apart;
use crate::error::EnrichError;
use crate::poisson::Element;
use crate::samples::{self, Sample};

/// Bodies up to this length swing alike \[m\].
const SWIFT: f64 = 3.0;

/// Cells along the longest side when nobody says …
const CELLS: f64 = 40.0;
/// … and how many a body may fill, some ten thousand tets: with 40 along its side a cube would have 64,000.
const FILLED: f64 = 4000.0;

/// Cells along the longest side of a body that nobody said anything about: 40, and fewer where these would
/// fill it with more than 4000.
///
/// ```
/// use pliant_enrich::bound::usual_resolution;
/// use pliant_mesh::{DVec3, shapes};
/// let [cube, bar] = [1.0, 0.1].map(|thick| DVec3::new(1.0, thick, thick));
/// assert_eq!(usual_resolution(&shapes::solid_box(cube, [1, 1, 1])?), 16);
/// assert_eq!(usual_resolution(&shapes::solid_box(bar, [1, 1, 1])?), 40);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn usual_resolution(surface: &Mesh) -> u32 {
    let side = surface.bounds().map_or(1.0, |b| b.size().max_element());
    let over = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| surface.positions[v as usize]);
        a.dot(b.cross(c)) / 6.0
    };
    // What is open or overlaps has no volume of its own, but fills no more than its box.
    let volume = surface.triangles.iter().map(over).sum::<f64>().abs();
    let share = (volume / side.powi(3)).clamp(0.0, 1.0);
    let cells = (FILLED / share).cbrt().min(CELLS);
    if cells.is_finite() { cells.round() as u32 } else { CELLS as u32 }
}

/// Γ, Ω, and the interpolation C between them.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Γ at rest.
    pub surface: Mesh,
    /// Ω at rest.
    pub solid: Mesh,
    /// C: for every vertex of Γ a tet of Ω with weights.
    pub embedding: Embedding,
    /// What came of filling Γ.
    pub report: TetReport,
    /// Whether Γ was filled in a pose whose parts are apart.
    pub is_separated: bool,
    /// Which of the poses became the neutral shape, because parts of the rest shape nearly touch.
    pub neutral_pose: Option<usize>,
}

impl Bound {
    /// Fills a surface; `separated` is a pose of it whose parts do not touch, where the rest shape's
    /// do (Fig. 12).
    ///
    /// ```
    /// use pliant_enrich::Bound;
    /// use pliant_math::team::Team;
    /// use pliant_mesh::{DVec3, Resolution, TetOptions, shapes};
    /// let surface = shapes::solid_box(DVec3::ONE, [4, 4, 4])?;
    /// let options = TetOptions { resolution: Resolution::Cells(8), ..TetOptions::default() };
    /// let bound = Bound::new(surface, None, &options, &Team::new(1))?;
    /// assert_eq!(bound.embedding.tets.len(), bound.surface.positions.len());
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
        Ok(Bound {
            is_separated: separated.is_some(),
            neutral_pose: None,
            surface,
            solid: filled.solid,
            embedding: filled.embedding,
            report: filled.report,
        })
    }

    /// Fills the rest shape of an animation, of which `poses` are some frames \[m\]. Where the whole of
    /// it is animated and parts of the rest shape nearly touch, that pose is filled in which they are
    /// farthest apart.
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
            neutral_pose = apart::better_neutral(&rest, poses, options.size(&rest)?, team);
            if let Some(pose) = neutral_pose {
                rest.positions.clone_from(&poses[pose]);
            }
        }
        Ok(Bound { neutral_pose, ..Bound::new(rest, separated, options, team)? })
    }

    /// The surface's longest side \[m\].
    pub fn length(&self) -> f64 {
        self.surface.bounds().map_or(1.0, |b| b.size().max_element())
    }

    /// How fast what hangs on a body of this length swings, against one of up to three metres: 1 or less,
    /// as √(3 m / length), which is the rule of pendulums.
    pub fn tempo(&self) -> f64 {
        (SWIFT / self.length()).sqrt().min(1.0)
    }

    /// Masses of Ω's vertices \[kg\] at a density [kg/m³].
    pub fn masses(&self, density: f64) -> Vec<f64> {
        let mut masses = vec![0.0; self.solid.positions.len()];
        for element in Element::all(&self.solid) {
            let share = density * element.volume / 4.0;
            element.corners.iter().for_each(|&v| masses[v as usize] += share);
        }
        masses
    }

    /// The corners of the tet that a vertex of Γ is bound to.
    pub fn corners(&self, vertex: usize) -> [u32; 4] {
        self.solid.tets[self.embedding.tets[vertex] as usize]
    }

    /// Of these the one that it is nearest to.
    pub fn nearest_corner(&self, vertex: usize) -> u32 {
        let weights = self.embedding.weights[vertex];
        let most = (0..4).fold(0, |m, k| if weights[k] > weights[m] { k } else { m });
        self.corners(vertex)[most]
    }

    /// For every tet the vertex of Γ nearest to it: whose region it belongs to.
    pub fn nearest_vertices(&self) -> Vec<u32> {
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

    /// The samples of the tracked vertices of Γ, with the rows of C′ for them and, as stiffnesses, their
    /// areas \[m²\]: Λ.
    pub fn tracked(&self, is_tracked: &[bool], team: &Team) -> (Vec<Sample>, Vec<Tracked>) {
        // Between vertices only space tells the tet, and where Γ touches itself it tells a wrong one.
        let size = if self.is_separated { f64::INFINITY } else { self.report.size };
        let samples = samples::of(&self.surface, is_tracked, size);
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

    /// C u: where a vertex of Γ is when Ω's vertices are at `solid` \[m\].
    pub fn carried(&self, vertex: usize, solid: &[DVec3]) -> DVec3 {
        let weighted = self.corners(vertex).into_iter().zip(self.embedding.weights[vertex]);
        weighted.map(|(v, w)| w * solid[v as usize]).sum()
    }

    /// The vertices of Ω that vertices of Γ hang on, ascending: Ω″ for Γ″.
    pub fn holders(&self, vertices: &[u32]) -> Vec<u32> {
        let mut held: Vec<u32> = vertices.iter().flat_map(|&v| self.corners(v as usize)).collect();
        held.sort_unstable();
        held.dedup();
        held
    }

    /// Whether each vertex of Γ hangs on nothing but these vertices of Ω.
    pub fn hanging(&self, solid: &[u32]) -> Vec<bool> {
        let mut is_among = vec![false; self.solid.positions.len()];
        solid.iter().for_each(|&v| is_among[v as usize] = true);
        let hangs = |v: usize| self.corners(v).iter().all(|&c| is_among[c as usize]);
        (0..self.surface.positions.len()).map(hangs).collect()
    }
}

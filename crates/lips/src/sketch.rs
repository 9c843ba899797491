//! Corrections from a drawn contour: the lips are deformed until what is chosen of them lies on a
//! polyline in a picture.
//!
//! A contour fixes two of three coordinates; depth, and everything else, follows from keeping the
//! surface as rigid as possible (Sorkine and Alexa 2007, [`deform`]). Lips do not pass through
//! each other ([`contact`]). This is the kind of tool that the training shapes of Dinev 2020,
//! Fig. 2.3, were made with.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::Mesh;

use crate::error::LipsError;
use crate::growth::Edges;

pub mod camera;
pub mod contact;
pub mod contour;
pub mod deform;
pub mod rim;

pub use camera::Camera;
pub use contour::{Contour, Contours};

use contact::Sides;
use deform::{Deformation, Pull};
use rim::Rim;

/// Iterations end when nothing moves farther \[m\]: a twentieth of a hair.
const SETTLED: f64 = 4e-6;

/// How a correction is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SketchOptions {
    /// Rounds in which contacts, and silhouettes, are looked up anew.
    pub rounds: usize,
    /// Alternations of rotations and positions in a round.
    pub iterations: usize,
    /// Distance that is kept between the lips \[m\].
    pub gap: f64,
}

impl Default for SketchOptions {
    fn default() -> Self {
        SketchOptions { rounds: 8, iterations: 40, gap: 1e-5 }
    }
}

/// What became of a sketch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SketchReport {
    /// Vertices that the contours pulled at.
    pub vertices: usize,
    /// How far these are from their contour \[pixels\].
    pub mean_pixels: f64,
    /// The farthest of them \[pixels\].
    pub max_pixels: f64,
    /// How deep one lip is inside the other \[m\].
    pub penetration: f64,
    /// Vertices that are in contact.
    pub contacts: usize,
    /// How far the vertex moved that moved most \[m\].
    pub moved: f64,
}

/// Deforms the inner lip (`inner`, vertices of the mesh) so that it fits the contours in the
/// camera's picture. Returns the new positions; all others keep their bits.
///
/// ```
/// use pliant_lips::performance::Performance;
/// use pliant_lips::sketch::{Camera, Contours, SketchOptions, sketch};
/// use pliant_math::team::Team;
/// use pliant_mesh::Mesh;
///
/// let show = Performance::new(64, 24)?;
/// let open = Mesh { positions: show.truth(38), ..show.rest().clone() };
/// let camera = Camera::parse(r#"{ "eye": [0, 0, 0.4], "target": [0, 0, 0],
///     "field_of_view": 20, "width": 800, "height": 800 }"#)?;
/// let line = r#"{ "points": [[255, 417], [400, 410], [545, 417]], "loop": [VERTICES] }"#;
/// let seeds: Vec<String> = show.seeds().iter().map(u32::to_string).collect();
/// let contours = Contours::parse(&line.replace("VERTICES", &seeds.join(", ")))?;
/// let (_, report) = sketch(&open, &show.inner(), &camera, &contours, SketchOptions::default(), &Team::new(1))?;
/// assert!(report.mean_pixels < 1.0);
/// # Ok::<(), pliant_lips::LipsError>(())
/// ```
///
/// # Errors
/// When the inner lip is empty or touches no border, when a contour names vertices that are not in
/// it, or when it is behind the camera.
pub fn sketch(
    mesh: &Mesh,
    inner: &[u32],
    camera: &Camera,
    contours: &Contours,
    options: SketchOptions,
    team: &Team,
) -> Result<(Vec<DVec3>, SketchReport), LipsError> {
    let mut deformation = Deformation::new(mesh, inner, camera)?;
    let edges = Edges::new(&mesh.positions, &mesh.triangles)?;
    let rims = Rim::all(mesh, &edges, inner, camera, contours)?;
    let sides = Sides::new(mesh, &edges, inner, &rims, camera);
    let mut positions = mesh.positions.clone();
    let mut pulls: Vec<Pull> = Vec::new();
    let mut contacts = Vec::new();
    for round in 0..options.rounds.max(1) {
        pulls = rims.iter().flat_map(|rim| rim.pulls(&positions, camera)).collect();
        let grown = sides.update(&positions, &mut contacts, options.gap);
        let is_apart = sides.penetration(&positions) <= options.gap;
        if round > 1 && !grown && is_apart && rims.iter().all(Rim::is_fixed) {
            break;
        }
        deformation.hold(&pulls, &contacts)?;
        for _ in 0..options.iterations.max(1) {
            if deformation.iterate(&pulls, &contacts, team) < SETTLED {
                break;
            }
        }
        deformation.positions_into(&mut positions);
    }
    sides.separate(&mut positions, options.gap);
    let moved = positions.iter().zip(&mesh.positions).map(|(a, b)| a.distance(*b));
    let misses: Vec<f64> = pulls.iter().filter_map(|pull| pull.miss(&positions, camera)).collect();
    let report = SketchReport {
        vertices: misses.len(),
        mean_pixels: misses.iter().sum::<f64>() / misses.len().max(1) as f64,
        max_pixels: misses.iter().copied().fold(0.0, f64::max),
        penetration: sides.penetration(&positions),
        contacts: contacts.len(),
        moved: moved.fold(0.0, f64::max),
    };
    Ok((positions, report))
}

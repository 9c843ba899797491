//! Options of an enrichment.

use pliant_mesh::TetOptions;

use crate::blending::Blend;
use crate::detail::Transfer;
use crate::fitting::FitOptions;
use crate::project::Painted;

/// Options of an enrichment; the default enriches an animation without a project.
#[derive(Clone, Debug)]
pub struct EnrichOptions {
    /// How the surface is filled with tets.
    pub filling: TetOptions,
    /// Parameters of the fit; its γ is replaced by [`EnrichOptions::gamma`].
    pub fit: FitOptions,
    /// γ of the fit; chosen by [`crate::gamma::automatic`] if `None`.
    pub gamma: Option<f64>,
    /// Γ′: vertices that the input animates; all if `None`.
    pub tracked: Option<Vec<u32>>,
    /// Γ″: vertices that follow exactly; found by [`crate::skeleton::find`] if `None`.
    pub exact: Option<Vec<u32>>,
    /// Weights painted on vertices of Γ, extended by [`crate::blending::biharmonic::bases`]. They
    /// replace the skeleton's.
    pub painted: Vec<(Vec<u32>, Painted)>,
    /// Weights of all vertices of Γ. They replace painted weights and the skeleton's.
    pub map: Option<Vec<f64>>,
    /// Sets of vertices of Γ that each move as a rigid body.
    pub rigid: Vec<Vec<u32>>,
    /// How the weights act.
    pub blend: Blend,
    /// η of the blending force [N/m].
    pub eta: f64,
    /// ζ of the blending force; see [`crate::blending::stiffness`].
    pub zeta: f64,
    /// Transfer of detail finer than the tets; none if `None`.
    pub detail: Option<Transfer>,
    /// Number of frames that the first one is held, for gravity and contact to settle.
    pub preroll: u32,
    /// Metres per unit of the input.
    pub unit: f64,
    /// Frames per second.
    pub fps: f64,
}

impl Default for EnrichOptions {
    fn default() -> Self {
        EnrichOptions {
            filling: TetOptions::default(),
            fit: FitOptions::default(),
            gamma: None,
            tracked: None,
            exact: None,
            painted: Vec::new(),
            map: None,
            rigid: Vec::new(),
            blend: Blend::Implicit,
            eta: 1e6,
            zeta: 4.0,
            detail: Some(Transfer::Rotation),
            preroll: 10,
            unit: 1.0,
            fps: 30.0,
        }
    }
}

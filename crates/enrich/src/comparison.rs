//! Methods that \[li2017enriching\] compares itself with, as changes of a project.
//!
//! Figures 6, 7, 10, 15 and 17.

mod surface_arap;
mod tracks;

pub use surface_arap::SurfaceArap;
pub(crate) use tracks::Tracks;

use glam::DVec3;
use pliant_model::ElasticModel;

use crate::blending::Blend;
use crate::detail::Transfer;
use crate::embedding::EmbeddedSurface;
use crate::error::EnrichError;
use crate::fitting::{FitOptions, Fitting};

use crate::project::Project;

/// Another way to enrich an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// TRACKS: mean positions of regions are constrained to the input (Fig. 15).
    Tracks,
    /// Untracked vertices are completed by [`SurfaceArap`] (Fig. 17).
    Arap,
    /// Detail transferred by deformation gradients (Fig. 10).
    Gradient,
    /// Without dynamic detail (Fig. 6).
    Smooth,
    /// Tets fitted with the co-rotated energy, equally closely (Fig. 7).
    Corotated,
}

impl Method {
    /// All methods with their names.
    pub const ALL: [(&'static str, Method); 5] = [
        ("tracks", Method::Tracks),
        ("arap", Method::Arap),
        ("gradient", Method::Gradient),
        ("smooth", Method::Smooth),
        ("corotated", Method::Corotated),
    ];

    /// Name in a project file.
    ///
    /// ```
    /// use pliant_enrich::comparison::Method;
    /// assert_eq!(Method::Tracks.name(), "tracks");
    /// ```
    pub fn name(self) -> &'static str {
        Method::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }

    /// Label in a picture.
    pub fn label(self) -> &'static str {
        match self {
            Method::Tracks => "TRACKS",
            Method::Arap => "surface alone",
            Method::Gradient => "detail by gradients",
            Method::Smooth => "without detail",
            Method::Corotated => "co-rotated fit",
        }
    }

    /// Changes a project to this method. [`Method::Arap`] is no enrichment, and changes nothing.
    pub fn change(self, project: &mut Project) {
        match self {
            Method::Tracks => project.blend = Blend::Tracks,
            Method::Gradient => project.detail = Some(Transfer::Gradient),
            Method::Smooth => project.detail = None,
            Method::Corotated => project.fit_model = ElasticModel::Corotated,
            Method::Arap => {}
        }
    }
}

/// Bisection steps of the search for γ.
const BISECTIONS: usize = 24;
/// Range of its decimal logarithm.
const POWERS: [f64; 2] = [-14.0, 0.0];

/// γ for which fits of some frames have the root mean square `distance` \[m\] from the input, or
/// the closest in 10⁻¹⁴ to 1 m³/J. Materials are compared at the same distance.
///
/// # Errors
/// Those of [`Fitting::new`].
pub fn gamma_of_distance(
    embedded: &EmbeddedSurface,
    tracked: &[u32],
    frames: &[Vec<DVec3>],
    options: &FitOptions,
    distance: f64,
    threads: usize,
) -> Result<f64, EnrichError> {
    let [mut near, mut far] = POWERS;
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (near + far);
        let options = FitOptions { gamma: 10f64.powf(middle), ..*options };
        let mut fitting = Fitting::new(embedded, tracked, &options, threads)?;
        let mut solid = embedded.solid.positions.clone();
        let sum: f64 = frames.iter().map(|frame| fitting.fit(frame, &mut solid).rms).sum();
        // The distance grows with γ.
        if sum > distance * frames.len() as f64 {
            far = middle;
        } else {
            near = middle;
        }
        if far - near < 1e-3 {
            break;
        }
    }
    Ok(10f64.powf(0.5 * (near + far)))
}

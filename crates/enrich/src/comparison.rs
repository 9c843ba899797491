//! What the paper compares itself with, as changes of a project: figures 6, 7, 10, 15 and 17.

use glam::DVec3;
use pliant_model::ElasticModel;

use crate::bound::Bound;
use crate::detail::Transfer;
use crate::error::EnrichError;
use crate::fit::{FitOptions, Fitting};
use crate::pipeline::Blend;
use crate::project::Project;

/// Another way to enrich an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Regions stay on average where the input is ([`crate::tracks`], Fig. 15).
    Tracks,
    /// What is not tracked is completed by the surface alone ([`crate::surface_arap`], Fig. 17).
    Arap,
    /// Detail carried by deformation gradients (Fig. 10).
    Gradient,
    /// Without dynamic detail (Fig. 6).
    Smooth,
    /// Tets fitted with the co-rotated energy, as closely (Fig. 7).
    Corotated,
}

impl Method {
    /// All of them, by name.
    pub const ALL: [(&'static str, Method); 5] = [
        ("tracks", Method::Tracks),
        ("arap", Method::Arap),
        ("gradient", Method::Gradient),
        ("smooth", Method::Smooth),
        ("corotated", Method::Corotated),
    ];

    /// As written in a project.
    ///
    /// ```
    /// use pliant_enrich::comparison::Method;
    /// assert_eq!(Method::Tracks.name(), "tracks");
    /// ```
    pub fn name(self) -> &'static str {
        Method::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }

    /// In words, for a picture.
    pub fn label(self) -> &'static str {
        match self {
            Method::Tracks => "TRACKS",
            Method::Arap => "surface alone",
            Method::Gradient => "detail by gradients",
            Method::Smooth => "without detail",
            Method::Corotated => "co-rotated fit",
        }
    }

    /// The project as this method would have it. [`Method::Arap`] is no enrichment, and changes nothing.
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

/// Halvings of the search for γ, over the powers of ten below.
const HALVINGS: usize = 24;
const POWERS: [f64; 2] = [-14.0, 0.0];

/// γ with which fits of some frames are on average `distance` \[m\] from the input (root mean square), or as
/// near to that as γ from 10⁻¹⁴ to 1 m³/J comes: what materials are compared at.
///
/// # Errors
/// Those of [`Fitting::new`].
pub fn gamma_of_distance(
    bound: &Bound,
    tracked: &[u32],
    frames: &[Vec<DVec3>],
    options: &FitOptions,
    distance: f64,
    threads: usize,
) -> Result<f64, EnrichError> {
    let [mut near, mut far] = POWERS;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (near + far);
        let options = FitOptions { gamma: 10f64.powf(middle), ..*options };
        let mut fitting = Fitting::new(bound, tracked, &options, threads)?;
        let mut solid = bound.solid.positions.clone();
        let sum: f64 = frames.iter().map(|frame| fitting.fit(frame, &mut solid).rms).sum();
        // The more strain counts, the farther from the input.
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

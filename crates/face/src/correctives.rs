//! Corrective blendshapes from simulation, for any combination of weights and for altered faces.

use std::path::Path;

use glam::DVec3;

use crate::alteration::Alteration;
use crate::animation::Animator;
use crate::error::FaceError;
use crate::model::FaceModel;
use crate::performance::{Performance, PerformanceFrame};
use crate::simulation::{FaceFrameReport, FaceSimulationOptions};

/// Weights of shapes, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Combination {
    /// As it was written.
    pub name: String,
    pub weights: Vec<(String, f64)>,
}

impl Combination {
    /// From `jawOpen=0.5,mouthSmileLeft=1`; a shape without a weight has all of it.
    ///
    /// ```
    /// use pliant_face::Combination;
    /// let smirk = Combination::parse("mouthSmileLeft, jawOpen=0.25").unwrap();
    /// assert_eq!(smirk.weights, [("mouthSmileLeft".to_owned(), 1.0), ("jawOpen".to_owned(), 0.25)]);
    /// let refused = Combination::parse("jawOpen=wide").unwrap_err().to_string();
    /// assert_eq!(refused, "jawOpen=wide: expected a weight from 0 to 1");
    /// ```
    ///
    /// # Errors
    /// Says what was expected.
    pub fn parse(text: &str) -> Result<Combination, FaceError> {
        let mut weights: Vec<(String, f64)> = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, written) = part.split_once('=').unwrap_or((part, "1"));
            let (name, written) = (name.trim(), written.trim());
            let weight = written.parse::<f64>().ok().filter(|w| (0.0..=1.0).contains(w));
            let Some(weight) = weight else {
                let (shape, written) = (name.to_owned(), written.to_owned());
                return Err(FaceError::Weight { shape, written });
            };
            if weights.iter().any(|(other, _)| other == name) {
                return Err(FaceError::TwoWeights { shape: name.to_owned() });
            }
            weights.push((name.to_owned(), weight));
        }
        if weights.is_empty() {
            return Err(FaceError::NoWeights);
        }
        Ok(Combination { name: text.trim().to_owned(), weights })
    }
}

/// Skins of combinations.
#[derive(Clone, Debug, Default)]
pub struct Correctives {
    /// Without any weights (m).
    pub neutral: Vec<DVec3>,
    /// Of every combination (m), in the frame of the skull.
    pub skins: Vec<Vec<DVec3>>,
    /// How they were found.
    pub reports: Vec<FaceFrameReport>,
}

/// Lets flesh do combinations of weights, one after the other; an alteration is as at `time` (s).
///
/// # Errors
/// When the face has no such shape, or cannot be simulated. `path` is named in these.
pub fn correctives(
    face: &FaceModel,
    combinations: &[Combination],
    alteration: &Alteration,
    time: f64,
    options: &FaceSimulationOptions,
    path: &Path,
) -> Result<Correctives, FaceError> {
    let mut shapes: Vec<String> = Vec::new();
    for (name, _) in combinations.iter().flat_map(|own| &own.weights) {
        if !shapes.contains(name) {
            shapes.push(name.clone());
        }
    }
    let performance = Performance { shapes, fps: 30.0, ..Performance::default() };
    let still = FaceSimulationOptions { dynamics: None, ..*options };
    let mut animator = Animator::altered(face, &performance, &still, alteration, time)
        .map_err(|error| error.named(path))?;
    let mut made = Correctives { neutral: animator.simulation().skin(), ..Correctives::default() };
    for combination in combinations {
        let weight = |shape: &String| {
            combination.weights.iter().find(|(name, _)| name == shape).map_or(0.0, |(_, w)| *w)
        };
        let weights = performance.shapes.iter().map(weight).collect();
        animator.go_to(time);
        let done = animator.frame(&PerformanceFrame { weights, ..PerformanceFrame::default() });
        made.skins.push(done.skin);
        made.reports.push(done.report);
    }
    Ok(made)
}

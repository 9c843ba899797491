//! Automatic choice of γ in Eq. 1 of \[li2017enriching\].
//!
//! A tracked area pulls with 1/γ pascals per metre; a cell of side ℓ resists with about E/ℓ. Only
//! their ratio r = ℓ / (γE) matters. At r = 1 the surface is smoothed over a cell; far above, the
//! tets follow as closely as they can, and invert where they cannot. The rule takes the greatest r
//! of 1, 10, 10², 10³, 10⁴ that inverts no more tets than r = 1 does and reduces the distance by at
//! least a tenth.

use glam::DVec3;

use crate::embedding::EmbeddedSurface;
use crate::error::EnrichError;
use crate::fitting::{FitOptions, Fitting};
use crate::numerics::closest_rigid;

/// Candidate ratios.
const RATIOS: [f64; 5] = [1.0, 1e1, 1e2, 1e3, 1e4];
/// Share of the distance that the next ratio must leave at most.
const WORTH: f64 = 0.9;

/// γ for a ratio r, cells of side `size` \[m\] and Young's modulus `young` \[Pa\].
pub fn of_ratio(ratio: f64, size: f64, young: f64) -> f64 {
    size / (ratio * young)
}

/// γ by the rule, from a few frames that differ much from each other.
pub fn automatic(
    embedded: &EmbeddedSurface,
    tracked: &[u32],
    frames: &[Vec<DVec3>],
    options: &FitOptions,
    threads: usize,
) -> Result<f64, EnrichError> {
    let gamma = |ratio: f64| of_ratio(ratio, embedded.report.size, options.young);
    let mut best: Option<(f64, f64, usize)> = None;
    let with = |ratio: f64| FitOptions { gamma: gamma(ratio), ..options.coarse() };
    let mut fitting = Fitting::new(embedded, tracked, &with(RATIOS[0]), threads)?;
    for ratio in RATIOS {
        if ratio != RATIOS[0] {
            fitting = fitting.with(embedded, &with(ratio))?;
        }
        let (mut distance, mut inverted) = (0.0, 0);
        let mut solid = embedded.solid.positions.clone();
        for frame in frames {
            let report = fitting.fit(frame, &mut solid);
            distance += report.rms;
            inverted += report.inverted;
        }
        match best {
            Some((_, least, most)) if distance > WORTH * least || inverted > most => break,
            Some((_, _, most)) => best = Some((ratio, distance, most)),
            None => best = Some((ratio, distance, inverted)),
        }
    }
    Ok(gamma(best.map_or(RATIOS[2], |(ratio, ..)| ratio)))
}

/// Indices of at most `count` poses that differ most: the first, then repeatedly the one farthest
/// from those chosen, apart from rigid motion.
pub fn diverse_poses(poses: &[Vec<DVec3>], count: usize) -> Vec<usize> {
    let away = |a: &[DVec3], b: &[DVec3]| -> f64 {
        let (rotation, from, to) = closest_rigid(a, b);
        a.iter().zip(b).map(|(&x, &y)| (rotation * (x - from) + to).distance_squared(y)).sum()
    };
    let mut chosen = vec![0];
    let mut nearest = vec![f64::INFINITY; poses.len()];
    while chosen.len() < count.min(poses.len()) {
        let last = &poses[chosen[chosen.len() - 1]];
        for (near, pose) in nearest.iter_mut().zip(poses) {
            *near = near.min(away(last, pose));
        }
        let farthest = (0..poses.len()).fold(0, |f, p| if nearest[p] > nearest[f] { p } else { f });
        if nearest[farthest] <= 0.0 || chosen.contains(&farthest) {
            break;
        }
        chosen.push(farthest);
    }
    chosen.truncate(poses.len());
    chosen
}

//! γ of Eq. 1, found by itself.
//!
//! A tracked area pulls with 1/γ pascals per metre; a cell of side ℓ resists with about E/ℓ. Their
//! ratio r = ℓ / (γE) is what matters: at r = 1 the surface is smoothed over a cell, far above that it
//! is followed as closely as tets can, and what they cannot follow turns them inside out. The rule:
//! of r = 1, 10, 10², 10³, 10⁴ the greatest whose fits of some frames turn no more tets inside out than
//! the smallest does, and that still brings the surface at least a tenth nearer than the one before.

use glam::DVec3;

use crate::bound::Bound;
use crate::error::EnrichError;
use crate::fit::{FitOptions, Fitting};

/// The ratios that are tried.
const RATIOS: [f64; 5] = [1.0, 1e1, 1e2, 1e3, 1e4];
/// A ratio is worth it when it leaves at most this share of the distance.
const WORTH: f64 = 0.9;

/// γ for a ratio r, cells of side `size` \[m\] and Young's modulus `young` \[Pa\].
pub fn of_ratio(ratio: f64, size: f64, young: f64) -> f64 {
    size / (ratio * young)
}

/// γ by the rule, from some frames (a few that differ: the more deformed, the better).
pub fn automatic(
    bound: &Bound,
    tracked: &[u32],
    frames: &[Vec<DVec3>],
    options: &FitOptions,
    threads: usize,
) -> Result<f64, EnrichError> {
    let gamma = |ratio: f64| of_ratio(ratio, bound.report.size, options.young);
    let mut best: Option<(f64, f64, usize)> = None;
    let with = |ratio: f64| FitOptions { gamma: gamma(ratio), ..options.roughly() };
    let mut fitting = Fitting::new(bound, tracked, &with(RATIOS[0]), threads)?;
    for ratio in RATIOS {
        if ratio != RATIOS[0] {
            fitting = fitting.with(bound, &with(ratio))?;
        }
        let (mut distance, mut inverted) = (0.0, 0);
        let mut solid = bound.solid.positions.clone();
        for frame in frames {
            let report = fitting.fit(frame, &mut solid);
            distance += report.rms;
            inverted += report.inverted;
        }
        match best {
            Some((_, least, bound)) if distance > WORTH * least || inverted > bound => break,
            Some((_, _, bound)) => best = Some((ratio, distance, bound)),
            None => best = Some((ratio, distance, inverted)),
        }
    }
    Ok(gamma(best.map_or(RATIOS[2], |(ratio, ..)| ratio)))
}

/// Numbers of at most `count` frames, of `total`, that are as far apart in pose as a few samples show:
/// always the first, then each time the one farthest from those chosen.
pub fn diverse(poses: &[Vec<DVec3>], count: usize) -> Vec<usize> {
    let away = |a: &[DVec3], b: &[DVec3]| -> f64 {
        let (rotation, from, to) = crate::fit::closest_rigid(a, b);
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

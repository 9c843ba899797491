//! Frequency content of a motion, by the discrete Fourier transform of vertex paths:
//!
//! ```text
//! X_k = Σ x_n e^(−2πikn/N).
//! ```
//!
//! Measures how much of an input's fast detail an enrichment keeps (Fig. 6).

use std::f64::consts::TAU;

use glam::DVec3;

/// Root mean square amplitude of the vertices `of` (all if empty) at every frequency k·fps/N, for k
/// from 0 to N/2, in the frames' unit.
///
/// ```
/// use glam::DVec3;
/// use pliant_enrich::report::amplitudes;
/// let way = |n: usize| DVec3::X * (0.3 * (std::f64::consts::TAU * 5.0 * n as f64 / 40.0).sin());
/// let frames: Vec<Vec<DVec3>> = (0..40).map(|n| vec![way(n)]).collect();
/// let spectrum = amplitudes(&frames, &[]);
/// assert!((spectrum[5] - 0.3).abs() < 1e-12 && spectrum[4] < 1e-12);
/// ```
pub fn amplitudes(frames: &[Vec<DVec3>], of: &[u32]) -> Vec<f64> {
    let count = frames.len();
    let vertices: Vec<usize> = match of.is_empty() {
        true => (0..frames.first().map_or(0, Vec::len)).collect(),
        false => of.iter().map(|&v| v as usize).collect(),
    };
    let turns: Vec<(f64, f64)> =
        (0..count).map(|n| (TAU * n as f64 / count as f64).sin_cos()).collect();
    let at = |k: usize| {
        // A wave of amplitude 1 has X = N/2; at k = 0 and k = N/2 it has X = N.
        let whole = if k == 0 || 2 * k == count { 1.0 } else { 2.0 };
        let mut squares = 0.0;
        for &v in &vertices {
            let (mut sine, mut cosine) = (DVec3::ZERO, DVec3::ZERO);
            for (n, frame) in frames.iter().enumerate() {
                let (s, c) = turns[k * n % count];
                sine += s * frame[v];
                cosine += c * frame[v];
            }
            squares += sine.length_squared() + cosine.length_squared();
        }
        whole / count as f64 * (squares / vertices.len().max(1) as f64).sqrt()
    };
    (0..=count / 2).filter(|_| count > 0).map(at).collect()
}

/// Amplitude of a wave that travels over the vertices `of`, in the frames' unit: it has `periods`
/// in all frames, and reaches each vertex later by its `phase` \[rad\]. Motion of the same
/// frequency but another wavelength does not count.
pub fn wave(frames: &[Vec<DVec3>], of: &[u32], periods: usize, phase: impl Fn(u32) -> f64) -> f64 {
    let (mut sine, mut cosine) = (DVec3::ZERO, DVec3::ZERO);
    for &v in of {
        let late = phase(v);
        for (n, frame) in frames.iter().enumerate() {
            let (s, c) = (late - TAU * (periods * n) as f64 / frames.len() as f64).sin_cos();
            sine += s * frame[v as usize];
            cosine += c * frame[v as usize];
        }
    }
    let count = (of.len() * frames.len()).max(1) as f64;
    2.0 / count * (sine.length_squared() + cosine.length_squared()).sqrt()
}

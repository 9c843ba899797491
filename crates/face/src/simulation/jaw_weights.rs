//! Share of each vertex in the jaw's motion: the solver's initial guess.

use crate::model::{BoneHold, FaceModel};

/// How much of the jaw's motion vertices take on: 1 on the mandible, 0 on the skull, and between
/// them as even as the tets let it be. The slit between the lips is none of their edges.
pub(super) fn jaw_weights(face: &FaceModel) -> Vec<f64> {
    const SWEEPS: usize = 300;
    let positions = &face.solid.positions;
    let mut around = vec![Vec::new(); positions.len()];
    for [a, b] in pliant_mesh::edges_of_tets(&face.solid.tets) {
        let weight = 1.0 / positions[a as usize].distance(positions[b as usize]).max(1e-9);
        around[a as usize].push((b, weight));
        around[b as usize].push((a, weight));
    }
    let mut weights: Vec<f64> =
        face.holds.iter().map(|h| if *h == BoneHold::Mandible { 1.0 } else { 0.0 }).collect();
    for _ in 0..SWEEPS {
        for v in (0..weights.len()).filter(|&v| face.holds[v] == BoneHold::Free) {
            let (mut sum, mut total) = (0.0, 0.0);
            for &(w, weight) in &around[v] {
                sum += weight * weights[w as usize];
                total += weight;
            }
            if total > 0.0 {
                // Beyond the mean: it converges the sooner.
                weights[v] += 1.7 * (sum / total - weights[v]);
            }
        }
    }
    weights.iter_mut().for_each(|w| *w = w.clamp(0.0, 1.0));
    weights
}

//! Muscles that are known: contracted in a finer face, whose skin, with noise on it, is fitted in a coarser one.

use glam::DVec3;
use pliant::face::anatomy::hinge::JawPose;
use pliant::face::inverse::solve::{ActivationModel, FaceFit};
use pliant::face::inverse::target::Residual;
use pliant::face::{FaceError, FaceModel, FaceSimulation, FaceSimulationOptions, FaceSolver};
use serde_json::json;

use super::super::{Stop, Values};
use super::{model, options};

/// Length of the finer tets' edges in the cheek \[m\].
const FINER: f64 = 0.0045;
/// Of the noise on the skin \[m\]: root mean square of its length.
const NOISE: f64 = 1e-4;
/// A muscle that contracts by this part of its length is active.
const ACTIVE: f64 = 0.05;

/// What muscles do: names without their sides, contractions on the left and on the right.
type Draw = &'static [(&'static str, [f64; 2])];

/// Expressions, and the jaw's opening (degrees), turn (degrees) and shift to the front (m).
const DRAWS: [(Draw, [f64; 3]); 3] = [
    (
        &[
            ("zygomaticus_major", [0.25, 0.25]),
            ("frontalis_medial", [0.18, 0.18]),
            ("orbicularis_oculi_lower", [0.15, 0.0]),
        ],
        [0.0, 0.0, 0.0],
    ),
    (
        &[
            ("depressor_anguli_oris", [0.25, 0.2]),
            ("corrugator", [0.2, 0.2]),
            ("mentalis", [0.2, 0.2]),
        ],
        [3.0, 0.0, 0.0],
    ),
    (
        &[
            ("levator_labii_superioris", [0.25, 0.0]),
            ("risorius", [0.2, 0.2]),
            ("frontalis_lateral", [0.0, 0.2]),
        ],
        [6.0, 1.0, 0.001],
    ),
];

/// Means over the draws.
pub fn measure(
    face: &FaceModel,
    by: ActivationModel,
    threads: usize,
    stop: Stop,
) -> Result<Option<Values>, FaceError> {
    let finer = model(FINER, threads)?;
    let exact = FaceSimulationOptions { solver: FaceSolver::EXACT, threads, ..Default::default() };
    let mut fit = FaceFit::new(face, options(by, threads))?;
    let mut means = [0.0; 7];
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    for (draw, [open, turn, front]) in &DRAWS {
        if stop() {
            return Ok(None);
        }
        let jaw = JawPose { open: *open, turn: *turn, shift: DVec3::new(0.0, 0.0, *front) };
        let contractions: Vec<f64> =
            finer.muscles.iter().map(|muscle| contraction(&muscle.name, draw)).collect();
        let mut simulation = FaceSimulation::new(&finer, &exact)?;
        simulation.pose(&contractions, &jaw);
        let target: Vec<DVec3> =
            simulation.skin().iter().map(|p| *p + NOISE * noise.point()).collect();
        let fitted = fit.fit(&target, None)?;
        let Residual { moved, mean, .. } =
            Residual::of(&face.skin.mesh.positions, &target, &fitted.skin);
        let (mut hits, mut found, mut wanted) = (0.0, 0.0, 0.0);
        for (muscle, by) in face.muscles.iter().zip(&fitted.contractions) {
            let [is_found, is_wanted] =
                [*by > ACTIVE, contraction(&muscle.name, draw) > ACTIVE].map(f64::from);
            (found, wanted) = (found + is_found, wanted + is_wanted);
            hits += is_found * is_wanted;
        }
        let told = [
            fitted.seconds,
            moved,
            mean,
            hits / f64::max(found, 1.0),
            hits / f64::max(wanted, 1.0),
            (fitted.jaw.open - jaw.open).abs().max((fitted.jaw.turn - jaw.turn).abs()),
            1e3 * fitted.jaw.shift.distance(jaw.shift),
        ];
        means.iter_mut().zip(told).for_each(|(mean, x)| *mean += x / DRAWS.len() as f64);
    }
    let keys = ["seconds", "moved_mm", "mean_mm", "precision", "recall", "jaw_degrees", "jaw_mm"];
    let mut values: Values = keys.into_iter().zip(means.map(|x| json!(x))).collect();
    values.push(("tets", json!(face.solid.tets.len())));
    Ok(Some(values))
}

fn contraction(muscle: &str, draw: Draw) -> f64 {
    let side = usize::from(muscle.ends_with("_r"));
    let bare = muscle.trim_end_matches("_l").trim_end_matches("_r");
    draw.iter().find(|(name, _)| *name == bare).map_or(0.0, |(_, by)| by[side])
}

/// Numbers that look random, the same at every run (xorshift64*, Vigna 2016).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Of length 1, root mean square.
    fn point(&mut self) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| 2.0 * self.next() - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_length_one_and_no_direction() {
        let mut noise = Noise(7);
        let points: Vec<DVec3> = (0..20_000).map(|_| noise.point()).collect();
        let squares: f64 = points.iter().map(|p| p.length_squared()).sum();
        assert!((squares / 20_000.0 - 1.0).abs() < 0.02, "{squares}");
        assert!((points.iter().sum::<DVec3>() / 20_000.0).length() < 0.02);
    }

    #[test]
    fn muscles_are_drawn_by_side() {
        assert_eq!(contraction("orbicularis_oculi_lower_l", DRAWS[0].0), 0.15);
        assert_eq!(contraction("orbicularis_oculi_lower_r", DRAWS[0].0), 0.0);
        assert_eq!(contraction("masseter_deep_l", DRAWS[0].0), 0.0);
    }
}

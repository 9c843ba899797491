//! Known muscles: they contract in a finer face, whose noisy skin is fitted by a coarser one.

use glam::DVec3;
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::inverse::solve::{ActivationModel, FaceFit, FaceFitOptions, Fitted};
use pliant_face::inverse::targets::Residual;
use pliant_face::{FaceModel, FaceSimulation, FaceSimulationOptions, FaceSolver};
use serde_json::json;

use crate::bodies::build_head;
use crate::error::BenchError;
use crate::suite::{Stop, Values, check};

/// Length of the finer face's edges in the cheek \[m\].
const FINER: f64 = 0.0045;
/// Root mean square length of the noise on the skin \[m\].
const NOISE: f64 = 1e-4;
/// A muscle that contracts by this part of its length is active.
const ACTIVE: f64 = 0.05;

/// Names of muscles without their sides, and contractions on the left and on the right.
type Contractions = &'static [(&'static str, [f64; 2])];

/// Expressions, and the jaw's opening [°], turn [°] and forward shift \[m\].
const EXPRESSIONS: [(Contractions, [f64; 3]); 3] = [
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

const KEYS: [&str; 7] =
    ["seconds", "moved_mm", "mean_mm", "precision", "recall", "jaw_degrees", "jaw_mm"];

/// Means over the expressions.
pub fn measure(
    face: &FaceModel,
    model: ActivationModel,
    threads: usize,
    stop: Stop,
) -> Result<Values, BenchError> {
    let finer = build_head(FINER, threads)?;
    let exact = FaceSimulationOptions { solver: FaceSolver::EXACT, threads, ..Default::default() };
    let mut fit =
        FaceFit::new(face, FaceFitOptions { model, threads, ..FaceFitOptions::default() })?;
    let mut means = [0.0; KEYS.len()];
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    for (expression, [open, turn, front]) in &EXPRESSIONS {
        check(stop)?;
        let jaw = JawPose { open: *open, turn: *turn, shift: DVec3::new(0.0, 0.0, *front) };
        let contractions: Vec<f64> =
            finer.muscles.iter().map(|muscle| contraction(&muscle.name, expression)).collect();
        let mut simulation = FaceSimulation::new(&finer, &exact)?;
        simulation.pose(&contractions, &jaw);
        let target: Vec<DVec3> =
            simulation.skin().iter().map(|p| *p + NOISE * noise.point()).collect();
        let fitted = fit.fit(&target, None)?;
        let Residual { moved, mean, .. } =
            Residual::of(&face.skin.mesh.positions, &target, &fitted.skin);
        let [precision, recall] = agreement(face, expression, &fitted);
        let degrees = (fitted.jaw.open - jaw.open).abs().max((fitted.jaw.turn - jaw.turn).abs());
        let shift = 1e3 * fitted.jaw.shift.distance(jaw.shift);
        let found = [fitted.seconds, moved, mean, precision, recall, degrees, shift];
        means.iter_mut().zip(found).for_each(|(mean, x)| *mean += x / EXPRESSIONS.len() as f64);
    }
    let mut values: Values = KEYS.into_iter().zip(means.map(|x| json!(x))).collect();
    values.push(("tets", json!(face.solid.tets.len())));
    Ok(values)
}

/// Precision and recall of the active muscles.
fn agreement(face: &FaceModel, expression: Contractions, fitted: &Fitted) -> [f64; 2] {
    let (mut hits, mut found, mut wanted) = (0.0, 0.0, 0.0);
    for (muscle, by) in face.muscles.iter().zip(&fitted.contractions) {
        let [is_found, is_wanted] =
            [*by > ACTIVE, contraction(&muscle.name, expression) > ACTIVE].map(f64::from);
        (found, wanted) = (found + is_found, wanted + is_wanted);
        hits += is_found * is_wanted;
    }
    [hits / f64::max(found, 1.0), hits / f64::max(wanted, 1.0)]
}

/// Contraction of a muscle in an expression.
fn contraction(muscle: &str, expression: Contractions) -> f64 {
    let side = usize::from(muscle.ends_with("_r"));
    let bare = muscle.trim_end_matches("_l").trim_end_matches("_r");
    expression.iter().find(|(name, _)| *name == bare).map_or(0.0, |(_, by)| by[side])
}

/// Pseudo-random numbers, the same at every run (xorshift64*, Vigna 2016).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A point whose root mean square length is 1.
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
    fn muscles_contract_by_side() {
        assert_eq!(contraction("orbicularis_oculi_lower_l", EXPRESSIONS[0].0), 0.15);
        assert_eq!(contraction("orbicularis_oculi_lower_r", EXPRESSIONS[0].0), 0.0);
        assert_eq!(contraction("masseter_deep_l", EXPRESSIONS[0].0), 0.0);
    }
}

//! Estimates the jaw pose from the target skin over the mandible.

use glam::DVec3;

use crate::anatomy::hinge::JawPose;
use crate::inverse::solve::FaceFit;
use crate::simulation::JawKnobs;

impl FaceFit<'_> {
    /// Jaw pose that takes the skin over the mandible nearest to a target, as if it were rigid.
    ///
    /// Gauss–Newton on the five knobs; skin that muscles have moved as well gets less weight.
    pub(crate) fn estimate_jaw(&self, target: &[DVec3]) -> JawPose {
        /// Least share of the jaw's motion at which skin counts, and distance of half weight (m).
        const OVER: f64 = 0.9;
        const OFF: f64 = 5e-4;
        const STEPS: usize = 20;
        /// Knobs turned by less (degrees, mm) are zero.
        const NOTHING: f64 = 1e-3;
        let rest = &self.face.skin.mesh.positions;
        let follow = &self.jaw_shares;
        let mut knobs = [0.0; JawKnobs::COUNT];
        let over: Vec<usize> = (0..rest.len()).filter(|&v| follow[v] > OVER).collect();
        let away = |knobs: &[f64; 5]| -> Vec<DVec3> {
            let (turn, shift) = self.face.hinge.rigid(&JawKnobs::pose(knobs));
            let fixed = self.face.hinge.point;
            let moved = |v: usize| fixed + turn * (rest[v] - fixed) + shift;
            over.iter().map(|&v| moved(v) - target[v]).collect()
        };
        for step in 0..STEPS {
            let off = away(&knobs);
            // Equal weights at first: the skin of an open jaw is far from everything.
            let far = OFF * (STEPS - step) as f64;
            let weights: Vec<f64> = match step {
                0..2 => vec![1.0; off.len()],
                _ => off.iter().map(|d| 1.0 / (1.0 + d.length_squared() / (far * far))).collect(),
            };
            let dot = |a: &[DVec3], b: &[DVec3]| -> f64 {
                a.iter().zip(b).zip(&weights).map(|((a, b), w)| w * a.dot(*b)).sum()
            };
            let columns: [Vec<DVec3>; 5] = std::array::from_fn(|k| {
                let mut turned = knobs;
                turned[k] += 0.01;
                away(&turned).iter().zip(&off).map(|(a, b)| (*a - *b) * 100.0).collect()
            });
            let mut matrix = [[0.0; 6]; 5];
            for i in 0..5 {
                for j in 0..5 {
                    matrix[i][j] = dot(&columns[i], &columns[j]);
                }
                matrix[i][5] = -dot(&columns[i], &off);
                // Shifts are regularised more than turns: the skin hardly tells them apart.
                let rare = if i == 0 { 0.001 } else { 0.005 } * matrix[i][i] + 1e-12;
                matrix[i][i] += rare;
                matrix[i][5] -= rare * knobs[i];
            }
            let step = solved(matrix);
            let asked = JawPose { open: knobs[0] + step[0], ..JawPose::default() };
            let open = self.face.hinge.limited(&asked).open;
            let step = if open == asked.open {
                step
            } else {
                // A shut jaw cannot close further, and a shift must not replace that turn.
                (0..5).for_each(|j| matrix[0][j] = f64::from(j == 0));
                matrix[0][5] = open - knobs[0];
                for row in &mut matrix[1..] {
                    row[5] -= row[0] * (open - knobs[0]);
                    row[0] = 0.0;
                }
                solved(matrix)
            };
            (0..5).for_each(|k| knobs[k] += step[k]);
        }
        // Rounding errors are no motion.
        knobs.iter_mut().filter(|knob| knob.abs() < NOTHING).for_each(|knob| *knob = 0.0);
        self.face.hinge.limited(&JawKnobs::pose(&knobs))
    }
}

/// Solves five equations by elimination; the matrix is positive definite.
fn solved(mut matrix: [[f64; 6]; 5]) -> [f64; 5] {
    for k in 0..5 {
        for i in k + 1..5 {
            let factor = matrix[i][k] / matrix[k][k];
            for j in k..6 {
                matrix[i][j] -= factor * matrix[k][j];
            }
        }
    }
    let mut x = [0.0; 5];
    for k in (0..5).rev() {
        let sum: f64 = (k + 1..5).map(|j| matrix[k][j] * x[j]).sum();
        x[k] = (matrix[k][5] - sum) / matrix[k][k];
    }
    x.map(|x| if x.is_finite() { x } else { 0.0 })
}

//! How an integrator goes into the hash of a scene. Checkpoints carry the hash, so its spelling
//! stays as it was in version 0.1, whatever becomes of the types.

use pliant_model::method;
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::integrator::Integrator;
use crate::solver::NEWTON_TOLERANCE;

/// Newton's iterations where a scene does not say.
const MOST_ITERATIONS: u32 = 100;

#[derive(Serialize)]
enum Solver {
    Projective { iterations: u32, history: u32 },
    Xpbd { iterations: u32 },
    Newton { iterations: Option<u32>, tolerance: Option<f64> },
    Modified { iterations: u32, history: u32 },
}

#[derive(Serialize)]
enum Correction {
    None,
    Fepr(method::Fepr),
    Blend { epsilon: f64, base: method::Scheme },
    Velocity,
    Lagrange,
}

#[derive(Serialize)]
enum Damping {
    None,
}

impl Serialize for Integrator {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let method::Method { scheme, correction, damping, .. } = self.method;
        let (solver, delta) = self.hashed_solver();
        let mut fields = serializer.serialize_struct("Integrator", 7)?;
        fields.serialize_field("scheme", &scheme)?;
        fields.serialize_field("solver", &solver)?;
        if let Some(delta) = delta {
            fields.serialize_field("delta", &delta)?;
        }
        fields.serialize_field("correction", &hashed_correction(correction, scheme))?;
        match damping {
            Some(damping) => fields.serialize_field("damping", &damping)?,
            None => fields.serialize_field("damping", &Damping::None)?,
        }
        fields.serialize_field("self_collision", &self.self_collision)?;
        fields.serialize_field("wind", &self.wind)?;
        fields.end()
    }
}

impl Integrator {
    /// The solver, and δ of the linear solve, which stood beside a solver that was not used.
    fn hashed_solver(&self) -> (Solver, Option<f64>) {
        let solver = match self.method.solver {
            method::Solver::Projective { iterations, history, .. } => {
                Solver::Projective { iterations, history }
            }
            method::Solver::Xpbd { iterations } => Solver::Xpbd { iterations },
            method::Solver::Modified { iterations, history, .. } => {
                Solver::Modified { iterations, history }
            }
            method::Solver::Newton { iterations: MOST_ITERATIONS, tolerance } => {
                Solver::Newton { iterations: None, tolerance: Some(tolerance) }
            }
            method::Solver::Newton { iterations, tolerance } => Solver::Newton {
                iterations: Some(iterations),
                tolerance: (tolerance != NEWTON_TOLERANCE).then_some(tolerance),
            },
            method::Solver::Linearised { delta } => {
                return (Solver::Projective { iterations: 20, history: 5 }, Some(delta));
            }
        };
        (solver, None)
    }
}

fn hashed_correction(correction: Option<method::Correction>, scheme: method::Scheme) -> Correction {
    match correction {
        None => Correction::None,
        Some(method::Correction::Fepr(fepr)) => Correction::Fepr(fepr),
        Some(method::Correction::Blend { epsilon }) => Correction::Blend { epsilon, base: scheme },
        Some(method::Correction::Velocity) => Correction::Velocity,
        Some(method::Correction::Lagrange) => Correction::Lagrange,
    }
}

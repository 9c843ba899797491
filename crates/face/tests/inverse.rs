//! Inverse physics against independent code: a bar with a given skin.

use glam::DVec3;
use pliant_face::inverse::activation::{Parametrisation, TetMatrices};
use pliant_face::inverse::equilibrium::Equilibrium;
use pliant_face::inverse::solve::{FitProblem, QuadraticPrior, SolveLimits};
use pliant_face::inverse::targets::Observation;
use pliant_math::Row;
use pliant_model::Model;
use serde_json::Value;

use crate::tissue::{Memory, ids, numbers, points};

struct Bar {
    model: Model,
    tets: usize,
    fixed: Vec<u32>,
    observation: Observation,
    known: Value,
}

fn bar() -> Bar {
    let read = |text: &str| -> Value { serde_json::from_str(text).expect("the fixture is JSON") };
    let (file, known) =
        (read(include_str!("fixtures/bar.json")), read(include_str!("fixtures/inverse.json")));
    let active = ids(&file["active"]);
    let model = crate::tissue::model(&file, &active);
    let observation =
        crate::tissue::observation(&model, &ids(&known["surf"]), &points(&known["target"]));
    Bar { tets: active.len(), fixed: ids(&file["fixed"]), observation, known, model }
}

fn prior(tensors: &TetMatrices, weight: f64) -> QuadraticPrior {
    QuadraticPrior { weights: vec![weight; tensors.count()], towards: tensors.relaxed() }
}

fn problem<'a>(
    equilibrium: Equilibrium<'a>,
    observation: &'a Observation,
    parametrisation: &'a TetMatrices,
    prior: &'a QuadraticPrior,
) -> FitProblem<'a, TetMatrices, ()> {
    FitProblem { equilibrium, observation, parametrisation, knobs: &(), prior }
}

#[test]
fn the_adjoint_gradient_is_that_of_independent_code() {
    let Bar { model, tets, observation, known, .. } = bar();
    let tensors = TetMatrices { tets };
    let prior = prior(&tensors, 0.01);
    let mut memory = Memory::new(&model);
    let mut problem = problem(memory.of(&model), &observation, &tensors, &prior);
    let theta: Vec<f64> = tensors.relaxed().iter().map(|a| a + 0.01).collect();
    let value = problem.value(&theta);
    let expected = known["adjoint_J"].as_f64().expect("a number");
    assert!((value - expected).abs() < 1e-8 * expected, "{value} instead of {expected}");
    let tangent = problem.equilibrium.tangent().expect("a tangent");
    let gradient = problem.gradient(&theta, &tangent).values;
    let expected = numbers(&known["adjoint_gradient"]);
    let size = expected.iter().map(|x| x * x).sum::<f64>().sqrt();
    let off = gradient.iter().zip(&expected).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    assert!(off < 1e-8 * size, "off by {off:e} of {size:e}");
    let along: f64 = gradient.iter().zip(numbers(&known["direction"])).map(|(a, b)| a * b).sum();
    assert!((along - known["slope_along"].as_f64().expect("a number")).abs() < 1e-9, "{along}");
}

#[test]
fn the_stationary_point_of_independent_code_is_one() {
    let Bar { model, tets, fixed, observation, known } = bar();
    let tensors = TetMatrices { tets };
    let prior = prior(&tensors, known["w"].as_f64().expect("a number"));
    let mut memory = Memory::new(&model);
    let mut problem = problem(memory.of(&model), &observation, &tensors, &prior);
    let theta = numbers(&known["a"]);
    let value = problem.value(&theta);
    let expected = known["J"].as_f64().expect("a number");
    assert!((value - expected).abs() < 1e-8 * expected, "{value} instead of {expected}");
    let tangent = problem.equilibrium.tangent().expect("a tangent");
    let found = problem.gradient(&theta, &tangent);
    let (gradient, lambda) = (found.values, found.adjoint);
    let worst = gradient.iter().fold(0.0, |worst, x| f64::max(worst, x.abs()));
    assert!(worst < 1e-11, "a slope of {worst:e} is left");
    // Free vertices one after the other, as the other code has them.
    let theirs: Vec<DVec3> = points(&known["lambda"]);
    let free = (0..model.vertex_count() as u32).filter(|v| !fixed.contains(v));
    for (v, expected) in free.zip(theirs) {
        let own: &Row = &lambda[model.number(0, v as usize)];
        assert!(own.xyz().distance(expected) < 1e-9, "vertex {v}");
    }
}

#[test]
fn a_skin_is_fitted_as_well_as_by_independent_code() {
    let Bar { model, tets, observation, known, .. } = bar();
    let tensors = TetMatrices { tets };
    let mut memory = Memory::new(&model);
    let limits = SolveLimits { steps: 60, products: 400, settled: 1e-9 };
    let mut theta = tensors.relaxed();
    let mut found = Vec::new();
    for weight in [1e-2, 1e-3, 1e-4] {
        let prior = prior(&tensors, weight);
        let mut problem = problem(memory.of(&model), &observation, &tensors, &prior);
        found.push(problem.minimise(&mut theta, &limits).expect("a fit"));
    }
    let expected = known["J"].as_f64().expect("a number");
    let rms = |misfit: f64| (2.0 * misfit / observation.samples.len() as f64 / 3.0).sqrt();
    println!("{found:?}, rms {:?}", found.iter().map(|f| rms(f.misfit)).collect::<Vec<_>>());
    assert!((found[0].value - expected).abs() < 1e-6 * expected, "{:?}", found[0]);
    // Where there is more than one stationary point, as good a one: J of the others is 8.00e-3 and
    // 8.35e-4.
    assert!(found[1].value < 1.01 * 8.0e-3, "{:?}", found[1]);
    assert!(found[2].value < 1.01 * 8.35e-4, "{:?}", found[2]);
}

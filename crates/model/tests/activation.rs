//! Tissue that contracts: against an independent implementation, against differences, and lanes
//! against scalars.

use glam::DMat3;
use pliant_math::Row;
use pliant_model::potentials::activation::{Activation, Active};
use pliant_model::potentials::muscles::Muscles;
use pliant_model::potentials::{Curvature, Potential, Situation};
use pliant_model::{DVec3, Drive, Lame};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(all) => all.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}

fn points(value: &Value) -> Vec<DVec3> {
    numbers(value).chunks_exact(3).map(DVec3::from_slice).collect()
}

fn close(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{name}");
    let size = expected.iter().fold(1e-3, |m: f64, v| m.max(v.abs()));
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tolerance * size, "{name} {k}: {f} instead of {e}");
    }
}

#[test]
fn one_tet_has_the_reference_values() {
    let text = include_str!("fixtures/active.json");
    let file: Value = serde_json::from_str(text).expect("the fixture is JSON");
    let cases = file["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 5);
    for case in cases {
        let state = case["state"].as_str().expect("a name");
        let (rest, x) = (points(&case["X"]), points(&case["x"]));
        let activation: Activation = numbers(&case["a"]).try_into().expect("six numbers");
        let number = |key: &str| case[key].as_f64().expect("a number");
        let (mu, lambda) = (number("mu"), 2.0 * number("lambda"));
        let edges = |x: &[DVec3]| DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let inverse = edges(&rest).inverse();
        let f = edges(&x) * inverse;
        let volume = edges(&rest).determinant() / 6.0;
        let active = Active::new(&f, &activation, mu * volume, lambda * volume);
        close(state, &[active.energy()], &[number("value")], 1e-12);
        close(state, &active.activation_gradient(), &numbers(&case["grad_a"]), 1e-10);
        let hessian: Vec<f64> = active.activation_hessian().into_iter().flatten().collect();
        close(state, &hessian, &numbers(&case["hess_aa"]), 1e-9);
        // ∂x: the gradients of shape functions are the rows of Dₘ⁻¹.
        let rows = inverse.transpose();
        let slopes =
            [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis];
        let mixed = active.mixed();
        let mut by_position = Vec::new();
        for slope in slopes {
            for i in 0..3 {
                by_position.extend(mixed.iter().map(|m| m.transpose().col(i).dot(slope)));
            }
        }
        close(state, &by_position, &numbers(&case["hess_xa"]), 1e-9);
        // The potential: in lanes, and by corners.
        let lame = Lame { mu, lambda };
        let row = |x: &[DVec3]| -> Vec<Row> { x.iter().map(|&p| p.into()).collect() };
        let muscles = Muscles::new(0, &row(&rest), &[[0, 1, 2, 3]], &[lame]).expect("a sound tet");
        let drive = Drive { activations: vec![activation], ..Drive::default() };
        let positions = row(&x);
        let at = Situation {
            positions: &positions,
            start: &positions,
            rate: 0.0,
            drive: &drive,
            end: None,
            touches: &[],
            rubbing: &[],
        };
        let mut gradient = vec![Row::zero(); 4];
        let energy = muscles.evaluate(0, &at, Some(&mut gradient));
        close(state, &[energy], &[number("value")], 1e-11);
        let gradient: Vec<f64> = gradient.iter().flat_map(|r| r.xyz().to_array()).collect();
        close(state, &gradient, &numbers(&case["grad_x"]), 1e-10);
        let mut hessian = vec![0.0; 144];
        muscles.hessians(0, &at, Curvature::Exact, &mut hessian);
        close(state, &hessian, &numbers(&case["hess_xx"]), 1e-9);
    }
}

#[test]
fn without_an_activation_it_is_passive_tissue() {
    use pliant_model::material::Density;
    use pliant_model::material::tissue::Tissue;
    use pliant_model::potentials::activation::RELAXED;
    let f = DMat3::from_cols_array(&[1.2, 0.1, -0.3, 0.2, 0.8, 0.1, 0.0, -0.2, 1.1]);
    let active = Active::new(&f, &RELAXED, 2.0, 5.0);
    let (energy, stress) = Tissue::stress(&f, 2.0, 5.0);
    assert!((active.energy() - energy).abs() < 1e-14);
    assert!((active.stress() - stress).to_cols_array().iter().all(|x| x.abs() < 1e-13));
    let (own, passive) = (active.hessian(), Tissue::hessian(&f, 2.0, 5.0));
    for (a, b) in own.as_flattened().iter().zip(passive.as_flattened()) {
        assert!((a - b).abs() < 1e-12, "{a} instead of {b}");
    }
}

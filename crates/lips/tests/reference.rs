//! Against numbers of an independent implementation in numpy: the regression of Eq. 2.1–2.6, and
//! the way from positions to gradients and back. Their conventions are in `fixtures/`.

use glam::{DMat3, DVec3};
use pliant_lips::gradients::Gradients;
use pliant_lips::reconstruction::Reconstruction;
use pliant_lips::{Regression, RegressionOptions};
use pliant_math::Row;
use pliant_math::team::Team;
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// Columns of a matrix written by rows.
fn columns(value: &Value) -> Vec<Vec<f64>> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    (0..rows[0].len()).map(|k| rows.iter().map(|row| row[k]).collect()).collect()
}

fn points(value: &Value) -> Vec<DVec3> {
    let point = |v: &Value| DVec3::from_slice(&numbers(v));
    value.as_array().unwrap().iter().map(point).collect()
}

#[test]
fn predictions_are_those_of_the_pseudo_inverse() {
    let reference: Value = serde_json::from_str(include_str!("fixtures/regression.json")).unwrap();
    for name in ["full_rank_k", "noisy", "rank_deficient_Y"] {
        let case = &reference[name];
        let trained = |ridge: f64| {
            let options = RegressionOptions { ridge, truncation: 1e-10 };
            let mut regression = Regression::new(options);
            for (y, x) in columns(&case["Y"]).into_iter().zip(columns(&case["X"])) {
                regression.append(y, x);
            }
            regression.solve();
            regression
        };
        let plain = trained(0.0);
        assert_eq!(plain.rank() as u64, case["rank"].as_u64().unwrap(), "{name}");
        let ridge = trained(case["ridge"].as_f64().unwrap());
        for (regression, y, x) in
            [(&plain, "y_in", "x_in"), (&plain, "y_out", "x_out"), (&ridge, "y_out", "x_out_ridge")]
        {
            let found = regression.predict(&numbers(&case[y]));
            for (found, expected) in found.iter().zip(numbers(&case[x])) {
                assert!((found - expected).abs() < 1e-12, "{name}, {x}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn gradients_and_positions_are_those_of_the_reference() {
    let case: Value = serde_json::from_str(include_str!("fixtures/poisson.json")).unwrap();
    let (rest, bent) = (points(&case["P"]), points(&case["Q"]));
    let id = |v: &Value| v.as_u64().unwrap() as u32;
    let triangle = |t: &Value| [id(&t[0]), id(&t[1]), id(&t[2])];
    let triangles: Vec<[u32; 3]> = case["tri"].as_array().unwrap().iter().map(triangle).collect();
    let gradients = Gradients::new(&rest, triangles.clone());
    let column = gradients.column(&bent);
    for (t, f) in case["F"].as_array().unwrap().iter().enumerate() {
        let rows: Vec<DVec3> = points(f);
        let expected = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
        let found = gradients.from_column(&column, t) + DMat3::IDENTITY;
        let off = (found - expected).to_cols_array();
        assert!(off.iter().all(|d| d.abs() < 1e-12), "triangle {t}");
    }
    let mut is_free = vec![true; rest.len()];
    case["border"].as_array().unwrap().iter().for_each(|v| is_free[id(v) as usize] = false);
    let solver = Reconstruction::new(&rest, &triangles, &is_free).unwrap();
    let mut rows: Vec<Row> = solver.push(&gradients, &column).into_iter().map(Row::from).collect();
    let border = |v: u32| bent[v as usize] - rest[v as usize];
    solver.solve(&mut rows, border, &mut solver.work(1), &Team::new(1));
    for (row, v) in rows.iter().zip(solver.free()) {
        let found = rest[*v as usize] + row.xyz();
        assert!(found.distance(bent[*v as usize]) < 1e-12, "vertex {v}");
    }
}

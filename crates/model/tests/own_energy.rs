//! Energies that users bring along: what they are given, and what is refused.

use std::sync::Arc;

use glam::DMat3;
use pliant_model::potentials::point_energy::PointEnergy;
use pliant_model::potentials::{PointResponse, Potential};
use pliant_model::{Body, DVec3, Drive, Model, ModelBuilder, ModelError};

/// ½ |x|², as a spring to the origin.
fn pull(x: DVec3) -> PointResponse {
    PointResponse { energy: 0.5 * x.length_squared(), gradient: x, hessian: DMat3::IDENTITY }
}

fn two_points() -> Body {
    Body::points("pair", vec![DVec3::X, DVec3::Y * 3.0], vec![1.0, 2.0])
}

fn refusal(outcome: Result<Model, ModelError>) -> String {
    outcome.err().expect("a refusal").to_string()
}

#[test]
fn a_point_energy_acts_on_its_vertices_alone() {
    let builder = ModelBuilder::new().body(two_points()).body(two_points());
    let model = builder.point_energy(1, vec![1, 1], pull).build().expect("a model");
    assert_eq!(model.masses().iter().sum::<f64>(), 6.0);
    let field = model.field();
    assert!(field.names().eq(["point energy"]));
    let mut drive = Drive::default();
    model.drive(0.0, &mut drive);
    let positions = model.initial_positions();
    let at = pliant_model::potentials::Situation {
        positions,
        start: positions,
        rate: 0.0,
        drive: &drive,
        end: None,
        touches: &[],
        rubbing: &[],
    };
    // Named twice, pulled twice.
    assert_eq!(field.evaluate(0, &at, None), 9.0);
    assert_eq!(field.task_chunk(0).vertices, [model.number(1, 1) as u32; 2]);
    assert!(!model.conserved().linear.contains(&true), "it acts from outside");
}

#[test]
fn vertices_that_are_not_there_are_refused() {
    let with = |body: usize, vertex: u32| {
        ModelBuilder::new().body(two_points()).point_energy(body, vec![vertex], pull).build()
    };
    assert_eq!(refusal(with(0, 2)), "body `pair`: has 2 vertices, and no vertex 2");
    assert_eq!(refusal(with(1, 0)), "body `number 1`: has 0 vertices, and no vertex 0");
    let make = |_: &pliant_model::Numbers| -> Result<Box<dyn Potential>, ModelError> {
        Ok(Box::new(PointEnergy::new(vec![7], Arc::new(pull))))
    };
    let careless = ModelBuilder::new().body(two_points()).potential(make).build();
    let sentence = "potential `point energy`: the model has 2 vertices, and no vertex 7";
    assert_eq!(refusal(careless), sentence);
}

#[test]
fn points_need_a_mass_each() {
    for (masses, part) in [
        (vec![1.0], "2 points, and 1 masses"),
        (vec![1.0, 0.0], "point 1 has a mass of 0 kg"),
        (vec![f64::NAN, 1.0], "point 0 has a mass of NaN kg"),
    ] {
        let body = Body::points("pair", vec![DVec3::X, DVec3::Y], masses);
        let sentence = refusal(ModelBuilder::new().body(body).build());
        assert!(sentence.contains(part), "{sentence}");
    }
}

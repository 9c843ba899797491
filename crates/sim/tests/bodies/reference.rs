//! What fixtures hold: numbers, points, and cubes of tetrahedra.

use pliant_mesh::Mesh;
use pliant_model::{Body, DVec3, ElasticModel, Lame, Matter, Method, ModelBuilder};
use serde_json::Value;

use super::Run;

/// All numbers of a value, in order.
pub fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        other => vec![number(other)],
    }
}

/// A number.
pub fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Numbers, three by three.
pub fn vectors(value: &Value) -> Vec<DVec3> {
    numbers(value).chunks_exact(3).map(DVec3::from_slice).collect()
}

/// The co-rotated body `X`, `T`, `rho` of a fixture with λ = μ \[Pa\], free of gravity, at `x0` and
/// `v0`, in steps of h seconds.
pub fn free_body(data: &Value, mu: f64, h: f64, integrator: Method) -> Run {
    let tets: Vec<[u32; 4]> =
        numbers(&data["T"]).chunks_exact(4).map(|t| [0, 1, 2, 3].map(|c| t[c] as u32)).collect();
    let lame = vec![Lame { mu, lambda: mu }; tets.len()];
    let density = number(&data["rho"]);
    let mesh = Mesh::solid(vectors(&data["X"]), tets);
    let matter = Matter::Solid { model: ElasticModel::Corotated, lame, density };
    let body = Body {
        positions: Some(vectors(&data["x0"])),
        velocities: Some(vectors(&data["v0"])),
        ..Body::new("cube", mesh, matter)
    };
    let builder = ModelBuilder::new().body(body).gravity(DVec3::ZERO).method(integrator);
    Run::new(builder.build().expect("a model"), h, 1)
}

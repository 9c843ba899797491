//! Against numbers of an independent implementation (`fixtures/enriching.json`): the fits of Eq. 1
//! for a bar, and the weights of Eq. 12–15.

use glam::DVec3;
use pliant_enrich::blending::biharmonic;
use pliant_math::Row;
use pliant_mesh::Mesh;
use pliant_model::method::{Method, Scheme, Solver};
use pliant_model::potentials::Tracked;
use pliant_model::{Body, ElasticModel, FrameInput, Lame, Matter, ModelBuilder};
use pliant_sim::{State, Workspace, step};
use serde_json::Value;

fn reference() -> Value {
    serde_json::from_str(include_str!("fixtures/enriching.json")).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn vectors(flat: &Value) -> Vec<DVec3> {
    let numbers: Vec<f64> = flat.as_array().unwrap().iter().map(number).collect();
    numbers.chunks_exact(3).map(|c| DVec3::new(c[0], c[1], c[2])).collect()
}

fn bar(value: &Value) -> Mesh {
    let position = |x: &Value| DVec3::new(number(&x[0]), number(&x[1]), number(&x[2]));
    let positions = value["X"].as_array().unwrap().iter().map(position).collect();
    let corner = |v: &Value| v.as_u64().unwrap() as u32;
    let tet = |t: &Value| [corner(&t[0]), corner(&t[1]), corner(&t[2]), corner(&t[3])];
    Mesh::solid(positions, value["T"].as_array().unwrap().iter().map(tet).collect())
}

/// Rows of C′ with three vertices each: a fourth of weight 0 makes them tets.
fn points(fit: &Value, mesh: &Mesh, gamma: f64) -> Vec<Tracked> {
    let rows = fit["C_rows"].as_array().unwrap().iter();
    rows.zip(fit["Lambda"].as_array().unwrap())
        .map(|(row, lambda)| {
            let mut corners = [u32::MAX; 4];
            let mut weights = [0.0; 4];
            for k in 0..row["v"].as_array().unwrap().len() {
                corners[k] = row["v"][k].as_u64().unwrap() as u32;
                weights[k] = number(&row["w"][k]);
            }
            let used = row["v"].as_array().unwrap().len();
            let holds = |t: &&[u32; 4]| corners[..used].iter().all(|v| t.contains(v));
            let tet = mesh.tets.iter().find(holds).expect("a tet with these vertices");
            let own = corners;
            let others = tet.iter().filter(|v| !own[..used].contains(v));
            corners[used..].iter_mut().zip(others).for_each(|(corner, other)| *corner = *other);
            Tracked { corners, weights, stiffness: number(lambda) / gamma }
        })
        .collect()
}

#[test]
fn fits_of_a_bar_are_those_of_the_reference() {
    let reference = reference();
    let fit = &reference["fit"];
    let mesh = bar(fit);
    let lame = Lame { mu: number(&fit["mu"]), lambda: number(&fit["lam"]) };
    let offsets = vectors(&fit["qbar"]);
    for (gamma, expected) in fit["fits"].as_object().unwrap() {
        let gamma: f64 = gamma.parse().unwrap();
        let matter = Matter::Solid {
            model: ElasticModel::Stvk,
            lame: vec![lame; mesh.tets.len()],
            density: 1.0,
        };
        let body = Body::new("bar", mesh.clone(), matter);
        let model = ModelBuilder::new()
            .body(body)
            .gravity(DVec3::ZERO)
            .track(0, points(fit, &mesh, gamma))
            .method(Method {
                scheme: Scheme::QuasiStatic,
                solver: Solver::Newton { iterations: 100, tolerance: 1e-14 },
                ..Method::default()
            })
            .build()
            .unwrap();
        let mut input = FrameInput { h: 1.0, ..FrameInput::default() };
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        for (target, &offset) in input.end.tracked.iter_mut().zip(&offsets) {
            *target = *target + Row::from(offset);
        }
        let mut state = State::initial(&model);
        step(&model, &input, &mut state, &mut Workspace::new(&model, 1).unwrap());
        let mut fitted = vec![DVec3::ZERO; mesh.positions.len()];
        model.to_user_order(&state.positions, &mut fitted);
        let off = vectors(&expected["u"])
            .iter()
            .zip(fitted.iter().zip(&mesh.positions))
            .map(|(u, (x, rest))| (*x - *rest - *u).length())
            .fold(0.0, f64::max);
        // With little elasticity the reference is as far off as the gradient at which it stopped
        // lets it be: over γμ times an edge of the bar.
        let slack = number(&expected["grad"]) / (gamma * lame.mu * 0.5);
        assert!(off < slack.max(1e-9), "γ = {gamma}: {off:e}");
    }
}

#[test]
fn spread_weights_are_those_of_the_reference_cut_to_their_range() {
    let reference = reference();
    let mesh = bar(&reference["fit"]);
    let constraints = reference["bilaplace"]["constraints"].as_object().unwrap();
    let painted: Vec<(u32, f64)> =
        constraints.iter().map(|(v, w)| (v.parse().unwrap(), number(w))).collect();
    let found = biharmonic::spread(&mesh.tets, mesh.positions.len(), &painted).unwrap();
    let expected = reference["bilaplace"]["w"].as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - number(expected).clamp(0.0, 1.0)).abs() < 1e-9);
    }
}

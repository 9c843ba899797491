//! The solvers against independent reference numbers: one step of the slides' four-node network,
//! and one of a cube with the as-rigid-as-possible energy.

use crate::bodies::{Run, backward_euler, distance, newton, projective};
use pliant_math::team::Team;
use pliant_math::{Buffer, Row};
use pliant_mesh::Mesh;
use pliant_model::method::Solver;
use pliant_model::potentials::ProxyKind;
use pliant_model::{
    Body, DVec3, Drive, ElasticModel, FrameInput, Lame, Matter, Model, ModelBuilder,
};
use pliant_sim::objective::{EvaluationSpace, Forces, Objective};
use pliant_sim::solver::Start;
use pliant_sim::solver::projective::{ProjectiveParams, ProjectiveSpace, Proxy, minimise};
use serde_json::Value;

#[test]
fn a_converged_step_of_the_slides_network() {
    let slides = Slides::read();
    let wanted = points(&slides.file["y_next"]);
    for solver in [projective(3000, 0, 1e-15), projective(200, 5, 1e-15), newton(1e-15)] {
        let mut run = Run::new(slides.model(solver), slides.h, 1);
        let report = run.step_with(|model, input| slides.inertia(model, input));
        let error = distance(&run.positions(), &wanted);
        assert!(error < 1e-10, "{solver:?}: {error:e} m off, {report:?}");
        assert_eq!(report.substeps, 1, "{solver:?}");
    }
}

#[test]
fn local_global_iterates_are_those_of_the_slides() {
    let slides = Slides::read();
    for (iterations, key) in [(1, "y_after_1_iter"), (10, "y_after_10_iters")] {
        let found = slides.local_global(iterations);
        // The factor is single precision: an iteration's rounding, not the fixed point's.
        let error = distance(&found, &points(&slides.file[key]));
        assert!(error < 1e-8, "after {iterations}: {error:e} m off");
    }
    let (one, converged) = (slides.local_global(1), points(&slides.file["y_next"]));
    assert!(distance(&one, &converged) > 1e-4, "one iteration is not yet the answer");
}

#[test]
fn a_step_of_the_as_rigid_as_possible_cube() {
    let file = read(include_str!("fixtures/arap_cube.json"));
    let number = |key: &str| file[key].as_f64().expect("a number");
    let tets: Vec<[u32; 4]> = serde_json::from_value(file["T"].clone()).expect("tets");
    let lame = vec![Lame { mu: number("mu"), lambda: 0.0 }; tets.len()];
    let mesh = Mesh::solid(points(&file["X"]), tets);
    let matter = Matter::Solid { model: ElasticModel::Arap, lame, density: number("rho") };
    let body = Body {
        positions: Some(points(&file["x0"])),
        velocities: Some(points(&file["v0"])),
        ..Body::new("cube", mesh, matter)
    };
    for solver in [projective(3000, 0, 1e-15), projective(300, 5, 1e-15), newton(1e-15)] {
        let builder = ModelBuilder::new().body(body.clone()).gravity(DVec3::ZERO);
        let model = builder.method(backward_euler(solver)).build().expect("a model");
        let mut run = Run::new(model, number("h"), 1);
        let report = run.step();
        let error = distance(&run.positions(), &points(&file["x_be"]));
        assert!(error < 1e-10, "{solver:?}: positions {error:e} m off, {report:?}");
        // Velocities are differences of positions over h.
        let error = distance(&run.velocities(), &points(&file["v_be"]));
        assert!(error < 1e-10 / number("h"), "{solver:?}: velocities {error:e} m/s off");
    }
}

/// The network of the slides. Our spring bodies have equal masses, its nodes do not: the rest of
/// a heavier node's inertia, ½ Δm/h² ‖x − b‖² with b = 2y₀ − y₋₁ + h²g, is a followed target.
struct Slides {
    file: Value,
    h: f64,
    masses: Vec<f64>,
}

const GRAVITY: DVec3 = DVec3::new(0.0, -9.8, 0.0);

impl Slides {
    fn read() -> Self {
        let file = read(include_str!("fixtures/slides.json"));
        let h = file["dt"].as_f64().expect("dt");
        let masses = serde_json::from_value(file["mass"].clone()).expect("masses");
        Slides { file, h, masses }
    }

    fn lightest(&self) -> f64 {
        self.masses.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Stiffness of the inertia that a node has beyond the lightest one's [N/m].
    fn weights(&self) -> Vec<f64> {
        let weight = |m: &f64| (m - self.lightest()) / (self.h * self.h);
        self.masses.iter().map(weight).collect()
    }

    fn model(&self, solver: Solver) -> Model {
        let springs: Vec<[u32; 2]> =
            serde_json::from_value(self.file["springs"].clone()).expect("springs");
        let lengths: Vec<f64> =
            serde_json::from_value(self.file["rest"].clone()).expect("rest lengths");
        assert_eq!(springs, [[0, 1], [1, 2], [1, 3], [2, 3]]);
        // A rest shape in the plane with those lengths: nodes 1, 2 and 3 are a triangle.
        let [bar, a, b, c] = [lengths[0], lengths[1], lengths[2], lengths[3]];
        let along = (a * a + b * b - c * c) / (2.0 * a);
        let rest = vec![
            DVec3::X * -bar,
            DVec3::ZERO,
            DVec3::X * a,
            DVec3::new(along, -(b * b - along * along).sqrt(), 0.0),
        ];
        let k = self.file["k"].as_f64().expect("k");
        let (now, before) = (points(&self.file["y_t"]), points(&self.file["y_tm1"]));
        let velocity = now.iter().zip(&before).map(|(x, y)| (*x - *y) / self.h).collect();
        let mesh = Mesh { positions: rest, ..Mesh::default() };
        let body = Body {
            positions: Some(now),
            velocities: Some(velocity),
            ..Body::springs("network", mesh, springs, k, 4.0 * self.lightest())
        };
        ModelBuilder::new()
            .body(body)
            .hold(0, vec![2], pliant_model::Hold::Hard, None)
            .follow(0, vec![0, 1, 2, 3], self.weights())
            .gravity(GRAVITY)
            .method(backward_euler(solver))
            .build()
            .expect("a model")
    }

    /// Puts the fixed node, and the targets of the remaining inertia, into a step's input.
    fn inertia(&self, model: &Model, input: &mut FrameInput) {
        let (now, before) = (points(&self.file["y_t"]), points(&self.file["y_tm1"]));
        for drive in [&mut input.start, &mut input.end] {
            drive.hard = vec![now[2].into()];
            let target = |v: usize| 2.0 * now[v] - before[v] + self.h * self.h * GRAVITY;
            drive.follow = (0..4).map(|v| target(v).into()).collect();
            let order: Vec<u32> = (0..4).map(|v| model.number(0, v) as u32).collect();
            assert_eq!(model.followed_vertices(), order);
        }
    }

    /// Plain iterations from the last positions, as the slides start them.
    fn local_global(&self, iterations: u32) -> Vec<DVec3> {
        let model = self.model(projective(iterations, 0, 0.0));
        let mut input = FrameInput { h: self.h, ..FrameInput::default() };
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        self.inertia(&model, &mut input);
        let drive: &Drive = &input.end;
        let (team, kappa) = (Team::new(1), 1.0 / (self.h * self.h));
        let start = model.initial_positions();
        let inertia: Vec<Row> = start
            .iter()
            .zip(model.initial_velocities())
            .map(|(x, v)| x.plus_scaled(self.h, *v))
            .collect();
        let free = model.free_count();
        let measured = vec![1.0; free];
        let (rate, inertia) = (1.0 / self.h, &inertia[..]);
        let objective = Objective {
            model: &model,
            drive,
            start,
            rate,
            kappa,
            inertia,
            measured: &measured,
            forces: Forces::All,
            end: None,
            rubbing: &[],
        };
        let proxy = Proxy::new(&model, kappa, ProxyKind::Bound).expect("a factor");
        let mut space = ProjectiveSpace::new(&model, proxy, 0, &team);
        let params = ProjectiveParams { iterations, history: 0, tolerance: 0.0 };
        let (mut p, mut gradient) = (Buffer::from(start), Buffer::zeroed(free));
        let mut evaluation = EvaluationSpace::new(&model);
        let start = Start { p: &mut p, gradient: &mut gradient, known: None };
        let info = minimise(&objective, &params, start, &mut space, &mut evaluation, &team);
        assert_eq!(info.iterations, iterations);
        let mut found = vec![DVec3::ZERO; 4];
        model.to_user_order(&p, &mut found);
        found
    }
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("the fixture is JSON")
}

/// Points from a list of triples, or from a flat list.
fn points(value: &Value) -> Vec<DVec3> {
    let list = value.as_array().expect("a list");
    let number = |v: &Value| v.as_f64().expect("a number");
    let flat: Vec<f64> = list
        .iter()
        .flat_map(|v| {
            v.as_array().map_or_else(|| vec![number(v)], |t| t.iter().map(number).collect())
        })
        .collect();
    flat.chunks_exact(3).map(|x| DVec3::new(x[0], x[1], x[2])).collect()
}

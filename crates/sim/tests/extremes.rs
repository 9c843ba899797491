//! The worst that can be asked: whatever the start and the constants, states stay finite, and
//! bodies that can come back do.

use crate::bodies::{Random, Run, damped, inverted, materials, newton, projective, rubber};
use pliant_mesh::{Mesh, edges_of_tets, shapes};
use pliant_model::method::{Damping, Method, Scheme, Solver};
use pliant_model::{Body, DVec3, ElasticModel, Material, Matter, ModelBuilder};

const SIZE: f64 = 0.3;

fn cube() -> Mesh {
    shapes::solid_box(DVec3::splat(SIZE), [3, 3, 3]).expect("a cube")
}

/// Every vertex moved at random by up to half the body's size along each axis.
fn jittered(mesh: &Mesh, seed: u64) -> Vec<DVec3> {
    let mut random = Random(seed);
    mesh.positions.iter().map(|x| *x + 0.5 * SIZE * random.vector()).collect()
}

fn recovering() -> impl Iterator<Item = ElasticModel> {
    materials().filter(|m| *m != ElasticModel::Stvk)
}

#[test]
fn jittered_bodies_come_back() {
    let mesh = cube();
    let solids = recovering().map(|m| rubber(DVec3::splat(SIZE), [3, 3, 3], m));
    let net = Body::springs("net", mesh.clone(), edges_of_tets(&mesh.tets), 2000.0, 27.0);
    for body in solids.chain([net]) {
        let continuum = matches!(body.matter, Matter::Solid { .. });
        for solver in [projective(20, 5, 0.0), projective(40, 0, 0.0), newton(1e-6)] {
            for seed in [1, 2] {
                let mut thrown = body.clone();
                let start = jittered(&mesh, seed);
                assert!(inverted(&mesh, &start) > mesh.tets.len() / 4, "a tame start");
                thrown.positions = Some(start);
                let integrator = damped(solver, Damping::RigidPreserving(3.0));
                let builder = ModelBuilder::new().body(thrown).gravity(DVec3::ZERO);
                let model = builder.method(integrator).build().expect("a model");
                let mut run = Run::new(model, 1.0 / 60.0, 1);
                let first = run.step().energy.potential;
                let last = run.steps(60).energy.potential;
                let name = format!("{:?} {solver:?}", kind(&body));
                assert!(last < 1e-5 * first, "{name}: {last:e} J of {first:e} J are left");
                // A net's tets are nobody's business: it may rest with a corner pushed through.
                let wrong = inverted(&mesh, &run.positions());
                assert!(!continuum || wrong == 0, "{name}: {wrong} tets stay inverted");
            }
        }
    }
}

#[test]
fn stvk_refuses_such_a_start() {
    let mesh = cube();
    let mut body = rubber(DVec3::splat(SIZE), [3, 3, 3], ElasticModel::Stvk);
    body.positions = Some(jittered(&mesh, 1));
    let refused = ModelBuilder::new().body(body.clone()).build().err().expect("a refusal");
    let sentence = refused.to_string();
    for word in ["`box`", "`stvk`", "does not recover", "`invertible-stvk`"] {
        assert!(sentence.contains(word), "{sentence}");
    }
    body.positions = Some(mesh.positions.iter().map(|x| *x * 1.3).collect());
    assert!(ModelBuilder::new().body(body).build().is_ok(), "a merely stretched start is fine");
}

fn starts(mesh: &Mesh) -> [(&'static str, Vec<DVec3>); 6] {
    let moved = |f: &dyn Fn(DVec3) -> DVec3| mesh.positions.iter().map(|&x| f(x)).collect();
    [
        ("at rest", moved(&|x| x)),
        ("in a point", moved(&|_| DVec3::ONE)),
        ("in a line", moved(&|x| DVec3::X * x.x)),
        ("in a plane", moved(&|x| x * DVec3::new(1.0, 0.0, 1.0))),
        ("mirrored", moved(&|x| x * DVec3::new(-1.0, 1.0, 1.0))),
        ("a million times too large", moved(&|x| 1e6 * x)),
    ]
}

/// (what, Young's modulus [Pa], density [kg/m³], step [s], gravity [m/s²])
const CONSTANTS: [(&str, f64, f64, f64, f64); 6] = [
    ("no gravity", 1e5, 1e3, 1.0 / 30.0, 0.0),
    ("a step of a second", 1e5, 1e3, 1.0, 9.81),
    ("a step of a nanosecond", 1e5, 1e3, 1e-9, 9.81),
    ("diamond of air", 1e14, 1e-3, 1.0 / 30.0, 9.81),
    ("vapour of lead", 1e-6, 1e6, 1.0 / 30.0, 9.81),
    ("the edge of the numbers", 1e300, 1e3, 1.0 / 30.0, 9.81),
];

#[test]
fn nothing_makes_a_state_infinite() {
    let mesh = cube();
    let solvers = [
        projective(20, 5, 0.0),
        projective(20, 0, 0.0),
        Solver::Newton { iterations: 10, tolerance: 1e-8 },
        Solver::Newton { iterations: 1, tolerance: 0.0 },
    ];
    for material in materials() {
        for (start, positions) in starts(&mesh) {
            for (constants, young, density, h, gravity) in CONSTANTS {
                for solver in solvers {
                    let name = format!("{}, {start}, {constants}, {solver:?}", material.name());
                    let mut body = Body::solid(
                        "cube",
                        mesh.clone(),
                        Material::elastic(material, young, 0.3, density),
                    );
                    body.positions = Some(positions.clone());
                    let model = ModelBuilder::new()
                        .body(body)
                        .gravity(DVec3::NEG_Y * gravity)
                        .method(damped(solver, Damping::RigidPreserving(1.0)))
                        .build();
                    let Ok(model) = model else {
                        assert_eq!(material, ElasticModel::Stvk, "{name} is refused");
                        continue;
                    };
                    let mut run = Run::new(model, h, 1);
                    for _ in 0..3 {
                        let before = run.positions();
                        let report = run.step();
                        assert!(run.is_finite(), "{name}");
                        if report.rolled_back {
                            assert_eq!(run.positions(), before, "{name}");
                            assert!(run.velocities().iter().all(|v| *v == DVec3::ZERO), "{name}");
                        } else {
                            assert!(report.substeps >= 1, "{name}");
                        }
                        let told = report.energy.total().is_finite() && report.residual.is_finite();
                        // Squares of 1e300 have no place in a report.
                        assert!(told || young == 1e300, "{name}: {report:?}");
                    }
                    // What is not absurd needs no guard, except from a line search left out.
                    let linearised = matches!(solver, Solver::Newton { iterations: 1, .. });
                    let tame = young == 1e5 && start != "a million times too large" && !linearised;
                    let report = run.step();
                    assert!(!tame || !report.gave_way(), "{name}: {report:?}");
                }
            }
        }
    }
}

/// A free body has no equilibrium under gravity; it does not fall to infinity for that.
#[test]
fn a_free_body_without_inertia_stays_finite() {
    for solver in [projective(20, 5, 0.0), projective(20, 0, 0.0)] {
        let body = rubber(DVec3::splat(SIZE), [2, 2, 2], ElasticModel::Corotated);
        let integrator =
            Method { scheme: Scheme::QuasiStatic, solver, damping: None, ..Method::default() };
        let model = ModelBuilder::new().body(body).method(integrator).build().expect("a model");
        let mut run = Run::new(model, 1.0 / 30.0, 1);
        for _ in 0..3 {
            run.step();
            assert!(run.is_finite(), "{solver:?}");
        }
    }
}

fn kind(body: &Body) -> &'static str {
    match &body.matter {
        Matter::Solid { model, .. } => model.name(),
        Matter::Springs { .. } => "springs",
        Matter::Points { .. } => "points",
    }
}

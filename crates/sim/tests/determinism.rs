//! The same bits: for any number of threads, without the workspace of the last step, and after a
//! detour through bytes.

use crate::bodies::{Random, Run, clamped, cloth, damped, newton, projective, rubber};
use pliant_model::method::{Correction, Damping, Fepr, Scheme, Solver};
use pliant_model::{
    Body, Breeze, Collider, DVec3, ElasticModel, Hold, Method, Model, ModelBuilder, Shape,
};
use pliant_sim::{SnapshotError, Workspace, snapshot};

const H: f64 = 1.0 / 30.0;
const STEPS: usize = 30;

fn solvers() -> [Solver; 4] {
    let xpbd = Solver::Xpbd { iterations: 10 };
    [projective(10, 5, 0.0), projective(10, 0, 0.0), newton(1e-6), xpbd]
}

fn integrator(solver: Solver) -> Method {
    damped(solver, Damping::RigidPreserving(0.5))
}

/// A pinned bar with several chunks of tets.
fn bar(solver: Solver) -> Model {
    let body = rubber(DVec3::new(1.0, 0.25, 0.25), [16, 4, 4], ElasticModel::Corotated);
    clamped(body, integrator(solver), |x| x.x < -0.49)
}

/// A cloth in gusts, held softly at two corners.
fn flag(solver: Solver) -> Model {
    let breeze = Breeze {
        velocity: DVec3::new(4.0, 1.0, 2.0),
        drag: 1.2,
        gust: 0.3,
        seed: 1,
        times: vec![],
        scale: vec![],
    };
    ModelBuilder::new()
        .body(cloth(16))
        .hold(0, vec![0, 16], Hold::Spring(1e5), None)
        .wind(breeze)
        .method(integrator(solver))
        .build()
        .expect("a model")
}

/// Several bodies of several kinds at once.
fn company(solver: Solver) -> Model {
    let placed = |mut body: Body, by: DVec3| {
        body.mesh.positions.iter_mut().for_each(|x| *x += by);
        body
    };
    let cube = |material| rubber(DVec3::splat(0.3), [4, 4, 4], material);
    ModelBuilder::new()
        .body(cube(ElasticModel::NeoHookean))
        .body(placed(cube(ElasticModel::Tissue), DVec3::X))
        .body(placed(cloth(8), DVec3::Z))
        .pin(0, |x| x.y > 0.14)
        .pin(2, |x| x.x < -0.49)
        .method(integrator(solver))
        .build()
        .expect("a model")
}

/// A box that falls on a floor with friction; energy projected after BDF2 steps.
fn bounce(solver: Solver) -> Model {
    // XPBD is for backward Euler.
    let xpbd = matches!(solver, Solver::Xpbd { .. });
    let scheme = if xpbd { Scheme::BackwardEuler } else { Scheme::Bdf2 };
    let correction = Some(Correction::Fepr(Fepr::default()));
    let integrator = Method { scheme, solver, correction, damping: None };
    let floor = Collider {
        friction: 0.3,
        ..Collider::new(Shape::plane(DVec3::Y * -0.3, DVec3::new(0.1, 1.0, 0.0)), 1e4)
    };
    let body = rubber(DVec3::splat(0.4), [6, 6, 6], ElasticModel::Corotated);
    let builder = ModelBuilder::new().body(body).method(integrator).collider(floor);
    builder.build().expect("a model")
}

type Scene = fn(Solver) -> Model;

const SCENES: [(&str, Scene); 4] =
    [("bar", bar), ("flag", flag), ("company", company), ("bounce", bounce)];

#[test]
fn any_number_of_threads() {
    for (name, scene) in SCENES {
        for solver in solvers() {
            let run = |threads: usize| {
                let mut run = Run::new(scene(solver), H, threads);
                run.steps(STEPS);
                run
            };
            let one = run(1);
            let moved = crate::bodies::distance(&one.positions(), &start(&one));
            assert!(moved > 0.01, "{name}: it moved by {moved} m only");
            for threads in [2, 3, 4] {
                assert!(run(threads).bits() == one.bits(), "{name}, {solver:?}: {threads} threads");
            }
        }
    }
}

#[test]
fn without_the_last_steps_workspace() {
    for (name, scene) in SCENES {
        for solver in solvers() {
            let (mut kept, mut dropped) =
                (Run::new(scene(solver), H, 2), Run::new(scene(solver), H, 2));
            for step in 0..10 {
                kept.step();
                dropped.workspace =
                    Workspace::new(&dropped.model, 1 + step % 2).expect("a workspace");
                dropped.step();
            }
            assert!(kept.bits() == dropped.bits(), "{name}, {solver:?}");
        }
    }
}

#[test]
fn through_a_snapshot() {
    for (name, scene) in SCENES {
        for solver in solvers() {
            let mut whole = Run::new(scene(solver), H, 1);
            whole.steps(7);
            let bytes = snapshot::encode(&whole.state, 42);
            whole.steps(7);
            let mut resumed = Run::new(scene(solver), H, 1);
            resumed.state = snapshot::decode(&bytes, &resumed.model, 42).expect("a snapshot");
            resumed.time = 0.0;
            (0..7).for_each(|_| resumed.time += H);
            resumed.steps(7);
            assert!(whole.bits() == resumed.bits(), "{name}, {solver:?}");
            assert_eq!(whole.state.steps, resumed.state.steps);
        }
    }
}

#[test]
fn damaged_snapshots_are_refused() {
    let mut run = Run::new(company(projective(5, 5, 0.0)), H, 1);
    run.steps(2);
    let bytes = snapshot::encode(&run.state, 7);
    let decode = |bytes: &[u8], key: u64| snapshot::decode(bytes, &run.model, key);
    assert!(decode(&bytes, 7).is_ok());
    assert_eq!(decode(&bytes, 8).err(), Some(SnapshotError::OtherScene));
    let other = bar(projective(5, 5, 0.0));
    assert_eq!(snapshot::decode(&bytes, &other, 7).err(), Some(SnapshotError::OtherScene));
    for length in (0..200).chain((200..bytes.len()).step_by(97)).chain([bytes.len() - 1]) {
        assert!(decode(&bytes[..length], 7).is_err(), "cut to {length} bytes");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(decode(&longer, 7).err(), Some(SnapshotError::Damaged));
    let mut random = Random(1);
    for _ in 0..500 {
        let mut mutated = bytes.clone();
        let at = random.bits() as usize % bytes.len();
        mutated[at] ^= 1 << (random.bits() % 8);
        assert!(decode(&mutated, 7).is_err(), "a flipped bit in byte {at}");
        let noise: Vec<u8> = (0..random.bits() % 300).map(|_| random.bits() as u8).collect();
        assert!(decode(&noise, 7).is_err(), "{noise:?}");
    }
    // A magic word and a plausible header alone are no snapshot either.
    let mut header = bytes[..120].to_vec();
    assert_eq!(decode(&header, 7).err(), Some(SnapshotError::Damaged));
    header[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(decode(&header, 7).err(), Some(SnapshotError::OtherScene));
}

fn start(run: &Run) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; run.model.vertex_count()];
    run.model.to_user_order(run.model.initial_positions(), &mut out);
    out
}

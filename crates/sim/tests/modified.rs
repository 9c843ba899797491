//! Equilibria by Newton's method, by the matrix at rest alone, and with what touches: the same
//! ones.

use crate::bodies::{Run, clamped, distance, newton, quasi_static, rubber};
use pliant_model::method::Solver;
use pliant_model::touching::TouchLaw;
use pliant_model::{Collider, DVec3, ElasticModel, Hold, Model, ModelBuilder, Rigid, Shape};

fn modified(iterations: u32, tolerance: f64) -> Solver {
    Solver::Modified { iterations, history: 5, tolerance }
}

/// A bar of nearly constant volume that sags under its own weight.
fn hanging(solver: Solver) -> Model {
    let bar = rubber(DVec3::new(0.4, 0.25, 0.25), [8, 5, 5], ElasticModel::Tissue);
    clamped(bar, quasi_static(solver), |x| x.x < -0.19)
}

/// Two cubes on each other, and a ball that is pushed into the upper one's side.
fn pressed(solver: Solver) -> Model {
    let cube = |y: f64| {
        let mut body = rubber(DVec3::splat(0.4), [5, 5, 5], ElasticModel::Tissue);
        body.mesh.positions.iter_mut().for_each(|x| *x += DVec3::new(0.1 * y, y, 0.03));
        body
    };
    let (lower, upper) = (cube(-0.2), cube(0.19));
    let at = |body: &pliant_model::Body, is_held: fn(DVec3) -> bool| -> Vec<u32> {
        let all = (0u32..).zip(&body.mesh.positions);
        all.filter(|(_, x)| is_held(**x)).map(|(v, _)| v).collect()
    };
    let (bottom, top) = (at(&lower, |x| x.y < -0.39), at(&upper, |x| x.y > 0.38));
    let ball = Collider::new(Shape::sphere(DVec3::new(0.32, 0.15, 0.0), 0.15), 2e3);
    ModelBuilder::new()
        .body(lower)
        .body(upper)
        .hold(0, bottom, Hold::Hard, None)
        .hold(1, top, Hold::Hard, None)
        .touching(TouchLaw::ELASTIC)
        .collider(ball)
        .gravity(DVec3::ZERO)
        .method(quasi_static(solver))
        .build()
        .expect("a model")
}

#[test]
fn a_bar_comes_to_the_same_rest_by_both_methods() {
    let mut exact = Run::new(hanging(newton(1e-10)), 1.0, 1);
    exact.step();
    let mut fast = Run::new(hanging(modified(40, 1e-8)), 1.0, 1);
    let report = fast.step();
    let sag = distance(&exact.positions(), &Run::new(hanging(newton(1e-10)), 1.0, 1).positions());
    assert!(sag > 0.01, "sags by {sag}");
    let apart = distance(&exact.positions(), &fast.positions());
    assert!(report.residual <= 1e-8 && apart < 1e-6 * sag, "{apart} after {}", report.iterations);
    let mut projective = Run::new(hanging(crate::bodies::projective(400, 5, 1e-8)), 1.0, 1);
    let other = projective.step();
    assert!(
        3 * report.iterations < other.iterations,
        "{} iterations on the matrix at rest, {} on the projective one",
        report.iterations,
        other.iterations
    );
}

#[test]
fn what_is_pressed_together_settles_in_some_iterations() {
    let mut exact = Run::new(pressed(newton(1e-9)), 1.0, 1);
    let report = exact.step();
    assert!(report.contacts.count > 20, "{} touch", report.contacts.count);
    assert!(report.residual <= 1e-9, "{} left", report.residual);
    assert!(report.iterations <= 20, "{} iterations", report.iterations);
    let mut fast = Run::new(pressed(modified(60, 1e-7)), 1.0, 1);
    let report = fast.step();
    let moved = distance(&exact.positions(), &Run::new(pressed(newton(1e-9)), 1.0, 1).positions());
    let apart = distance(&exact.positions(), &fast.positions());
    assert!(report.residual <= 1e-7, "{} left after {}", report.residual, report.iterations);
    assert!(apart < 1e-3 * moved, "{apart} of {moved} apart");
}

#[test]
fn neither_threads_nor_memory_change_a_bit() {
    for solver in [modified(6, 0.0), newton(1e-8)] {
        let run = |threads: usize, forgets: bool| {
            let mut run = Run::new(pressed(solver), 1.0, threads);
            for k in 1..=4 {
                if forgets {
                    run.workspace = pliant_sim::Workspace::new(&run.model, threads).expect("one");
                }
                run.step_with(|_, input| {
                    let mut pose = input.end.colliders[0].to_array();
                    pose[12] -= 0.02 * f64::from(k);
                    input.end.colliders[0] = Rigid::from_array(pose);
                });
            }
            run.bits()
        };
        let once = run(1, false);
        assert!(once == run(3, false), "by threads");
        assert!(once == run(1, true), "by memory");
    }
}

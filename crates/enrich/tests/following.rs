//! How a body follows its input: exactly, softly, or not at all.

use glam::DVec3;
use pliant_enrich::{EmbeddedSurface, EnrichOptions, Enrichment, Simulation, SimulationOptions};
use pliant_math::team::Team;
use pliant_mesh::Mesh;
use pliant_model::ElasticModel;
use pliant_model::method::{Correction, Fepr, Method, Scheme, Solver};

use crate::bodies::{bar, cells};

const FPS: f64 = 30.0;

/// The bar waved about its left end, with ripples finer than any tet.
fn waved(rest: &Mesh, time: f64) -> Vec<DVec3> {
    let wave = |x: &DVec3| {
        let out = x.x + 0.5;
        let ripple = 2e-3 * (40.0 * x.x + 9.0 * time).sin();
        *x + DVec3::new(0.0, 0.2 * out * out * (6.0 * time).sin() + ripple, 0.0)
    };
    rest.positions.iter().map(wave).collect()
}

fn embedded() -> EmbeddedSurface {
    EmbeddedSurface::new(bar([20, 4, 4]), None, &cells(16), &Team::new(1)).unwrap()
}

fn left(positions: &[DVec3]) -> Vec<u32> {
    let ids = (0u32..).zip(positions).filter(|(_, x)| x.x < -0.4).map(|(v, _)| v);
    ids.collect()
}

/// Undamped, weightless flesh.
fn flesh(embedded: &EmbeddedSurface, corrected: bool) -> SimulationOptions {
    let mut flesh = SimulationOptions::flesh(embedded);
    flesh.gravity = DVec3::ZERO;
    flesh.damping = 0.0;
    flesh.integrator.correction = corrected.then_some(Correction::Fepr(Fepr::default()));
    flesh
}

#[test]
fn what_follows_exactly_keeps_the_inputs_bits_and_the_rest_moves() {
    let rest = bar([20, 4, 4]);
    let frames: Vec<Vec<DVec3>> = (0..12).map(|k| waved(&rest, f64::from(k) / FPS)).collect();
    // In inches, so that scaling would show.
    let options = EnrichOptions {
        filling: cells(16),
        exact: Some(left(&rest.positions)),
        unit: 0.0254 / 0.0254f64.powi(2),
        preroll: 2,
        ..EnrichOptions::default()
    };
    let unit = options.unit;
    let scaled = |x: &[DVec3]| -> Vec<DVec3> { x.iter().map(|&x| x / unit).collect() };
    let small = Mesh { positions: scaled(&rest.positions), ..rest.clone() };
    let poses: Vec<Vec<DVec3>> = frames.iter().map(|f| scaled(f)).collect();
    let mut enrichment =
        Enrichment::new(&small, None, &poses, options, |b| flesh(b, true), 1).unwrap();
    assert!(enrichment.is_exact().iter().filter(|e| **e).count() > 30);
    let mut most = 0.0f64;
    for (k, frame) in poses.iter().enumerate() {
        let mut output = frame.clone();
        enrichment.frame(&mut output, poses.get(k + 1).map(|f| &f[..]));
        for (v, &exact) in enrichment.is_exact().iter().enumerate() {
            if exact {
                assert_eq!(output[v], frame[v], "vertex {v} of frame {k}");
            }
            most = most.max(output[v].distance(frame[v]) * unit);
        }
    }
    assert!(most > 0.01, "nothing moved: {most}");
}

#[test]
fn the_stiffer_the_blending_force_the_nearer_to_the_input() {
    let embedded = embedded();
    let exact = left(&embedded.solid.positions);
    let input = |time: f64| waved(&embedded.solid, time);
    let mut last = f64::INFINITY;
    for stiffness in [0.0, 1e2, 1e3, 1e4, 1e6, 1e30] {
        // Damped: a spring that happens to swing with the input would be carried beyond it.
        let damped = SimulationOptions { damping: 10.0, ..flesh(&embedded, false) };
        let weights = vec![stiffness; embedded.solid.positions.len()];
        let mut simulation = Simulation::new(&embedded, &exact, &weights, &damped, 1).unwrap();
        let mut now = input(0.0);
        simulation.start(&now, &vec![DVec3::ZERO; now.len()]);
        let mut out = now.clone();
        let mut most = 0.0f64;
        for k in 1..=30 {
            let next = input(f64::from(k) / FPS);
            simulation.advance([f64::from(k) / FPS, 1.0 / FPS], [&now, &next], &weights, &mut out);
            now = next;
            most = out.iter().zip(&now).map(|(a, b)| a.distance(*b)).fold(most, f64::max);
        }
        assert!(most < last, "W = {stiffness}: {most} is not less than {last}");
        last = most;
    }
    assert!(last < 1e-9, "W = 1e30 is {last} off");
}

#[test]
fn without_a_blending_force_the_input_of_what_is_free_does_not_count() {
    let embedded = embedded();
    let exact = left(&embedded.solid.positions);
    let none = vec![0.0; embedded.solid.positions.len()];
    let options = SimulationOptions { substeps: Some(1), ..flesh(&embedded, true) };
    let outcome = |astray: DVec3| {
        let mut simulation = Simulation::new(&embedded, &exact, &none, &options, 1).unwrap();
        let input = |k: i32| -> Vec<DVec3> {
            let mut input = waved(&embedded.solid, f64::from(k) / FPS);
            let free = (0..input.len()).filter(|v| exact.binary_search(&(*v as u32)).is_err());
            free.for_each(|v| input[v] += f64::from(k) * astray);
            input
        };
        let mut now = input(0);
        simulation.start(&now, &vec![DVec3::ZERO; now.len()]);
        let mut out = now.clone();
        for k in 1..=8 {
            let next = input(k);
            simulation.advance([f64::from(k) / FPS, 1.0 / FPS], [&now, &next], &none, &mut out);
            now = next;
        }
        out
    };
    let [near, far] = [DVec3::ZERO, DVec3::new(0.3, -0.2, 0.1)].map(outcome);
    let most = near.iter().zip(&far).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    // Rounding, where the one input has gone more than two metres away from the other.
    assert!(most < 1e-6, "{most}");
}

#[test]
fn haste_takes_more_steps() {
    let embedded = embedded();
    let exact = left(&embedded.solid.positions);
    let weights = vec![1e3; embedded.solid.positions.len()];
    for (degrees, steps) in [(10.0, 1), (50.0, 2), (100.0, 4)] {
        let mut simulation =
            Simulation::new(&embedded, &exact, &weights, &flesh(&embedded, true), 1).unwrap();
        let turned = |k: f64| -> Vec<DVec3> {
            let turn = glam::DMat3::from_rotation_z(k * f64::to_radians(degrees));
            embedded.solid.positions.iter().map(|&x| turn * x).collect()
        };
        let mut now = turned(0.0);
        simulation.start(&now, &vec![DVec3::ZERO; now.len()]);
        let mut out = now.clone();
        for k in 1..=4 {
            let next = turned(f64::from(k));
            let times = [f64::from(k) / FPS, 1.0 / FPS];
            let report = simulation.advance(times, [&now, &next], &weights, &mut out);
            assert_eq!(simulation.steps_taken(), steps, "at {degrees}° per frame");
            assert!(!report.rolled_back);
            now = next;
        }
    }
}

#[test]
fn poses_that_have_nothing_to_do_with_each_other_settle_by_themselves() {
    let rest = bar([20, 4, 4]);
    // Curled up, and straight.
    let curled = |by: f64| -> Vec<DVec3> {
        let curl = |x: &DVec3| {
            let (sine, cosine) = (by * x.x).sin_cos();
            DVec3::new((1.0 / by - x.y) * sine, 1.0 / by - (1.0 / by - x.y) * cosine, x.z)
        };
        rest.positions.iter().map(curl).collect()
    };
    let poses = vec![curled(5.0), curled(0.01), curled(5.0), curled(4.8)];
    let options = EnrichOptions {
        filling: cells(16),
        exact: Some(left(&rest.positions)),
        map: Some(vec![0.5; rest.positions.len()]),
        ..EnrichOptions::default()
    };
    let mut enrichment =
        Enrichment::new(&rest, None, &poses, options, |b| flesh(b, true), 1).unwrap();
    let mut cuts = Vec::new();
    for (k, pose) in poses.iter().enumerate() {
        let mut output = pose.clone();
        let report = enrichment.frame(&mut output, poses.get(k + 1).map(|f| &f[..]));
        cuts.push(report.is_cut);
        let most = output.iter().zip(pose).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(most < 0.1, "frame {k} is thrown {most} m");
    }
    assert_eq!(cuts, [false, true, true, false]);
}

#[test]
fn motion_lives_on_after_the_input_has_stopped() {
    let embedded = embedded();
    let exact = left(&embedded.solid.positions);
    let kept = |corrected: bool| {
        let (weights, flesh) =
            (vec![0.0; embedded.solid.positions.len()], flesh(&embedded, corrected));
        let mut simulation = Simulation::new(&embedded, &exact, &weights, &flesh, 1).unwrap();
        let mut now = embedded.solid.positions.clone();
        simulation.start(&now, &vec![DVec3::ZERO; now.len()]);
        let mut out = now.clone();
        // Shaken as a whole: what holds the body is not strained, and all energy is in its motion.
        let shaken = |time: f64| -> Vec<DVec3> {
            let shift = DVec3::Y * (0.1 * (6.0 * time).sin());
            embedded.solid.positions.iter().map(|&x| x + shift).collect()
        };
        let mut advance = |time: f64, now: &mut Vec<DVec3>| {
            let next = shaken(time);
            let report = simulation.advance([time, 1.0 / FPS], [now, &next], &weights, &mut out);
            *now = next;
            report.energy.total()
        };
        for k in 1..=20 {
            advance(f64::from(k) / FPS, &mut now);
        }
        let stopped = advance(20.0 / FPS, &mut now);
        assert!(stopped > 0.0);
        (1..=60).map(|_| advance(20.0 / FPS, &mut now)).last().unwrap() / stopped
    };
    let (with, without) = (kept(true), kept(false));
    assert!((with - 1.0).abs() < 0.01, "FEPR keeps {with}");
    assert!(without < 0.2, "backward Euler keeps {without}");
}

#[test]
fn any_scheme_of_the_engine_follows() {
    let embedded = embedded();
    let exact = left(&embedded.solid.positions);
    for scheme in [Scheme::BackwardEuler, Scheme::Bdf2, Scheme::ImplicitMidpoint] {
        let mut flesh = flesh(&embedded, true);
        flesh.model = ElasticModel::Corotated;
        flesh.integrator = Method {
            scheme,
            solver: Solver::Newton { iterations: 1, tolerance: 1e-12 },
            ..flesh.integrator
        };
        let weights = vec![0.0; embedded.solid.positions.len()];
        let mut simulation = Simulation::new(&embedded, &exact, &weights, &flesh, 1).unwrap();
        let mut now = embedded.solid.positions.clone();
        simulation.start(&now, &vec![DVec3::ZERO; now.len()]);
        let mut out = now.clone();
        for k in 1..=10 {
            let next = waved(&embedded.solid, f64::from(k) / FPS);
            let report = simulation.advance(
                [f64::from(k) / FPS, 1.0 / FPS],
                [&now, &next],
                &weights,
                &mut out,
            );
            assert!(!report.rolled_back, "{scheme:?}");
            now = next;
        }
        for &v in &exact {
            assert_eq!(out[v as usize], now[v as usize], "{scheme:?}");
        }
    }
}

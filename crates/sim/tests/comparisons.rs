//! The other energy-conserving corrections, and what FEPR does better than each of them.

use crate::bodies::{Run, newton, projective};
use pliant_mesh::Mesh;
use pliant_model::method::{
    Correction, Fepr, FeprMetric, FeprMomenta, FeprSolution, Method, Scheme, Solver,
};
use pliant_model::potentials::tetrahedra::Lame;
use pliant_model::{Body, DVec3, ElasticModel, Matter, ModelBuilder};
use pliant_sim::{State, Workspace};
use serde_json::Value;

const H: f64 = 1.0 / 30.0;
const BLEND: Correction = Correction::Blend { epsilon: 0.01 };

fn fixture() -> [Value; 2] {
    let read = |text: &str| serde_json::from_str(text).expect("a fixture");
    let cube = include_str!("fixtures/spinning_cube.json");
    [read(cube), read(include_str!("fixtures/corrections.json"))]
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}

fn vectors(value: &Value) -> Vec<DVec3> {
    numbers(value).chunks_exact(3).map(DVec3::from_slice).collect()
}

fn integrator(scheme: Scheme, solver: Solver, correction: Correction) -> Method {
    Method { scheme, solver, correction: Some(correction), damping: None }
}

/// The stretched, spinning cube of the reference, with μ = λ [Pa].
fn cube_body(mu: f64) -> Body {
    let [data, _] = fixture();
    let tets: Vec<[u32; 4]> =
        numbers(&data["T"]).chunks_exact(4).map(|t| [0, 1, 2, 3].map(|c| t[c] as u32)).collect();
    let lame = vec![Lame { mu, lambda: mu }; tets.len()];
    let mesh = Mesh::solid(vectors(&data["X"]), tets);
    let matter = Matter::Solid { model: ElasticModel::Corotated, lame, density: 1.0 };
    Body {
        positions: Some(vectors(&data["x0"])),
        velocities: Some(vectors(&data["v0"])),
        ..Body::new("cube", mesh, matter)
    }
}

fn cube(mu: f64, integrator: Method) -> Run {
    let builder = ModelBuilder::new().body(cube_body(mu)).gravity(DVec3::ZERO);
    Run::new(builder.method(integrator).build().expect("a model"), H, 1)
}

/// What a run showed.
#[derive(Debug, Default)]
struct Seen {
    /// Largest |energy − target| of the target.
    off: f64,
    failures: u32,
    /// Mean of |α|.
    blend: f64,
    /// Angular momentum at the end, of that at the beginning.
    turning: f64,
    /// Linear momentum at the end [kg m/s].
    drifting: f64,
}

fn watch(run: &mut Run, steps: usize) -> Seen {
    let mut seen = Seen::default();
    let State { positions, velocities, .. } = &run.state;
    let start = pliant_sim::measure::momentum(run.model.masses(), positions, velocities);
    for _ in 0..steps {
        let report = run.step();
        let target = run.state.accounts[0].target().expect("a corrected run has a target");
        seen.off = seen.off.max((report.energy.total() - target).abs() / target.abs());
        seen.failures += u32::from(report.correction_failed);
        seen.blend += report.blend.abs() / steps as f64;
        seen.turning = report.momentum.angular.length() / start.angular.length();
        seen.drifting = report.momentum.linear.length();
    }
    seen
}

#[test]
fn blended_steps_are_the_reference_s() {
    let [_, data] = fixture();
    let data = &data["blend"];
    let (alphas, energies, spins) =
        (numbers(&data["alpha"]), numbers(&data["H"]), numbers(&data["Lz"]));
    let mut run = cube(100.0, integrator(Scheme::ImplicitMidpoint, newton(1e-13), BLEND));
    for (n, alpha) in alphas.iter().enumerate() {
        let report = run.step();
        assert_eq!(report.blend, *alpha, "step {n}");
        let off = (report.energy.total() - energies[n + 1]).abs() / energies[0];
        assert!(off < 1e-10, "step {n}: energy off by {off:e}");
        let off = (report.momentum.angular.z - spins[n + 1]).abs() / spins[0];
        assert!(off < 1e-10, "step {n}: spin off by {off:e}");
    }
}

/// Thesis Fig. 3.10, and Fig. 18 of the FEPR paper.
#[test]
fn blending_keeps_the_energy_to_a_hundredth_but_not_the_spin() {
    let solver = projective(20, 5, 0.0);
    for (mu, steps) in [(100.0, 1000), (1000.0, 1500)] {
        let blended = integrator(Scheme::ImplicitMidpoint, solver, BLEND);
        let seen = watch(&mut cube(mu, blended), steps);
        assert!(seen.off <= 0.0101 && seen.failures == 0, "μ = {mu}: {seen:?}");
        assert!((seen.turning - 1.0).abs() > 0.05, "μ = {mu}: {seen:?}");
        // A soft body needs little of it.
        assert!(mu > 100.0 || seen.blend < 0.05, "μ = {mu}: {seen:?}");
        let projected =
            integrator(Scheme::ImplicitMidpoint, solver, Correction::Fepr(Fepr::default()));
        let seen = watch(&mut cube(mu, projected), 200);
        assert!(seen.off < 1e-8 && (seen.turning - 1.0).abs() < 1e-8, "μ = {mu}: {seen:?}");
    }
}

/// Thesis Fig. 3.12: an explicit base explodes at such steps, and nearly nothing is left of it.
#[test]
fn blending_a_stiff_explicit_step_is_backward_euler() {
    let blended = integrator(Scheme::SymplecticEuler, projective(20, 5, 0.0), BLEND);
    let seen = watch(&mut cube(1000.0, blended), 300);
    assert!(seen.off <= 0.0101 && seen.failures == 0, "{seen:?}");
    assert!(seen.blend > 0.95 && seen.turning < 0.7, "{seen:?}");
}

/// Fig. 14 of the FEPR paper.
#[test]
fn a_lagrange_multiplier_keeps_the_energy_and_stops_the_turning() {
    let solver = projective(20, 5, 0.0);
    for (mu, steps) in [(100.0, 1000), (1000.0, 300)] {
        let constrained = integrator(Scheme::ImplicitMidpoint, solver, Correction::Lagrange);
        let seen = watch(&mut cube(mu, constrained), steps);
        assert!(seen.off < 1e-8 && seen.failures == 0, "μ = {mu}: {seen:?}");
        assert!(seen.turning < 0.3, "μ = {mu}: {seen:?}");
    }
    for scheme in [Scheme::BackwardEuler, Scheme::Bdf2, Scheme::Trapezoidal] {
        for solver in [solver, newton(1e-9)] {
            let constrained = integrator(scheme, solver, Correction::Lagrange);
            let seen = watch(&mut cube(100.0, constrained), 60);
            assert!(seen.off < 1e-8 && seen.failures == 0, "{scheme:?}, {solver:?}: {seen:?}");
        }
    }
}

#[test]
fn a_multiplier_needs_a_minimisation() {
    let explicit = integrator(Scheme::SymplecticEuler, newton(1e-9), Correction::Lagrange);
    let builder = ModelBuilder::new().body(cube_body(100.0)).method(explicit);
    let error = builder.build().err().expect("an error");
    assert!(error.to_string().contains("expected an implicit scheme"), "{error}");
}

#[test]
fn scaled_velocities_keep_energy_and_momenta_of_a_soft_body() {
    let scaled = integrator(Scheme::ImplicitMidpoint, newton(1e-12), Correction::Velocity);
    let seen = watch(&mut cube(100.0, scaled), 100);
    assert!(seen.off < 1e-8 && seen.failures == 0, "{seen:?}");
    assert!((seen.turning - 1.0).abs() < 1e-6 && seen.drifting < 1e-9, "{seen:?}");
}

/// Fig. 17 of the FEPR paper: where the potential energy alone is too high, there is no velocity to
/// be taken.
#[test]
fn scaled_velocities_fail_on_a_soft_hanging_bar_where_projection_does_not() {
    let hanging = |correction: Correction| {
        let mut body =
            crate::bodies::rubber(DVec3::new(1.0, 0.2, 0.2), [8, 2, 2], ElasticModel::Corotated);
        if let Matter::Solid { lame, .. } = &mut body.matter {
            lame.fill(Lame::of(2e4, 0.3));
        }
        let converged = integrator(Scheme::ImplicitMidpoint, newton(1e-9), correction);
        let mut run = Run::new(crate::bodies::clamped(body, converged, |x| x.x < -0.49), H, 1);
        let (mut failures, mut gained, mut moving) = (0, 0.0f64, 0.0f64);
        for _ in 0..200 {
            let report = run.step();
            let target = run.state.accounts[0].target().expect("a target");
            failures += u32::from(report.correction_failed);
            gained = gained.max(report.energy.total() - target);
            moving = moving.max(report.energy.kinetic);
        }
        (failures, gained / moving)
    };
    let (failures, gained) = hanging(Correction::Velocity);
    assert!(failures > 5 && gained > 0.1, "{failures} failures, {gained} gained");
    let (failures, gained) = hanging(Correction::Fepr(Fepr::default()));
    assert!(failures == 0 && gained < 1e-8, "{failures} failures, {gained} gained");
    let (failures, gained) = hanging(BLEND);
    assert!(failures == 0 && gained < 0.02, "{failures} failures, {gained} gained");
}

/// Distance of two states in the metric D = diag(M, h²M) [kg^½ m].
fn distance(run: &Run, a: &State, b: &State) -> f64 {
    let square = |i: usize| {
        let (x, v) = (a.positions[i] - b.positions[i], a.velocities[i] - b.velocities[i]);
        run.model.masses()[i] * (x.times(x).sum() + H * H * v.times(v).sum())
    };
    (0..run.model.vertex_count()).map(square).sum::<f64>().sqrt()
}

/// Fig. 3 of the FEPR paper: the fast solution is nearly as close as the exact one, and the
/// anchored one, where it converges, is the exact one. All from the states of the fast run.
#[test]
fn the_fast_projection_is_nearly_as_close_as_the_exact_one() {
    let [_, data] = fixture();
    let weight = |run: &Run| {
        let radius = run.model.bodies()[0].radius;
        run.model.masses().iter().sum::<f64>() * radius * radius
    };
    let solver = newton(1e-13);
    let plain = Method { scheme: Scheme::ImplicitMidpoint, solver, ..Method::default() };
    let mut uncorrected = cube(1000.0, plain);
    let epsilon = 1e-3 / weight(&uncorrected);
    let projected = |solution: FeprSolution| {
        let momenta = FeprMomenta::Paper { epsilon };
        let fepr = Fepr { metric: FeprMetric::Mass, momenta, filter: 0.0, solution };
        cube(1000.0, integrator(Scheme::ImplicitMidpoint, solver, Correction::Fepr(fepr)))
    };
    let [mut fast, mut exact, mut anchored] =
        [FeprSolution::Fast, FeprSolution::Exact, FeprSolution::Anchored].map(projected);
    for (n, row) in data["projections"].as_array().expect("rows").iter().enumerate() {
        for run in [&mut uncorrected, &mut exact, &mut anchored] {
            run.state.copy_from(&fast.state);
        }
        uncorrected.step();
        let reports = [fast.step(), exact.step(), anchored.step()];
        let far = [&fast, &exact, &anchored].map(|r| distance(r, &r.state, &uncorrected.state));
        assert!(!reports[0].correction_failed && !reports[1].correction_failed, "step {n}");
        // The closest is closest, and the fast one no more than a third farther.
        assert!(far[1] <= far[0] * (1.0 + 1e-6), "step {n}: {far:?}");
        assert!(far[0] <= 1.35 * far[1], "step {n}: {far:?}");
        // Eq. 7 converges where it did in the reference, to the same state as Eq. 2.
        let settles = row["anchored"].as_i64().expect("a number") >= 0;
        assert_eq!(!reports[2].correction_failed, settles, "step {n}");
        if settles {
            assert!((far[2] - far[1]).abs() < 1e-6 * far[1], "step {n}: {far:?}");
            let iterations = reports.map(|report| report.correction_iterations);
            assert!(iterations[2] + 1 >= iterations[0], "step {n}: {iterations:?}");
        }
        let total = |k: usize| reports[k].energy.total();
        assert!((total(0) - total(1)).abs() < 1e-8 * total(0), "step {n}");
        // Before motion amplifies rounding, distances are the reference's.
        if n < 4 {
            let reference = row["fast_distance"].as_f64().expect("a number");
            assert!(
                (far[0] - reference).abs() < 1e-4 * reference,
                "step {n}: {far:?}, {reference}"
            );
            if let Some(reference) = row["anchored_distance"].as_f64() {
                assert!((far[1] - reference).abs() < 1e-3 * reference, "step {n}: {far:?}");
            }
        }
        let most = reports[0].correction_iterations.max(reports[1].correction_iterations);
        assert!(most <= 20, "step {n}: {most} iterations");
    }
}

#[test]
fn corrections_give_the_same_bits_on_any_number_of_threads_and_with_any_workspace() {
    let exact = Fepr { metric: FeprMetric::Mass, solution: FeprSolution::Exact, ..Fepr::default() };
    let corrections = [BLEND, Correction::Velocity, Correction::Lagrange, Correction::Fepr(exact)];
    for correction in corrections {
        let run = |threads: usize, forgets: bool| {
            let options = integrator(Scheme::ImplicitMidpoint, projective(10, 5, 0.0), correction);
            let builder = ModelBuilder::new().body(cube_body(1000.0)).gravity(DVec3::ZERO);
            let model = builder.method(options).build().expect("a model");
            let mut run = Run::new(model, H, threads);
            for _ in 0..8 {
                run.step();
                if forgets {
                    run.workspace = Workspace::new(&run.model, threads).expect("a workspace");
                }
            }
            run.bits()
        };
        let bits = run(1, false);
        assert!(bits == run(2, false), "{correction:?}: threads");
        assert!(bits == run(1, true), "{correction:?}: a new workspace");
    }
}

/// A body's correction is its own business: far from it another one does what it does alone.
#[test]
fn bodies_apart_are_corrected_apart() {
    // The constrained step stops where its objective would change by 1e-8: p is known to 1e-4.
    let corrections = [(BLEND, 1e-6), (Correction::Velocity, 1e-6), (Correction::Lagrange, 1e-4)];
    for (correction, tolerance) in corrections {
        let options = integrator(Scheme::ImplicitMidpoint, newton(1e-12), correction);
        let moved = |mu: f64, by: f64| {
            let mut body = cube_body(mu);
            let shift = |x: &mut DVec3| x.x += by;
            body.mesh.positions.iter_mut().for_each(shift);
            body.positions.iter_mut().flatten().for_each(shift);
            body
        };
        let run = |bodies: &[Body]| {
            let add = |builder: ModelBuilder, body: &Body| builder.body(body.clone());
            let builder = bodies.iter().fold(ModelBuilder::new(), add).gravity(DVec3::ZERO);
            let mut run = Run::new(builder.method(options).build().expect("a model"), H, 1);
            run.steps(10);
            run
        };
        let both = [moved(100.0, -3.0), moved(150.0, 3.0)];
        let together = run(&both);
        for (b, body) in both.iter().enumerate() {
            let alone = run(std::slice::from_ref(body));
            let kinetic = |run: &Run, b: usize| {
                let body = &run.model.bodies()[b];
                pliant_sim::measure::kinetic_of(&run.model, body, &run.state.velocities)
            };
            let (own, shared) = (kinetic(&alone, 0), kinetic(&together, b));
            let off = (own - shared).abs() / own;
            assert!(off < tolerance, "{correction:?}, body {b}: {off:e}");
        }
    }
}

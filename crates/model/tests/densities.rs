//! Every energy density through one tester: against independent reference values, against
//! differences, lanes against scalars on every instruction set, projections, frame invariance.

use glam::{DMat3, DVec3, EulerRot};
use pliant_math::decomposition::{load_matrix, svd_rotation_variant};
use pliant_math::derivative::{gradient_error, hessian_error};
use pliant_math::lanes::{Kernel, Lanes, PlainF64, WIDTH_F64};
use pliant_model::material::corotated::Corotated;
use pliant_model::material::invertible_stvk::{InvertibleStVenantKirchhoff, THRESHOLD};
use pliant_model::material::neo_hookean::{StableNeoHookean, model_parameters};
use pliant_model::material::stvk::StVenantKirchhoff;
use pliant_model::material::tissue::Tissue;
use pliant_model::material::{Density, ElasticModel, Matrix9, VisitDensity};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Runs a generic check for every density.
macro_rules! every_density {
    ($check:ident) => {{
        struct Check;
        impl VisitDensity for Check {
            type Output = ();
            fn visit<D: Density>(self) {
                $check::<D>();
            }
        }
        for model in ElasticModel::ALL {
            model.visit(Check);
        }
    }};
}

const MU: f64 = 1.3;
const LAMBDA: f64 = 2.7;

#[test]
fn reference_values() {
    // (reference, λ relative to ours, ψ(I) of the reference)
    check_reference::<Corotated>("corotated", 1.0, 0.0);
    check_reference::<StVenantKirchhoff>("stvk", 1.0, 0.0);
    let alpha = 1.0 + 0.75 * MU / LAMBDA;
    let at_rest = 0.5 * LAMBDA * (1.0 - alpha).powi(2) - 0.5 * MU * 4f64.ln();
    check_reference::<StableNeoHookean>("neohookean_stable_smith2018", 1.0, at_rest);
    check_reference::<Tissue>("phace_passive", 2.0, 0.0);
}

#[test]
fn derivatives_match_differences() {
    every_density!(check_derivatives);
}

#[test]
fn lanes_match_scalars() {
    every_density!(check_lanes);
}

#[test]
fn padding_lanes_are_zero() {
    every_density!(check_padding);
}

#[test]
fn projected_hessians() {
    every_density!(check_projection);
}

#[test]
fn frames_and_rest() {
    every_density!(check_invariance);
}

#[test]
fn inverted_elements_turn_back() {
    every_density!(check_recovery);
}

#[test]
fn degenerate_matrices_stay_finite() {
    every_density!(check_degenerate);
}

#[test]
fn invertible_stvk_is_stvk_above_the_threshold() {
    let f = turn(0.3, 1.0, -0.4) * DMat3::from_diagonal(DVec3::new(1.7, 0.9, THRESHOLD + 1e-3));
    let (energy, stress) = InvertibleStVenantKirchhoff::stress(&f, MU, LAMBDA);
    let (wanted, wanted_stress) = StVenantKirchhoff::stress(&f, MU, LAMBDA);
    assert!((energy - wanted).abs() < 1e-14 && stress.abs_diff_eq(wanted_stress, 1e-14));
    // C¹ across it
    let across = |side: f64| {
        let flat = DMat3::from_diagonal(DVec3::new(1.2, 1.0, THRESHOLD + side * 1e-9));
        InvertibleStVenantKirchhoff::stress(&flat, MU, LAMBDA)
    };
    let ((below, stress_below), (above, stress_above)) = (across(-1.0), across(1.0));
    assert!((below - above).abs() < 1e-8 && stress_below.abs_diff_eq(stress_above, 1e-7));
}

#[test]
fn neo_hookean_parameters_are_those_of_linear_elasticity() {
    let (mu, lambda) = model_parameters(MU, LAMBDA);
    let linear = Corotated::hessian(&DMat3::IDENTITY, MU, LAMBDA);
    let difference =
        distance(&StableNeoHookean::hessian(&DMat3::IDENTITY, mu, lambda), &linear, 1.0);
    assert!(difference < 1e-14, "{difference}");
}

#[test]
fn names_are_those_of_scene_files() {
    struct Name;
    impl VisitDensity for Name {
        type Output = &'static str;
        fn visit<D: Density>(self) -> &'static str {
            D::NAME
        }
    }
    for model in ElasticModel::ALL {
        assert_eq!(model.visit(Name), model.name());
    }
}

fn check_reference<D: Density>(name: &str, lambda_factor: f64, at_rest: f64) {
    let text = include_str!("fixtures/energies.json");
    let file: serde_json::Value = serde_json::from_str(text).expect("the fixture is JSON");
    let cases = file["cases"].as_array().expect("cases");
    let mut states = 0;
    for case in cases.iter().filter(|case| case["energy"] == name) {
        let what = format!("{name}, {}", case["state"]);
        let number = |key: &str| case[key].as_f64().expect(key);
        let (mu, lambda, volume) = (number("mu"), lambda_factor * number("lambda"), number("V"));
        let f = matrix_by_rows(&numbers(&case["F"]));
        let (energy, stress) = D::stress(&f, mu, lambda);
        let value = number("value") - volume * at_rest;
        let scale = value.abs().max(volume * at_rest.abs()).max(1e-6);
        assert!((volume * energy - value).abs() <= 1e-10 * scale, "{what}: {energy}");
        let stress = stress.transpose().to_cols_array();
        let wanted = numbers(&case["P"]);
        assert!(largest_gap(&stress, &wanted) <= 1e-10 * largest(&wanted).max(MU), "{what}");

        let slopes = slopes(&numbers(&case["X"]));
        let gradient: Vec<f64> = (0..12)
            .map(|a| volume * (0..9).map(|k| slope(&slopes, k, a) * stress[k]).sum::<f64>())
            .collect();
        let wanted = numbers(&case["grad"]);
        let tolerance = 1e-10 * largest(&wanted).max(volume * MU);
        assert!(largest_gap(&gradient, &wanted) <= tolerance, "{what}");

        let mut hessians = vec![("hess", D::hessian(&f, mu, lambda))];
        if !case["hess_spd_projected"].is_null() {
            hessians.push(("hess_spd_projected", D::projected_hessian(&f, mu, lambda)));
        }
        for (key, hessian) in hessians {
            let ours: Vec<f64> =
                (0..144).map(|at| volume * through(&slopes, &hessian, at / 12, at % 12)).collect();
            let wanted = numbers(&case[key]);
            assert!(largest_gap(&ours, &wanted) <= 1e-9 * largest(&wanted), "{what}: {key}");
        }
        states += 1;
    }
    assert_eq!(states, 5, "{name}");
}

fn check_derivatives<D: Density>() {
    for_matrices(400, |f| {
        // differences need room: creases of |σ₂ + σ₃| and the threshold of the extension
        let sigma = svd_rotation_variant(f).sigma;
        let threshold_gap = (sigma - DVec3::splat(THRESHOLD)).abs().min_element();
        let invertible = D::NAME == InvertibleStVenantKirchhoff::NAME;
        if sigma.y + sigma.z < 0.1 || invertible && threshold_gap < 0.03 {
            return;
        }
        let x = f.transpose().to_cols_array();
        let energy = |x: &[f64]| D::stress(&matrix_by_rows(x), MU, LAMBDA).0;
        let stress = |x: &[f64]| {
            D::stress(&matrix_by_rows(x), MU, LAMBDA).1.transpose().to_cols_array().to_vec()
        };
        let hessian = |x: &[f64]| D::hessian(&matrix_by_rows(x), MU, LAMBDA).concat();
        let error = hessian_error(stress, hessian, &x);
        assert!(error < 1e-8, "{}: Hessian off by {error} at {f:?}", D::NAME);
        // a gradient that vanishes has no relative error
        if largest(&stress(&x)) > 0.05 {
            let error = gradient_error(energy, stress, &x);
            assert!(error < 1e-8, "{}: gradient off by {error} at {f:?}", D::NAME);
        }
    });
}

fn check_lanes<D: Density>() {
    let mut matrices = Vec::new();
    for_matrices(2000, |f| matrices.push(*f));
    // a difficult lane sends its batch another way: keep similar ones together, too
    let mut sorted = matrices.clone();
    sorted.sort_by_key(|f| (svd_rotation_variant(f).sigma.element_sum() * 1e9) as i64);
    matrices.extend(sorted);
    for batch in matrices.chunks_exact(WIDTH_F64) {
        let by_rows: Vec<[f64; 9]> = batch.iter().map(|f| f.transpose().to_cols_array()).collect();
        let evaluate = Evaluate::<D>::new(
            std::array::from_fn(|k| std::array::from_fn(|lane| by_rows[lane][k])),
            [MU; WIDTH_F64],
            [LAMBDA; WIDTH_F64],
        );
        let outcome = on_every_instruction_set(evaluate);
        for (lane, f) in batch.iter().enumerate() {
            let (energy, stress) = D::stress(f, MU, LAMBDA);
            let stress = stress.transpose().to_cols_array();
            let size = f.to_cols_array().iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            // near rest, roundings of F itself change ψ by P·ε
            let slack = 1e-12 * energy.abs() + 2e-14 * largest(&stress) * size + 1e-28;
            for ours in [outcome.energy[lane], outcome.energy_alone[lane]] {
                let gap = (ours - energy).abs();
                assert!(gap <= slack, "{}: {ours}, not {energy} at {f:?}", D::NAME);
            }
            // where two rotations are equally close, their stresses differ
            let sigma = svd_rotation_variant(f).sigma;
            let unique = sigma.y + sigma.z;
            if unique > 1e-6 {
                let ours: [f64; 9] = std::array::from_fn(|k| outcome.stress[k][lane]);
                let scale = largest(&stress).max(MU);
                let gap = largest_gap(&ours, &stress);
                let tolerance = (1e-12 + 1e-14 / unique) * scale;
                assert!(gap <= tolerance, "{}: off by {gap} at {f:?}", D::NAME);
            }
        }
    }
}

fn check_padding<D: Density>() {
    let f = turn(0.3, 0.4, 0.5) * DMat3::from_diagonal(DVec3::new(1.0, 0.3, -0.2));
    let examples = [DMat3::ZERO, DMat3::IDENTITY, f, -f, f * 100.0, f * 1e-3, f, DMat3::ZERO];
    let by_rows = examples.map(|f| f.transpose().to_cols_array());
    let entries = std::array::from_fn(|k| std::array::from_fn(|lane| by_rows[lane][k]));
    let zero = [0.0; WIDTH_F64];
    let outcome = on_every_instruction_set(Evaluate::<D>::new(entries, zero, zero));
    assert_eq!((outcome.energy, outcome.energy_alone), (zero, zero), "{}", D::NAME);
    assert_eq!(outcome.stress, [zero; 9], "{}", D::NAME);
    for f in examples {
        assert_eq!(D::stress(&f, 0.0, 0.0), (0.0, DMat3::ZERO), "{}", D::NAME);
        assert_eq!(D::hessian(&f, 0.0, 0.0), [[0.0; 9]; 9], "{}", D::NAME);
    }
}

fn check_projection<D: Density>() {
    let (mut convex, mut indefinite) = (0, 0);
    for_matrices(400, |f| {
        let exact = D::hessian(f, MU, LAMBDA);
        let projected = D::projected_hessian(f, MU, LAMBDA);
        let scale = largest(&exact.concat());
        for (i, j) in (0..9).flat_map(|i| (0..9).map(move |j| (i, j))) {
            assert_eq!(projected[i][j], projected[j][i], "{} at {f:?}", D::NAME);
        }
        let lowest = lowest_eigenvalue(&projected);
        assert!(lowest > -1e-13 * scale, "{}: {lowest} at {f:?}", D::NAME);
        let lowest = lowest_eigenvalue(&exact);
        if lowest > 1e-12 * scale {
            convex += 1;
            assert_eq!(exact, projected, "{} at {f:?}", D::NAME);
        } else if lowest < -1e-12 * scale {
            indefinite += 1;
            // what was taken away is positive semi-definite, and not more than necessary
            let mut taken = projected;
            for (i, j) in (0..9).flat_map(|i| (0..9).map(move |j| (i, j))) {
                taken[i][j] -= exact[i][j];
            }
            assert!(lowest_eigenvalue(&taken) > -1e-13 * scale, "{} at {f:?}", D::NAME);
            let product: f64 = (0..81).map(|k| taken[k / 9][k % 9] * projected[k / 9][k % 9]).sum();
            assert!(product.abs() < 1e-12 * scale * scale, "{}: {product} at {f:?}", D::NAME);
        }
    });
    assert!(convex > 20 && indefinite > 20, "{}: {convex}, {indefinite}", D::NAME);
}

fn check_invariance<D: Density>() {
    let q = turn(1.1, -0.3, 2.0);
    assert!(D::stress(&q, MU, LAMBDA).0.abs() < 1e-28, "{}", D::NAME);
    assert!(D::stress(&q, MU, LAMBDA).1.abs_diff_eq(DMat3::ZERO, 1e-14), "{}", D::NAME);
    for_matrices(200, |f| {
        let (energy, stress) = D::stress(f, MU, LAMBDA);
        let slack = 1e-13 * (energy + largest(&stress.to_cols_array()));
        let (turned, turned_stress) = D::stress(&(q * *f), MU, LAMBDA);
        assert!((turned - energy).abs() <= slack, "{} at {f:?}", D::NAME);
        let (isotropic, _) = D::stress(&(*f * q), MU, LAMBDA);
        assert!((isotropic - energy).abs() <= slack, "{} at {f:?}", D::NAME);
        let sigma = svd_rotation_variant(f).sigma;
        if sigma.y + sigma.z > 0.01 {
            let scale = largest(&stress.to_cols_array()).max(1.0);
            assert!(turned_stress.abs_diff_eq(q * stress, 1e-12 * scale), "{} at {f:?}", D::NAME);
        }
        // homogeneous in (μ, λ)
        let doubled = D::stress(f, 2.0 * MU, 2.0 * LAMBDA).0;
        assert!((doubled - 2.0 * energy).abs() <= 1e-15 * energy, "{} at {f:?}", D::NAME);
    });
}

/// From inside out, the energy must fall all the way to rest for the models that recover.
fn check_recovery<D: Density>() {
    let along = |s: f64| D::stress(&DMat3::from_diagonal(DVec3::new(1.0, 1.0, s)), MU, LAMBDA).0;
    let steps = (0..=38).map(|k| along(-0.95 + 0.05 * f64::from(k)));
    let energies: Vec<f64> = steps.collect();
    let falls = energies.windows(2).all(|pair| pair[1] < pair[0]);
    assert_eq!(falls, D::RECOVERS_FROM_INVERSION, "{}: {energies:?}", D::NAME);
}

fn check_degenerate<D: Density>() {
    let diagonal = |x, y, z| DMat3::from_diagonal(DVec3::new(x, y, z));
    let crease = diagonal(1.0, 0.5, -0.5);
    let line = diagonal(1.0, 0.0, 0.0);
    for f in [DMat3::ZERO, line, crease, -DMat3::IDENTITY, diagonal(1e30, 1.0, 0.0)] {
        let (energy, stress) = D::stress(&f, MU, LAMBDA);
        assert!(energy.is_finite() && stress.is_finite(), "{} at {f:?}", D::NAME);
        for hessian in [D::hessian(&f, MU, LAMBDA), D::projected_hessian(&f, MU, LAMBDA)] {
            assert!(hessian.concat().iter().all(|h| h.is_finite()), "{} at {f:?}", D::NAME);
        }
    }
    let broken = DMat3::from_cols(DVec3::NAN, DVec3::X, DVec3::Y);
    assert!(D::stress(&broken, MU, LAMBDA).0.is_nan(), "{}", D::NAME);
    D::projected_hessian(&broken, MU, LAMBDA);
}

/// Random, near rest, rotated, compressed and inverted deformation gradients.
fn for_matrices(count: u32, mut check: impl FnMut(&DMat3)) {
    let angles = || proptest::array::uniform3(-3.2..3.2);
    let any = proptest::array::uniform9(-2.0..2.0).prop_map(|e| DMat3::from_cols_array(&e));
    let near = (angles(), proptest::array::uniform9(-1.0..1.0), -5..0).prop_map(
        |([x, y, z], e, power)| turn(x, y, z) + DMat3::from_cols_array(&e) * 10f64.powi(power),
    );
    let stretched = (angles(), angles(), proptest::array::uniform3(-0.8..1.8)).prop_map(
        |([x, y, z], [a, b, c], s)| {
            turn(x, y, z) * DMat3::from_diagonal(DVec3::from_array(s)) * turn(a, b, c)
        },
    );
    let rotated = angles().prop_map(|[x, y, z]| turn(x, y, z) * 1.25);
    let strategy = prop_oneof![any, near, stretched, rotated];
    let mut runner = TestRunner::deterministic();
    for _ in 0..count {
        check(&strategy.new_tree(&mut runner).expect("no filter rejects").current());
    }
}

fn turn(x: f64, y: f64, z: f64) -> DMat3 {
    DMat3::from_euler(EulerRot::XYZ, x, y, z)
}

fn matrix_by_rows(m: &[f64]) -> DMat3 {
    DMat3::from_cols_slice(m).transpose()
}

/// All numbers of nested arrays, in order.
fn numbers(value: &serde_json::Value) -> Vec<f64> {
    match value.as_array() {
        Some(list) => list.iter().flat_map(numbers).collect(),
        None => vec![value.as_f64().expect("a number")],
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

fn largest_gap(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    // a NaN must not pass
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| if (a - b).abs() <= m { m } else { (a - b).abs() })
}

fn distance(a: &Matrix9, b: &Matrix9, scale: f64) -> f64 {
    largest_gap(&a.concat(), &b.concat()) / scale
}

/// Gradients of the four linear shape functions of a tetrahedron with corners X.
fn slopes(rest: &[f64]) -> [DVec3; 4] {
    let corner = |c: usize| DVec3::from_slice(&rest[3 * c..]);
    let edges =
        DMat3::from_cols(corner(1) - corner(0), corner(2) - corner(0), corner(3) - corner(0));
    let inverse = edges.inverse().transpose();
    let [a, b, c] = [inverse.x_axis, inverse.y_axis, inverse.z_axis];
    [-(a + b + c), a, b, c]
}

/// ∂Fₖ/∂xₐ with k = 3i + j and a = 3·corner + i.
fn slope(slopes: &[DVec3; 4], k: usize, a: usize) -> f64 {
    if k / 3 == a % 3 { slopes[a / 3][k % 3] } else { 0.0 }
}

/// An entry of BᵀHB with B = ∂F/∂x.
fn through(slopes: &[DVec3; 4], hessian: &Matrix9, a: usize, b: usize) -> f64 {
    (0..81).map(|k| slope(slopes, k / 9, a) * hessian[k / 9][k % 9] * slope(slopes, k % 9, b)).sum()
}

/// By Jacobi rotations, independent of what is tested.
fn lowest_eigenvalue(matrix: &Matrix9) -> f64 {
    let mut m = *matrix;
    for _ in 0..30 {
        for (p, q) in (0..9).flat_map(|p| (p + 1..9).map(move |q| (p, q))) {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = c * t;
            for k in 0..9 {
                (m[k][p], m[k][q]) = (c * m[k][p] - s * m[k][q], s * m[k][p] + c * m[k][q]);
            }
            for k in 0..9 {
                (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
            }
        }
    }
    (0..9).map(|k| m[k][k]).fold(f64::INFINITY, f64::min)
}

/// Energy and stress of eight matrices, and the energy alone.
struct Evaluate<D> {
    f: [[f64; WIDTH_F64]; 9],
    mu: [f64; WIDTH_F64],
    lambda: [f64; WIDTH_F64],
    density: std::marker::PhantomData<D>,
}

impl<D> Clone for Evaluate<D> {
    fn clone(&self) -> Self {
        Evaluate::new(self.f, self.mu, self.lambda)
    }
}

impl<D> Evaluate<D> {
    fn new(f: [[f64; WIDTH_F64]; 9], mu: [f64; WIDTH_F64], lambda: [f64; WIDTH_F64]) -> Self {
        Evaluate { f, mu, lambda, density: std::marker::PhantomData }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Evaluated {
    energy: [f64; WIDTH_F64],
    energy_alone: [f64; WIDTH_F64],
    stress: [[f64; WIDTH_F64]; 9],
}

impl Evaluated {
    fn bits(&self) -> Vec<u64> {
        let rows = self.stress.iter().chain([&self.energy, &self.energy_alone]);
        rows.flatten().map(|v| v.to_bits()).collect()
    }
}

impl<L: Lanes<Real = f64>, D: Density> Kernel<L> for Evaluate<D> {
    type Output = Evaluated;

    #[inline(always)]
    unsafe fn run(self) -> Evaluated {
        let mut evaluated = Evaluated::default();
        // SAFETY: inside a kernel of L; every array holds `WIDTH` numbers.
        unsafe {
            let f = load_matrix::<L>(&self.f);
            let (mu, lambda) = (L::load(self.mu.as_ptr()), L::load(self.lambda.as_ptr()));
            let (energy, stress) = D::lanes::<L, true>(&f, mu, lambda);
            let (energy_alone, _) = D::lanes::<L, false>(&f, mu, lambda);
            energy.store(evaluated.energy.as_mut_ptr());
            energy_alone.store(evaluated.energy_alone.as_mut_ptr());
            for k in 0..9 {
                stress[k].store(evaluated.stress[k].as_mut_ptr());
            }
        }
        evaluated
    }
}

/// The outcome, after checking that every instruction set of this machine has the same bits.
fn on_every_instruction_set<D: Density>(kernel: Evaluate<D>) -> Evaluated {
    // SAFETY: plain lanes run everywhere, the others after asking the machine.
    let plain = unsafe { PlainF64::enter(kernel.clone()) };
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use pliant_math::lanes::{Avx2F64, Avx512F64};
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        if avx2 {
            assert_eq!(Avx2F64::enter(kernel.clone()).bits(), plain.bits(), "{}", D::NAME);
        }
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq");
        if avx2 && avx512 {
            assert_eq!(Avx512F64::enter(kernel).bits(), plain.bits(), "{}", D::NAME);
        }
    }
    plain
}

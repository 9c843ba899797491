//! Bodies at rest: bars that hang as they should, whatever the mesh and the solver.

use std::path::Path;

use crate::bodies::{
    Run, backward_euler, clamped, damped, distance, materials, newton, projective, quasi_static,
    rubber,
};
use pliant_mesh::{Mesh, shapes};
use pliant_model::method::{Damping, Method, Scheme};
use pliant_model::{Body, DVec3, Material, ModelBuilder};

const LENGTH: f64 = 1.0;
const THICKNESS: f64 = 0.2;
const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;

/// A bar along x, `k` cells of 10 cm per 10 cm.
fn bar(k: usize, young: f64, poisson: f64) -> Body {
    let size = DVec3::new(LENGTH, THICKNESS, THICKNESS);
    let mesh = shapes::solid_box(size, [10 * k, 2 * k, 2 * k]).expect("a box");
    Body::solid("bar", mesh, Material::corotated(young, poisson, DENSITY))
}

fn held(x: DVec3) -> bool {
    x.x < -0.499 * LENGTH
}

/// How far the middle of the free end hangs below where it was [m].
fn sag(mesh: &Mesh, positions: &[DVec3]) -> f64 {
    let tip = |x: &DVec3| x.x > 0.499 * LENGTH && x.y.abs() < 1e-9;
    let pairs: Vec<_> = mesh.positions.iter().zip(positions).filter(|(r, _)| tip(r)).collect();
    pairs.iter().map(|(rest, now)| rest.y - now.y).sum::<f64>() / pairs.len() as f64
}

fn hanging(body: &Body, integrator: Method, steps: usize) -> f64 {
    let mut run = Run::new(clamped(body.clone(), integrator, held), 1.0 / 30.0, 2);
    let report = run.steps(steps);
    assert!(!report.gave_way() && !report.rolled_back, "{report:?}");
    sag(&body.mesh, &run.positions())
}

/// A soft bar: the finer the mesh, the softer it is, and the less that matters.
#[test]
fn the_tip_converges_under_refinement() {
    let tips: Vec<f64> =
        [1, 2, 4].map(|k| hanging(&bar(k, 2e6, 0.3), quasi_static(newton(1e-8)), 1)).to_vec();
    let (coarse, fine) = (tips[1] - tips[0], tips[2] - tips[1]);
    println!("tips of the hanging bar: {tips:?} m");
    assert!(coarse > 0.0 && fine > 0.0, "linear tets are too stiff, never too soft: {tips:?}");
    assert!(fine < 0.5 * coarse, "the differences shrink: {tips:?}");
}

/// Time finds the same equilibrium as its absence.
#[test]
fn damped_motion_ends_in_equilibrium() {
    let mut tips = Vec::new();
    for k in [1, 2] {
        let body = bar(k, 2e6, 0.3);
        let still = hanging(&body, quasi_static(newton(1e-10)), 1);
        for solver in [projective(20, 5, 0.0), newton(1e-8)] {
            let swung = hanging(&body, damped(solver, Damping::Ether(4.0)), 240);
            assert!((swung - still).abs() < 1e-6 * LENGTH, "{solver:?}: {swung} m, {still} m");
        }
        tips.push(still);
    }
    assert!(tips[1] > tips[0]);
}

/// A stiff bar against Timoshenko's beam: ρgAL⁴/(8EI) + ρgL²/(2·⅚·G).
///
/// Poisson's ratio is 0, because beam theory does not know that a clamp hinders the thickness
/// from changing. Linear tets are stiff in bending, with an error that falls like the square of
/// the cell: at 8 cells per thickness 3.4 % are left, and Richardson's extrapolation from 4 and
/// 8 cells must remove most of those.
#[test]
fn a_stiff_cantilever_is_timoshenkos_beam() {
    let (young, shear) = (1e8, 0.5e8);
    let inertia = THICKNESS.powi(4) / 12.0;
    let weight = DENSITY * GRAVITY * THICKNESS * THICKNESS;
    let bending = weight * LENGTH.powi(4) / (8.0 * young * inertia);
    let shearing = DENSITY * GRAVITY * LENGTH * LENGTH / (2.0 * 5.0 / 6.0 * shear);
    let wanted = bending + shearing;
    let [coarse, fine] =
        [2, 4].map(|k| hanging(&bar(k, young, 0.0), quasi_static(newton(1e-9)), 1));
    let (error, extrapolated) = (fine / wanted - 1.0, (4.0 * fine - coarse) / 3.0 / wanted - 1.0);
    println!("cantilever: {:.2} % off, extrapolated {:.2} %", 100.0 * error, 100.0 * extrapolated);
    assert!((-0.04..0.0).contains(&error), "{fine} m, beam theory {wanted} m");
    assert!(extrapolated.abs() < 0.01, "extrapolated by {extrapolated}");
}

/// Newton's method and both kinds of projective dynamics find the same minimum.
#[test]
fn solvers_agree_at_convergence() {
    let size = DVec3::new(0.6, 0.2, 0.2);
    for material in materials() {
        let body = rubber(size, [6, 2, 2], material);
        for scheme in [Scheme::QuasiStatic, Scheme::BackwardEuler] {
            let solve = |solver, tolerance: f64| {
                let integrator = Method { scheme, ..backward_euler(solver) };
                let model = clamped(body.clone(), integrator, |x| x.x < -0.299);
                let mut run = Run::new(model, 1.0 / 30.0, 1);
                let report = run.steps(if scheme == Scheme::QuasiStatic { 1 } else { 10 });
                let name = format!("{}, {scheme:?}, {solver:?}", material.name());
                assert!(report.residual <= tolerance, "{name}: {report:?}");
                run.positions()
            };
            let exact = solve(newton(1e-9), 1e-9);
            let moved = distance(&exact, &body.mesh.positions);
            assert!(moved > 0.1, "{}: it hangs by {moved} m only", material.name());
            for solver in [projective(1000, 5, 1e-9), projective(5000, 0, 1e-9)] {
                let error = distance(&solve(solver, 1e-9), &exact);
                assert!(error < 1e-6 * size.x, "{}, {scheme:?}: {error:e} m", material.name());
            }
        }
    }
}

/// The three bars of the IPC examples, where the data is at hand.
#[test]
fn unstructured_bars_converge_as_well() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/tets/ipc");
    let mut tips = Vec::new();
    for name in ["bar-651.msh", "bar-2523.msh", "bar-14114.msh"] {
        let path = folder.join(name);
        if !path.exists() {
            println!("skipped: {name} is not here");
            return;
        }
        let mesh = pliant_io::read_mesh(&path).expect("a mesh").mesh;
        let bounds = mesh.bounds().expect("vertices");
        let size = bounds.size();
        let axis = (0..3).fold(0, |a, b| if size[b] > size[a] { b } else { a });
        let (length, thickness) = (size[axis], size.min_element());
        let down = if axis == 1 { DVec3::NEG_X } else { DVec3::NEG_Y };
        // Beam theory's deflection would be 15 % of the length.
        let young = 10.0 * DENSITY * GRAVITY * (length / thickness).powi(2) * length;
        let rest = mesh.positions.clone();
        let along = |x: &DVec3| (x[axis] - bounds.min[axis]) / length;
        let body = Body::solid(name, mesh, Material::corotated(young, 0.3, DENSITY));
        let model = ModelBuilder::new()
            .body(body)
            .pin(0, |x| along(&x) < 0.02)
            .gravity(down * GRAVITY)
            .method(quasi_static(newton(1e-8)))
            .build()
            .expect("a model");
        let mut run = Run::new(model, 1.0, 2);
        let report = run.step();
        assert!(report.residual <= 1e-8, "{name}: {report:?}");
        let now = run.positions();
        let tip: Vec<f64> = rest
            .iter()
            .zip(&now)
            .filter(|(r, _)| along(r) > 0.98)
            .map(|(r, x)| (*x - *r).dot(down) / length)
            .collect();
        tips.push(tip.iter().sum::<f64>() / tip.len() as f64);
    }
    println!("tips of the IPC bars, relative to their length: {tips:?}");
    // One tet across the coarsest bar is far from where errors fall like the square of the cell:
    // each refinement must help by a larger factor than the one before.
    let errors: Vec<f64> = tips.iter().map(|tip| 0.15 - tip).collect();
    let (first, second) = (errors[0] / errors[1], errors[1] / errors[2]);
    assert!(errors[2] > 0.0 && first > 1.3 && second > first, "{tips:?}");
}

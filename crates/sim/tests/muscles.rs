//! Muscles that contract while flesh moves: their work is on the energy account.

use crate::bodies::Run;
use pliant_mesh::shapes;
use pliant_model::method::{Method, Scheme, Solver};
use pliant_model::potentials::activation::fibre;
use pliant_model::potentials::sliding::Plane;
use pliant_model::{ActiveTet, Body, DVec3, Lame, Material, Model, ModelBuilder, SlidingVertex};

/// A bar that contracts along itself, held at one end, with the other on a plane.
fn bar(scheme: Scheme) -> Model {
    let mesh = shapes::solid_box(DVec3::new(0.3, 0.1, 0.1), [6, 2, 2]).expect("a bar");
    let lame = Lame { mu: 2000.0, lambda: 6000.0 };
    let active = (0..mesh.tets.len() as u32).map(|tet| ActiveTet { tet, lame }).collect();
    let plane = |v: u32| Plane { point: mesh.positions[v as usize], normal: DVec3::Y };
    let ends = (0..mesh.positions.len() as u32).filter(|&v| mesh.positions[v as usize].x > 0.149);
    let sliding = ends.map(|v| SlidingVertex { vertex: v, plane: plane(v), stiffness: 200.0 });
    let sliding = sliding.collect();
    let body = Body::solid("bar", mesh.clone(), Material::tissue(3000.0, 0.3, 1000.0));
    let solver = Solver::Modified { iterations: 30, history: 5, tolerance: 1e-10 };
    ModelBuilder::new()
        .body(body)
        .muscles(0, active)
        .slide(0, sliding)
        .pin(0, |x| x.x < -0.149)
        .gravity(DVec3::ZERO)
        .method(Method { scheme, solver, correction: None, damping: None })
        .build()
        .expect("a model")
}

/// How far energy is from what was put in, and how much that was \[J\], after 0.2 s in which the
/// bar contracts and its plane moves, in steps of h seconds.
fn off(scheme: Scheme, h: f64) -> (f64, f64) {
    let mut run = Run::new(bar(scheme), h, 1);
    let driven = |time: f64, drive: &mut pliant_model::Drive| {
        let part = (10.0 * time).min(1.0);
        drive.activations.fill(fibre(DVec3::X, 0.3 * part));
        drive.planes.iter_mut().for_each(|plane| {
            plane.point.y += 0.01 * part;
            plane.normal = DVec3::new(0.2 * part, 1.0, 0.0).normalize();
        });
    };
    let mut energy = 0.0;
    for k in 0..(0.2 / h).round() as u32 {
        let start = f64::from(k) * h;
        let report = run.step_with(|_, input| {
            driven(start, &mut input.start);
            driven(start + h, &mut input.end);
        });
        energy = report.energy.total();
    }
    ((energy - run.state.added()).abs(), run.state.added())
}

#[test]
fn contracting_and_moving_planes_book_their_work() {
    let (coarse, _) = off(Scheme::ImplicitMidpoint, 0.004);
    let (fine, added) = off(Scheme::ImplicitMidpoint, 0.002);
    assert!(added > 0.01, "{added} J put in");
    assert!(fine < 0.01 * added, "off by {fine} of {added} J");
    assert!(fine < 0.4 * coarse, "of second order: {coarse}, then {fine} J");
}

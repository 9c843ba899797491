//! Bodies that meet, fold over themselves, and lie on moving meshes.

mod bodies;

use bodies::{Run, projective};
use pliant_mesh::shapes;
use pliant_model::integrator::{Correction, Fepr, Scheme};
use pliant_model::{BodySpec, Collider, DVec3, ElasticModel, Hold, Integrator, Model, ModelBuilder, Motion, Shape};

fn cube(name: &str, at: DVec3, turn: DVec3, velocity: DVec3, cells: usize) -> BodySpec {
    let mut mesh = shapes::solid_box(DVec3::splat(0.5), [cells; 3]).expect("a box");
    let turn = pliant_model::rotation(turn);
    mesh.positions.iter_mut().for_each(|x| *x = turn * *x + at);
    let velocities = vec![velocity; mesh.positions.len()];
    let body = BodySpec::solid(name, mesh, ElasticModel::Corotated, 1e5, 0.3, 1000.0);
    BodySpec { velocities: Some(velocities), ..body }
}

fn conserving(scheme: Scheme) -> Integrator {
    let correction = Some(Correction::Fepr(Fepr::default()));
    Integrator { scheme, solver: projective(20, 5, 0.0), correction, damping: None }
}

/// A bar whose ends are driven together until its halves are pressed into each other.
fn folding(integrator: Integrator, cells: [usize; 3]) -> Model {
    let mesh = shapes::solid_box(DVec3::new(2.0, 0.2, 0.2), cells).expect("a bar");
    let bar = BodySpec::solid("bar", mesh, ElasticModel::Corotated, 1e5, 0.3, 1000.0);
    let ends = |side: f64| {
        let pos = shapes::solid_box(DVec3::new(2.0, 0.2, 0.2), cells).unwrap().positions;
        (0u32..).zip(pos).filter(|(_, x)| x.x * side > 0.99).map(|(v, _)| v).collect::<Vec<u32>>()
    };
    let motion = |side: f64| Motion {
        times: vec![0.0, 1.5, 3.0],
        translate: vec![DVec3::ZERO, DVec3::new(-0.94 * side, 0.0, 0.0), DVec3::new(-0.94 * side, 0.0, 0.0)],
        rotate: vec![DVec3::ZERO, DVec3::new(0.0, 0.0, 90.0 * side), DVec3::new(0.0, 0.0, 90.0 * side)],
        about: DVec3::new(side, 0.0, 0.0),
    };
    let mut b = ModelBuilder::new().body(bar).touching(None).integrator(integrator);
    for side in [-1.0, 1.0] {
        b = b.hold(0, ends(side), Hold::Spring(1e5), Some(motion(side)));
    }
    b.build().unwrap()
}

#[test]
fn fold() {
    for scheme in [Scheme::BackwardEuler, Scheme::ImplicitMidpoint] {
        for corr in [true, false] {
            let mut i = conserving(scheme);
            if !corr { i.correction = None; }
            let mut run = Run::new(folding(i, [20, 3, 3]), 1.0 / 60.0, 1);
            for k in 0..180 {
                let r = run.step();
                let t: f64 = run.state.accounts.iter().map(|a| a.target().unwrap_or(0.0)).sum();
                if k % 9 == 0 {
                    println!("{k} n {} deep {:.5} E {:.9} target {:.3e} res {:.1e} it {} fail {} pulled {} sub {}", r.contacts.count, r.contacts.deepest, r.energy.total(), r.energy.total()-t, r.residual, r.correction_iterations, r.correction_failed, r.pulled_back, r.substeps);
                }
            }
        }
    }
}

#[test]
fn on_mesh() {
    for corr in [true, false] {
    let mut i = conserving(Scheme::ImplicitMidpoint);
    if !corr { i.correction = None; i.scheme = Scheme::BackwardEuler; }
    let rock = shapes::jelly(12).unwrap();
    let b = rock.bounds().unwrap();
    println!("{b:?}");
    let motion = Motion { times: vec![0.0, 2.0], translate: vec![DVec3::ZERO, DVec3::new(0.2, 0.5, 0.0)], rotate: vec![DVec3::ZERO, DVec3::new(0.0, 90.0, 0.0)], about: b.center() };
    let collider = Collider { motion: Some(motion), friction: 0.5, ..Collider::new(Shape::mesh(&rock).unwrap(), 2e4) };
    let body = cube("cube", DVec3::new(b.center().x, b.max.y + 0.3, b.center().z), DVec3::ZERO, DVec3::ZERO, 6);
    let model = ModelBuilder::new().body(body).collider(collider).integrator(i).build().unwrap();
    let mut run = Run::new(model, 1.0 / 60.0, 1);
    for k in 0..120 {
        let r = run.step();
        let t: f64 = run.state.accounts.iter().map(|a| a.target().unwrap_or(0.0)).sum();
        if k % 6 == 0 {
            println!("{k} n {} deep {:.5} E {:.9} target {:.3e} res {:.1e} it {} fail {} pulled {} sub {} ms {:?}", r.contacts.count, r.contacts.deepest, r.energy.total(), r.energy.total()-t, r.residual, r.correction_iterations, r.correction_failed, r.pulled_back, r.substeps, r.timings.total);
        }
    }
    }
}

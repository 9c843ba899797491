//! Bodies that meet, fold over themselves, and lie on moving meshes.

mod bodies;

use bodies::{Run, projective};
use pliant_mesh::shapes;
use pliant_model::integrator::{Correction, Fepr, Scheme};
use pliant_model::{
    BodySpec, Collider, DVec3, ElasticModel, Hold, Integrator, Model, ModelBuilder, Motion, Shape,
};

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
        translate: vec![
            DVec3::ZERO,
            DVec3::new(-0.94 * side, 0.0, 0.0),
            DVec3::new(-0.94 * side, 0.0, 0.0),
        ],
        rotate: vec![
            DVec3::ZERO,
            DVec3::new(0.0, 0.0, 90.0 * side),
            DVec3::new(0.0, 0.0, 90.0 * side),
        ],
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
            if !corr {
                i.correction = None;
            }
            let mut run = Run::new(folding(i, [20, 3, 3]), 1.0 / 60.0, 1);
            for k in 0..180 {
                let r = run.step();
                let t: f64 = run.state.accounts.iter().map(|a| a.target().unwrap_or(0.0)).sum();
                if k % 9 == 0 {
                    println!(
                        "{k} n {} deep {:.5} E {:.9} target {:.3e} res {:.1e} it {} fail {} pulled {} sub {}",
                        r.contacts.count,
                        r.contacts.deepest,
                        r.energy.total(),
                        r.energy.total() - t,
                        r.residual,
                        r.correction_iterations,
                        r.correction_failed,
                        r.pulled_back,
                        r.substeps
                    );
                }
            }
        }
    }
}

#[test]
fn on_mesh() {
    for corr in [true, false] {
        let mut i = conserving(Scheme::ImplicitMidpoint);
        if !corr {
            i.correction = None;
            i.scheme = Scheme::BackwardEuler;
        }
        let rock = shapes::jelly(12).unwrap();
        let b = rock.bounds().unwrap();
        println!("{b:?}");
        let motion = Motion {
            times: vec![0.0, 2.0],
            translate: vec![DVec3::ZERO, DVec3::new(0.2, 0.5, 0.0)],
            rotate: vec![DVec3::ZERO, DVec3::new(0.0, 90.0, 0.0)],
            about: b.center(),
        };
        let collider = Collider {
            motion: Some(motion),
            friction: 0.5,
            ..Collider::new(Shape::mesh(&rock).unwrap(), 2e4)
        };
        let body = cube(
            "cube",
            DVec3::new(b.center().x, b.max.y + 0.3, b.center().z),
            DVec3::ZERO,
            DVec3::ZERO,
            6,
        );
        let model =
            ModelBuilder::new().body(body).collider(collider).integrator(i).build().unwrap();
        let mut run = Run::new(model, 1.0 / 60.0, 1);
        for k in 0..120 {
            let r = run.step();
            let t: f64 = run.state.accounts.iter().map(|a| a.target().unwrap_or(0.0)).sum();
            if k % 6 == 0 {
                println!(
                    "{k} n {} deep {:.5} E {:.9} target {:.3e} res {:.1e} it {} fail {} pulled {} sub {} ms {:?}",
                    r.contacts.count,
                    r.contacts.deepest,
                    r.energy.total(),
                    r.energy.total() - t,
                    r.residual,
                    r.correction_iterations,
                    r.correction_failed,
                    r.pulled_back,
                    r.substeps,
                    r.timings.total
                );
            }
        }
    }
}
#[test]
fn conv() {
    use bodies::newton;
    for (name, solver) in [
        ("p20", projective(20, 5, 0.0)),
        ("p40", projective(40, 5, 0.0)),
        ("p80", projective(80, 5, 0.0)),
        ("p80h8", projective(80, 8, 0.0)),
        ("p320", projective(320, 5, 1e-9)),
        ("newton", newton(1e-9)),
    ] {
        let mut i = conserving(Scheme::BackwardEuler);
        i.correction = None;
        i.solver = solver;
        let mut run = Run::new(meeting(i), 1.0 / 60.0, 1);
        let mut worst: f64 = 0.0;
        let mut sum = 0.0;
        let mut its = 0;
        let mut evals = 0;
        let mut n = 0;
        let mut stalled = 0;
        let mut deep: f64 = 0.0;
        for _ in 0..60 {
            let r = run.step();
            if r.contacts.count > 0 {
                worst = worst.max(r.residual);
                sum += r.residual;
                its += r.iterations;
                evals += r.evaluations;
                n += 1;
                stalled += u32::from(r.stalled);
                deep = deep.max(r.contacts.deepest);
            }
        }
        println!(
            "{name}: worst {worst:.2e} mean {:.2e} its {:.1} evals {:.1} stalled {stalled} of {n} deep {deep:.5} look {}",
            sum / n as f64,
            its as f64 / n as f64,
            evals as f64 / n as f64,
            0
        );
    }
}

/// Two cubes that fly into each other, off centre.
fn meeting(integrator: Integrator) -> Model {
    let left = cube("left", DVec3::X * -0.4, DVec3::ZERO, DVec3::X, 5);
    let right =
        cube("right", DVec3::new(0.4, 0.12, 0.07), DVec3::new(20.0, 30.0, 0.0), DVec3::X * -1.0, 5);
    let builder = ModelBuilder::new().body(left).body(right).gravity(DVec3::ZERO);
    builder.touching(None).integrator(integrator).build().expect("a model")
}

#[test]
fn cost() {
    // Two bars of 10k tets each, pressed together, one folded?
    for touching in [false, true] {
        for correction in [false, true] {
            let body = |name: &str, y: f64, v: f64| {
                let mut mesh = shapes::solid_box(DVec3::new(1.0, 0.5, 1.0), [16, 8, 16]).unwrap();
                mesh.positions.iter_mut().for_each(|x| x.y += y);
                let velocities = vec![DVec3::new(0.0, v, 0.0); mesh.positions.len()];
                let b = BodySpec::solid(name, mesh, ElasticModel::Corotated, 1e5, 0.3, 1000.0);
                BodySpec { velocities: Some(velocities), ..b }
            };
            let mut i = conserving(Scheme::BackwardEuler);
            if !correction {
                i.correction = None;
            }
            let mut b = ModelBuilder::new()
                .body(body("a", 0.0, 0.5))
                .body(body("b", 0.53, -0.5))
                .gravity(DVec3::ZERO)
                .integrator(i);
            if touching {
                b = b.touching(None);
            }
            let model = b.build().unwrap();
            println!("tets {} vertices {}", model.element_count(), model.vertex_count());
            let mut run = Run::new(model, 1.0 / 60.0, 1);
            run.step();
            let mut times = Vec::new();
            let mut n = 0;
            let mut ev = 0;
            for _ in 0..30 {
                let r = run.step();
                times.push(r.timings.total.as_secs_f64() * 1e3);
                n = n.max(r.contacts.count);
                ev += r.evaluations;
            }
            times.sort_by(f64::total_cmp);
            println!(
                "touching {touching} fepr {correction}: median {:.2} ms, min {:.2}, most contacts {n}, evaluations {ev}",
                times[15], times[0]
            );
        }
    }
    // Detection alone.
    let mesh = shapes::solid_box(DVec3::new(1.0, 0.5, 1.0), [20, 10, 20]).unwrap();
    let b = BodySpec::solid("x", mesh, ElasticModel::Corotated, 1e5, 0.3, 1000.0);
    let model = ModelBuilder::new().body(b).touching(None).build().unwrap();
    let team = pliant_math::team::Team::new(1);
    let clock = std::time::Instant::now();
    for _ in 0..20 {
        let mut t = pliant_model::touching::Touching::default();
        t.find(model.solids(), model.rest(), &team);
    }
    println!("first look-up {:?} for {} tets", clock.elapsed() / 20, model.element_count());
    let mut t = pliant_model::touching::Touching::default();
    t.find(model.solids(), model.rest(), &team);
    let shifted: Vec<_> =
        model.rest().iter().map(|x| *x + pliant_math::Row::new(1.0, 0.0, 0.0)).collect();
    let clock = std::time::Instant::now();
    for k in 0..40 {
        t.find(model.solids(), if k % 2 == 0 { &shifted } else { model.rest() }, &team);
    }
    println!("look-up {:?}", clock.elapsed() / 40);
    let clock = std::time::Instant::now();
    for _ in 0..400 {
        t.find(model.solids(), model.rest(), &team);
    }
    println!("near {:?}", clock.elapsed() / 400);
}

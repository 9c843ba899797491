//! Physics does not depend on where we stand, which way we look, or how vertices are numbered.

use crate::bodies::{Random, Run, backward_euler, cloth, distance, newton, projective, rubber};
use pliant_math::DMat3;
use pliant_mesh::Mesh;
use pliant_model::method::Solver;
use pliant_model::{Body, DVec3, Matter, Model, ModelBuilder, rotation};

const H: f64 = 1.0 / 30.0;
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn solvers() -> [Solver; 2] {
    [projective(500, 5, 1e-12), newton(1e-12)]
}

fn scenes() -> Vec<Body> {
    let bar = |material| rubber(DVec3::new(0.6, 0.2, 0.2), [5, 2, 2], material);
    let mut scenes: Vec<Body> = crate::bodies::materials().map(bar).collect();
    scenes.push(cloth(5));
    scenes
}

/// Clamped at its low-x end by vertex number, whatever its pose.
fn hung(body: Body, ends: &[u32], gravity: DVec3, solver: Solver) -> Model {
    ModelBuilder::new()
        .body(body)
        .hold(0, ends.to_vec(), pliant_model::Hold::Hard, None)
        .gravity(gravity)
        .method(backward_euler(solver))
        .build()
        .expect("a model")
}

fn low_end(mesh: &Mesh) -> Vec<u32> {
    let least = mesh.positions.iter().fold(f64::INFINITY, |m, x| m.min(x.x));
    let ends = (0u32..).zip(&mesh.positions).filter(|(_, x)| x.x < least + 1e-9);
    ends.map(|(v, _)| v).collect()
}

#[test]
fn a_turned_and_shifted_scene_has_the_turned_and_shifted_answer() {
    let turn: DMat3 = rotation(DVec3::new(40.0, -75.0, 130.0));
    let moved = |x: DVec3| turn * x + DVec3::new(1.0, -2.0, 0.5);
    for body in scenes() {
        let ends = low_end(&body.mesh);
        let mut turned = body.clone();
        turned.mesh.positions.iter_mut().for_each(|x| *x = moved(*x));
        for solver in solvers() {
            let mut here = Run::new(hung(body.clone(), &ends, GRAVITY, solver), H, 1);
            let mut there = Run::new(hung(turned.clone(), &ends, turn * GRAVITY, solver), H, 1);
            here.steps(10);
            there.steps(10);
            let wanted: Vec<DVec3> = here.positions().into_iter().map(moved).collect();
            let error = distance(&there.positions(), &wanted);
            assert!(error < 1e-9, "{}, {solver:?}: {error:e} m", label(&body));
            let fell = distance(&here.positions(), &body.mesh.positions);
            assert!(fell > 0.01, "{}: it moved by {fell} m only", label(&body));
        }
    }
}

#[test]
fn numbering_does_not_matter() {
    for body in scenes() {
        let ends = low_end(&body.mesh);
        let (shuffled, new_of) = renumbered(&body, 3);
        let new_ends: Vec<u32> = ends.iter().map(|&v| new_of[v as usize]).collect();
        for solver in solvers() {
            let mut first = Run::new(hung(body.clone(), &ends, GRAVITY, solver), H, 1);
            let mut second = Run::new(hung(shuffled.clone(), &new_ends, GRAVITY, solver), H, 1);
            first.steps(10);
            second.steps(10);
            let other = second.positions();
            let back: Vec<DVec3> = new_of.iter().map(|&v| other[v as usize]).collect();
            let error = distance(&first.positions(), &back);
            assert!(error < 1e-9, "{}, {solver:?}: {error:e} m", label(&body));
        }
    }
}

/// Elastic forces sum to zero, and so does what they do to momentum: to rounding, however wild
/// the motion and however early the solver stops.
#[test]
fn a_free_body_keeps_its_momentum() {
    let cases = [
        newton(1e-12),
        projective(500, 5, 1e-12),
        projective(10, 0, 0.0),
        projective(10, 5, 0.0),
        projective(1, 0, 0.0),
    ];
    for body in scenes() {
        for solver in cases {
            let mut tossed = body.clone();
            let mut random = Random(7);
            let speed = |_: &DVec3| DVec3::X + 0.5 * random.vector();
            tossed.velocities = Some(body.mesh.positions.iter().map(speed).collect());
            let builder = ModelBuilder::new().body(tossed).gravity(DVec3::ZERO);
            let model = builder.method(backward_euler(solver)).build().expect("a model");
            let mut run = Run::new(model, H, 1);
            let momentum = |run: &Run| {
                let parts = run.model.masses().iter().zip(run.state.velocities.iter());
                parts.map(|(&m, v)| v.xyz() * m).sum::<DVec3>()
            };
            let before = momentum(&run);
            run.steps(30);
            let error = momentum(&run).distance(before) / before.length();
            assert!(error < 1e-13, "{}, {solver:?}: {error:e}", label(&body));
        }
    }
}

/// Backward Euler's own parabola: vₙ = v₀ + n h g, xₙ = x₀ + n h v₀ + ½ n (n + 1) h² g.
#[test]
fn a_falling_body_follows_backward_eulers_parabola() {
    let (v0, n) = (DVec3::new(1.0, 2.0, -0.5), 30);
    // The single-precision factor rings the body a little until iterations have settled that.
    let cases = [
        (newton(1e-12), 1e-12),
        (projective(500, 5, 1e-13), 1e-11),
        (projective(10, 5, 0.0), 1e-7),
        (projective(10, 0, 0.0), 1e-6),
    ];
    for body in scenes() {
        for (solver, most) in cases {
            let mut thrown = body.clone();
            thrown.velocities = Some(vec![v0; body.mesh.positions.len()]);
            let builder = ModelBuilder::new().body(thrown).gravity(GRAVITY);
            let model = builder.method(backward_euler(solver)).build().expect("a model");
            let mut run = Run::new(model, H, 1);
            run.steps(n);
            let n = n as f64;
            let moved = n * H * v0 + 0.5 * n * (n + 1.0) * H * H * GRAVITY;
            let wanted: Vec<DVec3> = body.mesh.positions.iter().map(|x| *x + moved).collect();
            let error = distance(&run.positions(), &wanted);
            assert!(error < most, "{}, {solver:?}: {error:e} m", label(&body));
        }
    }
}

fn label(body: &Body) -> String {
    match &body.matter {
        Matter::Solid { model, .. } => format!("{} of {}", body.name, model.name()),
        Matter::Springs { .. } | Matter::Points { .. } => body.name.clone(),
    }
}

/// The same body with shuffled vertices, elements and corners, and where each vertex went.
fn renumbered(body: &Body, seed: u64) -> (Body, Vec<u32>) {
    let mut random = Random(seed);
    let mut shuffled = |count: usize| {
        let mut order: Vec<u32> = (0..count as u32).collect();
        for i in (1..count).rev() {
            order.swap(i, random.bits() as usize % (i + 1));
        }
        order
    };
    let new_of = shuffled(body.mesh.positions.len());
    let mut out = body.clone();
    for (v, &x) in body.mesh.positions.iter().enumerate() {
        out.mesh.positions[new_of[v] as usize] = x;
    }
    let renamed = |v: u32| new_of[v as usize];
    out.mesh.triangles.iter_mut().for_each(|t| *t = t.map(renamed));
    let order = shuffled(body.mesh.tets.len());
    // An even permutation of the corners keeps the volume's sign.
    let corners = |[a, b, c, d]: [u32; 4]| [b, c, a, d].map(renamed);
    out.mesh.tets = order.iter().map(|&t| corners(body.mesh.tets[t as usize])).collect();
    if let Matter::Springs { ends, .. } = &mut out.matter {
        let order = shuffled(ends.len());
        *ends = order.iter().map(|&s| ends[s as usize]).map(|[a, b]| [b, a].map(renamed)).collect();
    }
    (out, new_of)
}

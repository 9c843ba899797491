//! Cloth that falls on soft balls, on other cloth, and on itself.

use crate::bodies::{Run, damped, projective, rubber};
use pliant_mesh::shapes;
use pliant_model::method::{Correction, Damping, Fepr};
use pliant_model::touching::TouchLaw;
use pliant_model::{Body, Collider, DVec3, ElasticModel, Method, ModelBuilder, Shape};

/// A square cloth of 0.6 m, 60 g, with springs of 40 N/m, at a height.
fn cloth(cells: usize, height: f64) -> Body {
    let (mut mesh, springs) = shapes::cloth([0.6, 0.6], [cells, cells]).expect("a cloth");
    mesh.positions.iter_mut().for_each(|x| x.y += height);
    let ends = springs.iter().map(|s| s.vertices).collect();
    Body::springs("cloth", mesh, ends, 40.0, 0.06)
}

fn settling() -> Method {
    damped(projective(20, 5, 0.0), Damping::Ether(2.0))
}

/// How many edges of one body go through triangles of another (or the same), at positions in user
/// order.
fn crossings(run: &Run, edges_of: usize, triangles_of: usize) -> usize {
    let positions = run.positions();
    let (one, other) = (&run.model.bodies()[edges_of], &run.model.bodies()[triangles_of]);
    let mut edges: Vec<[u32; 2]> = one
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let goes_through = |edge: &[u32; 2], triangle: &[u32; 3]| {
        if edges_of == triangles_of && edge.iter().any(|v| triangle.contains(v)) {
            return false;
        }
        let [p, q] = edge.map(|v| positions[one.first_vertex + v as usize]);
        let [a, b, c] = triangle.map(|v| positions[other.first_vertex + v as usize]);
        let side = |p: DVec3, q: DVec3, r: DVec3, s: DVec3| (q - p).cross(r - p).dot(s - p);
        let ends = side(a, b, c, p) * side(a, b, c, q) < 0.0;
        let [u, v, w] = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
        ends && (u > 0.0) == (v > 0.0) && (v > 0.0) == (w > 0.0)
    };
    let through = |e: &[u32; 2]| other.triangles.iter().filter(|t| goes_through(e, t)).count();
    edges.iter().map(through).sum()
}

/// A soft ball.
fn ball() -> Body {
    let mut body = rubber(DVec3::splat(0.3), [5; 3], ElasticModel::Corotated);
    // A cube as a ball: points of shells go to spheres.
    for x in &mut body.mesh.positions {
        let shell = x.abs().max_element();
        *x = x.normalize_or_zero() * shell + DVec3::Y * 0.16;
    }
    body
}

fn on_ball(touching: bool) -> ModelBuilder {
    let builder = ModelBuilder::new().body(cloth(18, 0.36)).body(ball());
    let builder = builder.pin(1, |x| x.y < 0.08);
    if touching { builder.touching(TouchLaw::default()) } else { builder }
}

#[test]
fn a_cloth_comes_to_lie_on_a_soft_ball() {
    let model = on_ball(true).method(settling()).build().expect("a model");
    let mut run = Run::new(model, 1.0 / 120.0, 1);
    let mut touched = 0;
    for step in 0..150 {
        let report = run.step();
        assert!(!report.rolled_back, "step {step}");
        // Of a ball of 0.3 m: the cloth's thickness is not counted.
        assert!(report.contacts.deepest < 0.01 * 0.3, "step {step}: {:?}", report.contacts);
        touched += u32::from(report.contacts.count > 10);
    }
    assert!(touched > 75, "touched in {touched} of 150 steps");
    assert_eq!(crossings(&run, 0, 1) + crossings(&run, 1, 0), 0);
    let middle = run.positions()[19 * 9 + 9].y;
    assert!(middle > 0.25, "its middle is at {middle} m");
    // Without contact it is in the ball.
    let model = on_ball(false).method(settling()).build().expect("a model");
    let mut ghost = Run::new(model, 1.0 / 120.0, 1);
    ghost.steps(25);
    assert!(crossings(&ghost, 0, 1) > 10);
}

#[test]
fn cloth_lies_on_cloth_and_keeps_its_distance() {
    let bodies = ModelBuilder::new().body(cloth(12, 0.0)).body(cloth(9, 0.05));
    // The lower one is held at its edges.
    let edge = |x: DVec3| x.x.abs().max(x.z.abs()) > 0.299;
    let law = TouchLaw { radius: Some(0.02), ..TouchLaw::default() };
    let model = bodies.pin(0, edge).touching(law).method(settling()).build();
    let mut run = Run::new(model.expect("a model"), 1.0 / 120.0, 1);
    for step in 0..150 {
        assert!(!run.step().rolled_back, "step {step}");
        let crossed = crossings(&run, 0, 1) + crossings(&run, 1, 0);
        assert_eq!(crossed, 0, "step {step}");
    }
    let at = run.positions();
    let (lower, upper) = (at[13 * 6 + 6].y, at[169 + 10 * 4 + 4].y);
    assert!(upper > lower + 0.005, "{upper} m above {lower} m");
    assert!(lower < -0.02, "it hangs through under both: {lower} m");
}

/// A cloth whose one half is laid over the other, in an arc.
fn folded(law: Option<TouchLaw>, integrator: Method) -> Run {
    let mut body = cloth(20, 0.0);
    let radius = 0.04;
    let bent = |x: &DVec3| {
        let (s, arc) = (x.x, std::f64::consts::PI * radius);
        let (along, up) = if s <= 0.0 {
            (s, 0.0)
        } else if s < arc {
            (radius * (s / radius).sin(), radius * (1.0 - (s / radius).cos()))
        } else {
            (arc - s, 2.0 * radius)
        };
        DVec3::new(along, up + 0.011, x.z)
    };
    body.positions = Some(body.mesh.positions.iter().map(bent).collect());
    let floor = Collider::new(Shape::plane(DVec3::ZERO, DVec3::Y), 200.0);
    let builder = ModelBuilder::new()
        .body(body)
        .collider(Collider { friction: 0.5, restitution: 0.0, ..floor })
        .method(integrator);
    let builder = match law {
        Some(law) => builder.touching(law),
        None => builder,
    };
    Run::new(builder.build().expect("a model"), 1.0 / 120.0, 1)
}

#[test]
fn a_folded_cloth_lies_on_itself() {
    let mut run = folded(Some(TouchLaw::default()), settling());
    let mut touched = 0;
    for step in 0..150 {
        let report = run.step();
        assert!(!report.rolled_back, "step {step}");
        touched += u32::from(report.contacts.count > 20);
        assert_eq!(crossings(&run, 0, 0), 0, "step {step}");
    }
    assert!(touched > 50, "touched in {touched} steps");
    let mut ghost = folded(None, settling());
    ghost.steps(100);
    assert!(crossings(&ghost, 0, 0) > 10, "{}", crossings(&ghost, 0, 0));
}

#[test]
fn cloth_in_contact_keeps_its_account() {
    let correction = Some(Correction::Fepr(Fepr::default()));
    let solver = projective(20, 5, 0.0);
    let law = TouchLaw { friction: 0.2, ..TouchLaw::default() };
    let mut run = folded(Some(law), Method { solver, correction, ..Method::default() });
    for step in 0..80 {
        let report = run.step();
        assert!(!report.rolled_back, "step {step}");
        let target: f64 = run.state.accounts.iter().filter_map(|a| a.target()).sum();
        let off = report.energy.total() - target;
        assert!(report.correction_failed || off.abs() < 1e-8, "step {step}: {off} J");
    }
}

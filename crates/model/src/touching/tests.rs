use pliant_mesh::shapes;

use glam::DMat3;

use super::*;
use crate::potentials::{Curvature, Potential, Situation, body_contact::BodyContact};
use crate::random::Random;
use crate::{Body, Drive, Material, Model, ModelBuilder};

/// Boxes one above the other, the upper one let into the lower one.
fn stacked(sunk: f64) -> Model {
    let cube = |name: &str, y: f64| {
        let mut mesh = shapes::solid_box(DVec3::ONE, [3, 3, 3]).unwrap();
        let turned = crate::rotation(DVec3::new(0.0, 20.0, 10.0) * y);
        mesh.positions.iter_mut().for_each(|x| *x = turned * *x + DVec3::Y * y);
        Body::solid(name, mesh, Material::corotated(1e5, 0.3, 1000.0))
    };
    let bodies = ModelBuilder::new().body(cube("lower", 0.0)).body(cube("upper", 1.0 - sunk));
    bodies.touching(TouchLaw::ELASTIC).build().unwrap()
}

fn moved(model: &Model, by: f64) -> Vec<Row> {
    let mut random = Random(7);
    let mut any = || DVec3::new(random.signed(), random.signed(), random.signed()) * by;
    model.rest().iter().map(|x| Row::from(x.xyz() + any())).collect()
}

/// A small body with a lid folded over onto itself: a U whose legs are pressed into each other.
fn pressed_u() -> (Model, Vec<Row>) {
    pressed_u_with(|_| false)
}

/// The same with some of it held.
fn pressed_u_with(is_hard: impl Fn(DVec3) -> bool) -> (Model, Vec<Row>) {
    let mesh = shapes::solid_box(DVec3::new(4.0, 0.4, 0.4), [20, 2, 2]).unwrap();
    let bar = Body::solid("bar", mesh, Material::corotated(1e5, 0.3, 1000.0));
    let builder = ModelBuilder::new().body(bar).pin(0, is_hard);
    let model = builder.touching(TouchLaw::ELASTIC).build().unwrap();
    // Bent round a cylinder of a radius less than half the thickness away from the inner side.
    let radius = 0.35;
    let bend = |x: DVec3| {
        let arc = std::f64::consts::PI * radius;
        let (s, y) = (x.x, x.y);
        if s.abs() <= 0.5 * arc {
            let angle = s / radius;
            DVec3::new((radius + y) * angle.sin(), (radius + y) * angle.cos(), x.z)
        } else {
            let side = s.signum();
            let leg = s.abs() - 0.5 * arc;
            // The legs lean towards each other.
            DVec3::new(side * (radius + y - 0.15 * leg), -leg, x.z)
        }
    };
    let positions = model.rest().iter().map(|x| Row::from(bend(x.xyz()))).collect();
    (model, positions)
}

fn energy(model: &Model, positions: &[Row], gradient: Option<&mut [Row]>) -> f64 {
    let mut touching = Touching::default();
    touching.find(model.solids(), positions, &Team::new(1));
    let drive = Drive::default();
    let touches = touching.touches();
    let at = Situation {
        positions,
        start: positions,
        rate: 0.0,
        drive: &drive,
        end: None,
        touches,
        rubbing: &[],
    };
    let potential = BodyContact::new(model.solids.clone().unwrap());
    let mut sum = 0.0;
    let mut rows = vec![Row::zero(); positions.len()];
    let out = gradient.unwrap_or(&mut []);
    out.fill(Row::zero());
    for chunk in 0..potential.chunk_count() {
        let vertices = potential.chunk(chunk).vertices;
        let rows = &mut rows[..vertices.len()];
        sum += potential.evaluate(chunk, &at, Some(rows));
        for (&v, row) in vertices.iter().zip(rows.iter()) {
            if let Some(out) = out.get_mut(v as usize) {
                *out = *out + *row;
            }
        }
    }
    sum
}

/// Central differences along random directions that move every vertex.
fn assert_derivative(model: &Model, positions: &[Row]) {
    let mut gradient = vec![Row::zero(); positions.len()];
    let value = energy(model, positions, Some(&mut gradient));
    assert!(value > 0.0, "something touches");
    let mut random = Random(3);
    for _ in 0..10 {
        let along: Vec<Row> = positions
            .iter()
            .map(|_| Row::new(random.signed(), random.signed(), random.signed()))
            .collect();
        let slope: f64 = along.iter().zip(&gradient).map(|(a, g)| a.times(*g).sum()).sum();
        let at = |t: f64| {
            let x: Vec<Row> =
                positions.iter().zip(&along).map(|(x, a)| x.plus_scaled(t, *a)).collect();
            energy(model, &x, None)
        };
        let step = 1e-7;
        let difference = (at(step) - at(-step)) / (2.0 * step);
        let scale = gradient.iter().map(|g| g.times(*g).sum()).sum::<f64>().sqrt();
        assert!((slope - difference).abs() < 1e-5 * scale, "{slope} instead of {difference}");
    }
}

#[test]
fn forces_are_the_derivative_of_the_energy() {
    let model = stacked(0.1);
    assert_derivative(&model, &moved(&model, 0.02));
    let (model, positions) = pressed_u();
    assert_derivative(&model, &positions);
}

/// Bars that lie across each other on their edges, coarse enough for no vertex to be inside.
fn crossed(sunk: f64) -> Model {
    let bar = |name: &str, turn: DVec3, y: f64| {
        let mut mesh = shapes::solid_box(DVec3::new(3.0, 0.5, 0.5), [3, 1, 1]).unwrap();
        let turn = crate::rotation(turn);
        mesh.positions.iter_mut().for_each(|x| *x = turn * *x + DVec3::Y * y);
        Body::solid(name, mesh, Material::corotated(1e5, 0.3, 1000.0))
    };
    let height = 0.5 * 2f64.sqrt() - sunk;
    let bodies = ModelBuilder::new().body(bar("lower", DVec3::new(45.0, 5.0, 0.0), 0.0)).body(bar(
        "upper",
        DVec3::new(45.0, 80.0, 3.0),
        height,
    ));
    bodies.touching(TouchLaw::ELASTIC).build().unwrap()
}

#[test]
fn edges_that_cross_are_seen_and_pushed_apart() {
    let find = |sunk: f64| {
        let model = crossed(sunk);
        let mut touching = Touching::default();
        touching.find(model.solids(), model.rest(), &Team::new(1));
        touching.touches().to_vec()
    };
    assert_eq!(find(-0.01), []);
    let touches = find(0.05);
    assert!(touches.iter().all(|touch| touch.shares[1] > 0.0), "no vertex is inside");
    let [touch] = touches[..] else { panic!("{} crossings", touches.len()) };
    assert!((touch.depth - 0.05).abs() < 0.005, "{} m", touch.depth);
    // The lower bar's edge is in the upper bar, or the other way round.
    let out = if touch.owner == 1 { -touch.normal.y } else { touch.normal.y };
    assert!(out > 0.99, "{}", touch.normal);
    // Near the ends of its pieces and where it is slanted, too.
    for (shift, seed) in [(0.0, 0.0), (0.42, 0.02), (0.47, 0.03), (-0.45, 0.01)] {
        let model = crossed(0.05);
        let upper = |v: usize| model.body_of(v) == 1;
        let mut positions = moved(&model, seed);
        for (v, x) in positions.iter_mut().enumerate().filter(|(v, _)| upper(*v)) {
            *x = *x + Row::new(shift * (1.0 + 0.001 * (v % 3) as f64), 0.0, 0.7 * shift);
        }
        assert_derivative(&model, &positions);
    }
}

#[test]
fn forces_make_no_momentum() {
    let (bent, positions) = pressed_u();
    let (stack, bars) = (stacked(0.1), crossed(0.05));
    let (shaken, slanted) = (moved(&stack, 0.02), moved(&bars, 0.03));
    for (model, positions) in [(&bent, &positions), (&stack, &shaken), (&bars, &slanted)] {
        let mut gradient = vec![Row::zero(); positions.len()];
        energy(model, positions, Some(&mut gradient));
        let (mut force, mut torque, mut scale) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for (x, g) in positions.iter().zip(&gradient) {
            force += g.xyz();
            torque += x.xyz().cross(g.xyz());
            scale += g.xyz().length();
        }
        assert!(force.length() < 1e-13 * scale, "{force} of {scale}");
        assert!(torque.length() < 1e-13 * scale, "{torque} of {scale}");
    }
}

#[test]
fn depth_of_undeformed_bodies_is_that_of_a_ruler() {
    let model = stacked(0.125);
    let mut touching = Touching::default();
    let unturned: Vec<Row> = model.rest().to_vec();
    touching.find(model.solids(), &unturned, &Team::new(1));
    assert!(!touching.touches().is_empty());
    for touch in touching.touches().iter().filter(|t| t.body == 0) {
        let x = unturned[touch.points[0] as usize].xyz().abs();
        let ruler = 0.5 - x.max_element();
        assert!((touch.depth - ruler).abs() < 1e-12, "{touch:?} instead of {ruler}");
        assert!((touch.normal.length() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn nothing_touches_at_rest_nor_when_apart() {
    for model in [stacked(-0.3), stacked(-0.15)] {
        let mut touching = Touching::default();
        for by in [0.0, 0.002] {
            touching.find(model.solids(), &moved(&model, by), &Team::new(1));
            assert_eq!(touching.touches(), []);
        }
    }
}

#[test]
fn memory_and_threads_change_no_bit() {
    let model = stacked(0.05);
    let mut remembering = Touching::default();
    let team = Team::new(2);
    for k in 0..40 {
        let mut positions = moved(&model, 0.02);
        let sink = Row::new(0.0, -0.004 * f64::from(k), 0.0);
        positions.iter_mut().filter(|x| x.0[1] > 0.4).for_each(|x| *x = *x + sink);
        remembering.find(model.solids(), &positions, &team);
        let mut fresh = Touching::default();
        fresh.find(model.solids(), &positions, &Team::new(1));
        assert_eq!(remembering.touches(), fresh.touches());
    }
    assert!(remembering.lookups() < 10, "{} look-ups", remembering.lookups());
}

#[test]
fn what_moves_as_a_whole_is_not_looked_up_again() {
    let (model, mut positions) = pressed_u();
    let (mut remembering, team) = (Touching::default(), Team::new(1));
    for _ in 0..20 {
        positions.iter_mut().for_each(|x| *x = *x + Row::new(0.3, -0.2, 0.1));
        remembering.find(model.solids(), &positions, &team);
        let mut fresh = Touching::default();
        fresh.find(model.solids(), &positions, &team);
        assert!(!fresh.touches().is_empty());
        assert_eq!(remembering.touches(), fresh.touches());
    }
    assert_eq!(remembering.lookups(), 1);
}

#[test]
fn hard_vertices_touch_what_is_free_and_not_each_other() {
    let found = |(model, positions): &(Model, Vec<Row>)| {
        let mut touching = Touching::default();
        touching.find(model.solids(), positions, &Team::new(1));
        touching.touches().to_vec()
    };
    let all = found(&pressed_u()).len();
    assert!(all > 0);
    assert_eq!(found(&pressed_u_with(|x| x.x.abs() > 0.2)), [], "both legs are held");
    let half = pressed_u_with(|x| x.x > 0.2);
    let touches = found(&half);
    assert_eq!(touches.len(), all, "one leg is held");
    let hard = half.0.hard_vertices();
    let is_hard = |v: &u32| hard.contains(&(*v as usize));
    assert!(touches.iter().any(|t| t.points.iter().all(is_hard)), "it presses into the other");
    assert!(touches.iter().any(|t| !t.points.iter().any(is_hard)), "which presses into it");
    assert_derivative(&half.0, &half.1);
}

#[test]
fn energy_is_continuous_while_a_body_sinks_through_another() {
    let model = stacked(0.0);
    let at = |sunk: f64| {
        let upper = |v: usize| model.body_of(v) == 1;
        let sink =
            |(v, x): (usize, &Row)| if upper(v) { *x - Row::new(0.013, sunk, 0.0) } else { *x };
        let positions: Vec<Row> = model.rest().iter().enumerate().map(sink).collect();
        energy(&model, &positions, None)
    };
    let (mut last, mut most) = (at(0.0), 0.0f64);
    for k in 1..=4000 {
        let now = at(f64::from(k) * 1e-4);
        most = most.max((now - last).abs());
        last = now;
    }
    // Its steepest slope, N, times the step.
    assert!(last > 100.0 && most < 1e-3 * last, "jumps by {most} of {last}");
}

#[test]
fn second_derivatives_bound_those_of_the_energy() {
    let model = stacked(0.1);
    let positions = moved(&model, 0.02);
    let mut touching = Touching::default();
    touching.find(model.solids(), &positions, &Team::new(1));
    let (drive, touches) = (Drive::default(), touching.touches());
    let at = Situation {
        positions: &positions,
        start: &positions,
        rate: 0.0,
        drive: &drive,
        end: None,
        touches,
        rubbing: &[],
    };
    let potential = BodyContact::new(model.solids.clone().unwrap());
    let mut random = Random(5);
    let along: Vec<DVec3> = positions
        .iter()
        .map(|_| DVec3::new(random.signed(), random.signed(), random.signed()))
        .collect();
    // Gauss–Newton: Σ k (∂d·a)².
    let exact: f64 = touches
        .iter()
        .map(|t| {
            let corners = t.corners.iter().zip(t.weights);
            let carried: DVec3 = corners.map(|(&v, w)| along[v as usize] * w).sum();
            t.stiffness
                * t.normal
                    .dot(
                        along[t.points[0] as usize] * t.shares[0]
                            + along[t.points[1] as usize] * t.shares[1]
                            - carried,
                    )
                    .powi(2)
        })
        .sum();
    let mut bound = 0.0;
    for chunk in 0..potential.chunk_count() {
        let vertices = potential.chunk(chunk).vertices;
        let mut blocks = vec![0.0; 9 * vertices.len()];
        potential.hessians(chunk, &at, Curvature::Definite, &mut blocks);
        for (&v, block) in vertices.iter().zip(blocks.chunks_exact(9)) {
            let a = along[v as usize];
            bound += a.dot(DMat3::from_cols_slice(block) * a);
        }
    }
    assert!(exact > 0.0 && exact <= bound && bound <= 20.0 * exact, "{exact}, {bound}");
}

#[test]
fn strange_positions_touch_nothing_and_do_no_harm() {
    let model = stacked(0.1);
    for value in [f64::NAN, f64::INFINITY, 1e200] {
        let mut positions = model.rest().to_vec();
        positions[3] = Row::new(value, 0.0, 0.0);
        let mut touching = Touching::default();
        touching.find(model.solids(), &positions, &Team::new(1));
        assert!(touching.touches().iter().all(|t| t.depth.is_finite() && t.normal.is_finite()));
    }
    let flat: Vec<Row> = model.rest().iter().map(|x| Row::new(x.0[0], 0.0, x.0[2])).collect();
    let mut touching = Touching::default();
    touching.find(model.solids(), &flat, &Team::new(1));
    assert_eq!(touching.touches(), [], "flat tets hold nothing");
}

/// Two slabs of one body, nearer to each other at rest than their edges are long: by default such
/// neighbours pass through each other; as sides they do not.
#[test]
fn sides_of_a_body_touch_however_near_they_are_at_rest() {
    let slab = shapes::solid_box(DVec3::new(1.0, 0.5, 1.0), [2, 1, 2]).unwrap();
    let count = slab.positions.len() as u32;
    let mut both = slab.clone();
    both.positions.extend(slab.positions.iter().map(|x| *x + DVec3::Y * 0.52));
    both.tets.extend(slab.tets.iter().map(|t| t.map(|v| v + count)));
    let both = pliant_mesh::Mesh::solid(both.positions, both.tets);
    let sides: Vec<u8> = (0..2 * count).map(|v| if v < count { 1 } else { 2 }).collect();
    let builder = || {
        let spec = Body::solid("lips", both.clone(), Material::tissue(1e5, 0.3, 1000.0));
        ModelBuilder::new().body(spec).touching(TouchLaw::ELASTIC)
    };
    let (passing, meeting) =
        (builder().build().unwrap(), builder().sides(0, sides).build().unwrap());
    let pressed = |model: &Model, by: f64| -> Vec<Row> {
        let mut rows = model.rest().to_vec();
        for v in count as usize..2 * count as usize {
            let v = model.number(0, v);
            rows[v] = Row::from(rows[v].xyz() - DVec3::new(0.03, by, 0.05));
        }
        rows
    };
    assert_eq!(energy(&passing, &pressed(&passing, 0.1), None), 0.0);
    assert_eq!(energy(&meeting, &pressed(&meeting, 0.01), None), 0.0);
    let [little, much] = [0.03, 0.1].map(|by| energy(&meeting, &pressed(&meeting, by), None));
    assert!(little > 0.0 && much > 10.0 * little, "{little} J, {much} J");
    let mut rows = vec![Row::zero(); meeting.vertex_count()];
    energy(&meeting, &pressed(&meeting, 0.1), Some(&mut rows));
    let force: DVec3 = (0..count as usize).map(|v| rows[meeting.number(0, v)].xyz()).sum();
    // The gradient of the lower slab points up: it is pushed down.
    assert!(force.y > 0.0, "{force}");
}

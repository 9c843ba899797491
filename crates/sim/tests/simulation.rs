//! The easy door: it moves what the exact door moves, and says what it cannot.

use pliant_mesh::{Selection, shapes};
use pliant_model::method::{Damping, Solver};
use pliant_model::{
    Body, Breeze, Collider, DVec3, FrameInput, Hold, Material, Method, ModelBuilder, Motion, Shape,
};
use pliant_sim::{
    Simulation, SimulationBuilder, SimulationError, SnapshotError, State, Workspace, step,
};

const H: f64 = 1.0 / 60.0;

fn bar(name: &str) -> Body {
    let mesh = shapes::box3([1.0, 0.2, 0.2], [8, 2, 2]).expect("a box");
    Body::solid(name, mesh, Material::neo_hookean(1e5, 0.4, 1000.0))
}

/// Half a metre along x within half a second.
fn pull() -> Motion {
    let translate = vec![DVec3::ZERO, DVec3::X * 0.5];
    Motion { times: vec![0.0, 0.5], translate, rotate: vec![], about: DVec3::ZERO }
}

fn gusts() -> Breeze {
    let (times, scale) = (vec![], vec![]);
    Breeze { velocity: DVec3::Z * 8.0, drag: 1.2, gust: 0.3, seed: 3, times, scale }
}

fn floor() -> Collider {
    let plane = Shape::plane(DVec3::Y * -0.15, DVec3::Y);
    Collider { friction: 0.3, motion: Some(pull()), ..Collider::new(plane, 1e5) }
}

/// A bar that is pulled by one end over a moving floor, in the wind, beside one that falls.
fn company() -> SimulationBuilder {
    Simulation::builder()
        .body(bar("pulled").attach(|x| x.x > 0.49, Hold::Hard).motion(pull()))
        .body(bar("hung").translate(DVec3::Z).attach(|x| x.x < -0.49, 1e4))
        .collider(floor())
        .wind(gusts())
        .method(Method::VIVID)
        .threads(1)
}

fn build(builder: SimulationBuilder) -> Simulation {
    builder.build().expect("a simulation")
}

fn steps(simulation: &mut Simulation, count: usize) {
    (0..count).for_each(|_| assert!(!simulation.step(H).rolled_back));
}

#[test]
fn the_easy_door_gives_the_bits_of_the_exact_one() {
    let mut easy = build(company());
    let builder = ModelBuilder::new()
        .body(bar("pulled"))
        .body(bar("hung").translate(DVec3::Z))
        .hold(0, ends(1.0), Hold::Hard, Some(pull()))
        .hold(1, ends(-1.0), Hold::Spring(1e4), None)
        .collider(floor())
        .wind(gusts())
        .method(Method::VIVID);
    let model = builder.build().expect("a model");
    let mut workspace = Workspace::new(&model, 1).expect("a workspace");
    let mut state = State::initial(&model);
    let mut input = FrameInput { h: H, ..FrameInput::default() };
    for n in 0..20 {
        model.drive(f64::from(n) * H, &mut input.start);
        model.drive(f64::from(n + 1) * H, &mut input.end);
        let exact = step(&model, &input, &mut state, &mut workspace);
        assert_eq!(easy.step(H).energy, exact.energy);
    }
    let mut positions = vec![DVec3::ZERO; model.vertex_count()];
    model.to_user_order(&state.positions, &mut positions);
    assert_eq!(easy.all_positions(), positions);
    let hung = model.bodies()[1].first_vertex;
    assert_eq!(easy.positions("hung").unwrap(), &positions[hung..]);
    assert_eq!(easy.time(), 20.0 * H);
}

/// The vertices at an end of the bar.
fn ends(side: f64) -> Vec<u32> {
    let at_end = |x: DVec3| x.x * side > 0.49;
    let positions = bar("").mesh.positions;
    (0u32..).zip(positions).filter(|(_, x)| at_end(*x)).map(|(v, _)| v).collect()
}

#[test]
fn two_threads_give_the_bits_of_one() {
    let [mut one, mut two] = [build(company()), build(company().threads(2))];
    steps(&mut one, 20);
    steps(&mut two, 20);
    assert!(one.all_positions() == two.all_positions());
    assert!(one.snapshot() == two.snapshot());
}

#[test]
fn a_snapshot_continues_the_same_simulation() {
    let mut whole = build(company());
    steps(&mut whole, 4);
    let lifted: Vec<DVec3> =
        whole.attached("hung").unwrap().iter().map(|_| DVec3::new(-0.5, 0.3, 1.0)).collect();
    whole.set_targets("hung", &lifted).unwrap();
    let bytes = whole.snapshot();
    whole.step(0.5 * H);
    steps(&mut whole, 6);
    let mut resumed = build(company());
    steps(&mut resumed, 1);
    resumed.restore(&bytes).unwrap();
    assert_eq!((resumed.time(), resumed.recording().unwrap().frames().len()), (4.0 * H, 1));
    resumed.step(0.5 * H);
    steps(&mut resumed, 6);
    assert!(whole.all_positions() == resumed.all_positions());
    assert!(whole.snapshot() == resumed.snapshot());
    assert_eq!(whole.energy(), resumed.energy());
}

#[test]
fn snapshots_of_other_models_and_damaged_ones_are_refused() {
    let mut simulation = build(company());
    steps(&mut simulation, 2);
    let (bytes, before) = (simulation.snapshot(), simulation.all_positions().to_vec());
    let mut others = [
        company().gravity(DVec3::ZERO),
        company().method(Method::default()),
        company().body(bar("third")),
        company().model(|model| model.stiffened(0.5)),
    ]
    .map(build);
    for other in &mut others {
        let error = other.restore(&bytes).unwrap_err();
        assert!(matches!(error, SimulationError::Snapshot(SnapshotError::OtherScene)), "{error}");
    }
    for length in (0..bytes.len()).step_by(211) {
        assert!(simulation.restore(&bytes[..length]).is_err(), "cut to {length} bytes");
        let mut flipped = bytes.clone();
        flipped[length] ^= 4;
        assert!(simulation.restore(&flipped).is_err(), "a flipped bit in byte {length}");
    }
    assert!(simulation.all_positions() == before, "what is refused changes nothing");
}

#[test]
fn the_vivid_method_keeps_the_energy_of_a_swinging_bar() {
    let mut simulation =
        build(Simulation::builder().body(bar("bar").pin(|x| x.x < -0.49)).method(Method::VIVID));
    let start = simulation.energy().total();
    let mut moving = 0.0f64;
    for _ in 0..120 {
        let energy = simulation.step(H).energy;
        moving = moving.max(energy.kinetic);
        assert!((energy.total() - start).abs() < 1e-6 * moving, "{energy:?}");
    }
    assert!(moving > 1.0);
    let whole = simulation.energy();
    assert_eq!(simulation.energy_of("bar").unwrap().kinetic, whole.kinetic);
    let potential = simulation.energy_of("bar").unwrap().potential;
    assert!((potential - whole.potential).abs() < 1e-9 * moving);
}

/// Mean position along x.
fn middle(simulation: &Simulation, body: &str) -> f64 {
    let positions = simulation.positions(body).unwrap();
    positions.iter().map(|x| x.x).sum::<f64>() / positions.len() as f64
}

#[test]
fn a_moving_attachment_drags_its_body_along() {
    let damped = Method { damping: Some(Damping::Ether(4.0)), ..Method::default() };
    for hold in [Hold::Hard, Hold::Spring(1e5)] {
        let held = || bar("bar").attach(|x| x.x > 0.49, hold);
        let build = |body| {
            build(Simulation::builder().body(body).gravity(DVec3::ZERO).method(damped).threads(1))
        };
        let [mut keyed, mut coded] = [build(held().motion(pull())), build(held())];
        let rest: Vec<DVec3> = {
            let at = coded.positions("bar").unwrap();
            coded.attached("bar").unwrap().iter().map(|&v| at[v as usize]).collect()
        };
        assert_eq!(rest.len(), 9);
        for n in 1..=120 {
            let moved = pull().at(f64::from(n) * H);
            let targets: Vec<DVec3> = rest.iter().map(|x| moved.apply(*x)).collect();
            coded.set_targets("bar", &targets).unwrap();
            steps(&mut keyed, 1);
            steps(&mut coded, 1);
        }
        let away = middle(&keyed, "bar");
        assert!((away - 0.5).abs() < 0.02, "{hold:?}: dragged by {away} m");
        assert!(keyed.all_positions() == coded.all_positions(), "{hold:?}: targets from code");
        coded.release_targets("bar").unwrap();
        steps(&mut coded, 120);
        let (at, held) = (coded.positions("bar").unwrap(), coded.attached("bar").unwrap());
        let away = held.iter().zip(&rest).map(|(&v, x)| at[v as usize].distance(*x));
        let away = away.fold(0.0, f64::max);
        assert!(away < 0.02, "{hold:?}: {away} m from where its own motion holds it");
    }
}

#[test]
fn friction_stops_a_slide() {
    let slide = |friction: f64| {
        let floor = Collider { friction, ..floor() };
        let bar = bar("bar").translate([0.0, -0.05, 0.0]).velocity([1.0, 0.0, 0.0]);
        let builder = Simulation::builder().body(bar).threads(1);
        let mut simulation = build(builder.collider(Collider { motion: None, ..floor }));
        steps(&mut simulation, 60);
        let speeds = simulation.velocities("bar").unwrap().iter().map(|v| v.x);
        speeds.sum::<f64>() / simulation.positions("bar").unwrap().len() as f64
    };
    let (smooth, rough) = (slide(0.0), slide(0.5));
    assert!((smooth - 1.0).abs() < 1e-6, "without friction it goes on: {smooth} m/s");
    assert!(rough.abs() < 1e-3, "with it it stands: {rough} m/s");
}

#[test]
fn what_code_sets_is_what_moves_on() {
    let mut simulation = build(
        Simulation::builder()
            .body(bar("still").pin(|x| x.x < -0.49))
            .body(bar("thrown").spin([0.0, 0.0, 1.0]))
            .gravity(DVec3::ZERO)
            .method(Method::VIVID),
    );
    steps(&mut simulation, 3);
    let up: Vec<DVec3> = bar("").mesh.positions.iter().map(|x| *x + DVec3::Y).collect();
    simulation.set_positions("thrown", &up).unwrap();
    simulation.set_velocities("thrown", &vec![DVec3::Z; up.len()]).unwrap();
    simulation.set_velocities("still", &vec![DVec3::ZERO; up.len()]).unwrap();
    let kinetic = simulation.energy().kinetic;
    assert!((kinetic - 0.5 * 1000.0 * 0.04).abs() < 1e-9, "40 kg at 1 m/s: {kinetic} J");
    let before = simulation.time();
    steps(&mut simulation, 30);
    let flown = simulation.time() - before;
    for (x, own) in simulation.positions("thrown").unwrap().iter().zip(&up) {
        assert!((*x - *own - DVec3::Z * flown).length() < 1e-9, "it flies at its new speed");
    }
    // Hard vertices obey their attachment alone.
    simulation.set_positions("still", &up).unwrap();
    let still = simulation.positions("still").unwrap();
    let held = simulation.attached("still").unwrap();
    assert_eq!(held, ends(-1.0));
    let placed = bar("").mesh.positions;
    assert!(held.iter().all(|&v| still[v as usize] == placed[v as usize]));
}

#[test]
fn recordings_hold_every_step_unless_told_otherwise() {
    let mut simulation = build(company());
    steps(&mut simulation, 3);
    let recording = simulation.recording().unwrap();
    assert_eq!(recording.times(), [0.0, H, 2.0 * H, 3.0 * H]);
    assert_eq!((recording.fps(), recording.missed()), (Some(60.0), 0));
    assert_eq!(recording.frames().last(), Some(simulation.all_positions()));
    simulation.record(false);
    steps(&mut simulation, 1);
    assert!(simulation.recording().is_none());
    assert!(build(company().record(false)).recording().is_none());
}

#[test]
fn a_step_without_a_length_changes_nothing() {
    let mut simulation = build(company());
    steps(&mut simulation, 2);
    let before = simulation.snapshot();
    for h in [0.0, -H, f64::NAN, f64::INFINITY] {
        assert!(simulation.step(h).rolled_back, "{h} s");
    }
    assert!(simulation.snapshot() == before);
}

#[test]
fn whatever_is_animated_can_be_overwritten() {
    let mut simulation = build(Simulation::builder().body(bar("bar")));
    let mut times = Vec::new();
    simulation.step_with(H, |time, drive| {
        times.push(time);
        drive.gravity = DVec3::X;
    });
    assert_eq!(times, [0.0, H]);
    let speeds = simulation.velocities("bar").unwrap();
    assert!(speeds.iter().all(|v| (*v - DVec3::X * H).length() < 1e-9));
}

#[test]
fn errors_name_bodies() {
    let refused = |builder: SimulationBuilder| builder.build().err().expect("an error").to_string();
    let one = |body| refused(Simulation::builder().body(body));
    let mut simulation = build(company());
    let count = simulation.positions("hung").unwrap().len();
    let by = |select: Selection, hold: f64| bar("rod").attach_selection(select, hold);
    let cases = [
        (
            simulation.positions("puled").unwrap_err().to_string(),
            "no body `puled`: did you mean `pulled`?",
        ),
        (simulation.velocities("x").unwrap_err().to_string(), "the bodies are pulled, hung"),
        (
            simulation.set_positions("hung", &[DVec3::ZERO]).unwrap_err().to_string(),
            "body `hung`: 1 positions for 81 vertices",
        ),
        (
            simulation.set_velocities("hung", &vec![DVec3::NAN; count]).unwrap_err().to_string(),
            "body `hung`: number 0 of the velocities is not finite",
        ),
        (simulation.set_targets("hung", &[]).unwrap_err().to_string(), "0 targets for 9 vertices"),
        (refused(company().body(bar("hung"))), "two bodies are called `hung`"),
        (one(bar("rod").pin(|x| x.x > 9.0)), "body `rod`: an attachment selects no vertex"),
        (one(bar("rod").motion(pull())), "body `rod`: an attachment selects no vertex"),
        (one(by(Selection::All, -1.0)), "stiffness of -1 N/m"),
        (
            one(by(Selection::Group("nails".into()), 1.0)),
            "body `rod`: attachment: selection names group \"nails\"",
        ),
        (one(by(Selection::Vertices(vec![900]), 1.0)), "900"),
        (refused(Simulation::builder()), "0 vertices"),
    ];
    for (error, expected) in cases {
        assert!(error.contains(expected), "{error}, expected {expected}");
    }
}

#[test]
fn a_method_whose_parts_do_not_go_together_is_refused() {
    let method = Method { solver: Solver::Xpbd { iterations: 5 }, ..Method::VIVID };
    let refused = Simulation::builder().body(bar("bar")).method(method).build();
    let sentence = refused.err().expect("an error").to_string();
    assert!(sentence.contains("cannot solve `implicit-midpoint`"), "{sentence}");
}

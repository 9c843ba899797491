//! The world around a face: head motion, wind and pressing objects.

use glam::{DMat3, DVec3};
use pliant_face::alteration::Alteration;
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::effects::Effects;
use pliant_face::linear_flesh::{Elasticity, SimpleFlesh};
use pliant_face::{
    Dynamics, FaceFrameReport, FaceSimulation, FaceSimulationOptions, FaceSolver, HeadPose, World,
};
use pliant_model::method::Scheme;

use crate::coarse::face;

fn moving(dynamics: Dynamics, threads: usize) -> FaceSimulation<'static> {
    let solver = FaceSolver::Interactive { iterations: 20 };
    let dynamics = Some(dynamics);
    let options =
        FaceSimulationOptions { solver, dynamics, threads, ..FaceSimulationOptions::default() };
    FaceSimulation::new(face(), &options).expect("a simulation")
}

/// A smile, as contractions.
fn smile(by: f64) -> Vec<f64> {
    let is_zygomatic = |name: &str| name.contains("zygomatic");
    face().muscles.iter().map(|m| if is_zygomatic(&m.name) { by } else { 0.0 }).collect()
}

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// A head that jumps: up by half a metre, down again, and still; the place at a time (s).
fn jump(time: f64) -> DVec3 {
    const LEAP: f64 = 3.1;
    let height = LEAP * time - 0.5 * 9.81 * time * time;
    DVec3::Y * if (0.0..2.0 * LEAP / 9.81).contains(&time) { height } else { 0.0 }
}

#[test]
fn a_face_carried_at_constant_velocity_stays_quiet() {
    let mut simulation = moving(Dynamics::default(), 1);
    for frame in 0..12 {
        let place = DVec3::new(3.0, 1.0, -2.0) * f64::from(frame) / 30.0;
        simulation.move_head(&HeadPose { place, ..HeadPose::default() });
        let report = simulation.pose(&[], &JawPose::default());
        assert!(report.energy.abs() < 1e-15, "{} J in frame {frame}", report.energy);
    }
    let off = farthest(&simulation.skin(), &face().skin_at(&face().solid.positions));
    assert!(off < 1e-9, "off by {off} m");
    assert!(simulation.rms_skin_speed() < 1e-9);
}

#[test]
fn a_face_turned_slowly_is_the_face_without_inertia_turned() {
    let still = FaceSimulationOptions::default();
    let mut still = FaceSimulation::new(face(), &still).expect("a simulation");
    let mut moving = moving(Dynamics::default(), 1);
    let yaw = |frame: i32| {
        // A quarter turn within a second, by ease in and ease out.
        let part = (f64::from(frame) / 30.0).clamp(0.0, 1.0);
        90f64.to_radians() * part * part * (3.0 - 2.0 * part)
    };
    let mut lag = 0.0;
    still.pose(&smile(0.2), &JawPose::default());
    for frame in -10..40 {
        let turn = DMat3::from_rotation_y(yaw(frame));
        moving.move_head(&HeadPose { turn, ..HeadPose::default() });
        let report = moving.pose(&smile(0.2), &JawPose::default());
        assert_eq!(report.fallbacks, 0);
        if frame >= 0 {
            lag = f64::max(lag, farthest(&moving.skin(), &still.skin()));
        }
    }
    assert!(lag < 0.0015, "{lag} m apart while it turns");
    let off = farthest(&moving.skin(), &still.skin());
    assert!(off < 0.0001, "{off} m apart when it has turned");
}

#[test]
fn a_head_turned_by_a_right_angle_moves_as_the_same_head() {
    let poses: Vec<Vec<DVec3>> = [0.0, 0.5]
        .map(|part: f64| {
            let turn = DMat3::from_rotation_y(part * std::f64::consts::PI);
            let mut simulation = moving(Dynamics::default(), 1);
            for frame in 0..6 {
                simulation.move_head(&HeadPose { turn, ..HeadPose::default() });
                simulation.pose(&smile(0.06 * f64::from(frame)), &JawPose::default());
            }
            simulation.skin()
        })
        .to_vec();
    let off = farthest(&poses[0], &poses[1]);
    let moved = farthest(&poses[0], &face().skin_at(&face().solid.positions));
    assert!(moved > 0.001 && off < 2e-5, "moved by {moved} m, off by {off} m");
}

/// A jump, landed on one frame.
fn jumped(dynamics: Dynamics, threads: usize) -> (Vec<FaceFrameReport>, Vec<Vec<DVec3>>) {
    let mut simulation = moving(dynamics, threads);
    let (mut reports, mut skins) = (Vec::new(), Vec::new());
    for frame in 0..27 {
        let place = jump(f64::from(frame - 4) / 30.0);
        simulation.move_head(&HeadPose { place, ..HeadPose::default() });
        reports.push(simulation.pose(&[], &JawPose::default()));
        skins.push(simulation.skin());
    }
    (reports, skins)
}

#[test]
fn a_jump_makes_the_cheeks_lag_and_its_work_is_booked() {
    let rest = face().skin_at(&face().solid.positions);
    for scheme in [Scheme::BackwardEuler, Scheme::Bdf2, Scheme::ImplicitMidpoint] {
        let (reports, skins) = jumped(Dynamics { scheme, ..Dynamics::default() }, 1);
        let most = reports.iter().map(|r| r.energy.abs()).fold(0.0, f64::max);
        for (frame, report) in reports.iter().enumerate() {
            let off = (report.energy - report.account).abs();
            assert!(off <= 1e-6 * most, "{scheme:?}: off by {off} of {most} J in frame {frame}");
            assert_eq!(report.fallbacks, 0, "{scheme:?}, frame {frame}");
        }
        // Down as the head leaves the ground, and down again as it lands.
        let dips: Vec<f64> = skins
            .iter()
            .map(|skin| skin.iter().zip(&rest).map(|(a, b)| b.y - a.y).fold(0.0, f64::max))
            .collect();
        let (up, land) = (dips[5].max(dips[6]), dips[23..27].iter().copied().fold(0.0, f64::max));
        assert!(up > 0.001 && land > 0.001, "{scheme:?}: {up} and {land} m");
        assert!(dips.iter().all(|dip| *dip < 0.05), "{scheme:?}: {dips:?}");
    }
}

#[test]
fn a_jump_is_the_same_to_the_last_bit_for_any_number_of_threads() {
    let dynamics = Dynamics { substeps: 1, ..Dynamics::default() };
    let [one, two] = [1, 2].map(|threads| jumped(dynamics, threads).1);
    assert!(one == two);
}

/// The world of an effects file.
fn world(text: &str) -> World {
    let effects = Effects::parse("E.toml".as_ref(), text).expect("effects");
    World::of(face(), &effects, 30.0, |_| unreachable!("no files")).expect("a world")
}

fn in_world(options: &FaceSimulationOptions, world: &World) -> FaceSimulation<'static> {
    let nothing = Alteration::default();
    FaceSimulation::in_world(face(), options, nothing, 0.0, world).expect("a simulation")
}

/// Flesh as soft as jowls, in gusts of 15 m/s from the side.
fn windy(scheme: Scheme, fepr: bool, threads: usize) -> FaceSimulation<'static> {
    let usual = Dynamics::default();
    let correction = usual.correction.filter(|_| fepr);
    let dynamics = Dynamics { scheme, correction, damping: 2.0, substeps: 1, ..usual };
    let options = FaceSimulationOptions {
        solver: FaceSolver::Interactive { iterations: 12 },
        shear: 520.0,
        dynamics: Some(dynamics),
        threads,
        ..FaceSimulationOptions::default()
    };
    let wind = "[wind]\nvelocity = [15.0, 0.0, -7.0]\ngust = 0.7\nperiod = 0.15\nsize = 0.05";
    in_world(&options, &world(wind))
}

#[test]
fn ripples_live_where_energy_is_kept_and_die_in_backward_euler() {
    let speed = |scheme, fepr| {
        let mut simulation = windy(scheme, fepr, 1);
        let (mut squares, mut worst) = (0.0, 0.0f64);
        for frame in 0..40 {
            let report = simulation.pose(&[], &JawPose::default());
            assert_eq!(report.fallbacks, 0);
            if fepr {
                let off = (report.energy - report.account).abs();
                worst = worst.max(off / report.energy.abs().max(1e-6));
            }
            if frame >= 10 {
                squares += report.rms_skin_speed.powi(2) / 30.0;
            }
        }
        assert!(worst < 1e-6, "off the account by {worst} of it");
        squares.sqrt()
    };
    let dead = speed(Scheme::BackwardEuler, false);
    let vivid = speed(Scheme::ImplicitMidpoint, true);
    assert!(vivid > 3.0 * dead && vivid > 0.01, "{vivid} m/s, and {dead} m/s without");
}

#[test]
fn wind_is_the_same_to_the_last_bit_for_any_number_of_threads() {
    let [one, two] = [1, 2].map(|threads| {
        let mut simulation = windy(Scheme::ImplicitMidpoint, true, threads);
        (0..4).for_each(|_| _ = simulation.pose(&smile(0.1), &JawPose::default()));
        simulation.skin()
    });
    assert!(one == two);
}

#[test]
fn wind_from_the_side_presses_the_cheek_that_it_meets() {
    let options = FaceSimulationOptions { shear: 520.0, ..FaceSimulationOptions::default() };
    let wind = world("[wind]\nvelocity = [-30.0, 0.0, 0.0]");
    let mut simulation = in_world(&options, &wind);
    simulation.pose(&[], &JawPose::default());
    let rest = face().skin_at(&face().solid.positions);
    let skin = simulation.skin();
    let moved = |side: f64| {
        let cheek = rest
            .iter()
            .zip(&skin)
            .filter(|(x, _)| side * x.x > 0.03 && (-0.06..-0.02).contains(&x.y) && x.z > -0.03);
        let (sum, count) = cheek.fold((0.0, 0), |(s, n), (x, y)| (s + y.x - x.x, n + 1));
        sum / f64::from(count)
    };
    let (left, right) = (moved(1.0), moved(-1.0));
    assert!(left < -0.0002 && right < -0.0002, "pressed by {left} m, and sucked by {right} m");
}

/// Presses a thing of a world on a face without inertia for some frames.
fn pressed(text: &str, frames: u32) -> (FaceSimulation<'static>, FaceFrameReport) {
    let solver = FaceSolver::Interactive { iterations: 15 };
    let options = FaceSimulationOptions { solver, ..FaceSimulationOptions::default() };
    let world = world(text);
    let mut simulation = in_world(&options, &world);
    let mut report = FaceFrameReport::default();
    for _ in 0..frames {
        report = simulation.pose(&[], &JawPose::default());
        assert!(report.max_depth_in_things < 0.001, "{} m", report.max_depth_in_things);
        assert_eq!(report.fallbacks, 0);
    }
    (simulation, report)
}

#[test]
fn a_headset_presses_evenly_and_flesh_bulges_around_it() {
    let (simulation, report) = pressed("[[object]]\nshape = 'headset'", 12);
    let area = 1e4 * report.contact_area;
    assert!((20.0..90.0).contains(&area), "{area} cm² touch");
    // It began outside.
    assert_eq!(simulation.props().len(), 1);
    let rest = face().skin_at(&face().solid.positions);
    let skin = simulation.skin();
    let along = rest.iter().zip(&skin).map(|(x, y)| y.z - x.z);
    let (deepest, highest) = along.fold((0.0, 0.0), |(a, b), d| (f64::min(a, d), f64::max(b, d)));
    assert!(deepest < -0.001, "pressed by {deepest} m");
    assert!(highest > 0.0002, "bulges by {highest} m");
}

#[test]
fn a_punch_turns_the_nose_aside_and_flesh_without_rotations_is_distorted() {
    let path = "[[object]]\nname = 'fist'\nshape = 'fist'\nturn = [0.0, 35.0, 0.0]\n\
                place = [[0.0, 0.075, 0.0, -0.005], [0.3, 0.045, 0.0, -0.025]]";
    let (simulation, report) = pressed(path, 10);
    let rest = face().skin_at(&face().solid.positions);
    let tip = (0..rest.len()).max_by(|a, b| rest[*a].z.total_cmp(&rest[*b].z)).expect("skin");
    let moved = simulation.skin()[tip] - rest[tip];
    assert!(moved.x < -0.002 && report.contact_area > 1e-4, "{moved} m, {report:?}");
    // The same fist against flesh without rotations, and with.
    let (props, poses) = (world(path).props, simulation.props());
    let surface = |x: DVec3| props[0].surface_near(&poses[0], x);
    let flesh = SimpleFlesh::new(face());
    let [linear, corotated] = [Elasticity::Linear, Elasticity::Corotated]
        .map(|elasticity| flesh.pressed(elasticity, &|p| p, &[], &surface));
    let stretched = |x: &[DVec3]| {
        let stretch = |t: usize| {
            let f = flesh.gradient(t, x);
            (f.determinant() - 1.0).abs()
        };
        (0..face().solid.tets.len()).map(stretch).fold(0.0, f64::max)
    };
    let (without, with) = (stretched(&linear), stretched(&corotated));
    assert!(without > with, "volumes change by {without} without rotations, by {with} with");
}

#[test]
fn a_ball_that_is_in_the_head_begins_outside_and_never_enters_bone() {
    let cheek = "[[object]]\nshape = 'sphere'\nradius = 0.015\nplace = [0.055, -0.045, -0.005]";
    let (simulation, report) = pressed(cheek, 14);
    let center = simulation.props()[0].apply(DVec3::ZERO);
    let bone = face().mandible.mesh.positions.iter().chain(&face().skull.mesh.positions);
    let nearest = bone.map(|p| p.distance(center)).fold(f64::INFINITY, f64::min);
    assert!(nearest > 0.0155, "bone is {} m in the ball", 0.015 - nearest);
    assert!(report.contact_area > 1e-4, "{} cm² touch", 1e4 * report.contact_area);
}

#[test]
fn a_resumed_simulation_goes_on_to_the_last_bit() {
    let text = "[wind]\nvelocity = [15.0, 0.0, -7.0]\ngust = 0.7\n[[object]]\nshape = 'sphere'\n\
                radius = 0.015\nplace = [[0.0, 0.07, -0.045, 0.02], [0.2, 0.062, -0.045, 0.005]]";
    let dynamics = Dynamics { substeps: 1, ..Dynamics::default() };
    let options = FaceSimulationOptions {
        solver: FaceSolver::Interactive { iterations: 8 },
        dynamics: Some(dynamics),
        ..FaceSimulationOptions::default()
    };
    let world = world(text);
    let play = |simulation: &mut FaceSimulation, frames: std::ops::Range<i32>| {
        for frame in frames {
            let part = f64::from(frame);
            let turn = DMat3::from_rotation_y(0.02 * part * part);
            let place = DVec3::Y * 0.004 * part * part;
            simulation.move_head(&HeadPose { turn, place });
            let jaw = JawPose { open: part, ..JawPose::default() };
            simulation.pose(&smile(0.03 * part), &jaw);
        }
    };
    let mut whole = in_world(&options, &world);
    play(&mut whole, 0..4);
    let snapshot = whole.snapshot(7);
    play(&mut whole, 4..7);
    let mut resumed = in_world(&options, &world);
    assert!(resumed.resume(&snapshot, 8).is_err(), "another key");
    assert!(resumed.resume(&snapshot[..snapshot.len() / 2], 7).is_err(), "half of it");
    assert!(resumed.resume(&[], 7).is_err());
    resumed.resume(&snapshot, 7).expect("a snapshot");
    play(&mut resumed, 4..7);
    assert!(whole.skin() == resumed.skin());
    assert_eq!(whole.snapshot(1), resumed.snapshot(1));
}

//! What the world does to a face, as sentences: a head that moves.

use std::path::Path;
use std::sync::OnceLock;

use glam::{DMat3, DVec3};
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::{
    BuildOptions, Dynamics, FaceModel, FaceSimulation, FaceSolver, FrameReport, HeadPose,
    SimulationOptions, Template, build,
};
use pliant_math::team::Team;
use pliant_model::integrator::Scheme;

fn face() -> &'static FaceModel {
    static FACE: OnceLock<FaceModel> = OnceLock::new();
    FACE.get_or_init(|| {
        let team = Team::new(2);
        let head = Template::built_in(0.004, &team).expect("a head");
        let options = BuildOptions { size: 0.0075 };
        build(&head, Path::new("built in"), &options, &team).expect("a face").0
    })
}

fn moving(dynamics: Dynamics, threads: usize) -> FaceSimulation<'static> {
    let solver = FaceSolver::Interactive { iterations: 20 };
    let dynamics = Some(dynamics);
    let options = SimulationOptions { solver, dynamics, threads, ..SimulationOptions::default() };
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
    let mut simulation = moving(Dynamics::default(), 2);
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
    let still = SimulationOptions { threads: 2, ..SimulationOptions::default() };
    let mut still = FaceSimulation::new(face(), &still).expect("a simulation");
    let mut moving = moving(Dynamics::default(), 2);
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
            let mut simulation = moving(Dynamics::default(), 2);
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
fn jumped(dynamics: Dynamics, threads: usize) -> (Vec<FrameReport>, Vec<Vec<DVec3>>) {
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
        let (reports, skins) = jumped(Dynamics { scheme, ..Dynamics::default() }, 2);
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

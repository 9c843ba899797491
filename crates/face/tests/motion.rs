//! A face that talks, is shaken, and has inertia.

use glam::DVec3;
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::{
    Animator, Dynamics, FaceSimulation, FaceSimulationOptions, FaceSolver, LipGauge, Penetration,
    Performance,
};
use pliant_model::method::Scheme;

use crate::coarse::face;

fn options(solver: FaceSolver) -> FaceSimulationOptions {
    FaceSimulationOptions { solver, ..FaceSimulationOptions::default() }
}

/// Some frames of speech in which lips press, part and meet again, with the head held still.
fn speech() -> Performance {
    let mut speech = Performance::speech(30.0);
    speech.frames.iter_mut().for_each(|frame| frame.head = [0.0; 3]);
    speech.frames.drain(..15);
    speech.frames.truncate(14);
    speech
}

/// Skins and the worst penetration of the performance.
fn played(options: &FaceSimulationOptions) -> (Vec<Vec<DVec3>>, Penetration, f64) {
    let (face, speech) = (face(), speech());
    let gauge = LipGauge::new(face).expect("teeth");
    let mut animator = Animator::of(face, &speech, options).expect("an animator");
    let (mut skins, mut worst, mut residual) = (Vec::new(), Penetration::default(), 0.0);
    for frame in &speech.frames {
        let done = animator.frame(frame);
        let flesh = animator.simulation().positions();
        let found = gauge.flesh(&flesh, &done.jaw).and(gauge.skin(&done.skin, &flesh, &done.jaw));
        worst.inside = worst.inside.max(found.inside);
        worst.deepest = worst.deepest.max(found.deepest);
        residual = f64::max(residual, done.report.residual);
        assert_eq!(done.report.fallbacks, 0);
        skins.push(done.skin);
    }
    (skins, worst, residual)
}

#[test]
fn lips_meet_and_do_not_cross() {
    let rest = LipGauge::new(face()).expect("teeth");
    let at_rest = rest.flesh(&face().solid.positions, &JawPose::default());
    assert_eq!(at_rest, Penetration::default(), "nothing is in anything at rest");
    let (exact, with, residual) = played(&options(FaceSolver::EXACT));
    assert!(residual <= 1e-6, "{residual} left");
    assert!(with.deepest < 0.0002, "{with:?}");
    let through = FaceSimulationOptions { contact: false, ..options(FaceSolver::EXACT) };
    let (_, without, _) = played(&through);
    assert!(without.inside >= 30 && without.deepest > 0.0005, "{without:?}");
    // And in the time there is for thirty frames per second, nearly the same.
    let (fast, ..) = played(&options(FaceSolver::INTERACTIVE));
    let (mut near, mut all, mut off, mut moved) = (0, 0, 0.0, 0.0);
    for (exact, fast) in exact.iter().zip(&fast) {
        for ((e, x), rest) in exact.iter().zip(fast).zip(&face().skin.mesh.positions) {
            let own = e.distance(*rest);
            if own > 0.0005 {
                let away = e.distance(*x);
                (all, near) = (all + 1, near + i32::from(away < 0.1 * own));
                (off, moved) = (off + away, moved + own);
            }
        }
    }
    assert!(off < 0.03 * moved, "off by {} of the motion", off / moved);
    assert!(f64::from(near) > 0.97 * f64::from(all), "{near} of {all} vertices are near");
}

/// A smile, as contractions.
fn smile(by: f64) -> Vec<f64> {
    let is_zygomatic = |name: &str| name.contains("zygomatic");
    face().muscles.iter().map(|m| if is_zygomatic(&m.name) { by } else { 0.0 }).collect()
}

#[test]
fn a_face_whose_muscles_are_held_keeps_its_energy_and_moving_them_books_their_work() {
    let dynamics = Dynamics { damping: 0.0, ..Dynamics::default() };
    for scheme in [Scheme::BackwardEuler, Scheme::Bdf2, Scheme::ImplicitMidpoint] {
        let dynamics = Some(Dynamics { scheme, ..dynamics });
        let options = FaceSimulationOptions { dynamics, ..options(FaceSolver::INTERACTIVE) };
        let mut simulation = FaceSimulation::new(face(), &options).expect("a simulation");
        let (mut before, mut scale) = (0.0, 0.0);
        for frame in 0..8 {
            let part = f64::min(f64::from(frame), 4.0) / 4.0;
            let jaw = JawPose { open: 6.0 * part, ..JawPose::default() };
            let report = simulation.pose(&smile(0.3 * part), &jaw);
            scale = f64::max(scale, report.energy);
            assert!(report.energy.is_finite());
            if frame == 0 {
                assert!(report.energy < 1e-20, "{scheme:?}: a face at rest stays there");
                continue;
            }
            let off = (report.energy - report.account).abs();
            assert!(off <= 1e-6 * scale, "{scheme:?}: off by {off} of {scale} in frame {frame}");
            match frame {
                1..=4 => assert!(report.account > before, "{scheme:?}: nothing was put in"),
                6.. => assert!((report.account - before).abs() <= 1e-9 * scale, "{scheme:?}"),
                _ => {}
            }
            before = report.account;
        }
        assert!(scale > 1e-5, "{scheme:?}: {scale} J");
    }
}

#[test]
fn damped_motion_comes_to_the_equilibrium_of_what_has_no_inertia() {
    let dynamics = Some(Dynamics { damping: 30.0, ..Dynamics::default() });
    let options = options(FaceSolver::Interactive { iterations: 12 });
    let moving = FaceSimulationOptions { dynamics, ..options };
    let mut still = FaceSimulation::new(face(), &options).expect("a simulation");
    let mut moving = FaceSimulation::new(face(), &moving).expect("a simulation");
    let jaw = JawPose { open: 5.0, ..JawPose::default() };
    still.pose(&smile(0.2), &jaw);
    for _ in 0..30 {
        moving.pose(&smile(0.2), &jaw);
    }
    let (still, moving) = (still.skin(), moving.skin());
    let worst = still.iter().zip(&moving).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(worst < 0.0002, "{worst} m apart");
}

#[test]
fn what_no_face_does_ends_well() {
    let face = face();
    let all = |by: f64| vec![by; face.muscles.len()];
    let wide = JawPose { open: 40.0, turn: 10.0, shift: DVec3::new(0.01, 0.0, 0.01) };
    let turned: Vec<DVec3> =
        face.solid.positions.iter().map(|p| DVec3::new(-p.x, p.y, p.z)).collect();
    let flat: Vec<DVec3> = face.solid.positions.iter().map(|p| p.with_z(0.02)).collect();
    let dynamics = Some(Dynamics::default());
    for (solver, dynamics) in [
        (FaceSolver::EXACT, None),
        (FaceSolver::INTERACTIVE, None),
        (FaceSolver::INTERACTIVE, dynamics),
    ] {
        let options = FaceSimulationOptions { dynamics, ..options(solver) };
        let mut simulation = FaceSimulation::new(face, &options).expect("a simulation");
        let sound = |simulation: &FaceSimulation, what: &str| {
            let far = simulation.positions().iter().map(|x| x.length()).fold(0.0, f64::max);
            assert!(far < 1.0, "{solver:?}, {dynamics:?}: {far} m away after {what}");
        };
        simulation.throw(&all(0.9), &JawPose::default());
        sound(&simulation, "muscles that contract three times as much as they can");
        simulation.throw(&[], &wide);
        sound(&simulation, "a jaw thrown open by 40 degrees");
        if solver == FaceSolver::EXACT {
            continue;
        }
        simulation.throw(&all(-2.0), &JawPose::default());
        sound(&simulation, "muscles that triple their length");
        simulation.throw(&all(f64::NAN), &JawPose { open: f64::INFINITY, ..wide });
        sound(&simulation, "numbers that are none");
        simulation.place(&turned);
        simulation.throw(&[], &JawPose::default());
        sound(&simulation, "a start inside out");
        simulation.place(&flat);
        let report = simulation.throw(&smile(0.3), &JawPose::default());
        sound(&simulation, "a start without volume");
        assert!(report.residual.is_finite());
        // And it is still a face.
        simulation.place(&face.solid.positions);
        (0..3).for_each(|_| _ = simulation.pose(&smile(0.1), &JawPose::default()));
        let moved = simulation.positions();
        let pairs = moved.iter().zip(&face.solid.positions);
        let most = pairs.map(|(x, rest)| x.distance(*rest)).fold(0.0, f64::max);
        assert!((1e-4..0.01).contains(&most), "{solver:?}, {dynamics:?}: moved by {most} m");
    }
}

//! How deep bodies get into each other, into themselves and into colliders in the demos that are
//! about it.

use pliant::model::{DVec3, FrameInput, Model};
use pliant::project::demo as demos;
use pliant::scene::{NoFiles, SceneFile};
use pliant::sim::{State, Workspace, step};

/// The longest side of the smallest body at rest [m].
fn size(model: &Model) -> f64 {
    let side = |b: usize| {
        let body = &model.bodies()[b];
        let at = |v: usize| model.rest()[model.number(b, v)].xyz();
        let all = || (0..body.vertex_count).map(at);
        let low = all().fold(DVec3::INFINITY, |a, x| a.min(x));
        let high = all().fold(DVec3::NEG_INFINITY, |a, x| a.max(x));
        (high - low).max_element()
    };
    (0..model.bodies().len()).map(side).fold(f64::INFINITY, f64::min)
}

/// Runs a demo for some seconds; every step is at most 1 % of a body deep, and no energy above its
/// account.
fn stays_shallow(name: &str, seconds: f64) {
    let demo = demos::find(name).expect("a demo").expect("a recipe");
    let text = demo.scene_of(&demo.variants[0]).expect("a scene");
    let scene = SceneFile::parse(&text).expect("a scene");
    let model = scene.build(&mut NoFiles).expect("a model");
    let h = scene.step_seconds();
    let mut state = State::initial(&model);
    let mut workspace = Workspace::new(&model, 1).expect("a workspace");
    let mut input = FrameInput { h, ..FrameInput::default() };
    let (mut deepest, mut touched) = (0.0f64, 0);
    let steps = (seconds / h).round() as u32;
    for n in 0..steps {
        model.drive(f64::from(n) * h, &mut input.start);
        model.drive(f64::from(n + 1) * h, &mut input.end);
        let report = step(&model, &input, &mut state, &mut workspace);
        assert!(!report.rolled_back, "{name}, step {n}");
        deepest = deepest.max(report.contacts.deepest);
        touched += u32::from(report.contacts.count > 0);
        let target: f64 = state.accounts.iter().filter_map(|a| a.target()).sum();
        if model.method().correction.is_some() && !report.correction_failed {
            let above = report.energy.total() - target;
            assert!(above < 1e-7 * target.abs().max(1.0), "{name}, step {n}: {above} J too much");
        }
    }
    assert!(touched > steps / 4, "{name}: touched in {touched} steps of {steps}");
    let share = deepest / size(&model);
    assert!(share < 0.01, "{name}: {deepest} m deep, {:.2} % of its size", 100.0 * share);
}

#[test]
fn jellies_that_meet_stay_outside_of_each_other() {
    stays_shallow("collide", 1.0);
}

#[test]
fn a_bar_that_folds_stays_outside_of_itself() {
    stays_shallow("folded", 1.5);
}

#[test]
fn a_jelly_in_a_moving_bowl_stays_in_it() {
    stays_shallow("conveyor", 1.5);
}

//! A captured performance, corrected: what must be better, and what must not change.

use std::ops::Deref;
use std::sync::LazyLock;

use glam::{DMat3, DVec3};
use pliant_lips::measures::{Smoothness, distances};
use pliant_lips::performance::{FRAMES, Performance};
use pliant_lips::{Head, LipModel, LipsError, RegressionOptions, Suggester, model_file};
use pliant_math::team::Team;

/// The performance with all of its frames, which take longer to make than to correct.
struct Show {
    performance: Performance,
    truth: Vec<Vec<DVec3>>,
    captured: Vec<Vec<DVec3>>,
}

impl Deref for Show {
    type Target = Performance;

    fn deref(&self) -> &Performance {
        &self.performance
    }
}

impl Show {
    fn truth(&self, frame: usize) -> &[DVec3] {
        &self.truth[frame]
    }

    fn captured(&self, frame: usize) -> Vec<DVec3> {
        self.captured[frame].clone()
    }
}

fn show() -> &'static Show {
    static SHOW: LazyLock<Show> = LazyLock::new(|| {
        let performance = Performance::new(64, 25).unwrap();
        let truth = (0..FRAMES).map(|frame| performance.truth(frame)).collect();
        let captured = (0..FRAMES).map(|frame| performance.captured(frame)).collect();
        Show { performance, truth, captured }
    });
    &SHOW
}

fn empty(show: &Show) -> LipModel {
    let options = RegressionOptions::default();
    LipModel::new(show.region().unwrap(), Head::default(), options).unwrap()
}

/// Frames in the order in which they are suggested.
fn suggested() -> &'static [usize] {
    static ORDER: LazyLock<Vec<usize>> = LazyLock::new(|| {
        let (show, team) = (show(), Team::new(2));
        let (mut model, mut order) = (empty(show), Vec::new());
        for _ in 0..11 {
            let (mut suggester, mut work) = (Suggester::default(), model.workspace(2));
            for frame in 0..FRAMES {
                suggester.watch(frame, &model.look(&show.captured[frame], &mut work, &team));
            }
            let frame = suggester.suggestion().unwrap().frame;
            assert!(!order.contains(&frame), "{frame} again");
            model.add(frame, &show.captured[frame], &show.captured[frame]).unwrap();
            order.push(frame);
        }
        order
    });
    &ORDER
}

/// A model of so many corrected frames.
fn trained(show: &Show, frames: usize) -> LipModel {
    let mut model = empty(show);
    let capture: Vec<_> = (0..FRAMES).step_by(3).map(|f| (f, show.captured(f))).collect();
    model.follow(&capture, &Team::new(2)).unwrap();
    for &frame in &suggested()[..frames] {
        model.add(frame, &show.captured(frame), show.truth(frame)).unwrap();
    }
    model
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Mean errors before and after, of the frames that were good and of the others \[m\].
struct Judged {
    good: [f64; 2],
    bad: [f64; 2],
    smoothness: [f64; 3],
}

fn judge(show: &Show, model: &LipModel) -> Judged {
    let (team, mut work) = (Team::new(2), model.workspace(2));
    let inner = show.inner();
    let mut lists: [[Vec<f64>; 2]; 2] = Default::default();
    let mut smooth = [0; 3].map(|_| Smoothness::new(inner.clone()));
    for frame in 0..FRAMES {
        let (truth, captured) = (show.truth(frame), show.captured(frame));
        let mut corrected = captured.clone();
        model.correct(&mut corrected, &mut work, &team);
        let kind = usize::from(!show.is_good(frame));
        for (k, found) in [&captured, &corrected].into_iter().enumerate() {
            lists[kind][k].push(mean(&distances(found, truth, &inner)));
        }
        let all = [&captured[..], &corrected, truth];
        smooth.iter_mut().zip(all).for_each(|(s, positions)| s.watch(positions));
    }
    assert!(lists[0][0].len() >= 20, "{} good frames", lists[0][0].len());
    let [good, bad] = lists.each_ref().map(|two| two.each_ref().map(|list| mean(list)));
    Judged { good, bad, smoothness: smooth.each_ref().map(Smoothness::value) }
}

#[test]
fn eleven_corrected_frames_make_lips_ten_times_better_and_harm_no_good_one() {
    let show = show();
    let Judged { good, bad, smoothness } = judge(show, &trained(show, 11));
    println!(
        "bad frames {:.4} to {:.4} mm, {:.1} times; good ones {:.4} to {:.4} mm; \
         smoothness captured, corrected, true {:.4?} mm",
        1e3 * bad[0],
        1e3 * bad[1],
        bad[0] / bad[1],
        1e3 * good[0],
        1e3 * good[1],
        smoothness.map(|s| 1e3 * s),
    );
    assert!(bad[0] > 10.0 * bad[1], "bad frames: {bad:?} m");
    assert!(good[1] < 1.05 * good[0], "good frames: {good:?} m");
    let [captured, corrected, truth] = smoothness;
    assert!(captured > 1.5 * truth, "the capture shakes");
    assert!((corrected / truth - 1.0).abs() < 0.05, "as smooth as the truth: {smoothness:?} m");
}

#[test]
fn errors_fall_with_every_frame_and_ever_less() {
    let show = show();
    let error = |frames: usize| judge(show, &trained(show, frames)).bad[1];
    let errors: Vec<f64> = [2, 5, 8, 11].map(error).to_vec();
    println!(
        "errors at 2, 5, 8 and 11 frames: {:.4?} mm",
        errors.iter().map(|e| 1e3 * e).collect::<Vec<_>>()
    );
    assert!(errors.is_sorted_by(|a, b| a > b), "{errors:?}");
    assert!(errors[0] - errors[1] > errors[2] - errors[3], "{errors:?}");
}

#[test]
fn corrected_frames_come_out_as_they_were_drawn() {
    let show = show();
    let model = trained(show, 6);
    let (team, mut work) = (Team::new(1), model.workspace(1));
    for sample in model.samples() {
        let mut positions = show.captured(sample.frame);
        model.correct(&mut positions, &mut work, &team);
        let truth = show.truth(sample.frame);
        let worst = distances(&positions, truth, &show.inner()).into_iter().fold(0.0, f64::max);
        // Bases are kept to seven digits, and lips move by millimetres.
        assert!(worst < 1e-8, "frame {}: {worst:e} m", sample.frame);
    }
    let mut rest = show.rest().positions.clone();
    model.correct(&mut rest, &mut work, &team);
    let worst = distances(&rest, &show.rest().positions, &show.inner());
    assert!(worst.into_iter().fold(0.0, f64::max) < 1e-11, "the neutral shape stays");
}

#[test]
fn everything_outside_of_the_inner_lip_keeps_its_bits() {
    let show = show();
    let model = trained(show, 3);
    let inner = show.inner();
    let captured = show.captured(77);
    let mut corrected = captured.clone();
    let report = model.correct(&mut corrected, &mut model.workspace(1), &Team::new(1));
    for v in 0..captured.len() {
        let same =
            captured[v].to_array().map(f64::to_bits) == corrected[v].to_array().map(f64::to_bits);
        assert!(same || inner.binary_search(&(v as u32)).is_ok(), "vertex {v}");
    }
    assert!(report.moved > 1e-4);
}

#[test]
fn a_moved_head_or_jaw_changes_nothing() {
    let show = show();
    let model = trained(show, 5);
    let (team, mut work) = (Team::new(1), model.workspace(1));
    let mut here = show.captured(123);
    let captured = here.clone();
    model.correct(&mut here, &mut work, &team);
    let shift = DVec3::new(3.0, -1.5, 0.7);
    // The head with everything, or only what the region has, as a jaw would.
    let region = &model.region().vertices;
    for moves in [None, Some(region)] {
        let mut there = captured.clone();
        for (v, x) in there.iter_mut().enumerate() {
            if moves.is_none_or(|list| list.binary_search(&(v as u32)).is_ok()) {
                *x += shift;
            }
        }
        model.correct(&mut there, &mut work, &team);
        for v in show.inner() {
            let off = there[v as usize].distance(here[v as usize] + shift);
            assert!(off < 1e-9, "vertex {v} is off by {off:e} m");
        }
    }
}

#[test]
fn a_turned_head_changes_nothing_where_the_skull_is_known() {
    let show = show();
    // The outermost ring stands for the skull.
    let rigid: Vec<u32> = (0..64).collect();
    let head = Head::new(show.rest(), &rigid).unwrap();
    let mut model =
        LipModel::new(show.region().unwrap(), head, RegressionOptions::default()).unwrap();
    for frame in [30, 90, 150, 210] {
        model.add(frame, &show.captured(frame), show.truth(frame)).unwrap();
    }
    let (team, mut work) = (Team::new(1), model.workspace(1));
    let mut here = show.captured(95);
    let turn = DMat3::from_rotation_y(0.6) * DMat3::from_rotation_x(-0.3);
    let mut there: Vec<DVec3> = here.iter().map(|x| turn * *x + DVec3::ONE).collect();
    model.correct(&mut here, &mut work, &team);
    model.correct(&mut there, &mut work, &team);
    for v in show.inner() {
        let off = there[v as usize].distance(turn * here[v as usize] + DVec3::ONE);
        assert!(off < 1e-9, "vertex {v} is off by {off:e} m");
    }
}

#[test]
fn results_have_the_same_bits_on_any_team_and_after_a_detour_through_bytes() {
    let show = show();
    let model = trained(show, 4);
    let correct = |model: &LipModel, threads: usize| {
        let mut positions = show.captured(50);
        model.correct(&mut positions, &mut model.workspace(threads), &Team::new(threads));
        positions
    };
    let once = correct(&model, 1);
    assert_eq!(once, correct(&model, 3));
    let bytes = model_file::encode(&model);
    let again = model_file::decode(&bytes).unwrap();
    assert_eq!(once, correct(&again, 1));
    assert_eq!(bytes, model_file::encode(&again));
    // Small: positions of the region's vertices, at rest, per example and per frame of the prior.
    let frames = 1 + model.samples().len() + model.prior().len();
    assert!(bytes.len() < 64 * 26 * 24 * (frames + 2), "{} bytes", bytes.len());
}

#[test]
fn bad_examples_are_one_sentence_and_change_nothing() {
    let show = show();
    let mut model = empty(show);
    let good = show.captured(40);
    let error = model.add(3, &good[1..], &good).unwrap_err().to_string();
    assert_eq!(error, "the captured frame 3 has 1663 vertices, but the rest mesh has 1664");
    let error = model.add(3, &good, &good[..9]).unwrap_err().to_string();
    assert_eq!(error, "the corrected frame 3 has 9 vertices, but the rest mesh has 1664");
    let mut broken = good.clone();
    broken[1500].y = f64::NAN;
    let error = model.add(3, &good, &broken).unwrap_err().to_string();
    assert_eq!(error, "the corrected frame 3: vertex 1500 is not at a finite place");
    let error = model.add(7, &show.rest().positions, &good).unwrap_err();
    assert_eq!(error, LipsError::NothingToLearn { frame: 7 });
    assert!(model.samples().is_empty());
    // A frame that cannot be corrected is left as it is.
    model.add(40, &good, show.truth(40)).unwrap();
    let mut frame = broken.clone();
    frame[0] = good[0];
    let report = model.correct(&mut frame, &mut model.workspace(1), &Team::new(1));
    assert!(!report.is_finite && frame[1499] == broken[1499] && frame[1500].y.is_nan());
}

#[test]
fn one_example_and_examples_said_twice_are_fine() {
    let show = show();
    let mut one = empty(show);
    one.add(30, &show.captured(30), show.truth(30)).unwrap();
    assert_eq!(one.rank(), 1);
    let mut twice = empty(show);
    twice.add(30, &show.captured(30), show.truth(30)).unwrap();
    twice.add(31, &show.captured(30), show.truth(30)).unwrap();
    assert_eq!((twice.rank(), twice.samples().len()), (1, 2));
    // The same frame again takes the place of the one before.
    let mut again = empty(show);
    again.add(30, &show.captured(30), &show.captured(30)).unwrap();
    again.add(30, &show.captured(30), show.truth(30)).unwrap();
    assert_eq!(again.samples().len(), 1);
    let correct = |model: &LipModel| {
        let mut positions = show.captured(33);
        model.correct(&mut positions, &mut model.workspace(1), &Team::new(1));
        positions
    };
    let expected = correct(&one);
    assert_eq!(expected, correct(&again));
    let off = expected.iter().zip(correct(&twice)).map(|(a, b)| a.distance(b));
    assert!(off.fold(0.0, f64::max) < 1e-12);
}

//! Trains a lip model from ten corrected frames and corrects the whole performance with it.

use std::error::Error;

use pliant::io::AnimationOptions;
use pliant::lips::RegressionOptions;
use pliant::prelude::*;
use pliant::project::demo::lips;
use pliant::project::lips::{Neutral, NeutralRegion, Training, TrainingStart};

pub fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join("pliant-correct-lips");
    let file = |name: &str| folder.join(name).display().to_string();
    let mut go_on = |_event: Event<'_>| ControlFlow::Continue(());
    lips::run(&folder, (32, 10), 2, &mut Watch::new(&mut go_on))?;

    let region = NeutralRegion::Selected { inner: file("inner.txt"), mouth: file("mouth.txt") };
    let neutral = Neutral { rest: file("rest.obj"), region, rigid: None };
    let regression = RegressionOptions::default();
    let training = Training {
        from: TrainingStart::Neutral { neutral, regression, plain: false },
        capture: file("capture.pc2"),
        reading: AnimationOptions::default(),
        corrected: vec![file("fix/*.obj")],
        output: folder.join("mouth.lips"),
    };
    training.run(2, &mut Watch::new(&mut go_on))?;

    let output = folder.join("corrected.pc2");
    let mut project = CorrectionProject::new(&training.output, &training.capture, output);
    project.truth = Some(file("truth.pc2"));
    let outcome = project.run(&Settings::default(), go_on)?;
    let report = outcome.report().ok_or("the run was stopped")?;
    let [before, after] = report.mean_errors.ok_or("the truth is known")?;
    println!("off by {:.3} mm instead of {:.3}", 1e3 * after, 1e3 * before);
    assert!(after < 0.5 * before);
    Ok(())
}

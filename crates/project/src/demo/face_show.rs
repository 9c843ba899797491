//! Demos of the face: the built-in head performs, once per variant, and is shown.

use std::path::{Path, PathBuf};

use pliant_face::{BuildOptions, Template, build};
use pliant_io::IoError;
use pliant_io::atomic::write_whole;
use pliant_math::team::Team;
use serde_json::Value;

use super::FaceDemo;
use crate::driver::{Outcome, Project, Settings, Watch};
use crate::error::ProjectError;
use crate::path::beside;
use crate::performance::PerformanceProject;
use crate::picture::figure::{self, Curves};
use crate::picture::portrait::Portraits;
use crate::picture::{MetricsTable, save_png};

/// Length of the skin's edges \[m\].
const SKIN: f64 = 0.0028;

/// Runs a demo into a folder: the head, its performance, and per variant the effects and the
/// animation, so that any of it can be run again by hand. The report is the demo's sentences.
///
/// # Errors
/// When the demo is wrong, or an output cannot be written.
pub fn run(
    demo: &FaceDemo,
    folder: &Path,
    still: bool,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> Result<Outcome<Vec<String>>, ProjectError> {
    create_folder(folder)?;
    let (head, weights) = (folder.join("head.face"), folder.join("performance.csv"));
    let face = {
        let team = Team::new(settings.threads);
        let template = Template::built_in(SKIN, &team)?;
        build(&template, &head, &BuildOptions { size: demo.show.size }, &team)?.0
    };
    write_whole(&head, &face.encode())?;
    write_whole(&weights, demo.play.to_csv().as_bytes())?;
    let mut runs: Vec<(String, PathBuf)> = Vec::new();
    for variant in &demo.show.variants {
        let folder = folder.join(variant.folder());
        create_folder(&folder)?;
        let effects = folder.join("effects.toml");
        write_whole(&effects, demo.effects_of(variant)?.as_bytes())?;
        let out = folder.join("face.pc2");
        let mut project = PerformanceProject::new(&head, &weights, &out);
        project.effects = Some(effects);
        project.fps = Some(demo.play.fps);
        if let Outcome::Stopped { unit, done, total } = project.drive(settings, watch)? {
            return Ok(Outcome::Stopped { unit, done, total });
        }
        runs.push((variant.label.clone(), out));
    }
    let mut portraits = Portraits::open(&runs, &demo.show, &face)?;
    let strip = portraits.strip(&demo.show.about, &demo.moments(), settings.threads)?;
    save_png(&strip, &folder.join("filmstrip.png"))?;
    if !still {
        portraits.film(&folder.join("animation.gif"), settings.threads, watch)?;
    }
    if !demo.show.plot.is_empty() {
        plot(demo, &runs, folder)?;
    }
    let mut sentences = Vec::new();
    for (label, out) in &runs {
        sentences.extend(numbers(demo, label, out)?);
    }
    for measure in &demo.show.measures {
        sentences.extend(portraits.measure(measure, &face)?);
    }
    Ok(Outcome::Finished(sentences))
}

fn create_folder(path: &Path) -> Result<(), ProjectError> {
    Ok(std::fs::create_dir_all(path).map_err(IoError::system(path, "create"))?)
}

fn plot(demo: &FaceDemo, runs: &[(String, PathBuf)], directory: &Path) -> Result<(), ProjectError> {
    let read = |(label, out): &(String, PathBuf)| -> Result<Curves, ProjectError> {
        let metrics = MetricsTable::read(&beside(out, ".metrics.csv"), &["time"])?;
        Ok(Curves { name: label.clone(), metrics })
    };
    let curves = runs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let figure = figure::of_curves(&demo.show.about, &curves, &demo.show.plot);
    figure::save(&figure, &directory.join("plot.png"))?;
    figure::save(&figure, &directory.join("plot.svg"))
}

/// The numbers that say whether a variant works, as sentences.
fn numbers(demo: &FaceDemo, label: &str, out: &Path) -> Result<Vec<String>, ProjectError> {
    let path = beside(out, ".report.json");
    let text = pliant_io::read_text(&path)?;
    let known: Value =
        serde_json::from_str(&text).map_err(|error| ProjectError::about(&path, error))?;
    let mut sentences = Vec::new();
    let label = if label.is_empty() { "the face" } else { label };
    let numbers: Vec<String> = demo
        .show
        .tells
        .iter()
        .map(|key| format!("{} {}", key.replace('_', " "), rounded(&known[key])))
        .collect();
    if !numbers.is_empty() {
        sentences.push(format!("{label}: {}", numbers.join(", ")));
    }
    if let Some([from, to]) = demo.show.window {
        let metrics =
            MetricsTable::read(&beside(out, ".metrics.csv"), &["time", "rms_skin_speed"])?;
        let times = metrics.values("time");
        let speeds = metrics.values("rms_skin_speed");
        let within = times.iter().zip(&speeds).filter(|(t, _)| (from..=to).contains(*t));
        let squares: Vec<f64> = within.map(|(_, speed)| speed * speed).collect();
        let mean = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
        let speed = rounded(&mean.sqrt().into());
        sentences.push(format!("{label}, from {from} s to {to} s: rms skin speed {speed} m/s"));
    }
    Ok(sentences)
}

/// A number with four digits; anything else as it is.
fn rounded(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if number != 0.0 && number.fract() != 0.0 => {
            let digits = (3 - number.abs().log10().floor() as i32).clamp(0, 9) as usize;
            format!("{number:.digits$}")
        }
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_with_four_digits() {
        let told = [0.123_456, 12.345_67, 1234.567, 3.0, 0.0].map(|x| rounded(&x.into()));
        assert_eq!(told, ["0.1235", "12.35", "1235", "3.0", "0.0"]);
        assert_eq!(rounded(&Value::Null), "null");
    }
}

//! A demo of the face: the built-in head performs, once per variant, and is shown.

use std::fs;
use std::path::{Path, PathBuf};

use pliant::demos::FaceDemo;
use pliant::face::{BuildOptions, Template, build};
use pliant::io::atomic::write_whole;
use pliant::math::team::Team;
use serde_json::Value;

use crate::arguments::Options;
use crate::commands::face::{animate, failure};
use crate::failure::Failure;
use crate::figure::{self, Curves};
use crate::metrics::Metrics;
use crate::portrait::Portraits;
use crate::report;
use crate::stage::save_png;

/// Length of the skin's edges \[m\].
const SKIN: f64 = 0.0028;

/// Runs it into a folder: the head, what it performs, and per variant the effects and all that `pliant face
/// animate` makes of them, so that any of it can be run again by hand.
pub fn run(demo: &FaceDemo, directory: &Path, still: bool, options: &Options) -> Result<(), Failure> {
    let wrong = |error: pliant::demos::DemoError| Failure::new(error.to_string());
    fs::create_dir_all(directory).map_err(|error| Failure::about(directory, error))?;
    let (head, weights) = (directory.join("head.face"), directory.join("performance.csv"));
    let team = Team::new(options.threads());
    let template = Template::built_in(SKIN, &team).map_err(failure)?;
    let asked = BuildOptions { size: demo.show.size };
    let (face, _) = build(&template, &head, &asked, &team).map_err(failure)?;
    drop(team);
    write_whole(&head, &face.encode())?;
    write_whole(&weights, demo.play.to_csv().as_bytes())?;
    let mut runs: Vec<(String, PathBuf)> = Vec::new();
    for variant in &demo.show.variants {
        let folder = directory.join(variant.folder());
        fs::create_dir_all(&folder).map_err(|error| Failure::about(&folder, error))?;
        let effects = folder.join("effects.toml");
        write_whole(&effects, demo.effects_of(variant).map_err(wrong)?.as_bytes())?;
        let out = folder.join("face.pc2");
        let play = animate::Play {
            model: &head,
            weights: &weights,
            effects: &effects,
            out: &out,
            fps: demo.play.fps,
        };
        animate::run(animate::Arguments::of_demo(&play), options)?;
        runs.push((variant.label.clone(), out));
    }
    let mut portraits = Portraits::open(&runs, &demo.show, &face)?;
    let strip = portraits.strip(&demo.show.about, &demo.moments(), options)?;
    save_png(&strip, &directory.join("filmstrip.png"))?;
    if !still {
        portraits.film(&directory.join("animation.gif"), options)?;
    }
    if !demo.show.plot.is_empty() {
        plot(demo, &runs, directory)?;
    }
    if !options.quiet {
        for (label, out) in &runs {
            tell(demo, label, out)?;
        }
        for measure in &demo.show.measures {
            portraits.measure(measure, &face)?.iter().for_each(|line| report::say(line));
        }
        report::say(&format!("wrote filmstrip.png into {}", directory.display()));
    }
    Ok(())
}

fn beside(out: &Path, ending: &str) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn plot(demo: &FaceDemo, runs: &[(String, PathBuf)], directory: &Path) -> Result<(), Failure> {
    let read = |(label, out): &(String, PathBuf)| -> Result<Curves, Failure> {
        let metrics = Metrics::read(&beside(out, ".metrics.csv"), &["time"])?;
        Ok(Curves { name: label.clone(), metrics })
    };
    let curves = runs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let figure = figure::of_curves(&demo.show.about, &curves, &demo.show.plot);
    figure::save(&figure, &directory.join("plot.png"))?;
    figure::save(&figure, &directory.join("plot.svg"))
}

/// The numbers that say whether it works.
fn tell(demo: &FaceDemo, label: &str, out: &Path) -> Result<(), Failure> {
    let path = beside(out, ".report.json");
    let text = fs::read_to_string(&path)
        .map_err(|error| Failure::about(&path, format!("cannot read: {error}")))?;
    let known: Value =
        serde_json::from_str(&text).map_err(|error| Failure::about(&path, error.to_string()))?;
    let label = if label.is_empty() { "the face" } else { label };
    let numbers: Vec<String> = demo
        .show
        .tells
        .iter()
        .map(|key| format!("{} {}", key.replace('_', " "), rounded(&known[key])))
        .collect();
    if !numbers.is_empty() {
        report::say(&format!("{label}: {}", numbers.join(", ")));
    }
    if let Some([from, to]) = demo.show.window {
        let metrics = Metrics::read(&beside(out, ".metrics.csv"), &["time", "rms_skin_speed"])?;
        let times = metrics.values("time");
        let speeds = metrics.values("rms_skin_speed");
        let within = times.iter().zip(&speeds).filter(|(t, _)| (from..=to).contains(*t));
        let squares: Vec<f64> = within.map(|(_, speed)| speed * speed).collect();
        let mean = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
        let speed = rounded(&mean.sqrt().into());
        report::say(&format!("{label}, from {from} s to {to} s: rms skin speed {speed} m/s"));
    }
    Ok(())
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

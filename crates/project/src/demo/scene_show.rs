//! Demos of scenes: every variant is simulated, and all are shown together.

use std::path::Path;

use glam::DVec3;
use pliant_scene::SceneFile;
use pliant_view::plot::Panel;
use pliant_view::{Bounds, Filmstrip, FilmstripRow, Picture};

use super::{Accuracy, Demo, Variant};
use crate::driver::{Outcome, Project, Settings, Watch};
use crate::error::ProjectError;
use crate::picture::costume::Wardrobe;
use crate::picture::figure::{self, Curves};
use crate::picture::footage::Footage;
use crate::picture::{Film, MetricsTable, Size, Stage, save_png};
use crate::scene::{SceneFiles, SceneProject, write_copy};

/// Pictures in the film, at most.
const FILM: usize = 90;

/// Runs a demo into a folder: a run folder per variant, a filmstrip, plots and, unless `still`, a
/// film.
///
/// # Errors
/// When the demo's scenes are wrong, or an output cannot be written.
pub fn run(
    demo: &Demo,
    folder: &Path,
    still: bool,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> Result<Outcome<()>, ProjectError> {
    let mut runner = Runner { demo, settings, wardrobe: Wardrobe::default() };
    let (mut runs, mut curves) = (Vec::new(), Vec::new());
    for variant in &demo.variants {
        let folder = folder.join(variant.folder());
        let text = demo.scene_of(variant)?;
        match runner.simulate(&variant.label, &text, &folder, watch)? {
            Outcome::Stopped { unit, done, total } => {
                return Ok(Outcome::Stopped { unit, done, total });
            }
            Outcome::Finished(footage) | Outcome::AlreadyFinished(footage) => runs.push(footage),
        }
        let metrics = MetricsTable::of_run(&folder, &figure::COLUMNS)?;
        curves.push(Curves { name: variant.label.clone(), metrics });
    }
    let errors = match &demo.accuracy {
        Some(accuracy) => Some(runner.errors(accuracy, folder, watch)?),
        None => None,
    };
    let mut show = Show { demo, runs, threads: settings.threads };
    show.strip(&folder.join("filmstrip.png"))?;
    if !still {
        show.gif(&folder.join("animation.gif"), watch)?;
    }
    let mut figure = match &demo.plot[..] {
        [] => figure::of_runs(&demo.about, &curves),
        asked => figure::of_curves(&demo.about, &curves, asked),
    };
    if let Some(errors) = errors {
        figure.panels.push(errors);
        figure.columns += 1;
    }
    figure::save(&figure, &folder.join("plot.png"))?;
    figure::save(&figure, &folder.join("plot.svg"))?;
    Ok(Outcome::Finished(()))
}

/// Simulates the variants of a demo.
struct Runner<'a> {
    demo: &'a Demo,
    settings: &'a Settings,
    wardrobe: Wardrobe,
}

impl Runner<'_> {
    /// Simulates a scene into a folder, with the scene file beside the results.
    fn simulate(
        &mut self,
        label: &str,
        text: &str,
        folder: &Path,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome<Footage>, ProjectError> {
        let name = || Path::new(&self.demo.name);
        let scene = SceneFile::parse(text).map_err(|error| ProjectError::about(name(), error))?;
        let model = scene
            .build(&mut SceneFiles::within(Path::new("")))
            .map_err(|error| ProjectError::about(name(), error))?;
        let project = SceneProject::of(scene, model, folder);
        match project.drive(self.settings, watch) {
            Ok(Outcome::Stopped { unit, done, total }) => {
                return Ok(Outcome::Stopped { unit, done, total });
            }
            Ok(_) => {}
            // Some demos are about methods that explode.
            Err(lost @ ProjectError::Lost { .. }) => watch.note(&lost.to_string()),
            Err(error) => return Err(error),
        }
        write_copy(folder, text)?;
        let (wardrobe, threads) = (&mut self.wardrobe, self.settings.threads);
        let footage = Footage::open(
            self.demo,
            label,
            &project.scene,
            &project.model,
            folder,
            wardrobe,
            threads,
        )?;
        Ok(Outcome::Finished(footage))
    }

    /// How far every variant's last frame is from that of the first variant with the smallest
    /// steps.
    fn errors(
        &mut self,
        accuracy: &Accuracy,
        folder: &Path,
        watch: &mut Watch<'_>,
    ) -> Result<Panel, ProjectError> {
        let demo = self.demo;
        let mut last_frame = |variant: &Variant, substeps: u32| {
            let text = demo.scene_with_substeps(variant, substeps)?;
            let folder = folder.join(variant.folder()).join(format!("substeps-{substeps}"));
            let outcome = self.simulate(&variant.label, &text, &folder, watch)?;
            let stopped = || ProjectError::Stopped("the errors are not measured".to_owned());
            let mut footage = outcome.report().ok_or_else(stopped)?;
            let last = footage.frames().saturating_sub(1);
            let fps = footage.fps;
            footage.positions(last).map(|x| (x.to_vec(), fps))
        };
        let (exact, fps) = last_frame(&demo.variants[0], accuracy.reference)?;
        let mut methods = Vec::new();
        for variant in &demo.variants {
            let (mut steps, mut distances) = (Vec::new(), Vec::new());
            for &substeps in &accuracy.substeps {
                let (x, _) = last_frame(variant, substeps)?;
                let squares = x.iter().zip(&exact).map(|(a, b)| a.distance_squared(*b));
                steps.push(1.0 / (fps * f64::from(substeps)));
                distances.push(squares.sum::<f64>().sqrt());
            }
            methods.push((variant.label.clone(), steps, distances));
        }
        Ok(figure::errors(methods))
    }
}

/// All runs of a demo, one below the other, seen by the same camera.
struct Show<'a> {
    demo: &'a Demo,
    runs: Vec<Footage>,
    threads: usize,
}

impl Show<'_> {
    fn stage(&mut self, size: Size) -> Result<Stage, ProjectError> {
        let mut framing = match self.demo.view {
            Some(direction) => Stage::framing_along(DVec3::from_array(direction), size),
            None => Stage::framing(size),
        };
        match self.demo.room {
            Some(room) => {
                framing.add(Bounds { min: room.min.into(), max: room.max.into() }.corners());
            }
            None => self.runs.iter_mut().try_for_each(|run| run.add_to(&mut framing))?,
        }
        let stage = Stage::around(&framing, size, self.threads);
        let floor = self.runs.iter().find_map(|run| run.floor);
        Ok(floor.map_or(stage, |height| stage.with_floor(height)))
    }

    fn frames(&self) -> usize {
        self.runs.iter().map(Footage::frames).max().unwrap_or(0)
    }

    fn fps(&self) -> f64 {
        self.runs.first().map_or(30.0, |run| run.fps)
    }

    /// The moments that the demo asks for.
    fn strip(&mut self, path: &Path) -> Result<(), ProjectError> {
        let stage = self.stage(Size { width: 480, height: 400 })?;
        let fps = self.fps();
        let last = self.frames().saturating_sub(1);
        let frame = |seconds: f64| ((seconds * fps).round() as usize).min(last);
        let shown: Vec<usize> = self.demo.moments().into_iter().map(frame).collect();
        let columns = shown.iter().map(|&k| format!("{:.2} s", k as f64 / fps)).collect();
        let mut rows = Vec::new();
        for run in &mut self.runs {
            let frames = shown.iter().map(|&k| run.picture(k, &stage)).collect::<Result<_, _>>()?;
            rows.push(FilmstripRow { label: run.label.clone(), frames });
        }
        let strip = Filmstrip { title: self.demo.about.clone(), columns, rows };
        save_png(&strip.compose()?, path)
    }

    /// One frame of every run.
    fn picture(&mut self, frame: usize, stage: &Stage) -> Result<Picture, ProjectError> {
        if let [run] = &mut self.runs[..] {
            return run.picture(frame, stage);
        }
        let mut rows = Vec::new();
        for run in &mut self.runs {
            let frames = vec![run.picture(frame, stage)?];
            rows.push(FilmstripRow { label: run.label.clone(), frames });
        }
        Ok(Filmstrip { rows, ..Filmstrip::default() }.compose()?)
    }

    fn gif(&mut self, path: &Path, watch: &mut Watch<'_>) -> Result<(), ProjectError> {
        let height = 480 / self.runs.len().max(1) + 60;
        let stage = self.stage(Size { width: height * 4 / 3, height })?;
        // Half of the usual 30 frames per second are enough for a GIF, and fewer if it is long.
        let count = self.frames();
        let least = if self.fps() > 25.0 { 2 } else { 1 };
        let stride = count.div_ceil(FILM).max(least);
        let first = self.picture(0, &stage)?;
        let mut film = Film::start(path, &first, self.fps() / stride as f64)?;
        film.add(&first)?;
        for frame in (stride..count).step_by(stride) {
            film.add(&self.picture(frame, &stage)?)?;
            let _ = watch.progress("pictures", frame / stride, count / stride);
        }
        film.finish()
    }
}

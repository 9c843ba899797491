//! A scene under simulation: its state, and the files of the run folder.

use std::path::{Path, PathBuf};

use pliant_io::atomic::{OnFailure, PartFile, part_path};
use pliant_io::{IoError, Pc2Writer, write_mesh};
use pliant_model::{DVec3, FrameInput, Model};
use pliant_scene::SceneFile;
use pliant_sim::{State, StepReport, Workspace, measure, snapshot, step};

use super::ledger::{Ledger, Summary};
use super::metrics::COLUMNS;
use super::scene_copy::SceneCopy;
use super::{SceneProject, Surfaces};
use crate::driver::{Place, Watch, Work};
use crate::error::ProjectError;
use crate::snapshot::remove_file;

/// A run ends when the guard had to roll back this many steps in a row.
const MOST_ROLLBACKS: u32 = 10;

/// The files of a run folder.
pub struct RunFiles {
    folder: PathBuf,
    metrics: PathBuf,
    animation: PathBuf,
    rest: PathBuf,
    summary: PathBuf,
    snapshot: PathBuf,
}

impl RunFiles {
    pub fn new(folder: &Path) -> Self {
        let file = |name: &str| folder.join(name);
        RunFiles {
            folder: folder.to_owned(),
            metrics: file("metrics.csv"),
            animation: file("animation.pc2"),
            rest: file("rest.obj"),
            summary: file("summary.json"),
            snapshot: file("snapshot.bin"),
        }
    }

    /// All of them.
    pub fn all(self) -> Vec<PathBuf> {
        vec![self.metrics, self.animation, self.rest, self.summary, self.snapshot]
    }
}

/// The tables that a run writes as it goes.
struct Tables {
    metrics: PartFile,
    animation: Pc2Writer,
}

/// A scene under simulation.
pub struct Run<'a> {
    scene: &'a SceneFile,
    model: &'a Model,
    overwrite: bool,
    copy: Option<&'a SceneCopy>,
    files: RunFiles,
    state: State,
    workspace: Workspace,
    input: FrameInput,
    /// `None` until the outputs are begun or resumed.
    tables: Option<Tables>,
    ledger: Ledger,
    surfaces: Surfaces<'a>,
    positions: Vec<DVec3>,
    /// Steps in a row, up to the last one, that the guard had to roll back.
    rollbacks: u32,
}

impl<'a> Run<'a> {
    pub fn new(project: &'a SceneProject, threads: usize) -> Result<Self, ProjectError> {
        let (scene, model) = (&project.scene, &project.model);
        let surfaces = Surfaces::of(model);
        let points = surfaces.rest().mesh.positions.len();
        Ok(Run {
            scene,
            model,
            overwrite: project.overwrite,
            copy: project.copy.as_ref(),
            files: RunFiles::new(&project.output),
            state: State::initial(model),
            workspace: Workspace::new(model, threads)?,
            input: FrameInput { h: scene.step_seconds(), ..FrameInput::default() },
            tables: None,
            ledger: Ledger::new(scene, model),
            surfaces,
            positions: vec![DVec3::ZERO; points],
            rollbacks: 0,
        })
    }

    fn time_at(&self, step: u64) -> f64 {
        step as f64 * self.scene.step_seconds()
    }

    fn initial_row(&mut self) -> Result<(), ProjectError> {
        self.model.drive(0.0, &mut self.input.start);
        let masses = self.model.masses();
        let mut report = StepReport::default();
        report.energy.kinetic = measure::kinetic(masses, &self.state.velocities);
        report.energy.potential =
            self.workspace.potential_energy(self.model, &self.input.start, &self.state);
        report.momentum = measure::momentum(masses, &self.state.positions, &self.state.velocities);
        self.row(&report)
    }

    fn row(&mut self, report: &StepReport) -> Result<(), ProjectError> {
        let row = self.ledger.row(&self.state, self.time_at(self.state.steps), report);
        match &mut self.tables {
            Some(tables) => Ok(tables.metrics.append(row.to_line().as_bytes())?),
            None => Ok(()),
        }
    }

    fn write_frame(&mut self) -> Result<(), ProjectError> {
        self.surfaces.carry(&self.state.positions, &mut self.positions);
        match &mut self.tables {
            Some(tables) => Ok(tables.animation.write_frame(&self.positions)?),
            None => Ok(()),
        }
    }

    fn refusal(&self, path: &Path, problem: &str) -> ProjectError {
        ProjectError::Snapshot { path: path.to_owned(), problem: problem.to_owned() }
    }
}

impl Work for Run<'_> {
    type Report = Summary;
    const UNIT: &'static str = "frames";

    fn place(&self) -> Place {
        let (output, snapshot) = (self.files.folder.clone(), self.files.snapshot.clone());
        Place { output, snapshot, key: key(self.scene, self.model) }
    }

    fn total(&self) -> usize {
        self.scene.frames as usize
    }

    fn done(&self) -> usize {
        (self.state.steps / u64::from(self.scene.substeps)) as usize
    }

    fn finished(&self) -> Result<Option<Summary>, ProjectError> {
        if part_path(&self.files.metrics).exists() {
            return Ok(None);
        }
        let Some(summary) = Summary::read(&self.files.summary) else { return Ok(None) };
        if summary.hash != self.scene.hash() {
            return Err(self.refusal(&self.files.summary, "is the summary of another scene"));
        }
        Ok(Some(summary))
    }

    fn begin(&mut self, watch: &mut Watch<'_>) -> Result<(), ProjectError> {
        let files = &self.files;
        if let Some(old) = Summary::read(&files.summary) {
            let is_other = old.hash != self.scene.hash();
            if is_other && !self.overwrite {
                let (folder, scene) = (files.folder.clone(), old.name);
                return Err(ProjectError::OtherRun { folder, scene });
            }
            if !is_other {
                watch.note(&format!("replacing the finished run in {}", files.folder.display()));
            }
        }
        std::fs::create_dir_all(&files.folder).map_err(IoError::system(&files.folder, "create"))?;
        // Half a new run beside an old one would be a lie.
        for path in [&files.summary, &files.metrics, &files.animation] {
            remove_file(path)?;
        }
        write_mesh(&files.rest, self.surfaces.rest())?;
        if let Some(copy) = self.copy {
            copy.write(&files.folder)?.iter().for_each(|note| watch.note(note));
        }
        let metrics = PartFile::create(&files.metrics, OnFailure::Keep)?;
        let (points, frames) = (self.positions.len(), self.total() + 1);
        let animation = Pc2Writer::create(&files.animation, points, 0.0, 1.0, frames)?;
        let tables = self.tables.insert(Tables { metrics, animation });
        tables.metrics.append(format!("{}\n", COLUMNS.join(",")).as_bytes())?;
        self.initial_row()?;
        self.write_frame()
    }

    fn restore(&mut self, done: usize, state: &[u8]) -> Result<(), ProjectError> {
        let incomplete = "is not a complete snapshot";
        let Some((state, [rollbacks @ .., exploded])) = state.split_last_chunk::<5>() else {
            return Err(self.refusal(&self.files.snapshot, incomplete));
        };
        let state = snapshot::decode(state, self.model, key(self.scene, self.model));
        self.state =
            state.map_err(|error| self.refusal(&self.files.snapshot, &error.to_string()))?;
        let substeps = u64::from(self.scene.substeps);
        if self.state.steps != done as u64 * substeps || done > self.total() {
            return Err(self.refusal(&self.files.snapshot, incomplete));
        }
        self.rollbacks = u32::from_le_bytes(*rollbacks);
        write_mesh(&self.files.rest, self.surfaces.rest())?;
        let length = self.ledger.reread(&self.files.metrics, self.state.steps, *exploded != 0)?;
        let metrics = PartFile::resume(&self.files.metrics, length, OnFailure::Keep)?;
        let animation = Pc2Writer::resume(&self.files.animation, self.positions.len(), done + 1)?;
        self.tables = Some(Tables { metrics, animation });
        Ok(())
    }

    fn step(&mut self) -> Result<(), ProjectError> {
        for _ in 0..self.scene.substeps {
            let (from, to) = (self.time_at(self.state.steps), self.time_at(self.state.steps + 1));
            self.model.drive(from, &mut self.input.start);
            self.model.drive(to, &mut self.input.end);
            let report = step(self.model, &self.input, &mut self.state, &mut self.workspace);
            self.rollbacks = if report.rolled_back { self.rollbacks + 1 } else { 0 };
            self.row(&report)?;
        }
        self.write_frame()
    }

    fn lost(&self) -> Option<ProjectError> {
        (self.rollbacks >= MOST_ROLLBACKS).then(|| ProjectError::Lost {
            step: self.state.steps,
            time: self.time_at(self.state.steps),
            rollbacks: MOST_ROLLBACKS,
            output: self.files.folder.clone(),
        })
    }

    fn snapshot(&mut self) -> Result<Vec<u8>, ProjectError> {
        if let Some(tables) = &mut self.tables {
            tables.metrics.sync()?;
            tables.animation.sync()?;
        }
        let mut bytes = snapshot::encode(&self.state, key(self.scene, self.model));
        bytes.extend_from_slice(&self.rollbacks.to_le_bytes());
        bytes.push(u8::from(self.ledger.exploded()));
        Ok(bytes)
    }

    fn suspend(self) -> Result<(), ProjectError> {
        if let Some(tables) = self.tables {
            tables.metrics.commit()?;
            tables.animation.finish()?;
        }
        Ok(())
    }

    fn finish(mut self, _watch: &mut Watch<'_>) -> Result<Summary, ProjectError> {
        // A full disk shows itself here, before any file has its name.
        self.snapshot()?;
        let (summary, path) = (self.ledger.summary(), self.files.summary.clone());
        self.suspend()?;
        summary.write(&path)?;
        Ok(summary)
    }
}

/// Tells snapshots apart: the scene, and the shapes that its files held.
fn key(scene: &SceneFile, model: &Model) -> u64 {
    let scene = u64::from_str_radix(&scene.hash(), 16).unwrap_or(0);
    let coordinates = model.rest().iter().flat_map(|row| &row.0[..3]);
    coordinates
        .fold(scene, |key, x| (key ^ x.to_bits()).wrapping_mul(0x0100_0000_01B3).rotate_left(5))
}

//! What corrected frames teach, and what that makes of all others.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use pliant_lips::measures::distances;
use pliant_lips::{LipModel, Suggester, Suggestion, Workspace, model_file};
use pliant_math::team::Team;
use pliant_project::lips::observe;

use super::take::Take;
use crate::error::StudioError;
use crate::outlet::Outlet;

/// Corrected frames, by number.
pub type Training = BTreeMap<usize, Arc<Vec<DVec3>>>;

/// A model on its way.
pub struct Teacher {
    /// What the capture alone has taught.
    seen: Vec<u8>,
    model: LipModel,
    work: Workspace,
    team: Team,
    pub suggestion: Option<Suggestion>,
    /// Of every frame: the part that no corrected frame shows; mean distances from the truth, as
    /// captured and as corrected \[m\], where it is known.
    pub unknown: Vec<f32>,
    pub errors: [Vec<f32>; 2],
}

impl Teacher {
    /// Looks at the capture; `None` when somebody has cancelled that.
    ///
    /// # Errors
    /// When the lips cannot be factored.
    pub fn new(
        take: &Take,
        threads: usize,
        outlet: &Outlet,
    ) -> Result<Option<Teacher>, StudioError> {
        if !outlet.progress("Looking at how lips follow the mouth", 0.2) {
            return Ok(None);
        }
        let team = Team::new(threads);
        let mut model = take.model()?;
        observe(&mut model, take.frames.len(), |k| Ok(take.frames[k].clone()), &team)?;
        let work = model.workspace(team.size());
        Ok(Some(Teacher {
            seen: model_file::encode(&model),
            model,
            work,
            team,
            suggestion: None,
            unknown: Vec::new(),
            errors: Default::default(),
        }))
    }

    /// Learns from these frames alone, and looks at all others.
    ///
    /// # Errors
    /// When a frame teaches nothing that could be told apart.
    pub fn learn(
        &mut self,
        take: &Take,
        training: &Training,
        outlet: &Outlet,
    ) -> Result<(), StudioError> {
        let mut model = model_file::decode(&self.seen)?;
        let mut samples = Vec::new();
        for (frame, corrected) in training {
            samples.push(model.sample(*frame, &take.frames[*frame], corrected)?);
        }
        model.extend(samples)?;
        self.work = model.workspace(self.team.size());
        self.model = model;
        self.judge(take, outlet);
        Ok(())
    }

    /// Whether anything was learned.
    pub fn has_learned(&self) -> bool {
        !self.model.samples().is_empty()
    }

    /// A frame as the model would have it.
    pub fn corrected(&mut self, captured: &[DVec3]) -> Vec<DVec3> {
        let mut positions = captured.to_vec();
        if self.has_learned() {
            self.model.correct(&mut positions, &mut self.work, &self.team);
        }
        positions
    }

    /// The model that has learned.
    pub fn model(&self) -> &LipModel {
        &self.model
    }

    /// Looks at all frames: which to correct next, and how far off they are.
    fn judge(&mut self, take: &Take, outlet: &Outlet) {
        let mut suggester = Suggester::default();
        let count = take.frames.len();
        let mut largest = 0.0f64;
        self.unknown.clear();
        self.errors = Default::default();
        for (k, captured) in take.frames.iter().enumerate() {
            // Looking may be cut short: what is known until then counts.
            if k % 16 == 0 && !outlet.progress("Looking at all frames", k as f64 / count as f64) {
                break;
            }
            let report = self.model.look(captured, &mut self.work, &self.team);
            suggester.watch(k, &report);
            largest = largest.max(report.deformation);
            self.unknown.push(report.unknown as f32);
            if let Some(truth) = take.truth.as_ref().map(|truth| &truth[k]) {
                let corrected = self.corrected(captured);
                for (all, shape) in self.errors.iter_mut().zip([captured, &corrected]) {
                    let off = distances(shape, truth, &take.inner);
                    let mean = off.iter().sum::<f64>() / off.len().max(1) as f64;
                    all.push(mean as f32);
                }
            }
        }
        self.unknown.iter_mut().for_each(|own| *own /= largest.max(f64::MIN_POSITIVE) as f32);
        self.suggestion = suggester.suggestion();
    }
}

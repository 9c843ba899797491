//! A model of a mouth: what its corrected frames teach, ready for every other frame.

use glam::{DMat3, DVec3};
use pliant_math::cholesky::PanelWork;
use pliant_math::team::Team;
use pliant_math::{Buffer, Row};

use crate::error::LipsError;
use crate::gradients::Gradients;
use crate::head::Head;
use crate::prior::Fit;
use crate::projection::Projection;
use crate::reconstruction::Reconstruction;
use crate::reduction::norm;
use crate::region::Region;
use crate::regression::{Regression, RegressionOptions};
use crate::trust::Trust;

/// A mouth that moves less than this, in root mean squares of F − I, is at rest.
const AT_REST: f64 = 1e-9;

/// A corrected frame: all that a model keeps of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Which frame of the capture, from 0.
    pub frame: usize,
    /// Positions of the region's vertices \[m\], without the head's rotation: as captured, the
    /// free ones as corrected.
    pub positions: Vec<DVec3>,
}

/// Learns from a few corrected frames, and corrects all others.
///
/// ```
/// use pliant_lips::performance::Performance;
/// use pliant_lips::{LipModel, RegressionOptions};
/// use pliant_math::team::Team;
///
/// let show = Performance::new(48, 16)?;
/// let mut model = LipModel::new(show.region()?, Default::default(), RegressionOptions::default())?;
/// for frame in [30, 100, 170] {
///     model.add(frame, &show.captured(frame), &show.truth(frame))?;
/// }
/// let (team, mut work) = (Team::new(1), model.workspace(1));
/// let mut positions = show.captured(31);
/// let report = model.correct(&mut positions, &mut work, &team);
/// assert!(report.moved > 0.0 && report.is_finite);
/// # Ok::<(), pliant_lips::LipsError>(())
/// ```
pub struct LipModel {
    region: Region,
    head: Head,
    options: RegressionOptions,
    /// Frames that span the capture, with lips fitted to all of it; none without.
    prior: Vec<Sample>,
    samples: Vec<Sample>,
    inner: Gradients,
    reconstruction: Reconstruction,
    /// θ₀, and what corrected frames add to it.
    follows: Regression,
    regression: Regression,
    projection: Projection,
    /// Where captures stay as they are.
    trust: Trust,
    /// Right-hand sides of the output basis: of every free vertex, one per column, to seven digits.
    pushed: Vec<Row<f32>>,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// ‖y‖: how far the mouth is from rest (root mean square of F − I over the mouth).
    pub deformation: f64,
    /// The part of it that no example shows.
    pub unknown: f64,
    /// How far the vertex moved that moved most \[m\].
    pub moved: f64,
    /// `false` when positions in the region are not finite: the frame is left as it is.
    pub is_finite: bool,
}

/// Memory of corrections: a model allocates nothing per frame.
pub struct Workspace {
    local: Vec<DVec3>,
    sums: Buffer<f64>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    rows: Vec<Row>,
    squares: Vec<f64>,
    work: PanelWork<f64>,
}

impl LipModel {
    /// Of a region at rest, without examples.
    ///
    /// # Errors
    /// When options make no sense or the rest shape cannot be factored.
    pub fn new(
        region: Region,
        head: Head,
        options: RegressionOptions,
    ) -> Result<LipModel, LipsError> {
        options.check()?;
        let inner = Gradients::new(&region.rest, region.inner.clone());
        let mouth = Gradients::new(&region.rest, region.mouth.clone());
        let reconstruction = Reconstruction::new(&region.rest, &region.inner, &region.free)?;
        Ok(LipModel {
            follows: Regression::default(),
            regression: Regression::new(options),
            prior: Vec::new(),
            trust: Trust::new(&region, &reconstruction)?,
            projection: Projection::new(mouth, &[]),
            pushed: Vec::new(),
            samples: Vec::new(),
            region,
            head,
            options,
            inner,
            reconstruction,
        })
    }

    /// The region.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// What stands for the skull.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// How examples are settled.
    pub fn options(&self) -> RegressionOptions {
        self.options
    }

    /// The corrected frames, in the order in which they came.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// How many directions of the mouth's motion the examples show.
    pub fn rank(&self) -> usize {
        self.regression.rank()
    }

    /// Adds a corrected frame; one that was there before is replaced. Of `corrected` only the
    /// free vertices are read, and everything else from `captured`.
    ///
    /// # Errors
    /// When positions are missing or not finite, or when the mouth is at rest while the lips
    /// are not.
    pub fn add(
        &mut self,
        frame: usize,
        captured: &[DVec3],
        corrected: &[DVec3],
    ) -> Result<(), LipsError> {
        let sample = self.sample(frame, captured, corrected)?;
        self.extend(vec![sample])
    }

    /// Learns how the lips of a capture follow its mouth, from frames that cover it evenly, in
    /// place of what was learned so before. Frames that are not finite are passed over.
    ///
    /// # Errors
    /// When frames are not of this mesh.
    pub fn follow(
        &mut self,
        capture: &[(usize, Vec<DVec3>)],
        team: &Team,
    ) -> Result<(), LipsError> {
        let mut frames = Vec::new();
        for (frame, positions) in capture {
            match self.sample(*frame, positions, positions) {
                Err(LipsError::NotFinite { .. }) => {}
                sample => frames.push(sample?),
            }
        }
        let (region, mouth) = (&self.region, self.projection.gradients());
        let (inner, reconstruction) = (&self.inner, &self.reconstruction);
        let prior = Fit { region, mouth, inner, reconstruction }.capture(&frames, team);
        self.set_prior(prior)
    }

    /// What [`LipModel::follow`] found: frames of the capture with fitted lips.
    pub fn prior(&self) -> &[Sample] {
        &self.prior
    }

    /// Takes over what another model has found.
    ///
    /// # Errors
    /// When it is of another region.
    pub(crate) fn set_prior(&mut self, prior: Vec<Sample>) -> Result<(), LipsError> {
        prior.iter().try_for_each(|sample| self.check(sample))?;
        // Its own frames are fitted, and free of contradictions.
        let options = RegressionOptions { ridge: 0.0, truncation: 1e-9 };
        self.follows = Regression::new(options);
        for Sample { positions, .. } in &prior {
            let mouth = self.projection.gradients().column(positions);
            self.follows.append(mouth, self.inner.column(positions));
        }
        self.follows.solve();
        self.prior = prior;
        let samples = std::mem::take(&mut self.samples);
        self.regression = Regression::new(self.options);
        self.extend(samples)
    }

    fn check(&self, sample: &Sample) -> Result<(), LipsError> {
        let (found, expected) = (sample.positions.len(), self.region.rest.len());
        match found == expected {
            true => Ok(()),
            false => {
                let what = format!("frame {}, in the region,", sample.frame);
                Err(LipsError::Count { what, found, expected })
            }
        }
    }

    /// y, and what of x is left to learn.
    fn example(&self, sample: &Sample) -> (Vec<f64>, Vec<f64>) {
        let y = self.projection.gradients().column(&sample.positions);
        let mut x = self.inner.column(&sample.positions);
        let known = self.follows.predict(&y);
        x.iter_mut().zip(known).for_each(|(x, known)| *x -= known);
        (y, x)
    }

    /// Adds several; the map is solved for once.
    ///
    /// # Errors
    /// As [`LipModel::add`]; the model is then unchanged.
    pub fn extend(&mut self, samples: Vec<Sample>) -> Result<(), LipsError> {
        let mut examples = Vec::new();
        for sample in &samples {
            self.check(sample)?;
            let (y, x) = self.example(sample);
            let scale = (self.projection.gradients().len() as f64).sqrt();
            if norm(&y) <= AT_REST * scale && norm(&x) > 1e3 * AT_REST * scale {
                return Err(LipsError::NothingToLearn { frame: sample.frame });
            }
            examples.push((y, x));
        }
        let known: Vec<usize> = samples.iter().map(|s| s.frame).collect();
        if self.samples.iter().any(|s| known.contains(&s.frame)) {
            self.samples.retain(|s| !known.contains(&s.frame));
            let mut regression = Regression::new(self.options);
            for sample in &self.samples {
                let (y, x) = self.example(sample);
                regression.append(y, x);
            }
            self.regression = regression;
        }
        self.samples.extend(samples);
        examples.into_iter().for_each(|(y, x)| self.regression.append(y, x));
        self.regression.solve();
        // Without a prior it is the paper's method.
        if !self.prior.is_empty() {
            let team = Team::new(1);
            self.trust.learn(&self.regression, &self.inner, &self.reconstruction, &team);
        }
        self.prepare();
        Ok(())
    }

    /// What a model keeps of a corrected frame of the whole mesh.
    ///
    /// # Errors
    /// When positions are missing or not finite.
    pub fn sample(
        &self,
        frame: usize,
        captured: &[DVec3],
        corrected: &[DVec3],
    ) -> Result<Sample, LipsError> {
        let region = &self.region;
        for (name, list) in [("the captured", captured), ("the corrected", corrected)] {
            if list.len() != region.vertex_count {
                let (found, expected) = (list.len(), region.vertex_count);
                return Err(LipsError::Count {
                    what: format!("{name} frame {frame}"),
                    found,
                    expected,
                });
            }
            let read = region.vertices.iter().chain(&self.head.vertices);
            if let Some(&vertex) = read.into_iter().find(|v| !list[**v as usize].is_finite()) {
                return Err(LipsError::NotFinite { what: format!("{name} frame {frame}"), vertex });
            }
        }
        let back = self.head.rotation(captured).transpose();
        let from = |free: bool| if free { corrected } else { captured };
        let place = |(v, free): (&u32, &bool)| back * from(*free)[*v as usize];
        let positions = region.vertices.iter().zip(&region.free).map(place).collect();
        Ok(Sample { frame, positions })
    }

    /// Memory for corrections on a team of `threads`.
    pub fn workspace(&self, threads: usize) -> Workspace {
        let zeros = |count: usize| vec![0.0; count];
        Workspace {
            local: vec![DVec3::ZERO; self.region.vertices.len()],
            sums: self.projection.sums(),
            inputs: zeros(self.inputs().count()),
            outputs: zeros(self.outputs().count()),
            rows: vec![Row::zero(); self.reconstruction.free().len()],
            squares: self.trust.room(),
            work: self.reconstruction.work(threads),
        }
    }

    /// Moves the lips of a frame of the whole mesh to where the examples say; no other vertex is
    /// touched. A workspace must be of this model, and of as many examples.
    pub fn correct(
        &self,
        positions: &mut [DVec3],
        work: &mut Workspace,
        team: &Team,
    ) -> FrameReport {
        let Some(turn) = self.localise(positions, work) else { return FrameReport::default() };
        let mut report = self.look_at(work, team);
        let Workspace { local, outputs, rows, .. } = work;
        let columns = outputs.len();
        for (row, own) in rows.iter_mut().zip(self.pushed.chunks_exact(columns.max(1))) {
            let sum = own.iter().zip(&*outputs);
            *row = sum.fold(Row::zero(), |sum, (pushed, c)| sum + pushed.widen() * *c);
        }
        if columns == 0 {
            rows.fill(Row::zero());
        }
        let rest = &self.region.rest;
        let border = |v: u32| local[v as usize] - rest[v as usize];
        self.reconstruction.solve(rows, border, &mut work.work, team);
        let free = self.reconstruction.free();
        let captured = |row: usize| border(free[row]).into();
        let unknown = report.unknown * (self.projection.gradients().len() as f64).sqrt();
        self.trust.blend(unknown, rows, captured, &mut work.squares);
        for (row, v) in work.rows.iter().zip(free) {
            let place = turn * (rest[*v as usize] + row.xyz());
            let slot = &mut positions[self.region.vertices[*v as usize] as usize];
            report.moved = report.moved.max(slot.distance(place));
            *slot = place;
        }
        report
    }

    /// What is known about a frame, without correcting it.
    pub fn look(&self, positions: &[DVec3], work: &mut Workspace, team: &Team) -> FrameReport {
        match self.localise(positions, work) {
            Some(_) => self.look_at(work, team),
            None => FrameReport::default(),
        }
    }

    /// The region's positions without the head's rotation, which is returned; `None` when they are
    /// not of this mesh or not finite.
    fn localise(&self, positions: &[DVec3], work: &mut Workspace) -> Option<DMat3> {
        if positions.len() != self.region.vertex_count {
            return None;
        }
        let turn = self.head.rotation(positions);
        let back = turn.transpose();
        let mut sum = DVec3::ZERO;
        for (local, v) in work.local.iter_mut().zip(&self.region.vertices) {
            let place = positions[*v as usize];
            sum += place;
            *local = if self.head.vertices.is_empty() { place } else { back * place };
        }
        sum.is_finite().then_some(turn)
    }

    /// Coefficients in both bases, from the region's positions.
    fn look_at(&self, work: &mut Workspace, team: &Team) -> FrameReport {
        let Workspace { local, sums, inputs, outputs, .. } = work;
        let square = self.projection.project(local, sums, inputs, team);
        let (first, then) = inputs.split_at(self.follows.inputs().len());
        let (follows, corrects) = outputs.split_at_mut(self.follows.outputs().len());
        self.follows.map(first, follows);
        self.regression.map(then, corrects);
        let mean = 1.0 / self.projection.gradients().len().max(1) as f64;
        let unknown = (square - self.regression.known_square(then)).max(0.0);
        FrameReport {
            deformation: (mean * square).sqrt(),
            unknown: (mean * unknown).sqrt(),
            moved: 0.0,
            is_finite: true,
        }
    }

    /// Both bases of the mouth, one after the other.
    fn inputs(&self) -> impl Iterator<Item = &[f64]> {
        self.follows.inputs().iter().chain(self.regression.inputs()).map(Vec::as_slice)
    }

    /// Both bases of the inner lip.
    fn outputs(&self) -> impl Iterator<Item = &[f64]> {
        self.follows.outputs().iter().chain(self.regression.outputs()).map(Vec::as_slice)
    }

    /// Lays out what frames need.
    fn prepare(&mut self) {
        let gradients = self.projection.gradients().clone();
        self.projection = Projection::new(gradients, &self.inputs().collect::<Vec<_>>());
        let pushed: Vec<Vec<DVec3>> =
            self.outputs().map(|column| self.reconstruction.push(&self.inner, column)).collect();
        let rows = 0..self.reconstruction.free().len();
        self.pushed = rows
            .flat_map(|row| pushed.iter().map(move |column| Row::from(column[row]).narrow()))
            .collect();
    }
}

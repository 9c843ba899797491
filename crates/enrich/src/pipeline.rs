//! The enrichment of a frame: fit, simulate, add detail (Fig. 5 of \[li2017enriching\]).

mod cycle;
mod options;

pub use cycle::{Cycle, Settled};
pub use options::EnrichOptions;

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::Mesh;
use pliant_sim::StepReport;

use crate::blending::{Blend, FrameWeights, KinematicBlend};
use crate::comparison::Tracks;
use crate::detail::{Creases, Detail};
use crate::embedding::EmbeddedSurface;
use crate::error::EnrichError;
use crate::fitting::{FitOptions, FitReport, Fitting, gamma, overstretched};
use crate::numerics::closest_rigid;
use crate::simulation::{Simulation, SimulationOptions, is_cut};
use crate::skeleton::{self, Following};

/// Number of poses that γ is chosen from.
const GAMMA_POSES: usize = 3;
/// Number of poses that are searched for overstretched tets.
const OVERSTRETCHED_POSES: usize = 8;

/// Relative gradient norm at which a fit stops if the whole surface is tracked. The paper stops
/// where an iteration changes a hundredth.
const TRACKED_TOLERANCE: f64 = 1e-2;
/// Maximum number of iterations then; frames that need more cannot be reproduced by any tets.
const TRACKED_ITERATIONS: u32 = 60;

/// Report of an enriched frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameReport {
    /// Report of its fit.
    pub fit: FitReport,
    /// Report of its last step.
    pub step: StepReport,
    /// Number of steps.
    pub steps: u32,
    /// True if the frame is unrelated to the one before; it then settles by itself.
    pub is_cut: bool,
    /// Duration of the fit \[s\].
    pub fit_seconds: f64,
    /// Duration of the simulation \[s\].
    pub step_seconds: f64,
}

/// The enrichment of an animation, frame by frame.
pub struct Enrichment {
    embedded: EmbeddedSurface,
    fitting: Fitting,
    simulation: Simulation,
    detail: Option<Detail>,
    /// None if the input does not animate all of Γ.
    creases: Option<Creases>,
    kinematic: Option<KinematicBlend>,
    tracks: Option<Tracks>,
    following: Following,
    gamma: f64,
    weights: FrameWeights,
    /// Number of frames done.
    frames: u32,
    rest: Vec<DVec3>,
    is_exact: Vec<bool>,
    is_tracked: Vec<bool>,
    options: EnrichOptions,
    /// The input in metres.
    scaled: Vec<DVec3>,
    /// ū of the last frame and of this one.
    fitted: [Vec<DVec3>; 2],
    simulated: Vec<DVec3>,
    /// Kinematic blend of the two, if there is one.
    blended: Vec<DVec3>,
    has_begun: bool,
    /// Report of a frame that is simulated but not yet returned.
    pending: Option<FrameReport>,
}

impl Enrichment {
    /// Prepares the enrichment of an animation of `rest`, with some of its frames as `poses`, in
    /// the input's unit. `separated` is a pose whose parts do not touch.
    pub fn new(
        rest: &Mesh,
        separated: Option<&Mesh>,
        poses: &[Vec<DVec3>],
        options: EnrichOptions,
        simulation: impl FnOnce(&EmbeddedSurface) -> SimulationOptions,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let embedded = Enrichment::embed(rest, separated, poses, &options, threads)?;
        Enrichment::on(embedded, &rest.positions, poses, options, simulation, threads)
    }

    /// Fills the surface of an animation with tets. `rest`, `separated` and `poses` are in the
    /// input's unit.
    pub fn embed(
        rest: &Mesh,
        separated: Option<&Mesh>,
        poses: &[Vec<DVec3>],
        options: &EnrichOptions,
        threads: usize,
    ) -> Result<EmbeddedSurface, EnrichError> {
        let scale = |points: &[DVec3]| points.iter().map(|&x| x * options.unit).collect();
        let metric = |mesh: &Mesh| Mesh { positions: scale(&mesh.positions), ..mesh.clone() };
        let separated = separated.map(metric);
        let scaled: Vec<Vec<DVec3>> = poses.iter().map(|pose| scale(pose)).collect();
        EmbeddedSurface::of_animation(
            metric(rest),
            separated.as_ref(),
            &scaled,
            options.tracked.is_none(),
            &options.filling,
            &Team::new(threads),
        )
    }

    /// Prepares the enrichment on tets that exist already, filled with the same options. `rest` and
    /// `poses` are in the input's unit.
    pub fn on(
        embedded: EmbeddedSurface,
        rest: &[DVec3],
        poses: &[Vec<DVec3>],
        options: EnrichOptions,
        simulation: impl FnOnce(&EmbeddedSurface) -> SimulationOptions,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let team = Team::new(threads);
        let count = rest.len();
        let scale = |pose: &Vec<DVec3>| pose.iter().map(|&x| x * options.unit).collect();
        let poses: Vec<Vec<DVec3>> = poses.iter().map(scale).collect();
        let tracked = options.tracked.clone().unwrap_or_else(|| (0..count as u32).collect());
        let fit = fit_options(&embedded, &tracked, &poses, &options, threads)?;
        let mut coarse = Fitting::new(&embedded, &tracked, &fit.coarse(), threads)?;
        let exact = options.exact.as_deref();
        let mut following = skeleton::selected_or_found(&embedded, exact, &poses, &team)?;
        let is_blended = options.blend == Blend::Kinematic;
        let mut flesh = SimulationOptions { is_blended, ..simulation(&embedded) };
        soften(&embedded, &poses, &options, &mut coarse, &mut flesh, &mut following);
        let fitting = coarse.with(&embedded, &fit)?;
        let masses = embedded.masses(flesh.density);
        let mut weights = FrameWeights::new(&embedded, &following, &masses, &options)?;
        weights.update(&following, &options, 0.0);
        let exact = &following.exact;
        let simulation = Simulation::new(&embedded, exact, &weights.stiffness, &flesh, threads)?;
        let mut is_tracked = vec![false; count];
        tracked.iter().for_each(|&v| is_tracked[v as usize] = true);
        let is_held = embedded.held_by(exact);
        let is_exact: Vec<bool> = (0..count).map(|v| is_tracked[v] && is_held[v]).collect();
        let (mut kinematic, mut tracks) = (None, None);
        match options.blend {
            Blend::Implicit => {}
            Blend::Kinematic => kinematic = Some(KinematicBlend::new(&embedded, exact, threads)?),
            Blend::Tracks => {
                let young = flesh.young.iter().sum::<f64>() / flesh.young.len().max(1) as f64;
                let seconds = 1.0 / options.fps;
                tracks = Some(Tracks::new(&embedded, exact, &masses, young, seconds, threads)?);
            }
        }
        let solid = &embedded.solid.positions;
        Ok(Enrichment {
            kinematic,
            tracks,
            blended: solid.clone(),
            detail: options.detail.map(|transfer| Detail::new(&embedded, transfer)),
            creases: options.tracked.is_none().then(|| Creases::new(&embedded.surface)),
            weights,
            frames: 0,
            rest: rest.to_vec(),
            scaled: vec![DVec3::ZERO; count],
            fitted: [solid.clone(), solid.clone()],
            simulated: solid.clone(),
            has_begun: false,
            pending: None,
            gamma: fit.gamma,
            embedded,
            fitting,
            simulation,
            following,
            is_exact,
            is_tracked,
            options,
        })
    }

    /// Enriches the next frame in place, in the input's unit. `next` is the frame after it, if
    /// known; the first frame starts with the velocity between them.
    pub fn frame(&mut self, frame: &mut [DVec3], next: Option<&[DVec3]>) -> FrameReport {
        let report = match self.pending.take() {
            Some(report) => report,
            None => self.advance(frame, next),
        };
        self.write_surface(frame);
        report
    }

    /// Simulates the frame with index `number`.
    fn advance_to(
        &mut self,
        number: usize,
        frame: &[DVec3],
        next: Option<&[DVec3]>,
    ) -> FrameReport {
        self.frames = number as u32;
        self.advance(frame, next)
    }

    /// Fits the next frame and simulates up to it.
    fn advance(&mut self, frame: &[DVec3], next: Option<&[DVec3]>) -> FrameReport {
        let seconds = 1.0 / self.options.fps;
        let mut report = FrameReport::default();
        let time = f64::from(self.frames) / self.options.fps;
        self.weights.update(&self.following, &self.options, time);
        self.frames += 1;
        let clock = std::time::Instant::now();
        report.fit = self.fit(frame);
        report.fit_seconds = clock.elapsed().as_secs_f64();
        let clock = std::time::Instant::now();
        let [before, now] = &self.fitted;
        report.is_cut = self.has_begun && is_cut(before, now, self.embedded.length(), seconds);
        if report.is_cut {
            let first = self.fitted[1].clone();
            self.simulation.cut_to(&first);
            // Soft objects keep moving during a preroll, so with them there is none.
            let preroll = if self.simulation.has_soft_objects() { 0 } else { self.options.preroll };
            self.hold(&first, [time, seconds], preroll, &mut report);
            self.launch(&first, seconds, next);
        } else if self.has_begun {
            let contacts = self.contact_targets(time - seconds);
            let Enrichment { fitted, weights, simulation, simulated, .. } = self;
            let stiffness = &mut weights.stiffness;
            let mut ends = [fitted[0].clone(), fitted[1].clone()];
            for (v, target, k) in contacts {
                ends.iter_mut().for_each(|end| end[v as usize] = target);
                stiffness[v as usize] = k;
            }
            let [before, now] = [&ends[0][..], &ends[1]];
            report.step = simulation.advance([time, seconds], [before, now], stiffness, simulated);
        } else {
            self.begin([time, seconds], next, &mut report);
        }
        if let Some(tracks) = &mut self.tracks {
            let moved = tracks.correction(&self.embedded, &self.fitted[1], &self.simulated);
            self.simulation.displace(&moved, seconds);
            self.simulated.iter_mut().zip(&moved).for_each(|(x, moved)| *x += *moved);
        }
        report.step_seconds = clock.elapsed().as_secs_f64();
        report.steps = self.simulation.steps_taken();
        report
    }

    /// Targets and stiffnesses of vertices of Ω that penetrate an object in the blended shape: its
    /// displacement out of the object, rotated to the simulated shape (section 7.2).
    fn contact_targets(&self, time: f64) -> Vec<(u32, DVec3, f64)> {
        let Some(kinematic) = &self.kinematic else { return Vec::new() };
        let shapes = [&self.blended[..], &self.simulated];
        let target = |(v, out, k): (u32, DVec3, f64)| {
            (v, self.simulated[v as usize] + kinematic.rotation(v, shapes) * out, k)
        };
        self.simulation.penetrations(time, &self.blended).into_iter().map(target).collect()
    }

    /// Fits ū to a frame, and keeps that of the last one.
    fn fit(&mut self, frame: &[DVec3]) -> FitReport {
        let unit = self.options.unit;
        self.scaled.iter_mut().zip(frame).for_each(|(s, &x)| *s = x * unit);
        let [before, now] = &mut self.fitted;
        std::mem::swap(before, now);
        self.fitting.fit(&self.scaled, now)
    }

    /// Writes the surface of the simulated tets, with detail, over the input frame.
    fn write_surface(&mut self, frame: &mut [DVec3]) {
        let unit = self.options.unit;
        self.blend();
        let simulated = if self.kinematic.is_some() { &self.blended } else { &self.simulated };
        match &mut self.detail {
            Some(detail) => {
                let fitted = [&self.fitted[1][..], simulated];
                let mut out = vec![DVec3::ZERO; frame.len()];
                let masks = [&self.is_exact[..], &self.is_tracked];
                detail.apply(&self.embedded, masks, &self.scaled, fitted, &mut out);
                if let Some(creases) = &self.creases {
                    creases.close(&self.scaled, &self.is_exact, &mut out);
                }
                for (v, x) in frame.iter_mut().enumerate().filter(|(v, _)| !self.is_exact[*v]) {
                    *x = out[v] / unit;
                }
            }
            None => {
                for (v, x) in frame.iter_mut().enumerate() {
                    *x = self.embedded.surface_position(v, simulated) / unit;
                }
            }
        }
        for vertices in &self.options.rigid {
            let of = |x: &[DVec3]| vertices.iter().map(|&v| x[v as usize]).collect::<Vec<_>>();
            let (rotation, from, to) = closest_rigid(&of(&self.rest), &of(frame));
            for &v in vertices {
                frame[v as usize] = rotation * (self.rest[v as usize] - from) + to;
            }
        }
    }

    /// Updates the kinematic blend, if there is one.
    fn blend(&mut self) {
        let Enrichment { kinematic, simulated, fitted, weights, blended, .. } = self;
        if let Some(kinematic) = kinematic {
            kinematic.blend(simulated, &fitted[1], &weights.weights, blended);
        }
    }

    /// State between two frames as bytes, marked with a `key`. With it and the last input frame, an
    /// enrichment with the same options continues to the same bits.
    pub fn snapshot(&self, key: u64) -> Vec<u8> {
        let mut bytes = self.frames.to_le_bytes().to_vec();
        bytes.extend(self.simulation.snapshot(key));
        bytes
    }

    /// Continues from a snapshot; `last` is the input of the last frame before it.
    ///
    /// # Errors
    /// The bytes are no snapshot of such an enrichment with this key.
    pub fn resume(&mut self, bytes: &[u8], key: u64, last: &[DVec3]) -> Result<(), EnrichError> {
        let Some((frames, bytes)) = bytes.split_first_chunk::<4>() else {
            return Err(pliant_sim::snapshot::SnapshotError::Damaged.into());
        };
        self.simulation.resume(bytes, key, &mut self.simulated)?;
        self.frames = u32::from_le_bytes(*frames);
        self.has_begun = true;
        self.fit(last);
        let time = f64::from(self.frames.saturating_sub(1)) / self.options.fps;
        self.weights.update(&self.following, &self.options, time);
        self.blend();
        Ok(())
    }

    /// Simulates the first frame: gravity and contact settle, then the body starts to move.
    fn begin(&mut self, times: [f64; 2], next: Option<&[DVec3]>, report: &mut FrameReport) {
        self.has_begun = true;
        let first = self.fitted[1].clone();
        self.simulation.start(&first, &vec![DVec3::ZERO; first.len()]);
        self.hold(&first, times, self.options.preroll, report);
        self.simulation.reset_objects();
        self.launch(&first, times[1], next);
    }

    /// Simulates some frames of `seconds` during which the input stays at `first`, at a time \[s\].
    fn hold(
        &mut self,
        first: &[DVec3],
        [time, seconds]: [f64; 2],
        frames: u32,
        report: &mut FrameReport,
    ) {
        self.simulated.copy_from_slice(first);
        for _ in 0..frames {
            report.step = self.simulation.advance(
                [time, seconds],
                [first, first],
                &self.weights.stiffness,
                &mut self.simulated,
            );
        }
    }

    /// Sets the velocity of the input towards the next frame, if there is one without a cut.
    fn launch(&mut self, first: &[DVec3], seconds: f64, next: Option<&[DVec3]>) {
        let mut ahead = first.to_vec();
        if let Some(next) = next {
            let next: Vec<DVec3> = next.iter().map(|&x| x * self.options.unit).collect();
            self.fitting.fit(&next, &mut ahead);
            if is_cut(first, &ahead, self.embedded.length(), seconds) {
                ahead.copy_from_slice(first);
            }
        }
        let velocities: Vec<DVec3> =
            ahead.iter().zip(first).map(|(b, a)| (*b - *a) / seconds).collect();
        self.simulation.set_velocities(&velocities);
    }

    /// Surfaces of the soft objects, in the input's unit.
    pub fn soft_surfaces(&self) -> Vec<Vec<DVec3>> {
        let mut surfaces = self.simulation.soft_surfaces();
        surfaces.iter_mut().flatten().for_each(|x| *x /= self.options.unit);
        surfaces
    }

    /// The surface Γ in its tets Ω.
    pub fn embedded(&self) -> &EmbeddedSurface {
        &self.embedded
    }

    /// γ of the fit.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Index of the pose that replaced the rest shape, if parts of the rest shape nearly touch.
    pub fn neutral_pose(&self) -> Option<usize> {
        self.embedded.neutral_pose
    }

    /// For each vertex of Γ, true if it follows exactly.
    pub fn is_exact(&self) -> &[bool] {
        &self.is_exact
    }

    /// Γ′: the vertices that the input animates.
    pub fn tracked(&self) -> Vec<u32> {
        let tracked = (0u32..).zip(&self.is_tracked).filter(|(_, tracked)| **tracked);
        tracked.map(|(v, _)| v).collect()
    }

    /// Weights of Γ's vertices, from 0 (physics) to 1 (input).
    pub fn surface_weights(&self) -> Vec<f64> {
        self.weights.on_surface(&self.embedded)
    }

    /// Vertices that follow the input.
    pub fn following(&self) -> &Following {
        &self.following
    }
}

/// Options of the fit, with γ chosen and limits for fully tracked surfaces. Detail restores the
/// fitting error of tracked vertices, so their fit may stop early; untracked vertices show the fit
/// itself.
fn fit_options(
    embedded: &EmbeddedSurface,
    tracked: &[u32],
    poses: &[Vec<DVec3>],
    options: &EnrichOptions,
    threads: usize,
) -> Result<FitOptions, EnrichError> {
    let gamma = match options.gamma {
        Some(gamma) => gamma,
        None => {
            let chosen = diverse(poses, GAMMA_POSES);
            gamma::automatic(embedded, tracked, &chosen, &options.fit, threads)?
        }
    };
    let mut fit = FitOptions { gamma, ..options.fit };
    if options.tracked.is_none() {
        fit.tolerance = fit.tolerance.max(TRACKED_TOLERANCE);
        fit.iterations = fit.iterations.min(TRACKED_ITERATIONS);
    }
    Ok(fit)
}

/// Softens the tets that the input overstretches, and makes the vertices around them follow unless
/// the project selects what follows.
fn soften(
    embedded: &EmbeddedSurface,
    poses: &[Vec<DVec3>],
    options: &EnrichOptions,
    fitting: &mut Fitting,
    flesh: &mut SimulationOptions,
    following: &mut Following,
) {
    let overstretched =
        overstretched::find(embedded, &diverse(poses, OVERSTRETCHED_POSES), fitting);
    for (young, _) in flesh.young.iter_mut().zip(&overstretched).filter(|(_, is)| **is) {
        *young *= overstretched::STIFFNESS_LEFT;
    }
    if options.exact.is_none() {
        let shares = overstretched::volume_shares(embedded, &overstretched);
        for (own, share) in following.frequencies.iter_mut().zip(shares) {
            *own = own.max(skeleton::ROOT * embedded.frequency_scale() * share);
        }
    }
}

/// Copies of the most different poses, at most `count`.
fn diverse(poses: &[Vec<DVec3>], count: usize) -> Vec<Vec<DVec3>> {
    gamma::diverse_poses(poses, count).into_iter().map(|p| poses[p].clone()).collect()
}

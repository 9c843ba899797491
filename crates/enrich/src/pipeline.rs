//! The whole way of a frame: fit, simulate, add detail (Fig. 5).

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, TetOptions};
use pliant_sim::StepReport;

use crate::bound::Bound;
use crate::core::{self, Following};
use crate::creases::Creases;
use crate::detail::{Detail, Transfer};
use crate::error::EnrichError;
use crate::fit::{FitOptions, FitReport, Fitting, closest_rigid};
use crate::gamma;
use crate::pace;
use crate::project::Painted;
use crate::simulation::{Simulation, SimulationOptions};
use crate::torn;
use crate::tracks::Tracks;
use crate::warp::Warp;
use crate::weighed::Weighed;

/// How many poses γ is looked for with.
const GAMMA_POSES: usize = 3;
/// How many poses are asked for what they tear.
const TORN_POSES: usize = 8;

/// Relative gradient norm that a fit stops at where the whole surface is tracked; the paper stops where an
/// iteration changes a hundredth.
const ENOUGH: f64 = 1e-2;
/// And the most iterations then: frames that need more are those that no tets can follow.
const MOST_ITERATIONS: u32 = 60;

/// How weights between 0 and 1 act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// As a force during the simulation (section 7.1).
    Implicit,
    /// On the shapes, after it (section 7.2).
    Kinematic,
    /// As a force, and regions stay on average where the input is: what Fig. 15 compares with.
    Tracks,
}

/// Everything that can be asked of an enrichment; the default is what an animation without a word
/// gets.
#[derive(Clone, Debug)]
pub struct EnrichOptions {
    /// How finely the surface is filled.
    pub filling: TetOptions,
    /// How tets are fitted; its γ counts only when [`EnrichOptions::gamma`] does not say otherwise.
    pub fit: FitOptions,
    /// γ of the fit; found by [`gamma::automatic`] without.
    pub gamma: Option<f64>,
    /// Γ′: the vertices that the input animates; all of them without.
    pub tracked: Option<Vec<u32>>,
    /// Γ″: the vertices that follow exactly; found by [`core::find`] without.
    pub exact: Option<Vec<u32>>,
    /// Weights painted on some vertices of Γ, spread by [`crate::weights::bases`]; instead of those found.
    pub painted: Vec<(Vec<u32>, Painted)>,
    /// Weights of all vertices of Γ; in place of those painted and found.
    pub map: Option<Vec<f64>>,
    /// Vertices of Γ that move together, each list as a rigid body.
    pub rigid: Vec<Vec<u32>>,
    /// How the weights act.
    pub blend: Blend,
    /// η of the blending force [N/m].
    pub eta: f64,
    /// ζ of the blending force; see [`stiffness`].
    pub zeta: f64,
    /// Whether what is finer than the tets is kept.
    pub detail: Option<Transfer>,
    /// Frames that the first one is held, for gravity and contact to settle.
    pub preroll: u32,
    /// Metres per unit of the input.
    pub unit: f64,
    /// Frames per second.
    pub fps: f64,
}

impl Default for EnrichOptions {
    fn default() -> Self {
        EnrichOptions {
            filling: TetOptions::default(),
            fit: FitOptions::default(),
            gamma: None,
            tracked: None,
            exact: None,
            painted: Vec::new(),
            map: None,
            rigid: Vec::new(),
            blend: Blend::Implicit,
            eta: 1e6,
            zeta: 4.0,
            detail: Some(Transfer::Rotation),
            preroll: 10,
            unit: 1.0,
            fps: 30.0,
        }
    }
}

/// W of a weight w from 0 to 1 [N/m]: η w^ζ.
///
/// The paper prints the exponent 1/ζ with ζ > 1, by which a weight of 0.01 already is a third of η;
/// with ζ itself the weights between are spread over the range that matters.
pub fn stiffness(weight: f64, eta: f64, zeta: f64) -> f64 {
    eta * weight.powf(zeta)
}

/// The weight of a stiffness: the inverse of [`stiffness`], at most 1.
pub fn weight(stiffness: f64, eta: f64, zeta: f64) -> f64 {
    (stiffness / eta).powf(1.0 / zeta).min(1.0)
}

/// What came of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameReport {
    /// Of fitting it.
    pub fit: FitReport,
    /// Of its last step.
    pub step: StepReport,
    /// Steps that it took.
    pub steps: u32,
    /// Whether it has nothing to do with the frame before ([`pace::is_cut`]), and settled by itself.
    pub is_cut: bool,
    /// Seconds that fitting took.
    pub fit_seconds: f64,
    /// Seconds that the simulation took.
    pub step_seconds: f64,
}

/// An animation on its way through.
pub struct Enrichment {
    bound: Bound,
    fitting: Fitting,
    simulation: Simulation,
    detail: Option<Detail>,
    /// None where the input does not have all of Γ.
    creases: Option<Creases>,
    warp: Option<Warp>,
    tracks: Option<Tracks>,
    following: Following,
    gamma: f64,
    weighed: Weighed,
    /// Frames done.
    frames: u32,
    rest: Vec<DVec3>,
    is_exact: Vec<bool>,
    is_tracked: Vec<bool>,
    options: EnrichOptions,
    scaled: Vec<DVec3>,
    /// ū of the last frame and of this.
    fitted: [Vec<DVec3>; 2],
    simulated: Vec<DVec3>,
    /// Between the two, where they are blended after the simulation.
    blended: Vec<DVec3>,
    has_begun: bool,
    /// Of the frame that it is at already.
    standing: Option<FrameReport>,
}

impl Enrichment {
    /// Prepares to enrich an animation of `rest`, of which `poses` are some frames, in the input's
    /// unit; `separated` is a pose whose parts do not touch.
    pub fn new(
        rest: &Mesh,
        separated: Option<&Mesh>,
        poses: &[Vec<DVec3>],
        options: EnrichOptions,
        simulation: impl FnOnce(&Bound) -> SimulationOptions,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let scale = |points: &[DVec3]| points.iter().map(|&x| x * options.unit).collect();
        let metric = |mesh: &Mesh| Mesh { positions: scale(&mesh.positions), ..mesh.clone() };
        let apart = separated.map(metric);
        let scaled: Vec<Vec<DVec3>> = poses.iter().map(|pose| scale(pose)).collect();
        let (is_whole, filling) = (options.tracked.is_none(), &options.filling);
        let (neutral, team) = (metric(rest), Team::new(threads));
        let bound =
            Bound::of_animation(neutral, apart.as_ref(), &scaled, is_whole, filling, &team)?;
        Enrichment::on(bound, &rest.positions, poses, options, simulation, threads)
    }

    /// The same with tets that are there already, filled as these options say: `rest` and `poses` are in
    /// the input's unit.
    pub fn on(
        bound: Bound,
        rest: &[DVec3],
        poses: &[Vec<DVec3>],
        options: EnrichOptions,
        simulation: impl FnOnce(&Bound) -> SimulationOptions,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let team = Team::new(threads);
        let count = rest.len();
        let scale = |pose: &Vec<DVec3>| pose.iter().map(|&x| x * options.unit).collect();
        let poses: Vec<Vec<DVec3>> = poses.iter().map(scale).collect();
        let tracked = options.tracked.clone().unwrap_or_else(|| (0..count as u32).collect());
        let gamma = match options.gamma {
            Some(gamma) => gamma,
            None => {
                let chosen = gamma::diverse(&poses, GAMMA_POSES);
                let chosen: Vec<Vec<DVec3>> = chosen.iter().map(|&p| poses[p].clone()).collect();
                gamma::automatic(&bound, &tracked, &chosen, &options.fit, threads)?
            }
        };
        let mut fit = FitOptions { gamma, ..options.fit };
        // What is completed is seen as it is fitted; of all else detail makes up for what is missed.
        if options.tracked.is_none() {
            fit.tolerance = fit.tolerance.max(ENOUGH);
            fit.iterations = fit.iterations.min(MOST_ITERATIONS);
        }
        let mut rough = Fitting::new(&bound, &tracked, &fit.roughly(), threads)?;
        let mut following = core::named_or_found(&bound, options.exact.as_deref(), &poses, &team)?;
        let is_blended = options.blend == Blend::Kinematic;
        let mut flesh = SimulationOptions { is_blended, ..simulation(&bound) };
        let surveyed = gamma::diverse(&poses, TORN_POSES);
        let surveyed: Vec<Vec<DVec3>> = surveyed.iter().map(|&p| poses[p].clone()).collect();
        let torn = torn::find(&bound, &surveyed, &mut rough);
        let fitting = rough.with(&bound, &fit)?;
        for (young, _) in flesh.young.iter_mut().zip(&torn).filter(|(_, torn)| **torn) {
            *young *= torn::LEFT;
        }
        if options.exact.is_none() {
            for (own, share) in following.frequencies.iter_mut().zip(torn::shares(&bound, &torn)) {
                *own = own.max(core::ROOT * bound.tempo() * share);
            }
        }
        let masses = bound.masses(flesh.density);
        let mut weighed = Weighed::new(&bound, &following, &masses, &options)?;
        weighed.mix(&following, &options, 0.0);
        let simulation =
            Simulation::new(&bound, &following.exact, &weighed.stiffness, &flesh, threads)?;
        let mut is_tracked = vec![false; count];
        tracked.iter().for_each(|&v| is_tracked[v as usize] = true);
        let hangs = bound.hanging(&following.exact);
        let is_exact: Vec<bool> = (0..count).map(|v| is_tracked[v] && hangs[v]).collect();
        let warp = match options.blend {
            Blend::Implicit | Blend::Tracks => None,
            Blend::Kinematic => Some(Warp::new(&bound, &following.exact, threads)?),
        };
        let tracks = match options.blend {
            Blend::Implicit | Blend::Kinematic => None,
            Blend::Tracks => {
                let young = flesh.young.iter().sum::<f64>() / flesh.young.len().max(1) as f64;
                let (exact, seconds) = (&following.exact, 1.0 / options.fps);
                Some(Tracks::new(&bound, exact, &masses, young, seconds, threads)?)
            }
        };
        Ok(Enrichment {
            warp,
            tracks,
            blended: bound.solid.positions.clone(),
            detail: options.detail.map(|transfer| Detail::new(&bound, transfer)),
            creases: options.tracked.is_none().then(|| Creases::new(&bound.surface)),
            weighed,
            frames: 0,
            rest: rest.to_vec(),
            scaled: vec![DVec3::ZERO; count],
            fitted: [bound.solid.positions.clone(), bound.solid.positions.clone()],
            simulated: bound.solid.positions.clone(),
            has_begun: false,
            standing: None,
            bound,
            fitting,
            simulation,
            following,
            gamma,
            is_exact,
            is_tracked,
            options,
        })
    }

    /// The next frame, in the input's unit, in place; `next` is the one after it, if known: the first
    /// frame starts with the velocity between them.
    pub fn frame(&mut self, frame: &mut [DVec3], next: Option<&[DVec3]>) -> FrameReport {
        let report = match self.standing.take() {
            Some(report) => report,
            None => self.advance(frame, next),
        };
        self.carry(frame);
        report
    }

    /// Goes to a frame with a number.
    pub(crate) fn advance_to(
        &mut self,
        number: usize,
        frame: &[DVec3],
        next: Option<&[DVec3]>,
    ) -> FrameReport {
        self.frames = number as u32;
        self.advance(frame, next)
    }

    /// Takes the frame that it is at as the next one.
    pub(crate) fn stand(&mut self, here: FrameReport) {
        self.standing = Some(here);
    }

    /// Where Ω is \[m\].
    pub(crate) fn simulated(&self) -> &[DVec3] {
        &self.simulated
    }

    /// Fits the next frame and simulates up to it.
    fn advance(&mut self, frame: &[DVec3], next: Option<&[DVec3]>) -> FrameReport {
        let seconds = 1.0 / self.options.fps;
        let mut report = FrameReport::default();
        let time = f64::from(self.frames) / self.options.fps;
        self.weighed.mix(&self.following, &self.options, time);
        self.frames += 1;
        let clock = std::time::Instant::now();
        report.fit = self.fit(frame);
        report.fit_seconds = clock.elapsed().as_secs_f64();
        let clock = std::time::Instant::now();
        let [before, now] = &self.fitted;
        report.is_cut = self.has_begun && pace::is_cut(before, now, self.bound.length(), seconds);
        if report.is_cut {
            let first = self.fitted[1].clone();
            self.simulation.cut_to(&first);
            // Soft things that it meets go on meanwhile: no time to settle.
            let preroll = if self.simulation.meets_soft() { 0 } else { self.options.preroll };
            self.settle_at(&first, [time, seconds], preroll, &mut report);
            self.push_off(&first, seconds, next);
        } else if self.has_begun {
            let pushed = self.pushed(time - seconds);
            let Enrichment { fitted, weighed, simulation, simulated, .. } = self;
            let stiffness = &mut weighed.stiffness;
            let mut ends = [fitted[0].clone(), fitted[1].clone()];
            for (v, place, k) in pushed {
                ends.iter_mut().for_each(|end| end[v as usize] = place);
                stiffness[v as usize] = k;
            }
            let [before, now] = [&ends[0][..], &ends[1]];
            report.step = simulation.advance([time, seconds], [before, now], stiffness, simulated);
        } else {
            self.begin([time, seconds], next, &mut report);
        }
        if let Some(tracks) = &mut self.tracks {
            let moved = tracks.way_back(&self.bound, &self.fitted[1], &self.simulated);
            self.simulation.shift(&moved, seconds);
            self.simulated.iter_mut().zip(&moved).for_each(|(x, way)| *x += *way);
        }
        report.step_seconds = clock.elapsed().as_secs_f64();
        report.steps = self.simulation.steps_taken();
        report
    }

    /// Where vertices of Ω are to go that touch something in the shape that was shown: out of it as that
    /// shape would, turned as the simulated one has (section 7.2).
    fn pushed(&self, time: f64) -> Vec<(u32, DVec3, f64)> {
        let Some(warp) = &self.warp else { return Vec::new() };
        let shapes = [&self.blended[..], &self.simulated];
        let out = |(v, way, k): (u32, DVec3, f64)| {
            (v, self.simulated[v as usize] + warp.turn(v, shapes) * way, k)
        };
        self.simulation.pushed(time, &self.blended).into_iter().map(out).collect()
    }

    /// ū of a frame, after that of the last one.
    fn fit(&mut self, frame: &[DVec3]) -> FitReport {
        let unit = self.options.unit;
        self.scaled.iter_mut().zip(frame).for_each(|(s, &x)| *s = x * unit);
        let [before, now] = &mut self.fitted;
        std::mem::swap(before, now);
        self.fitting.fit(&self.scaled, now)
    }

    /// What the tets carry where they are now, in place of the frame that they were fitted to.
    fn carry(&mut self, frame: &mut [DVec3]) {
        let unit = self.options.unit;
        self.blend();
        let simulated = if self.warp.is_some() { &self.blended } else { &self.simulated };
        match &mut self.detail {
            Some(detail) => {
                let fitted = [&self.fitted[1][..], simulated];
                let mut out = vec![DVec3::ZERO; frame.len()];
                let masks = [&self.is_exact[..], &self.is_tracked];
                detail.apply(&self.bound, masks, &self.scaled, fitted, &mut out);
                if let Some(creases) = &self.creases {
                    creases.close(&self.scaled, &self.is_exact, &mut out);
                }
                for (v, x) in frame.iter_mut().enumerate().filter(|(v, _)| !self.is_exact[*v]) {
                    *x = out[v] / unit;
                }
            }
            None => {
                for (v, x) in frame.iter_mut().enumerate() {
                    *x = self.bound.carried(v, simulated) / unit;
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

    /// The shape between input and simulation, where they are blended after it.
    fn blend(&mut self) {
        let Enrichment { warp, simulated, fitted, weighed, blended, .. } = self;
        if let Some(warp) = warp {
            warp.blend(simulated, &fitted[1], &weighed.weights, blended);
        }
    }

    /// Where everything is between two frames, as bytes: with it and the last frame, an enrichment made
    /// alike goes on to the same bits. `key` says what it belongs to.
    pub fn snapshot(&self, key: u64) -> Vec<u8> {
        let mut bytes = self.frames.to_le_bytes().to_vec();
        bytes.extend(self.simulation.snapshot(key));
        bytes
    }

    /// Goes on from a snapshot; `last` is the input of the last frame before it.
    ///
    /// # Errors
    /// When the bytes are no snapshot of an enrichment like this, with this key.
    pub fn resume(&mut self, bytes: &[u8], key: u64, last: &[DVec3]) -> Result<(), EnrichError> {
        let Some((frames, bytes)) = bytes.split_first_chunk::<4>() else {
            return Err(pliant_sim::snapshot::SnapshotError::Damaged.into());
        };
        self.simulation.resume(bytes, key, &mut self.simulated)?;
        self.frames = u32::from_le_bytes(*frames);
        self.has_begun = true;
        self.fit(last);
        let time = f64::from(self.frames.saturating_sub(1)) / self.options.fps;
        self.weighed.mix(&self.following, &self.options, time);
        self.blend();
        Ok(())
    }

    /// The first frame: at rest while gravity and contact settle, then off with the input.
    fn begin(&mut self, times: [f64; 2], next: Option<&[DVec3]>, report: &mut FrameReport) {
        self.has_begun = true;
        let first = self.fitted[1].clone();
        self.simulation.start(&first, &vec![DVec3::ZERO; first.len()]);
        self.settle_at(&first, times, self.options.preroll, report);
        self.simulation.put_back();
        self.push_off(&first, times[1], next);
    }

    /// Holds the input where it is for some frames of `seconds`, at a time \[s\].
    fn settle_at(
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
                &self.weighed.stiffness,
                &mut self.simulated,
            );
        }
    }

    /// Off with the velocity that the input has to the next frame, if there is one and it is not cut.
    fn push_off(&mut self, first: &[DVec3], seconds: f64, next: Option<&[DVec3]>) {
        let mut ahead = first.to_vec();
        if let Some(next) = next {
            let next: Vec<DVec3> = next.iter().map(|&x| x * self.options.unit).collect();
            self.fitting.fit(&next, &mut ahead);
            if pace::is_cut(first, &ahead, self.bound.length(), seconds) {
                ahead.copy_from_slice(first);
            }
        }
        let velocities: Vec<DVec3> =
            ahead.iter().zip(first).map(|(b, a)| (*b - *a) / seconds).collect();
        self.simulation.push(&velocities);
    }

    /// Where the surfaces of soft objects are, in the input's unit.
    pub fn soft_surfaces(&self) -> Vec<Vec<DVec3>> {
        let mut surfaces = self.simulation.soft_surfaces();
        surfaces.iter_mut().flatten().for_each(|x| *x /= self.options.unit);
        surfaces
    }

    /// Γ, Ω and C.
    pub fn bound(&self) -> &Bound {
        &self.bound
    }

    /// γ as used.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Which of the poses became the neutral shape, because parts of the rest shape nearly touch.
    pub fn neutral_pose(&self) -> Option<usize> {
        self.bound.neutral_pose
    }

    /// Whether each vertex of Γ follows exactly.
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
        self.weighed.on_surface(&self.bound)
    }

    /// What was found to follow.
    pub fn following(&self) -> &Following {
        &self.following
    }
}

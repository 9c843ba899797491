//! Corrections: what acts on a state after a step, knowing neither scheme nor material.
//!
//! | correction | moves | keeps |
//! |---|---|---|
//! | [`fepr`] | positions and velocities | energy and momenta |
//! | [`blend`] | both, towards a step of backward or forward Euler | energy, nearly |
//! | [`velocity`] | velocities | energy, where the kinetic energy is enough; momenta |
//! | [`lagrange`] | both, along the scheme's own rule | energy |
//!
//! FEPR is the one to use; the others are what Dinev et al. 2018 compare it with. [`filter`] may
//! come before a projection, [`sqp`] solves it exactly, and [`projection`] leads it.

pub mod blend;
mod curvature;
pub mod dense;
pub mod euler;
pub mod fepr;
mod field;
pub mod filter;
mod flight;
pub mod lagrange;
pub mod projection;
pub mod sqp;
pub mod velocity;

use std::time::Instant;

use pliant_model::method::{Correction, Scheme};
use pliant_model::{Model, ModelBody};

use crate::report::StepReport;
use crate::state::State;
use crate::step::Times;
use crate::workspace::{SimError, Workspace};
use euler::BlendedSpace;
use fepr::Part;
use lagrange::LagrangeSpace;
use projection::ProjectionSpace;
use velocity::VelocitySpace;

/// Memory and factorisations of a model's correction.
pub enum CorrectionSpace {
    /// Of the energy projection.
    Fepr(Box<ProjectionSpace>),
    /// Of blending.
    Blend(Box<BlendedSpace>),
    /// Of scaling velocities.
    Velocity(VelocitySpace),
    /// Of the constrained step.
    Lagrange(Box<LagrangeSpace>),
}

impl CorrectionSpace {
    /// For a model that has one.
    ///
    /// # Errors
    /// When the correction does not fit bodies in contact, or its matrix cannot be analysed.
    pub fn new(model: &Model) -> Result<Option<Self>, SimError> {
        let Some(correction) = model.method().correction else { return Ok(None) };
        let shares = model.solids().is_some() && model.bodies().len() > 1;
        if shares && !matches!(correction, Correction::Fepr(_)) {
            return Err(SimError::SharedEnergy);
        }
        Ok(Some(match correction {
            Correction::Fepr(fepr) => {
                CorrectionSpace::Fepr(Box::new(ProjectionSpace::new(model, fepr)?))
            }
            Correction::Blend { .. } => CorrectionSpace::Blend(Box::new(BlendedSpace::new(model))),
            Correction::Velocity => CorrectionSpace::Velocity(VelocitySpace::new(model)),
            Correction::Lagrange => CorrectionSpace::Lagrange(Box::new(LagrangeSpace::new(model))),
        }))
    }
}

/// Corrects the state after a step of a scheme; each body's energy follows its account, or that of
/// all bodies that touch.
///
/// What cannot be corrected is left as near as it came, and the report says so.
pub(crate) fn apply(
    model: &Model,
    correction: Correction,
    scheme: Scheme,
    times: Times,
    state: &mut State,
    workspace: &mut Workspace,
    report: &mut StepReport,
) -> Result<(), SimError> {
    let clock = Instant::now();
    let mut space = workspace.correction.take();
    let outcome = match (&mut space, correction) {
        (Some(CorrectionSpace::Fepr(space)), Correction::Fepr(options)) => {
            projection::apply(model, options, times, state, space, workspace, report)
        }
        (Some(CorrectionSpace::Blend(space)), Correction::Blend { epsilon }) => {
            euler::apply(model, epsilon, times, state, space, workspace, report)
        }
        (Some(CorrectionSpace::Velocity(space)), Correction::Velocity) => {
            velocity::apply(model, times, state, space, workspace, report);
            Ok(())
        }
        (Some(CorrectionSpace::Lagrange(space)), Correction::Lagrange) => {
            lagrange::apply(model, scheme, times, state, space, workspace, report)
        }
        _ => Ok(()),
    };
    workspace.correction = space;
    report.timings.correction += clock.elapsed();
    outcome
}

/// One island per body.
fn bodies_as_parts(model: &Model) -> Vec<Part> {
    let part = |(island, body): (usize, &ModelBody)| Part {
        island,
        free: body.free.clone(),
        hard: body.hard.clone(),
    };
    model.bodies().iter().enumerate().map(part).collect()
}

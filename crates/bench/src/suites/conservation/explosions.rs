//! The explosions of the FEPR paper (Dinev et al. 2018, section 4), on stand-ins for its bodies.

use glam::DVec3;
use pliant_model::method::Scheme;
use pliant_model::{ElasticModel, Hold, ModelBuilder, ModelError};

use super::case::Case;
use super::matrix::CONVERGED;
use crate::bodies::{Block, Material, start, vertices_where};
use crate::stepper::LINEARISED;

/// Cases named `explosion/FIGURE/BODY/SCHEME/SOLVER`.
pub fn cases() -> Vec<Case> {
    let case = |name: &str, scheme, solver, steps, scene: fn() -> Result<_, _>| Case {
        name: format!("explosion/{name}"),
        scheme,
        solver,
        steps,
        explodes: true,
        scene: Box::new(scene),
    };
    let [euler, bdf2, midpoint] = [Scheme::BackwardEuler, Scheme::Bdf2, Scheme::ImplicitMidpoint];
    vec![
        case("fig-11/stocky-body/backward-euler/linearised", euler, LINEARISED, 300, stocky),
        case("fig-12/stocky-body/bdf2/linearised", bdf2, LINEARISED, 300, stocky),
        case("fig-13/bent-column/implicit-midpoint/newton", midpoint, CONVERGED, 1000, bent),
        case("fig-18/spinning-cube/implicit-midpoint/newton", midpoint, CONVERGED, 1000, spinning),
    ]
}

/// The swaying hippo: a stocky St. Venant–Kirchhoff body on soft feet, pushed sideways at 8 m/s;
/// 1500 tets, because coarser bodies survive linearisation more often.
fn stocky() -> Result<ModelBuilder, ModelError> {
    let material = Material::Solid(ElasticModel::Stvk);
    let block = Block { size: DVec3::new(1.0, 0.6, 0.5), cells: [10, 6, 5], material, young: 5e4 };
    let mut body = block.body(|x| x + DVec3::Y * 0.3)?;
    let feet = vertices_where(&body, |x| x.y < 0.01);
    start(&mut body, |x| x, |_| DVec3::X * 8.0);
    Ok(ModelBuilder::new().body(body).hold(0, feet, Hold::Spring(1e5), None))
}

/// The pre-deformed cactus: a co-rotated column, rooted, bent into an arc of 120°: 240 tets.
fn bent() -> Result<ModelBuilder, ModelError> {
    let material = Material::Solid(ElasticModel::Corotated);
    let block = Block { size: DVec3::new(0.2, 1.0, 0.2), cells: [2, 12, 2], material, young: 1e6 };
    let mut body = block.body(|x| x + DVec3::Y * 0.5)?;
    let roots = vertices_where(&body, |x| x.y < 0.01);
    let angle = 120f64.to_radians();
    let arc = move |x: DVec3| {
        let (sin, cos) = (angle * x.y).sin_cos();
        let radius = 1.0 / angle;
        DVec3::new(radius - (radius - x.x) * cos, (radius - x.x) * sin, x.z)
    };
    start(&mut body, arc, |_| DVec3::ZERO);
    Ok(ModelBuilder::new().body(body).hold(0, roots, Hold::Hard, None))
}

/// The spinning cube: stretched to 1.5 times its length, at 5 rad/s: 135 tets.
fn spinning() -> Result<ModelBuilder, ModelError> {
    let material = Material::Solid(ElasticModel::Corotated);
    let block = Block { size: DVec3::ONE, cells: [3, 3, 3], material, young: 2.5e6 };
    let mut body = block.body(|x| x)?;
    let spin = DVec3::Z * 5.0;
    start(&mut body, |x| x * DVec3::new(1.5, 1.0, 1.0), |x| spin.cross(x));
    Ok(ModelBuilder::new().body(body).gravity(DVec3::ZERO))
}

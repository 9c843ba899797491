//! The matrix: four motions × six materials × ten ways to step.

use glam::{DMat3, DVec3};
use pliant_model::method::{Scheme, Solver};
use pliant_model::{Collider, ElasticModel, Hold, ModelBuilder, ModelError, Shape};

use super::case::Case;
use crate::bodies::{Block, Material, start, vertices_where};
use crate::stepper::{LINEARISED, projective};

/// Young's modulus \[Pa\]: soft rubber.
const YOUNG: f64 = 1e5;
const STEPS: u32 = 1000;

const MATERIALS: [Material; 6] = [
    Material::Solid(ElasticModel::Corotated),
    Material::Solid(ElasticModel::Stvk),
    Material::Solid(ElasticModel::InvertibleStvk),
    Material::Solid(ElasticModel::NeoHookean),
    Material::Solid(ElasticModel::Tissue),
    Material::Springs,
];

const SCHEMES: [(&str, Scheme); 3] = [
    ("backward-euler", Scheme::BackwardEuler),
    ("bdf2", Scheme::Bdf2),
    ("implicit-midpoint", Scheme::ImplicitMidpoint),
];

/// Newton's method until the residual is 1e-9.
pub const CONVERGED: Solver = Solver::Newton { iterations: 200, tolerance: 1e-9 };
const XPBD: Solver = Solver::Xpbd { iterations: 40 };

const SOLVERS: [(&str, Solver); 3] =
    [("projective", projective(20)), ("linearised", LINEARISED), ("newton", CONVERGED)];

/// Builds the scene of a motion for a material.
type Motion = fn(Material) -> Result<ModelBuilder, ModelError>;

const MOTIONS: [(&str, Motion); 4] = [
    ("stretched", stretched),
    ("spinning", spinning),
    ("swinging", swinging),
    ("bouncing", bouncing),
];

/// `MOTION/MATERIAL/SCHEME/SOLVER`, the last varying fastest.
pub fn cases() -> Vec<Case> {
    let mut methods = Vec::new();
    for (scheme_name, scheme) in SCHEMES {
        let named = SOLVERS.map(|(name, solver)| (format!("{scheme_name}/{name}"), scheme, solver));
        methods.extend(named);
        if scheme == Scheme::BackwardEuler {
            methods.push((format!("{scheme_name}/xpbd"), scheme, XPBD));
        }
    }
    let mut cases = Vec::new();
    for (motion_name, motion) in MOTIONS {
        for material in MATERIALS {
            for (method, scheme, solver) in &methods {
                cases.push(Case {
                    name: format!("{motion_name}/{}/{method}", material.name()),
                    scheme: *scheme,
                    solver: *solver,
                    steps: STEPS,
                    explodes: false,
                    scene: Box::new(move || motion(material)),
                });
            }
        }
    }
    cases
}

/// Free, weightless, let go at 1.5 times its length: 100 tets.
fn stretched(material: Material) -> Result<ModelBuilder, ModelError> {
    let block = Block { size: DVec3::new(1.0, 0.5, 0.5), cells: [5, 2, 2], material, young: YOUNG };
    let mut body = block.body(|x| x)?;
    start(&mut body, |x| x * DVec3::new(1.5, 1.0, 1.0), |_| DVec3::ZERO);
    Ok(ModelBuilder::new().body(body).gravity(DVec3::ZERO))
}

/// Free, weightless, stretched by a fifth, turning at 5 rad/s about an oblique axis and going away
/// at 1 m/s: 135 tets.
fn spinning(material: Material) -> Result<ModelBuilder, ModelError> {
    let block = Block { size: DVec3::ONE, cells: [3, 3, 3], material, young: YOUNG };
    let mut body = block.body(|x| x)?;
    let spin = DVec3::new(1.0, 2.0, 4.0).normalize() * 5.0;
    start(&mut body, |x| x * DVec3::new(1.2, 1.0, 1.0), |x| spin.cross(x) + DVec3::X);
    Ok(ModelBuilder::new().body(body).gravity(DVec3::ZERO))
}

/// A bar let go horizontally, 1.2 m above y = 0, on three springs along one edge: 160 tets.
fn swinging(material: Material) -> Result<ModelBuilder, ModelError> {
    let block = Block { size: DVec3::new(1.0, 0.2, 0.2), cells: [8, 2, 2], material, young: YOUNG };
    let body = block.body(|x| x + DVec3::Y * 1.2)?;
    let pins = vertices_where(&body, |x| x.x < -0.49 && (x.y - 1.2).abs() < 0.01);
    Ok(ModelBuilder::new().body(body).hold(0, pins, Hold::Spring(1e4), None))
}

/// A tilted cube of 0.4 m, dropped 0.3 m onto an elastic floor without friction: 135 tets.
fn bouncing(material: Material) -> Result<ModelBuilder, ModelError> {
    let block = Block { size: DVec3::splat(0.4), cells: [3, 3, 3], material, young: YOUNG };
    let tilt = DMat3::from_rotation_x(0.2) * DMat3::from_rotation_z(0.3);
    let body = block.body(|x| tilt * x)?;
    let lowest = body.mesh.positions.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    let body = block.body(|x| tilt * x + DVec3::Y * (0.3 - lowest))?;
    let floor = Collider::new(Shape::plane(DVec3::ZERO, DVec3::Y), 1e4);
    Ok(ModelBuilder::new().body(body).collider(floor))
}

//! A face as a model of the engine: contracting tissue, bones that hold it, and colliding teeth and
//! lips.

use pliant_model::method::{Damping, Method, Scheme, Solver};
use pliant_model::potentials::sliding::Plane;
use pliant_model::potentials::tracking::Tracked;
use pliant_model::touching::TouchLaw;
use pliant_model::{
    ActiveTet, Body, Breeze, Collider, ElasticModel, Hold, Lame, Matter, Model, ModelBuilder,
    Shape, SlidingVertex,
};

use super::altered_face::AlteredFace;
use super::{FaceSimulationOptions, FaceSolver, obstacles, wind};
use crate::alteration::Alteration;
use crate::error::FaceError;
use crate::model::{BoneHold, BoundaryPart, FaceModel};
use crate::world::World;

/// Density of flesh (kg/m³).
const DENSITY: f64 = 1000.0;
/// Across the planes that flesh slides in (N/m), per Pa of shear modulus.
const SLIDING_STIFFNESS: f64 = 0.4;
/// Of contact with teeth (N/m), per Pa of shear modulus.
const TEETH_STIFFNESS: f64 = 0.4;
/// Teeth are rounded off within this (m) for Newton's method, which does not converge on the
/// creases of triangles. A few iterations on the matrix at rest, which step into teeth and out
/// again, come nearer to the end without.
const TEETH_ROUNDING: f64 = 5e-4;
/// How much stiffer contact of lips is than their own flesh, and what of that a few iterations can
/// follow.
const LIP_FIRMNESS: f64 = 30.0;
const INTERACTIVE_FIRMNESS: f64 = 10.0;
/// Of contact with things (N/m), per Pa of shear modulus.
const THING_STIFFNESS: f64 = 1.0;
/// The interactive solver is done at this relative norm of the gradient.
const SETTLED: f64 = 1e-3;

/// Builds it.
pub(super) fn model(
    face: &FaceModel,
    options: &FaceSimulationOptions,
    alteration: &Alteration,
    time: f64,
    world: &World,
) -> Result<(Model, AlteredFace), FaceError> {
    let moves = moving_tets(face, options);
    let altered = AlteredFace::new(face, alteration, time, &moves);
    let tissue = Tissue {
        face,
        options,
        altered: &altered,
        moves: &moves,
        is_assignable: assignable_tets(face),
        active: face.active_fractions(),
    };
    let passive = (0..moves.len()).map(|t| tissue.passive(t)).collect();
    let matter = Matter::Solid { model: ElasticModel::Tissue, lame: passive, density: DENSITY };
    let body = Body::new("face", face.solid.clone(), matter);
    let muscles = tissue.muscles();
    let (hard, sliding) = held_vertices(face, options);
    let mut builder = ModelBuilder::new()
        .body(body)
        .muscles(0, muscles)
        .slide(0, sliding)
        .hold(0, hard, Hold::Hard, None)
        .gravity(options.gravity)
        .method(integrator(options));
    if let Some(pull) = options.skin_pull {
        builder = builder.track(0, pulled(face, pull));
    }
    builder = add_colliders(builder, face, options, world)?;
    builder = add_wind(builder, face, time, world);
    builder = add_lip_contact(builder, face, options);
    if !altered.growing.is_empty() {
        builder = builder.growing(0, altered.growing.clone());
    }
    for (k, gain) in alteration.burdens(face.solid.tets.len(), time).iter().enumerate() {
        builder = builder.burden(0, gained(face, gain));
        if k == 0 {
            builder = builder.heavier(0, gain.iter().map(|gain| 1.0 + gain).collect());
        }
    }
    Ok((builder.build()?, altered))
}

/// True for each tet that has a vertex free to move.
fn moving_tets(face: &FaceModel, options: &FaceSimulationOptions) -> Vec<bool> {
    // Tets of which bones hold every corner have no say; in the joint of the jaw they are turned
    // over as it opens.
    let is_free = |v: &u32| match face.holds[*v as usize] {
        BoneHold::Free => true,
        BoneHold::Sliding(_) => options.sliding,
        _ => false,
    };
    face.solid.tets.iter().map(|tet| tet.iter().any(is_free)).collect()
}

/// True for each tet of assignable tissue: passive tissue that may be told to contract.
fn assignable_tets(face: &FaceModel) -> Vec<bool> {
    let mut is_assignable = vec![false; face.solid.tets.len()];
    for share in face.shares.iter().filter(|share| share.is_assignable()) {
        is_assignable[share.tet as usize] = true;
    }
    is_assignable
}

/// The passive and the active tissue of each tet.
struct Tissue<'a> {
    face: &'a FaceModel,
    options: &'a FaceSimulationOptions,
    altered: &'a AlteredFace,
    moves: &'a [bool],
    is_assignable: Vec<bool>,
    /// Fraction of muscle in each tet.
    active: Vec<f64>,
}

impl Tissue<'_> {
    /// Stiffness of a part of a tet, before the alteration's factors.
    fn lame(&self, part: f64) -> Lame {
        let mu = part * self.options.shear;
        Lame { mu, lambda: 2.0 * self.options.volume_ratio * mu }
    }

    /// Stiffness of a tet's passive tissue. Assignable tissue counts as muscle.
    fn passive(&self, t: usize) -> Lame {
        let is_own = self.moves[t] && !self.is_assignable[t];
        let Lame { mu, lambda } = self.lame(if is_own { 1.0 - self.active[t] } else { 0.0 });
        let [shear, bulk] = self.altered.base(t).passive;
        Lame { mu: shear * mu, lambda: bulk * lambda }
    }

    /// Tets that contract, with their stiffness.
    fn muscles(&self) -> Vec<ActiveTet> {
        let mut muscles: Vec<ActiveTet> = Vec::new();
        for own in self.face.shares.chunk_by(|a, b| a.tet == b.tet) {
            let tet = own[0].tet as usize;
            let part = match (self.moves[tet], self.is_assignable[tet]) {
                (false, _) => 0.0,
                (true, true) => 1.0,
                (true, false) => self.active[tet] * self.options.muscle_stiffness,
            };
            let Lame { mu, lambda } = self.lame(part);
            let base = self.altered.base(tet);
            let [shear, bulk] = if self.is_assignable[tet] { base.passive } else { base.active };
            let lame = Lame { mu: shear * mu, lambda: bulk * lambda };
            muscles.push(ActiveTet { tet: own[0].tet, lame });
        }
        muscles
    }
}

/// Vertices that bones hold, and vertices that slide on them.
fn held_vertices(
    face: &FaceModel,
    options: &FaceSimulationOptions,
) -> (Vec<u32>, Vec<SlidingVertex>) {
    let mut hard = Vec::new();
    let mut sliding = Vec::new();
    for (v, hold) in (0u32..).zip(&face.holds) {
        match *hold {
            BoneHold::Free => {}
            BoneHold::Sliding(normal) if options.sliding => sliding.push(SlidingVertex {
                vertex: v,
                plane: Plane { point: face.solid.positions[v as usize], normal },
                stiffness: SLIDING_STIFFNESS * options.shear,
            }),
            _ => hard.push(v),
        }
    }
    (hard, sliding)
}

/// Adds the teeth and the world's props as colliders of the skin.
fn add_colliders(
    mut builder: ModelBuilder,
    face: &FaceModel,
    options: &FaceSimulationOptions,
    world: &World,
) -> Result<ModelBuilder, FaceError> {
    if options.contact {
        for (teeth, name) in face.teeth_proxies.iter().zip(["upper", "lower"]) {
            let shape = match options.solver {
                FaceSolver::Exact { .. } => Shape::smooth(teeth, TEETH_ROUNDING),
                FaceSolver::Interactive { .. } => Shape::mesh(teeth),
            };
            let shape = shape.map_err(|problem| FaceError::Part {
                path: face.name.clone().into(),
                part: format!("the {name} teeth's proxy"),
                problem: problem.to_string(),
            })?;
            builder = builder.collider(Collider::new(shape, TEETH_STIFFNESS * options.shear));
        }
    }
    for prop in &world.props {
        builder = builder.collider(obstacles::collider(prop, THING_STIFFNESS * options.shear));
    }
    if options.contact || !world.props.is_empty() {
        let is_skin = |v: &u32| face.parts[*v as usize] == Some(BoundaryPart::Skin);
        builder = builder.meeting(0, (0..face.parts.len() as u32).filter(is_skin).collect());
    }
    Ok(builder)
}

/// Adds the world's wind, where it has one.
fn add_wind(builder: ModelBuilder, face: &FaceModel, time: f64, world: &World) -> ModelBuilder {
    let Some(wind) = &world.wind else { return builder };
    let (velocity, drag) = (wind.velocity.at(time), wind.drag);
    // Gusts and keys are driven.
    let (times, scale) = (Vec::new(), Vec::new());
    let breeze = Breeze { velocity, drag, gust: 0.0, seed: wind.seed, times, scale };
    builder.wind(breeze).blow_on(0, wind::blown(face))
}

/// Adds contact between the lips, where the face has them.
fn add_lip_contact(
    builder: ModelBuilder,
    face: &FaceModel,
    options: &FaceSimulationOptions,
) -> ModelBuilder {
    if !options.contact || face.lip_sides.iter().all(|side| *side == 0) {
        return builder;
    }
    let firmness = match options.solver {
        FaceSolver::Exact { .. } => LIP_FIRMNESS,
        FaceSolver::Interactive { .. } => INTERACTIVE_FIRMNESS,
    };
    builder.touching(TouchLaw { firmness, ..TouchLaw::ELASTIC }).sides(0, face.lip_sides.clone())
}

/// Points of the skin with springs, by their share of its area.
fn pulled(face: &FaceModel, pull: f64) -> Vec<Tracked> {
    let areas = face.skin_areas();
    let bound =
        || (0..areas.len()).zip(&face.binding.tets).filter_map(|(v, tet)| Some((v, (*tet)?)));
    let whole: f64 = bound().map(|(v, _)| areas[v]).sum();
    let point = |(v, tet): (usize, u32)| Tracked {
        corners: face.solid.tets[tet as usize],
        weights: face.binding.weights[v],
        stiffness: pull * areas[v] / whole.max(1e-12),
    };
    bound().map(point).collect()
}

/// Mass that vertices have gained (kg), of what tets have gained over that at rest.
fn gained(face: &FaceModel, gains: &[f64]) -> Vec<f64> {
    let mut gained = vec![0.0; face.solid.positions.len()];
    for (tet, gain) in face.solid.tets.iter().zip(gains) {
        let [a, b, c, d] = tet.map(|v| face.solid.positions[v as usize]);
        let volume = (b - a).dot((c - a).cross(d - a)) / 6.0;
        tet.iter().for_each(|&v| gained[v as usize] += DENSITY * gain * volume / 4.0);
    }
    gained
}

/// Newton's method, or a modified one on the matrix at rest, which inertia changes little in flesh
/// as soft and light as this.
fn integrator(options: &FaceSimulationOptions) -> Method {
    let solver = match options.solver {
        FaceSolver::Exact { tolerance } => {
            Solver::Newton { iterations: options.most_iterations, tolerance }
        }
        FaceSolver::Interactive { iterations } => {
            Solver::Modified { iterations, history: 8, tolerance: SETTLED }
        }
    };
    match options.dynamics {
        None => Method { scheme: Scheme::QuasiStatic, solver, correction: None, damping: None },
        Some(dynamics) => Method {
            scheme: dynamics.scheme,
            solver,
            correction: dynamics.correction,
            damping: (dynamics.damping > 0.0).then_some(Damping::Ether(dynamics.damping)),
        },
    }
}

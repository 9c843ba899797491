//! Bodies to be built: a mesh, what it is made of, and how it starts.

use glam::DVec3;
use pliant_math::Row;
use pliant_mesh::{Mesh, diagnosis};

use crate::attach::Attachment;
use crate::error::ModelError;
use crate::material::ElasticModel;
use crate::model::Body;
use crate::potentials::arap::Arap;
use crate::potentials::corotated::Corotated;
use crate::potentials::invertible_stvk::InvertibleStVenantKirchhoff;
use crate::potentials::muscles::Muscles;
use crate::potentials::neo_hookean::{StableNeoHookean, model_parameters};
use crate::potentials::springs::{Spring, Springs};
use crate::potentials::stvk::StVenantKirchhoff;
use crate::potentials::tetrahedra::{Lame, Tetrahedra};
use crate::potentials::tissue::Tissue;
use crate::potentials::{Density, Potential};
use crate::skin::Skin;

/// A body to be built.
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// For messages.
    pub name: String,
    /// The placed rest shape.
    pub mesh: Mesh,
    /// What it is made of.
    pub matter: Matter,
    /// Where it starts, if not at rest \[m\].
    pub positions: Option<Vec<DVec3>>,
    /// How fast it starts, if not at rest [m/s].
    pub velocities: Option<Vec<DVec3>>,
    /// What it is shown by, if not its own surface.
    pub skin: Option<Skin>,
    /// What holds it.
    pub attachments: Vec<Attachment>,
}

/// What a body is made of.
#[derive(Clone, Debug)]
pub enum Matter {
    /// A continuum of tetrahedra.
    Solid {
        /// Energy density.
        model: ElasticModel,
        /// Lamé parameters of linear elasticity, per tet \[Pa\].
        lame: Vec<Lame>,
        /// Density [kg/m³].
        density: f64,
    },
    /// A net of springs between vertices of the mesh.
    Springs {
        /// The vertices that springs join, at rest in the rest shape.
        ends: Vec<[u32; 2]>,
        /// Stiffness of every spring [N/m].
        stiffness: f64,
        /// Mass of the whole body \[kg\], shared equally by its vertices.
        mass: f64,
    },
    /// Particles that nothing joins.
    Points {
        /// Mass of each \[kg\].
        masses: Vec<f64>,
    },
}

impl crate::ModelBuilder {
    /// Makes all bodies a factor as stiff.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{BodySpec, DVec3, ElasticModel, Matter, ModelBuilder};
    /// let mesh = shapes::solid_box(DVec3::ONE, [1, 1, 1])?;
    /// let cube = BodySpec::solid("cube", mesh, ElasticModel::Corotated, 1e5, 0.3, 1000.0);
    /// let soft = ModelBuilder::new().body(cube).stiffened(0.5);
    /// assert!(matches!(&soft.specs()[0].matter, Matter::Solid { lame, .. } if lame[0].mu < 2e4));
    /// # Ok::<(), pliant_mesh::MeshError>(())
    /// ```
    pub fn stiffened(mut self, factor: f64) -> Self {
        for body in &mut self.bodies {
            match &mut body.matter {
                Matter::Solid { lame, .. } => lame.iter_mut().for_each(|own| {
                    own.mu *= factor;
                    own.lambda *= factor;
                }),
                Matter::Springs { stiffness, .. } => *stiffness *= factor,
                Matter::Points { .. } => {}
            }
        }
        self
    }

    /// The bodies so far.
    pub fn specs(&self) -> &[BodySpec] {
        &self.bodies
    }
}

impl BodySpec {
    /// Matter in the shape of a mesh, at rest there, and shown by it.
    pub fn new(name: &str, mesh: Mesh, matter: Matter) -> Self {
        let (name, positions, velocities) = (name.to_owned(), None, None);
        let attachments = Vec::new();
        BodySpec { name, mesh, matter, positions, velocities, skin: None, attachments }
    }

    /// A homogeneous solid: Young's modulus \[Pa\], Poisson's ratio, density [kg/m³].
    pub fn solid(
        name: &str,
        mesh: Mesh,
        model: ElasticModel,
        young: f64,
        poisson: f64,
        density: f64,
    ) -> Self {
        let lame = vec![Lame::of(young, poisson); mesh.tets.len()];
        let matter = Matter::Solid { model, lame, density };
        BodySpec::new(name, mesh, matter)
    }

    /// A net of equal springs; stiffness [N/m], mass of the whole \[kg\].
    pub fn springs(name: &str, mesh: Mesh, ends: Vec<[u32; 2]>, stiffness: f64, mass: f64) -> Self {
        let matter = Matter::Springs { ends, stiffness, mass };
        BodySpec::new(name, mesh, matter)
    }

    /// Particles, at positions \[m\] and with masses \[kg\], that nothing joins: for energies of
    /// one's own ([`crate::ModelBuilder::point_energy`]), attachments and contact.
    pub fn points(name: &str, positions: Vec<DVec3>, masses: Vec<f64>) -> Self {
        let (mesh, matter) = (Mesh { positions, ..Mesh::default() }, Matter::Points { masses });
        BodySpec::new(name, mesh, matter)
    }
}

impl Lame {
    /// From Young's modulus \[Pa\] and Poisson's ratio.
    pub fn of(young: f64, poisson: f64) -> Self {
        Lame {
            mu: young / (2.0 * (1.0 + poisson)),
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
        }
    }
}

impl BodySpec {
    /// Refuses bodies that cannot be simulated.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let refuse = |reason: String| Err(ModelError::Body { body: self.name.clone(), reason });
        let (mesh, count) = (&self.mesh, self.mesh.positions.len());
        for rows in [Some(&mesh.positions), self.positions.as_ref(), self.velocities.as_ref()] {
            if let Some(v) = rows.and_then(|rows| rows.iter().position(|x| !x.is_finite())) {
                return refuse(format!("vertex {v} has a position or velocity that is not finite"));
            }
        }
        for rows in [&self.positions, &self.velocities].into_iter().flatten() {
            if rows.len() != count {
                return refuse(format!("has {count} vertices, and {} initial values", rows.len()));
            }
        }
        if let Some(skin) = &self.skin {
            let vertices = skin.surface.mesh.positions.len();
            if skin.corners.len() != vertices || skin.weights.len() != vertices {
                return refuse(format!("its skin has {vertices} vertices, and carries others"));
            }
            if let Some(v) = skin.corners.iter().flatten().find(|&&v| v as usize >= count) {
                return refuse(format!("has {count} vertices, and a skin carried by vertex {v}"));
            }
        }
        match &self.matter {
            Matter::Solid { model, lame, .. } => {
                if mesh.tets.is_empty() {
                    return refuse("has no tetrahedra, and so no volume".to_owned());
                }
                if lame.len() != mesh.tets.len() {
                    return refuse(format!(
                        "has {} tets, and {} stiffnesses",
                        mesh.tets.len(),
                        lame.len()
                    ));
                }
                if let Err(error) = diagnosis::check_tets(mesh) {
                    return refuse(error.to_string());
                }
                let start =
                    Mesh { positions: self.positions.clone().unwrap_or_default(), ..mesh.clone() };
                if !recovers(*model)
                    && self.positions.is_some()
                    && diagnosis::check_tets(&start).is_err()
                {
                    return refuse(format!(
                        "starts with inverted or flat tets, from which the model `{}` does not recover: use `invertible-stvk`",
                        model.name()
                    ));
                }
            }
            Matter::Springs { ends, .. } => {
                if let Some([a, b]) = ends.iter().find(|e| e.iter().any(|&v| v as usize >= count)) {
                    return refuse(format!("has {count} vertices, and a spring from {a} to {b}"));
                }
                if ends.is_empty() {
                    return refuse("has no springs".to_owned());
                }
            }
            Matter::Points { masses } => {
                if masses.len() != count {
                    return refuse(format!("has {count} points, and {} masses", masses.len()));
                }
                if let Some(v) = masses.iter().position(|m| !(*m > 0.0 && m.is_finite())) {
                    return refuse(format!("point {v} has a mass of {} kg", masses[v]));
                }
            }
        }
        Ok(())
    }

    /// The potential of tets that grow, whose activations begin at `first`.
    pub(crate) fn growing(
        &self,
        numbers: &[u32],
        rest: &[Row],
        grows: &[u32],
        first: usize,
    ) -> Result<Option<Box<dyn Potential>>, ModelError> {
        let Matter::Solid { lame, .. } = &self.matter else { return Ok(None) };
        if grows.is_empty() {
            return Ok(None);
        }
        let own = |t: &u32| self.mesh.tets[*t as usize].map(|v| numbers[v as usize]);
        let tets: Vec<[u32; 4]> = grows.iter().map(own).collect();
        let lame: Vec<Lame> = grows.iter().map(|t| lame[*t as usize]).collect();
        Ok(Some(Box::new(Muscles::new(first, rest, &tets, &lame)?)))
    }

    /// The potential that holds a body together but for what grows, over model vertices; particles have none.
    pub(crate) fn elastic(
        &self,
        numbers: &[u32],
        rest: &[Row],
        grows: &[u32],
    ) -> Result<Option<Box<dyn Potential>>, ModelError> {
        let named = |error: ModelError| ModelError::Body {
            body: self.name.clone(),
            reason: error.to_string(),
        };
        match &self.matter {
            Matter::Solid { model, lame, .. } => {
                let mut is_own = vec![true; self.mesh.tets.len()];
                grows.iter().for_each(|t| is_own[*t as usize] = false);
                if !is_own.contains(&true) {
                    return Ok(None);
                }
                let own = |t: &usize| is_own[*t];
                let chosen = || (0..is_own.len()).filter(own);
                let tets: Vec<[u32; 4]> =
                    chosen().map(|t| self.mesh.tets[t].map(|v| numbers[v as usize])).collect();
                let lame: Vec<Lame> = chosen().map(|t| lame[t]).collect();
                let lame = &lame;
                let potential = match model {
                    ElasticModel::Corotated => solid::<Corotated>(rest, &tets, lame),
                    ElasticModel::Arap => solid::<Arap>(rest, &tets, lame),
                    ElasticModel::Stvk => solid::<StVenantKirchhoff>(rest, &tets, lame),
                    ElasticModel::InvertibleStvk => {
                        solid::<InvertibleStVenantKirchhoff>(rest, &tets, lame)
                    }
                    ElasticModel::NeoHookean => {
                        let adapt = |l: &Lame| {
                            let (mu, lambda) = model_parameters(l.mu, l.lambda);
                            Lame { mu, lambda }
                        };
                        let lame: Vec<Lame> = lame.iter().map(adapt).collect();
                        solid::<StableNeoHookean>(rest, &tets, &lame)
                    }
                    ElasticModel::Tissue => solid::<Tissue>(rest, &tets, lame),
                };
                potential.map(Some).map_err(named)
            }
            Matter::Springs { ends, stiffness, .. } => {
                let spring = |&[a, b]: &[u32; 2]| {
                    let ends = [numbers[a as usize], numbers[b as usize]];
                    let [x, y] = ends.map(|v| rest[v as usize].xyz());
                    Spring { ends, stiffness: *stiffness, rest_length: x.distance(y) }
                };
                let springs: Vec<Spring> = ends.iter().map(spring).collect();
                Ok(Some(Box::new(Springs::new(rest, &springs))))
            }
            Matter::Points { .. } => Ok(None),
        }
    }

    /// What the model says of the body without its vertices' numbers and surroundings.
    pub(crate) fn described(&self) -> Body {
        let (element_count, recovers_from_inversion) = match &self.matter {
            Matter::Solid { model, .. } => (self.mesh.tets.len(), recovers(*model)),
            Matter::Springs { ends, .. } => (ends.len(), true),
            Matter::Points { .. } => (0, true),
        };
        Body {
            name: self.name.clone(),
            vertex_count: self.mesh.positions.len(),
            radius: self.mesh.bounds().map_or(0.0, |b| 0.5 * b.max.distance(b.min)),
            triangles: self.mesh.triangles.clone(),
            skin: self.skin.clone(),
            element_count,
            recovers_from_inversion,
            ..Body::default()
        }
    }
}

fn recovers(model: ElasticModel) -> bool {
    match model {
        ElasticModel::Corotated => Corotated::RECOVERS_FROM_INVERSION,
        ElasticModel::Arap => Arap::RECOVERS_FROM_INVERSION,
        ElasticModel::Stvk => StVenantKirchhoff::RECOVERS_FROM_INVERSION,
        ElasticModel::InvertibleStvk => InvertibleStVenantKirchhoff::RECOVERS_FROM_INVERSION,
        ElasticModel::NeoHookean => StableNeoHookean::RECOVERS_FROM_INVERSION,
        ElasticModel::Tissue => Tissue::RECOVERS_FROM_INVERSION,
    }
}

fn solid<D: Density>(
    rest: &[Row],
    tets: &[[u32; 4]],
    lame: &[Lame],
) -> Result<Box<dyn Potential>, ModelError> {
    Ok(Box::new(Tetrahedra::<D>::new(rest, tets, lame)?))
}

//! Bodies to be built: a mesh, what it is made of, and how it starts.

use glam::DVec3;
use pliant_math::Row;
use pliant_mesh::{Mesh, diagnosis, edges_of_tets};

use crate::attach::Attachment;
use crate::error::ModelError;
use crate::material::{Density, ElasticModel, Material, VisitDensity};
use crate::model::ModelBody;
use crate::potentials::Potential;
use crate::potentials::muscles::Muscles;
use crate::potentials::springs::{Spring, Springs};
use crate::potentials::tetrahedra::{Lame, Tetrahedra};
use crate::skin::Skin;

/// A body to be built.
#[derive(Clone, Debug)]
pub struct Body {
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

impl Matter {
    /// A material in the shape of a mesh. Springs join `ends`; without any, they are the edges of
    /// the mesh's tets.
    pub fn of(material: Material, mesh: &Mesh, ends: Vec<[u32; 2]>) -> Self {
        match material {
            Material::Elastic { model, young, poisson, density } => {
                let lame = vec![Lame::of(young, poisson); mesh.tets.len()];
                Matter::Solid { model, lame, density }
            }
            Material::Springs { stiffness, mass } => {
                let ends = if ends.is_empty() { edges_of_tets(&mesh.tets) } else { ends };
                Matter::Springs { ends, stiffness, mass }
            }
        }
    }
}

impl crate::ModelBuilder {
    /// Makes all bodies a factor as stiff.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{Body, DVec3, Material, Matter, ModelBuilder};
    /// let mesh = shapes::solid_box(DVec3::ONE, [1, 1, 1])?;
    /// let cube = Body::solid("cube", mesh, Material::corotated(1e5, 0.3, 1000.0));
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
    pub fn specs(&self) -> &[Body] {
        &self.bodies
    }
}

impl Body {
    /// Matter in the shape of a mesh, at rest there, and shown by it.
    pub fn new(name: &str, mesh: Mesh, matter: Matter) -> Self {
        let (name, positions, velocities) = (name.to_owned(), None, None);
        let attachments = Vec::new();
        Body { name, mesh, matter, positions, velocities, skin: None, attachments }
    }

    /// A homogeneous body of a material. Springs are the edges of the mesh's tets;
    /// [`springs`](Self::springs) takes other ones.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{Body, Material};
    /// let mesh = shapes::box3([1.0, 0.2, 0.2], [20, 4, 4])?;
    /// let bar = Body::solid("bar", mesh, Material::neo_hookean(1e5, 0.4, 1000.0));
    /// # Ok::<(), pliant_mesh::MeshError>(())
    /// ```
    pub fn solid(name: &str, mesh: Mesh, material: Material) -> Self {
        let matter = Matter::of(material, &mesh, Vec::new());
        Body::new(name, mesh, matter)
    }

    /// A net of equal springs; stiffness [N/m], mass of the whole \[kg\].
    pub fn springs(name: &str, mesh: Mesh, ends: Vec<[u32; 2]>, stiffness: f64, mass: f64) -> Self {
        let matter = Matter::Springs { ends, stiffness, mass };
        Body::new(name, mesh, matter)
    }

    /// Particles, at positions \[m\] and with masses \[kg\], that nothing joins: for energies of
    /// one's own ([`crate::ModelBuilder::point_energy`]), attachments and contact.
    pub fn points(name: &str, positions: Vec<DVec3>, masses: Vec<f64>) -> Self {
        let (mesh, matter) = (Mesh { positions, ..Mesh::default() }, Matter::Points { masses });
        Body::new(name, mesh, matter)
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

impl Body {
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
                if !model.recovers_from_inversion()
                    && self.positions.is_some()
                    && diagnosis::check_tets(&start).is_err()
                {
                    return refuse(format!(
                        "starts with inverted or flat tets, from which the model `{}` does not \
                            recover: use `invertible-stvk`",
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

    /// The potential that holds a body together but for what grows, over model vertices; particles
    /// have none.
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
                let potential = model.visit(Solid { rest, tets: &tets, lame });
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
    pub(crate) fn described(&self) -> ModelBody {
        let (element_count, recovers_from_inversion) = match &self.matter {
            Matter::Solid { model, .. } => (self.mesh.tets.len(), model.recovers_from_inversion()),
            Matter::Springs { ends, .. } => (ends.len(), true),
            Matter::Points { .. } => (0, true),
        };
        ModelBody {
            name: self.name.clone(),
            vertex_count: self.mesh.positions.len(),
            radius: self.mesh.bounds().map_or(0.0, |b| 0.5 * b.max.distance(b.min)),
            triangles: self.mesh.triangles.clone(),
            skin: self.skin.clone(),
            element_count,
            recovers_from_inversion,
            ..ModelBody::default()
        }
    }
}

/// The tetrahedra of a solid, whose density is yet to be known.
struct Solid<'a> {
    rest: &'a [Row],
    tets: &'a [[u32; 4]],
    /// Of linear elasticity.
    lame: &'a [Lame],
}

impl VisitDensity for Solid<'_> {
    type Output = Result<Box<dyn Potential>, ModelError>;

    fn visit<D: Density>(self) -> Self::Output {
        let own = |l: &Lame| {
            let (mu, lambda) = D::own_parameters(l.mu, l.lambda);
            Lame { mu, lambda }
        };
        let lame: Vec<Lame> = self.lame.iter().map(own).collect();
        Ok(Box::new(Tetrahedra::<D>::new(self.rest, self.tets, &lame)?))
    }
}

//! Flesh: tets that contract or grow, vertices that slide, added masses.

use super::ModelBuilder;
use super::assembly::{Assembly, Source};
use super::numbering::Numbering;
use super::per_body::PerBody;
use crate::body::{Body, Matter};
use crate::error::ModelError;
use crate::material::ElasticModel;
use crate::model::SlidingPoints;
use crate::potentials::burden::Burden;
use crate::potentials::muscles::Muscles;
use crate::potentials::sliding::{Plane, Sliding};
use crate::potentials::tetrahedra::Lame;

/// A tet of which some is active.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveTet {
    /// Its number in the body.
    pub tet: u32,
    /// Lamé parameters \[Pa\], times the part of the tet that is active.
    pub lame: Lame,
}

/// A vertex that slides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlidingVertex {
    /// Its number in the body.
    pub vertex: u32,
    /// The plane that it slides in.
    pub plane: Plane,
    /// Across the plane [N/m].
    pub stiffness: f64,
}

/// What was asked for, per body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flesh {
    active: PerBody<Vec<ActiveTet>>,
    growing: PerBody<Vec<u32>>,
    masses: PerBody<Vec<f64>>,
    burden: PerBody<Vec<f64>>,
    sliding: PerBody<Vec<SlidingVertex>>,
    meeting: PerBody<Vec<u32>>,
    blown: PerBody<Vec<[u32; 3]>>,
}

impl ModelBuilder {
    /// Lets tets of a body contract, beside what its material does: ψ(F, S) of
    /// [`crate::potentials::activation`]. Activations are [`crate::Drive::activations`].
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{ActiveTet, Body, DVec3, Drive, ElasticModel, Material, Lame, ModelBuilder};
    /// let cube = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
    /// let all: Vec<ActiveTet> = (0..cube.tets.len() as u32)
    ///     .map(|tet| ActiveTet { tet, lame: Lame { mu: 1.0, lambda: 6.0 } })
    ///     .collect();
    /// let count = all.len();
    /// let cube = Body::solid("cube", cube, Material::tissue(1.0, 0.3, 1000.0));
    /// let model = ModelBuilder::new().body(cube).muscles(0, all).build()?;
    /// let mut drive = Drive::default();
    /// model.drive(0.0, &mut drive);
    /// assert_eq!(drive.activations.len(), count);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn muscles(mut self, body: usize, tets: Vec<ActiveTet>) -> Self {
        self.flesh.active.add(body, tets);
        self
    }

    /// Lets tets of a body of [`crate::ElasticModel::Tissue`] grow: their own energy becomes
    /// ψ(F, S), with S = s I for tets whose lengths grow s times. Their activations come before
    /// all others, in this order.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{Body, DVec3, Drive, ElasticModel, Material, ModelBuilder};
    /// let cube = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
    /// let cube = Body::solid("cube", cube, Material::tissue(1.0, 0.3, 1000.0));
    /// let model = ModelBuilder::new().body(cube).growing(0, vec![3, 4, 5]).build()?;
    /// let mut drive = Drive::default();
    /// model.drive(0.0, &mut drive);
    /// assert_eq!(drive.activations.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn growing(mut self, body: usize, tets: Vec<u32>) -> Self {
        self.flesh.growing.add(body, tets);
        self
    }

    /// Makes tets of a body heavier or lighter: factors on its density, one for each.
    pub fn heavier(mut self, body: usize, factors: Vec<f64>) -> Self {
        self.flesh.masses.add(body, factors);
        self
    }

    /// Gives vertices of a body masses \[kg\], one for each. They have no inertia, and feel the
    /// next acceleration of [`crate::Drive::burdens`] in the place of gravity.
    pub fn burden(mut self, body: usize, masses: Vec<f64>) -> Self {
        self.flesh.burden.add(body, masses);
        self
    }

    /// Lets sides of a body touch each other, and nothing else: one number per vertex of the body,
    /// 0 for no side. Lips that are nearer to each other than their tets are large can touch that
    /// way; [`ModelBuilder::touching`] sets the law.
    pub fn sides(mut self, body: usize, sides: Vec<u8>) -> Self {
        self.sides.add(body, sides);
        self
    }

    /// Lets vertices of a body slide in planes, [`crate::Drive::planes`].
    pub fn slide(mut self, body: usize, vertices: Vec<SlidingVertex>) -> Self {
        self.flesh.sliding.add(body, vertices);
        self
    }

    /// Lets only these vertices of a body touch colliders; without this all vertices may. Flesh
    /// that lies on bone touches it with its surface, and deeper vertices need no test.
    pub fn meeting(mut self, body: usize, vertices: Vec<u32>) -> Self {
        self.flesh.meeting.add(body, vertices);
        self
    }

    /// Lets wind blow on these triangles of a body's vertices only; without this it blows on the
    /// whole surface. [`crate::Drive::gusts`] has a factor for each.
    pub fn blow_on(mut self, body: usize, triangles: Vec<[u32; 3]>) -> Self {
        self.flesh.blown.add(body, triangles);
        self
    }
}

impl Flesh {
    /// The tets of a body that grow.
    pub fn grows(&self, body: usize, spec: &Body) -> Result<Vec<u32>, ModelError> {
        let refuse = |reason: String| Err(ModelError::Body { body: spec.name.clone(), reason });
        let asked: Vec<u32> = self.growing.of(body).flatten().copied().collect();
        let mut tets = asked.clone();
        let is_tissue = matches!(spec.matter, Matter::Solid { model: ElasticModel::Tissue, .. });
        if !tets.is_empty() && !is_tissue {
            return refuse("tets grow that are not of tissue".to_owned());
        }
        let count = spec.mesh.tets.len();
        if let Some(tet) = tets.iter().find(|&&tet| tet as usize >= count) {
            return refuse(format!("has {count} tets, and no tet {tet}"));
        }
        tets.sort_unstable();
        tets.dedup();
        if tets.len() < asked.len() {
            return refuse("a tet grows twice".to_owned());
        }
        Ok(asked)
    }

    /// Factors on the density of a body's tets; none where it is even.
    pub fn mass_factors(&self, body: usize, spec: &Body) -> Result<Vec<f64>, ModelError> {
        let count = spec.mesh.tets.len();
        let mut factors = Vec::new();
        for own in self.masses.of(body) {
            let good = |f: &f64| *f > 0.0 && f.is_finite();
            if own.len() != count || !own.iter().all(good) {
                let reason = format!("has {count} tets, and not as many factors above 0 of mass");
                return Err(ModelError::Body { body: spec.name.clone(), reason });
            }
            factors.resize(count, 1.0);
            factors.iter_mut().zip(own).for_each(|(f, own)| *f *= own);
        }
        Ok(factors)
    }

    /// The free vertices of a body that may touch colliders, as model vertices in ascending order.
    pub fn meets(&self, body: usize, numbering: &Numbering) -> Result<Vec<u32>, ModelError> {
        let free = numbering.free_of(body);
        if self.meeting.of(body).next().is_none() {
            return Ok(free.collect());
        }
        let asked = self.meeting.of(body).flatten();
        let mut own = asked.map(|&v| numbering.number(body, v)).collect::<Result<Vec<u32>, _>>()?;
        own.retain(|v| free.contains(v));
        own.sort_unstable();
        own.dedup();
        Ok(own)
    }

    /// The triangles of a body that wind blows on, over model vertices: the chosen ones, or all.
    pub fn blown(&self, body: usize, numbering: &Numbering) -> Result<Vec<[u32; 3]>, ModelError> {
        let all = &numbering.users.bodies[body].mesh.triangles;
        let chosen = self.blown.of(body).next().unwrap_or(all);
        chosen.iter().map(|triangle| numbering.all(body, *triangle)).collect()
    }

    /// True if a body slides on planes, which hold it.
    pub fn slides(&self, body: usize) -> bool {
        self.sliding.of(body).any(|vertices| !vertices.is_empty())
    }
}

impl Assembly {
    /// Adds a body's muscles, added weights and sliding vertices.
    pub fn add_flesh(&mut self, source: Source, body: usize) -> Result<(), ModelError> {
        self.add_muscles(source, body)?;
        self.add_burdens(source, body)?;
        self.add_sliding(source, body)
    }

    fn add_muscles(&mut self, source: Source, body: usize) -> Result<(), ModelError> {
        let Source { builder, numbering, vertices } = source;
        let all = &builder.bodies[body].mesh.tets;
        let (mut tets, mut lame) = (Vec::new(), Vec::new());
        for active in builder.flesh.active.of(body).flatten() {
            let Some(corners) = all.get(active.tet as usize) else {
                let reason = format!("has {} tets, and no tet {}", all.len(), active.tet);
                return Err(source.refuse(body, reason));
            };
            let Lame { mu, lambda } = active.lame;
            if !(mu >= 0.0 && lambda >= 0.0 && mu.is_finite() && lambda.is_finite()) {
                let reason = format!("tet {} has an impossible stiffness", active.tet);
                return Err(source.refuse(body, reason));
            }
            tets.push(numbering.all(body, *corners)?);
            lame.push(active.lame);
        }
        if !tets.is_empty() {
            self.push(Muscles::new(self.active, &vertices.rest, &tets, &lame)?);
            self.active += tets.len();
        }
        Ok(())
    }

    fn add_burdens(&mut self, source: Source, body: usize) -> Result<(), ModelError> {
        let burdens = source.builder.flesh.burden.iter().enumerate();
        for (k, (_, own)) in burdens.filter(|(_, (of, _))| *of == body) {
            let count = source.numbering.users.of_body(body).len();
            if own.len() != count || !own.iter().all(|m| m.is_finite()) {
                let reason = "a burden has no mass for every vertex".to_owned();
                return Err(source.refuse(body, reason));
            }
            let (mut vertices, mut masses) = (Vec::new(), Vec::new());
            for (v, mass) in (0u32..).zip(own).filter(|(_, mass)| **mass != 0.0) {
                vertices.push(source.numbering.number(body, v)?);
                masses.push(*mass);
            }
            self.push(Burden::new(k, vertices, masses));
        }
        Ok(())
    }

    fn add_sliding(&mut self, source: Source, body: usize) -> Result<(), ModelError> {
        let first = self.sliding.planes.len();
        for slide in source.builder.flesh.sliding.of(body).flatten() {
            let is_unit = (slide.plane.normal.length_squared() - 1.0).abs() < 1e-6;
            if !(is_unit && slide.plane.point.is_finite() && slide.stiffness.is_finite()) {
                let reason = format!("vertex {} slides in no plane", slide.vertex);
                return Err(source.refuse(body, reason));
            }
            self.sliding.vertices.push(source.numbering.number(body, slide.vertex)?);
            self.sliding.stiffness.push(slide.stiffness);
            self.sliding.planes.push(slide.plane);
        }
        let SlidingPoints { vertices, stiffness, planes } = &self.sliding;
        if planes.len() > first {
            let (vertices, stiffness) = (vertices[first..].to_vec(), stiffness[first..].to_vec());
            self.push(Sliding::new(first, vertices, stiffness));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pliant_mesh::shapes;

    use super::*;
    use crate::{Body, DVec3, Material};

    #[test]
    fn a_body_that_slides_is_held() {
        let mesh = shapes::solid_box(DVec3::ONE, [1, 1, 1]).expect("a box");
        let cube = Body::solid("cube", mesh, Material::tissue(1e4, 0.3, 1000.0));
        let plane = Plane { point: DVec3::ZERO, normal: DVec3::Y };
        let slide = SlidingVertex { vertex: 0, plane, stiffness: 1.0 };
        for (vertices, is_held) in [(vec![], false), (vec![slide], true)] {
            let builder = ModelBuilder::new().body(cube.clone()).slide(0, vertices);
            let model = builder.build().expect("a model");
            assert_eq!(
                (model.bodies()[0].is_held, model.bodies()[0].is_loose),
                (is_held, !is_held)
            );
        }
    }
}

//! Flesh in the making: tets that contract or grow, vertices that slide.

use std::ops::Range;

use pliant_math::Row;

use crate::body_spec::{BodySpec, Matter};
use crate::builder::ModelBuilder;
use crate::error::ModelError;
use crate::material::ElasticModel;
use crate::potentials::Potential;
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

/// What was asked for, with bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flesh {
    active: Vec<(usize, Vec<ActiveTet>)>,
    growing: Vec<(usize, Vec<u32>)>,
    masses: Vec<(usize, Vec<f64>)>,
    burden: Vec<(usize, Vec<f64>)>,
    sliding: Vec<(usize, Vec<SlidingVertex>)>,
    meeting: Vec<(usize, Vec<u32>)>,
    blown: Vec<(usize, Vec<[u32; 3]>)>,
}

/// What became of it.
#[derive(Debug, Default)]
pub(crate) struct BuiltFlesh {
    /// How many tets are active.
    pub active: usize,
    pub planes: Vec<Plane>,
    /// Of every body the model vertices that meet obstacles.
    pub meeting: Vec<Vec<u32>>,
    /// Model vertices that slide, and their stiffness [N/m].
    pub sliding: (Vec<u32>, Vec<f64>),
}

impl ModelBuilder {
    /// Lets tets of a body contract, beside what its material does: ψ(F, S) of
    /// [`crate::potentials::activation`]. Activations are [`crate::Drive::activations`].
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{ActiveTet, BodySpec, DVec3, Drive, ElasticModel, Lame, ModelBuilder};
    /// let cube = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
    /// let all: Vec<ActiveTet> = (0..cube.tets.len() as u32)
    ///     .map(|tet| ActiveTet { tet, lame: Lame { mu: 1.0, lambda: 6.0 } })
    ///     .collect();
    /// let count = all.len();
    /// let cube = BodySpec::solid("cube", cube, ElasticModel::Tissue, 1.0, 0.3, 1000.0);
    /// let model = ModelBuilder::new().body(cube).muscles(0, all).build()?;
    /// let mut drive = Drive::default();
    /// model.drive(0.0, &mut drive);
    /// assert_eq!(drive.activations.len(), count);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn muscles(mut self, body: usize, tets: Vec<ActiveTet>) -> Self {
        self.flesh.active.push((body, tets));
        self
    }

    /// Lets tets of a body of [`crate::ElasticModel::Tissue`] grow: their own energy becomes ψ(F, S), with S = s I for
    /// tets whose lengths grow s times. Their activations come before all others, in this order.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{BodySpec, DVec3, Drive, ElasticModel, ModelBuilder};
    /// let cube = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
    /// let cube = BodySpec::solid("cube", cube, ElasticModel::Tissue, 1.0, 0.3, 1000.0);
    /// let model = ModelBuilder::new().body(cube).growing(0, vec![3, 4, 5]).build()?;
    /// let mut drive = Drive::default();
    /// model.drive(0.0, &mut drive);
    /// assert_eq!(drive.activations.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn growing(mut self, body: usize, tets: Vec<u32>) -> Self {
        self.flesh.growing.push((body, tets));
        self
    }

    /// Makes tets of a body heavier or lighter: factors on its density, one for each.
    pub fn heavier(mut self, body: usize, factors: Vec<f64>) -> Self {
        self.flesh.masses.push((body, factors));
        self
    }

    /// Gives vertices of a body masses \[kg\], one for each, that have no inertia and feel the next of
    /// [`crate::Drive::burdens`] in the place of gravity.
    pub fn burden(mut self, body: usize, masses: Vec<f64>) -> Self {
        self.flesh.burden.push((body, masses));
        self
    }

    /// Lets sides of a body touch each other, and nothing else: one number per vertex of the body, 0
    /// for no side. Lips that are nearer to each other than their tets are large can meet that way;
    /// [`ModelBuilder::touching`] has the law.
    pub fn sides(mut self, body: usize, sides: Vec<u8>) -> Self {
        self.sides.push((body, sides));
        self
    }

    /// Lets vertices of a body slide in planes, [`crate::Drive::planes`].
    pub fn slide(mut self, body: usize, vertices: Vec<SlidingVertex>) -> Self {
        self.flesh.sliding.push((body, vertices));
        self
    }
}

impl ModelBuilder {
    /// Lets only these vertices of a body meet obstacles; all do of a body that nothing is said of. Flesh
    /// that lies on bone meets it by its surface, and what is deeper need not be asked.
    pub fn meeting(mut self, body: usize, vertices: Vec<u32>) -> Self {
        self.flesh.meeting.push((body, vertices));
        self
    }

    /// Lets wind blow on these triangles of a body's vertices only; it does on all of a body that nothing is
    /// said of. [`crate::Drive::gusts`] has a factor for each.
    pub fn blow_on(mut self, body: usize, triangles: Vec<[u32; 3]>) -> Self {
        self.flesh.blown.push((body, triangles));
        self
    }
}

impl Flesh {
    /// The tets of a body that grow.
    pub fn grows(&self, body: usize, spec: &BodySpec) -> Result<Vec<u32>, ModelError> {
        let refuse = |reason: String| Err(ModelError::Body { body: spec.name.clone(), reason });
        let own = self.growing.iter().filter(|g| g.0 == body).flat_map(|g| &g.1);
        let mut tets: Vec<u32> = own.copied().collect();
        let is_tissue = matches!(spec.matter, Matter::Solid { model: ElasticModel::Tissue, .. });
        if !tets.is_empty() && !is_tissue {
            return refuse("tets grow that are not of tissue".to_owned());
        }
        let count = spec.mesh.tets.len();
        if let Some(tet) = tets.iter().find(|&&tet| tet as usize >= count) {
            return refuse(format!("has {count} tets, and no tet {tet}"));
        }
        let asked = tets.len();
        tets.sort_unstable();
        tets.dedup();
        if tets.len() < asked {
            return refuse("a tet grows twice".to_owned());
        }
        Ok(self.growing.iter().filter(|g| g.0 == body).flat_map(|g| g.1.clone()).collect())
    }

    /// Factors on the density of a body's tets; none where it is even.
    pub fn mass_factors(&self, body: usize, spec: &BodySpec) -> Result<Vec<f64>, ModelError> {
        let count = spec.mesh.tets.len();
        let mut factors = Vec::new();
        for own in self.masses.iter().filter(|m| m.0 == body).map(|m| &m.1) {
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

    /// The free vertices of a body that meet obstacles, as model vertices in ascending order.
    pub fn meets(
        &self,
        body: usize,
        number: impl Fn(u32) -> Result<u32, ModelError>,
        free: Range<u32>,
    ) -> Result<Vec<u32>, ModelError> {
        if self.meeting.iter().all(|m| m.0 != body) {
            return Ok(free.collect());
        }
        let asked = self.meeting.iter().filter(|m| m.0 == body).flat_map(|m| &m.1);
        let mut own = asked.map(|&v| number(v)).collect::<Result<Vec<u32>, _>>()?;
        own.retain(|v| free.contains(v));
        own.sort_unstable();
        own.dedup();
        Ok(own)
    }

    /// The triangles of a body that wind blows on, over model vertices; all of them if nothing is said.
    pub fn blown(
        &self,
        body: usize,
        all: &[[u32; 3]],
        number: impl Fn(u32) -> Result<u32, ModelError>,
    ) -> Result<Vec<[u32; 3]>, ModelError> {
        let own = |t: &[u32; 3]| Ok([number(t[0])?, number(t[1])?, number(t[2])?]);
        match self.blown.iter().find(|blown| blown.0 == body) {
            Some((_, chosen)) => chosen.iter().map(own).collect(),
            None => all.iter().map(own).collect(),
        }
    }

    /// Whether a body slides on planes, which hold it.
    pub fn slides(&self, body: usize) -> bool {
        self.sliding.iter().any(|(of, vertices)| *of == body && !vertices.is_empty())
    }

    /// Adds a body's potentials; `number` gives model vertices of the body's, which `rest` is of.
    pub fn build(
        &self,
        body: usize,
        spec: &BodySpec,
        number: impl Fn(u32) -> Result<u32, ModelError>,
        rest: &[Row],
        built: &mut BuiltFlesh,
        potentials: &mut Vec<Box<dyn Potential>>,
    ) -> Result<(), ModelError> {
        let refuse = |reason: String| ModelError::Body { body: spec.name.clone(), reason };
        let (mut tets, mut lame) = (Vec::new(), Vec::new());
        for active in self.active.iter().filter(|a| a.0 == body).flat_map(|a| &a.1) {
            let Some(corners) = spec.mesh.tets.get(active.tet as usize) else {
                let count = spec.mesh.tets.len();
                return Err(refuse(format!("has {count} tets, and no tet {}", active.tet)));
            };
            let Lame { mu, lambda } = active.lame;
            if !(mu >= 0.0 && lambda >= 0.0 && mu.is_finite() && lambda.is_finite()) {
                return Err(refuse(format!("tet {} has an impossible stiffness", active.tet)));
            }
            let mut own = *corners;
            for v in &mut own {
                *v = number(*v)?;
            }
            tets.push(own);
            lame.push(active.lame);
        }
        if !tets.is_empty() {
            potentials.push(Box::new(Muscles::new(built.active, rest, &tets, &lame)?));
            built.active += tets.len();
        }
        for (k, (_, own)) in self.burden.iter().enumerate().filter(|(_, b)| b.0 == body) {
            if own.len() != spec.mesh.positions.len() || !own.iter().all(|m| m.is_finite()) {
                return Err(refuse("a burden has no mass for every vertex".to_owned()));
            }
            let (mut vertices, mut masses) = (Vec::new(), Vec::new());
            for (v, mass) in (0u32..).zip(own).filter(|(_, mass)| **mass != 0.0) {
                vertices.push(number(v)?);
                masses.push(*mass);
            }
            potentials.push(Box::new(Burden::new(k, vertices, masses)));
        }
        let first = built.planes.len();
        for slide in self.sliding.iter().filter(|s| s.0 == body).flat_map(|s| &s.1) {
            let unit = (slide.plane.normal.length_squared() - 1.0).abs() < 1e-6;
            if !(unit && slide.plane.point.is_finite() && slide.stiffness.is_finite()) {
                return Err(refuse(format!("vertex {} slides in no plane", slide.vertex)));
            }
            built.sliding.0.push(number(slide.vertex)?);
            built.sliding.1.push(slide.stiffness);
            built.planes.push(slide.plane);
        }
        if built.planes.len() > first {
            let (vertices, stiffness) =
                (built.sliding.0[first..].to_vec(), built.sliding.1[first..].to_vec());
            potentials.push(Box::new(Sliding::new(first, vertices, stiffness)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pliant_mesh::shapes;

    use super::*;
    use crate::{BodySpec, DVec3, ElasticModel};

    #[test]
    fn a_body_that_slides_is_held() {
        let mesh = shapes::solid_box(DVec3::ONE, [1, 1, 1]).expect("a box");
        let cube = BodySpec::solid("cube", mesh, ElasticModel::Tissue, 1e4, 0.3, 1000.0);
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

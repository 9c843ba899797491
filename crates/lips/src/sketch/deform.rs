//! As rigid as possible (Sorkine and Alexa 2007): Σᵢ Σⱼ wᵢⱼ ‖(xᵢ − xⱼ) − Rᵢ(pᵢ − pⱼ)‖² with
//! cotangent weights, rotations and positions in turn, in the camera's coordinates.
//!
//! Edges alone do not resist bending, and a thin sheet would crumple: neighbouring rotations are
//! kept alike, + α A Σ wᵢⱼ ‖Rᵢ − Rⱼ‖² with A the area (Levi and Gotsman 2015, "Smooth rotation
//! enhanced as-rigid-as-possible mesh animation").
//!
//! In the camera's coordinates a pixel fixes x and y as multiples of the depth z, which is free: x
//! and y have a matrix with the pulls on its diagonal, z one without. Both are factored once per
//! round.

use glam::{DMat3, DVec2, DVec3};
use pliant_math::Row;
use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::decomposition::polar;
use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::SymmetricMatrix;
use pliant_math::team::Team;
use pliant_mesh::Mesh;

use super::camera::Camera;
use super::contact::Contact;
use crate::error::LipsError;
use crate::gradients::{area, corners};
use crate::region::Region;

/// Weights in multiples of the matrix' mean diagonal: of pulls in the picture, of depths that
/// should agree, and of contacts.
const PULL: f64 = 1e3;
const DEPTH: f64 = 10.0;
const CONTACT: f64 = 30.0;
/// α of the smooth rotations: how much bending costs.
const BENDING: f64 = 0.05;
/// Cotangents below this part of the mean are raised to it: a weight must not be negative.
const LEAST: f64 = 1e-3;

/// A vertex that should be seen at a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// The vertex.
    pub vertex: u32,
    pixel: DVec2,
    /// x/z and y/z of the pixel's ray.
    slope: DVec2,
    /// The depth that it should have \[m\], if any.
    depth: Option<f64>,
}

impl Pull {
    /// Towards a pixel.
    pub fn new(vertex: u32, pixel: DVec2, camera: &Camera, depth: Option<f64>) -> Pull {
        Pull { vertex, pixel, slope: camera.slope(pixel), depth }
    }

    /// How far the vertex is from its pixel.
    pub fn miss(&self, positions: &[DVec3], camera: &Camera) -> Option<f64> {
        Some(camera.pixel(positions[self.vertex as usize])?.distance(self.pixel))
    }
}

/// The inner lip, to be deformed.
pub struct Deformation<'a> {
    camera: &'a Camera,
    region: Region,
    /// Positions before, and now, of the region's vertices in the camera's coordinates \[m\].
    before: Vec<DVec3>,
    now: Vec<DVec3>,
    rotations: Vec<DMat3>,
    /// Edges (i, j, w) between vertices of the region of which one is free.
    edges: Vec<(u32, u32, f64)>,
    /// Rows of free vertices in elimination order, and the row of each vertex.
    order: Vec<u32>,
    row: Vec<Option<u32>>,
    laplacian: SymmetricMatrix,
    mean: f64,
    /// Of the region's inner triangles \[m²\].
    area: f64,
    factors: Option<[(PanelCholesky<f64>, PanelWork<f64>); 2]>,
}

impl<'a> Deformation<'a> {
    /// Of the inner lip of a mesh.
    ///
    /// # Errors
    /// As [`Region::new`].
    pub fn new(mesh: &Mesh, inner: &[u32], camera: &'a Camera) -> Result<Self, LipsError> {
        let everything: Vec<u32> = (0..mesh.positions.len() as u32).collect();
        let region = Region::new(mesh, inner, &everything)?;
        let before: Vec<DVec3> = region.rest.iter().map(|x| camera.view(*x)).collect();
        if let Some(v) = before.iter().position(|x| !x.is_finite()) {
            let what = "the mesh".to_owned();
            return Err(LipsError::NotFinite { what, vertex: region.vertices[v] });
        }
        let edges = weighed_edges(&before, &region.inner);
        let free: Vec<u32> =
            (0..region.free.len() as u32).filter(|v| region.free[*v as usize]).collect();
        let mut number = vec![None; region.free.len()];
        free.iter().zip(0..).for_each(|(v, k)| number[*v as usize] = Some(k));
        let mut entries = Vec::new();
        for &(i, j, w) in &edges {
            let (a, b) = (number[i as usize], number[j as usize]);
            entries.extend(a.map(|a: usize| (a, a, w)));
            entries.extend(b.map(|b: usize| (b, b, w)));
            if let (Some(a), Some(b)) = (a, b) {
                entries.push((a.max(b), a.min(b), -w));
            }
        }
        let sum: f64 = entries.iter().filter(|e| e.0 == e.1).map(|e| e.2).sum();
        let matrix = SymmetricMatrix::from_triplets(free.len(), entries)?;
        let order = nested_dissection(&matrix.adjacency())?;
        let mut row = vec![None; region.free.len()];
        let order: Vec<u32> = order.iter().map(|k| free[*k]).collect();
        order.iter().zip(0..).for_each(|(v, at)| row[*v as usize] = Some(at));
        let places: Vec<usize> =
            order.iter().map(|v| number[*v as usize].unwrap_or_default()).collect();
        Ok(Deformation {
            camera,
            rotations: vec![DMat3::IDENTITY; before.len()],
            now: before.clone(),
            laplacian: matrix.permuted(&places)?,
            mean: sum / free.len().max(1) as f64,
            area: region.inner.iter().map(|t| area(corners(&region.rest, t))).sum(),
            factors: None,
            region,
            before,
            edges,
            order,
            row,
        })
    }

    /// Factors the matrices with these pulls and contacts.
    ///
    /// # Errors
    /// When the region's matrix is singular.
    pub fn hold(&mut self, pulls: &[Pull], contacts: &[Contact]) -> Result<(), LipsError> {
        let (mut across, mut along) = (self.laplacian.clone(), self.laplacian.clone());
        let add = |matrix: &mut SymmetricMatrix, row: Option<usize>, weight: f64| {
            let slot = row.and_then(|row| matrix.slot(row, row));
            slot.into_iter().for_each(|slot| matrix.values_mut()[slot] += weight * self.mean);
        };
        for pull in pulls {
            add(&mut across, self.row_of(pull.vertex), PULL);
            if pull.depth.is_some() {
                add(&mut along, self.row_of(pull.vertex), DEPTH);
            }
        }
        for contact in contacts {
            add(&mut across, self.row_of(contact.vertex), CONTACT);
            add(&mut along, self.row_of(contact.vertex), CONTACT);
        }
        let factored = |matrix: &SymmetricMatrix| -> Result<_, LipsError> {
            let factor = PanelCholesky::new(matrix)?;
            let work = PanelWork::new(&factor, 1);
            Ok((factor, work))
        };
        self.factors = Some([factored(&across)?, factored(&along)?]);
        Ok(())
    }

    /// Rotations from positions, then positions from rotations. Pulls and contacts must be those
    /// that are held. Returns how far the vertex moved that moved most \[m\].
    pub fn iterate(&mut self, pulls: &[Pull], contacts: &[Contact], team: &Team) -> f64 {
        self.turn();
        let mut right = vec![Row::zero(); self.order.len()];
        for &(i, j, w) in &self.edges {
            let (i, j) = (i as usize, j as usize);
            let mean = 0.5 * w * (self.rotations[i] + self.rotations[j]);
            let edge = mean * (self.before[i] - self.before[j]);
            for (own, other, edge) in [(i, j, edge), (j, i, -edge)] {
                let Some(row) = self.row[own] else { continue };
                let known =
                    if self.row[other].is_none() { w * self.now[other] } else { DVec3::ZERO };
                let slot = &mut right[row as usize];
                *slot = *slot + (edge + known).into();
            }
        }
        for pull in pulls {
            let Some((row, v)) = self.place_of(pull.vertex) else { continue };
            let across = PULL * self.mean * self.now[v].z * pull.slope;
            let along = pull.depth.map_or(0.0, |depth| DEPTH * self.mean * depth);
            right[row] = right[row] + Row::new(across.x, across.y, along);
        }
        for contact in contacts {
            let Some((row, v)) = self.place_of(contact.vertex) else { continue };
            let place = contact.settled(self.camera.world(self.now[v]));
            let target = CONTACT * self.mean * self.camera.view(place);
            right[row] = right[row] + target.into();
        }
        let Some([across, along]) = &mut self.factors else { return 0.0 };
        let mut depths: Vec<Row> = right.iter().map(|r| Row::new(r.0[2], 0.0, 0.0)).collect();
        across.0.solve(&mut right, &mut across.1, team);
        along.0.solve(&mut depths, &mut along.1, team);
        let mut most = 0.0f64;
        for ((v, xy), z) in self.order.iter().zip(&right).zip(&depths) {
            let place = DVec3::new(xy.0[0], xy.0[1], z.0[0]);
            let slot = &mut self.now[*v as usize];
            most = most.max(slot.distance_squared(place));
            *slot = place;
        }
        most.sqrt()
    }

    /// Writes the free vertices into positions of the whole mesh \[m\].
    pub fn positions_into(&self, positions: &mut [DVec3]) {
        for v in &self.order {
            let vertex = self.region.vertices[*v as usize] as usize;
            positions[vertex] = self.camera.world(self.now[*v as usize]);
        }
    }

    /// The rotations that fit the edges of each free vertex best; the border's do not turn.
    fn turn(&mut self) {
        let mut spread = vec![DMat3::ZERO; self.before.len()];
        for &(i, j, w) in &self.edges {
            let (i, j) = (i as usize, j as usize);
            let (from, to) = (self.before[i] - self.before[j], self.now[i] - self.now[j]);
            let outer = w * DMat3::from_cols(to * from.x, to * from.y, to * from.z);
            spread[i] += outer;
            spread[j] += outer;
        }
        for &(i, j, w) in &self.edges {
            let (i, j, w) = (i as usize, j as usize, BENDING * self.area * w);
            spread[i] += w * self.rotations[j];
            spread[j] += w * self.rotations[i];
        }
        for v in &self.order {
            self.rotations[*v as usize] = polar(&spread[*v as usize]);
        }
    }

    fn place_of(&self, vertex: u32) -> Option<(usize, usize)> {
        let v = self.region.vertices.binary_search(&vertex).ok()?;
        Some((self.row[v]? as usize, v))
    }

    fn row_of(&self, vertex: u32) -> Option<usize> {
        Some(self.place_of(vertex)?.0)
    }
}

/// Every edge of the triangles once, with half the sum of the cotangents across it.
fn weighed_edges(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<(u32, u32, f64)> {
    let mut halves = Vec::with_capacity(3 * triangles.len());
    for triangle in triangles {
        let x = corners(positions, triangle);
        for k in 0..3 {
            let (i, j) = (triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
            let (a, b) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
            let cotangent = a.dot(b) / a.cross(b).length();
            halves.push((i.min(j), i.max(j), 0.5 * cotangent));
        }
    }
    halves.sort_by_key(|half| (half.0, half.1));
    let sum = |same: &[(u32, u32, f64)]| same.iter().map(|half| half.2).sum::<f64>();
    let mut edges: Vec<(u32, u32, f64)> = halves
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .map(|same| (same[0].0, same[0].1, sum(same)))
        .collect();
    let mean = edges.iter().map(|e| e.2.abs()).sum::<f64>() / edges.len().max(1) as f64;
    edges.iter_mut().for_each(|edge| edge.2 = edge.2.max(LEAST * mean));
    edges
}

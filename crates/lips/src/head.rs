//! The rotation of the head, from vertices that move with the skull: gradients know nothing of
//! where a mouth is, but everything of how it is turned.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::polar;
use pliant_mesh::Mesh;

use crate::error::LipsError;

/// Vertices that move with the skull, and where they are at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// Vertices of the mesh; none when the head is taken to stand still.
    pub vertices: Vec<u32>,
    /// Where they are at rest \[m\].
    pub rest: Vec<DVec3>,
}

impl Head {
    /// Of a selection of at least three vertices.
    ///
    /// # Errors
    /// When there are fewer, or no such vertex.
    pub fn new(rest: &Mesh, vertices: &[u32]) -> Result<Head, LipsError> {
        let count = rest.positions.len();
        let mut vertices = vertices.to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        if let Some(&vertex) = vertices.iter().find(|v| **v as usize >= count) {
            return Err(LipsError::NoSuchVertex { what: "rigid selection", vertex, count });
        }
        if vertices.len() < 3 {
            let (found, expected) = (vertices.len() as f64, "at least 3");
            let what = "the number of rigid vertices";
            return Err(LipsError::Number { what, found, expected });
        }
        let at = |v: &u32| rest.positions[*v as usize];
        Ok(Head { rest: vertices.iter().map(at).collect(), vertices })
    }

    /// The rotation from rest to a frame that fits best; none when it is not asked for, or when
    /// positions are not finite.
    pub fn rotation(&self, positions: &[DVec3]) -> DMat3 {
        let at = |v: &u32| positions[*v as usize];
        let count = self.vertices.len().max(1) as f64;
        let middle = self.vertices.iter().map(at).sum::<DVec3>() / count;
        let own = self.rest.iter().sum::<DVec3>() / count;
        let covariance = self.vertices.iter().zip(&self.rest).fold(DMat3::ZERO, |sum, (v, x)| {
            let (d, r) = (at(v) - middle, *x - own);
            sum + DMat3::from_cols(d * r.x, d * r.y, d * r.z)
        });
        match covariance.is_finite() && !self.vertices.is_empty() {
            true => polar(&covariance),
            false => DMat3::IDENTITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rotation_of_a_turned_head_is_found() {
        let points = vec![DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(0.3, -0.8, 0.5)];
        let mesh = Mesh::surface(points.clone(), vec![]);
        let head = Head::new(&mesh, &[3, 0, 1, 2, 2]).unwrap();
        let turn = DMat3::from_axis_angle(DVec3::new(0.2, 1.0, 0.1).normalize(), 0.7);
        let moved: Vec<DVec3> = points.iter().map(|x| turn * *x + DVec3::ONE).collect();
        let found = head.rotation(&moved);
        assert!((found - turn).to_cols_array().iter().all(|d| d.abs() < 1e-14));
        assert_eq!(head.rotation(&[DVec3::NAN; 4]), DMat3::IDENTITY);
        assert_eq!(Head::default().rotation(&moved), DMat3::IDENTITY);
        assert!(Head::new(&mesh, &[0, 1]).is_err());
    }
}

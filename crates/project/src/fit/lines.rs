//! Lines along which flesh contracts: a stroke per tet, as long and as dark as it contracts.

use pliant_face::FaceModel;
use pliant_face::inverse::solve::Fitted;
use pliant_lips::measures::heat;
use pliant_math::DVec3;
use pliant_math::decomposition::symmetric_eigen;
use pliant_mesh::edge_matrix;
use pliant_mesh::menagerie::Colour;
use pliant_model::potentials::activation::matrix;
use pliant_view::{Material, Object};

/// Flesh that contracts by less has no stroke, by this much the darkest.
const LEAST: f64 = 0.05;
const STRONGEST: f64 = 0.4;
/// Length of a stroke per contraction, at most, and half its width (m).
const LENGTH: f64 = 0.025;
const LONGEST: f64 = 0.007;
const WIDTH: f64 = 0.00025;

/// Strokes as thin prisms.
pub struct Lines {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    colours: Vec<Colour>,
}

impl Lines {
    /// Contraction lines of a fit, in its deformed flesh.
    pub fn of(face: &FaceModel, fitted: &Fitted) -> Lines {
        let mut lines = Lines { positions: Vec::new(), triangles: Vec::new(), colours: Vec::new() };
        for (shares, activation) in face.active_tets().into_iter().zip(&fitted.activations) {
            let own = &face.shares[shares];
            let share: f64 = own.iter().map(|share| share.fraction).sum();
            let eigen = symmetric_eigen(&matrix(activation));
            let values = eigen.values.to_array();
            let [a, b, c] = values;
            let least = a.min(b).min(c);
            let contraction = share.min(1.0) * (1.0 - least);
            if contraction < LEAST {
                continue;
            }
            let k = values.iter().position(|v| *v == least).unwrap_or(0);
            let corners = face.solid.tets[own[0].tet as usize];
            let moved = edge_matrix(corners.map(|v| fitted.flesh[v as usize]))
                * edge_matrix(corners.map(|v| face.solid.positions[v as usize])).inverse();
            let along = (moved * eigen.vectors.col(k)).normalize_or_zero();
            let center = corners.iter().map(|v| fitted.flesh[*v as usize]).sum::<DVec3>() / 4.0;
            let half = along * (0.5 * (LENGTH * contraction).min(LONGEST));
            lines.add(center - half, center + half, heat(contraction / STRONGEST));
        }
        lines
    }

    /// A prism with three sides.
    fn add(&mut self, from: DVec3, to: DVec3, colour: [f64; 3]) {
        let along = (to - from).normalize_or(DVec3::X);
        let (side, other) = along.any_orthonormal_pair();
        let first = self.positions.len() as u32;
        for end in [from, to] {
            for turn in [0.0, 1.0, 2.0] {
                let (sin, cos) = (turn * std::f64::consts::TAU / 3.0).sin_cos();
                self.positions.push(end + (side * cos + other * sin) * WIDTH);
            }
        }
        for k in 0..3 {
            let (a, b) = (first + k, first + (k + 1) % 3);
            self.triangles.extend([[a, b, b + 3], [a, b + 3, a + 3]]);
        }
        self.triangles.extend([[first, first + 2, first + 1], [first + 3, first + 4, first + 5]]);
        self.colours.extend([colour.map(|c| c as f32); 6]);
    }

    /// To be looked at.
    pub fn object(&self) -> Object<'_> {
        let own = Object::new(&self.positions[..], &self.triangles, Material::PLASTER);
        Object { colours: Some(&self.colours), ..own }
    }
}

//! What is seen of a face beyond its skin: where muscles work under it, and how their courses are
//! strained.

use std::collections::BTreeMap;

use glam::DVec3;
use pliant_face::{AnimatedFrame, FaceModel, FaceSimulation, SkinBinding};

/// How deep the work of muscles is seen (m).
const DEPTH: f64 = 0.011;
/// So many tets of muscle under a place are as warm as more.
const FULL: f64 = 4.0;

/// Muscle under the skin.
pub struct Muscles<'a> {
    face: &'a FaceModel,
    /// Vertices of the tets that skin is bound to: tets with muscle around them, in the order of
    /// [`FaceSimulation::efforts`], and weights. From one start to the next.
    starts: Vec<u32>,
    around: Vec<(u32, f32)>,
    /// Ends of the courses' pieces, among all of their points.
    pub pieces: Vec<u32>,
    /// The muscle of every point.
    pub muscle_of: Vec<u32>,
}

impl<'a> Muscles<'a> {
    /// Of a face.
    pub fn new(face: &'a FaceModel) -> Muscles<'a> {
        let solid = &face.solid;
        let centre = |tet: u32| {
            let corners = solid.tets[tet as usize];
            corners.iter().map(|v| solid.positions[*v as usize]).sum::<DVec3>() / 4.0
        };
        let cell = |x: DVec3| (x / DEPTH).floor().to_array().map(|c| c as i32);
        let mut cells: BTreeMap<[i32; 3], Vec<(u32, DVec3)>> = BTreeMap::new();
        for (k, shares) in (0u32..).zip(face.shares.chunk_by(|a, b| a.tet == b.tet)) {
            let place = centre(shares[0].tet);
            cells.entry(cell(place)).or_default().push((k, place));
        }
        let mut is_seen = vec![false; solid.positions.len()];
        for tet in face.binding.tets.iter().flatten() {
            solid.tets[*tet as usize].iter().for_each(|v| is_seen[*v as usize] = true);
        }
        let (mut starts, mut around) = (vec![0], Vec::new());
        for (x, is_seen) in solid.positions.iter().zip(is_seen) {
            let (from, [i, j, k]) = (around.len(), cell(*x));
            let cubes =
                (-1..=1).flat_map(|a| (-1..=1).flat_map(move |b| (-1..=1).map(move |c| [a, b, c])));
            for [a, b, c] in cubes.filter(|_| is_seen) {
                for (tet, place) in cells.get(&[i + a, j + b, k + c]).into_iter().flatten() {
                    let far = x.distance_squared(*place) / (DEPTH * DEPTH);
                    if far < 1.0 {
                        around.push((*tet, ((1.0 - far) * (1.0 - far)) as f32));
                    }
                }
            }
            let own = &mut around[from..];
            let sum: f32 = own.iter().map(|own| own.1).sum();
            own.iter_mut().for_each(|own| own.1 /= sum.max(FULL as f32));
            starts.push(around.len() as u32);
        }
        let mut muscles =
            Muscles { face, starts, around, pieces: Vec::new(), muscle_of: Vec::new() };
        for (number, muscle) in (0u32..).zip(&face.muscles) {
            let first = muscles.muscle_of.len() as u32;
            let count = muscle.tets.len() as u32;
            muscles.pieces.extend((1..count).flat_map(|k| [first + k - 1, first + k]));
            muscles.muscle_of.extend(std::iter::repeat_n(number, count as usize));
        }
        muscles
    }

    /// How much muscle contracts under every vertex of the skin, from 0 on.
    pub fn activation(&self, simulation: &FaceSimulation) -> Vec<f32> {
        let efforts: Vec<f32> = simulation.efforts().map(|effort| effort.abs() as f32).collect();
        let at = |ends: &[u32]| -> f32 {
            let own = &self.around[ends[0] as usize..ends[1] as usize];
            own.iter().map(|(tet, w)| w * efforts.get(*tet as usize).unwrap_or(&0.0)).sum()
        };
        let vertices: Vec<f32> = self.starts.windows(2).map(at).collect();
        let SkinBinding { tets, weights } = &self.face.binding;
        let on_skin = |(tet, weights): (&Option<u32>, &[f64; 4])| {
            let corners = tet.map_or([0; 4], |tet| self.face.solid.tets[tet as usize]);
            let part = |k: usize| weights[k] as f32 * vertices[corners[k] as usize];
            // Weights of what is outside of its tet are negative.
            if tet.is_some() { (0..4).map(part).sum::<f32>().max(0.0) } else { 0.0 }
        };
        tets.iter().zip(weights).map(on_skin).collect()
    }

    /// Where the points of all courses are (m).
    pub fn courses(&self, simulation: &FaceSimulation, frame: &AnimatedFrame) -> Vec<f32> {
        let positions = simulation.positions();
        let head = frame.head.rigid(frame.neck);
        let mut out = Vec::with_capacity(3 * self.muscle_of.len());
        for muscle in &self.face.muscles {
            for (tet, weights) in muscle.tets.iter().zip(&muscle.weights) {
                let corners = self.face.solid.tets[*tet as usize];
                let point: DVec3 =
                    (0..4).map(|k| weights[k] * positions[corners[k] as usize]).sum();
                out.extend(head.apply(point).to_array().map(|x| x as f32));
            }
        }
        out
    }
}

/// Distances between two surfaces of the same vertices (mm), with their mean and largest.
pub fn distances(target: &[DVec3], result: &[DVec3]) -> (Vec<f32>, f64, f64) {
    let all: Vec<f64> = target.iter().zip(result).map(|(a, b)| 1e3 * a.distance(*b)).collect();
    let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
    let most = all.iter().copied().fold(0.0, f64::max);
    (all.iter().map(|d| *d as f32).collect(), mean, most)
}

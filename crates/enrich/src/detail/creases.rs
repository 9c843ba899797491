//! Keeps edges closed that the input folds together.
//!
//! At joints and in folds, skinning compresses single edges to a fraction of their length. The
//! simulation would open such a fold, and the edge would be a spike. Both its ends take their mean
//! displacement instead, so the edge keeps its input vector.

use glam::DVec3;
use pliant_mesh::Mesh;

use crate::numerics::edges::SurfaceEdges;

/// Stretch beyond which an edge is opened, …
const OPENED: f64 = 2.5;
/// … if it is also this many times the mean stretch of the edges around it.
const OF_NEIGHBOURS: f64 = 4.0;
/// Maximum number of rounds, since a closed edge may open others.
const ROUNDS: usize = 6;

/// Detector and repair of opened edges of a surface.
#[derive(Clone, Debug)]
pub struct Creases {
    edges: SurfaceEdges,
}

impl Creases {
    /// Collects the edges of a surface.
    pub fn new(surface: &Mesh) -> Self {
        Creases { edges: SurfaceEdges::new(surface) }
    }

    /// Closes edges that were opened between input and output; exact vertices stay.
    pub fn close(&self, input: &[DVec3], is_exact: &[bool], output: &mut [DVec3]) {
        for _ in 0..ROUNDS {
            let opened = self.edges.outliers(input, output, [OPENED, OF_NEIGHBOURS]);
            if opened.is_empty() {
                break;
            }
            for edge in opened {
                let [a, b] = edge.map(|v| v as usize);
                let by = |v: usize| output[v] - input[v];
                let shift = match [is_exact[a], is_exact[b]] {
                    [true, true] => continue,
                    [true, false] | [false, true] => DVec3::ZERO,
                    [false, false] => 0.5 * (by(a) + by(b)),
                };
                for v in [a, b] {
                    if !is_exact[v] {
                        output[v] = input[v] + shift;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    #[test]
    fn a_fold_that_was_opened_is_closed_and_all_else_stays() {
        let cloth = shapes::solid_box(DVec3::new(1.0, 1.0, 0.1), [10, 10, 1]).unwrap();
        let mut input = cloth.positions.clone();
        let [a, b] = {
            let edges = SurfaceEdges::new(&cloth);
            let is_inner = |v: u32| input[v as usize].truncate().abs().max_element() < 0.2;
            *edges.pairs().iter().find(|e| e.iter().all(|&v| is_inner(v))).unwrap()
        };
        // Folded to a fiftieth, and opened again by a shift of its own.
        let middle = 0.5 * (input[a as usize] + input[b as usize]);
        for v in [a, b] {
            input[v as usize] = middle + 0.02 * (input[v as usize] - middle);
        }
        let lift = DVec3::Y * 0.3;
        let mut output: Vec<DVec3> = cloth.positions.iter().map(|&x| x + lift).collect();
        let opened = output.clone();
        let creases = Creases::new(&cloth);
        creases.close(&input, &vec![false; input.len()], &mut output);
        let length = |x: &[DVec3]| x[a as usize].distance(x[b as usize]);
        assert!(length(&opened) > 40.0 * length(&input));
        assert!((length(&output) - length(&input)).abs() < 1e-12);
        for v in (0..output.len()).filter(|v| ![a, b].contains(&(*v as u32))) {
            assert_eq!(output[v], opened[v]);
        }
        // An exact end stays, and the other end moves.
        let (mut output, mut is_exact) = (opened.clone(), vec![false; input.len()]);
        is_exact[a as usize] = true;
        output[a as usize] = input[a as usize];
        creases.close(&input, &is_exact, &mut output);
        assert_eq!(output[a as usize], input[a as usize]);
        assert!((length(&output) - length(&input)).abs() < 1e-12);
    }
}

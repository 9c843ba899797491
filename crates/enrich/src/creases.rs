//! What the input has folded together stays together.
//!
//! At joints and in folds, skinning squashes an edge here and there to a fraction of its length; flesh would open the
//! fold again, and that one edge, among others that keep theirs, would stand out as a spike. Its ends take the
//! mean of what they were moved by instead: the edge is as the input has it, wherever it goes.

use glam::DVec3;
use pliant_mesh::Mesh;

use crate::measures::Edges;

/// An edge longer than so many times its input length …
const OPENED: f64 = 2.5;
/// … and stretched so many times more than the edges around it is closed again.
const OF_NEIGHBOURS: f64 = 4.0;
/// What is closed may open others: most rounds.
const ROUNDS: usize = 6;

/// The edges of a surface, watched.
#[derive(Clone, Debug)]
pub struct Creases {
    edges: Edges,
}

impl Creases {
    /// Of a surface.
    pub fn new(surface: &Mesh) -> Self {
        Creases { edges: Edges::new(surface) }
    }

    /// Closes what was opened between an input and an output; vertices that are exact stay.
    pub fn close(&self, input: &[DVec3], is_exact: &[bool], output: &mut [DVec3]) {
        for _ in 0..ROUNDS {
            let opened = self.edges.standing_out(input, output, [OPENED, OF_NEIGHBOURS]);
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
            let edges = Edges::new(&cloth);
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
        // What is exact is not touched, and the other end goes with it.
        let (mut output, mut is_exact) = (opened.clone(), vec![false; input.len()]);
        is_exact[a as usize] = true;
        output[a as usize] = input[a as usize];
        creases.close(&input, &is_exact, &mut output);
        assert_eq!(output[a as usize], input[a as usize]);
        assert!((length(&output) - length(&input)).abs() < 1e-12);
    }
}

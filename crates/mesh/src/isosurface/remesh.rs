//! Isotropic remeshing (Botsch and Kobbelt 2004, "A remeshing approach to multiresolution
//! modeling") with a size that varies from place to place, on the zero set of a function: edges are
//! collapsed, split and flipped, vertices evened out along the surface and put back onto it.

use glam::DVec3;
use pliant_math::team::Team;

use super::adjacency::Adjacency;
use crate::mesh::Mesh;
use crate::signed_distance::evaluate;

/// Edges longer or shorter than this times their size are split or collapsed.
const LONG: f64 = 4.0 / 3.0;
const SHORT: f64 = 4.0 / 5.0;
/// A triangle may turn by up to acos of this in one change.
const TURN: f64 = 0.5;
/// Newton steps onto the surface per round.
const STEPS: usize = 3;

/// What is asked of the triangles.
pub struct Remesh<'a> {
    /// Zero on the surface, negative inside.
    pub field: &'a (dyn Fn(DVec3) -> f64 + Sync),
    /// Wanted length of edges at a place (m).
    pub size: &'a (dyn Fn(DVec3) -> f64 + Sync),
    /// Over which distance the field's slope is measured (m).
    pub step: f64,
    /// Rounds of changes.
    pub rounds: usize,
}

/// Meshes a surface anew. Open edges must be in the plane x = 0, and stay in it.
///
/// ```
/// use pliant_math::team::Team;
/// use pliant_mesh::DVec3;
/// use pliant_mesh::isosurface::{Lattice, Remesh, march, remesh};
/// let team = Team::new(1);
/// let ball = |p: DVec3| p.length() - 0.8;
/// let lattice = Lattice { min: DVec3::splat(-1.0), max: DVec3::ONE, size: 0.1, slack: 0.0 };
/// let rough = march(&ball, &lattice, &team)?;
/// let even = remesh(rough, &Remesh { field: &ball, size: &|_| 0.2, step: 1e-4, rounds: 5 }, &team);
/// assert!(even.positions.iter().all(|p| ball(*p).abs() < 1e-9));
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn remesh(surface: Mesh, asked: &Remesh, team: &Team) -> Mesh {
    let mut work = Work {
        sizes: evaluate(&surface.positions, team, asked.size),
        adjacency: Adjacency::new(surface.positions.len(), surface.triangles),
        positions: surface.positions,
    };
    for _ in 0..asked.rounds {
        work.collapse_short_edges();
        work.adjacency.compact(&mut work.positions, &mut work.sizes);
        work.split_long_edges();
        work.flip_edges();
        work.adjacency.compact(&mut work.positions, &mut work.sizes);
        work.even_out(asked, team);
    }
    Mesh::surface(work.positions, work.adjacency.triangles)
}

struct Work {
    positions: Vec<DVec3>,
    /// Wanted length of edges at every vertex (m).
    sizes: Vec<f64>,
    adjacency: Adjacency,
}

impl Work {
    fn at(&self, v: u32) -> DVec3 {
        self.positions[v as usize]
    }

    fn length(&self, a: u32, b: u32) -> f64 {
        self.at(a).distance(self.at(b))
    }

    fn wanted(&self, a: u32, b: u32) -> f64 {
        self.sizes[a as usize].min(self.sizes[b as usize])
    }

    /// Twice the area times the normal.
    fn cross(&self, [a, b, c]: [u32; 3]) -> DVec3 {
        (self.at(b) - self.at(a)).cross(self.at(c) - self.at(a))
    }

    fn collapse_short_edges(&mut self) {
        let (mut around_a, mut around_b) = (Vec::new(), Vec::new());
        for a in 0..self.positions.len() as u32 {
            let open = self.adjacency.around(a, &mut around_a);
            // The shortest first: what is left is the more even.
            around_a.sort_by(|&b, &c| self.length(a, b).total_cmp(&self.length(a, c)));
            for k in 0..around_a.len() {
                let b = around_a[k];
                if self.length(a, b) >= SHORT * self.wanted(a, b) {
                    break;
                }
                if self.may_collapse(a, b, open, &around_a, &mut around_b) {
                    for t in self.adjacency.at_edge(a, b) {
                        self.adjacency.remove(t);
                    }
                    for t in self.adjacency.fan(a).to_vec() {
                        self.adjacency.replace(t, a, b);
                    }
                    break;
                }
            }
        }
    }

    /// Whether a can be drawn to b: the surface stays a manifold, nothing flips, no edge gets long.
    fn may_collapse(
        &self,
        a: u32,
        b: u32,
        open: bool,
        around_a: &[u32],
        around_b: &mut Vec<u32>,
    ) -> bool {
        let b_open = self.adjacency.around(b, around_b);
        let triangles = self.adjacency.at_edge(a, b);
        if triangles.len() != if open { 1 } else { 2 } || open && !b_open {
            return false;
        }
        let shared = around_a.iter().filter(|v| around_b.binary_search(v).is_ok()).count();
        if shared != triangles.len() {
            return false;
        }
        // A vertex with three triangles would leave two on top of each other.
        let opposite = triangles.iter().map(|&t| self.adjacency.opposite(t, a, b));
        if opposite.clone().any(|o| self.adjacency.fan(o).len() <= 3) {
            return false;
        }
        if around_a.iter().any(|&v| v != b && self.length(v, b) > LONG * self.wanted(v, b)) {
            return false;
        }
        self.adjacency.fan(a).iter().filter(|t| !triangles.contains(t)).all(|&t| {
            let old = self.adjacency.triangles[t as usize];
            let new = old.map(|v| if v == a { b } else { v });
            keeps_facing(self.cross(old), self.cross(new))
        })
    }

    fn split_long_edges(&mut self) {
        for [a, b] in self.adjacency.edges() {
            if self.length(a, b) <= LONG * self.wanted(a, b) {
                continue;
            }
            let middle = self.adjacency.add_vertex();
            self.positions.push(0.5 * (self.at(a) + self.at(b)));
            self.sizes.push(0.5 * (self.sizes[a as usize] + self.sizes[b as usize]));
            for t in self.adjacency.at_edge(a, b) {
                let corners = self.adjacency.triangles[t as usize];
                self.adjacency.remove(t);
                self.adjacency.add(corners.map(|v| if v == a { middle } else { v }));
                self.adjacency.add(corners.map(|v| if v == b { middle } else { v }));
            }
        }
    }

    /// Brings numbers of triangles around vertices closer to six, or to four at open edges.
    fn flip_edges(&mut self) {
        let mut around = Vec::new();
        let mut ideal: Vec<i32> = Vec::with_capacity(self.positions.len());
        for v in 0..self.positions.len() as u32 {
            ideal.push(if self.adjacency.around(v, &mut around) { 3 } else { 6 });
        }
        for [a, b] in self.adjacency.edges() {
            let triangles = self.adjacency.at_edge(a, b);
            let [s, t] = triangles[..] else { continue };
            let (c, d) = (self.adjacency.opposite(s, a, b), self.adjacency.opposite(t, a, b));
            let excess = |v: u32, change: i32| {
                (self.adjacency.fan(v).len() as i32 + change - ideal[v as usize]).pow(2)
            };
            let now = excess(a, 0) + excess(b, 0) + excess(c, 0) + excess(d, 0);
            let then = excess(a, -1) + excess(b, -1) + excess(c, 1) + excess(d, 1);
            if then >= now || c == d || !self.adjacency.at_edge(c, d).is_empty() {
                continue;
            }
            let old = [s, t].map(|t| self.adjacency.triangles[t as usize]);
            // In s, b is drawn to d; in t, a to c: the other diagonal, facing the same way.
            let new = [
                old[0].map(|v| if v == b { d } else { v }),
                old[1].map(|v| if v == a { c } else { v }),
            ];
            let facing = self.cross(old[0]) + self.cross(old[1]);
            let sound = |t: [u32; 3]| {
                let cross = self.cross(t);
                let longest = (0..3).map(|k| self.length(t[k], t[(k + 1) % 3])).fold(0.0, f64::max);
                keeps_facing(facing, cross) && cross.length() > 0.2 * longest * longest
            };
            if new.into_iter().all(sound) {
                [s, t].into_iter().for_each(|t| self.adjacency.remove(t));
                new.into_iter().for_each(|t| self.adjacency.add(t));
            }
        }
    }

    /// Moves vertices along the surface towards the middle of their neighbours, then onto it.
    fn even_out(&mut self, asked: &Remesh, team: &Team) {
        let vertices: Vec<u32> = (0..self.positions.len() as u32).collect();
        let this = &*self;
        let moved = evaluate(&vertices, team, |v| this.evened(v, asked));
        self.sizes = evaluate(&moved, team, asked.size);
        self.positions = moved;
    }

    fn evened(&self, v: u32, asked: &Remesh) -> DVec3 {
        let mut around = Vec::new();
        let open = self.adjacency.around(v, &mut around);
        let from = self.at(v);
        if open {
            around.retain(|&w| self.adjacency.at_edge(v, w).len() == 1);
        }
        let mut middle = DVec3::ZERO;
        let mut weight = 0.0;
        for &w in &around {
            // Longer where larger triangles are wanted: sizes then change evenly.
            let own = 1.0 / self.sizes[w as usize];
            middle += own * self.at(w);
            weight += own;
        }
        let normal = slope(asked, from).normalize_or_zero();
        let toward = middle / weight - from;
        let reach = self.sizes[v as usize];
        let along = 0.7 * (toward - toward.dot(normal) * normal).clamp_length_max(0.5 * reach);
        let mut p = if weight > 0.0 { from + along } else { from };
        for _ in 0..STEPS {
            let value = (asked.field)(p);
            let gradient = slope(asked, p);
            let step = value * gradient / gradient.length_squared();
            if step.is_finite() {
                p -= step.clamp_length_max(0.5 * reach);
            }
            if value.abs() < 1e-3 * asked.step {
                break;
            }
        }
        if open { DVec3 { x: 0.0, ..p } } else { p }
    }
}

fn slope(asked: &Remesh, p: DVec3) -> DVec3 {
    let e = asked.step;
    let along =
        |axis: DVec3| ((asked.field)(p + e * axis) - (asked.field)(p - e * axis)) / (2.0 * e);
    DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
}

fn keeps_facing(old: DVec3, new: DVec3) -> bool {
    new.dot(old) > TURN * new.length() * old.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::{FindingKind, findings};
    use crate::isosurface::{Lattice, march};

    fn torus(p: DVec3) -> f64 {
        (p.x.hypot(p.z) - 0.6).hypot(p.y) - 0.25
    }

    #[test]
    fn sizes_are_met_where_they_are_asked_for() {
        let team = Team::new(2);
        let lattice = Lattice { min: DVec3::splat(-1.0), max: DVec3::ONE, size: 0.04, slack: 0.0 };
        let rough = march(&torus, &lattice, &team).unwrap();
        let size = |p: DVec3| 0.06 + 0.06 * (p.x + 0.85);
        let asked = Remesh { field: &torus, size: &size, step: 1e-4, rounds: 6 };
        let even = remesh(rough.clone(), &asked, &team);
        assert!(findings(&even).is_empty(), "{:?}", findings(&even));
        assert!(even.positions.iter().all(|p| torus(*p).abs() < 1e-8));
        for &[a, b, _] in &even.triangles {
            let (a, b) = (even.positions[a as usize], even.positions[b as usize]);
            let ratio = a.distance(b) / size(0.5 * (a + b));
            assert!((0.4..1.8).contains(&ratio), "an edge is {ratio} of its size");
        }
        assert_eq!(even, remesh(rough, &asked, &Team::new(1)));
    }

    #[test]
    fn open_edges_stay_in_their_plane() {
        let team = Team::new(1);
        let min = DVec3::new(0.0, -1.0, -1.0);
        let lattice = Lattice { min, max: DVec3::ONE, size: 0.04, slack: 0.0 };
        let rough = march(&torus, &lattice, &team).unwrap();
        let asked = Remesh { field: &torus, size: &|_| 0.1, step: 1e-4, rounds: 6 };
        let half = remesh(rough, &asked, &team);
        let kinds: Vec<FindingKind> = findings(&half).iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [FindingKind::OpenEdge]);
        let whole = 2.0 * std::f64::consts::PI.powi(2) * 0.6 * 0.25 * 0.25;
        // Caps are missing, and are in the plane through the apex of the cones: they add nothing.
        let apex = Mesh {
            positions: [vec![DVec3::ZERO], half.positions.clone()].concat(),
            ..half.clone()
        };
        let shifted = apex.triangles.iter().map(|t| t.map(|v| v + 1)).collect();
        let volume = Mesh::surface(apex.positions, shifted).volume();
        assert!((2.0 * volume / whole - 1.0).abs() < 0.04, "{volume} of {whole}");
    }
}

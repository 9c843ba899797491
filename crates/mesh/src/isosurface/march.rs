//! Marching tetrahedra (Doi and Koide 1991) on cubes cut into six around a diagonal, in blocks:
//! those far from the surface are never looked into.

use glam::{DVec3, UVec3};
use pliant_math::team::{SharedSlice, Team};

use crate::error::MeshError;
use crate::mesh::Mesh;
use crate::signed_distance::evaluate;

/// Cubes to a side of a block.
const BLOCK: u32 = 8;
/// Points to a side of a block's lattice.
const SIDE: usize = BLOCK as usize + 1;
/// Crossings keep this far away from the ends of their edge, in its lengths: no triangle is
/// without area.
const AWAY: f64 = 0.04;
/// Most points of a lattice: beyond, it is a mistake.
const MOST: u64 = 1 << 32;

/// Where to look.
#[derive(Clone, Copy, Debug)]
pub struct Lattice {
    /// Least corner (m).
    pub min: DVec3,
    /// Greatest corner (m); rounded up to whole blocks of eight cubes.
    pub max: DVec3,
    /// Side of a cube (m).
    pub size: f64,
    /// How much a value may be off a distance (m): blocks are left out where the value at their
    /// middle exceeds half their diagonal and this.
    pub slack: f64,
}

/// The surface on which `field` changes from negative (inside) to positive, facing outward.
///
/// It is open only where it leaves the lattice: at its sides.
///
/// ```
/// use pliant_math::team::Team;
/// use pliant_mesh::{DVec3, diagnosis};
/// use pliant_mesh::isosurface::{Lattice, march};
/// let ball = |p: DVec3| p.length() - 0.8;
/// let lattice = Lattice { min: DVec3::splat(-1.0), max: DVec3::ONE, size: 0.1, slack: 0.0 };
/// let surface = march(&ball, &lattice, &Team::new(1))?;
/// assert!(diagnosis::findings(&surface).is_empty());
/// assert!((surface.volume() / 2.1447 - 1.0).abs() < 0.02);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn march(
    field: &(dyn Fn(DVec3) -> f64 + Sync),
    lattice: &Lattice,
    team: &Team,
) -> Result<Mesh, MeshError> {
    let blocks = lattice.blocks()?;
    let places: Vec<UVec3> = (0..blocks.z)
        .flat_map(|z| {
            (0..blocks.y).flat_map(move |y| (0..blocks.x).map(move |x| UVec3::new(x, y, z)))
        })
        .collect();
    let half = 0.5 * f64::from(BLOCK) * lattice.size;
    let near = evaluate(&places, team, |b| {
        let middle = lattice.place(b * BLOCK) + DVec3::splat(half);
        let value = field(middle).abs();
        value <= half * 3f64.sqrt() + lattice.slack || value.is_nan()
    });
    let near: Vec<UVec3> = places.into_iter().zip(near).filter(|b| b.1).map(|b| b.0).collect();
    let mut pieces: Vec<Piece> = Vec::new();
    pieces.resize_with(near.len(), Piece::default);
    let shared = SharedSlice::new(&mut pieces);
    team.each(near.len(), &|item, _thread| {
        // SAFETY: every item has its own piece.
        unsafe { *shared.at(item) = lattice.piece(field, near[item], blocks) };
    });
    Ok(join(&pieces))
}

impl Lattice {
    fn blocks(&self) -> Result<UVec3, MeshError> {
        let wanted = ((self.max - self.min) / (self.size * f64::from(BLOCK))).ceil();
        if !(wanted.is_finite() && wanted.min_element() >= 1.0 && self.size > 0.0) {
            let (shape, what) = ("isosurface", "the side of a cube");
            return Err(MeshError::BadLength { shape, what, value: self.size });
        }
        if (wanted * f64::from(BLOCK)).element_product() > MOST as f64 {
            return Err(MeshError::TooManyElements { shape: "isosurface", limit: MOST as usize });
        }
        Ok(wanted.as_uvec3())
    }

    fn place(&self, point: UVec3) -> DVec3 {
        self.min + self.size * point.as_dvec3()
    }

    /// What a block sees of the surface.
    fn piece(&self, field: &dyn Fn(DVec3) -> f64, block: UVec3, blocks: UVec3) -> Piece {
        let mut values = [0.0; SIDE * SIDE * SIDE];
        let index = |p: UVec3| (p.x as usize) + SIDE * (p.y as usize + SIDE * p.z as usize);
        let mut inside = 0;
        for z in 0..=BLOCK {
            for y in 0..=BLOCK {
                for x in 0..=BLOCK {
                    let p = UVec3::new(x, y, z);
                    let value = field(self.place(block * BLOCK + p));
                    // What is not a number is outside.
                    values[index(p)] = if value.is_nan() { f64::MAX } else { value };
                    inside += usize::from(value < 0.0);
                }
            }
        }
        let mut piece = Piece::default();
        if inside == 0 || inside == values.len() {
            return piece;
        }
        let sides = blocks * BLOCK + UVec3::ONE;
        let number = |p: UVec3| {
            let q = block * BLOCK + p;
            u64::from(q.x)
                + u64::from(sides.x) * (u64::from(q.y) + u64::from(sides.y) * u64::from(q.z))
        };
        let mut cross = |a: UVec3, b: UVec3| {
            // Corners of a tet ascend along the diagonal, so b − a has no negative component.
            let step = b - a;
            let direction = u64::from(step.x + 2 * step.y + 4 * step.z);
            let key = number(a) * 8 + direction;
            let (va, vb) = (values[index(a)], values[index(b)]);
            let t = (va / (va - vb)).clamp(AWAY, 1.0 - AWAY);
            let (pa, pb) = (self.place(block * BLOCK + a), self.place(block * BLOCK + b));
            piece.vertices.push((key, pa + t * (pb - pa)));
            (key, pa + t * (pb - pa))
        };
        let mut triangles = Vec::new();
        for z in 0..BLOCK {
            for y in 0..BLOCK {
                for x in 0..BLOCK {
                    let base = UVec3::new(x, y, z);
                    for order in ORDERS {
                        let mut corners = [base; 4];
                        for k in 0..3 {
                            corners[k + 1] = corners[k];
                            corners[k + 1][order[k]] += 1;
                        }
                        let below = corners.map(|c| values[index(c)] < 0.0);
                        cut(corners, below, &mut cross, &mut triangles);
                    }
                }
            }
        }
        piece.triangles = triangles;
        piece
    }
}

/// The six ways from one corner of a cube to the opposite one along its edges.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Triangles by the keys of their vertices, and vertices, some of them several times.
#[derive(Default)]
struct Piece {
    vertices: Vec<(u64, DVec3)>,
    triangles: Vec<[u64; 3]>,
}

/// The one or two triangles of a tet, facing from what is below to what is not.
fn cut(
    corners: [UVec3; 4],
    below: [bool; 4],
    cross: &mut impl FnMut(UVec3, UVec3) -> (u64, DVec3),
    triangles: &mut Vec<[u64; 3]>,
) {
    let count = below.iter().filter(|b| **b).count();
    if count == 0 || count == 4 {
        return;
    }
    let low: Vec<usize> = (0..4).filter(|&k| below[k]).collect();
    let high: Vec<usize> = (0..4).filter(|&k| !below[k]).collect();
    let mut at = |a: usize, b: usize| cross(corners[a.min(b)], corners[a.max(b)]);
    let middle = |set: &[usize]| {
        set.iter().map(|&k| corners[k].as_dvec3()).sum::<DVec3>() / set.len() as f64
    };
    let outward = middle(&high) - middle(&low);
    let mut push = |a: (u64, DVec3), b: (u64, DVec3), c: (u64, DVec3)| {
        let facing = (b.1 - a.1).cross(c.1 - a.1).dot(outward) > 0.0;
        triangles.push(if facing { [a.0, b.0, c.0] } else { [a.0, c.0, b.0] });
    };
    match (&low[..], &high[..]) {
        ([one], [a, b, c]) | ([a, b, c], [one]) => push(at(*one, *a), at(*one, *b), at(*one, *c)),
        ([a, b], [c, d]) => {
            let quad = [at(*a, *c), at(*a, *d), at(*b, *d), at(*b, *c)];
            push(quad[0], quad[1], quad[2]);
            push(quad[0], quad[2], quad[3]);
        }
        _ => {}
    }
}

/// Pieces put together: vertices with the same key are one.
fn join(pieces: &[Piece]) -> Mesh {
    let mut vertices: Vec<(u64, DVec3)> =
        pieces.iter().flat_map(|p| &p.vertices).copied().collect();
    vertices.sort_by_key(|v| v.0);
    vertices.dedup_by_key(|v| v.0);
    let number = |key: u64| vertices.partition_point(|v| v.0 < key) as u32;
    let triangles = pieces.iter().flat_map(|p| &p.triangles).map(|t| t.map(number)).collect();
    Mesh::surface(vertices.iter().map(|v| v.1).collect(), triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::{FindingKind, findings};

    fn knobbly(p: DVec3) -> f64 {
        p.length() - 0.7 - 0.1 * (9.0 * p.x).sin() * (8.0 * p.y).cos() * (7.0 * p.z).sin()
    }

    #[test]
    fn surfaces_are_closed_and_the_same_for_any_number_of_threads() {
        let lattice = Lattice { min: DVec3::splat(-1.0), max: DVec3::ONE, size: 0.05, slack: 0.3 };
        let one = march(&knobbly, &lattice, &Team::new(1)).unwrap();
        assert_eq!(one, march(&knobbly, &lattice, &Team::new(3)).unwrap());
        assert!(findings(&one).is_empty(), "{:?}", findings(&one));
        assert!(one.volume() > 1.0);
    }

    #[test]
    fn it_is_open_at_a_side_of_the_lattice_only() {
        let min = DVec3::new(0.0, -1.0, -1.0);
        let lattice = Lattice { min, max: DVec3::ONE, size: 0.05, slack: 0.3 };
        let half = march(&knobbly, &lattice, &Team::new(1)).unwrap();
        let kinds: Vec<FindingKind> = findings(&half).iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [FindingKind::OpenEdge]);
        assert!(half.positions.iter().all(|p| p.x >= 0.0));
        assert!(half.positions.iter().any(|p| p.x == 0.0));
    }

    #[test]
    fn a_lattice_that_cannot_be_is_refused() {
        for size in [0.0, -1.0, f64::NAN, 1e-9] {
            let lattice = Lattice { min: DVec3::ZERO, max: DVec3::ONE, size, slack: 0.0 };
            assert!(march(&knobbly, &lattice, &Team::new(1)).is_err());
        }
    }
}

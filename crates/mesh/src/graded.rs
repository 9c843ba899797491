//! Tets between a skin and bones, as large as is asked at each place.
//!
//! Lattices need several cells across a layer; flesh on a forehead is thinner than its triangles
//! are wide. So here points are put onto the surfaces and between them, as near to each other as is
//! asked, and those of their Delaunay tets that are inside are kept (restricted Delaunay;
//! Boissonnat and Oudot 2005). Every vertex of the boundary is then on a surface, and knows where.
//! Flat tets are taken off the boundary, and vertices moved until no shape is bad.

mod holes;
mod improve;
mod points;

use glam::DVec3;
use pliant_math::team::Team;

pub use self::improve::improve_shapes;
use self::improve::{Sheet, improve, peel};
use self::points::{inner_points, surface_points};
use crate::delaunay::delaunay;
use crate::error::MeshError;
use crate::mesh::Mesh;
use crate::quality;
use crate::signed_distance::{SignedDistance, evaluate};
use crate::soup::put_in_order;
use crate::surface_tree::{ClosestPoint, SurfaceTree};

/// What is asked of the tets.
pub struct GradedOptions<'a> {
    /// Wanted length of edges at a place (m).
    pub size: &'a (dyn Fn(DVec3) -> f64 + Sync),
    /// How far a place is inside of what is to be filled (m): elsewhere there are no tets.
    pub within: &'a (dyn Fn(DVec3) -> f64 + Sync),
    /// Whether there may be a tet with these corners: not across a slit, say.
    pub may_join: &'a (dyn Fn(&[DVec3; 4]) -> bool + Sync),
}

/// Tets between surfaces.
#[derive(Clone, Debug, Default)]
pub struct Graded {
    /// The tets, and their boundary.
    pub solid: Mesh,
    /// For every vertex the surface that it lies on, 0 the skin, then the bones, and where on it;
    /// `None` inside.
    pub surfaces: Vec<Option<(u32, ClosestPoint)>>,
    /// Whether a vertex lies where flesh goes on that was not to be filled.
    pub is_cut: Vec<bool>,
    /// The least dihedral angle (degrees).
    pub min_dihedral: f64,
}

/// Of five points in a tet, so many must be in the flesh.
const MOST_SAMPLES: usize = 3;
/// Tets with edges longer than this, in sizes, are not looked at: they are across a hollow.
const LONGEST: f64 = 4.0;
/// Rounds of taking off and moving.
const ROUNDS: usize = 4;

/// Fills the space inside `skin` and outside of `bones`.
///
/// ```
/// use pliant_math::team::Team;
/// use pliant_mesh::{DVec3, GradedOptions, shapes, tetrahedralise_graded};
/// let skin = shapes::solid_box(DVec3::splat(2.0), [6, 6, 6])?;
/// let bone = shapes::solid_box(DVec3::splat(1.6), [6, 6, 6])?;
/// let options = GradedOptions { size: &|_| 0.3, within: &|p| p.y + 0.5, may_join: &|_| true };
/// let flesh = tetrahedralise_graded(&skin, &[&bone], &options, &Team::new(1))?;
/// assert!(flesh.surfaces.iter().all(Option::is_some));
/// assert!(flesh.solid.positions.iter().all(|p| p.y > -1.0));
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn tetrahedralise_graded(
    skin: &Mesh,
    bones: &[&Mesh],
    options: &GradedOptions,
    team: &Team,
) -> Result<Graded, MeshError> {
    let surfaces: Vec<Mesh> = [skin]
        .iter()
        .chain(bones)
        .map(|surface| holes::closed(put_in_order(surface).mesh))
        .collect();
    if surfaces[0].triangles.is_empty() {
        return Err(MeshError::NothingToFill);
    }
    let distances: Vec<SignedDistance> = surfaces.iter().map(SignedDistance::new).collect();
    let flesh = Flesh { distances: &distances };
    let (mut points, mut labels) = (Vec::new(), Vec::new());
    for (label, surface) in (0u32..).zip(&surfaces) {
        let own = surface_points(surface, &distances[label as usize], options, team);
        // What lies inside of another bone, or outside of the skin, bounds nothing.
        let others = |p: DVec3| {
            distances
                .iter()
                .enumerate()
                .all(|(k, d)| k == label as usize || (d.winding(p) >= 0.5) == (k == 0))
        };
        let real = evaluate(&own, team, others);
        points.extend(own.iter().zip(&real).filter(|(_, real)| **real).map(|(p, _)| *p));
        labels.resize(points.len(), Some(label));
    }
    points.extend(inner_points(&flesh, options, team)?);
    labels.resize(points.len(), None);
    let all = delaunay(&points);
    let (kept, is_cut) = flesh.carve(&points, all, options, team);
    let kept = largest_piece(&kept);
    if kept.is_empty() {
        return Err(MeshError::NothingToFill);
    }
    let (mut sheet, numbers) = Sheet::compact(&points, &labels, kept);
    let is_cut: Vec<bool> = numbers.iter().map(|&v| is_cut[v as usize]).collect();
    for round in 0..ROUNDS {
        peel(&mut sheet, &is_cut);
        improve(&mut sheet, &distances, round as u32);
    }
    peel(&mut sheet, &is_cut);
    let kept = largest_piece(&sheet.tets);
    let (sheet, numbers) = Sheet::compact(&sheet.positions, &sheet.labels, kept);
    let is_cut = numbers.iter().map(|&v| is_cut[v as usize]).collect();
    let ids: Vec<u32> = (0..sheet.positions.len() as u32).collect();
    // On the surfaces as they were given, whose triangles the caller knows.
    let given: Vec<SurfaceTree> = [skin].iter().chain(bones).map(|s| SurfaceTree::new(s)).collect();
    let on = evaluate(&ids, team, |v| {
        let label = sheet.labels[v as usize]?;
        let found = given[label as usize].closest(sheet.positions[v as usize])?;
        Some((label, found))
    });
    let solid = Mesh::solid(sheet.positions, sheet.tets);
    let min_dihedral = quality::min_dihedral(&solid);
    Ok(Graded { solid, surfaces: on, is_cut, min_dihedral })
}

/// What is inside the first surface and outside of the others.
struct Flesh<'a> {
    distances: &'a [SignedDistance],
}

impl Flesh<'_> {
    fn holds(&self, point: DVec3) -> bool {
        self.distances.iter().enumerate().all(|(k, d)| (d.winding(point) >= 0.5) == (k == 0))
    }

    /// Signed distance from the boundary, positive in the flesh (m).
    fn depth(&self, point: DVec3) -> f64 {
        let mut reach = f64::INFINITY;
        for distance in self.distances {
            if let Some(found) = distance.tree().closest_within(point, reach) {
                reach = found.distance;
            }
        }
        if self.holds(point) { reach } else { -reach }
    }

    /// The tets that are in the flesh and in what is to be filled, and which vertices are on the
    /// border between that and flesh that is not.
    fn carve(
        &self,
        points: &[DVec3],
        tets: Vec<[u32; 4]>,
        options: &GradedOptions,
        team: &Team,
    ) -> (Vec<[u32; 4]>, Vec<bool>) {
        let is_flesh = evaluate(&tets, team, |tet| {
            let corners = tet.map(|v| points[v as usize]);
            let middle = corners.iter().sum::<DVec3>() * 0.25;
            let longest = LONGEST * (options.size)(middle);
            let edges = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let far = |&(a, b): &(usize, usize)| corners[a].distance(corners[b]) > longest;
            if edges.iter().any(far) || !(options.may_join)(&corners) {
                return false;
            }
            let samples = corners.iter().map(|c| middle.lerp(*c, 0.45)).chain([middle]);
            samples.filter(|p| self.holds(*p)).count() >= MOST_SAMPLES
        });
        let is_asked = |tet: &[u32; 4]| {
            (options.within)(tet.iter().map(|&v| points[v as usize]).sum::<DVec3>() * 0.25) > 0.0
        };
        let mut beyond = vec![false; points.len()];
        let mut kept = Vec::new();
        for (tet, _) in tets.into_iter().zip(is_flesh).filter(|(_, flesh)| *flesh) {
            if is_asked(&tet) {
                kept.push(tet);
            } else {
                tet.iter().for_each(|&v| beyond[v as usize] = true);
            }
        }
        (kept, beyond)
    }
}

/// The tets of the piece, connected by faces, that has the most.
fn largest_piece(tets: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * tets.len());
    for (t, tet) in (0u32..).zip(tets) {
        for skip in 0..4 {
            let mut face = [0; 3];
            let others = (0..4).filter(|&k| k != skip).map(|k| tet[k]);
            face.iter_mut().zip(others).for_each(|(f, v)| *f = v);
            face.sort_unstable();
            faces.push((face, t));
        }
    }
    faces.sort_unstable();
    let mut parent: Vec<u32> = (0..tets.len() as u32).collect();
    fn root(parent: &mut [u32], mut t: u32) -> u32 {
        while parent[t as usize] != t {
            parent[t as usize] = parent[parent[t as usize] as usize];
            t = parent[t as usize];
        }
        t
    }
    for pair in faces.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let (a, b) = (root(&mut parent, pair[0].1), root(&mut parent, pair[1].1));
        parent[a.max(b) as usize] = a.min(b);
    }
    let mut count = vec![0usize; tets.len()];
    for t in 0..tets.len() as u32 {
        count[root(&mut parent, t) as usize] += 1;
    }
    let Some(best) = (0..tets.len()).max_by_key(|&t| (count[t], std::cmp::Reverse(t))) else {
        return Vec::new();
    };
    (0..tets.len() as u32)
        .filter(|&t| root(&mut parent, t) as usize == best)
        .map(|t| tets[t as usize])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    fn shell(outer: f64, inner: f64) -> (Mesh, Mesh) {
        let ball = |radius: f64| {
            let lattice = crate::isosurface::Lattice {
                min: DVec3::splat(-1.3),
                max: DVec3::splat(1.3),
                size: 0.1,
                slack: 0.0,
            };
            crate::isosurface::march(&move |p: DVec3| p.length() - radius, &lattice, &Team::new(1))
                .unwrap()
        };
        (ball(outer), ball(inner))
    }

    #[test]
    fn a_layer_thinner_than_its_tets_are_wide_has_no_hole() {
        let (skin, bone) = shell(1.0, 0.9);
        let options =
            GradedOptions { size: &|_| 0.16, within: &|p| p.z + 0.5, may_join: &|_| true };
        let flesh = tetrahedralise_graded(&skin, &[&bone], &options, &Team::new(2)).unwrap();
        // A shell of that thickness, cut off at z = −0.5.
        let cap =
            |r: f64| std::f64::consts::PI * (r - 0.5f64).powi(2) * (3.0 * r - (r - 0.5)) / 3.0;
        let whole = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r.powi(3) - cap(r);
        let exact = whole(1.0) - whole(0.9);
        let volume = flesh.solid.volume();
        assert!((volume / exact - 1.0).abs() < 0.05, "{volume} of {exact}");
        assert_eq!(quality::inverted(&flesh.solid), 0);
        assert!(flesh.min_dihedral > 5.0, "{}", flesh.min_dihedral);
        assert!(flesh.is_cut.iter().any(|cut| *cut));
        for (p, on) in flesh.solid.positions.iter().zip(&flesh.surfaces) {
            let (_, found) = on.unwrap();
            assert!(found.distance < 1e-6, "{p} is off by {}", found.distance);
        }
    }

    #[test]
    fn sizes_are_met_the_bits_are_the_same_and_nothing_is_refused_politely() {
        let skin = shapes::jelly(16).unwrap();
        let extent = skin.bounds().unwrap().size().max_element();
        let size = |p: DVec3| extent * (0.05 + 0.1 * (p.x / extent + 0.5).clamp(0.0, 1.0));
        let options = GradedOptions { size: &size, within: &|_| 1.0, may_join: &|_| true };
        let skin = Mesh::surface(skin.positions, skin.triangles);
        let one = tetrahedralise_graded(&skin, &[], &options, &Team::new(1)).unwrap();
        let two = tetrahedralise_graded(&skin, &[], &options, &Team::new(2)).unwrap();
        assert_eq!(one.solid, two.solid);
        assert!((one.solid.volume() / skin.volume() - 1.0).abs() < 0.06);
        let ratios: Vec<f64> = crate::edges_of_tets(&one.solid.tets)
            .iter()
            .map(|[a, b]| {
                let (a, b) = (one.solid.positions[*a as usize], one.solid.positions[*b as usize]);
                a.distance(b) / size(0.5 * (a + b))
            })
            .collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        assert!((0.8..1.4).contains(&mean), "edges are {mean} of their size");
        let nothing = tetrahedralise_graded(&Mesh::default(), &[], &options, &Team::new(1));
        assert_eq!(nothing.unwrap_err(), MeshError::NothingToFill);
    }
}

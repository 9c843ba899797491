//! Corresponding points of two skins, which transfer regions, colours and shapes between them.

use glam::DVec3;
use pliant_math::team::{SharedSlice, Team};
use pliant_mesh::{Attribute, ClosestPoint, Group, Mesh, SurfaceTree};

use crate::template::{Blendshape, Template};
use crate::vertex_normals::vertex_normals;

/// How far into the flesh one looks from, the nearest first (m): at a slit, what is closest to the
/// skin may be the other lip.
const LOOK_FROM: [f64; 4] = [0.0, 0.001, 0.002, 0.004];
/// Cosine of the angle between normals of places that are alike.
const ALIKE: f64 = 0.3;
/// Lips by side: outer, inner.
const LIPS: [[&str; 2]; 2] = [["upper_lip", "upper_lip_inner"], ["lower_lip", "lower_lip_inner"]];
/// What of the opening of the jaw moves a lip that is the lower.
const LOWER: f64 = 0.5;

/// For every vertex of `skin` the place of the other mesh, which was warped onto it, that it is
/// like.
pub fn correspondence(skin: &Mesh, warped: &Mesh, team: &Team) -> Vec<Option<ClosestPoint>> {
    let tree = SurfaceTree::new(warped);
    let (own, other) = (vertex_normals(&skin.positions, &skin.triangles), face_normals(warped));
    let mut found = vec![None; skin.positions.len()];
    let shared = SharedSlice::new(&mut found);
    team.each(skin.positions.len(), &|v, _thread| {
        let look = |by: f64| tree.closest(skin.positions[v] - by * own[v]);
        let agrees = |c: &ClosestPoint| other[c.triangle as usize].dot(own[v]) > ALIKE;
        let best = LOOK_FROM.into_iter().filter_map(look).find(agrees).or_else(|| look(0.001));
        // SAFETY: every item has its own vertex.
        unsafe { *shared.at(v) = best };
    });
    found
}

/// The regions of a template on a skin that is like it. Lips are told by what opening the jaw does
/// to them (m), where that is known.
pub fn regions(
    template: &Template,
    like: &[Option<ClosestPoint>],
    opening: Option<&[DVec3]>,
) -> Vec<Group> {
    let count = template.skin.mesh.positions.len();
    let nearest = |c: &ClosestPoint| {
        let corners = template.skin.mesh.triangles[c.triangle as usize];
        let k = (0..3).max_by(|&a, &b| c.weights[a].total_cmp(&c.weights[b])).unwrap_or(0);
        corners[k] as usize
    };
    let likened: Vec<Option<usize>> = like.iter().map(|c| c.as_ref().map(nearest)).collect();
    let members = |region: &Group| -> Vec<u32> {
        let mut holds = vec![false; count];
        region.vertices.iter().for_each(|&v| holds[v as usize] = true);
        (0u32..)
            .zip(&likened)
            .filter(|(_, n)| n.is_some_and(|n| holds[n]))
            .map(|(v, _)| v)
            .collect()
    };
    let mut found: Vec<Group> =
        template.regions.iter().map(|r| Group::new(r.name.clone(), members(r))).collect();
    if let Some(opening) = opening {
        tell_lips(&mut found, opening);
    }
    found
}

fn tell_lips(regions: &mut [Group], opening: &[DVec3]) {
    let place = |regions: &[Group], name: &str| regions.iter().position(|r| r.name == name);
    let far = |v: &u32| opening.get(*v as usize).map_or(0.0, |d| d.length());
    let Some(lower) = place(regions, LIPS[1][0]) else { return };
    // Most of the lower lip goes all the way; some that was taken for it may not.
    let mut ways: Vec<f64> = regions[lower].vertices.iter().map(far).collect();
    ways.sort_by(f64::total_cmp);
    let Some(whole) = ways.get(ways.len() * 3 / 4).copied().filter(|way| *way > 0.0) else {
        return;
    };
    for depth in 0..2 {
        let [Some(upper), Some(lower)] = [0, 1].map(|side| place(regions, LIPS[side][depth]))
        else {
            continue;
        };
        let both = [&regions[upper].vertices[..], &regions[lower].vertices[..]].concat();
        let (down, up) = both.into_iter().partition(|v| far(v) > LOWER * whole);
        regions[upper] = Group::new(LIPS[0][depth], up);
        regions[lower] = Group::new(LIPS[1][depth], down);
    }
}

/// An attribute of the template's skin on another.
pub fn attribute(
    template: &Template,
    like: &[Option<ClosestPoint>],
    name: &str,
) -> Option<Attribute> {
    let known = template.skin.attributes.iter().find(|a| a.name == name)?;
    let at = |v: u32, k: usize| known.values[v as usize * known.components + k];
    let value = |c: &Option<ClosestPoint>, k: usize| {
        let Some(c) = c else { return 0.0 };
        let corners = template.skin.mesh.triangles[c.triangle as usize];
        (0..3).map(|i| c.weights[i] * at(corners[i], k)).sum()
    };
    let values =
        like.iter().flat_map(|c| (0..known.components).map(move |k| value(c, k))).collect();
    Some(Attribute { values, ..known.clone() })
}

/// A template's shape on a skin that is like it.
pub fn shape(
    template: &Template,
    shape: &Blendshape,
    like: &[Option<ClosestPoint>],
    carried: impl Fn(DVec3) -> DVec3,
) -> Blendshape {
    let moved = |c: &Option<ClosestPoint>| {
        let Some(c) = c else { return DVec3::ZERO };
        let corners = template.skin.mesh.triangles[c.triangle as usize];
        let way = (0..3).map(|i| c.weights[i] * shape.displacement[corners[i] as usize]).sum();
        carried(way)
    };
    Blendshape { name: shape.name.clone(), displacement: like.iter().map(moved).collect() }
}

/// Outward, per triangle; zero where it has no area.
pub fn face_normals(mesh: &Mesh) -> Vec<DVec3> {
    let normal = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        (b - a).cross(c - a).normalize_or_zero()
    };
    mesh.triangles.iter().map(normal).collect()
}

//! Triangles ready for drawing: finite, relative to the view's target, with a normal per corner.
//!
//! A corner's normal is the area-weighted mean of the faces around its vertex that lie within
//! [`CREASE`] of its own face, so that smooth surfaces look smooth and boxes keep their edges.

use glam::{DVec3, Vec3};

use super::scene::{Object, Scene};
use crate::picture::linear;

/// Cosine of the angle between two faces beyond which the edge between them stays sharp (50°).
const CREASE: f32 = 0.642_787_6;

/// Colour of highlighted triangles (sRGB).
const HIGHLIGHT: [f32; 3] = [0.93, 0.05, 0.08];

/// A triangle in coordinates relative to the drawing's origin.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    pub corners: [Vec3; 3],
    pub normals: [Vec3; 3],
    /// Unit normal of the plane.
    pub plane: Vec3,
    /// Number of the object in the scene.
    pub object: u32,
    /// Number of the triangle in the object.
    pub triangle: u32,
}

/// All facets of a scene, with the linear colours of their corners where they differ from
/// the material's.
#[derive(Debug, Default)]
pub struct Facets {
    pub list: Vec<Facet>,
    /// Per object and triangle; empty where the material's colour holds everywhere.
    pub colours: Vec<Vec<[Vec3; 3]>>,
    /// Linear colour of each object's material.
    pub plain: Vec<Vec3>,
}

impl Facets {
    pub fn of(scene: &Scene, origin: DVec3) -> Facets {
        let mut facets = Facets::default();
        for (number, object) in scene.objects.iter().enumerate() {
            append(&mut facets.list, object, number as u32, origin);
            facets.colours.push(colours(object));
            facets.plain.push(linear(object.material.colour));
        }
        facets
    }
}

fn append(list: &mut Vec<Facet>, object: &Object, number: u32, origin: DVec3) {
    let points: Vec<Vec3> = object.positions.iter().map(|p| (p - origin).as_vec3()).collect();
    let corners = |triangle: &[u32; 3]| -> Option<[Vec3; 3]> {
        let [a, b, c] = triangle.map(|v| points.get(v as usize).copied());
        let corners = [a?, b?, c?];
        corners.iter().all(|p| p.is_finite()).then_some(corners)
    };
    // Twice the area times the normal, so that sums are weighted by area.
    let spans: Vec<Vec3> = object
        .triangles
        .iter()
        .map(|t| corners(t).map_or(Vec3::ZERO, |[a, b, c]| (b - a).cross(c - a)))
        .map(|s| if s.is_finite() { s } else { Vec3::ZERO })
        .collect();
    let units: Vec<Vec3> = spans.iter().map(|s| s.normalize_or_zero()).collect();
    let around = Incidence::of(object.triangles, points.len());

    list.reserve(object.triangles.len());
    for (index, triangle) in object.triangles.iter().enumerate() {
        let plane = units[index];
        let Some(corners) = corners(triangle) else { continue };
        if plane == Vec3::ZERO {
            continue;
        }
        let normals = triangle.map(|vertex| {
            let sum: Vec3 = around
                .of_vertex(vertex)
                .iter()
                .filter(|&&t| units[t as usize].dot(plane) > CREASE)
                .map(|&t| spans[t as usize])
                .sum();
            sum.normalize_or(plane)
        });
        list.push(Facet { corners, normals, plane, object: number, triangle: index as u32 });
    }
}

fn colours(object: &Object) -> Vec<[Vec3; 3]> {
    let per_vertex = object.colours.filter(|c| c.len() == object.positions.len());
    if per_vertex.is_none() && object.highlighted.is_empty() {
        return Vec::new();
    }
    let plain = linear(object.material.colour);
    let mut colours: Vec<[Vec3; 3]> = object
        .triangles
        .iter()
        .map(|t| {
            t.map(|v| per_vertex.and_then(|c| c.get(v as usize)).map_or(plain, |&c| linear(c)))
        })
        .collect();
    for &triangle in object.highlighted {
        if let Some(entry) = colours.get_mut(triangle as usize) {
            *entry = [linear(HIGHLIGHT); 3];
        }
    }
    colours
}

/// For every vertex, the triangles that use it, ascending.
struct Incidence {
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Incidence {
    fn of(triangles: &[[u32; 3]], vertices: usize) -> Incidence {
        let mut starts = vec![0u32; vertices + 1];
        let valid = || {
            triangles.iter().enumerate().flat_map(|(t, corners)| {
                corners
                    .iter()
                    .filter(|&&v| (v as usize) < vertices)
                    .map(move |&v| (t as u32, v as usize))
            })
        };
        for (_, vertex) in valid() {
            starts[vertex + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut list = vec![0u32; starts[vertices] as usize];
        for (triangle, vertex) in valid() {
            list[next[vertex] as usize] = triangle;
            next[vertex] += 1;
        }
        Incidence { starts, triangles: list }
    }

    fn of_vertex(&self, vertex: u32) -> &[u32] {
        let range =
            self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize;
        &self.triangles[range]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::scene::Material;

    /// Two squares that meet at an edge along z, the second folded up by `angle` degrees.
    fn fold(angle: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let (s, c) = angle.to_radians().sin_cos();
        let points =
            [-1.0, 0.0].map(|x| [DVec3::new(x, 0.0, 0.0), DVec3::new(x, 0.0, -1.0)]).concat();
        let points = [points, vec![DVec3::new(c, s, 0.0), DVec3::new(c, s, -1.0)]].concat();
        (points, vec![[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]])
    }

    fn normals_at_fold(angle: f64) -> (Vec3, Vec3) {
        let (points, triangles) = fold(angle);
        let scene = Scene {
            objects: vec![Object::new(&points[..], &triangles, Material::PLASTER)],
            ..Scene::default()
        };
        let facets = Facets::of(&scene, DVec3::ZERO).list;
        (facets[0].normals[1], facets[2].normals[0])
    }

    #[test]
    fn gentle_folds_are_smooth_and_sharp_ones_creased() {
        let (left, right) = normals_at_fold(30.0);
        assert!(left.dot(right) > 0.99, "{left} {right}");
        let (left, right) = normals_at_fold(80.0);
        assert!(left.dot(Vec3::Y) > 0.999 && right.dot(Vec3::Y) < 0.2, "{left} {right}");
    }

    #[test]
    fn broken_triangles_are_left_out() {
        let points = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [f32::NAN, 0.0, 0.0]];
        let triangles = [[0, 1, 2], [0, 1, 3], [0, 1, 9], [0, 0, 1], [u32::MAX, 1, 2]];
        let scene = Scene {
            objects: vec![Object::new(&points[..], &triangles, Material::PLASTER)],
            ..Scene::default()
        };
        let facets = Facets::of(&scene, DVec3::ZERO).list;
        assert_eq!(facets.iter().map(|f| f.triangle).collect::<Vec<_>>(), [0]);
    }
}

//! A surface from a file as an obstacle: signed distance by the closest point, side by the winding
//! number, and a grid of what is certain.
//!
//! Most questions are asked by vertices that do not touch. A grid over the surface's box knows the
//! cells that the surface does not reach: those outside are answered at once, and inside the side
//! is known without summing up a winding number. Cells that the surface does reach are cut once
//! more, into smaller ones that are looked at when somebody first asks for them.

use std::sync::atomic::{AtomicU8, Ordering};

use glam::DVec3;
use pliant_mesh::{Bounds, Mesh, SignedDistance, boundary_of_tets};

use crate::error::ShapeError;

/// Cells along the longest side of the grid.
const CELLS: usize = 32;
/// Small cells along the side of one that the surface reaches.
const SMALL: usize = 8;

/// A surface that knows its inside. Triangles may face in or out, all alike; where a surface is not
/// closed, inside is where it goes round at least half.
#[derive(Debug)]
pub struct MeshShape {
    surface: Mesh,
    distance: SignedDistance,
    bounds: Bounds,
    /// 1 if the triangles face outward, −1 if inward.
    orientation: f64,
    cell: f64,
    counts: [usize; 3],
    /// Of every cell; of one with both sides, `!k` for the k-th block of small cells.
    cells: Vec<i32>,
    /// Sides of small cells as numbers, zero before somebody asks.
    small: Vec<AtomicU8>,
}

/// What is known of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Inside = 1,
    Outside = 2,
    Both = 3,
}

/// Two are the same where their triangles are.
impl PartialEq for MeshShape {
    fn eq(&self, other: &Self) -> bool {
        let triangles = |shape: &Self| -> Vec<[DVec3; 3]> {
            let at = |v: u32| shape.surface.positions[v as usize];
            shape.surface.triangles.iter().map(|t| t.map(at)).collect()
        };
        std::ptr::eq(self, other) || triangles(self) == triangles(other)
    }
}

impl MeshShape {
    /// Of the triangles of a mesh \[m\], or the outer faces of its tets.
    ///
    /// # Errors
    /// The mesh has no triangles, no finite corners, or no size.
    pub fn new(mesh: &Mesh) -> Result<Self, ShapeError> {
        let triangles = match mesh.triangles.is_empty() {
            true => boundary_of_tets(&mesh.tets),
            false => mesh.triangles.clone(),
        };
        if triangles.is_empty() {
            return Err(ShapeError::NoTriangles);
        }
        let surface = Mesh::surface(mesh.positions.clone(), triangles);
        let mut corners = Vec::new();
        for (t, triangle) in surface.triangles.iter().enumerate() {
            for &v in triangle {
                let at = surface.positions.get(v as usize).filter(|x| x.is_finite());
                let missing = || ShapeError::NotFinite { triangle: t, vertex: v };
                corners.push(*at.ok_or_else(missing)?);
            }
        }
        let bounds = Bounds::of(&corners).ok_or(ShapeError::NoTriangles)?;
        let size = bounds.size().max_element();
        if !(size > 0.0 && size.is_finite()) {
            return Err(ShapeError::NoSize);
        }
        // About its middle, so that a gap counts the same from every side.
        let middle = bounds.center();
        let volume: f64 = corners
            .chunks_exact(3)
            .map(|c| (c[0] - middle).dot((c[1] - middle).cross(c[2] - middle)))
            .sum();
        let cell = size / CELLS as f64;
        let counts = bounds.size().to_array().map(|s| ((s / cell).ceil() as usize).clamp(1, CELLS));
        let mut shape = MeshShape {
            distance: SignedDistance::new(&surface),
            surface,
            bounds,
            orientation: if volume < 0.0 { -1.0 } else { 1.0 },
            cell,
            counts,
            cells: Vec::new(),
            small: Vec::new(),
        };
        shape.cells = shape.classified();
        let blocks = shape.cells.iter().filter(|cell| **cell < 0).count();
        shape.small.resize_with(blocks * SMALL.pow(3), AtomicU8::default);
        Ok(shape)
    }

    /// Signed distance \[m\], negative inside, and the outward normal of length 1.
    pub fn nearest(&self, x: DVec3) -> (f64, DVec3) {
        let is_inside = match self.side(x) {
            Side::Inside => true,
            Side::Outside => false,
            Side::Both => self.winds_round(x),
        };
        self.at_side(x, is_inside)
    }

    /// As [`nearest`](Self::nearest), if x is inside.
    pub fn inside(&self, x: DVec3) -> Option<(f64, DVec3)> {
        let is_inside = match self.side(x) {
            Side::Inside => true,
            Side::Outside => false,
            Side::Both => self.winds_round(x),
        };
        is_inside.then(|| self.at_side(x, true))
    }

    /// The box around it.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// A ball around it.
    pub fn ball(&self) -> (DVec3, f64) {
        (self.bounds.center(), 0.5 * self.bounds.size().length())
    }

    fn winds_round(&self, x: DVec3) -> bool {
        self.orientation * self.distance.winding(x) >= 0.5
    }

    fn at_side(&self, x: DVec3, is_inside: bool) -> (f64, DVec3) {
        let side = if is_inside { -1.0 } else { 1.0 };
        let Some(closest) = self.distance.tree().closest(x) else {
            return (f64::INFINITY, DVec3::Y);
        };
        let away = (x - closest.point) * side;
        // On the surface itself its triangle has the direction.
        let normal = away.try_normalize().unwrap_or_else(|| {
            let [a, b, c] = self.surface.triangles[closest.triangle as usize]
                .map(|v| self.surface.positions[v as usize]);
            ((b - a).cross(c - a) * self.orientation).normalize_or(DVec3::Y)
        });
        (side * closest.distance, normal)
    }

    fn side(&self, x: DVec3) -> Side {
        let at = (x - self.bounds.min) / self.cell;
        let (mut index, mut place) = (0, [0; 3]);
        for k in (0..3).rev() {
            // False for what is no number.
            let within = at[k] >= 0.0 && x[k] <= self.bounds.max[k];
            if !within {
                return Side::Outside;
            }
            place[k] = (at[k] as usize).min(self.counts[k] - 1);
            index = index * self.counts[k] + place[k];
        }
        match self.cells[index] {
            known if known == Side::Inside as i32 => Side::Inside,
            known if known == Side::Outside as i32 => Side::Outside,
            block => self.side_within(at, place, !block as usize),
        }
    }

    /// Of a point in units of cells, in the small cells of a cell.
    fn side_within(&self, at: DVec3, cell: [usize; 3], block: usize) -> Side {
        let (mut index, mut middle) = (0, DVec3::ZERO);
        for k in (0..3).rev() {
            let small = ((at[k] - cell[k] as f64) * SMALL as f64) as usize;
            let small = small.min(SMALL - 1);
            index = index * SMALL + small;
            middle[k] = cell[k] as f64 + (small as f64 + 0.5) / SMALL as f64;
        }
        let known = &self.small[block * SMALL.pow(3) + index];
        // Whoever asks first writes what anybody would.
        match known.load(Ordering::Relaxed) {
            1 => Side::Inside,
            2 => Side::Outside,
            3 => Side::Both,
            _ => {
                let side = self.side_around(self.bounds.min + middle * self.cell, SMALL);
                known.store(side as u8, Ordering::Relaxed);
                side
            }
        }
    }

    /// Of all cells, x fastest.
    fn classified(&self) -> Vec<i32> {
        let [nx, ny, nz] = self.counts;
        let mut blocks = 0;
        (0..nx * ny * nz)
            .map(|i| {
                let place = [i % nx, i / nx % ny, i / (nx * ny)].map(|k| k as f64 + 0.5);
                let middle = self.bounds.min + DVec3::from_array(place) * self.cell;
                match self.side_around(middle, 1) {
                    Side::Both => {
                        blocks += 1;
                        -blocks
                    }
                    side => side as i32,
                }
            })
            .collect()
    }

    /// Of a cell with a middle, a part of the grid's in size.
    fn side_around(&self, middle: DVec3, part: usize) -> Side {
        // Half a cell's diagonal; the last cells along an axis may be a little larger.
        let reach = self.cell * 0.75f64.sqrt() * (1.0 + 1e-6) / part as f64;
        if self.distance.tree().closest_within(middle, reach).is_some() {
            Side::Both
        } else if self.winds_round(middle) {
            Side::Inside
        } else {
            Side::Outside
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    fn cuboid() -> MeshShape {
        let solid = shapes::solid_box(DVec3::new(1.0, 0.6, 0.8), [5, 3, 4]).unwrap();
        MeshShape::new(&solid).unwrap()
    }

    fn points() -> impl Iterator<Item = DVec3> {
        (0..3000)
            .map(f64::from)
            .map(|t| DVec3::new((1.3 * t).sin(), (0.7 * t).cos(), (2.1 * t + 1.0).sin()))
    }

    #[test]
    fn a_box_of_triangles_is_a_box() {
        let (shape, written) = (
            cuboid(),
            crate::Shape::cuboid(DVec3::new(-0.5, -0.3, -0.4), DVec3::new(0.5, 0.3, 0.4)),
        );
        for x in points() {
            let (distance, _) = shape.nearest(x);
            let expected = written.nearest(x);
            assert!((distance - expected.distance).abs() < 1e-12, "{distance} at {x}");
            assert_eq!(shape.inside(x).is_some(), expected.distance < 0.0, "at {x}");
        }
    }

    #[test]
    fn normals_are_the_slope_of_the_distance() {
        let solid = shapes::jelly(10).unwrap();
        let shape = MeshShape::new(&solid).unwrap();
        let (center, radius) = shape.ball();
        let mut checked = 0;
        for x in points().map(|u| center + 0.7 * radius * u) {
            let (distance, normal) = shape.nearest(x);
            assert!((normal.length() - 1.0).abs() < 1e-12);
            let step = 1e-7 * radius;
            let ahead = shape.nearest(x + normal * step).0;
            if (shape.nearest(x - normal * step).0 - 2.0 * distance + ahead).abs() > 1e-3 * step {
                // Two surface points are equally near.
                continue;
            }
            assert!(((ahead - distance) / step - 1.0).abs() < 1e-4, "at {x}");
            checked += 1;
        }
        assert!(checked > 2500, "{checked}");
    }

    #[test]
    fn what_faces_inward_has_the_same_inside() {
        let mut solid = shapes::jelly(8).unwrap();
        let outward = MeshShape::new(&solid).unwrap();
        solid.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        let inward = MeshShape::new(&solid).unwrap();
        for x in points() {
            assert_eq!(outward.inside(x).is_some(), inward.inside(x).is_some(), "at {x}");
        }
    }

    #[test]
    fn bad_surfaces_are_refused_and_bad_points_are_outside() {
        let refused = |mesh: &Mesh| MeshShape::new(mesh).unwrap_err().to_string();
        assert_eq!(refused(&Mesh::default()), "has no triangles");
        let broken = Mesh::surface(vec![DVec3::ZERO, DVec3::X], vec![[0, 1, 7]]);
        assert_eq!(refused(&broken), "triangle 0 has no finite vertex 7");
        let point = Mesh::surface(vec![DVec3::ONE; 3], vec![[0, 1, 2]]);
        assert_eq!(refused(&point), "has no size");
        for x in [DVec3::NAN, DVec3::INFINITY, DVec3::splat(1e300)] {
            assert_eq!(cuboid().inside(x), None);
        }
    }
}

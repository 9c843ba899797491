//! Which triangle is seen where: a tiled depth buffer with eight samples per pixel.
//!
//! Corners are snapped to 1/256 pixel; edge functions of snapped corners are integers below
//! 2⁵³, so `f64` evaluates them exactly and two triangles never both cover, nor both miss, a
//! sample on the edge they share (top-left rule). Depth is kept as 1 ÷ distance along the view,
//! which is affine in the picture. Every sample depends on triangle order alone, so the result
//! is the same for any number of threads.

use glam::{DVec3, Vec3};

use super::camera::View;
use super::facets::Facet;

/// Side of a tile \[px\].
pub const TILE: usize = 32;
/// Samples per pixel.
pub const SAMPLES: usize = 8;
/// Nothing is seen.
pub const NOTHING: u32 = u32::MAX;
/// The ground is seen.
pub const GROUND: u32 = u32::MAX - 1;

/// Sample positions in sixteenths of a pixel: eight queens, no two in a row or column.
pub const PATTERN: [[u8; 2]; SAMPLES] =
    [[9, 5], [7, 11], [13, 9], [5, 3], [3, 13], [1, 7], [11, 15], [15, 1]];

const SUBPIXELS: f64 = 256.0;

/// A triangle in the picture, ready to be tested against samples.
struct Projected {
    facet: u32,
    /// Edge functions a·x + b·y + c ≥ 0 inside, in snapped units.
    edges: [[f64; 3]; 3],
    /// 1 ÷ depth as an affine function of snapped units.
    nearness: [f64; 3],
    /// First and last pixel, both inclusive.
    columns: [u32; 2],
    rows: [u32; 2],
}

/// All projected triangles, sorted into tiles.
pub struct Bins {
    triangles: Vec<Projected>,
    starts: Vec<u32>,
    members: Vec<u32>,
    tiles_across: usize,
    tiles_down: usize,
}

impl Bins {
    /// Projects, clips and bins. `view` is relative to the same origin as the facets.
    pub fn new(facets: &[Facet], view: &View, width: usize, height: usize, near: f64) -> Bins {
        let mut triangles = Vec::with_capacity(facets.len());
        for (index, facet) in facets.iter().enumerate() {
            let corners = facet.corners.map(Vec3::as_dvec3);
            clip(corners, view, near, |triangle| {
                triangles.extend(project(triangle, index as u32, width, height));
            });
        }
        let (tiles_across, tiles_down) = (width.div_ceil(TILE), height.div_ceil(TILE));
        let mut starts = vec![0u32; tiles_across * tiles_down + 1];
        for_each_tile(&triangles, tiles_across, |_, tile| starts[tile + 1] += 1);
        for tile in 1..starts.len() {
            starts[tile] += starts[tile - 1];
        }
        let mut next = starts.clone();
        let mut members = vec![0u32; starts[starts.len() - 1] as usize];
        for_each_tile(&triangles, tiles_across, |triangle, tile| {
            members[next[tile] as usize] = triangle;
            next[tile] += 1;
        });
        Bins { triangles, starts, members, tiles_across, tiles_down }
    }

    pub fn tile_count(&self) -> usize {
        self.tiles_across * self.tiles_down
    }

    /// Pixel of the tile's top left corner.
    pub fn corner(&self, tile: usize) -> [usize; 2] {
        [tile % self.tiles_across * TILE, tile / self.tiles_across * TILE]
    }

    /// Fills `samples` with what is seen in `tile`; `ground` is 1 ÷ depth of the floor as an
    /// affine function of pixels.
    pub fn resolve(&self, tile: usize, ground: Option<[f64; 3]>, samples: &mut Samples) {
        let corner = self.corner(tile);
        samples.clear(corner, ground);
        for &member in &self.members[self.starts[tile] as usize..self.starts[tile + 1] as usize] {
            samples.cover(&self.triangles[member as usize], corner);
        }
    }
}

/// What is seen at the samples of one tile.
pub struct Samples {
    /// 1 ÷ depth.
    nearness: Vec<[f32; SAMPLES]>,
    /// Facet number, [`GROUND`] or [`NOTHING`].
    pub seen: Vec<[u32; SAMPLES]>,
}

impl Samples {
    pub fn new() -> Samples {
        Samples {
            nearness: vec![[0.0; SAMPLES]; TILE * TILE],
            seen: vec![[NOTHING; SAMPLES]; TILE * TILE],
        }
    }

    fn clear(&mut self, corner: [usize; 2], ground: Option<[f64; 3]>) {
        let Some([a, b, c]) = ground else {
            self.nearness.fill([0.0; SAMPLES]);
            self.seen.fill([NOTHING; SAMPLES]);
            return;
        };
        let offsets = PATTERN.map(|[x, y]| ((a * f64::from(x) + b * f64::from(y)) / 16.0) as f32);
        for (pixel, (depths, seen)) in self.nearness.iter_mut().zip(&mut self.seen).enumerate() {
            let (x, y) = (corner[0] + pixel % TILE, corner[1] + pixel / TILE);
            let near = (a * x as f64 + b * y as f64 + c) as f32;
            for s in 0..SAMPLES {
                depths[s] = (near + offsets[s]).max(0.0);
                seen[s] = if depths[s] > 0.0 { GROUND } else { NOTHING };
            }
        }
    }

    fn cover(&mut self, triangle: &Projected, corner: [usize; 2]) {
        let clamp = |range: [u32; 2], low: usize| {
            let first = (range[0] as usize).max(low) - low;
            let last = (range[1] as usize).min(low + TILE - 1) - low;
            first..=last
        };
        let offsets = |[a, b, _]: [f64; 3]| -> [f64; SAMPLES] {
            PATTERN.map(|[x, y]| (a * f64::from(x) + b * f64::from(y)) * (SUBPIXELS / 16.0))
        };
        let edge_offsets = triangle.edges.map(offsets);
        let reach = edge_offsets.map(|o| o.into_iter().fold(f64::NEG_INFINITY, f64::max));
        let near_offsets = offsets(triangle.nearness).map(|o| o as f32);
        for row in clamp(triangle.rows, corner[1]) {
            let y = (corner[1] + row) as f64 * SUBPIXELS;
            for column in clamp(triangle.columns, corner[0]) {
                let x = (corner[0] + column) as f64 * SUBPIXELS;
                let base = triangle.edges.map(|[a, b, c]| a * x + b * y + c);
                if (0..3).any(|e| base[e] + reach[e] < 0.0) {
                    continue;
                }
                let [a, b, c] = triangle.nearness;
                let near = (a * x + b * y + c) as f32;
                let at = row * TILE + column;
                let (depths, seen) = (&mut self.nearness[at], &mut self.seen[at]);
                for s in 0..SAMPLES {
                    let inside = (base[0] + edge_offsets[0][s] >= 0.0)
                        & (base[1] + edge_offsets[1][s] >= 0.0)
                        & (base[2] + edge_offsets[2][s] >= 0.0);
                    let nearness = near + near_offsets[s];
                    let wins = inside & (nearness > depths[s]);
                    depths[s] = if wins { nearness } else { depths[s] };
                    seen[s] = if wins { triangle.facet } else { seen[s] };
                }
            }
        }
    }
}

fn for_each_tile(triangles: &[Projected], tiles_across: usize, mut visit: impl FnMut(u32, usize)) {
    for (number, triangle) in triangles.iter().enumerate() {
        let tiles = |range: [u32; 2]| range[0] as usize / TILE..=range[1] as usize / TILE;
        for row in tiles(triangle.rows) {
            for column in tiles(triangle.columns) {
                visit(number as u32, row * tiles_across + column);
            }
        }
    }
}

/// Hands on the part of the triangle beyond the near plane, as (x, y, 1 ÷ depth).
fn clip(corners: [DVec3; 3], view: &View, near: f64, mut emit: impl FnMut([[f64; 3]; 3])) {
    let depth = corners.map(|p| (p - view.eye).dot(view.forward));
    let project = |p: DVec3| {
        let ([x, y], depth) = view.project(p);
        [x, y, 1.0 / depth]
    };
    if depth.iter().all(|&d| d >= near) {
        return emit(corners.map(project));
    }
    let mut kept = Vec::with_capacity(4);
    for i in 0..3 {
        let j = (i + 1) % 3;
        if depth[i] >= near {
            kept.push(corners[i]);
        }
        if (depth[i] >= near) != (depth[j] >= near) {
            let t = (near - depth[i]) / (depth[j] - depth[i]);
            kept.push(corners[i].lerp(corners[j], t));
        }
    }
    for last in 2..kept.len() {
        emit([kept[0], kept[last - 1], kept[last]].map(project));
    }
}

fn project(corners: [[f64; 3]; 3], facet: u32, width: usize, height: usize) -> Option<Projected> {
    let mut p = corners.map(|[x, y, _]| [(x * SUBPIXELS).round(), (y * SUBPIXELS).round()]);
    let mut near = corners.map(|[_, _, n]| n);
    let twice_area = |p: &[[f64; 2]; 3]| {
        (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0])
    };
    let mut area = twice_area(&p);
    if area < 0.0 {
        p.swap(1, 2);
        near.swap(1, 2);
        area = -area;
    }
    if !(area > 0.0 && area.is_finite() && near.iter().all(|n| n.is_finite())) {
        return None;
    }
    let range = |axis: usize, limit: usize| -> Option<[u32; 2]> {
        let values = [p[0][axis], p[1][axis], p[2][axis]];
        let low = (values.into_iter().fold(f64::INFINITY, f64::min) / SUBPIXELS).floor();
        let high = (values.into_iter().fold(f64::NEG_INFINITY, f64::max) / SUBPIXELS).floor();
        let last = limit as f64 - 1.0;
        (low <= last && high >= 0.0).then(|| [low.max(0.0) as u32, high.min(last) as u32])
    };
    let (columns, rows) = (range(0, width)?, range(1, height)?);
    let edge = |from: [f64; 2], to: [f64; 2]| {
        let (a, b) = (from[1] - to[1], to[0] - from[0]);
        // With y down and positive area, an edge is top when level and heading right, left
        // when heading up; only those own their samples.
        let owns = (a == 0.0 && b > 0.0) || a > 0.0;
        [a, b, -(a * from[0] + b * from[1]) - if owns { 0.0 } else { 1.0 }]
    };
    let edges = [edge(p[0], p[1]), edge(p[1], p[2]), edge(p[2], p[0])];
    let (u, v) = (near[1] - near[0], near[2] - near[0]);
    let slope_x = (u * (p[2][1] - p[0][1]) - v * (p[1][1] - p[0][1])) / area;
    let slope_y = (v * (p[1][0] - p[0][0]) - u * (p[2][0] - p[0][0])) / area;
    let nearness = [slope_x, slope_y, near[0] - slope_x * p[0][0] - slope_y * p[0][1]];
    Some(Projected { facet, edges, nearness, columns, rows })
}

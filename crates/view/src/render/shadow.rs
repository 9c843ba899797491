//! Soft shadows and sky occlusion from maps of occluder heights.
//!
//! Light rays of one direction are named by the point where they meet the floor. A map holds,
//! per ray, whether anything is hit, and the lowest and highest height of what is hit. Blurred
//! copies of it form a pyramid, and two questions are answered by one trilinear look-up each:
//!
//! - *How dark is the floor?* The penumbra of an occluder is as wide as its height times the
//!   angular size of the light (Fernando, "Percentage-Closer Soft Shadows", 2005): coverage,
//!   blurred as wide as the mean height of nearby occluders asks. A small light gives the sun's
//!   shadow; the whole sky gives the contact shade.
//! - *How much of the light reaches a point on an object?* Chebyshev's bound on the fraction of
//!   rays whose first hit is not above the point (Donnelly and Lauritzen, "Variance Shadow
//!   Maps", 2006, Eq. 5).

use std::ops::{Add, Mul, Sub};

use glam::{Vec2, Vec3, Vec4};

use super::facets::Facet;

/// Smallest standard deviation of the base level's blur \[texels\].
const BASE_BLUR: f32 = 1.2;

/// Occluder heights along one light direction.
pub struct ShadowMap {
    /// Horizontal travel of a ray per height.
    shear: Vec2,
    /// Floor height the rays are named by.
    floor: f32,
    corner: Vec2,
    texel: f32,
    /// Heights are kept as fractions of this.
    tallest: f32,
    /// Per texel: covered, covered · lowest height, highest height, its square.
    levels: Vec<Level<Vec4>>,
    /// How much of the light is hidden from the floor.
    shade: Level<f32>,
}

/// A square of texels with a border of zeros around it.
struct Level<T> {
    side: usize,
    texels: Vec<T>,
}

impl ShadowMap {
    /// Rasterises the facets along `light`, the unit direction towards a light of angular radius
    /// `softness` (radius ÷ distance), which must point upwards. `None` if there is nothing that
    /// could cast a shadow.
    pub fn new(
        facets: &[Facet],
        light: Vec3,
        softness: f32,
        floor: f32,
        side: usize,
    ) -> Option<ShadowMap> {
        let shear = Vec2::new(light.x, light.z) / light.y;
        let on_floor = |p: Vec3| Vec2::new(p.x, p.z) - shear * (p.y - floor);
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        let mut tallest = 0.0f32;
        for corner in facets.iter().flat_map(|f| f.corners) {
            let p = on_floor(corner);
            low = low.min(p);
            high = high.max(p);
            tallest = tallest.max(corner.y - floor);
        }
        let extent = (high - low).max_element();
        if !(extent > 0.0 && extent.is_finite() && tallest > 0.0 && tallest.is_finite()) {
            return None;
        }
        // Room around the shadow for the blur to run out in.
        let texel = 1.5 * extent / side as f32;
        let corner = 0.5 * (low + high) - Vec2::splat(0.5 * texel * side as f32);
        let shade = Level { side: 0, texels: vec![0.0; 4] };
        let mut map = ShadowMap { shear, floor, corner, texel, tallest, levels: Vec::new(), shade };
        let base = map.rasterise(facets, side);
        map.levels = pyramid(base, side);
        map.shade = Level::new(side, |column, row| {
            map.penumbra(Vec2::new(column as f32 + 0.5, row as f32 + 0.5), softness)
        });
        Some(map)
    }

    /// The part of the light that is hidden from a point of the floor by what stands on it.
    pub fn floor_shade(&self, point: Vec3) -> f32 {
        self.shade.sample(self.ray(point))
    }

    /// The part of the light that reaches a point of an object, blurred over `spread`, and how
    /// far below the first hit of its ray the point lies \[m\].
    pub fn reach(&self, point: Vec3, spread: f32, bias: f32) -> (f32, f32) {
        let sample = self.sample(self.ray(point), spread);
        let mean = sample.z;
        let height = (point.y - self.floor) / self.tallest;
        let below = mean - height;
        let depth = below.max(0.0) * self.tallest;
        let below = below - bias.max(1.5 * self.texel) / self.tallest;
        if below <= 0.0 {
            return (1.0, depth);
        }
        let variance = (sample.w - mean * mean).max(1e-6);
        let bound = variance / (variance + below * below);
        // The bound is loose where several occluders overlap: its lower part is cut off.
        (((bound - 0.2) / 0.8).max(0.0), depth)
    }

    /// Coverage around a ray, blurred from the widest search to the width that the occluders
    /// found there really have.
    fn penumbra(&self, at: Vec2, softness: f32) -> f32 {
        let widest = 0.5 * softness * self.tallest;
        let (mut spread, mut shade) = (widest, 0.0);
        for _ in 0..3 {
            let sample = self.sample(at, spread);
            if sample.x < 1e-4 {
                return 0.0;
            }
            shade = sample.x;
            spread = widest * (sample.y / sample.x);
        }
        shade.min(1.0)
    }

    fn ray(&self, point: Vec3) -> Vec2 {
        let travelled = self.shear * (point.y - self.floor);
        (Vec2::new(point.x, point.z) - travelled - self.corner) / self.texel
    }

    fn rasterise(&self, facets: &[Facet], side: usize) -> Vec<Vec4> {
        let mut lowest = vec![f32::INFINITY; side * side];
        let mut highest = vec![0.0f32; side * side];
        for facet in facets {
            let p = facet.corners.map(|c| self.ray(c));
            let h = facet.corners.map(|c| ((c.y - self.floor) / self.tallest).max(0.0));
            cover(p, h, side, |at, height| {
                lowest[at] = lowest[at].min(height);
                highest[at] = highest[at].max(height);
            });
        }
        lowest
            .into_iter()
            .zip(highest)
            .map(
                |(low, high)| {
                    if low.is_finite() {
                        Vec4::new(1.0, low, high, high * high)
                    } else {
                        Vec4::ZERO
                    }
                },
            )
            .collect()
    }

    /// Trilinear look-up, `at` in texels of the base, blurred over about `spread` metres.
    fn sample(&self, at: Vec2, spread: f32) -> Vec4 {
        let last = self.levels.len() - 1;
        let level = octaves(spread / (BASE_BLUR * self.texel)).min(last as f32);
        let lower = (level as usize).min(last);
        let fraction = level - lower as f32;
        let fine = self.levels[lower].sample(at / (1u32 << lower) as f32);
        if fraction <= 0.0 || lower == last {
            return fine;
        }
        let coarse = self.levels[lower + 1].sample(at / (1u32 << (lower + 1)) as f32);
        fine.lerp(coarse, fraction)
    }
}

impl<T: Copy + Default + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>> Level<T> {
    fn new(side: usize, texel: impl Fn(usize, usize) -> T) -> Level<T> {
        let padded = side + 2;
        let mut texels = vec![T::default(); padded * padded];
        for row in 0..side {
            for column in 0..side {
                texels[(row + 1) * padded + column + 1] = texel(column, row);
            }
        }
        Level { side, texels }
    }

    /// Bilinear look-up, zero outside.
    fn sample(&self, at: Vec2) -> T {
        // In the padded square, where texel centres are whole numbers.
        let p = at + Vec2::splat(0.5);
        let limit = (self.side + 1) as f32;
        if !(p.x >= 0.0 && p.y >= 0.0 && p.x < limit && p.y < limit) {
            return T::default();
        }
        let (column, row) = (p.x as usize, p.y as usize);
        let f = p - Vec2::new(column as f32, row as f32);
        let (upper, lower) = (row * (self.side + 2) + column, (row + 1) * (self.side + 2) + column);
        let mix = |a: T, b: T, t: f32| a + (b - a) * t;
        let top = mix(self.texels[upper], self.texels[upper + 1], f.x);
        let bottom = mix(self.texels[lower], self.texels[lower + 1], f.x);
        mix(top, bottom, f.y)
    }
}

/// log₂ of a number from one upwards, straight between powers of two; 0 below one.
fn octaves(x: f32) -> f32 {
    let bits = x.max(1.0).to_bits();
    let mantissa = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000);
    (bits >> 23) as f32 - 127.0 + (mantissa - 1.0)
}

/// Visits the texels whose centres a triangle covers, with the height there.
fn cover(p: [Vec2; 3], h: [f32; 3], side: usize, mut visit: impl FnMut(usize, f32)) {
    let low = p[0].min(p[1]).min(p[2]);
    let high = p[0].max(p[1]).max(p[2]);
    let area = (p[1] - p[0]).perp_dot(p[2] - p[0]);
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let first = |v: f32| (v - 0.5).ceil().max(0.0) as usize;
    let past = |v: f32| ((v - 0.5).floor() + 1.0).clamp(0.0, side as f32) as usize;
    let (u, v) = ((p[1] - p[0]) / area, (p[2] - p[0]) / area);
    for row in first(low.y)..past(high.y) {
        for column in first(low.x)..past(high.x) {
            let q = Vec2::new(column as f32 + 0.5, row as f32 + 0.5) - p[0];
            let (b, c) = (q.perp_dot(v), u.perp_dot(q));
            if b >= 0.0 && c >= 0.0 && b + c <= 1.0 {
                visit(row * side + column, h[0] + b * (h[1] - h[0]) + c * (h[2] - h[0]));
            }
        }
    }
}

fn pyramid(base: Vec<Vec4>, side: usize) -> Vec<Level<Vec4>> {
    let mut levels = vec![blurred(&base, side)];
    let mut previous = base;
    let mut side = side;
    while side > 4 {
        let half = side / 2;
        let mut next = Vec::with_capacity(half * half);
        for row in 0..half {
            for column in 0..half {
                let at = 2 * row * side + 2 * column;
                let sum =
                    previous[at] + previous[at + 1] + previous[at + side] + previous[at + side + 1];
                next.push(0.25 * sum);
            }
        }
        levels.push(blurred(&next, half));
        previous = next;
        side = half;
    }
    levels
}

/// A separable blur of seven taps with a standard deviation of [`BASE_BLUR`] texels.
fn blurred(texels: &[Vec4], side: usize) -> Level<Vec4> {
    const TAPS: [f32; 4] = [0.334, 0.237, 0.083, 0.013];
    let mut across = vec![Vec4::ZERO; side * side];
    for (from, to) in texels.chunks(side).zip(across.chunks_mut(side)) {
        for (column, out) in to.iter_mut().enumerate() {
            let mut sum = TAPS[0] * from[column];
            for tap in 1..TAPS.len() {
                let left = column.checked_sub(tap).map_or(Vec4::ZERO, |c| from[c]);
                let right = from.get(column + tap).copied().unwrap_or(Vec4::ZERO);
                sum += TAPS[tap] * (left + right);
            }
            *out = sum;
        }
    }
    let mut down = vec![Vec4::ZERO; side * side];
    for row in 0..side {
        for (tap, &weight) in TAPS.iter().enumerate() {
            let sources = [row.checked_sub(tap), (tap > 0).then_some(row + tap)];
            for source in sources.into_iter().flatten().filter(|&r| r < side) {
                for column in 0..side {
                    down[row * side + column] += weight * across[source * side + column];
                }
            }
        }
    }
    Level::new(side, |column, row| down[row * side + column])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A horizontal square of side two at a height, over the origin.
    fn slab(height: f32) -> Vec<Facet> {
        let p = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[x, z]| Vec3::new(x, height, z));
        [[0, 1, 2], [0, 2, 3]]
            .map(|t| Facet {
                corners: t.map(|v: usize| p[v]),
                normals: [Vec3::Y; 3],
                plane: Vec3::Y,
                object: 0,
                triangle: 0,
            })
            .to_vec()
    }

    fn overhead(height: f32, softness: f32) -> ShadowMap {
        ShadowMap::new(&slab(height), Vec3::Y, softness, 0.0, 256).unwrap()
    }

    #[test]
    fn the_floor_is_dark_under_the_slab_and_light_away_from_it() {
        let map = overhead(0.5, 0.1);
        assert!(map.floor_shade(Vec3::ZERO) > 0.99);
        assert!(map.floor_shade(Vec3::new(1.4, 0.0, 0.0)) < 0.01);
        assert!(map.floor_shade(Vec3::new(40.0, 0.0, 0.0)) == 0.0);
    }

    #[test]
    fn a_slanted_light_moves_the_shadow_by_the_height() {
        let light = Vec3::new(1.0, 1.0, 0.0).normalize();
        let map = ShadowMap::new(&slab(3.0), light, 0.05, 0.0, 256).unwrap();
        assert!(map.floor_shade(Vec3::new(-3.0, 0.0, 0.0)) > 0.99);
        assert!(map.floor_shade(Vec3::ZERO) < 0.01);
    }

    #[test]
    fn higher_occluders_have_wider_penumbrae() {
        let width = |height: f32| {
            let map = overhead(height, 0.3);
            let shades = (0..400).map(|i| map.floor_shade(Vec3::X * (0.005 * i as f32)));
            shades.filter(|s| (0.1..0.9).contains(s)).count()
        };
        assert!(width(1.5) > 2 * width(0.3), "{} against {}", width(1.5), width(0.3));
    }

    #[test]
    fn a_point_below_the_slab_is_dark_and_one_on_it_is_lit() {
        let map = overhead(1.0, 0.1);
        let (below, depth) = map.reach(Vec3::new(0.0, 0.4, 0.0), 0.02, 0.01);
        assert!(below < 0.01 && (depth - 0.6).abs() < 1e-3, "{below} {depth}");
        assert_eq!(map.reach(Vec3::new(0.0, 1.0, 0.0), 0.02, 0.01).0, 1.0);
    }

    #[test]
    fn nothing_above_the_floor_casts_no_shadow() {
        assert!(ShadowMap::new(&[], Vec3::Y, 0.1, 0.0, 64).is_none());
        assert!(ShadowMap::new(&slab(-1.0), Vec3::Y, 0.1, 0.0, 64).is_none());
    }
}

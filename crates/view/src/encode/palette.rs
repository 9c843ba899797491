//! A good palette for a picture, and dithering that stands still in an animation.
//!
//! The palette comes from splitting the box of colours with the largest variance (Wan,
//! Prusinkiewicz and Wong, "Variance-based color image quantization", 1990), then a few rounds of
//! k-means. Each pixel is one of two palette colours on either side of its own, chosen by a fixed
//! pattern of noise, so that what does not move does not flicker.

use std::collections::HashMap;

use glam::Vec3;

use crate::Picture;

/// Up to 255 colours and, for colours already met, what to do with them.
#[derive(Debug)]
pub struct Palette {
    colours: Vec<Vec3>,
    met: HashMap<[u8; 3], Blend>,
}

/// A colour between two palette entries.
#[derive(Clone, Copy, Debug)]
struct Blend {
    near: u8,
    far: u8,
    /// Share of the far entry.
    share: f32,
    /// Squared distance to the nearest entry.
    error: f32,
}

impl Palette {
    /// Most entries that a palette has; one more is left for "unchanged".
    pub const LARGEST: usize = 255;

    /// The palette of a picture.
    pub fn of(picture: &Picture) -> Palette {
        let mut counts: HashMap<[u8; 3], u32> = HashMap::new();
        for pixel in picture.rgb.chunks_exact(3) {
            *counts.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
        }
        let mut colours: Vec<([u8; 3], u32)> = counts.into_iter().collect();
        colours.sort_unstable();
        // Square roots keep small, bright things from drowning in a large background.
        let points: Vec<Point> = colours
            .iter()
            .map(|(c, count)| Point { at: vector(*c), weight: (*count as f32).sqrt() })
            .collect();
        let mut entries = split(&points);
        for _ in 0..3 {
            refine(&mut entries, &points);
        }
        Palette { colours: entries, met: HashMap::new() }
    }

    /// The entries as bytes, padded with black to 256 entries.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.colours.iter().flat_map(|c| rounded(*c)).collect();
        bytes.resize(3 * 256, 0);
        bytes
    }

    /// An entry per pixel, and the root mean square distance of the pixels from the palette.
    pub fn dither(&mut self, picture: &Picture) -> (Vec<u8>, f32) {
        let mut error = 0.0f64;
        let mut entries = Vec::with_capacity(picture.width * picture.height);
        for (number, pixel) in picture.rgb.chunks_exact(3).enumerate() {
            let (x, y) = (number % picture.width.max(1), number / picture.width.max(1));
            let blend = self.blend([pixel[0], pixel[1], pixel[2]]);
            error += f64::from(blend.error);
            entries.push(if blend.share > noise(x, y) { blend.far } else { blend.near });
        }
        let mean = error / entries.len().max(1) as f64;
        (entries, mean.sqrt() as f32)
    }

    fn blend(&mut self, colour: [u8; 3]) -> Blend {
        if let Some(blend) = self.met.get(&colour) {
            return *blend;
        }
        let wanted = vector(colour);
        let near = nearest(&self.colours, wanted);
        let miss = wanted - self.colours[near];
        // The best partner lies as far beyond the wanted colour as the nearest is before it.
        let far = nearest(&self.colours, wanted + miss);
        let span = self.colours[far] - self.colours[near];
        let share = if far == near {
            0.0
        } else {
            (miss.dot(span) / span.length_squared()).clamp(0.0, 1.0)
        };
        let blend = Blend { near: near as u8, far: far as u8, share, error: miss.length_squared() };
        self.met.insert(colour, blend);
        blend
    }
}

#[derive(Clone, Copy)]
struct Point {
    at: Vec3,
    weight: f32,
}

/// Points of one box, with their mean and the largest variance of a coordinate.
struct Group {
    points: Vec<Point>,
    mean: Vec3,
    axis: usize,
    /// Variance times weight.
    spread: f32,
}

impl Group {
    fn new(points: Vec<Point>) -> Group {
        let weight: f32 = points.iter().map(|p| p.weight).sum::<f32>().max(1e-9);
        let mean = points.iter().map(|p| p.weight * p.at).sum::<Vec3>() / weight;
        let spread: Vec3 = points.iter().map(|p| p.weight * (p.at - mean) * (p.at - mean)).sum();
        let axis = spread.max_position();
        Group { points, mean, axis, spread: spread[axis] }
    }
}

fn split(points: &[Point]) -> Vec<Vec3> {
    let mut groups = vec![Group::new(points.to_vec())];
    while groups.len() < Palette::LARGEST {
        let widest =
            (0..groups.len()).max_by(|a, b| groups[*a].spread.total_cmp(&groups[*b].spread));
        let Some(widest) = widest.filter(|w| groups[*w].spread > 0.0) else { break };
        let Group { points, mean, axis, .. } = groups.swap_remove(widest);
        let (low, high): (Vec<Point>, Vec<Point>) =
            points.into_iter().partition(|p| p.at[axis] <= mean[axis]);
        if low.is_empty() || high.is_empty() {
            // One colour whose mean was rounded: there is nothing to split.
            let single = Group::new(low.into_iter().chain(high).collect());
            groups.push(Group { spread: 0.0, ..single });
            continue;
        }
        groups.push(Group::new(low));
        groups.push(Group::new(high));
    }
    groups.into_iter().map(|g| g.mean).collect()
}

/// One round of k-means; entries without points stay where they are.
fn refine(entries: &mut [Vec3], points: &[Point]) {
    let mut sums = vec![(Vec3::ZERO, 0.0f32); entries.len()];
    for point in points {
        let (sum, weight) = &mut sums[nearest(entries, point.at)];
        *sum += point.weight * point.at;
        *weight += point.weight;
    }
    for (entry, (sum, weight)) in entries.iter_mut().zip(sums) {
        if weight > 0.0 {
            *entry = sum / weight;
        }
    }
}

fn nearest(entries: &[Vec3], wanted: Vec3) -> usize {
    let mut best = (f32::INFINITY, 0);
    for (number, entry) in entries.iter().enumerate() {
        let distance = entry.distance_squared(wanted);
        if distance < best.0 {
            best = (distance, number);
        }
    }
    best.1
}

/// Interleaved gradient noise (Jimenez, "Next generation post processing in Call of Duty", 2014):
/// evenly spread in every small neighbourhood, the same in every frame.
fn noise(x: usize, y: usize) -> f32 {
    let inner = (0.067_110_56 * x as f64 + 0.005_837_15 * y as f64).fract();
    (52.982_918_9 * inner).fract() as f32
}

fn vector(colour: [u8; 3]) -> Vec3 {
    Vec3::from_array(colour.map(f32::from))
}

fn rounded(colour: Vec3) -> [u8; 3] {
    colour.to_array().map(|c| (c + 0.5) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(palette: &Palette, entry: u8) -> [u8; 3] {
        rounded(palette.colours[usize::from(entry)])
    }

    #[test]
    fn pictures_of_one_colour_have_a_palette_of_one() {
        for side in 1..60 {
            let picture = Picture::filled(side, 3, [200, side as u8, 77]).unwrap();
            let palette = Palette::of(&picture);
            assert_eq!(palette.colours.len(), 1);
            assert_eq!(shown(&palette, 0), [200, side as u8, 77]);
        }
    }

    #[test]
    fn few_colours_are_kept_exactly() {
        let mut picture = Picture::filled(30, 10, [200, 10, 90]).unwrap();
        picture.paste(&Picture::filled(3, 3, [1, 2, 3]).unwrap(), 5, 5);
        picture.paste(&Picture::filled(1, 1, [255, 255, 0]).unwrap(), 20, 2);
        let mut palette = Palette::of(&picture);
        let (entries, error) = palette.dither(&picture);
        let seen: Vec<u8> = entries.iter().flat_map(|e| shown(&palette, *e)).collect();
        assert_eq!((seen, error), (picture.rgb, 0.0));
    }

    #[test]
    fn a_dithered_gradient_keeps_its_mean_colours() {
        // More colours than a palette has: 64 × 64 shades of red and green.
        let mut picture = Picture::filled(256, 256, [0, 0, 60]).unwrap();
        for (number, pixel) in picture.rgb.chunks_exact_mut(3).enumerate() {
            pixel[0] = (number % 256) as u8;
            pixel[1] = (number / 256) as u8;
        }
        let mut palette = Palette::of(&picture);
        let (entries, error) = palette.dither(&picture);
        assert!(error < 9.0, "{error}");
        for block in 0..64 {
            let (left, top) = (block % 8 * 32, block / 8 * 32);
            let mean = |channel: usize, dithered: bool| -> f64 {
                let pixels = (0..32 * 32).map(|i| (top + i / 32) * 256 + left + i % 32);
                let value = |p| {
                    if dithered {
                        shown(&palette, entries[p])[channel]
                    } else {
                        picture.rgb[3 * p + channel]
                    }
                };
                pixels.map(|p| f64::from(value(p))).sum::<f64>() / 1024.0
            };
            for channel in 0..2 {
                let off = mean(channel, true) - mean(channel, false);
                assert!(off.abs() < 3.0, "block {block} is off by {off}");
            }
        }
    }
}

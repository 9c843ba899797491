//! Parts blended into one body, with colours and named regions.

use glam::DVec3;

use super::solid::Solid;
use crate::mesh::Bounds;

/// An sRGB colour, 0 to 1.
pub type Colour = [f32; 3];

/// Parts in the order in which they are put on, or carved out.
#[derive(Clone, Debug)]
pub struct Sculpture {
    parts: Vec<Part>,
    spots: Vec<(Solid, Colour)>,
    regions: Vec<(&'static str, Solid)>,
    /// Nothing has smaller coordinates.
    least: DVec3,
}

#[derive(Clone, Debug)]
struct Part {
    solid: Solid,
    carved: bool,
    /// Width of the seam (design units).
    blend: f64,
    colour: Colour,
    /// Nothing changes further away than this from `center`.
    center: DVec3,
    radius: f64,
}

impl Default for Sculpture {
    fn default() -> Self {
        let least = DVec3::NEG_INFINITY;
        Sculpture { parts: Vec::new(), spots: Vec::new(), regions: Vec::new(), least }
    }
}

/// Over this width spots fade into what is around them (design units).
const EDGE: f64 = 0.02;

impl Sculpture {
    /// Puts a solid on, its seam rounded over a width.
    pub fn add(&mut self, colour: Colour, blend: f64, solid: Solid) -> &mut Self {
        self.part(solid, false, blend, colour)
    }

    /// Takes a solid away, the rim rounded over a width.
    pub fn carve(&mut self, colour: Colour, blend: f64, solid: Solid) -> &mut Self {
        self.part(solid, true, blend, colour)
    }

    /// A limb along a curve: cones between points that thin from the first radius to the last.
    pub fn limb(&mut self, colour: Colour, blend: f64, points: &[DVec3], radii: [f64; 2]) {
        let count = points.len().saturating_sub(1).max(1) as f64;
        let radius = |k: usize| radii[0] + (radii[1] - radii[0]) * k as f64 / count;
        for (k, pair) in points.windows(2).enumerate() {
            let (a, b) = (pair[0].to_array(), pair[1].to_array());
            let cone = super::solid::cone(a, radius(k), b, radius(k + 1));
            // Within the limb a seam would only swell the joints.
            self.add(colour, if k == 0 { blend } else { 1e-3 }, cone);
        }
    }

    /// Colours what is inside a solid, and changes no shape.
    pub fn spot(&mut self, colour: Colour, solid: Solid) -> &mut Self {
        self.spots.push((solid, colour));
        self
    }

    /// Names what is inside a solid.
    pub fn region(&mut self, name: &'static str, solid: Solid) -> &mut Self {
        self.regions.push((name, solid));
        self
    }

    /// Cuts off what is below a height: it stands there.
    pub fn stand_at(&mut self, height: f64) {
        self.least.y = height;
    }

    /// Cuts off what is behind a plane z = `depth`.
    pub fn end_at(&mut self, depth: f64) {
        self.least.z = depth;
    }

    /// Signed distance, negative inside.
    pub fn distance(&self, point: DVec3) -> f64 {
        let mut d = f64::INFINITY;
        for part in &self.parts {
            if let Some(own) = part.if_near(point, d) {
                d = part.join(d, own).0;
            }
        }
        d.max((self.least - point).max_element())
    }

    /// The colour at a point of the surface.
    pub fn colour(&self, point: DVec3) -> Colour {
        let (mut d, mut colour) = (f64::INFINITY, [0.5; 3]);
        for part in &self.parts {
            if let Some(own) = part.if_near(point, d) {
                let (joined, share) = part.join(d, own);
                d = joined;
                colour = mix(colour, part.colour, share as f32);
            }
        }
        for (solid, spot) in &self.spots {
            let share = (0.5 - solid.distance(point) / EDGE).clamp(0.0, 1.0);
            colour = mix(colour, *spot, share as f32);
        }
        colour
    }

    /// The names of regions, and whether they hold a point.
    pub fn regions(&self) -> impl Iterator<Item = (&'static str, impl Fn(DVec3) -> bool)> {
        self.regions.iter().map(|(name, solid)| (*name, |p| solid.distance(p) <= 0.0))
    }

    /// The box around what is not cut off.
    pub fn bounds(&self) -> Bounds {
        let empty =
            Bounds { min: DVec3::splat(f64::INFINITY), max: DVec3::splat(f64::NEG_INFINITY) };
        let mut bounds = self.parts.iter().filter(|part| !part.carved).fold(empty, |all, part| {
            let own = part.solid.bounds();
            Bounds { min: all.min.min(own.min), max: all.max.max(own.max) }
        });
        bounds.min = bounds.min.max(self.least);
        bounds
    }

    fn part(&mut self, solid: Solid, carved: bool, blend: f64, colour: Colour) -> &mut Self {
        let bounds = solid.bounds();
        let (center, radius) = (bounds.center(), 0.5 * bounds.size().length());
        self.parts.push(Part { solid, carved, blend, colour, center, radius });
        self
    }
}

impl Part {
    /// Its distance, if it can change a distance of `d`.
    fn if_near(&self, point: DVec3, d: f64) -> Option<f64> {
        let least = point.distance(self.center) - self.radius;
        // Adding takes the smaller of d and the own distance; carving the larger of d and minus it.
        let out_of_reach =
            if self.carved { -least < d - self.blend } else { least > d + self.blend };
        (!out_of_reach).then(|| self.solid.distance(point))
    }

    /// The distance after it is joined, and its share in the colour: a polynomial smooth minimum
    /// of the distances, min(a, b) − max(0, k − |a − b|)² / 4k.
    fn join(&self, d: f64, own: f64) -> (f64, f64) {
        let (a, b) = if self.carved { (-d, own) } else { (d, own) };
        if a == f64::INFINITY {
            return (own, 1.0);
        }
        let k = self.blend.max(1e-9);
        let over = (k - (a - b).abs()).max(0.0);
        let joined = a.min(b) - over * over / (4.0 * k);
        let share = (0.5 + 0.5 * (a - b) / k).clamp(0.0, 1.0);
        (if self.carved { -joined } else { joined }, share)
    }
}

fn mix(from: Colour, to: Colour, share: f32) -> Colour {
    std::array::from_fn(|k| from[k] + share * (to[k] - from[k]))
}

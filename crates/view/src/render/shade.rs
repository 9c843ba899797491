//! From a visible point to a colour: a warm key light with soft shadow, a cool fill, light from
//! the sky and bounced from the floor, a glossy reflection of a studio, and light that wraps
//! around and shines through translucent materials.

use glam::{DVec3, Vec2, Vec3};

use super::camera::View;
use super::facets::Facets;
use super::raster::{GROUND, NOTHING};
use super::scene::{Ground, Scene};
use super::shadow::ShadowMap;

const KEY: Vec3 = Vec3::new(2.05, 1.95, 1.80);
const FILL: Vec3 = Vec3::new(0.34, 0.37, 0.42);
const SKY: Vec3 = Vec3::new(0.72, 0.78, 0.86);
const BOUNCE: f32 = 0.42;
/// Angular radius of the key light, and of the sky as the contact shade sees it.
pub const KEY_SOFTNESS: f32 = 0.22;
pub const SKY_SOFTNESS: f32 = 1.1;
/// Width of edges in wireframes \[px\].
const WIRE: f32 = 1.1;

/// Everything that shading needs, prepared once per picture; relative to one origin.
pub struct Studio<'a> {
    pub scene: &'a Scene<'a>,
    pub facets: &'a Facets,
    pub view: View,
    pub height: f32,
    /// Unit direction towards the key light.
    pub light: Vec3,
    pub key_map: Option<ShadowMap>,
    pub sky_map: Option<ShadowMap>,
    /// Length that softness and thickness are relative to \[m\].
    pub size: f32,
    /// Floor height, that of the ground or of the lowest point \[m\].
    pub floor: f32,
    /// Where the origin is, for the grid \[m\].
    pub origin: DVec3,
    /// Linear colours of the background's top and bottom, and of the floor.
    pub top: Vec3,
    pub bottom: Vec3,
    pub floor_colour: Vec3,
}

impl Studio<'_> {
    /// Linear colour seen at a pixel position, in 0..=1.
    pub fn colour(&self, seen: u32, x: f32, y: f32) -> Vec3 {
        match seen {
            NOTHING => self.background(y),
            GROUND => self.ground(x, y),
            facet => shoulder(self.surface(facet, x, y)),
        }
    }

    /// Whether two things seen in one pixel are the same smooth surface, so that one shading
    /// serves both: facets of one object that share a corner and hardly bend.
    pub fn alike(&self, a: u32, b: u32) -> bool {
        if a >= GROUND || b >= GROUND {
            return false;
        }
        let (a, b) = (&self.facets.list[a as usize], &self.facets.list[b as usize]);
        a.object == b.object
            && a.plane.dot(b.plane) > 0.95
            && self.facets.colours[a.object as usize].is_empty()
            && a.corners.iter().any(|c| b.corners.contains(c))
    }

    fn background(&self, y: f32) -> Vec3 {
        self.top.lerp(self.bottom, (y / self.height).clamp(0.0, 1.0))
    }

    fn ground(&self, x: f32, y: f32) -> Vec3 {
        let Some(ground) = self.scene.ground else { return self.background(y) };
        let (ray, eye) = (self.ray(x, y), self.view.eye.as_vec3());
        let distance = (self.floor - eye.y) / ray.y;
        let point = eye + distance * ray;
        let line = self.grid(&ground, point, distance, ray);
        let albedo = self.floor_colour * (1.0 - 0.2 * line);

        let key_shade = self.key_map.as_ref().map_or(0.0, |m| m.floor_shade(point));
        let sky_shade = self.sky_map.as_ref().map_or(0.0, |m| m.floor_shade(point));
        // Lit so that a floor without shadow has its own colour.
        let key = KEY * self.light.y;
        let sky = SKY + FILL;
        let light = (key * (1.0 - key_shade) + sky * (1.0 - 0.72 * sky_shade)) / (key + sky);
        let colour = albedo * light;

        // The floor fades into the background well before its horizon.
        let far = (point - self.centre()).length() / self.size;
        let fade = smooth(1.2, 5.0, far);
        colour.lerp(self.background(y), fade)
    }

    /// How much of a pixel of the floor is grid line.
    fn grid(&self, ground: &Ground, point: Vec3, distance: f32, ray: Vec3) -> f32 {
        let spacing = ground.grid as f32;
        if !(spacing > 0.0 && spacing.is_finite()) {
            return 0.0;
        }
        // What a pixel sees of the floor: as wide as a pixel at that distance, and stretched
        // along the view by the slant.
        let pixel = distance * ray.length() / self.view.focal as f32;
        let along = Vec2::new(ray.x, ray.z).normalize_or_zero();
        let stretched = pixel * ray.length() / ray.y.abs().max(1e-3);
        let footprint = (along * stretched).abs() + (along.perp() * pixel).abs();
        let origin = Vec2::new(
            self.origin.x.rem_euclid(ground.grid) as f32,
            self.origin.z.rem_euclid(ground.grid) as f32,
        );
        let p = (Vec2::new(point.x, point.z) + origin) / spacing;
        let off = (p - p.round()).abs() * spacing;
        let line = |off: f32, blur: f32| {
            let width = (0.004 * spacing).max(0.35 * blur);
            let strength = smooth(0.0, 1.0, spacing / (6.0 * blur));
            strength * (1.0 - smooth(width - 0.5 * blur, width + 0.5 * blur, off))
        };
        line(off.x, footprint.x).max(line(off.y, footprint.y))
    }

    fn surface(&self, number: u32, x: f32, y: f32) -> Vec3 {
        let facet = &self.facets.list[number as usize];
        let material = &self.scene.objects[facet.object as usize].material;
        let (ray, eye) = (self.ray(x, y), self.view.eye.as_vec3());
        let weights = barycentric(eye, ray, &facet.corners);
        let mix = |v: &[Vec3; 3]| weights.x * v[0] + weights.y * v[1] + weights.z * v[2];
        let point = mix(&facet.corners);
        let toward_eye = (eye - point).normalize_or(Vec3::Z);

        // Both sides are shaded: the side seen is the one that faces the eye.
        let side = if facet.plane.dot(toward_eye) < 0.0 { -1.0 } else { 1.0 };
        let mut normal = side * mix(&facet.normals).normalize_or(facet.plane);
        let facing = normal.dot(toward_eye);
        if facing < 0.02 {
            // A smooth normal may turn away near a silhouette; bend it back to grazing.
            normal = (normal + (0.02 - facing) * toward_eye).normalize_or(side * facet.plane);
        }

        let colours = &self.facets.colours[facet.object as usize];
        let mut albedo = match colours.get(facet.triangle as usize) {
            Some(corners) => mix(corners),
            None => self.facets.plain[facet.object as usize],
        };
        if self.scene.objects[facet.object as usize].wireframe {
            albedo *= 1.0 - 0.75 * self.wire(&facet.corners, x, y);
        }
        let gloss = unit(material.gloss);
        let translucency = unit(material.translucency);
        self.light(point, normal, side * facet.plane, toward_eye, albedo, gloss, translucency)
    }

    #[allow(clippy::too_many_arguments)]
    fn light(
        &self,
        point: Vec3,
        normal: Vec3,
        plane: Vec3,
        toward_eye: Vec3,
        albedo: Vec3,
        gloss: f32,
        translucency: f32,
    ) -> Vec3 {
        // Look a little outside the surface, or it would shadow itself.
        let lifted = point + 0.006 * self.size * plane;
        let (lit, depth) = self
            .key_map
            .as_ref()
            .map_or((1.0, 0.0), |m| m.reach(lifted, 0.008 * self.size, 0.004 * self.size));
        let open = self
            .sky_map
            .as_ref()
            .map_or(1.0, |m| m.reach(lifted, 0.05 * self.size, 0.01 * self.size).0);
        let below = Vec3::new(point.x, self.floor, point.z);
        let gap = ((point.y - self.floor) / self.size).max(0.0);
        let floor_shade = self.sky_map.as_ref().map_or(0.0, |m| m.floor_shade(below));
        let floor_light = 1.0 - floor_shade * (1.0 - 0.6 * smooth(0.0, 0.6, gap));

        let wrap = 0.5 * translucency;
        let cosine = normal.dot(self.light);
        let wrapped = ((cosine + wrap) / (1.0 + wrap)).max(0.0);
        // Light that crosses the terminator inside the material is tinted by it.
        let tint = Vec3::ONE.lerp(deepen(albedo), translucency * (1.0 - smooth(-0.1, 0.7, cosine)));
        let soft_lit = lit + (1.0 - lit) * 0.25 * translucency;
        let mut diffuse = KEY * (wrapped * soft_lit) * tint;

        // Through the material: the further below the first hit of its ray, the darker.
        let path = depth / (self.light.y * self.size);
        let through =
            translucency * 0.55 * (-7.0 * path).exp() * (0.35 + 0.65 * (1.0 - cosine.max(0.0)));
        diffuse += KEY * 0.5 * through * deepen(albedo);

        let fill = self.fill();
        diffuse += FILL * (0.5 + 0.5 * normal.dot(fill)).max(0.0) * (0.4 + 0.6 * open);
        let up = 0.5 + 0.5 * normal.y;
        diffuse += SKY * up * (0.35 + 0.65 * open);
        diffuse += self.floor_colour * BOUNCE * (1.0 - up) * (0.25 + 0.75 * floor_light);

        let facing = normal.dot(toward_eye).clamp(0.0, 1.0);
        let fresnel = 0.04 + 0.96 * (1.0 - facing).powi(5) * (0.25 + 0.75 * gloss);
        let mirror = 2.0 * normal.dot(toward_eye) * normal - toward_eye;
        let sharpness = (2.5 + 8.5 * gloss).exp2();
        let half = (self.light + toward_eye).normalize_or(normal);
        let highlight = normal.dot(half).max(0.0).powf(sharpness) * (sharpness + 8.0) / 25.0;
        let mut specular = KEY * highlight * 0.05 * lit * cosine.clamp(0.0, 1.0).sqrt();
        specular +=
            self.studio(mirror, gloss) * fresnel * (0.3 + 0.7 * open) * (0.35 + 0.9 * gloss);

        albedo * diffuse * 0.52 * (1.0 - fresnel) + specular
    }

    /// What a mirror would see: a bright ceiling that falls off to the floor, with a wide soft
    /// box beside the camera.
    fn studio(&self, direction: Vec3, gloss: f32) -> Vec3 {
        let blur = 0.5 - 0.4 * gloss;
        let ceiling = smooth(-0.25 - blur, 0.55 + blur, direction.y);
        let box_direction = (self.light + 0.8 * Vec3::Y).normalize_or(Vec3::Y);
        let soft_box = smooth(0.86 - 0.2 * blur, 0.95 + 0.05 * blur, direction.dot(box_direction));
        SKY * (0.35 + 0.75 * ceiling) + KEY * 0.9 * soft_box
    }

    /// The fill light stands opposite the key, low and beside the camera.
    fn fill(&self) -> Vec3 {
        let back = -self.view.forward.as_vec3();
        let side = self.view.right.as_vec3();
        (back + 0.9 * side + 0.15 * Vec3::Y).normalize_or(Vec3::Z)
    }

    /// How much of a pixel is edge of the triangle.
    fn wire(&self, corners: &[Vec3; 3], x: f32, y: f32) -> f32 {
        let p = corners.map(|c| {
            let ([x, y], _) = self.view.project(c.as_dvec3());
            Vec2::new(x as f32, y as f32)
        });
        let at = Vec2::new(x, y);
        let distance = (0..3)
            .map(|i| {
                let (a, b) = (p[i], p[(i + 1) % 3]);
                ((b - a).perp_dot(at - a) / (b - a).length()).abs()
            })
            .fold(f32::INFINITY, f32::min);
        1.0 - smooth(0.5 * WIRE - 0.5, 0.5 * WIRE + 0.5, distance)
    }

    fn ray(&self, x: f32, y: f32) -> Vec3 {
        self.view.ray(f64::from(x), f64::from(y)).as_vec3()
    }

    fn centre(&self) -> Vec3 {
        Vec3::new(0.0, self.floor, 0.0)
    }
}

/// Weights of the corners at the point where the ray meets the triangle's plane, kept inside it.
fn barycentric(eye: Vec3, ray: Vec3, corners: &[Vec3; 3]) -> Vec3 {
    let (u, v) = (corners[1] - corners[0], corners[2] - corners[0]);
    let from = eye - corners[0];
    let (p, q) = (ray.cross(v), from.cross(u));
    let determinant = u.dot(p);
    let (b, c) = (from.dot(p) / determinant, ray.dot(q) / determinant);
    let weights = Vec3::new(1.0 - b - c, b, c).max(Vec3::ZERO);
    let sum = weights.element_sum();
    if sum > 0.0 && sum.is_finite() { weights / sum } else { Vec3::splat(1.0 / 3.0) }
}

/// The colour that light takes on inside a material: more saturated than its surface.
fn deepen(colour: Vec3) -> Vec3 {
    let brightest = colour.max_element().max(1e-4);
    let pure = colour / brightest;
    pure * (0.4 + 0.6 * pure)
}

/// Leaves the lower range as it is and bends the upper towards white without clipping.
fn shoulder(colour: Vec3) -> Vec3 {
    const KNEE: f32 = 0.75;
    let bend = |x: f32| {
        if x <= KNEE {
            x.max(0.0)
        } else {
            KNEE + (1.0 - KNEE) * (1.0 - (-(x - KNEE) / (1.0 - KNEE)).exp())
        }
    };
    Vec3::new(bend(colour.x), bend(colour.y), bend(colour.z))
}

fn smooth(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn unit(x: f32) -> f32 {
    if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 }
}

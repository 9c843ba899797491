//! What of the mesh a contour is of: a chain of vertices, both halves of a loop, or the silhouette.

use glam::{DVec2, DVec3};
use pliant_mesh::{Mesh, Ray, SurfaceTree};

use super::camera::Camera;
use super::contour::{Contour, Contours};
use super::deform::Pull;
use crate::error::LipsError;
use crate::growth::Edges;

/// The part of a lip at each corner that is left to itself when lips meet.
const CORNER: f64 = 0.04;

/// A contour with what should lie on it.
pub enum Rim {
    /// Vertices at parts of the contour's length.
    Chain(Contour, Chain),
    /// Two chains that both lie on an open contour: the lips meet there.
    Halves(Contour, [Chain; 2]),
    /// What is seen as an edge of the inner lip, looked up anew in every pose.
    Silhouette(Contour, Silhouette),
}

/// Vertices in order, each at a part of a contour's length; only those of the inner lip are pulled.
pub struct Chain {
    /// (vertex, part, whether it is free)
    places: Vec<(u32, f64, bool)>,
}

/// Triangles whose edges may be seen.
pub struct Silhouette {
    mesh: Mesh,
    is_inner: Vec<bool>,
    /// How far from the contour an edge may be that it is of \[pixels\].
    reach: f64,
}

impl Rim {
    /// Of every contour.
    ///
    /// # Errors
    /// When vertices do not exist, are not in the inner lip or cannot be joined, or when the lips
    /// are behind the camera.
    pub fn all(
        mesh: &Mesh,
        edges: &Edges,
        inner: &[u32],
        camera: &Camera,
        contours: &Contours,
    ) -> Result<Vec<Rim>, LipsError> {
        let count = mesh.positions.len();
        let mut is_inner = vec![false; count];
        for &vertex in inner {
            let slot = is_inner.get_mut(vertex as usize);
            *slot.ok_or(LipsError::NoSuchVertex { what: "inner lip", vertex, count })? = true;
        }
        if inner.iter().any(|v| camera.pixel(mesh.positions[*v as usize]).is_none()) {
            return Err(LipsError::sketch("the camera does not see the lips: they are behind it"));
        }
        let known = |list: &[u32]| match list.iter().find(|v| **v as usize >= count) {
            Some(&vertex) => Err(LipsError::NoSuchVertex { what: "contour", vertex, count }),
            None => Ok(()),
        };
        let maker = Maker { mesh, camera, is_inner: &is_inner };
        let mut rims = Vec::new();
        for (number, contour) in contours.0.iter().enumerate() {
            let rim = match (&contour.ring, &contour.vertices) {
                (Some(ring), _) => {
                    known(ring)?;
                    let ring = edges.chain(ring, true)?;
                    if contour.closed {
                        maker.closed(contour, &ring)
                    } else {
                        maker.halves(contour, &ring)?
                    }
                }
                (None, Some(vertices)) => {
                    known(vertices)?;
                    let chain = edges.chain(vertices, contour.closed)?;
                    if contour.closed {
                        maker.closed(contour, &chain)
                    } else {
                        maker.open(contour, &chain)
                    }
                }
                (None, None) => {
                    let (mesh, is_inner) = (mesh.clone(), is_inner.clone());
                    let mut silhouette = Silhouette { mesh, is_inner, reach: f64::INFINITY };
                    silhouette.choose(contour, camera);
                    Rim::Silhouette(contour.clone(), silhouette)
                }
            };
            if rim.pulls(&mesh.positions, camera).is_empty() {
                let problem = format!("contour {number} is of no vertex of the inner lip");
                return Err(LipsError::sketch(problem));
            }
            rims.push(rim);
        }
        Ok(rims)
    }

    /// Where vertices should be in the picture.
    pub fn pulls(&self, positions: &[DVec3], camera: &Camera) -> Vec<Pull> {
        match self {
            Rim::Chain(contour, chain) => {
                let free = chain.places.iter().filter(|place| place.2);
                free.map(|(v, part, _)| Pull::new(*v, contour.at(*part), camera, None)).collect()
            }
            Rim::Halves(contour, halves) => {
                let mut pulls = Vec::new();
                for (own, other) in [(0, 1), (1, 0)] {
                    for (v, part, free) in &halves[own].places {
                        // Beside a corner, vertices of both lips would share one place.
                        let inside = part.min(1.0 - part);
                        if !free || inside > 0.0 && inside < CORNER {
                            continue;
                        }
                        // Lips that meet in the picture meet in depth, too.
                        let depth = camera.view(positions[*v as usize]).z;
                        let across = halves[other].depth_at(*part, positions, camera);
                        let depth = across.map(|across| 0.5 * (depth + across));
                        pulls.push(Pull::new(*v, contour.at(*part), camera, depth));
                    }
                }
                // Corners belong to both halves.
                pulls.sort_by_key(|pull| pull.vertex);
                pulls.dedup_by_key(|pull| pull.vertex);
                pulls
            }
            Rim::Silhouette(contour, silhouette) => {
                let matched = silhouette.matched(contour, positions, camera);
                matched.into_iter().map(|(v, to)| Pull::new(v, to, camera, None)).collect()
            }
        }
    }

    /// Whether pulls do not depend on the pose, but for depths.
    pub fn is_fixed(&self) -> bool {
        !matches!(self, Rim::Silhouette(..))
    }

    /// Vertices of the upper and of the lower lip, where that can be told.
    pub fn lips(&self, positions: &[DVec3], camera: &Camera) -> [Vec<u32>; 2] {
        match self {
            Rim::Chain(..) => [Vec::new(), Vec::new()],
            Rim::Halves(_, halves) => halves.each_ref().map(|half| half.between_ends()),
            Rim::Silhouette(_, silhouette) => {
                let mut lips = [Vec::new(), Vec::new()];
                for (v, lip) in silhouette.vertices(positions, camera) {
                    lips[lip].push(v);
                }
                lips
            }
        }
    }

    /// The vertices of a chain, without its ends.
    pub fn chain(&self) -> Option<Vec<u32>> {
        match self {
            Rim::Chain(_, chain) => Some(chain.between_ends()),
            _ => None,
        }
    }
}

/// Makes chains.
struct Maker<'a> {
    mesh: &'a Mesh,
    camera: &'a Camera,
    is_inner: &'a [bool],
}

impl Maker<'_> {
    fn pixel(&self, v: u32) -> DVec2 {
        self.camera.pixel(self.mesh.positions[v as usize]).unwrap_or(DVec2::INFINITY)
    }

    /// Vertices at parts of the length along them.
    fn places(&self, vertices: &[u32], closed: bool) -> Vec<(u32, f64, bool)> {
        let at = |v: u32| self.mesh.positions[v as usize];
        let mut lengths = vec![0.0];
        for pair in vertices.windows(2) {
            lengths.push(lengths[lengths.len() - 1] + at(pair[0]).distance(at(pair[1])));
        }
        let back = match (closed, vertices.first(), vertices.last()) {
            (true, Some(first), Some(last)) => at(*first).distance(at(*last)),
            _ => 0.0,
        };
        let whole = (lengths[lengths.len() - 1] + back).max(f64::MIN_POSITIVE);
        let place = |(v, length): (&u32, f64)| (*v, length / whole, self.is_inner[*v as usize]);
        vertices.iter().zip(lengths).map(place).collect()
    }

    /// An open chain on an open contour, the ends that are nearer to each other together.
    fn open(&self, contour: &Contour, vertices: &[u32]) -> Rim {
        Rim::Chain(contour.clone(), self.half(contour, vertices.to_vec()))
    }

    fn half(&self, contour: &Contour, mut vertices: Vec<u32>) -> Chain {
        if let (Some([a, b]), [first, .., last]) = (contour.ends(), &vertices[..]) {
            let (p, q) = (self.pixel(*first), self.pixel(*last));
            if a.distance(q) + b.distance(p) < a.distance(p) + b.distance(q) {
                vertices.reverse();
            }
        }
        Chain { places: self.places(&vertices, false) }
    }

    /// A loop on a closed contour: turned, and turned round, until it fits best.
    fn closed(&self, contour: &Contour, vertices: &[u32]) -> Rim {
        const TURNS: usize = 120;
        let places = self.places(vertices, true);
        // Shapes are compared about their middles: a contour may be drawn beside the lips.
        let middle = |points: &[DVec2]| points.iter().sum::<DVec2>() / points.len().max(1) as f64;
        let pixels: Vec<DVec2> = vertices.iter().map(|v| self.pixel(*v)).collect();
        let drawn: Vec<DVec2> = (0..TURNS).map(|k| contour.at(k as f64 / TURNS as f64)).collect();
        let shift = middle(&drawn) - middle(&pixels);
        let mut best = (f64::INFINITY, 1.0, 0.0);
        for way in [1.0, -1.0] {
            for turn in (0..TURNS).map(|k| k as f64 / TURNS as f64) {
                let fit = places.iter().zip(&pixels);
                let fit = fit.map(|((_, part, _), p)| {
                    contour.at(way * part + turn).distance_squared(*p + shift)
                });
                let fit: f64 = fit.sum();
                if fit < best.0 {
                    best = (fit, way, turn);
                }
            }
        }
        let (_, way, turn) = best;
        let places = places.into_iter().map(|(v, part, free)| (v, way * part + turn, free));
        Rim::Chain(contour.clone(), Chain { places: places.collect() })
    }

    /// A loop on an open contour: cut where it is nearest to the contour's ends.
    fn halves(&self, contour: &Contour, ring: &[u32]) -> Result<Rim, LipsError> {
        let ends = contour.ends().unwrap_or_default();
        let nearest = |end: DVec2| {
            let far = |k: &usize| self.pixel(ring[*k]).distance_squared(end);
            (0..ring.len()).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
        };
        let cuts = ends.map(nearest);
        let [a, b] = [cuts[0].min(cuts[1]), cuts[0].max(cuts[1])];
        if b - a < 2 || ring.len() - (b - a) < 2 {
            let problem = "the contour is too short: both of its ends are at the same corner of the \
                mouth; draw it from corner to corner";
            return Err(LipsError::sketch(problem));
        }
        let one = ring[a..=b].to_vec();
        let other: Vec<u32> = ring[b..].iter().chain(&ring[..=a]).copied().collect();
        let halves = [one, other].map(|half| self.half(contour, half));
        let height = |chain: &Chain| {
            let sum: f64 = chain.places.iter().map(|place| self.pixel(place.0).y).sum();
            sum / chain.places.len().max(1) as f64
        };
        let [one, other] = halves;
        let ordered = if height(&one) <= height(&other) { [one, other] } else { [other, one] };
        Ok(Rim::Halves(contour.clone(), ordered))
    }
}

impl Chain {
    fn between_ends(&self) -> Vec<u32> {
        let end = self.places.len().saturating_sub(1);
        self.places.get(1..end).unwrap_or_default().iter().map(|place| place.0).collect()
    }

    /// Depth at a part of the length \[m\].
    fn depth_at(&self, part: f64, positions: &[DVec3], camera: &Camera) -> Option<f64> {
        let depth = |k: usize| camera.view(positions[self.places[k].0 as usize]).z;
        let after = self.places.partition_point(|place| place.1 < part);
        if after == 0 || after == self.places.len() {
            return (!self.places.is_empty()).then(|| depth(after.min(self.places.len() - 1)));
        }
        let (from, to) = (self.places[after - 1].1, self.places[after].1);
        let t = (part - from) / (to - from).max(f64::MIN_POSITIVE);
        Some((1.0 - t) * depth(after - 1) + t * depth(after))
    }
}

impl Silhouette {
    /// Decides what is meant: all along the contour something must be near, and what is more than
    /// twice as far is something else.
    fn choose(&mut self, contour: &Contour, camera: &Camera) {
        const PLACES: usize = 50;
        let positions = &self.mesh.positions;
        let seen = self.vertices(positions, camera);
        let pixels: Vec<DVec2> =
            seen.iter().filter_map(|(v, _)| camera.pixel(positions[*v as usize])).collect();
        let nearest =
            |place: DVec2| pixels.iter().map(|p| p.distance(place)).fold(f64::INFINITY, f64::min);
        let places = (0..=PLACES).map(|k| contour.at(k as f64 / PLACES as f64));
        self.reach = 2.0 * places.map(nearest).fold(0.0, f64::max);
    }

    /// Vertices with the nearest place of the contour; none beyond the ends of an open one, where
    /// nothing was drawn.
    fn matched(
        &self,
        contour: &Contour,
        positions: &[DVec3],
        camera: &Camera,
    ) -> Vec<(u32, DVec2)> {
        let place = |(v, _): (u32, usize)| {
            let pixel = camera.pixel(positions[v as usize])?;
            let (target, part) = contour.nearest(pixel);
            let drawn = contour.closed || part > 0.0 && part < 1.0;
            (drawn && pixel.distance(target) <= self.reach).then_some((v, target))
        };
        self.vertices(positions, camera).into_iter().filter_map(place).collect()
    }

    /// Vertices of the inner lip between a triangle that faces the camera and one that does not,
    /// that nothing hides; 0 with those of an upper lip, which ends downwards in the picture, 1
    /// with others.
    fn vertices(&self, positions: &[DVec3], camera: &Camera) -> Vec<(u32, usize)> {
        let count = positions.len();
        let (mut front, mut back) = (vec![false; count], vec![false; count]);
        let mut normals = vec![DVec3::ZERO; count];
        for triangle in &self.mesh.triangles {
            if triangle.iter().any(|v| *v as usize >= count) {
                continue;
            }
            let [a, b, c] = triangle.map(|v| positions[v as usize]);
            let normal = (b - a).cross(c - a);
            let faces = normal.dot(camera.eye - a) > 0.0;
            for v in triangle.map(|v| v as usize) {
                normals[v] += normal;
                if faces { front[v] = true } else { back[v] = true }
            }
        }
        let mesh = Mesh { positions: positions.to_vec(), ..self.mesh.clone() };
        let tree = SurfaceTree::new(&mesh);
        let is_seen = |v: usize| {
            let way = positions[v] - camera.eye;
            let ray = Ray { origin: camera.eye, direction: way };
            // A little before the vertex, where its own triangles do not count.
            tree.cast(&ray, 1.0 - 2e-3, &mesh).is_none()
        };
        let edge = |v: &usize| self.is_inner[*v] && front[*v] && back[*v] && is_seen(*v);
        let lip = |v: usize| {
            let (here, there) = (camera.view(positions[v]), camera.view(positions[v] + normals[v]));
            // Down is where y grows.
            usize::from(there.y < here.y)
        };
        (0..count).filter(edge).map(|v| (v as u32, lip(v))).collect()
    }
}

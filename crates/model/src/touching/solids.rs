//! What bodies are to each other: surfaces that may come too near, and volumes they may be in.

use std::ops::Range;

use glam::DVec3;
use pliant_math::Row;
use pliant_mesh::{Bounds, Bvh, Mesh, boundary_of_tets, edges_of_tets};

use super::TouchLaw;
use super::nearest::around;
use super::sharp::Sharp;

/// Surface vertices that are looked after together.
const BLOCK: usize = 128;
/// A body does not touch itself within this multiple of a vertex's longest edge, at rest.
const NEIGHBOURHOOD: f64 = 2.0;

/// The bodies of a model that touch.
pub struct Solids {
    /// What contact does.
    pub law: TouchLaw,
    pub(crate) bodies: Vec<Solid>,
    pub(super) blocks: Vec<Block>,
    /// All sharp edges, and their boxes at rest.
    pub(super) edges: Vec<Sharp>,
    pub(super) edge_tree: Bvh,
    /// How many of the model's vertices are free; those from there on are hard.
    free: u32,
    /// Rest positions of all model vertices \[m\].
    pub(super) rest: Vec<DVec3>,
    /// Per model vertex: how far its own neighbourhood reaches \[m\], and its body.
    pub(super) reach: Vec<f64>,
    pub(super) owner: Vec<u32>,
    /// Per model vertex its side: 0 for none. Where any are told, sides touch each other, and
    /// nothing else touches; else empty.
    pub(super) sides: Vec<u8>,
    /// How far vertices may move before what is near is looked up again \[m\].
    pub(super) margin: f64,
    /// How near sheets may come to anything \[m\]; zero without any.
    pub(super) radius: f64,
}

/// One body.
pub(crate) struct Solid {
    /// Its model vertices: free ones, then hard ones.
    pub vertices: Vec<u32>,
    pub free: Range<u32>,
    pub hard: Range<u32>,
    /// Stiffness of contact per vertex [N/m].
    pub stiffness: f64,
    /// Its tets, as model vertices, as far as they may touch; none for what has no volume.
    pub tets: Vec<[u32; 4]>,
    /// Boxes at rest of all that vertices of a side can touch, and of those with a free corner: all
    /// that its hard vertices can. Only of side 0 where no sides are told.
    pub(super) trees: Vec<[Bvh; 2]>,
    /// Whether some tets have no free corner; else there is no second tree.
    pub(super) is_partly_hard: bool,
    /// Whether it has triangles, and no volume.
    pub(super) is_sheet: bool,
    /// Triangles around the tets, or those of a sheet, as model vertices, and their boxes at rest.
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) surface: Bvh,
}

/// Some surface vertices of a body and of a side: free ones, or hard ones.
pub(super) struct Block {
    pub body: u32,
    pub side: u8,
    pub is_hard: bool,
    pub vertices: Vec<u32>,
}

/// A body to be added.
pub(crate) struct SolidSpec<'a> {
    pub mesh: &'a Mesh,
    /// Model vertex of each of the mesh's.
    pub numbers: &'a [u32],
    /// Its free and its hard model vertices.
    pub ranges: [Range<u32>; 2],
    /// Diagonal of the elastic proxy at model vertices [N/m].
    pub elastic: &'a [f64],
    /// Masses of model vertices \[kg\].
    pub masses: &'a [f64],
    /// Side of each of the mesh's vertices; empty where everything touches.
    pub sides: &'a [u8],
}

impl Solids {
    /// Over a model's vertices at rest \[m\].
    pub(crate) fn new(law: TouchLaw, rest: &[Row], specs: &[SolidSpec]) -> Self {
        let mut solids = Solids {
            law,
            bodies: Vec::new(),
            blocks: Vec::new(),
            edges: Vec::new(),
            edge_tree: Bvh::new(&[]),
            free: specs.iter().map(|spec| spec.ranges[0].end).max().unwrap_or(0),
            rest: rest.iter().map(|row| row.xyz()).collect(),
            reach: vec![0.0; rest.len()],
            owner: vec![0; rest.len()],
            sides: Vec::new(),
            margin: f64::INFINITY,
            radius: 0.0,
        };
        specs.iter().for_each(|spec| solids.add(spec));
        let ends = |edge: &Sharp| edge.ends.map(|v| solids.rest[v as usize]);
        let boxes: Vec<Bounds> = solids.edges.iter().map(|e| around(ends(e), 0.0)).collect();
        solids.edge_tree = Bvh::new(&boxes);
        solids
    }

    fn add(&mut self, spec: &SolidSpec) {
        let body = self.bodies.len() as u32;
        let SolidSpec { mesh, numbers, ranges: [free, hard], .. } = spec;
        let number = |v: u32| numbers[v as usize];
        let has_volume = !mesh.tets.is_empty();
        let triangles =
            if has_volume { boundary_of_tets(&mesh.tets) } else { mesh.triangles.clone() };
        let mut edges = edges_of_tets(&mesh.tets);
        edges.extend(triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]));
        let mut sum = 0.0;
        for [a, b] in &edges {
            let [a, b] = [number(*a) as usize, number(*b) as usize];
            let length = self.rest[a].distance(self.rest[b]);
            sum += length;
            for v in [a, b] {
                self.reach[v] = self.reach[v].max(NEIGHBOURHOOD * length);
            }
        }
        let is_sheet = !has_volume && !triangles.is_empty();
        if !edges.is_empty() {
            let half = 0.5 * sum / edges.len() as f64;
            self.margin = self.margin.min(half);
            if is_sheet {
                let least = if self.radius > 0.0 { self.radius.min(half) } else { half };
                self.radius = self.law.radius.unwrap_or(least);
            }
        }
        let mut outer: Vec<u32> = triangles.iter().flatten().map(|&v| number(v)).collect();
        outer.sort_unstable();
        outer.dedup();
        if !spec.sides.is_empty() {
            self.sides.resize(self.rest.len(), 0);
            for (v, side) in (0u32..).zip(spec.sides) {
                self.sides[number(v) as usize] = *side;
            }
        }
        if !self.sides.is_empty() {
            outer.retain(|&v| self.sides[v as usize] > 0);
        }
        let mean = |of: &[f64]| {
            outer.iter().map(|&v| of[v as usize]).sum::<f64>() / outer.len().max(1) as f64
        };
        let inertia = self.law.step.map_or(0.0, |h| mean(spec.masses) / (h * h));
        let own = self.law.firmness * (mean(spec.elastic) + inertia);
        let sides = 0..=self.sides.iter().copied().max().unwrap_or(0);
        for side in sides.clone() {
            let is_of_side = |v: &u32| self.sides.get(*v as usize).is_none_or(|own| *own == side);
            let own: Vec<u32> = outer.iter().copied().filter(is_of_side).collect();
            let (free_ones, hard_ones) = own.split_at(own.partition_point(|&v| v < self.free));
            for (vertices, is_hard) in [(free_ones, false), (hard_ones, true)] {
                let block = |v: &[u32]| Block { body, side, is_hard, vertices: v.to_vec() };
                self.blocks.extend(vertices.chunks(BLOCK).map(block));
            }
        }
        let vertices: Vec<u32> = free.clone().chain(hard.clone()).collect();
        vertices.iter().for_each(|&v| self.owner[v as usize] = body);
        // What is on no side touches nothing.
        let has_side = |v: &u32| self.sides.is_empty() || self.sides[*v as usize] > 0;
        let tets = mesh.tets.iter().map(|tet| tet.map(number));
        let tets: Vec<[u32; 4]> = tets.filter(|tet| tet.iter().all(has_side)).collect();
        let at = |v: u32| self.rest[v as usize];
        let boxes: Vec<Bounds> = tets.iter().map(|t| around(t.map(at), 0.0)).collect();
        let is_partly_hard = tets.iter().any(|tet| self.is_hard(tet));
        // What has no box is left out, and keeps its number.
        let none = Bounds { min: DVec3::NAN, max: DVec3::NAN };
        let tree = |counts: &dyn Fn(&[u32; 4]) -> bool| {
            let own = |(tet, own): (&[u32; 4], &Bounds)| if counts(tet) { *own } else { none };
            Bvh::new(&tets.iter().zip(&boxes).map(own).collect::<Vec<_>>())
        };
        let trees = sides.map(|side| {
            let faces = |tet: &[u32; 4]| self.sides.is_empty() || self.is_beyond(side, tet);
            let yields = |tet: &[u32; 4]| is_partly_hard && faces(tet) && !self.is_hard(tet);
            [tree(&faces), tree(&yields)]
        });
        let trees = trees.collect();
        let skin = triangles.iter().map(|t| t.map(number));
        let skin: Vec<[u32; 3]> = skin.filter(|t| t.iter().all(has_side)).collect();
        if has_volume && self.sides.is_empty() {
            self.edges.extend(Sharp::all(body, &skin, &self.rest));
        }
        let faces: Vec<Bounds> = skin.iter().map(|t| around(t.map(at), 0.0)).collect();
        self.bodies.push(Solid {
            vertices,
            free: free.clone(),
            hard: hard.clone(),
            stiffness: self.law.stiffness.unwrap_or(own),
            is_sheet,
            tets,
            trees,
            is_partly_hard,
            surface: Bvh::new(&faces),
            triangles: skin,
        });
    }
}

impl Solids {
    /// The surface vertices that may touch, as model vertices.
    pub fn vertices(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().flat_map(|block| block.vertices.iter().copied())
    }

    /// Whether all of these vertices are hard: contact among them moves nothing.
    pub(super) fn is_hard(&self, vertices: &[u32]) -> bool {
        vertices.iter().all(|&v| v >= self.free)
    }

    /// Whether sides are told, and these vertices are all on another side than `vertex`.
    pub(super) fn is_opposite(&self, vertex: u32, others: &[u32]) -> bool {
        self.is_beyond(self.side(vertex), others)
    }

    fn is_beyond(&self, own: u8, others: &[u32]) -> bool {
        own > 0 && others.iter().map(|&v| self.side(v)).all(|side| side > 0 && side != own)
    }

    fn side(&self, vertex: u32) -> u8 {
        self.sides.get(vertex as usize).copied().unwrap_or(0)
    }

    /// Whether a vertex does not touch these of its own body.
    pub(super) fn passes(&self, vertex: u32, others: &[u32], is_near: impl Fn() -> bool) -> bool {
        if self.sides.is_empty() { is_near() } else { !self.is_opposite(vertex, others) }
    }
}

impl Solid {
    /// Place of a model vertex in `vertices`.
    pub fn place(&self, vertex: u32) -> Option<usize> {
        let place = if self.free.contains(&vertex) {
            vertex - self.free.start
        } else if self.hard.contains(&vertex) {
            self.free.len() as u32 + vertex - self.hard.start
        } else {
            return None;
        };
        Some(place as usize)
    }
}

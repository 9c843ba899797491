//! Held vertices that code moves, in the place of their attachments' motions.

use std::ops::Range;

use glam::DVec3;
use pliant_math::Row;
use pliant_model::{Drive, Model};

/// The held vertices of all bodies, and where code has put their targets.
pub(super) struct Targets {
    /// Held vertices in user order: their numbers in their bodies.
    vertices: Vec<u32>,
    /// The part of `vertices` that belongs to each body.
    bodies: Vec<Range<usize>>,
    /// Entries of [`Drive::hard`] and [`Drive::attachments`] with the vertex of each.
    hard: Vec<(usize, usize)>,
    soft: Vec<(usize, usize)>,
    /// Targets at the start and at the end of the next step \[m\]; `None` follows the motion.
    pub start: Vec<Option<DVec3>>,
    pub end: Vec<Option<DVec3>>,
}

impl Targets {
    /// The held vertices of a model; all follow their motions.
    pub fn new(model: &Model) -> Self {
        let free = model.free_count();
        let mut attached: Vec<(usize, usize)> =
            model.attachments().0.iter().enumerate().map(|(k, &v)| (v as usize, k)).collect();
        attached.sort_unstable();
        let mut targets = Targets {
            vertices: Vec::new(),
            bodies: Vec::new(),
            hard: Vec::new(),
            soft: Vec::new(),
            start: Vec::new(),
            end: Vec::new(),
        };
        for (b, body) in model.bodies().iter().enumerate() {
            let first = targets.vertices.len();
            for v in 0..body.vertex_count {
                let (own, held) = (model.number(b, v), targets.vertices.len());
                let from = attached.partition_point(|entry| entry.0 < own);
                let soft = attached[from..].iter().take_while(|entry| entry.0 == own);
                // A vertex without mass belongs to no element: nobody attached it.
                if own >= free && model.masses()[own] > 0.0 {
                    targets.hard.push((own - free, held));
                    targets.vertices.push(v as u32);
                } else if own < free && attached.get(from).is_some_and(|entry| entry.0 == own) {
                    targets.soft.extend(soft.map(|entry| (entry.1, held)));
                    targets.vertices.push(v as u32);
                }
            }
            targets.bodies.push(first..targets.vertices.len());
        }
        targets.start = vec![None; targets.vertices.len()];
        targets.end = targets.start.clone();
        targets
    }

    /// The held vertices of a body, ascending.
    pub fn vertices(&self, body: usize) -> &[u32] {
        &self.vertices[self.bodies[body].clone()]
    }

    /// Puts the targets of a body's held vertices at the end of the next step, and of all after it.
    pub fn set(&mut self, body: usize, at: &[DVec3]) {
        let own = &mut self.end[self.bodies[body].clone()];
        own.iter_mut().zip(at).for_each(|(target, x)| *target = Some(*x));
    }

    /// Lets a body's held vertices follow their motions again.
    pub fn release(&mut self, body: usize) {
        self.end[self.bodies[body].clone()].fill(None);
    }

    /// Overwrites what drives the start of the next step.
    pub fn overwrite_start(&self, drive: &mut Drive) {
        self.overwrite(&self.start, drive);
    }

    /// Overwrites what drives its end.
    pub fn overwrite_end(&self, drive: &mut Drive) {
        self.overwrite(&self.end, drive);
    }

    fn overwrite(&self, targets: &[Option<DVec3>], drive: &mut Drive) {
        let put = |rows: &mut [Row], entries: &[(usize, usize)]| {
            for &(entry, held) in entries {
                if let Some(x) = targets[held] {
                    rows[entry] = x.into();
                }
            }
        };
        put(&mut drive.hard, &self.hard);
        put(&mut drive.attachments, &self.soft);
    }

    /// After a step: the next one starts where this one ended.
    pub fn advance(&mut self) {
        self.start.copy_from_slice(&self.end);
    }
}

//! What pages are told of a performance: the mesh, frames before and after, what is learned from.

use glam::DVec3;
use serde_json::json;

use super::Room;
use super::take::Source;
use crate::outlet::Message;
use crate::packet::Packet;

fn coordinates(points: &[DVec3]) -> impl Iterator<Item = f32> + '_ {
    points.iter().flat_map(|x| x.to_array()).map(|x| x as f32)
}

impl Room<'_> {
    /// The mesh, before its frames.
    pub(super) fn present(&self) {
        let take = &self.take;
        self.outlet.forget("curves");
        self.outlet.forget("failure");
        let packet = Packet::new("mesh")
            .with("generation", self.generation)
            .counts("triangles", take.rest.mesh.triangles.iter().flatten().copied())
            .counts("ring", take.ring.iter().copied())
            .counts("inner", take.inner.iter().copied())
            .floats("rest", coordinates(&take.rest.mesh.positions))
            .floats("red", take.red.iter().copied());
        self.outlet.retain("mesh", Message::Binary(packet.bytes()));
    }

    /// What is known of every frame.
    pub(super) fn present_curves(&self) {
        let [before, after] = &self.teacher.errors;
        let packet = Packet::new("curves")
            .with("generation", self.generation)
            .floats("unknown", self.teacher.unknown.iter().copied())
            .floats("before", before.iter().map(|x| 1e3 * x))
            .floats("after", after.iter().map(|x| 1e3 * x));
        self.outlet.retain("curves", Message::Binary(packet.bytes()));
    }

    /// The frame that is looked at.
    pub(super) fn show(&mut self) {
        let Some(captured) = self.take.frames.get(self.cursor) else { return };
        let corrected = self.teacher.corrected(captured);
        let mut packet = Packet::new("frame")
            .with("number", self.outlet.next_number())
            .with("generation", self.generation)
            .with("cursor", self.cursor)
            .floats("captured", coordinates(captured))
            .floats("corrected", coordinates(&corrected));
        if let Some(drawn) = self.now.drawn.as_ref().filter(|drawn| drawn.frame == self.cursor) {
            packet = packet.floats("drawn", coordinates(&drawn.positions));
        }
        if let Some(truth) = &self.take.truth {
            packet = packet.floats("truth", coordinates(&truth[self.cursor]));
        }
        self.outlet.show(packet.bytes());
    }

    pub(super) fn tell(&self) {
        let [undo, redo] = self.history.offers();
        let take = &self.take;
        let training: Vec<usize> = self.now.training.keys().copied().collect();
        let suggestion =
            self.teacher.suggestion.map(|own| json!({ "frame": own.frame, "score": own.score }));
        let drawn = self.now.drawn.as_ref().map(|drawn| {
            json!({
                "frame": drawn.frame,
                "closed": drawn.closed,
                "handles": drawn.handles,
                "meanPixels": drawn.report.mean_pixels,
                "moved": 1e3 * drawn.report.moved,
            })
        });
        let mean = |all: &[f32]| {
            let sum: f32 = all.iter().sum();
            (!all.is_empty()).then(|| 1e3 * sum / all.len() as f32)
        };
        let folder = match &take.source {
            Source::BuiltIn => None,
            Source::Folder(folder) => Some(folder),
        };
        self.outlet.retain_json(
            "state",
            &json!({
                "kind": "state",
                "folder": folder,
                "frames": take.frames.len(),
                "fps": take.fps,
                "vertices": take.rest.mesh.positions.len(),
                "training": training,
                "suggestion": suggestion,
                "drawn": drawn,
                "hasTruth": take.truth.is_some(),
                "errors": self.teacher.errors.each_ref().map(|own| mean(own)),
                "running": self.running,
                "undo": undo,
                "redo": redo,
            }),
        );
    }
}

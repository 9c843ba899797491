//! What pages are told of an animation on its way: mesh, tets, paint, frames, and the state of it
//! all.

use pliant_enrich::SimulationOptions;
use pliant_enrich::embedding::default_resolution;
use serde_json::{Value, json};

use super::Room;
use super::export::Export;
use crate::opened::UPLOADED;
use crate::outlet::{Message, Outlet};
use crate::packet::Packet;

/// Files that were written into the project.
pub fn saved(outlet: &Outlet, files: &[String]) {
    let shown = match files {
        [first, .., last] if files.len() > 3 => format!("{first} … {last}"),
        files => files.join(", "),
    };
    outlet.say(json!({ "kind": "saved", "files": files, "sentence": format!("Saved {shown}.") }));
}

/// A file that is there already, for the page to ask whether it should be written over.
pub fn exists(outlet: &Outlet, file: &str) {
    outlet.say(json!({ "kind": "exists", "file": file }));
}

/// A file that a page can take.
pub fn made(outlet: &Outlet, file: &str) {
    outlet.say(json!({ "kind": "made", "file": file }));
}

fn coordinates(points: &[glam::DVec3]) -> impl Iterator<Item = f32> + '_ {
    points.iter().flat_map(|x| x.to_array()).map(|x| x as f32)
}

impl Room<'_> {
    /// The mesh, before its frames.
    pub(super) fn present(&self) {
        let piece = &self.pile.piece;
        self.outlet.forget("tets");
        self.outlet.forget("paint");
        let mut from = 0;
        let groups: Vec<Value> = piece
            .rest
            .groups
            .iter()
            .map(|group| {
                let first = from;
                from += group.vertices.len();
                json!([group.name, first, group.vertices.len()])
            })
            .collect();
        let members = piece.rest.groups.iter().flat_map(|group| group.vertices.iter().copied());
        let packet = Packet::new("mesh")
            .with("generation", self.generation)
            .with("name", piece.source.name())
            .with("groups", groups)
            .counts("members", members)
            .counts("triangles", piece.rest.triangles.iter().flatten().copied())
            .floats("rest", coordinates(&piece.rest.positions))
            .floats("colours", piece.colours());
        self.outlet.retain("mesh", Message::Binary(packet.bytes()));
    }

    /// The tets at rest.
    pub(super) fn present_solid(&self) {
        let Some((solid, _)) = &self.solid else { return };
        let unit = self.pile.piece.unit;
        let positions: Vec<glam::DVec3> =
            solid.embedded.solid.positions.iter().map(|x| *x / unit).collect();
        let packet = Packet::new("tets")
            .with("generation", self.generation)
            .counts("tets", solid.embedded.solid.tets.iter().flatten().copied())
            .floats("positions", coordinates(&positions));
        self.outlet.retain("tets", Message::Binary(packet.bytes()));
    }

    /// What is painted, and the weights that it becomes.
    pub(super) fn present_paint(&self) {
        let Some(weights) = &self.weights else { return };
        let paint = &self.now.paint;
        let packet = Packet::new("paint")
            .with("generation", self.generation)
            .floats("painted", paint.weights())
            .floats("young", paint.young().iter().map(|y| *y as f32))
            .floats("weights", weights.surface.iter().map(|w| *w as f32))
            .floats("exact", weights.exact.iter().map(|e| f32::from(u8::from(*e))))
            .floats("solid", weights.solid.iter().map(|w| *w as f32));
        self.outlet.retain("paint", Message::Binary(packet.bytes()));
    }

    /// The frame that is looked at, before and after.
    pub(super) fn show(&self) {
        let piece = &self.pile.piece;
        let Some(input) = piece.frames.get(self.cursor) else { return };
        let mut packet = Packet::new("frame")
            .with("number", self.outlet.next_number())
            .with("generation", self.generation)
            .with("cursor", self.cursor)
            .floats("input", coordinates(input));
        if let Some(result) = self.result.get(self.cursor) {
            packet = packet.floats("result", coordinates(result));
        }
        self.outlet.show(packet.bytes());
    }

    pub(super) fn tell(&self) {
        let [undo, redo] = self.history.offers();
        let piece = &self.pile.piece;
        let embedded = self.solid.as_ref().map(|(solid, _)| &solid.embedded);
        let is_stale = self.result_of.as_ref().is_some_and(|of| *of != self.now);
        let of = piece.frames.len();
        let run = self.run.as_ref().map(|run| json!({ "done": run.done, "of": of }));
        let result = (!self.result.is_empty()).then(|| {
            json!({
                "frames": self.result.len(),
                "isStale": is_stale,
                "motion": self.motion,
                "report": self.report,
            })
        });
        let export = Export { piece, text: "", result: &[] };
        let is_uploaded = piece.folder.starts_with(UPLOADED);
        self.outlet.retain_json(
            "state",
            &json!({
                "kind": "state",
                "settings": self.now.settings,
                "name": piece.source.name(),
                "frames": piece.frames.len(),
                "fps": piece.fps,
                "vertices": piece.rest.positions.len(),
                "tets": embedded.map(|embedded| embedded.solid.tets.len()),
                "usualResolution": default_resolution(&piece.rest),
                "usualYoung": embedded.map(SimulationOptions::default_young),
                "isFollowFound": !self.now.paint.has_follow(),
                "running": self.running,
                "run": run,
                "result": result,
                "stem": export.stem(),
                "canSave": self.opened.project().is_ok() && !is_uploaded,
                "notes": piece.notes,
                "undo": undo,
                "redo": redo,
            }),
        );
    }
}

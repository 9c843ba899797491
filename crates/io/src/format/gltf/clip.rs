//! Animations: which value of which node follows which curve.

use crate::error::Problem;
use glam::{DQuat, DVec3};

use super::accessor::Values;
use super::container::Container;
use super::document::Animation;

/// Frames per second of a clip that does not say.
const DEFAULT_FPS: f64 = 30.0;

/// What a channel drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// A curve over time that drives a node.
#[derive(Clone, Debug)]
pub struct Channel {
    pub node: usize,
    pub property: Property,
    /// Ascending \[s\].
    times: Vec<f64>,
    values: Values,
    interpolation: Interpolation,
    /// Numbers per key.
    width: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interpolation {
    Step,
    Linear,
    Cubic,
}

/// An animation of a file.
#[derive(Clone, Debug, Default)]
pub struct Clip {
    pub channels: Vec<Channel>,
    /// The last key of all \[s\].
    pub duration: f64,
    /// Frames per second.
    pub fps: f64,
}

impl Clip {
    /// `weights` says how many morph targets the mesh of a node has. An error is a sentence
    /// without the file's name.
    pub fn read(
        container: &Container,
        animation: &Animation,
        weights: impl Fn(usize) -> usize,
    ) -> Result<Clip, Problem> {
        let extras = animation.extras.as_ref();
        let fps = extras.and_then(|extras| extras.get("fps")?.as_f64());
        let fps = fps.filter(|fps| *fps > 0.0 && *fps <= 1000.0).unwrap_or(DEFAULT_FPS);
        let mut clip = Clip { channels: Vec::new(), duration: 0.0, fps };
        for (index, channel) in animation.channels.iter().enumerate() {
            let Some(node) = channel.target.node else { continue };
            let (property, width) = match channel.target.path.as_str() {
                "translation" => (Property::Translation, 3),
                "rotation" => (Property::Rotation, 4),
                "scale" => (Property::Scale, 3),
                "weights" => (Property::Weights, weights(node)),
                // Visibility, materials …: nothing that moves a vertex.
                _ => continue,
            };
            if node >= container.document.nodes.len() {
                return Err(
                    format!("channel {index} moves node {node}, which does not exist").into()
                );
            }
            let channel = Channel::read(container, animation, channel.sampler, width)
                .map_err(|problem| format!("channel {index}: {problem}"))?;
            let Some((times, values, interpolation)) = channel else { continue };
            clip.duration = clip.duration.max(times.last().copied().unwrap_or(0.0));
            clip.channels.push(Channel { node, property, times, values, interpolation, width });
        }
        Ok(clip)
    }
}

type Curve = Option<(Vec<f64>, Values, Interpolation)>;

impl Channel {
    /// Times, values and interpolation of a sampler; nothing, if it has no keys.
    fn read(
        container: &Container,
        animation: &Animation,
        sampler: usize,
        width: usize,
    ) -> Result<Curve, Problem> {
        let sampler = animation
            .samplers
            .get(sampler)
            .ok_or_else(|| format!("there is no sampler {sampler}"))?;
        let times = Values::read(container, sampler.input, None)?.of_width(sampler.input, 1)?;
        let times = times.all(container);
        if times.iter().any(|t| !t.is_finite()) || !times.is_sorted() {
            return Err("expected times that grow".into());
        }
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::Cubic,
            Some(other) => return Err(format!("expected an interpolation, found {other:?}").into()),
        };
        if times.is_empty() || width == 0 {
            return Ok(None);
        }
        let per_key = if interpolation == Interpolation::Cubic { 3 } else { 1 };
        // Weights are scalars, as many per key as there are targets.
        let numbers = times.len().saturating_mul(per_key).saturating_mul(width);
        let accessor = container.document.accessors.get(sampler.output);
        let scalars = accessor.is_some_and(|accessor| accessor.kind == "SCALAR");
        let elements = if scalars { numbers } else { numbers / width };
        let values = Values::read(container, sampler.output, Some(elements))?;
        let values = values.of_width(sampler.output, if scalars { 1 } else { width })?;
        Ok(Some((times, values, interpolation)))
    }

    /// Number `component` of value `row`; cubic curves have three rows per key.
    fn value(&self, container: &Container, row: usize, component: usize) -> f64 {
        match self.values.width {
            1 => self.values.get(container, row * self.width + component, 0),
            _ => self.values.get(container, row, component),
        }
    }

    fn row(&self, container: &Container, row: usize, out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.width).map(|component| self.value(container, row, component)));
    }

    /// The value at a time \[s\]; before the first key and after the last, theirs.
    pub fn at(&self, container: &Container, time: f64, out: &mut Vec<f64>) {
        let next = self.times.partition_point(|&key| key <= time);
        let last = self.times.len() - 1;
        let key_row = |key: usize| match self.interpolation {
            Interpolation::Cubic => 3 * key + 1,
            _ => key,
        };
        let (before, after) = (next.saturating_sub(1), next.min(last));
        let span = self.times[after] - self.times[before];
        let fraction = if span > 0.0 { (time - self.times[before]) / span } else { 0.0 };
        // A frame falls on a key though times are written in single precision.
        const NEAR: f64 = 1e-4;
        if before == after || fraction <= NEAR || self.interpolation == Interpolation::Step {
            let at_end = self.interpolation == Interpolation::Step && fraction >= 1.0 - NEAR;
            return self.row(container, key_row(if at_end { after } else { before }), out);
        }
        if fraction >= 1.0 - NEAR {
            return self.row(container, key_row(after), out);
        }
        match self.interpolation {
            Interpolation::Cubic => self.cubic(container, [before, after], fraction, span, out),
            _ => self.linear(container, [before, after], fraction, out),
        }
    }

    fn linear(&self, container: &Container, keys: [usize; 2], f: f64, out: &mut Vec<f64>) {
        out.clear();
        if self.property == Property::Rotation {
            let key = |key| {
                let value = |component| self.value(container, key, component);
                rotation(&[value(0), value(1), value(2), value(3)])
            };
            return out.extend(key(keys[0]).slerp(key(keys[1]), f).to_array());
        }
        out.extend((0..self.width).map(|component| {
            let [a, b] = keys.map(|key| self.value(container, key, component));
            a + (b - a) * f
        }));
    }

    /// Hermite's cubic through values with tangents (glTF 2.0, appendix C.5).
    fn cubic(
        &self,
        container: &Container,
        [before, after]: [usize; 2],
        f: f64,
        span: f64,
        out: &mut Vec<f64>,
    ) {
        let (f2, f3) = (f * f, f * f * f);
        out.clear();
        out.extend((0..self.width).map(|component| {
            let value = |row| self.value(container, row, component);
            let (v0, leave) = (value(3 * before + 1), value(3 * before + 2));
            let (v1, arrive) = (value(3 * after + 1), value(3 * after));
            (2.0 * f3 - 3.0 * f2 + 1.0) * v0
                + span * (f3 - 2.0 * f2 + f) * leave
                + (3.0 * f2 - 2.0 * f3) * v1
                + span * (f3 - f2) * arrive
        }));
    }
}

/// A rotation from x, y, z, w of any length; of none, no rotation.
pub fn rotation(values: &[f64]) -> DQuat {
    let [x, y, z, w] = *values else { return DQuat::IDENTITY };
    let length = (x * x + y * y + z * z + w * w).sqrt();
    if length > 0.0 && length.is_finite() {
        DQuat::from_xyzw(x / length, y / length, z / length, w / length)
    } else {
        DQuat::IDENTITY
    }
}

/// A vector from three numbers.
pub fn vector(values: &[f64]) -> DVec3 {
    match *values {
        [x, y, z] => DVec3::new(x, y, z),
        _ => DVec3::ZERO,
    }
}

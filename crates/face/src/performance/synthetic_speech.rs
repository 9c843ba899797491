//! A synthetic performance: ten seconds of talk, with blinks, looks and smiles.

use super::{Performance, PerformanceFrame};
use crate::anatomy::distance_fields::smoothstep;
use crate::expression::ARKIT;

const SECONDS: f64 = 10.0;

/// A mouth in speech: shapes of both sides, with weights.
type Viseme = &'static [(&'static str, f64)];

const REST: Viseme = &[];
const AH: Viseme = &[("jawOpen", 0.46), ("mouthLowerDown", 0.18), ("mouthUpperUp", 0.08)];
const EH: Viseme =
    &[("jawOpen", 0.26), ("mouthStretch", 0.25), ("mouthLowerDown", 0.22), ("mouthUpperUp", 0.15)];
const EE: Viseme =
    &[("jawOpen", 0.12), ("mouthSmile", 0.32), ("mouthStretch", 0.22), ("mouthLowerDown", 0.25)];
const OH: Viseme = &[("jawOpen", 0.34), ("mouthFunnel", 0.50)];
const OO: Viseme = &[("jawOpen", 0.12), ("mouthPucker", 0.62), ("mouthFunnel", 0.25)];
const M: Viseme = &[("mouthPress", 0.45), ("mouthRollLower", 0.20), ("mouthRollUpper", 0.15)];
const F: Viseme = &[("jawOpen", 0.05), ("mouthRollLower", 0.50), ("mouthUpperUp", 0.22)];
const S: Viseme =
    &[("jawOpen", 0.05), ("mouthStretch", 0.20), ("mouthLowerDown", 0.22), ("mouthUpperUp", 0.10)];
const CH: Viseme = &[("jawOpen", 0.10), ("mouthFunnel", 0.42), ("mouthPucker", 0.15)];

/// When which viseme is reached (s).
const TALK: [(f64, Viseme); 46] = [
    (0.00, REST),
    (0.50, REST),
    (0.62, M),
    (0.80, AH),
    (0.95, EE),
    (1.10, M),
    (1.25, EH),
    (1.38, S),
    (1.55, OH),
    (1.75, OO),
    (1.90, F),
    (2.08, AH),
    (2.25, S),
    (2.45, EE),
    (2.70, REST),
    (3.20, REST),
    (3.35, CH),
    (3.52, EE),
    (3.68, S),
    (3.85, AH),
    (4.02, M),
    (4.15, M),
    (4.32, OH),
    (4.55, AH),
    (4.72, F),
    (4.90, EH),
    (5.05, S),
    (5.30, OO),
    (5.50, REST),
    (6.10, REST),
    (6.25, OH),
    (6.50, M),
    (6.66, AH),
    (6.82, EE),
    (7.00, CH),
    (7.18, EH),
    (7.35, F),
    (7.52, OO),
    (7.70, AH),
    (7.90, M),
    (8.10, EE),
    (8.40, REST),
    (8.80, REST),
    (9.20, REST),
    (9.60, REST),
    (10.0, REST),
];
const BLINKS: [f64; 5] = [0.30, 2.85, 5.60, 5.95, 8.60];

impl Performance {
    /// The built-in clip, at `fps` frames per second.
    pub fn speech(fps: f64) -> Performance {
        let shapes: Vec<String> = ARKIT.iter().map(|name| (*name).to_owned()).collect();
        let count = (SECONDS * fps).round().max(1.0) as usize;
        let frames = (0..count).map(|k| frame(k as f64 / fps)).collect();
        Performance { fps, shapes, muscles: Vec::new(), frames }
    }
}

fn frame(t: f64) -> PerformanceFrame {
    let mut frame =
        PerformanceFrame { weights: vec![0.0; ARKIT.len()], ..PerformanceFrame::default() };
    let mut add = |name: &str, by: f64| {
        let sides = [name.to_owned(), format!("{name}Left"), format!("{name}Right")];
        for (shape, weight) in ARKIT.iter().zip(&mut frame.weights) {
            if sides.iter().any(|s| s == shape) {
                *weight += by;
            }
        }
    };
    let next = TALK.iter().position(|key| key.0 > t).unwrap_or(TALK.len() - 1).max(1);
    let (from, to) = (TALK[next - 1], TALK[next]);
    let part = smoothstep(from.0, to.0, t);
    from.1.iter().for_each(|&(name, by)| add(name, by * (1.0 - part)));
    to.1.iter().for_each(|&(name, by)| add(name, by * part));
    // Slow changes of mood: raised brows on stressed words, a smile at the end.
    let hump = |at: f64, width: f64| (-((t - at) / width).powi(2)).exp();
    add("browInnerUp", 0.55 * hump(0.9, 0.35) + 0.40 * hump(4.4, 0.45) + 0.35 * hump(7.7, 0.3));
    add("browOuterUp", 0.35 * hump(4.4, 0.45) + 0.30 * hump(6.4, 0.3));
    add("browDown", 0.45 * hump(2.2, 0.5) + 0.30 * hump(7.1, 0.4));
    let smile = smoothstep(8.2, 8.9, t) * smoothstep(10.0, 9.6, t);
    add("mouthSmile", 0.75 * smile + 0.15 * hump(2.9, 0.4));
    add("cheekSquint", 0.45 * smile);
    add("eyeSquint", 0.15 * smile + 0.25 * hump(2.2, 0.5));
    for at in BLINKS {
        let blink =
            if t < at { smoothstep(at - 0.10, at, t) } else { smoothstep(at + 0.20, at + 0.03, t) };
        add("eyeBlink", blink);
    }
    frame.weights.iter_mut().for_each(|w| *w = w.clamp(0.0, 1.0));
    let look = 0.16 * smoothstep(3.0, 3.1, t) * smoothstep(3.9, 3.8, t)
        - 0.12 * smoothstep(6.0, 6.1, t) * smoothstep(6.6, 6.5, t);
    frame.eyes = [[look, 0.02]; 2];
    frame.head =
        [0.06 * (0.9 * t).sin() + 0.4 * look, 0.05 * (1.7 * t).sin(), 0.03 * (0.6 * t).cos()];
    frame
}

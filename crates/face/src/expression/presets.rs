//! Preset expressions as weights of shapes.

/// An expression: names without a side stand for both.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    pub name: &'static str,
    pub weights: &'static [(&'static str, f64)],
}

const fn preset(name: &'static str, weights: &'static [(&'static str, f64)]) -> Preset {
    Preset { name, weights }
}

pub const PRESETS: [Preset; 12] = [
    preset("smile", &[("mouthSmile", 0.85), ("cheekSquint", 0.45), ("eyeSquint", 0.15)]),
    preset(
        "laugh",
        &[
            ("mouthSmile", 1.0),
            ("jawOpen", 0.42),
            ("mouthUpperUp", 0.35),
            ("mouthLowerDown", 0.25),
            ("cheekSquint", 0.8),
            ("eyeSquint", 0.35),
            ("browInnerUp", 0.2),
        ],
    ),
    preset(
        "surprise",
        &[
            ("browInnerUp", 0.9),
            ("browOuterUp", 0.9),
            ("eyeWide", 0.9),
            ("jawOpen", 0.55),
            ("mouthFunnel", 0.15),
        ],
    ),
    preset(
        "anger",
        &[
            ("browDown", 1.0),
            ("eyeSquint", 0.35),
            ("eyeWide", 0.2),
            ("noseSneer", 0.35),
            ("mouthPress", 0.8),
            ("mouthFrown", 0.35),
            ("mouthShrugLower", 0.3),
        ],
    ),
    preset(
        "disgust",
        &[
            ("noseSneer", 1.0),
            ("mouthUpperUp", 0.55),
            ("browDown", 0.6),
            ("eyeSquint", 0.5),
            ("mouthFrown", 0.35),
            ("mouthShrugLower", 0.35),
        ],
    ),
    preset(
        "sadness",
        &[
            ("browInnerUp", 1.0),
            ("browDown", 0.2),
            ("mouthFrown", 0.85),
            ("mouthShrugLower", 0.45),
            ("eyeSquint", 0.2),
            ("eyeLookDown", 0.4),
        ],
    ),
    preset(
        "fear",
        &[
            ("browInnerUp", 1.0),
            ("browOuterUp", 0.5),
            ("browDown", 0.3),
            ("eyeWide", 1.0),
            ("mouthStretch", 0.7),
            ("jawOpen", 0.2),
        ],
    ),
    preset("kiss", &[("mouthPucker", 1.0), ("eyeBlink", 0.35), ("browInnerUp", 0.25)]),
    preset(
        "ooh",
        &[("mouthFunnel", 1.0), ("jawOpen", 0.22), ("browInnerUp", 0.5), ("browOuterUp", 0.4)],
    ),
    preset("puff", &[("cheekPuff", 1.0), ("mouthPress", 0.5), ("eyeWide", 0.2)]),
    preset(
        "wink",
        &[
            ("eyeBlinkLeft", 1.0),
            ("cheekSquintLeft", 0.8),
            ("mouthSmileLeft", 0.8),
            ("mouthSmileRight", 0.3),
            ("browDownLeft", 0.3),
            ("browOuterUpRight", 0.5),
        ],
    ),
    preset("sleep", &[("eyeBlink", 1.0), ("jawOpen", 0.05)]),
];

impl Preset {
    /// Every shape with its weight, sides written out.
    pub fn shapes(&self) -> Vec<(String, f64)> {
        let mut all = Vec::new();
        for &(name, weight) in self.weights {
            if super::shapes::ARKIT.contains(&name) {
                all.push((name.to_owned(), weight));
            } else {
                all.push((format!("{name}Left"), weight));
                all.push((format!("{name}Right"), weight));
            }
        }
        all
    }
}

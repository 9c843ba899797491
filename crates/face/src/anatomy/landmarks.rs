//! Anatomical landmarks on the skin.

use glam::DVec3;

use super::Anatomy;
use super::eye;
use super::mouth::{HALF_WIDTH, lip_heights, parting_line};

/// A named point on the skin (m).
#[derive(Clone, Debug, PartialEq)]
pub struct Landmark {
    pub name: String,
    pub position: DVec3,
}

/// Where to start on a ray, and where it goes: the skin is met there. Paired ones are of the left.
const RAYS: [(&str, [f64; 3], [f64; 3], bool); 16] = [
    ("vertex", [0.0, 0.15, -0.075], [0.0, -1.0, 0.0], false),
    ("trichion", [0.0, 0.066, 0.08], [0.0, 0.0, -1.0], false),
    ("glabella", [0.0, 0.014, 0.08], [0.0, 0.0, -1.0], false),
    ("nasion", [0.0, 0.002, 0.08], [0.0, 0.0, -1.0], false),
    ("pronasale", [0.0, -0.0385, 0.08], [0.0, 0.0, -1.0], false),
    ("subnasale", [0.0, -0.0530, 0.08], [0.0, 0.0, -1.0], false),
    ("sublabiale", [0.0, -0.0905, 0.08], [0.0, 0.0, -1.0], false),
    ("pogonion", [0.0, -0.1045, 0.08], [0.0, 0.0, -1.0], false),
    ("menton", [0.0, -0.16, 0.010], [0.0, 1.0, 0.0], false),
    ("opisthocranion", [0.0, 0.02, -0.25], [0.0, 0.0, 1.0], false),
    ("alare", [0.05, -0.0440, 0.0270], [-1.0, 0.0, 0.0], true),
    ("zygion", [0.12, -0.0200, -0.0200], [-1.0, 0.0, 0.0], true),
    ("gonion", [0.12, -0.0800, -0.0480], [-1.0, 0.0, 0.0], true),
    ("tragion", [0.12, -0.0180, -0.0780], [-1.0, 0.0, 0.0], true),
    ("orbitale", [0.0315, -0.0165, 0.08], [0.0, 0.0, -1.0], true),
    ("superciliare", [0.030, 0.0200, 0.08], [0.0, 0.0, -1.0], true),
];

/// All landmarks; `_l` and `_r` where there are two.
pub fn landmarks(anatomy: &Anatomy) -> Vec<Landmark> {
    let mut found = Vec::new();
    let mut add = |name: &str, p: DVec3, paired: bool| {
        if paired {
            found.push(Landmark { name: format!("{name}_l"), position: p });
            found.push(Landmark { name: format!("{name}_r"), position: DVec3 { x: -p.x, ..p } });
        } else {
            found.push(Landmark { name: name.to_owned(), position: p });
        }
    };
    for (name, from, direction, paired) in RAYS {
        add(name, anatomy.hit(DVec3::from_array(from), DVec3::from_array(direction)), paired);
    }
    let front = |x: f64, y: f64| anatomy.hit(DVec3::new(x, y, 0.08), DVec3::NEG_Z);
    let line = parting_line(0.0);
    add("labrale_superius", front(0.0, line + lip_heights(0.0)[0]), false);
    add("labrale_inferius", front(0.0, line - lip_heights(0.0)[1]), false);
    add("stomion", front(0.0, line), false);
    add("cheilion", front(HALF_WIDTH, parting_line(HALF_WIDTH)), true);
    for (name, out) in [("endocanthion", -1.0), ("exocanthion", 1.0)] {
        let x = eye::CENTER[0] + 0.0003 + out * eye::HALF_WIDTH;
        add(name, front(x, eye::lid_edges(x)[0]), true);
    }
    let [upper, lower] = eye::lid_edges(eye::CENTER[0]);
    add("palpebrale_superius", front(eye::CENTER[0], upper + 0.001), true);
    add("palpebrale_inferius", front(eye::CENTER[0], lower - 0.001), true);
    found
}

impl Anatomy {
    /// Where a ray first meets the skin with mouth and lids closed (m); its start, where it does
    /// not.
    pub fn hit(&self, from: DVec3, direction: DVec3) -> DVec3 {
        let mut p = from;
        for _ in 0..400 {
            let d = self.envelope(p);
            if d.abs() < 1e-7 {
                break;
            }
            // Distances are of first order only: half steps do not overshoot.
            p += 0.5 * d * direction;
        }
        p
    }
}

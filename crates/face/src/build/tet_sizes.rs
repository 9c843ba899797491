//! Sizes of the tets, by the region of the skin above them.

use glam::DVec3;

use crate::template::Template;

/// Length of edges in the cheek for which the table is written (m).
pub const DEFAULT_SIZE: f64 = 0.0050;
/// Regions by the beginning of their names, and edges there (m).
const REGIONS: [(&str, f64); 16] = [
    ("upper_lip_inner", 0.0032),
    ("lower_lip_inner", 0.0032),
    ("upper_lip", 0.0027),
    ("lower_lip", 0.0027),
    ("upper_lid", 0.0028),
    ("lower_lid", 0.0028),
    ("eye_socket", 0.0052),
    ("nose", 0.0044),
    ("brow", 0.0046),
    ("cheek", DEFAULT_SIZE),
    ("chin", 0.0050),
    ("forehead", 0.0062),
    ("jaw", 0.0070),
    ("tongue", 0.0070),
    ("mouth_cavity", 0.0056),
    ("ear", 0.0080),
];
/// Everywhere else (m).
const COARSEST: f64 = 0.0085;
/// Edges grow by this much per metre.
const GROWTH: f64 = 0.30;
/// Lids and lips are so thin that longer edges would cut through them (m).
const THIN: f64 = 0.0033;

/// Wanted lengths of edges.
pub struct Grading {
    scale: f64,
    /// Places and edges there (m).
    places: Vec<(DVec3, f64)>,
}

impl Grading {
    /// For edges of `size` in the cheek (m).
    pub fn new(template: &Template, size: f64) -> Grading {
        let scale = size / DEFAULT_SIZE;
        let mut places: Vec<(DVec3, f64)> = Vec::new();
        for (name, edge) in REGIONS {
            let first = places.len();
            let own = template.regions.iter().filter(|r| r.name.starts_with(name));
            for v in own.flat_map(|region| &region.vertices) {
                let Some(p) = template.skin.mesh.positions.get(*v as usize) else { continue };
                if places[first..].iter().all(|(q, _)| q.distance(*p) > 2.0 * edge) {
                    places.push((*p, edge));
                }
            }
        }
        Grading { scale, places }
    }

    /// Wanted length of edges at a place (m).
    pub fn at(&self, p: DVec3) -> f64 {
        let own = |(place, edge): &(DVec3, f64)| {
            let edge = if *edge < THIN { (self.scale * edge).min(THIN) } else { self.scale * edge };
            edge + GROWTH * self.scale * (p.distance(*place) - 0.003).max(0.0)
        };
        self.places.iter().map(own).fold(self.scale * COARSEST, f64::min)
    }
}

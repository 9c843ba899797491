//! Measures how far flesh slides over bone (Fig. 5 of \[ichim2017phace\]).

use glam::DVec3;

use super::{BoneHold, FaceModel};

/// Skin further over the bone than this does not slide with it (m).
const THICKEST: f64 = 0.012;

/// Motion along the bone, where flesh may slide over it: means over the skin that lies there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slip {
    /// Of the flesh that lies on the bone (m).
    pub deep: f64,
    /// Of the skin (m).
    pub skin: f64,
    /// How much further the skin went than the flesh under it, by what is between them.
    pub shear: f64,
}

impl FaceModel {
    /// What has slid when the tets' vertices are at `positions` (m).
    pub fn slip(&self, positions: &[DVec3]) -> Slip {
        let rest = &self.solid.positions;
        let sliding: Vec<(usize, DVec3)> = (self.holds.iter().enumerate())
            .filter_map(|(v, hold)| match hold {
                BoneHold::Sliding(normal) => Some((v, *normal)),
                _ => None,
            })
            .collect();
        let skin = self.skin_at(positions);
        let along = |way: DVec3, normal: DVec3| way - way.dot(normal) * normal;
        let (mut sum, mut count) = (Slip::default(), 0.0);
        for (s, tet) in self.binding.tets.iter().enumerate().filter(|(_, tet)| tet.is_some()) {
            let p = self.skin.mesh.positions[s];
            let from = |v: &usize| rest[*v].distance(p);
            let nearest = sliding.iter().min_by(|a, b| from(&a.0).total_cmp(&from(&b.0)));
            let Some((v, normal)) = nearest.filter(|(v, _)| tet.is_some() && from(v) < THICKEST)
            else {
                continue;
            };
            let own = along(skin[s] - p, *normal);
            let deep = along(positions[*v] - rest[*v], *normal);
            sum.skin += own.length();
            sum.deep += deep.length();
            sum.shear += own.distance(deep) / from(v).max(1e-4);
            count += 1.0;
        }
        let mean = |x: f64| if count > 0.0 { x / count } else { 0.0 };
        Slip { deep: mean(sum.deep), skin: mean(sum.skin), shear: mean(sum.shear) }
    }
}

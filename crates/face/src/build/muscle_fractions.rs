//! Fraction and fibre direction of each muscle in each tet, by sampling (section 4 of
//! \[ichim2017phace\]) with the same points in every tet.

use glam::DVec3;
use pliant_math::team::{SharedSlice, Team};
use pliant_mesh::{Bounds, Locator, Mesh};

use crate::anatomy::MuscleVolume;
use crate::model::Share;

/// Points per tet.
const SAMPLES: usize = 48;

/// What of the tets is muscle: by tet, then by muscle. Where muscles overlap, they share.
pub fn shares(solid: &Mesh, muscles: &[MuscleVolume], team: &Team) -> Vec<Share> {
    let located: Vec<(Locator, Option<Bounds>)> =
        muscles.iter().map(|m| (Locator::new(&m.solid), m.solid.bounds())).collect();
    let samples = barycentric_samples();
    let mut found: Vec<Vec<Share>> = vec![Vec::new(); solid.tets.len()];
    let shared = SharedSlice::new(&mut found);
    team.each(solid.tets.len(), &|tet, _thread| {
        let own = tet_shares(tet, solid, muscles, &located, &samples);
        // SAFETY: every item has its own tet.
        unsafe { *shared.at(tet) = own };
    });
    found.into_iter().flatten().collect()
}

fn tet_shares(
    tet: usize,
    solid: &Mesh,
    muscles: &[MuscleVolume],
    located: &[(Locator, Option<Bounds>)],
    samples: &[[f64; 4]; SAMPLES],
) -> Vec<Share> {
    let Some(corners) = solid.corners(tet) else { return Vec::new() };
    let Some(around) = Bounds::of(&corners) else { return Vec::new() };
    let near = |bounds: &Option<Bounds>| {
        bounds.is_some_and(|b| b.min.cmple(around.max).all() && b.max.cmpge(around.min).all())
    };
    let candidates: Vec<usize> = (0..located.len()).filter(|&m| near(&located[m].1)).collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let mut sums = vec![(0.0, DVec3::ZERO); candidates.len()];
    for weights in samples {
        let p: DVec3 = (0..4).map(|k| weights[k] * corners[k]).sum();
        let mut here: Vec<(usize, DVec3)> = Vec::new();
        for (place, &m) in candidates.iter().enumerate() {
            let Some((inside, w)) = located[m].0.find(p) else { continue };
            let own = muscles[m].solid.tets[inside as usize];
            let direction = &muscles[m].fibres.direction;
            let at = |k: usize| direction.get(own[k] as usize).copied().unwrap_or(DVec3::ZERO);
            here.push((place, (0..4).map(|k| w[k] * at(k)).sum()));
        }
        let part = 1.0 / (SAMPLES as f64 * here.len().max(1) as f64);
        for (place, fibre) in here {
            sums[place].0 += part;
            // Towards one side, so that fibres of both ways do not cancel.
            let sign = if fibre.dot(sums[place].1) < 0.0 { -1.0 } else { 1.0 };
            sums[place].1 += sign * part * fibre;
        }
    }
    let share = |(&m, (fraction, fibre)): (&usize, (f64, DVec3))| Share {
        tet: tet as u32,
        muscle: m as u32,
        fraction,
        fibre: fibre.normalize_or(DVec3::Y),
    };
    candidates.iter().zip(sums).filter(|(_, sum)| sum.0 > 0.0).map(share).collect()
}

/// Points spread evenly over a tet: a sequence of low discrepancy, folded (Roberts 2018, R₃).
fn barycentric_samples() -> [[f64; 4]; SAMPLES] {
    const STEPS: [f64; 3] =
        [0.819_172_513_396_164_4, 0.671_043_606_703_789_3, 0.549_700_477_901_970_3];
    std::array::from_fn(|k| {
        let mut cube = STEPS.map(|step| (0.5 + step * (k + 1) as f64).fract());
        // Sorted coordinates of a cube are a tet's, six times over.
        cube.sort_by(f64::total_cmp);
        [cube[0], cube[1] - cube[0], cube[2] - cube[1], 1.0 - cube[2]]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anatomy::Fibres;
    use pliant_mesh::shapes::solid_box;

    #[test]
    fn fractions_are_volumes_and_fibres_are_found_again() {
        let solid = solid_box(DVec3::splat(2.0), [5, 5, 5]).unwrap();
        let muscle = solid_box(DVec3::new(3.0, 1.0, 1.0), [3, 2, 2]).unwrap();
        let count = muscle.positions.len();
        let direction = vec![DVec3::X; count];
        let muscle = MuscleVolume {
            name: "bar".to_owned(),
            origin: String::new(),
            insertion: String::new(),
            fibres: Fibres { along: vec![0.0; count], direction },
            curve: vec![-DVec3::X, DVec3::X],
            solid: muscle,
        };
        let found = shares(&solid, &[muscle.clone(), muscle], &Team::new(2));
        let volume = |share: &Share| {
            let [a, b, c, d] = solid.corners(share.tet as usize).unwrap();
            share.fraction * (b - a).dot((c - a).cross(d - a)) / 6.0
        };
        let total: f64 = found.iter().map(volume).sum();
        assert!((total - 2.0).abs() < 0.02, "{total}");
        let second: f64 = found.iter().filter(|s| s.muscle == 1).map(volume).sum();
        assert!((second - 1.0).abs() < 0.01, "two in one place share it: {second}");
        assert!(found.iter().all(|s| s.fibre.distance(DVec3::X) < 1e-12));
    }
}

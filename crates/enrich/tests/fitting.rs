//! Tets fitted to inputs that no flesh could follow.

use glam::{DMat3, DVec3};
use pliant_enrich::{EmbeddedSurface, FitOptions, Fitting, gamma};
use pliant_math::team::Team;
use pliant_mesh::{Mesh, quality};

use crate::bodies::{bar, cells};

/// Bent like a straw, as skinning does at joints: half of it turned as a whole.
fn folded(rest: &Mesh, degrees: f64) -> Vec<DVec3> {
    let turn = DMat3::from_rotation_z(degrees.to_radians());
    let fold = |&x: &DVec3| if x.x > 0.0 { turn * x } else { x };
    rest.positions.iter().map(fold).collect()
}

#[test]
fn no_fitted_tet_is_inside_out_however_sharp_the_bend() {
    let rest = bar([40, 8, 8]);
    let embedded = EmbeddedSurface::new(rest.clone(), None, &cells(20), &Team::new(1)).unwrap();
    let tracked: Vec<u32> = (0..rest.positions.len() as u32).collect();
    let fit = FitOptions::default();
    let closely =
        FitOptions { gamma: gamma::of_ratio(1e3, embedded.report.size, fit.young), ..fit };
    let mut fitting = Fitting::new(&embedded, &tracked, &closely, 2).unwrap();
    let mut turned_back = 0;
    for degrees in [30.0, 90.0, 150.0, -170.0] {
        let mut solid = embedded.solid.positions.clone();
        let report = fitting.fit(&folded(&rest, degrees), &mut solid);
        assert_eq!(report.inverted, 0, "at {degrees}°");
        assert_eq!(quality::inverted_among(&embedded.solid.tets, &solid), 0, "at {degrees}°");
        turned_back += report.untangled;
    }
    assert!(turned_back > 0, "nothing was inside out to begin with");
}

#[test]
fn what_is_flattened_is_laid_evenly_and_what_is_bent_is_not_flattened() {
    let rest = bar([40, 8, 8]);
    let embedded = EmbeddedSurface::new(rest.clone(), None, &cells(20), &Team::new(1)).unwrap();
    let tracked: Vec<u32> = (0..rest.positions.len() as u32).collect();
    let mut fitting = Fitting::new(&embedded, &tracked, &FitOptions::default(), 2).unwrap();
    let mut solid = embedded.solid.positions.clone();
    for (left, is_flattened) in [(0.9, false), (0.5, true), (0.05, true)] {
        let flat: Vec<DVec3> =
            rest.positions.iter().map(|x| DVec3::new(x.x, left * x.y, x.z)).collect();
        let report = fitting.fit(&flat, &mut solid);
        assert_eq!(report.is_flattened, is_flattened, "{left}");
        assert_eq!((report.untangled, report.inverted), (0, 0), "{left}");
        assert!(report.rms < 0.005, "{left}: {}", report.rms);
    }
    assert!(!fitting.fit(&folded(&rest, 90.0), &mut solid).is_flattened);
}

#[test]
fn a_fit_is_the_same_for_any_team_and_whatever_was_fitted_before() {
    let rest = bar([40, 8, 8]);
    let embedded = EmbeddedSurface::new(rest.clone(), None, &cells(16), &Team::new(1)).unwrap();
    let tracked: Vec<u32> = (0..rest.positions.len() as u32).collect();
    let fits = |before: &[f64], threads: usize| {
        let mut fitting =
            Fitting::new(&embedded, &tracked, &FitOptions::default(), threads).unwrap();
        let mut solid = embedded.solid.positions.clone();
        for &degrees in before.iter().chain(&[40.0]) {
            fitting.fit(&folded(&rest, degrees), &mut solid);
        }
        solid
    };
    let alone = fits(&[], 1);
    assert!(alone == fits(&[], 2));
    assert!(alone == fits(&[90.0, -20.0], 2));
}

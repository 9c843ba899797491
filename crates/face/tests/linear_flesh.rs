//! Flesh with and without rotations (Fig. 10 of \[ichim2017phace\]).

use glam::{DMat3, DVec3};
use pliant_face::linear_flesh::{Elasticity, PushingBall, SimpleFlesh};
use pliant_math::decomposition::polar;

use crate::coarse::face;

#[test]
fn a_turned_head_is_the_same_head_only_with_rotations() {
    let face = face();
    let flesh = SimpleFlesh::new(face);
    let turn = DMat3::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let squeezed = DMat3::from_diagonal(DVec3::new(0.8, 1.1, 1.1));
    let mut targets = vec![DMat3::IDENTITY; face.solid.tets.len()];
    face.shares.iter().for_each(|share| targets[share.tet as usize] = squeezed);
    let off = |elasticity| {
        let straight = flesh.pose(elasticity, &|p| p, &targets, None);
        let turned = flesh.pose(elasticity, &|p| turn * p, &targets, None);
        let off = straight.iter().zip(&turned).map(|(a, b)| (turn * *a).distance(*b));
        let moved = straight.iter().zip(&face.solid.positions).map(|(a, b)| a.distance(*b));
        assert!(moved.fold(0.0, f64::max) > 0.0005, "muscles do something");
        off.fold(0.0, f64::max)
    };
    let (with, without) = (off(Elasticity::Corotated), off(Elasticity::Linear));
    assert!(with < 1e-6, "with rotations off by {with} m");
    assert!(without > 0.005, "without rotations off by {without} m");
}

#[test]
fn a_punch_distorts_flesh_that_does_not_know_rotations() {
    let face = face();
    let flesh = SimpleFlesh::new(face);
    // A fist from the side, beyond the middle of the nose.
    let fist = PushingBall { center: DVec3::new(0.032, -0.036, 0.050), radius: 0.035 };
    let [linear, corotated] = [Elasticity::Linear, Elasticity::Corotated].map(|elasticity| {
        let x = flesh.pose(elasticity, &|p| p, &[], Some(fist));
        let deepest = x.iter().map(|p| fist.radius - p.distance(fist.center)).fold(0.0, f64::max);
        assert!(deepest < 0.0025, "{elasticity:?}: {deepest} m inside the fist");
        x
    });
    // What should have turned by more than 8°, and how far it is from having kept its shape.
    let rotation = |t: usize, x: &[DVec3]| polar(&flesh.gradient(t, x));
    let turned: Vec<usize> = (0..face.solid.tets.len())
        .filter(|&t| {
            let r = rotation(t, &corotated);
            0.5 * (r.x_axis.x + r.y_axis.y + r.z_axis.z - 1.0) < 8f64.to_radians().cos()
        })
        .collect();
    let strain = |x: &[DVec3]| {
        let own = |t: usize| {
            let off = flesh.gradient(t, x) - rotation(t, x);
            off.to_cols_array().iter().map(|e| e * e).sum::<f64>().sqrt()
        };
        turned.iter().map(|&t| own(t)).sum::<f64>() / turned.len() as f64
    };
    let (without, with) = (strain(&linear), strain(&corotated));
    assert!(turned.len() > 10 && without > with, "{}: {without}, {with}", turned.len());
}

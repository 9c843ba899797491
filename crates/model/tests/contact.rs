//! Colliders: distances, the potentials of contact and friction, and how poses blend.

use std::sync::LazyLock;

use pliant_math::Row;
use pliant_math::derivative::{gradient_error, hessian_error};
use pliant_mesh::shapes;
use pliant_model::potentials::collider_contact::ColliderContact;
use pliant_model::potentials::collider_friction::{ColliderFriction, REBOUND_SPEED, SLIP_SPEED};
use pliant_model::potentials::{Curvature, Potential, ProxyKind, Situation};
use pliant_model::{Collider, DVec3, Drive, Motion, Response, Rigid, Shape};
use proptest::prelude::*;

fn shapes() -> [(&'static str, Shape); 6] {
    let center = DVec3::new(0.1, -0.2, 0.3);
    [
        ("plane", Shape::plane(center, DVec3::new(1.0, 3.0, -0.5))),
        ("sphere", Shape::sphere(center, 0.8)),
        ("box", Shape::cuboid(DVec3::new(-0.7, -0.5, -0.9), DVec3::new(0.6, 0.4, 1.0))),
        ("capsule", Shape::capsule(center, DVec3::new(1.0, 0.5, -0.4), 0.5)),
        ("torus", Shape::torus(center, DVec3::new(0.2, 1.0, 0.1), 0.9, 0.35)),
        ("mesh", BLOCK.clone()),
    ]
}

static BLOCK: LazyLock<Shape> = LazyLock::new(|| {
    let mut block = shapes::solid_box(DVec3::new(1.2, 1.0, 1.8), [4, 3, 5]).expect("a box");
    block.positions.iter_mut().for_each(|x| *x += DVec3::new(0.1, -0.2, 0.3));
    Shape::mesh(&block).expect("a surface")
});

/// A motion that turns and shifts.
fn tumble() -> Motion {
    Motion {
        times: vec![0.0, 1.0],
        translate: vec![DVec3::ZERO, DVec3::new(0.3, -0.1, 0.2)],
        rotate: vec![DVec3::ZERO, DVec3::new(0.0, 70.0, 0.0)],
        about: DVec3::new(0.5, 0.0, 0.0),
    }
}

proptest! {
    #[test]
    fn distances_are_distances(
        x in prop::array::uniform3(-1.5..1.5f64),
        step in prop::array::uniform3(-1.0..1.0f64),
        time in 0.0..1.0f64,
    ) {
        let (x, step) = (DVec3::from_array(x), DVec3::from_array(step));
        for (name, shape) in shapes() {
            let shape = shape.moved(&tumble().at(time));
            let near = shape.nearest(x);
            prop_assert!((near.normal.length() - 1.0).abs() < 1e-12, "{name}: a normal of length 1");
            prop_assert!((near.point - (x - near.distance * near.normal)).length() < 1e-15);
            prop_assert!(shape.nearest(near.point).distance.abs() < 1e-12, "{name}: on the surface");
            // No distance changes faster than the point moves.
            let other = shape.nearest(x + step);
            prop_assert!((other.distance - near.distance).abs() <= step.length() + 1e-12, "{name}");
            // Along the normal it changes as fast as that, back to the surface.
            let half = shape.nearest(x - 0.5 * near.distance * near.normal);
            prop_assert!((half.distance - 0.5 * near.distance).abs() < 1e-12, "{name}: half way");
            if let Some((centre, reach)) = shape.bounds() {
                prop_assert!(near.distance >= 0.0 || x.distance(centre) <= reach, "{name}: bounds");
            }
        }
    }

    #[test]
    fn poses_can_be_undone(x in prop::array::uniform3(-9.0..9.0f64), time in 0.0..2.0f64) {
        let (x, pose) = (DVec3::from_array(x), tumble().at(time));
        prop_assert!((pose.unapply(pose.apply(x)) - x).length() < 1e-13);
    }
}

#[test]
fn degenerate_points_have_normals() {
    let y = DVec3::Y;
    let cases = [
        (Shape::sphere(y, 2.0), y, -2.0),
        (Shape::cuboid(-DVec3::ONE, DVec3::ONE), DVec3::ZERO, -1.0),
        (Shape::cuboid(-DVec3::ONE, DVec3::ONE), DVec3::ONE, 0.0),
        (Shape::capsule(DVec3::ZERO, y, 0.5), 0.5 * y, -0.5),
        (Shape::capsule(DVec3::ZERO, y, 0.5), y, -0.5),
        (Shape::capsule(y, y, 0.5), y, -0.5),
        (Shape::torus(DVec3::ZERO, y, 2.0, 0.5), DVec3::ZERO, 1.5),
        (Shape::torus(DVec3::ZERO, y, 2.0, 0.5), 2.0 * DVec3::X, -0.5),
        (Shape::plane(DVec3::ZERO, DVec3::ZERO), -y, -1.0),
    ];
    for (shape, x, distance) in cases {
        let near = shape.nearest(x);
        assert_eq!(near.distance, distance, "{shape:?}");
        assert!((near.normal.length() - 1.0).abs() < 1e-15, "{shape:?}");
        let bend = shape.bend(x, &near);
        assert!(bend.is_finite(), "{shape:?}");
        assert!((bend * near.normal).length() < 1e-15, "{shape:?}");
    }
}

#[test]
fn contact_has_the_reference_values() {
    let n = DVec3::new(0.309_426_373_877_638, 0.928_279_121_632_914, -0.206_284_249_251_758_67);
    let inside =
        DVec3::new(0.078_340_153_828_565_35, 0.073_135_186_710_168_41, 0.035_956_160_957_748_895);
    let outside =
        DVec3::new(0.121_659_846_171_434_66, 0.203_094_263_738_776_4, 0.007_076_366_062_502_726);
    let shape = Shape::plane(DVec3::new(0.1, 0.2, 0.3), n);
    let cubic = Collider { response: Response::Cubic, ..Collider::new(shape.clone(), 1.0) };
    let spring = Collider::new(shape, 250.0);
    let cases = [
        (
            "collision_cubic",
            cubic,
            3.430_000_000_000_001e-4,
            DVec3::new(
                -0.004_548_567_696_001_279,
                -0.013_645_703_088_003_837,
                0.003_032_378_464_000_853,
            ),
            [0.040_212_765_957_446_81, 0.120_638_297_872_340_43, 0.361_914_893_617_021_3],
        ),
        (
            "repulsion_spring_3_58",
            spring,
            0.6125,
            DVec3::new(-5.414_961_542_858_665, -16.244_884_628_575_996, 3.609_974_361_905_777),
            [23.936_170_212_765_955, 71.808_510_638_297_86, 215.425_531_914_893_58],
        ),
    ];
    for (name, collider, value, slope, [xx, xy, yy]) in cases {
        let case = Case::contact(name, collider, Rigid::default());
        assert!((case.energy(&inside.to_array()) / value - 1.0).abs() < 1e-13, "{name}");
        let gradient = DVec3::from_slice(&case.gradient(&inside.to_array()));
        assert!((gradient - slope).length() < 1e-13 * slope.length(), "{name}: {gradient}");
        for curvature in [Curvature::Exact, Curvature::Definite] {
            let hessian = case.hessian(&inside.to_array(), curvature);
            for (at, wanted) in [(0, xx), (1, xy), (3, xy), (4, yy)] {
                assert!((hessian[at] / wanted - 1.0).abs() < 1e-13, "{name}: entry {at}");
            }
        }
        assert_eq!(case.energy(&outside.to_array()), 0.0, "{name}");
        assert_eq!(case.gradient(&outside.to_array()), [0.0; 3], "{name}");
        assert_eq!(case.hessian(&outside.to_array(), Curvature::Exact), [0.0; 9], "{name}");
    }
}

/// One potential over one vertex.
struct Case {
    name: String,
    potential: Box<dyn Potential>,
    drive: Drive,
    start: Row,
}

/// Slow enough that a centimetre is sticking: differences need room.
const RATE: f64 = 1e-2;

impl Case {
    fn contact(name: &str, collider: Collider, pose: Rigid) -> Case {
        let drive = Drive { colliders: vec![pose], ..Drive::default() };
        let potential = Box::new(ColliderContact::new(vec![0], vec![collider]));
        Case { name: name.to_owned(), potential, drive, start: Row::zero() }
    }

    fn at<T>(&self, x: &[f64], f: impl FnOnce(&Situation) -> T) -> T {
        let positions = [Row::new(x[0], x[1], x[2])];
        let start = &[self.start];
        f(&Situation {
            positions: &positions,
            start,
            rate: RATE,
            drive: &self.drive,
            end: None,
            touches: &[],
            rubbing: &[],
        })
    }

    fn energy(&self, x: &[f64]) -> f64 {
        self.at(x, |at| self.potential.evaluate(0, at, None))
    }

    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let mut rows = [Row::new(1e9, 1e9, 1e9)];
        let energy = self.at(x, |at| self.potential.evaluate(0, at, Some(&mut rows)));
        assert_eq!(energy, self.energy(x), "{}: the same energy with forces", self.name);
        rows[0].xyz().to_array().to_vec()
    }

    fn hessian(&self, x: &[f64], curvature: Curvature) -> Vec<f64> {
        let mut out = vec![f64::NAN; 9];
        self.at(x, |at| self.potential.hessians(0, at, curvature, &mut out));
        out
    }

    fn check(&self, x: DVec3) {
        let (name, x) = (&self.name, x.to_array());
        assert!(self.energy(&x) > 0.0, "{name}: no energy tests nothing");
        let error = gradient_error(|y| self.energy(y), |y| self.gradient(y), &x);
        assert!(error < 1e-8, "{name}: gradient is off by {error:e}");
        let exact = |y: &[f64]| self.hessian(y, Curvature::Exact);
        let error = hessian_error(|y| self.gradient(y), exact, &x);
        assert!(error < 1e-8, "{name}: Hessian is off by {error:e}");
        let difference: Vec<f64> = self
            .hessian(&x, Curvature::Definite)
            .iter()
            .zip(exact(&x))
            .map(|(d, e)| d - e)
            .collect();
        for direction in directions() {
            let definite = quadratic(&self.hessian(&x, Curvature::Definite), direction);
            let size =
                self.hessian(&x, Curvature::Definite).iter().fold(0.0, |m: f64, h| m.max(h.abs()));
            assert!(definite >= -1e-12 * size, "{name}: {definite:e} along {direction}");
            assert!(quadratic(&difference, direction) >= -1e-12 * size, "{name}: only raised");
        }
        for kind in [ProxyKind::Typical, ProxyKind::Bound] {
            self.potential.proxy(kind, &mut |_, _, _| panic!("{name} has no proxy"));
        }
    }
}

fn quadratic(matrix: &[f64], u: DVec3) -> f64 {
    let u = u.to_array();
    (0..9).map(|k| matrix[k] * u[k / 3] * u[k % 3]).sum()
}

fn directions() -> impl Iterator<Item = DVec3> {
    (0..200).map(|i| {
        let (a, z) = (2.4 * f64::from(i), f64::from(i) / 100.0 - 0.995);
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * a.cos(), r * a.sin(), z)
    })
}

/// Points inside, away from where the nearest surface point jumps.
fn inside(shape: &Shape) -> Vec<DVec3> {
    let grid =
        (0..343).map(|i| DVec3::new(f64::from(i % 7), f64::from(i / 7 % 7), f64::from(i / 49)));
    let points = grid.map(|g| (g - 3.0) * 0.31 + DVec3::new(0.013, 0.007, -0.011));
    let smooth = |x: &DVec3| {
        let near = shape.nearest(*x);
        let moved = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z]
            .map(|e| shape.nearest(*x + 0.02 * e).normal.dot(near.normal));
        near.distance < -0.02 && moved.iter().all(|&c| c > 0.98)
    };
    points.filter(smooth).collect()
}

#[test]
fn contact_has_derivatives() {
    let pose = tumble().at(0.4);
    for (name, shape) in shapes() {
        let points = inside(&shape.moved(&pose));
        assert!(points.len() > 3, "{name}: {} points test nothing", points.len());
        for response in [Response::Spring, Response::Cubic] {
            let collider = Collider { response, ..Collider::new(shape.clone(), 40.0) };
            let case = Case::contact(&format!("{name}, {response:?}"), collider, pose);
            points.iter().for_each(|&x| case.check(x));
        }
    }
}

#[test]
fn friction_has_derivatives_and_takes_energy() {
    let motion = tumble();
    for (name, shape) in shapes() {
        let collider =
            Collider { friction: 0.4, restitution: 0.5, ..Collider::new(shape.clone(), 40.0) };
        let (before, now) = (motion.at(0.4), motion.at(0.41));
        for start in inside(&shape.moved(&before)) {
            let normal = shape.moved(&before).nearest(start).normal;
            let along = normal.any_orthonormal_vector();
            for (slip, rise) in [(0.3, 0.4), (0.3, -2.0), (7.0, 0.2), (7.0, 5.0), (0.4, 6.0)] {
                let drive = Drive {
                    colliders: vec![now],
                    colliders_before: vec![before],
                    ..Drive::default()
                };
                let case = Case {
                    name: format!("{name}, slip {slip}, rise {rise}"),
                    potential: Box::new(ColliderFriction::new(vec![0], vec![collider.clone()])),
                    drive,
                    start: start.into(),
                };
                let carried = now.apply(before.unapply(start));
                let u = (along * (slip * SLIP_SPEED) + normal * (rise * REBOUND_SPEED)) / RATE;
                case.check(carried + u);
                let force = -DVec3::from_slice(&case.gradient(&(carried + u).to_array()));
                assert!(force.dot(u) < 0.0, "{}: friction gives energy", case.name);
                let pressed = collider.force(shape.moved(&before).nearest(start).distance);
                let across = (force - force.dot(normal) * normal).length();
                assert!(across <= 0.4 * pressed * (1.0 + 1e-12), "{}: Coulomb", case.name);
                assert!(case.energy(&carried.to_array()) < 1e-30, "{}: carried", case.name);
            }
        }
    }
}

#[test]
fn blended_poses_are_rigid_and_meet_their_ends() {
    let (a, b) = (tumble().at(0.0), tumble().at(1.0));
    let drive = |pose: Rigid| Drive { colliders: vec![pose], ..Drive::default() };
    let mut blend = Drive::default();
    for (fraction, wanted) in [(0.0, a), (1.0, b)] {
        blend.set_between(&drive(a), &drive(b), fraction);
        assert_eq!(blend.colliders, [wanted]);
        assert_eq!(blend.colliders_before, [a]);
    }
    blend.set_between(&drive(a), &drive(b), 0.25);
    for x in [DVec3::X, DVec3::new(0.3, -2.0, 5.0)] {
        // One axis: the blend of poses is the pose of the blended keys.
        assert!((blend.colliders[0].apply(x) - tumble().at(0.25).apply(x)).length() < 1e-14);
    }
    assert!(blend.is_finite());
    blend.colliders[0] = Motion { translate: vec![DVec3::NAN; 2], ..tumble() }.at(0.5);
    assert!(!blend.is_finite());
}

//! Local thickness of a body, by balls inscribed in its surface.
//!
//! A ray goes inward from a point of the surface to the opposite side. The distance from its middle
//! to the surface is the radius of an inscribed ball. The tets are not used, so a leg as thin as a
//! cell has its true thickness.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, Ray, SignedDistance};

use crate::embedding::samples::{self, Sample};
use crate::numerics::weighted_sums::fill;

/// Depth at which a ray starts, relative to the surface's size.
const START_DEPTH: f64 = 1e-5;
/// Number of times a ball is recentred to grow.
const RECENTRINGS: usize = 3;
/// A ball is redundant if its centre is closer than this many radii to that of a larger ball.
const COVERED: f64 = 0.5;

/// A ball inside a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ball {
    /// Its centre \[m\].
    pub centre: DVec3,
    /// Its radius \[m\].
    pub radius: f64,
}

/// Finds balls inside a surface, largest first, from surface points that are `size` \[m\] apart.
pub fn find(surface: &Mesh, depth: &SignedDistance, size: f64, team: &Team) -> Vec<Ball> {
    let samples = samples::inside_triangles(surface, size);
    let extent = surface.bounds().map_or(0.0, |b| b.size().length());
    let ball_at = |sample: &Sample| -> Option<Ball> {
        let [a, b, c] = sample.corners.map(|v| surface.positions[v as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let point = sample.position(&surface.positions);
        // Triangles may be inside out: inward is the side with positive depth.
        let start = |way: DVec3| point + way * (START_DEPTH * extent);
        let way = [-normal, normal].into_iter().find(|&way| depth.at(start(way)) > 0.0)?;
        let ray = Ray { origin: start(way), direction: way };
        let hit = depth.tree().cast(&ray, extent, surface)?;
        let centre = ray.origin + 0.5 * hit.parameter * way;
        let mut ball = Ball { centre, radius: depth.at(centre) };
        // Move to the middle between the nearest wall and the one opposite.
        for _ in 0..RECENTRINGS {
            let wall = depth.tree().closest(ball.centre)?.point;
            let way = (ball.centre - wall).normalize_or_zero();
            let ray = Ray { origin: ball.centre, direction: way };
            let Some(hit) = depth.tree().cast(&ray, extent, surface) else { break };
            let centre = ball.centre + 0.5 * (hit.parameter - ball.radius) * way;
            let radius = depth.at(centre);
            if radius > ball.radius {
                ball = Ball { centre, radius };
            }
        }
        (ball.radius > 0.0).then_some(ball)
    };
    let mut found = vec![None; samples.len()];
    fill(&mut found, team, |k| ball_at(&samples[k]));
    let mut balls: Vec<Ball> = found.into_iter().flatten().collect();
    balls.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    let mut kept: Vec<Ball> = Vec::new();
    for ball in balls {
        let covers = |k: &Ball| k.centre.distance(ball.centre) < COVERED * k.radius;
        if !kept.iter().any(covers) {
            kept.push(ball);
        }
    }
    kept
}

/// Local radius R: the radius of the ball closest to a point, measured in radii of the ball; 0
/// without balls. A corner of the body thus belongs to its large ball, which does not reach into
/// the corner.
pub fn local_radius(balls: &[Ball], point: DVec3) -> f64 {
    let away = |ball: &Ball| ball.centre.distance(point) / ball.radius;
    let nearer = |best: Option<(f64, f64)>, ball: &Ball| match best {
        Some((least, _)) if away(ball) >= least => best,
        _ => Some((away(ball), ball.radius)),
    };
    balls.iter().fold(None, nearer).map_or(0.0, |(_, radius)| radius)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    #[test]
    fn a_thin_bar_is_as_thick_as_it_is_whatever_the_cells() {
        let bar = shapes::solid_box(DVec3::new(1.0, 0.1, 0.1), [10, 1, 1]).unwrap();
        let depth = SignedDistance::new(&bar);
        for size in [0.02, 0.5] {
            let balls = find(&bar, &depth, size, &Team::new(2));
            assert!((balls[0].radius - 0.05).abs() < 1e-6, "{:?}", balls[0]);
            for x in [-0.4, 0.0, 0.3] {
                let radius = local_radius(&balls, DVec3::new(x, 0.08, 0.0));
                assert!((radius - 0.05).abs() < 0.01, "{radius} at {x}");
            }
        }
    }

    #[test]
    fn a_cube_has_one_ball_that_counts() {
        let cube = shapes::solid_box(DVec3::ONE, [2, 2, 2]).unwrap();
        let balls = find(&cube, &SignedDistance::new(&cube), 0.1, &Team::new(1));
        assert!((balls[0].radius - 0.5).abs() < 1e-3, "{:?}", balls.first());
        assert_eq!(local_radius(&balls, DVec3::splat(0.6)), balls[0].radius);
    }
}

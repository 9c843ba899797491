//! A smooth map of space through given points: a similarity, then a spline of the biharmonic kernel
//! −|x| with an affine part (Carr et al. 2001), which bends as little as possible.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::polar;

/// Turned, scaled and moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    pub rotation: DMat3,
    pub scale: f64,
    pub shift: DVec3,
}

impl Similarity {
    /// The one that takes points to others with the least squares (Umeyama 1991); `None` where
    /// these do not tell, being too few, in one place, or not finite.
    pub fn between(from: &[DVec3], to: &[DVec3]) -> Option<Similarity> {
        let count = from.len().min(to.len());
        if count < 3 {
            return None;
        }
        let mean = |points: &[DVec3]| points[..count].iter().sum::<DVec3>() / count as f64;
        let (a, b) = (mean(from), mean(to));
        let mut covariance = DMat3::ZERO;
        let mut spread = 0.0;
        for (p, q) in from.iter().zip(to) {
            let (p, q) = (*p - a, *q - b);
            covariance += DMat3::from_cols(q * p.x, q * p.y, q * p.z);
            spread += p.length_squared();
        }
        let rotation = polar(&covariance);
        let scale = (rotation.transpose() * covariance).to_cols_array_2d();
        let scale = (scale[0][0] + scale[1][1] + scale[2][2]) / spread;
        let shift = b - scale * (rotation * a);
        (scale.is_finite() && scale > 0.0 && shift.is_finite()).then_some(Similarity {
            rotation,
            scale,
            shift,
        })
    }

    pub fn at(&self, p: DVec3) -> DVec3 {
        self.scale * (self.rotation * p) + self.shift
    }

    /// How far it turns (degrees).
    pub fn angle(&self) -> f64 {
        let trace = self.rotation.x_axis.x + self.rotation.y_axis.y + self.rotation.z_axis.z;
        (0.5 * (trace - 1.0)).clamp(-1.0, 1.0).acos().to_degrees()
    }
}

/// What takes a template's space into that of another head.
#[derive(Clone, Debug)]
pub struct SpaceWarp {
    pub similarity: Similarity,
    /// In the space of the other head (m).
    centers: Vec<DVec3>,
    weights: Vec<DVec3>,
    /// Per metre of x, y, z; and everywhere (m).
    affine: [DVec3; 4],
}

impl SpaceWarp {
    /// Takes points to others, each the less exactly the softer it is (m); `None` where the
    /// points do not tell.
    pub fn fitted(
        similarity: Similarity,
        from: &[DVec3],
        to: &[DVec3],
        softness: &[f64],
    ) -> Option<SpaceWarp> {
        let centers: Vec<DVec3> = from.iter().map(|p| similarity.at(*p)).collect();
        let n = centers.len();
        let size = n + 4;
        let mut matrix = vec![0.0; size * size];
        for (i, p) in centers.iter().enumerate() {
            for (j, q) in centers.iter().enumerate() {
                matrix[i * size + j] = -p.distance(*q);
            }
            matrix[i * size + i] += softness.get(i).copied().unwrap_or(0.0);
            for (k, x) in [p.x, p.y, p.z, 1.0].into_iter().enumerate() {
                matrix[i * size + n + k] = x;
                matrix[(n + k) * size + i] = x;
            }
        }
        let mut values: Vec<DVec3> = to.iter().zip(&centers).map(|(q, p)| *q - *p).collect();
        values.resize(size, DVec3::ZERO);
        solve(&mut matrix, &mut values)?;
        let affine = [values[n], values[n + 1], values[n + 2], values[n + 3]];
        values.truncate(n);
        Some(SpaceWarp { similarity, centers, weights: values, affine })
    }

    /// Where a point of the template goes (m).
    pub fn at(&self, p: DVec3) -> DVec3 {
        let q = self.similarity.at(p);
        let [x, y, z, one] = self.affine;
        let mut moved = q + q.x * x + q.y * y + q.z * z + one;
        for (center, weight) in self.centers.iter().zip(&self.weights) {
            moved -= q.distance(*center) * *weight;
        }
        moved
    }

    /// Where a small vector at a point goes.
    pub fn direction(&self, p: DVec3, direction: DVec3) -> DVec3 {
        const STEP: f64 = 1e-4;
        (self.at(p + STEP * direction) - self.at(p - STEP * direction)) / (2.0 * STEP)
    }
}

/// Gaussian elimination with partial pivoting; `None` where the matrix is singular.
fn solve(matrix: &mut [f64], values: &mut [DVec3]) -> Option<()> {
    let n = values.len();
    let largest = matrix.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    for k in 0..n {
        let size = |row: &usize| matrix[row * n + k].abs();
        let pivot = (k..n).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if size(&pivot).is_nan() || size(&pivot) <= 1e-13 * largest {
            return None;
        }
        if pivot != k {
            let (upper, lower) = matrix.split_at_mut(pivot * n);
            upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
            values.swap(k, pivot);
        }
        let (above, below) = matrix.split_at_mut((k + 1) * n);
        let own = &above[k * n + k..(k + 1) * n];
        for (row, i) in below.chunks_exact_mut(n).zip(k + 1..) {
            let factor = row[k] / own[0];
            if factor != 0.0 {
                row[k..].iter_mut().zip(own).for_each(|(x, y)| *x -= factor * y);
                let known = values[k];
                values[i] -= factor * known;
            }
        }
    }
    for k in (0..n).rev() {
        let known: DVec3 = (k + 1..n).map(|j| matrix[k * n + j] * values[j]).sum();
        values[k] = (values[k] - known) / matrix[k * n + k];
    }
    values.iter().all(|v| v.is_finite()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<DVec3> {
        let point = |k: usize| DVec3::new((k * 7 % 11) as f64, (k * 5 % 13) as f64, (k % 5) as f64);
        (0..40).map(|k| 0.01 * point(k)).collect()
    }

    #[test]
    fn a_similarity_is_found_again() {
        let rotation = DMat3::from_rotation_y(0.4) * DMat3::from_rotation_x(-0.2);
        let known = Similarity { rotation, scale: 1.3, shift: DVec3::new(0.1, -0.2, 0.3) };
        let to: Vec<DVec3> = points().iter().map(|p| known.at(*p)).collect();
        let found = Similarity::between(&points(), &to).unwrap();
        assert!((found.scale - 1.3).abs() < 1e-12);
        assert!(points().iter().all(|p| found.at(*p).distance(known.at(*p)) < 1e-12));
        assert!((found.angle() - known.angle()).abs() < 1e-6);
        let nowhere = vec![DVec3::ZERO; 40];
        assert!(Similarity::between(&nowhere, &to).is_none());
    }

    #[test]
    fn points_reach_their_places_and_an_affine_map_is_found_everywhere() {
        let bent = |p: DVec3| p + 0.1 * DVec3::new(p.y, 0.3 * p.x - p.z, 0.2 * p.z) + 0.01;
        let to: Vec<DVec3> = points().iter().map(|p| bent(*p)).collect();
        let similarity = Similarity::between(&points(), &to).unwrap();
        let warp = SpaceWarp::fitted(similarity, &points(), &to, &[]).unwrap();
        for p in [DVec3::ZERO, DVec3::new(0.3, -0.2, 0.1), points()[7]] {
            assert!(warp.at(p).distance(bent(p)) < 1e-9, "{p}");
            let x = warp.direction(p, DVec3::Y);
            assert!(x.distance(DVec3::new(0.1, 1.0, 0.0)) < 1e-6, "{x}");
        }
        // A point twice, to two places: singular when exact, between them when soft.
        let (from, to) = ([points(), points()].concat(), [to.clone(), points()].concat());
        assert!(SpaceWarp::fitted(similarity, &from, &to, &[]).is_none());
        let soft = SpaceWarp::fitted(similarity, &from, &to, &[0.01; 80]).unwrap();
        let middle = bent(points()[3]).midpoint(points()[3]);
        assert!(soft.at(points()[3]).distance(middle) < 2e-3);
    }
}

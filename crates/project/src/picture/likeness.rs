//! How like the skins of several runs are to each other, and their two sides.

use glam::DVec3;
use pliant_face::FaceModel;

/// A run's label, and its skin \[m\].
type Pose<'a> = (&'a str, Vec<DVec3>);

/// How far a region is from where it is in the first run, on the mean.
pub fn moved(face: &FaceModel, region: &str, at: f64, poses: &[Pose<'_>]) -> Vec<String> {
    let groups = &face.regions;
    let Some(group) = groups.iter().find(|group| group.name == region) else {
        return vec![format!("the skin has no region {region}")];
    };
    let Some(((_, first), others)) = poses.split_first() else { return Vec::new() };
    let normals = normals(first, &face.skin.mesh.triangles);
    let line = |(label, pose): &Pose<'_>| {
        let ways = group.vertices.iter().map(|&v| (v, pose[v as usize] - first[v as usize]));
        let count = group.vertices.len().max(1) as f64;
        let (mut sum, mut outward, mut along) = (DVec3::ZERO, 0.0, 0.0);
        for (v, way) in ways {
            let out = way.dot(normals[v as usize]);
            sum += way / count;
            outward += out / count;
            along += (way - out * normals[v as usize]).length() / count;
        }
        let [x, y, z] = (1e3 * sum).to_array();
        format!(
            "{label} at {at} s: {region} by {x:.2}, {y:.2}, {z:.2} mm, {:.2} mm outward and {:.2} \
                mm along the skin",
            1e3 * outward,
            1e3 * along
        )
    };
    others.iter().map(line).collect()
}

/// How unlike the displacements of the two sides are, of the mean displacement; only of what is in
/// front.
pub fn asymmetry(face: &FaceModel, at: f64, poses: &[Pose<'_>]) -> Vec<String> {
    let rest = &face.skin.mesh.positions;
    let middle: f64 = face.eyes.iter().map(|eye| eye.center.z).sum::<f64>() / 2.0;
    let front: Vec<usize> = (0..rest.len()).filter(|&v| rest[v].z > middle).collect();
    let mirror = |p: DVec3| DVec3::new(-p.x, p.y, p.z);
    let partner = |v: &usize| {
        let from = |w: &&usize| rest[**w].distance_squared(mirror(rest[*v]));
        front.iter().min_by(|a, b| from(a).total_cmp(&from(b))).copied()
    };
    let pairs: Vec<(usize, usize)> = front.iter().filter_map(|v| Some((*v, partner(v)?))).collect();
    let line = |(label, pose): &Pose<'_>| {
        let way = |v: usize| pose[v] - rest[v];
        let unlike: f64 = pairs.iter().map(|(v, w)| way(*v).distance(mirror(way(*w)))).sum();
        let moved: f64 = pairs.iter().map(|(v, _)| way(*v).length()).sum();
        format!("{label} at {at} s: asymmetry {:.3}", unlike / moved.max(1e-12))
    };
    poses.iter().map(line).collect()
}

fn normals(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        t.iter().for_each(|&v| normals[v as usize] += (b - a).cross(c - a));
    }
    normals.iter().map(|normal| normal.normalize_or_zero()).collect()
}

//! Boxes that are treated as no creature would bear: inputs that show where methods differ.

use glam::DVec3;
use pliant_mesh::{Mesh, MeshError, shapes};

/// A box and its prescribed deformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// A cube is drawn out to three times its length, as wide as before (Li, Xu, Barbič 2016, Fig.
    /// 7).
    Cube,
    /// A bar with ripples is pressed flat in its middle and let go (Fig. 10).
    Bar,
}

/// How long it takes \[s\].
pub const SECONDS: f64 = 3.0;

impl Block {
    /// All of them, by name.
    pub const ALL: [(&'static str, Block); 2] = [("cube", Block::Cube), ("bar", Block::Bar)];

    /// Its surface at rest, about 1 m long, with so many cells along its longest side.
    pub fn surface(self, cells: usize) -> Result<Mesh, MeshError> {
        let solid = match self {
            Block::Cube => shapes::solid_box(DVec3::ONE, [cells; 3])?,
            Block::Bar => {
                let across = (cells / 5).max(1);
                shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [cells, across, across])?
            }
        };
        let mut used: Vec<u32> = solid.triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let place = |v: u32| used.binary_search(&v).map_or(0, |at| at as u32);
        let triangles = solid.triangles.iter().map(|t| t.map(place)).collect();
        Ok(Mesh::surface(used.iter().map(|&v| solid.positions[v as usize]).collect(), triangles))
    }

    /// Positions of surface points at a time \[s\].
    pub fn positions(self, rest: &[DVec3], time: f64) -> Vec<DVec3> {
        let ramp = |from: f64, to: f64| {
            let t = ((time - from) / (to - from)).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        };
        let moved = |x: &DVec3| match self {
            Block::Cube => *x * DVec3::new(1.0 + 2.0 * ramp(0.2, 2.4), 1.0, 1.0),
            Block::Bar => {
                let pressed = ramp(0.4, 1.0) * ramp(2.4, 1.9);
                let share = 1.0 - 0.98 * pressed * (-(x.x / 0.2).powi(2)).exp();
                let waves = (std::f64::consts::TAU * x.x / 0.05).sin()
                    * (std::f64::consts::TAU * x.z / 0.1).cos();
                *x * DVec3::new(1.0, share, 1.0) + DVec3::Y * (4e-3 * waves)
            }
        };
        rest.iter().map(moved).collect()
    }
}

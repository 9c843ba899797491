//! What `simulate` leaves in its directory, without what the clock wrote.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The first row of `metrics.csv`.
pub const HEADER: &str = "step,time,kinetic,potential,total,target,added,dissipated,\
    px,py,pz,lx,ly,lz,s,t,solver_iterations,residual,correction_iterations,fallback,contacts,\
    max_penetration,step_ms,correction_ms";

/// The files of a run directory.
pub struct Results {
    /// Cells of `metrics.csv`, the header first.
    pub metrics: Vec<Vec<String>>,
    pub summary: Value,
    pub rest: Vec<u8>,
    pub animation: Vec<u8>,
}

impl Results {
    pub fn read(directory: &Path) -> Results {
        let file = |name: &str| {
            let path = directory.join(name);
            fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let metrics = String::from_utf8(file("metrics.csv")).unwrap();
        let cells = |line: &str| line.split(',').map(str::to_owned).collect();
        Results {
            metrics: metrics.lines().map(cells).collect(),
            summary: serde_json::from_slice(&file("summary.json")).unwrap(),
            rest: file("rest.obj"),
            animation: file("animation.pc2"),
        }
    }

    /// Panics unless the files of another run are the same, timing apart.
    pub fn assert_same(&self, other: &Results, what: &str) {
        assert_eq!(self.metrics.len(), other.metrics.len(), "{what}: rows of metrics.csv");
        for (mine, theirs) in self.metrics.iter().zip(&other.metrics) {
            assert_eq!(untimed(mine), untimed(theirs), "{what}: a row of metrics.csv");
        }
        assert!(self.animation == other.animation, "{what}: animation.pc2 differs");
        assert!(self.rest == other.rest, "{what}: rest.obj differs");
        let summary = |results: &Results| {
            let mut summary = results.summary.clone();
            let keys = summary.as_object_mut().unwrap();
            keys.retain(|key, _| !["ms_per_step", "correction_ms_per_step"].contains(&&**key));
            summary
        };
        assert_eq!(summary(self), summary(other), "{what}: summary.json");
    }
}

/// A row without its last two cells, step_ms and correction_ms.
fn untimed(row: &[String]) -> &[String] {
    &row[..row.len() - 2]
}

/// Points and samples in the header of a cache, which is as long as it says.
pub fn cache_size(cache: &[u8]) -> (usize, usize) {
    assert!(cache.starts_with(b"POINTCACHE2\0"));
    let number = |at: usize| u32::from_le_bytes(cache[at..at + 4].try_into().unwrap()) as usize;
    let (points, samples) = (number(16), number(28));
    assert_eq!(cache.len(), 32 + 12 * points * samples);
    (points, samples)
}

//! The lines of the papers' tables, with their counts and times.

use pliant_model::ElasticModel;
use pliant_model::method::{Correction, Fepr, Scheme, Solver};

use super::line::{Line, Motion};
use crate::bodies::Material;
use crate::stepper::{H, LINEARISED, projective};

/// The blend with the thesis' tolerance of energy (3.3.1).
const BLEND: Correction = Correction::Blend { epsilon: 1e-3 };

/// All lines, table after table.
pub fn lines() -> Vec<Line> {
    let mut lines = fepr();
    lines.extend(THESIS.iter().zip(MIDPOINT).flat_map(|(body, midpoint)| body.lines(midpoint)));
    lines
}

/// Table 1 of FEPR: times are "Integration Time" plus "FEPR Time".
fn fepr() -> Vec<Line> {
    use ElasticModel::{Corotated, NeoHookean, Stvk};
    use Motion::{Bounces, Hangs, Spins, Sways, Unbends};
    use Scheme::{BackwardEuler as Euler, Bdf2, ImplicitMidpoint as Midpoint};
    const CONVERGED: Solver = Solver::Newton { iterations: 100, tolerance: 1e-9 };
    const XPBD: Solver = Solver::Xpbd { iterations: 40 };
    let (solid, cloth, pd) = (Material::Solid, Material::Springs, projective);
    let line =
        |name: &'static str, count, material, motion, scheme, solver, [step, fepr]: [f64; 2]| {
            Line {
                name: format!("fepr/{name}"),
                body: body_of(name),
                count,
                material,
                motion,
                scheme,
                solver,
                correction: Some(Correction::Fepr(Fepr::default())),
                h: H,
                substeps: 1,
                paper_ms: step + fepr,
                paper_correction_ms: Some(fepr),
            }
        };
    vec![
        line("human", 1886, solid(NeoHookean), Sways, Midpoint, pd(20), [30.0, 3.0]),
        line("cube", 1668, solid(Corotated), Spins, Midpoint, pd(10), [18.0, 7.0]),
        line("ball", 1772, solid(Corotated), Spins, Midpoint, pd(20), [30.0, 24.0]),
        line("squirrel", 5330, solid(Corotated), Sways, Midpoint, pd(20), [71.0, 11.0]),
        line("hippo-fig-11", 8879, solid(Stvk), Sways, Euler, LINEARISED, [190.0, 28.0]),
        line("hippo-fig-12", 8879, solid(Stvk), Sways, Bdf2, LINEARISED, [208.0, 35.0]),
        line("trampoline-fig-7", 3721, cloth, Bounces, Euler, XPBD, [21.0, 7.0]),
        line("trampoline-fig-8", 3721, cloth, Bounces, Euler, pd(20), [53.0, 14.0]),
        line("cloth", 3721, cloth, Hangs, Euler, pd(40), [92.0, 6.0]),
        line("cactus", 17_631, solid(Corotated), Unbends, Midpoint, CONVERGED, [211.0, 21.0]),
        line("jelly", 22_054, solid(Corotated), Sways, Euler, pd(20), [350.0, 119.0]),
        line("octopus", 30_010, solid(Corotated), Sways, Midpoint, CONVERGED, [1864.0, 120.0]),
        line("rabbit", 52_090, solid(Corotated), Sways, Bdf2, pd(40), [1868.0, 180.0]),
    ]
}

/// A body of Tables 3.1 and 3.2 of the thesis: ten iterations of local/global.
struct Body {
    name: &'static str,
    /// Tets, or vertices of the cloth.
    count: usize,
    h: f64,
    motion: Motion,
    /// Table 3.1 \[ms\]: backward Euler, the blend, and its search for α alone.
    times: [f64; 3],
}

const SUBSTEPS: [usize; 5] = [1, 5, 10, 20, 100];

impl Body {
    /// The lines of a body, with the times of implicit midpoint in [`SUBSTEPS`] \[ms\].
    fn lines(&self, midpoint: [f64; 5]) -> Vec<Line> {
        let [euler, blend, search] = self.times;
        let line = |table: &str, method: &str, scheme, correction, substeps, paper_ms| Line {
            name: format!("thesis-{table}/{}/{method}", self.name),
            body: body_of(self.name),
            count: self.count,
            material: match self.name {
                "cloth" => Material::Springs,
                _ => Material::Solid(ElasticModel::Corotated),
            },
            motion: self.motion,
            scheme,
            solver: Solver::Projective { iterations: 10, history: 0, tolerance: 0.0 },
            correction,
            h: self.h,
            substeps,
            paper_ms,
            paper_correction_ms: correction.map(|_| search),
        };
        let scheme = Scheme::ImplicitMidpoint;
        let mut lines = vec![
            line("3.1", "backward-euler", Scheme::BackwardEuler, None, 1, euler),
            line("3.1", "blend", scheme, Some(BLEND), 1, blend),
        ];
        for (substeps, paper_ms) in SUBSTEPS.into_iter().zip(midpoint) {
            lines.push(line(
                "3.2",
                &format!("midpoint-{substeps}"),
                scheme,
                None,
                substeps,
                paper_ms,
            ));
        }
        lines
    }
}

/// `hippo` for `hippo-fig-11`.
fn body_of(name: &'static str) -> &'static str {
    name.split_once("-fig").map_or(name, |(body, _)| body)
}

const THESIS: [Body; 9] = {
    use Motion::{Hangs, Spins, Sways, Unbends};
    const fn body(
        name: &'static str,
        count: usize,
        h: f64,
        motion: Motion,
        times: [f64; 3],
    ) -> Body {
        Body { name, count, h, motion, times }
    }
    [
        body("bar", 716, 0.033, Spins, [3.62, 5.73, 1.85]),
        body("cube-fig-3.10", 996, 0.033, Spins, [5.84, 8.41, 1.66]),
        body("cube-fig-3.18", 996, 0.01, Spins, [6.93, 9.50, 0.93]),
        body("hippo", 8406, 0.01, Sways, [66.4, 73.3, 4.93]),
        body("bunny-fig-3.19", 15_408, 0.033, Sways, [194.0, 212.0, 9.62]),
        body("cactus", 17_187, 0.033, Unbends, [115.0, 174.0, 39.90]),
        body("cloth", 10_201, 0.033, Hangs, [110.0, 127.0, 7.58]),
        body("dog", 117_423, 0.033, Sways, [916.0, 1205.0, 193.0]),
        body("bunny-fig-3.15", 121_058, 0.033, Sways, [1181.0, 1510.0, 215.0]),
    ]
};

/// Table 3.2: implicit midpoint in [`SUBSTEPS`] \[ms\].
const MIDPOINT: [[f64; 5]; 9] = [
    [3.79, 18.22, 36.42, 72.73, 361.0],
    [6.03, 29.86, 54.95, 111.0, 541.0],
    [7.16, 56.85, 122.0, 245.0, 1232.0],
    [68.4, 312.0, 666.0, 1230.0, 6615.0],
    [184.0, 830.0, 2014.0, 3568.0, 18_907.0],
    [120.0, 590.0, 1242.0, 2442.0, 13_849.0],
    [109.0, 478.0, 997.0, 1976.0, 8388.0],
    [904.0, 4413.0, 9079.0, 16_660.0, 79_369.0],
    [1101.0, 5616.0, 11_293.0, 22_577.0, 120_631.0],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_there() {
        let names: Vec<String> = lines().into_iter().map(|line| line.name).collect();
        let of = |table: &str| names.iter().filter(|name| name.starts_with(table)).count();
        assert_eq!([of("fepr/"), of("thesis-3.1/"), of("thesis-3.2/")], [13, 18, 45]);
    }
}

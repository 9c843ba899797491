//! The lines of the tables, with the papers' counts and times.

use pliant::model::ElasticModel;
use pliant::model::method::{Correction, Fepr, Scheme, Solver};

use super::line::{Line, Motion, Stuff};

const FRAME: f64 = 1.0 / 30.0;
/// What the blend may be off in energy (thesis 3.3.1).
const BLEND: Correction = Correction::Blend { epsilon: 1e-3 };

/// All lines, table after table.
pub fn lines() -> Vec<Line> {
    let mut lines = fepr();
    for model in &THESIS {
        lines.extend(model.lines());
    }
    lines
}

/// Table 1 of FEPR: times are "Integration Time" plus "FEPR Time".
fn fepr() -> Vec<Line> {
    use ElasticModel::{Corotated, NeoHookean, Stvk};
    use Motion::{Bounces, Hangs, Spins, Sways, Unbends};
    use Scheme::{BackwardEuler, Bdf2, ImplicitMidpoint};
    const LINEARISED: Solver = Solver::Newton { iterations: 1, tolerance: 0.0 };
    const CONVERGED: Solver = Solver::Newton { iterations: 100, tolerance: 1e-9 };
    const XPBD: Solver = Solver::Xpbd { iterations: 40 };
    let pd = |iterations| Solver::Projective { iterations, history: 5, tolerance: 0.0 };
    let soft = |model| Stuff::Solid(model, 1e5);
    let line =
        |name: &str, body, count, stuff, motion, scheme, solver, [step, fepr]: [f64; 2]| Line {
            name: format!("fepr/{name}"),
            body,
            count,
            stuff,
            motion,
            scheme,
            solver,
            correction: Some(Correction::Fepr(Fepr::default())),
            h: FRAME,
            substeps: 1,
            paper_ms: step + fepr,
            paper_correction_ms: Some(fepr),
        };
    let im = ImplicitMidpoint;
    vec![
        line("human", "human", 1886, soft(NeoHookean), Sways, im, pd(20), [30.0, 3.0]),
        line("cube", "cube", 1668, soft(Corotated), Spins, im, pd(10), [18.0, 7.0]),
        line("ball", "ball", 1772, soft(Corotated), Spins, im, pd(20), [30.0, 24.0]),
        line("squirrel", "squirrel", 5330, soft(Corotated), Sways, im, pd(20), [71.0, 11.0]),
        line(
            "hippo-fig-11",
            "hippo",
            8879,
            soft(Stvk),
            Sways,
            BackwardEuler,
            LINEARISED,
            [190.0, 28.0],
        ),
        line("hippo-fig-12", "hippo", 8879, soft(Stvk), Sways, Bdf2, LINEARISED, [208.0, 35.0]),
        line(
            "trampoline-fig-7",
            "cloth",
            3721,
            Stuff::Cloth,
            Bounces,
            BackwardEuler,
            XPBD,
            [21.0, 7.0],
        ),
        line(
            "trampoline-fig-8",
            "cloth",
            3721,
            Stuff::Cloth,
            Bounces,
            BackwardEuler,
            pd(20),
            [53.0, 14.0],
        ),
        line("cloth", "cloth", 3721, Stuff::Cloth, Hangs, BackwardEuler, pd(40), [92.0, 6.0]),
        line("cactus", "cactus", 17_631, soft(Corotated), Unbends, im, CONVERGED, [211.0, 21.0]),
        line(
            "jelly",
            "jelly",
            22_054,
            soft(Corotated),
            Sways,
            BackwardEuler,
            pd(20),
            [350.0, 119.0],
        ),
        line("octopus", "octopus", 30_010, soft(Corotated), Sways, im, CONVERGED, [1864.0, 120.0]),
        line("rabbit", "rabbit", 52_090, soft(Corotated), Sways, Bdf2, pd(40), [1868.0, 180.0]),
    ]
}

/// A line of Tables 3.1 and 3.2 of the thesis: ten iterations of local/global.
struct Model {
    name: &'static str,
    body: &'static str,
    /// Tets, or vertices of the cloth.
    count: usize,
    h: f64,
    motion: Motion,
    /// Table 3.1: backward Euler; the blend, all of it and its search for α \[ms\].
    euler: f64,
    blend: [f64; 2],
    /// Table 3.2: implicit midpoint in 1, 5, 10, 20, 100 sub-steps \[ms\].
    midpoint: [f64; 5],
}

const SUBSTEPS: [usize; 5] = [1, 5, 10, 20, 100];

impl Model {
    fn lines(&self) -> Vec<Line> {
        let is_cloth = self.body == "cloth";
        let line = |table: &str, method: &str, scheme, correction, substeps, paper_ms| Line {
            name: format!("thesis-{table}/{}/{method}", self.name),
            body: self.body,
            count: self.count,
            stuff: if is_cloth { Stuff::Cloth } else { Stuff::Solid(ElasticModel::Corotated, 1e5) },
            motion: self.motion,
            scheme,
            solver: Solver::Projective { iterations: 10, history: 0, tolerance: 0.0 },
            correction,
            h: self.h,
            substeps,
            paper_ms,
            paper_correction_ms: correction.map(|_| self.blend[1]),
        };
        let midpoint = Scheme::ImplicitMidpoint;
        let mut lines = vec![
            line("3.1", "backward-euler", Scheme::BackwardEuler, None, 1, self.euler),
            line("3.1", "blend", midpoint, Some(BLEND), 1, self.blend[0]),
        ];
        for (substeps, paper_ms) in SUBSTEPS.into_iter().zip(self.midpoint) {
            let method = format!("midpoint-{substeps}");
            lines.push(line("3.2", &method, midpoint, None, substeps, paper_ms));
        }
        lines
    }
}

const THESIS: [Model; 9] = {
    use Motion::{Hangs, Spins, Sways, Unbends};
    const fn model(
        [name, body]: [&'static str; 2],
        (count, h, motion): (usize, f64, Motion),
        euler: f64,
        blend: [f64; 2],
        midpoint: [f64; 5],
    ) -> Model {
        Model { name, body, count, h, motion, euler, blend, midpoint }
    }
    [
        model(
            ["bar", "bar"],
            (716, 0.033, Spins),
            3.62,
            [5.73, 1.85],
            [3.79, 18.22, 36.42, 72.73, 361.0],
        ),
        model(
            ["cube-fig-3.10", "cube"],
            (996, 0.033, Spins),
            5.84,
            [8.41, 1.66],
            [6.03, 29.86, 54.95, 111.0, 541.0],
        ),
        model(
            ["cube-fig-3.18", "cube"],
            (996, 0.01, Spins),
            6.93,
            [9.50, 0.93],
            [7.16, 56.85, 122.0, 245.0, 1232.0],
        ),
        model(
            ["hippo", "hippo"],
            (8406, 0.01, Sways),
            66.4,
            [73.3, 4.93],
            [68.4, 312.0, 666.0, 1230.0, 6615.0],
        ),
        model(
            ["bunny-fig-3.19", "bunny"],
            (15_408, 0.033, Sways),
            194.0,
            [212.0, 9.62],
            [184.0, 830.0, 2014.0, 3568.0, 18_907.0],
        ),
        model(
            ["cactus", "cactus"],
            (17_187, 0.033, Unbends),
            115.0,
            [174.0, 39.90],
            [120.0, 590.0, 1242.0, 2442.0, 13_849.0],
        ),
        model(
            ["cloth", "cloth"],
            (10_201, 0.033, Hangs),
            110.0,
            [127.0, 7.58],
            [109.0, 478.0, 997.0, 1976.0, 8388.0],
        ),
        model(
            ["dog", "dog"],
            (117_423, 0.033, Sways),
            916.0,
            [1205.0, 193.0],
            [904.0, 4413.0, 9079.0, 16_660.0, 79_369.0],
        ),
        model(
            ["bunny-fig-3.15", "bunny"],
            (121_058, 0.033, Sways),
            1181.0,
            [1510.0, 215.0],
            [1101.0, 5616.0, 11_293.0, 22_577.0, 120_631.0],
        ),
    ]
};

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

//! A row of `metrics.csv`.

use std::fmt::Write;

use pliant_sim::{Energy, Momentum};

/// The columns, in order.
pub const COLUMNS: [&str; 24] = [
    "step",
    "time",
    "kinetic",
    "potential",
    "total",
    "target",
    "added",
    "dissipated",
    "px",
    "py",
    "pz",
    "lx",
    "ly",
    "lz",
    "s",
    "t",
    "solver_iterations",
    "residual",
    "correction_iterations",
    "fallback",
    "contacts",
    "max_penetration",
    "step_ms",
    "correction_ms",
];

/// One step's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// Steps done.
    pub step: u64,
    /// Time \[s\].
    pub time: f64,
    /// Energies \[J\].
    pub energy: Energy,
    /// Target energy: initial + added − dissipated \[J\].
    pub target: f64,
    /// Work done on the bodies so far \[J\].
    pub added: f64,
    /// Energy taken by damping so far \[J\].
    pub dissipated: f64,
    /// Momenta.
    pub momentum: Momentum,
    /// Solver iterations.
    pub iterations: u32,
    /// Relative gradient norm at the end of the solve.
    pub residual: f64,
    /// Iterations of the correction.
    pub correction_iterations: u32,
    /// The guard or the correction had to give way.
    pub fallback: bool,
    /// s and t of Eq. 1 of the FEPR paper, or α of the blended correction in place of s; else no
    /// numbers.
    pub given_way: [f64; 2],
    /// Vertices inside colliders.
    pub contacts: u32,
    /// How deep the deepest of them is \[m\].
    pub max_penetration: f64,
    /// Duration of the step \[ms\].
    pub step_ms: f64,
    /// Duration of the correction in it \[ms\].
    pub correction_ms: f64,
}

impl Row {
    /// As a line of the file. Numbers are the shortest that read back exactly.
    pub fn to_line(self) -> String {
        let (p, l) = (self.momentum.linear, self.momentum.angular);
        let mut line = format!("{}", self.step);
        for value in [
            self.time,
            self.energy.kinetic,
            self.energy.potential,
            self.energy.total(),
            self.target,
            self.added,
            self.dissipated,
            p.x,
            p.y,
            p.z,
            l.x,
            l.y,
            l.z,
            self.given_way[0],
            self.given_way[1],
        ] {
            push(&mut line, value);
        }
        let _ = write!(line, ",{}", self.iterations);
        push(&mut line, self.residual);
        let (corrected, fallback) = (self.correction_iterations, u8::from(self.fallback));
        let (step, correction) = (self.step_ms, self.correction_ms);
        let _ = write!(line, ",{corrected},{fallback},{}", self.contacts);
        push(&mut line, self.max_penetration);
        let _ = writeln!(line, ",{step:.4},{correction:.4}");
        line
    }

    /// Reads a line back; `None` if it is not one.
    pub fn parse(line: &str) -> Option<Row> {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != COLUMNS.len() {
            return None;
        }
        let number = |k: usize| cells[k].parse::<f64>().ok();
        let vector =
            |k: usize| Some(pliant_model::DVec3::new(number(k)?, number(k + 1)?, number(k + 2)?));
        Some(Row {
            step: cells[0].parse().ok()?,
            time: number(1)?,
            energy: Energy { kinetic: number(2)?, potential: number(3)? },
            target: number(5)?,
            added: number(6)?,
            dissipated: number(7)?,
            momentum: Momentum { linear: vector(8)?, angular: vector(11)? },
            given_way: [number(14)?, number(15)?],
            iterations: cells[16].parse().ok()?,
            residual: number(17)?,
            correction_iterations: cells[18].parse().ok()?,
            fallback: cells[19] == "1",
            contacts: cells[20].parse().ok()?,
            max_penetration: number(21)?,
            step_ms: number(22)?,
            correction_ms: number(23)?,
        })
    }
}

fn push(line: &mut String, value: f64) {
    // Small or large numbers in exponent form: `{}` would write hundreds of zeros.
    let plain = value == 0.0 || (1e-5..1e16).contains(&value.abs()) || !value.is_finite();
    let written = if value.is_nan() {
        write!(line, ",nan")
    } else if plain {
        write!(line, ",{value}")
    } else {
        write!(line, ",{value:e}")
    };
    // Writing to a String cannot fail.
    let _ = written;
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_model::DVec3;

    #[test]
    fn a_row_reads_back_exactly() {
        let row = Row {
            step: 7,
            time: 7.0 / 30.0,
            energy: Energy { kinetic: 1.0 / 3.0, potential: -2e-17 },
            target: 1e22,
            momentum: Momentum { linear: DVec3::new(0.1, -0.2, 0.0), angular: DVec3::X },
            iterations: 20,
            residual: 3.3e-9,
            fallback: true,
            step_ms: 0.25,
            correction_iterations: 3,
            contacts: 12,
            max_penetration: 1.0 / 3e7,
            correction_ms: 0.125,
            ..Row::default()
        };
        let line = row.to_line();
        assert_eq!(line.trim_end().split(',').count(), COLUMNS.len());
        assert_eq!(Row::parse(line.trim_end()), Some(row));
    }

    #[test]
    fn half_a_line_is_no_row() {
        assert_eq!(Row::parse("1,2,3"), None);
    }
}

//! The stabilised integrator (Dinev et al. 2018, "Stabilizing Integrators for Real-Time Physics";
//! thesis Section 3.3.1, Algorithm 1): a step whose energy is too high is blended with one of
//! backward Euler, which takes energy, and one whose energy is too low with one of forward Euler,
//! which gives some,
//!
//! ```text
//! x = (1 − α) x_lively + α x_damped,   v = (1 − α) v_lively + α v_damped      (Eq. 3.45, 3.46)
//! ```
//!
//! with α by bisection until the error e = E(x) + K(v) − H (Eq. 3.44) is within ε H(xₙ, vₙ) (Eq.
//! 3.48). An error within that from the beginning is left alone. e(α) is continuous, but not always
//! monotone: bisection finds a root, not the root. The step of backward Euler is solved by one
//! iteration; where that does not take enough energy, it is solved as well as any other. Where
//! there is no change of sign even then, the whole step of the other rule is taken.
//!
//! Angular momentum is not kept, because backward Euler does not keep it.

use pliant_math::{Buffer, Row};

use super::fepr::Part;

/// Halvings of the interval: α is then as exact as a number can be.
const MOST_BISECTIONS: u32 = 60;

/// The steps that are blended, and their energies.
pub trait Steps {
    /// Total energy of every island \[J\].
    fn energies(&mut self, positions: &[Row], velocities: &[Row], out: &mut [f64]);
    /// A step of backward Euler into `positions` and `velocities`, which hold a guess: as good as
    /// is usually enough, or as good as it gets.
    fn backward_euler(&mut self, effort: Effort, positions: &mut [Row], velocities: &mut [Row]);
    /// A step of forward Euler.
    fn forward_euler(&mut self, positions: &mut [Row], velocities: &mut [Row]);
}

/// How well backward Euler's step is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// One local/global iteration (thesis 3.3.1.3).
    Usual,
    /// As the solver of other steps does.
    Full,
}

/// What the energy of an island should be \[J\], and by how much it may be off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wanted {
    /// H.
    pub energy: f64,
    /// ε H(xₙ, vₙ).
    pub tolerance: f64,
}

/// How an island was blended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlendInfo {
    /// The share of backward Euler, or minus the share of forward Euler; in [−1, 1].
    pub alpha: f64,
    /// How often the energy was evaluated in search of it.
    pub bisections: u32,
    /// Whether the energy is within its tolerance.
    pub converged: bool,
}

/// The steps that are blended.
pub struct BlendSpace {
    base: [Buffer<Row>; 2],
    damped: [Buffer<Row>; 2],
    lively: [Buffer<Row>; 2],
    energies: Vec<f64>,
    searches: Vec<Search>,
    infos: Vec<BlendInfo>,
}

/// An island's interval of α, between lively and damped.
#[derive(Clone, Copy, Debug, Default)]
struct Search {
    side: Side,
    low: f64,
    high: f64,
    is_over: bool,
}

/// What an island is blended with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Side {
    #[default]
    Nothing,
    BackwardEuler,
    ForwardEuler,
}

impl BlendSpace {
    /// For so many vertices in so many islands.
    pub fn new(vertices: usize, islands: usize) -> Self {
        let pair = || [Buffer::zeroed(vertices), Buffer::zeroed(vertices)];
        BlendSpace {
            base: pair(),
            damped: pair(),
            lively: pair(),
            energies: vec![0.0; islands],
            searches: vec![Search::default(); islands],
            infos: vec![BlendInfo::default(); islands],
        }
    }

    /// How the last blend of each island went.
    pub fn infos(&self) -> &[BlendInfo] {
        &self.infos
    }
}

/// Blends the outcome of a step (`positions`, `velocities`) until each island's energy is as
/// wanted. [`BlendSpace::infos`] tells how it went.
pub fn blend(
    parts: &[Part],
    wanted: &[Wanted],
    steps: &mut dyn Steps,
    positions: &mut [Row],
    velocities: &mut [Row],
    space: &mut BlendSpace,
) {
    space.base[0].copy_from_slice(positions);
    space.base[1].copy_from_slice(velocities);
    steps.energies(positions, velocities, &mut space.energies);
    space.begin(wanted);
    let needs = |side: Side| space.searches.iter().any(|search| search.side == side);
    let (is_high, is_low) = (needs(Side::BackwardEuler), needs(Side::ForwardEuler));
    if is_high {
        space.step_backward(wanted, steps);
    }
    if is_low {
        let [x, v] = &mut space.lively;
        x.copy_from_slice(&space.base[0]);
        v.copy_from_slice(&space.base[1]);
        steps.forward_euler(x, v);
    }
    // First the whole of the other rule's step, then bisection between the two.
    for round in 0..=MOST_BISECTIONS {
        if space.searches.iter().all(|search| search.is_over) {
            break;
        }
        for island in 0..wanted.len() {
            let Search { side, low, high, is_over } = space.searches[island];
            if !is_over {
                let alpha = match (round, side) {
                    (0, Side::ForwardEuler) => 0.0,
                    (0, _) => 1.0,
                    _ => 0.5 * (low + high),
                };
                let signed = if side == Side::ForwardEuler { alpha - 1.0 } else { alpha };
                space.infos[island].alpha = signed;
                place(parts, island, side, alpha, positions, velocities, space);
            }
        }
        steps.energies(positions, velocities, &mut space.energies);
        space.narrow(round, wanted);
    }
}

impl BlendSpace {
    /// Chooses from its energy what each island is blended with.
    fn begin(&mut self, wanted: &[Wanted]) {
        for (island, wanted) in wanted.iter().enumerate() {
            let error = self.energies[island] - wanted.energy;
            let side = match () {
                () if error.abs() <= wanted.tolerance => Side::Nothing,
                () if error < 0.0 => Side::ForwardEuler,
                // Also what is no number: nothing is steadier than backward Euler.
                () => Side::BackwardEuler,
            };
            let is_over = side == Side::Nothing;
            self.searches[island] = Search { side, low: 0.0, high: 1.0, is_over };
            self.infos[island] = BlendInfo { alpha: 0.0, bisections: 0, converged: is_over };
        }
    }

    /// Steps by backward Euler, with full effort where the usual one leaves an island's energy too
    /// high.
    fn step_backward(&mut self, wanted: &[Wanted], steps: &mut dyn Steps) {
        let [x, v] = &mut self.damped;
        x.copy_from_slice(&self.base[0]);
        v.copy_from_slice(&self.base[1]);
        steps.backward_euler(Effort::Usual, x, v);
        steps.energies(x, v, &mut self.energies);
        let is_too_high = |b: usize| {
            let is_damped = self.energies[b] < wanted[b].energy;
            self.searches[b].side == Side::BackwardEuler && !is_damped
        };
        if (0..wanted.len()).any(is_too_high) {
            x.copy_from_slice(&self.base[0]);
            v.copy_from_slice(&self.base[1]);
            steps.backward_euler(Effort::Full, x, v);
        }
    }

    /// Narrows each island's interval by the energies of the blended state.
    fn narrow(&mut self, round: u32, wanted: &[Wanted]) {
        for (island, wanted) in wanted.iter().enumerate() {
            let (search, info) = (&mut self.searches[island], &mut self.infos[island]);
            if search.is_over {
                continue;
            }
            info.bisections += 1;
            let error = self.energies[island] - wanted.energy;
            info.converged = error.abs() <= wanted.tolerance;
            if round == 0 {
                let changes_sign = match search.side {
                    Side::BackwardEuler => error < 0.0,
                    _ => error > 0.0 || error.is_nan(),
                };
                search.is_over = !changes_sign;
                // The end of the interval may be within tolerance, but α nearer to the base is
                // better.
                info.converged &= search.is_over;
                continue;
            }
            search.is_over = info.converged;
            let middle = 0.5 * (search.low + search.high);
            if error < 0.0 {
                search.high = middle;
            } else {
                search.low = middle;
            }
        }
    }
}

/// Puts an island's free vertices at α between lively and damped.
fn place(
    parts: &[Part],
    island: usize,
    side: Side,
    alpha: f64,
    positions: &mut [Row],
    velocities: &mut [Row],
    space: &BlendSpace,
) {
    let BlendSpace { base, damped, lively, .. } = space;
    let (from, to) = match side {
        Side::ForwardEuler => (lively, base),
        _ => (base, damped),
    };
    for i in parts.iter().filter(|part| part.island == island).flat_map(|part| part.free.clone()) {
        positions[i] = from[0][i] * (1.0 - alpha) + to[0][i] * alpha;
        velocities[i] = from[1][i] * (1.0 - alpha) + to[1][i] * alpha;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mass of 1 kg on a spring of 1 N/m, with steps of 1 s from x = 1 m, at rest.
    struct Oscillator;

    impl Steps for Oscillator {
        fn energies(&mut self, x: &[Row], v: &[Row], out: &mut [f64]) {
            for (i, out) in out.iter_mut().enumerate() {
                *out = 0.5 * (x[i].times(x[i]) + v[i].times(v[i])).sum();
            }
        }

        fn backward_euler(&mut self, _: Effort, x: &mut [Row], v: &mut [Row]) {
            x.fill(Row::new(0.5, 0.0, 0.0));
            v.fill(Row::new(-0.5, 0.0, 0.0));
        }

        fn forward_euler(&mut self, x: &mut [Row], v: &mut [Row]) {
            x.fill(Row::new(1.0, 0.0, 0.0));
            v.fill(Row::new(-1.0, 0.0, 0.0));
        }
    }

    #[test]
    fn each_island_is_blended_with_what_it_needs() {
        let part = |i: usize| Part { island: i, free: i..i + 1, hard: 0..0 };
        let parts = [part(0), part(1), part(2), part(3)];
        let at = |x: f64, v: f64| (Row::new(x, 0.0, 0.0), Row::new(v, 0.0, 0.0));
        // Right, too high, too low, and lower than even forward Euler can help.
        let starts = [at(0.6, -0.8), at(0.9, -1.2), at(0.5, -0.4), at(0.5, -0.4)];
        let (mut x, mut v) = (starts.map(|s| s.0), starts.map(|s| s.1));
        let right = Wanted { energy: 0.5, tolerance: 1e-9 };
        let wanted = [right, right, right, Wanted { energy: 2.0, ..right }];
        let mut space = BlendSpace::new(4, 4);
        blend(&parts, &wanted, &mut Oscillator, &mut x, &mut v, &mut space);
        let mut energies = [0.0; 4];
        Oscillator.energies(&x, &v, &mut energies);
        let infos = space.infos();
        assert_eq!((infos[0].alpha, x[0], v[0]), (0.0, starts[0].0, starts[0].1));
        assert!(infos[1].alpha > 0.0 && infos[1].alpha < 1.0, "{:?}", infos[1]);
        assert!(infos[2].alpha < 0.0 && infos[2].alpha > -1.0, "{:?}", infos[2]);
        assert!(energies[1..3].iter().all(|e| (e - 0.5).abs() <= 1e-9), "{energies:?}");
        assert!(infos[..3].iter().all(|info| info.converged));
        assert_eq!((infos[3].alpha, infos[3].converged, energies[3]), (-1.0, false, 1.0));
    }
}

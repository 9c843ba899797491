//! Limited-memory BFGS on a constant preconditioner, in coefficients.
//!
//! With d = A⁻¹g at every iterate, and pairs s = x₊ − x, y = g₊ − g, the two-loop recursion
//! started from A⁻¹ (Liu, Bouaziz and Kavan 2017, Algorithm 1) needs only z = A⁻¹y = d₊ − d,
//! which costs no solve, and small Gram matrices s·y and y·z. Their new entries all follow from
//! the dot products g·s and g·z of the current gradient. The direction is then a combination
//!
//! ```text
//! p = −d + Σ aᵢ zᵢ + Σ cᵢ sᵢ,
//! ```
//!
//! so that vectors are touched in one pass of dot products and one of additions per iteration,
//! however long the history.

/// The longest history.
pub const MAX_HISTORY: usize = 8;

/// Coefficients of the stored vectors in a direction, by slot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Direction {
    /// Of zᵢ.
    pub z: [f64; MAX_HISTORY],
    /// Of sᵢ.
    pub s: [f64; MAX_HISTORY],
}

/// The recursion's memory. Vectors stay with the caller, in numbered slots.
///
/// Per iteration: [`Lbfgs::observe`] the gradient, solve for d, store z = d − d₋ in
/// [`Lbfgs::slot`], take the [`Lbfgs::direction`], store s = p in the (now new) slot, and move.
#[derive(Clone, Debug)]
pub struct Lbfgs {
    capacity: usize,
    /// Slot of the pair under completion.
    slot: usize,
    /// Complete pairs, oldest first.
    order: [usize; MAX_HISTORY],
    pairs: usize,
    gs: [f64; MAX_HISTORY],
    gz: [f64; MAX_HISTORY],
    /// `sy[i][j]` = sᵢ·yⱼ, for j not older than i.
    sy: [[f64; MAX_HISTORY]; MAX_HISTORY],
    yz: [[f64; MAX_HISTORY]; MAX_HISTORY],
    g_previous: f64,
    gd_last: f64,
    usable: bool,
    first: bool,
}

impl Lbfgs {
    /// A recursion over at most `history` pairs.
    pub fn new(history: usize) -> Self {
        Lbfgs {
            capacity: history.min(MAX_HISTORY),
            slot: 0,
            order: [0; MAX_HISTORY],
            pairs: 0,
            gs: [0.0; MAX_HISTORY],
            gz: [0.0; MAX_HISTORY],
            sy: [[0.0; MAX_HISTORY]; MAX_HISTORY],
            yz: [[0.0; MAX_HISTORY]; MAX_HISTORY],
            g_previous: 0.0,
            gd_last: 0.0,
            usable: false,
            first: true,
        }
    }

    /// Where the next s, and then its z, is stored.
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// Slots below this may hold vectors that [`Lbfgs::observe`] needs dot products with.
    pub fn slots_in_use(&self) -> usize {
        let newest = self.complete().iter().copied().max().map_or(0, |s| s + 1);
        if self.capacity == 0 || self.first { 0 } else { newest.max(self.slot + 1) }
    }

    fn complete(&self) -> &[usize] {
        &self.order[..self.pairs]
    }

    /// Takes in the gradient after a move.
    ///
    /// `gs`, `gz`: its dot products with the stored s and z; `g_previous`: with the previous d;
    /// `slope`: the *previous* gradient's dot product with the newest s. Without a move before
    /// (at the start, after a reset) nothing is taken in.
    pub fn observe(
        &mut self,
        gs: &[f64; MAX_HISTORY],
        gz: &[f64; MAX_HISTORY],
        g_previous: f64,
        slope: f64,
    ) {
        if self.first {
            return;
        }
        let new = self.slot;
        self.g_previous = g_previous;
        for k in 0..self.pairs {
            let j = self.order[k];
            self.sy[j][new] = gs[j] - self.gs[j];
            let yz = gz[j] - self.gz[j];
            self.yz[j][new] = yz;
            self.yz[new][j] = yz;
        }
        self.sy[new][new] = gs[new] - slope;
        self.gs = *gs;
        self.gz = *gz;
        // A pair without curvature says nothing, or the opposite of what a minimiser needs.
        self.usable = self.sy[new][new] > 1e-12 * slope.abs();
    }

    /// The direction at the current gradient g with d = A⁻¹g, given `gd` = g·d.
    ///
    /// Falls back to −d where the history would not lead downhill.
    pub fn direction(&mut self, gd: f64) -> Direction {
        if !self.first && self.capacity > 0 {
            let new = self.slot;
            self.yz[new][new] = gd - 2.0 * self.g_previous + self.gd_last;
            self.gz[new] = gd - self.g_previous;
            if self.usable {
                self.order[self.pairs] = new;
                self.pairs += 1;
            }
        }
        self.first = false;
        self.gd_last = gd;
        let (direction, slope) = self.two_loops(gd);
        let downhill = slope <= -1e-3 * gd;
        if !downhill {
            self.pairs = 0;
        }
        self.take_slot();
        if downhill { direction } else { Direction::default() }
    }

    /// Forgets all pairs: the next direction is −d.
    pub fn reset(&mut self) {
        let capacity = self.capacity;
        *self = Lbfgs::new(capacity);
    }

    fn two_loops(&self, gd: f64) -> (Direction, f64) {
        let (mut a, mut c) = ([0.0; MAX_HISTORY], [0.0; MAX_HISTORY]);
        let order = self.complete();
        for (n, &i) in order.iter().enumerate().rev() {
            let newer = order[n + 1..].iter().map(|&j| a[j] * self.sy[i][j]).sum::<f64>();
            a[i] = (self.gs[i] - newer) / self.sy[i][i];
        }
        for (n, &i) in order.iter().enumerate() {
            let all = order.iter().map(|&j| a[j] * self.yz[i][j]).sum::<f64>();
            let older = order[..n].iter().map(|&j| c[j] * self.sy[j][i]).sum::<f64>();
            c[i] = a[i] - (self.gz[i] - all + older) / self.sy[i][i];
        }
        let slope = order.iter().map(|&i| a[i] * self.gz[i] - c[i] * self.gs[i]).sum::<f64>() - gd;
        (Direction { z: a, s: c.map(|v| -v) }, slope)
    }

    /// The next pair takes a free slot, or the oldest pair's.
    fn take_slot(&mut self) {
        if self.capacity == 0 {
            return;
        }
        if self.pairs == self.capacity {
            self.slot = self.order[0];
            self.order.copy_within(1..self.pairs, 0);
            self.pairs -= 1;
        } else {
            let taken = |k: &usize| self.order[..self.pairs].contains(k);
            self.slot = (0..self.capacity).find(|k| !taken(k)).unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 20;

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(p, q)| p * q).sum()
    }

    /// ∇(½xᵀHx − Σx) with a tridiagonal H whose spectrum lies between 0.1 and 1.9.
    fn gradient(x: &[f64]) -> Vec<f64> {
        let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
        let diagonal = |i: usize| 1.0 + 0.8 * (i as f64 * 1.7).sin();
        let row = |i: usize| diagonal(i) * x[i] + 0.05 * (at(i + 1) + at(i.wrapping_sub(1))) - 1.0;
        (0..N).map(row).collect()
    }

    /// −Hg by the two loops as they are written in every textbook (Nocedal and Wright, Algorithm
    /// 7.4), from the identity.
    fn textbook_direction(g: &[f64], pairs: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
        let mut q = g.to_vec();
        let mut alphas = Vec::new();
        for (s, y) in pairs.iter().rev() {
            let alpha = dot(s, &q) / dot(s, y);
            q.iter_mut().zip(y).for_each(|(q, y)| *q -= alpha * y);
            alphas.push(alpha);
        }
        for ((s, y), alpha) in pairs.iter().zip(alphas.iter().rev()) {
            let beta = dot(y, &q) / dot(s, y);
            q.iter_mut().zip(s).for_each(|(q, s)| *q += (alpha - beta) * s);
        }
        q.iter().map(|v| -v).collect()
    }

    /// Runs the recursion with A = I; checks every direction against the textbook's, and returns
    /// the gradient norms.
    fn minimise(history: usize, iterations: usize) -> Vec<f64> {
        let mut x = vec![0.0; N];
        let mut lbfgs = Lbfgs::new(history);
        let (mut s, mut z) = (vec![vec![0.0; N]; MAX_HISTORY], vec![vec![0.0; N]; MAX_HISTORY]);
        let (mut previous, mut slope, mut last_p) = (vec![0.0; N], 0.0, vec![0.0; N]);
        let mut pairs: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let mut norms = Vec::new();
        for iteration in 0..iterations {
            let g = gradient(&x);
            norms.push(dot(&g, &g).sqrt());
            if iteration > 0 {
                let (mut gs, mut gz) = ([0.0; MAX_HISTORY], [0.0; MAX_HISTORY]);
                for k in 0..lbfgs.slots_in_use() {
                    (gs[k], gz[k]) = (dot(&g, &s[k]), dot(&g, &z[k]));
                }
                lbfgs.observe(&gs, &gz, dot(&g, &previous), slope);
                let y: Vec<f64> = g.iter().zip(&previous).map(|(a, b)| a - b).collect();
                z[lbfgs.slot()].clone_from(&y);
                pairs.push((last_p, y));
                let old = pairs.len().saturating_sub(history);
                pairs.drain(..old);
            }
            let direction = lbfgs.direction(dot(&g, &g));
            let combined = |i: usize| {
                let stored = |k: usize| direction.z[k] * z[k][i] + direction.s[k] * s[k][i];
                -g[i] + (0..MAX_HISTORY).map(stored).sum::<f64>()
            };
            let p: Vec<f64> = (0..N).map(combined).collect();
            let expected = textbook_direction(&g, &pairs);
            let off = p.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off <= 1e-9 * norms[iteration], "iteration {iteration} is off by {off:e}");
            slope = dot(&g, &p);
            s[lbfgs.slot()].clone_from(&p);
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += p);
            (previous, last_p) = (g, p);
        }
        norms
    }

    #[test]
    fn directions_are_the_textbook_s() {
        for history in [1, 2, 5, MAX_HISTORY] {
            minimise(history, 18);
        }
    }

    #[test]
    fn history_shortens_the_descent() {
        let (plain, with) = (minimise(0, 20), minimise(5, 20));
        assert!(with[15] < 0.01 * plain[15], "{:e} against {:e}", with[15], plain[15]);
    }

    #[test]
    fn without_history_the_direction_is_minus_d() {
        let mut lbfgs = Lbfgs::new(0);
        assert_eq!(lbfgs.direction(3.0), Direction::default());
        assert_eq!(lbfgs.slots_in_use(), 0);
    }
}

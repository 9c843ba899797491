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

    /// Minimises ½xᵀHx − bᵀx with preconditioner A = I; returns gradient norms.
    fn minimise(history: usize, iterations: usize) -> Vec<f64> {
        let n = 20;
        let diagonal: Vec<f64> = (0..n).map(|i| 1.0 + 0.8 * (i as f64 * 1.7).sin()).collect();
        let gradient = |x: &[f64]| -> Vec<f64> {
            (0..n)
                .map(|i| {
                    let next = x.get(i + 1).copied().unwrap_or(0.0);
                    let last = if i > 0 { x[i - 1] } else { 0.0 };
                    diagonal[i] * x[i] + 0.05 * (next + last) - 1.0
                })
                .collect()
        };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(p, q)| p * q).sum::<f64>();
        let mut x = vec![0.0; n];
        let mut lbfgs = Lbfgs::new(history);
        let (mut s, mut z) = (vec![vec![0.0; n]; MAX_HISTORY], vec![vec![0.0; n]; MAX_HISTORY]);
        let (mut previous, mut slope) = (vec![0.0; n], 0.0);
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
                let slot = lbfgs.slot();
                for i in 0..n {
                    z[slot][i] = g[i] - previous[i];
                }
            }
            let direction = lbfgs.direction(dot(&g, &g));
            let p: Vec<f64> = (0..n)
                .map(|i| {
                    let stored = |k: usize| direction.z[k] * z[k][i] + direction.s[k] * s[k][i];
                    -g[i] + (0..MAX_HISTORY).map(stored).sum::<f64>()
                })
                .collect();
            slope = dot(&g, &p);
            assert!(slope < 0.0 || norms[iteration] < 1e-12, "uphill at iteration {iteration}");
            s[lbfgs.slot()].clone_from(&p);
            for i in 0..n {
                x[i] += p[i];
            }
            previous = g;
        }
        norms
    }

    #[test]
    fn history_makes_the_descent_superlinear() {
        let (plain, with) = (minimise(0, 40), minimise(5, 40));
        assert!(with[20] < 1e-8 * with[0], "history 5 reached {:e}", with[20]);
        assert!(with[15] < 0.01 * plain[15], "{:e} against {:e}", with[15], plain[15]);
    }

    #[test]
    fn without_history_the_direction_is_minus_d() {
        let mut lbfgs = Lbfgs::new(0);
        assert_eq!(lbfgs.direction(3.0), Direction::default());
        assert_eq!(lbfgs.slots_in_use(), 0);
    }
}

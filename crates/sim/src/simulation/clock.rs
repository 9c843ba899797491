//! The time of a simulation: `base + steps · h`, so that equal steps add up without rounding.

/// Simulated time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clock {
    /// Time at which steps began to have the present length \[s\].
    pub base: f64,
    /// Their length \[s\].
    pub h: f64,
    /// How many of them were taken since.
    pub steps: u64,
}

impl Clock {
    /// The time now \[s\].
    pub fn now(&self) -> f64 {
        self.base + self.steps as f64 * self.h
    }

    /// Advances by a step of h seconds.
    pub fn advance(&mut self, h: f64) {
        if h != self.h {
            *self = Clock { base: self.now(), h, steps: 0 };
        }
        self.steps += 1;
    }
}

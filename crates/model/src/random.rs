//! Random numbers that are the same everywhere: the splitmix64 generator.

/// The step between splitmix64's states.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A sequence of random numbers; the seed is its first state.
pub struct Random(pub u64);

impl Random {
    /// The next number, uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        scramble(self.0)
    }
}

/// The `index`-th number of a sequence, uniform in [−1, 1).
pub(crate) fn signed_at(seed: u64, index: i64) -> f64 {
    scramble(seed.wrapping_add((index as u64).wrapping_mul(GOLDEN)))
}

fn scramble(mut z: u64) -> f64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

//! Ranges of numbers, and how a sentence names them.

use std::fmt;

/// An interval with open or closed ends, and the unit in which it is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    low: End,
    high: End,
    unit: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    value: f64,
    included: bool,
}

/// Beyond this no quantity of a scene has a meaning, and products of a few of them overflow.
const ABSURD: f64 = 1e15;

impl Limits {
    /// Any number that is finite and not absurd.
    pub const fn any(unit: &'static str) -> Limits {
        let low = End { value: -ABSURD, included: true };
        let high = End { value: ABSURD, included: true };
        Limits { low, high, unit }
    }

    /// Greater than `low`.
    pub const fn above(low: f64, unit: &'static str) -> Limits {
        Limits { low: End { value: low, included: false }, ..Limits::any(unit) }
    }

    /// At least `low`.
    pub const fn from(low: f64, unit: &'static str) -> Limits {
        Limits { low: End { value: low, included: true }, ..Limits::any(unit) }
    }

    /// … and less than `high`.
    pub const fn below(self, high: f64) -> Limits {
        Limits { high: End { value: high, included: false }, ..self }
    }

    /// … and at most `high`.
    pub const fn up_to(self, high: f64) -> Limits {
        Limits { high: End { value: high, included: true }, ..self }
    }

    /// Whether the number lies inside; never true for NaN and infinities.
    pub fn contain(&self, value: f64) -> bool {
        let above = value > self.low.value || (self.low.included && value == self.low.value);
        let below = value < self.high.value || (self.high.included && value == self.high.value);
        above && below
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limits { low, high, unit } = self;
        let at_least = if low.included { "at least" } else { "greater than" };
        let at_most = if high.included { "at most" } else { "less than" };
        write!(f, "{at_least} {} and {at_most} {}", Plain(low.value), Plain(high.value))?;
        if unit.is_empty() { Ok(()) } else { write!(f, " {unit}") }
    }
}

/// A number as a person writes it: powers of ten from a million on.
struct Plain(f64);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plain(value) = self;
        let size = value.abs();
        if size >= 1e6 || (size > 0.0 && size < 1e-3) {
            write!(f, "{value:e}")
        } else {
            write!(f, "{value}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_open_or_closed_as_asked() {
        let poisson = Limits::above(-1.0, "").below(0.5);
        assert!(poisson.contain(0.0) && poisson.contain(-0.99) && poisson.contain(0.499));
        assert!(!poisson.contain(-1.0) && !poisson.contain(0.5));
        let share = Limits::from(0.0, "").up_to(1.0);
        assert!(share.contain(0.0) && share.contain(1.0) && !share.contain(1.0001));
    }

    #[test]
    fn nothing_contains_nan_or_infinity() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!Limits::any("m").contain(value));
        }
    }

    #[test]
    fn a_sentence_names_both_ends_and_the_unit() {
        let sentence = Limits::above(0.0, "Pa").up_to(10.0).to_string();
        assert_eq!(sentence, "greater than 0 and at most 10 Pa");
    }
}

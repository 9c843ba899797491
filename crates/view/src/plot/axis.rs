//! From data to an axis: a range, a unit with its SI prefix, and ticks at round numbers.

/// A number line from 0 (left, bottom) to 1 (right, top).
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    scale: Scale,
    /// Quantity and unit, prefix included.
    pub label: String,
    pub ticks: Vec<Tick>,
}

/// A labelled place on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// From 0 to 1 along the axis.
    pub at: f64,
    /// Empty for minor ticks.
    pub label: String,
}

/// Data are first divided by `unit`, so that nothing overflows, and taken from `offset`.
#[derive(Clone, Debug, PartialEq)]
enum Scale {
    Linear {
        unit: f64,
        offset: f64,
        low: f64,
        high: f64,
    },
    /// Bounds are powers of ten.
    Logarithmic {
        low: f64,
        high: f64,
    },
}

impl Axis {
    /// An axis for the finite values, with `target` ticks or so; `None` if there are none.
    /// With `room`, some space is left beyond the extreme values.
    pub fn linear(
        values: impl Iterator<Item = f64> + Clone,
        label: &str,
        target: usize,
        room: bool,
    ) -> Option<Axis> {
        let finite = values.filter(|v| v.is_finite());
        let (low, high) = bounds(finite)?;
        let largest = low.abs().max(high.abs());
        let exponent = thousands(largest);
        let unit = 10f64.powi(exponent);
        let (low, high) = (low / unit, high / unit);
        let largest = largest / unit;

        // A line that hardly moves far from zero is read as its deviation from a round number.
        let spread = high - low;
        if spread > 1e-12 * largest && spread < 1e-3 * largest {
            return Some(Axis::deviation(low, high, exponent, label, target, room));
        }
        let (low, high) = if spread <= 1e-12 * largest {
            let around = if largest > 0.0 { 0.1 * largest } else { 1.0 };
            (low - around, high + around)
        } else if room {
            let pad = 0.06 * spread;
            // Zero is a better end than a number near it.
            let low_end = if low >= 0.0 && low < 0.4 * high { 0.0 } else { low - pad };
            let high_end = if high <= 0.0 && high > 0.4 * low { 0.0 } else { high + pad };
            (low_end, high_end)
        } else {
            (low, high)
        };
        let label = with_prefix(label, exponent, "");
        let ticks = linear_ticks(low, high, target);
        Some(Axis { scale: Scale::Linear { unit, offset: 0.0, low, high }, label, ticks })
    }

    fn deviation(
        low: f64,
        high: f64,
        exponent: i32,
        label: &str,
        target: usize,
        room: bool,
    ) -> Axis {
        let spread = high - low;
        let digits = 10f64.powf((spread.log10()).ceil());
        let offset = (0.5 * (low + high) / digits).round() * digits;
        let places = (-digits.log10().round()).max(0.0) as usize;
        let base = format!("{offset:.places$}");
        let sign = if offset < 0.0 { "+" } else { "−" };
        let base = base.trim_start_matches('-');
        let inner = thousands(spread);
        let (inner_unit, pad) = (10f64.powi(inner), if room { 0.06 * spread } else { 0.0 });
        let (from, to) = ((low - pad - offset) / inner_unit, (high + pad - offset) / inner_unit);
        let (_, old_unit) = split_unit(label);
        let base = match prefixed(old_unit, exponent) {
            Some(unit) if !old_unit.is_empty() => format!(" {sign} {base} {unit}"),
            _ if exponent == 0 => format!(" {sign} {base}"),
            _ => format!(" {sign} {base}·10{}", superscript(exponent)),
        };
        let label = with_prefix(label, exponent + inner, &base);
        let unit = 10f64.powi(exponent);
        let scale = Scale::Linear { unit, offset, low: from * inner_unit, high: to * inner_unit };
        Axis { scale, label, ticks: linear_ticks(from, to, target) }
    }

    /// An axis for the positive values; `None` if there are none.
    pub fn logarithmic(
        values: impl Iterator<Item = f64>,
        label: &str,
        target: usize,
    ) -> Option<Axis> {
        let (low, high) = bounds(values.filter(|v| v.is_finite() && *v > 0.0).map(f64::log10))?;
        let (low, high) = ((low + 1e-9).floor(), (high - 1e-9).ceil());
        let high = if high > low { high } else { low + 1.0 };
        let decades = (high - low) as i32;
        let step = [1, 2, 3, 5, 10, 20, 50, 100]
            .into_iter()
            .find(|s| decades / s <= target as i32)
            .unwrap_or(200);
        let mut ticks = Vec::new();
        for decade in low as i32..=high as i32 {
            let at = |value: f64| (value - low) / (high - low);
            if decade.rem_euclid(step) == 0 {
                ticks.push(Tick { at: at(f64::from(decade)), label: power(decade) });
            }
            if decades <= 4 && f64::from(decade) < high {
                for m in 2..10 {
                    let value = f64::from(decade) + f64::from(m).log10();
                    let label = if decades == 1 && matches!(m, 2 | 5) {
                        multiple(m, decade)
                    } else {
                        String::new()
                    };
                    ticks.push(Tick { at: at(value), label });
                }
            }
        }
        Some(Axis { scale: Scale::Logarithmic { low, high }, label: label.into(), ticks })
    }

    /// The axis of a chart without data.
    pub fn blank(label: &str) -> Axis {
        let scale = Scale::Linear { unit: 1.0, offset: 0.0, low: 0.0, high: 1.0 };
        Axis { scale, label: label.into(), ticks: Vec::new() }
    }

    /// Where a value is, from 0 to 1; `None` if the axis cannot show it.
    pub fn place(&self, value: f64) -> Option<f64> {
        if !value.is_finite() {
            return None;
        }
        let at = match self.scale {
            Scale::Linear { unit, offset, low, high } => {
                (value / unit - offset - low) / (high - low)
            }
            Scale::Logarithmic { .. } if value <= 0.0 => return None,
            Scale::Logarithmic { low, high } => (value.log10() - low) / (high - low),
        };
        at.is_finite().then_some(at)
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, v| match range {
        None => Some((v, v)),
        Some((low, high)) => Some((f64::min(low, v), f64::max(high, v))),
    })
}

/// The power of a thousand that brings a size to between 0.1 and 10⁴ or so; ordinary sizes stay.
fn thousands(size: f64) -> i32 {
    if size == 0.0 || (0.05..1e4).contains(&size) {
        return 0;
    }
    // Subnormal sizes would need a unit that cannot be written.
    ((size.log10() / 3.0).floor() as i32 * 3).max(-300)
}

fn linear_ticks(low: f64, high: f64, target: usize) -> Vec<Tick> {
    let rough = (high - low) / target.max(1) as f64;
    let power = rough.log10().floor();
    let magnitude = 10f64.powf(power);
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|m| m * magnitude).into_iter().find(|s| *s >= 0.999 * rough);
    let step = step.unwrap_or(10.0 * magnitude);
    let places = (-(step * 1.001).log10().floor()).clamp(0.0, 12.0) as usize;
    let first = (low / step - 1e-6).ceil() as i64;
    let last = (high / step + 1e-6).floor() as i64;
    (first..=last.min(first.saturating_add(50)))
        .map(|n| {
            let value = n as f64 * step;
            let at = ((value - low) / (high - low)).clamp(0.0, 1.0);
            Tick { at, label: minus(&format!("{value:.places$}")) }
        })
        .collect()
}

/// Splits `energy [J]` into `energy` and `J`.
fn split_unit(label: &str) -> (&str, &str) {
    let split = label.strip_suffix(']').and_then(|l| l.rsplit_once('['));
    split.map_or((label, ""), |(name, unit)| (name.trim_end(), unit))
}

/// The label with the unit changed by a power of ten, and something after the quantity.
fn with_prefix(label: &str, exponent: i32, after: &str) -> String {
    let (name, unit) = split_unit(label);
    if exponent == 0 && after.is_empty() {
        return label.into();
    }
    match prefixed(unit, exponent) {
        Some(unit) if unit.is_empty() => format!("{name}{after}"),
        Some(unit) => format!("{name}{after} [{unit}]"),
        None if unit.is_empty() => format!("{name}{after} [10{}]", superscript(exponent)),
        None => format!("{name}{after} [10{} {unit}]", superscript(exponent)),
    }
}

/// The unit with the SI prefix of a power of ten; `None` if it takes none.
fn prefixed(unit: &str, exponent: i32) -> Option<String> {
    const TAKES_PREFIX: [&str; 8] = ["J", "N", "m", "s", "Pa", "W", "Hz", "m/s"];
    const PREFIXES: [&str; 9] = ["p", "n", "µ", "m", "", "k", "M", "G", "T"];
    // Prefixed units are moved along: 10⁻³ of "ms" is "µs".
    let milli = ["ms", "mm"].contains(&unit);
    let (base, exponent) = if milli { (&unit[1..], exponent - 3) } else { (unit, exponent) };
    if exponent == 0 && !milli {
        return Some(unit.into());
    }
    // Nobody writes kiloseconds.
    if !TAKES_PREFIX.contains(&base)
        || (base.starts_with(['s', 'm']) && exponent > if base == "s" { 0 } else { 3 })
    {
        return None;
    }
    let prefix = PREFIXES.get(usize::try_from(exponent / 3 + 4).ok()?)?;
    Some(format!("{prefix}{base}"))
}

fn power(exponent: i32) -> String {
    match exponent {
        0 => "1".into(),
        1 => "10".into(),
        _ => format!("10{}", superscript(exponent)),
    }
}

fn multiple(digit: i32, exponent: i32) -> String {
    match exponent {
        0 => digit.to_string(),
        1..=3 => (digit * 10i32.pow(exponent as u32)).to_string(),
        _ => format!("{digit}·{}", power(exponent)),
    }
}

fn superscript(number: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = number.unsigned_abs().to_string();
    let sign = if number < 0 { "⁻" } else { "" };
    let raised = digits.bytes().map(|d| DIGITS[usize::from(d - b'0')]);
    sign.chars().chain(raised).collect()
}

/// A typographic minus, and no negative zero.
fn minus(number: &str) -> String {
    match number.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|b| b == b'0' || b == b'.') => zero.into(),
        Some(rest) => format!("−{rest}"),
        None => number.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(values: &[f64], label: &str) -> Axis {
        Axis::linear(values.iter().copied(), label, 5, true).unwrap()
    }

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|t| t.label.as_str()).filter(|l| !l.is_empty()).collect()
    }

    #[test]
    fn ticks_are_round_numbers_in_a_fitting_unit() {
        let axis = linear(&[0.0, 48_000.0], "energy [J]");
        assert_eq!(axis.label, "energy [kJ]");
        assert_eq!(labels(&axis), ["0", "20", "40"]);
        assert!((axis.place(48_000.0).unwrap() - 48.0 / 50.88).abs() < 1e-9);
        assert_eq!(linear(&[0.0, 3e-5], "gap [m]").label, "gap [µm]");
        assert_eq!(linear(&[0.0, 3e-5], "step [ms]").label, "step [ns]");
        assert_eq!(linear(&[0.0, 3e-5], "drift").label, "drift [10⁻⁶]");
        assert_eq!(linear(&[0.0, 5e7], "impulse [kg m/s]").label, "impulse [10⁶ kg m/s]");
        assert_eq!(linear(&[0.0, 5e7], "time [s]").label, "time [10⁶ s]");
        assert_eq!(labels(&linear(&[-1.0, 1.0], "x")), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
    }

    #[test]
    fn a_small_deviation_is_shown_from_a_round_number() {
        let axis = linear(&[1_234.500_001, 1_234.500_004], "energy [J]");
        assert!(
            axis.label.starts_with("energy − 1234.5000") && axis.label.ends_with("J [µJ]"),
            "{}",
            axis.label
        );
        let (low, high) = (axis.place(1_234.500_001).unwrap(), axis.place(1_234.500_004).unwrap());
        assert!((0.02..0.1).contains(&low) && (0.9..0.98).contains(&high), "{low} {high}");
    }

    #[test]
    fn a_constant_lies_inside_its_axis() {
        for value in [0.0, 5.0, -3e7, 1e-30, f64::MAX, f64::MIN_POSITIVE, 5e-324] {
            let axis = linear(&[value, value], "x");
            let at = axis.place(value).unwrap();
            assert!((0.05..0.95).contains(&at), "{value} at {at}");
            assert!(axis.ticks.len() >= 2, "{value}: {axis:?}");
        }
    }

    #[test]
    fn the_whole_range_of_numbers_fits() {
        let axis = linear(&[-f64::MAX, f64::MAX], "x");
        assert!(axis.place(f64::MAX).unwrap() < 1.0 && axis.place(-f64::MAX).unwrap() > 0.0);
        assert!((3..12).contains(&axis.ticks.len()));
        let axis = Axis::logarithmic([5e-324, f64::MAX].into_iter(), "x", 5).unwrap();
        assert!((3..12).contains(&labels(&axis).len()), "{:?}", labels(&axis));
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let axis = Axis::logarithmic([1e-9, 0.3, -4.0, f64::NAN].into_iter(), "drift", 6).unwrap();
        assert_eq!(labels(&axis), ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1"]);
        assert_eq!(axis.place(-4.0), None);
        assert_eq!(axis.place(0.0), None);
        let narrow = Axis::logarithmic([12.0, 80.0].into_iter(), "x", 6).unwrap();
        assert_eq!(labels(&narrow), ["10", "20", "50", "10²"]);
    }

    #[test]
    fn no_data_is_no_axis() {
        assert_eq!(Axis::linear([f64::NAN, f64::INFINITY].into_iter(), "x", 5, true), None);
        assert_eq!(Axis::logarithmic([0.0, -1.0].into_iter(), "x", 5), None);
    }
}

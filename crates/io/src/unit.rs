//! Units of length, by name and by guess.

/// Names with lengths \[m\].
const UNITS: [(&str, f64); 5] =
    [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048)];

/// What is longer than this \[m\] is hardly something soft.
const LONGEST: f64 = 25.0;
/// What is left, in another unit, should be between these \[m\].
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 0.02..=5.0;

/// The length of a unit \[m\]: `m`, `cm`, `mm`, `in` or `ft`.
///
/// ```
/// assert_eq!(pliant_io::unit_named("cm"), Some(0.01));
/// ```
pub fn unit_named(name: &str) -> Option<f64> {
    UNITS.iter().find(|(known, _)| *known == name).map(|(_, metres)| *metres)
}

/// Units in which a thing is probably written whose longest side would be `length` metres: none,
/// if metres it can be. A fox of 160 m is one of 1.6 m, written in centimetres.
///
/// ```
/// assert_eq!(pliant_io::guess_unit(160.0), ["cm", "mm"]);
/// assert!(pliant_io::guess_unit(1.6).is_empty());
/// ```
pub fn guess_unit(length: f64) -> Vec<&'static str> {
    if length <= LONGEST || !length.is_finite() {
        return Vec::new();
    }
    let likely = ["cm", "mm"].into_iter();
    likely
        .filter(|name| unit_named(name).is_some_and(|unit| PLAUSIBLE.contains(&(unit * length))))
        .collect()
}

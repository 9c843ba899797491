//! Statistics of repeated measurements.

use serde_json::{Map, Value, json};

/// Mean, NaN of no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The smallest value, infinity of none.
pub fn smallest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Some of `mean`, `min`, `median` and `max` as a JSON object; null of no values.
pub fn summary(values: &[f64], parts: &[&str]) -> Value {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(min), Some(max)) = (sorted.first(), sorted.last()) else { return Value::Null };
    let all = [
        ("mean", mean(values)),
        ("min", *min),
        ("median", sorted[sorted.len() / 2]),
        ("max", *max),
    ];
    let chosen = all.into_iter().filter(|(part, _)| parts.contains(part));
    Value::Object(
        chosen.map(|(part, value)| (part.to_owned(), json!(value))).collect::<Map<_, _>>(),
    )
}

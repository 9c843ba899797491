//! Rows of measurements, as a table for people and as JSON for programs.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// A column of a table.
pub struct Column {
    /// Key of the value in a row; `times.min` is the part `min` of the value `times`.
    pub key: &'static str,
    /// Name in the table.
    pub heading: &'static str,
    /// Format of the value in the table.
    pub style: Style,
}

/// Format of a value in a table. A missing number is a dash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text, on the left.
    Words,
    /// A number with this many decimals.
    Fixed(usize),
    /// A number with two digits and a power of ten.
    Scientific,
    /// A share of 1, in percent.
    Percent,
}

impl Column {
    /// The error of a row that could not be measured.
    pub const REASON: Column = Column::words("reason", "");

    /// A column of text.
    pub const fn words(key: &'static str, heading: &'static str) -> Column {
        Column { key, heading, style: Style::Words }
    }

    /// A column of numbers with as many decimals.
    pub const fn fixed(key: &'static str, heading: &'static str, decimals: usize) -> Column {
        Column { key, heading, style: Style::Fixed(decimals) }
    }

    /// A column of numbers with powers of ten.
    pub const fn scientific(key: &'static str, heading: &'static str) -> Column {
        Column { key, heading, style: Style::Scientific }
    }

    /// A column of shares.
    pub const fn percent(key: &'static str, heading: &'static str) -> Column {
        Column { key, heading, style: Style::Percent }
    }
}

/// A line of a suite's table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the measurement.
    pub name: String,
    values: Vec<(&'static str, Value)>,
}

impl Row {
    /// A row with values under keys.
    pub fn new(name: String, values: Vec<(&'static str, Value)>) -> Row {
        Row { name, values }
    }

    /// The value of a key; `times.min` is the part `min` of the value `times`.
    pub fn get(&self, key: &str) -> &Value {
        let (key, part) = key.split_once('.').map_or((key, None), |(key, part)| (key, Some(part)));
        let found = self.values.iter().find(|(own, _)| *own == key);
        let value = found.map_or(&Value::Null, |(_, value)| value);
        part.map_or(value, |part| value.get(part).unwrap_or(&Value::Null))
    }

    /// The number of a key, if there is one.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key).as_f64()
    }
}

/// Numbers of a key in all rows whose name starts with `group`.
pub fn numbers(rows: &[Row], group: &str, key: &str) -> Vec<f64> {
    let own = rows.iter().filter(|row| row.name.starts_with(group));
    own.filter_map(|row| row.number(key)).collect()
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.values.len() + 1))?;
        map.serialize_entry("name", &self.name)?;
        for (key, value) in &self.values {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// `{"rows": [{"name": …, …}]}`, a line per row.
pub fn as_json(rows: &[Row]) -> Result<String, serde_json::Error> {
    let lines = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("{{\"rows\": [\n{}\n]}}", lines.join(",\n")))
}

/// A line of headings and a line per row.
pub fn as_table(columns: &[Column], rows: &[Row]) -> Vec<String> {
    let headings = columns.iter().map(|column| column.heading.to_owned());
    let mut lines: Vec<Vec<String>> =
        vec![["name".to_owned()].into_iter().chain(headings).collect()];
    for row in rows {
        let cells = columns.iter().map(|column| cell(row.get(column.key), column.style));
        lines.push([row.name.clone()].into_iter().chain(cells).collect());
    }
    let width = |place: usize| lines.iter().map(|line| line[place].chars().count()).max();
    let widths: Vec<usize> = (0..=columns.len()).filter_map(width).collect();
    let is_left = |place: usize| place == 0 || columns[place - 1].style == Style::Words;
    let padded = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).enumerate().map(|(place, (cell, &width))| {
            if is_left(place) { format!("{cell:width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    lines.iter().map(padded).collect()
}

fn cell(value: &Value, style: Style) -> String {
    match (value, style) {
        (Value::Null, Style::Words) => String::new(),
        (Value::Null, _) => "–".to_owned(),
        (Value::String(text), _) => text.clone(),
        (value, style) => match (value.as_f64(), style) {
            (Some(number), Style::Fixed(decimals)) => format!("{number:.decimals$}"),
            (Some(number), Style::Scientific) => format!("{number:.1e}"),
            (Some(number), Style::Percent) => format!("{:.1}%", 100.0 * number),
            _ => value.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const COLUMNS: [Column; 3] = [
        Column::scientific("drift", "drift"),
        Column::fixed("ms", "ms", 2),
        Column::words("verdict", "verdict"),
    ];

    fn rows() -> Vec<Row> {
        let row = |name: &str, drift: Value, verdict: &str| {
            let values = vec![
                ("drift", drift),
                ("ms", json!(1.234)),
                ("no_column", json!(7)),
                ("verdict", json!(verdict)),
            ];
            Row::new(name.to_owned(), values)
        };
        vec![row("a", json!(1.25e-7), "pass"), row("long name", json!(f64::NAN), "fail")]
    }

    #[test]
    fn tables_align_and_have_their_columns_alone() {
        let expected = [
            "name        drift    ms  verdict",
            "a          1.2e-7  1.23  pass",
            "long name       –  1.23  fail",
        ];
        assert_eq!(as_table(&COLUMNS, &rows()), expected);
    }

    #[test]
    fn parts_of_values_are_found() {
        let row = Row::new("a".to_owned(), vec![("ms", json!({ "min": 2.5 }))]);
        assert_eq!(row.number("ms.min"), Some(2.5));
        assert_eq!(*row.get("ms.max"), Value::Null);
        assert_eq!(*row.get("s.min"), Value::Null);
    }

    #[test]
    fn json_has_every_value_in_order() {
        let text = as_json(&rows()).unwrap();
        let first = r#"{"name":"a","drift":1.25e-7,"ms":1.234,"no_column":7,"verdict":"pass"}"#;
        assert!(text.contains(first), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["rows"].as_array().map(Vec::len), Some(2));
        assert_eq!(value["rows"][1]["drift"], Value::Null);
        let none: Value = serde_json::from_str(&as_json(&[]).unwrap()).unwrap();
        assert_eq!(none, json!({ "rows": [] }));
    }
}

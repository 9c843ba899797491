//! Rows of measurements, as a table for people and as JSON for programs.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// What is measured of every row.
pub struct Column {
    /// Its name in JSON.
    pub key: &'static str,
    /// Its name in the table.
    pub heading: &'static str,
    /// How the table shows it.
    pub style: Style,
}

/// How a table shows a value. What is missing is shown as a dash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As it is, to the left.
    Words,
    /// With so many decimals.
    Fixed(usize),
    /// With two digits and a power of ten.
    Scientific,
    /// A share of 1, in percent.
    Percent,
    /// Only in JSON.
    Hidden,
}

/// One line of a suite's table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// In the order of the columns.
    values: Vec<(&'static str, Value)>,
}

impl Row {
    /// A row with values under the keys of columns.
    pub fn new(name: String, values: Vec<(&'static str, Value)>) -> Row {
        Row { name, values }
    }

    /// The value of a column; `times.min` is the value `min` of the column `times`.
    pub fn get(&self, key: &str) -> &Value {
        let (key, part) = key.split_once('.').map_or((key, None), |(key, part)| (key, Some(part)));
        let found = self.values.iter().find(|(own, _)| *own == key);
        let value = found.map_or(&Value::Null, |(_, value)| value);
        part.map_or(value, |part| value.get(part).unwrap_or(&Value::Null))
    }
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
    let shown: Vec<&Column> = columns.iter().filter(|c| c.style != Style::Hidden).collect();
    let headings = shown.iter().map(|column| column.heading.to_owned());
    let mut lines: Vec<Vec<String>> =
        vec![["name".to_owned()].into_iter().chain(headings).collect()];
    for row in rows {
        let cells = shown.iter().map(|column| cell(row.get(column.key), column.style));
        lines.push([row.name.clone()].into_iter().chain(cells).collect());
    }
    let width = |place: usize| lines.iter().map(|line| line[place].chars().count()).max();
    let widths: Vec<usize> = (0..=shown.len()).filter_map(width).collect();
    let is_left = |place: usize| place == 0 || shown[place - 1].style == Style::Words;
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

    const COLUMNS: [Column; 4] = [
        Column { key: "drift", heading: "drift", style: Style::Scientific },
        Column { key: "ms", heading: "ms", style: Style::Fixed(2) },
        Column { key: "secret", heading: "", style: Style::Hidden },
        Column { key: "verdict", heading: "verdict", style: Style::Words },
    ];

    fn rows() -> Vec<Row> {
        let row = |name: &str, drift: Value, verdict: &str| {
            let values = vec![
                ("drift", drift),
                ("ms", json!(1.234)),
                ("secret", json!(7)),
                ("verdict", json!(verdict)),
            ];
            Row::new(name.to_owned(), values)
        };
        vec![row("a", json!(1.25e-7), "pass"), row("long name", json!(f64::NAN), "fail")]
    }

    #[test]
    fn tables_align_and_leave_out_what_is_hidden() {
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
        assert_eq!(*row.get("ms.min"), json!(2.5));
        assert_eq!(*row.get("ms.max"), Value::Null);
        assert_eq!(*row.get("s.min"), Value::Null);
    }

    #[test]
    fn json_has_every_column_in_order() {
        let text = as_json(&rows()).unwrap();
        assert!(
            text.contains(r#"{"name":"a","drift":1.25e-7,"ms":1.234,"secret":7,"verdict":"pass"}"#)
        );
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["rows"].as_array().map(Vec::len), Some(2));
        assert_eq!(value["rows"][1]["drift"], Value::Null);
        let none: Value = serde_json::from_str(&as_json(&[]).unwrap()).unwrap();
        assert_eq!(none, json!({ "rows": [] }));
    }
}

//! The bytes of a layer, text or binary, and where in them the values are.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::binary::Tables;
use super::scanner::{numbers, strings};
use crate::error::IoError;

/// A value that has not been looked at yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Where it stands in a text.
    Text(Range<usize>),
    /// What a binary file has in its place: type and offset, or the value itself.
    Packed(u64),
}

/// A layer's file, for reading values when they are needed.
#[derive(Debug)]
pub struct Content {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// Of a binary file, what its values refer to.
    pub tables: Option<Tables>,
}

impl Content {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All numbers of a value, in order.
    pub fn numbers(&self, value: &Value) -> Result<Vec<f64>, IoError> {
        match (value, &self.tables) {
            (Value::Text(span), _) => numbers(&self.path, &self.bytes, span),
            (Value::Packed(word), Some(tables)) => {
                let problem = |what: String| IoError::content(&self.path, what);
                tables.numbers(&self.bytes, *word).map_err(problem)
            }
            (Value::Packed(_), None) => Ok(Vec::new()),
        }
    }

    /// The strings of a value: one, or an array of them.
    pub fn strings(&self, value: &Value) -> Vec<String> {
        match (value, &self.tables) {
            (Value::Text(span), _) => strings(self.bytes.get(span.clone()).unwrap_or_default()),
            (Value::Packed(word), Some(tables)) => {
                tables.strings(&self.bytes, *word).unwrap_or_default()
            }
            (Value::Packed(_), None) => Vec::new(),
        }
    }
}

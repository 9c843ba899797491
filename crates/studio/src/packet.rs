//! Binary messages to the page: a header in JSON, then arrays that can be used where they lie.
//!
//! Layout, little-endian: the header's length in bytes (u32, a multiple of 4), the header (JSON,
//! filled up with spaces), then the arrays that its key `arrays` lists as `{name, type, length}`,
//! in that order, each filled up to a multiple of 4 bytes. `type` is `f32` or `u32`.

use axum::body::Bytes;
use serde_json::{Map, Value, json};

/// A message in the making.
#[derive(Debug, Default)]
pub struct Packet {
    header: Map<String, Value>,
    arrays: Vec<Value>,
    body: Vec<u8>,
}

impl Packet {
    /// Of a kind that the page knows.
    ///
    /// ```
    /// use pliant_studio::Packet;
    /// let bytes = Packet::new("frame").with("number", 7).floats("positions", [1.0, 2.0]).bytes();
    /// let length = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
    /// assert_eq!(length % 4, 0);
    /// assert_eq!(bytes.len(), 4 + length + 8);
    /// ```
    pub fn new(kind: &str) -> Packet {
        Packet::default().with("kind", kind)
    }

    /// A key of the header.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Packet {
        self.header.insert(key.to_owned(), value.into());
        self
    }

    /// Numbers; those that are none arrive as zero.
    pub fn floats(mut self, name: &str, values: impl IntoIterator<Item = f32>) -> Packet {
        let (from, values) = (self.body.len(), values.into_iter());
        self.body.reserve(4 * values.size_hint().0);
        for value in values {
            let value = if value.is_finite() { value } else { 0.0 };
            self.body.extend_from_slice(&value.to_le_bytes());
        }
        self.listed(name, "f32", from)
    }

    /// Whole numbers.
    pub fn counts(mut self, name: &str, values: impl IntoIterator<Item = u32>) -> Packet {
        let from = self.body.len();
        values.into_iter().for_each(|value| self.body.extend_from_slice(&value.to_le_bytes()));
        self.listed(name, "u32", from)
    }

    fn listed(mut self, name: &str, kind: &str, from: usize) -> Packet {
        let length = (self.body.len() - from) / 4;
        self.arrays.push(json!({ "name": name, "type": kind, "length": length }));
        self
    }

    /// The message.
    pub fn bytes(mut self) -> Bytes {
        self.header.insert("arrays".to_owned(), Value::Array(self.arrays));
        let mut header = Value::Object(self.header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(4), b' ');
        let mut all = Vec::with_capacity(4 + header.len() + self.body.len());
        all.extend_from_slice(&(header.len() as u32).to_le_bytes());
        all.extend_from_slice(&header);
        all.extend_from_slice(&self.body);
        all.into()
    }
}

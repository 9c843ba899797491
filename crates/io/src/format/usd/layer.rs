//! A layer as a tree of prims with their attributes.

use std::ops::Range;
use std::path::Path;

use super::content::{Content, Value};
use super::scanner::{Scanner, strings};
use crate::cursor::{parse as number, unexpected};
use crate::error::IoError;

/// Prims within prims, at most.
pub const DEEPEST: usize = 200;

/// A file, as far as its values have been looked at.
#[derive(Debug, Default)]
pub struct Layer {
    pub metadata: Vec<(String, Value)>,
    pub prims: Vec<Prim>,
    /// What the layer refers to and this reader does not follow.
    pub elsewhere: Vec<&'static str>,
}

#[derive(Debug, Default)]
pub struct Prim {
    /// `Mesh`, `Xform` …; empty where none is written.
    pub kind: String,
    pub name: String,
    /// Defined here, and neither a class nor made inactive.
    pub defined: bool,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Prim>,
}

#[derive(Debug, Default)]
pub struct Attribute {
    pub name: String,
    pub value: Option<Value>,
    /// Time codes, ascending, with their values.
    pub samples: Vec<(f64, Value)>,
    pub interpolation: Option<String>,
    /// Its numbers are of single precision, however many digits are written.
    pub single: bool,
}

impl Prim {
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

impl Layer {
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Layer, IoError> {
        let mut layer = Layer::default();
        let mut reader = Reader { bytes, scanner: Scanner::new(path, bytes), layer: &mut layer };
        if !bytes.starts_with(b"#usda") {
            return Err(reader.scanner.error("expected the first line to be #usda 1.0"));
        }
        if reader.scanner.take(b'(') {
            let metadata = reader.metadata()?;
            let value = |(key, span)| (key, Value::Text(span));
            reader.layer.metadata = metadata.into_iter().map(value).collect();
        }
        while reader.scanner.peek().is_some() {
            let word = reader.scanner.word();
            if let Some(prim) = reader.statement(word, DEEPEST)? {
                reader.layer.prims.push(prim);
            }
        }
        Ok(layer)
    }

    /// A number of the layer's metadata.
    pub fn number(&self, content: &Content, name: &str) -> Result<Option<f64>, IoError> {
        let Some((_, value)) = self.metadata.iter().find(|(key, _)| key == name) else {
            return Ok(None);
        };
        Ok(content.numbers(value)?.first().copied().filter(|value| value.is_finite()))
    }

    /// A string of the layer's metadata.
    pub fn text(&self, content: &Content, name: &str) -> Option<String> {
        let (_, value) = self.metadata.iter().find(|(key, _)| key == name)?;
        content.strings(value).into_iter().next()
    }
}

struct Reader<'a, 'l> {
    bytes: &'a [u8],
    scanner: Scanner<'a>,
    layer: &'l mut Layer,
}

type Metadata = Vec<(String, Range<usize>)>;

impl Reader<'_, '_> {
    /// A prim, if that is what the word starts; everything else on this level is skipped.
    fn statement(&mut self, word: &[u8], depth: usize) -> Result<Option<Prim>, IoError> {
        match word {
            b"def" | b"over" | b"class" => self.prim(word == b"def", depth).map(Some),
            b"variantSet" => {
                self.scanner.value()?;
                self.scanner.expect(b'=')?;
                self.scanner.value()?;
                self.refers_to("variants");
                Ok(None)
            }
            b"reorder" => {
                self.scanner.word();
                self.scanner.expect(b'=')?;
                self.scanner.value()?;
                Ok(None)
            }
            _ => Err(self.scanner.error(unexpected("def, over or class", word))),
        }
    }

    fn prim(&mut self, defined: bool, depth: usize) -> Result<Prim, IoError> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(self
                .scanner
                .error(format!("expected at most {DEEPEST} prims within prims")));
        };
        let kind = match self.scanner.peek() {
            Some(b'"' | b'\'') => String::new(),
            _ => String::from_utf8_lossy(self.scanner.word()).into_owned(),
        };
        let name = self.scanner.value()?;
        let name = strings(&self.bytes[name]).into_iter().next().unwrap_or_default();
        let mut prim = Prim { kind, name, defined, ..Prim::default() };
        if self.scanner.take(b'(') {
            for (key, span) in self.metadata()? {
                match key.as_str() {
                    "references" => self.refers_to("references"),
                    "payload" => self.refers_to("payloads"),
                    "inherits" | "specializes" => self.refers_to("inherited prims"),
                    "active" => {
                        let text = &self.bytes[span];
                        prim.defined &= text != b"false" && text != b"0";
                    }
                    _ => {}
                }
            }
        }
        self.scanner.expect(b'{')?;
        while !self.scanner.take(b'}') {
            if self.scanner.peek().is_none() {
                return Err(self.scanner.error(format!("expected the end of {}", prim.name)));
            }
            let word = self.scanner.word();
            match word {
                b"def" | b"over" | b"class" | b"variantSet" | b"reorder" => {
                    prim.children.extend(self.statement(word, depth)?);
                }
                b"" => return Err(self.scanner.error("expected an attribute or a prim")),
                _ => self.attribute(word, &mut prim)?,
            }
        }
        Ok(prim)
    }

    /// `[custom] [uniform] TYPE NAME[.timeSamples] [= VALUE] [(METADATA)]`
    fn attribute(&mut self, first: &[u8], prim: &mut Prim) -> Result<(), IoError> {
        let (mut kind, mut last) = (first, first);
        while self.scanner.word_follows() {
            (kind, last) = (last, self.scanner.word());
        }
        // float, float3, point3f, quatf …
        let kind = kind.strip_suffix(b"[]").unwrap_or(kind);
        let single = kind.starts_with(b"float") || kind.ends_with(b"f");
        let name = String::from_utf8_lossy(last).into_owned();
        let (name, sampled) = match name.strip_suffix(".timeSamples") {
            Some(stem) => (stem.to_owned(), true),
            None => (name, false),
        };
        let (mut value, mut samples) = (None, Vec::new());
        if self.scanner.take(b'=') {
            match sampled {
                true => samples = self.samples()?,
                false => value = Some(Value::Text(self.scanner.value()?)),
            }
        }
        let mut interpolation = None;
        if self.scanner.peek() == Some(b'(') {
            self.scanner.expect(b'(')?;
            let metadata = self.metadata()?;
            let found = metadata.into_iter().find(|(key, _)| key == "interpolation");
            interpolation =
                found.and_then(|(_, span)| strings(&self.bytes[span]).into_iter().next());
        }
        // Default and samples of an attribute are written apart.
        match prim.attributes.iter_mut().find(|attribute| attribute.name == name) {
            Some(known) => {
                known.single |= single;
                known.value = value.or(known.value.take());
                known.interpolation = interpolation.or(known.interpolation.take());
                if sampled {
                    known.samples = samples;
                }
            }
            None => prim.attributes.push(Attribute { name, value, samples, interpolation, single }),
        }
        Ok(())
    }

    /// `{ TIME: VALUE, … }`
    fn samples(&mut self) -> Result<Vec<(f64, Value)>, IoError> {
        let mut samples = Vec::new();
        self.scanner.expect(b'{')?;
        while !self.scanner.take(b'}') {
            let word = self.scanner.time_code();
            let time = number::<f64>(word).filter(|time| time.is_finite());
            let time = time.ok_or_else(|| self.scanner.error(unexpected("a time code", word)))?;
            self.scanner.expect(b':')?;
            let value = self.scanner.value()?;
            // A blocked sample says that there is none.
            if &self.bytes[value.clone()] != b"None" {
                samples.push((time, Value::Text(value)));
            }
            self.scanner.take(b',');
        }
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(samples)
    }

    /// What stands between parentheses, up to the closing one.
    fn metadata(&mut self) -> Result<Metadata, IoError> {
        let mut metadata = Vec::new();
        while !self.scanner.take(b')') {
            match self.scanner.peek() {
                None => return Err(self.scanner.error("expected `)`, found the end")),
                // A comment on the whole.
                Some(b'"' | b'\'') => {
                    self.scanner.value()?;
                    continue;
                }
                _ => {}
            }
            let mut key = self.scanner.word();
            while self.scanner.word_follows() {
                key = self.scanner.word();
            }
            if key.is_empty() {
                return Err(self.scanner.error("expected a key"));
            }
            self.scanner.expect(b'=')?;
            let value = self.scanner.value()?;
            if key == b"subLayers" {
                self.refers_to("sublayers");
            }
            metadata.push((String::from_utf8_lossy(key).into_owned(), value));
            // How the layers behind an asset are shifted in time.
            if self.scanner.peek() == Some(b'(') {
                self.scanner.value()?;
            }
            self.scanner.take(b',');
        }
        Ok(metadata)
    }

    fn refers_to(&mut self, what: &'static str) {
        if !self.layer.elsewhere.contains(&what) {
            self.layer.elsewhere.push(what);
        }
    }
}

//! USD's binary form, `.usdc`: tables, and a tree of prims whose values are looked up in them when
//! they are needed. Nothing is allocated that the length of the file does not warrant.

mod integers;
mod tables;
mod values;

use super::content::Value;
use super::layer::{Attribute, DEEPEST, Layer, Prim};
use tables::{Problem, Spec, Tree};
use values::{BLOCKED, SAMPLES, Word};

pub use tables::Tables;

/// How a binary layer starts.
pub const MAGIC: &[u8] = b"PXR-USDC";

/// Kinds of specs.
const ATTRIBUTE: u32 = 1;
const PRIM: u32 = 6;
const ROOT: u32 = 7;

/// Reads the tree of a binary layer.
pub fn read(bytes: &[u8]) -> Result<(Layer, Tables), Problem> {
    let (tables, tree) = tables::read(bytes)?;
    let mut reader = Reader::new(bytes, &tables, &tree);
    let mut layer = Layer::default();
    let root = tree.specs.iter().find(|spec| spec.kind == ROOT);
    if let Some(root) = root {
        for (name, word) in reader.fields(root) {
            if name == "subLayers" {
                refers_to(&mut layer, "sublayers");
            }
            layer.metadata.push((name.to_owned(), Value::Packed(word)));
        }
        layer.prims = reader.prims(root, DEEPEST, &mut layer)?;
    }
    Ok((layer, tables))
}

struct Reader<'a> {
    bytes: &'a [u8],
    tables: &'a Tables,
    tree: &'a Tree,
    /// The specs below every path, in the order of paths, and where those of each start.
    below: Vec<u32>,
    starts: Vec<usize>,
    /// Samples that the file may still have: each is a word of it.
    samples_left: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], tables: &'a Tables, tree: &'a Tree) -> Self {
        let count = tree.paths.len();
        // A path with several specs would be walked as often, and so would all below it.
        let mut taken = vec![false; count];
        let mut parents = Vec::with_capacity(tree.specs.len());
        for spec in &tree.specs {
            let path = spec.path as usize;
            let first = taken.get(path) == Some(&false);
            let parent = if first { tree.paths[path].parent } else { None };
            parents.push(parent.map(|parent| parent as usize));
            if first {
                taken[path] = true;
            }
        }
        let mut starts = vec![0; count + 1];
        for parent in parents.iter().flatten() {
            starts[parent + 1] += 1;
        }
        for path in 0..count {
            starts[path + 1] += starts[path];
        }
        let mut next = starts.clone();
        let mut below = vec![0; starts[count]];
        for (number, parent) in (0u32..).zip(parents) {
            if let Some(parent) = parent {
                below[next[parent]] = number;
                next[parent] += 1;
            }
        }
        Reader { bytes, tables, tree, starts, below, samples_left: bytes.len() / 8 }
    }

    fn fields(&self, spec: &Spec) -> impl Iterator<Item = (&'a str, u64)> + use<'a> {
        let (tables, fields) = (self.tables, &self.tree.fields);
        let set = self.tree.sets.get(spec.set as usize..).unwrap_or_default();
        let set = set.iter().take_while(|&&field| field != u32::MAX);
        set.filter_map(move |&field| {
            let (name, word) = fields.get(field as usize)?;
            Some((tables.token(*name), *word))
        })
    }

    fn name(&self, spec: &Spec) -> &'a str {
        self.tree.paths.get(spec.path as usize).map_or("", |step| self.tables.token(step.name))
    }

    fn specs_below(&self, spec: &Spec, kind: u32) -> Vec<Spec> {
        let path = spec.path as usize;
        let range = self.starts.get(path).zip(self.starts.get(path + 1));
        let numbers = range.and_then(|(start, end)| self.below.get(*start..*end));
        let specs = numbers.unwrap_or_default().iter().map(|&n| self.tree.specs[n as usize]);
        specs.filter(|spec| spec.kind == kind).collect()
    }

    /// The prims below one, in the order that it says.
    fn prims(&mut self, of: &Spec, depth: usize, layer: &mut Layer) -> Result<Vec<Prim>, Problem> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(format!("expected at most {DEEPEST} prims within prims"));
        };
        let order = self.fields(of).find(|(name, _)| *name == "primChildren");
        let order = order.and_then(|(_, word)| self.tables.strings(self.bytes, word));
        let mut order: Vec<(String, usize)> =
            order.unwrap_or_default().into_iter().zip(0usize..).collect();
        order.sort();
        let place = |name: &str| {
            let found = order.binary_search_by(|(known, _)| known.as_str().cmp(name));
            found.map_or(usize::MAX, |index| order[index].1)
        };
        let mut specs = self.specs_below(of, PRIM);
        specs.sort_by_key(|spec| place(self.name(spec)));
        specs.iter().map(|spec| self.prim(spec, depth, layer)).collect()
    }

    fn prim(&mut self, spec: &Spec, depth: usize, layer: &mut Layer) -> Result<Prim, Problem> {
        let mut prim = Prim { name: self.name(spec).to_owned(), ..Prim::default() };
        for (name, word) in self.fields(spec) {
            match name {
                "typeName" => prim.kind = self.text(word),
                // def, over or class.
                "specifier" => prim.defined = self.number(word) == Some(0.0),
                "references" => refers_to(layer, "references"),
                "payload" => refers_to(layer, "payloads"),
                "inheritPaths" | "specializes" => refers_to(layer, "inherited prims"),
                "variantSetNames" => refers_to(layer, "variants"),
                _ => {}
            }
        }
        if self.fields(spec).any(|(name, word)| name == "active" && self.number(word) == Some(0.0))
        {
            prim.defined = false;
        }
        for attribute in self.specs_below(spec, ATTRIBUTE) {
            let attribute = self.attribute(&attribute)?;
            prim.attributes.push(attribute);
        }
        prim.children = self.prims(spec, depth, layer)?;
        Ok(prim)
    }

    fn attribute(&mut self, spec: &Spec) -> Result<Attribute, Problem> {
        let mut attribute = Attribute { name: self.name(spec).to_owned(), ..Attribute::default() };
        for (name, word) in self.fields(spec) {
            match name {
                "default" if Word(word).kind() != BLOCKED => {
                    attribute.value = Some(Value::Packed(word));
                }
                "interpolation" => attribute.interpolation = Some(self.text(word)),
                "timeSamples" if Word(word).kind() == SAMPLES => {
                    let samples = self.tables.samples(self.bytes, word, self.samples_left)?;
                    self.samples_left -= samples.len().min(self.samples_left);
                    let there = |(time, word): &(f64, u64)| {
                        time.is_finite() && Word(*word).kind() != BLOCKED
                    };
                    let samples = samples.into_iter().filter(there);
                    attribute.samples = samples.map(|(t, word)| (t, Value::Packed(word))).collect();
                    attribute.samples.sort_by(|a, b| a.0.total_cmp(&b.0));
                }
                _ => {}
            }
        }
        Ok(attribute)
    }

    fn text(&self, word: u64) -> String {
        let strings = self.tables.strings(self.bytes, word).unwrap_or_default();
        strings.into_iter().next().unwrap_or_default()
    }

    fn number(&self, word: u64) -> Option<f64> {
        self.tables.numbers(self.bytes, word).ok()?.first().copied()
    }
}

fn refers_to(layer: &mut Layer, what: &'static str) {
    if !layer.elsewhere.contains(&what) {
        layer.elsewhere.push(what);
    }
}

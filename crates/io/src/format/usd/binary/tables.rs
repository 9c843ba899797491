//! The sections of a binary layer, which everything else refers to by number: tokens, strings,
//! fields, sets of fields, paths, and specs (OpenUSD, `crateFile.cpp`).

use super::integers::{integers, unpack};

/// Lists of prims and properties have fewer entries than this per byte of the file, and as many
/// more; what LZ4 could make of a small file has no end otherwise.
const MOST_PER_BYTE: usize = 2;
const SMALL: usize = 4096;
/// Bytes of text per byte of the file.
const MOST_TEXT: usize = 20;

/// What the sections hold.
#[derive(Debug, Default)]
pub struct Tables {
    pub version: [u8; 3],
    /// The text of all tokens, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Strings are tokens by another number.
    pub strings: Vec<u32>,
}

/// What is only needed to build the tree.
#[derive(Debug, Default)]
pub struct Tree {
    /// Name (a token) and value of every field.
    pub fields: Vec<(u32, u64)>,
    /// Fields, set after set, each ended by `u32::MAX`.
    pub sets: Vec<u32>,
    pub paths: Vec<Step>,
    pub specs: Vec<Spec>,
}

/// The last step of a path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// The path it goes on from; `None` for the root, and for numbers without a path.
    pub parent: Option<u32>,
    /// A token.
    pub name: u32,
}

/// What is at a path.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub path: u32,
    /// Where its fields start among the sets.
    pub set: u32,
    pub kind: u32,
}

/// A problem, in words.
pub type Problem = String;

impl Tables {
    pub fn token(&self, number: u32) -> &str {
        let Some(&end) = self.ends.get(number as usize) else { return "" };
        let start = (number as usize).checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        std::str::from_utf8(self.text.get(start..end).unwrap_or_default()).unwrap_or_default()
    }
}

/// Reads all sections.
pub fn read(bytes: &[u8]) -> Result<(Tables, Tree), Problem> {
    let version = bytes.get(8..11).and_then(|v| v.try_into().ok());
    let version: [u8; 3] = version.ok_or_else(|| "ends before its version".to_owned())?;
    if !([0, 4, 0]..[1, 0, 0]).contains(&version) {
        let [major, minor, patch] = version;
        return Err(format!(
            "is a binary USD file of version {major}.{minor}.{patch}, expected 0.4.0 or later: usdcat makes one of another"
        ));
    }
    let sections = Sections::read(bytes)?;
    let mut tables = Tables { version, ..Tables::default() };
    let mut tree = Tree::default();

    let mut tokens = sections.open("TOKENS")?;
    let count = tokens.count()?;
    let size = tokens.size()?;
    if size > MOST_TEXT * bytes.len() + SMALL || count > size {
        return Err(claim("TOKENS", size));
    }
    tables.text = tokens.packed().and_then(|packed| unpack(packed, size)).ok_or(cut("TOKENS"))?;
    let ends = tables.text.iter().enumerate().filter(|(_, byte)| **byte == 0).map(|(at, _)| at);
    tables.ends = ends.take(count).collect();

    let mut strings = sections.open("STRINGS")?;
    let count = strings.count()?;
    let words = count.checked_mul(4).and_then(|size| strings.take(size)).ok_or(cut("STRINGS"))?;
    tables.strings =
        words.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();

    let mut fields = sections.open("FIELDS")?;
    let count = fields.count()?;
    let names = fields.integers(count)?;
    let size = count.checked_mul(8).ok_or(claim("FIELDS", count))?;
    let words = fields.packed().and_then(|packed| unpack(packed, size)).ok_or(cut("FIELDS"))?;
    let words = words
        .chunks_exact(8)
        .map(|w| u64::from_le_bytes([w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]]));
    tree.fields = names.into_iter().map(|name| name as u32).zip(words).collect();

    let mut sets = sections.open("FIELDSETS")?;
    let count = sets.count()?;
    tree.sets = sets.integers(count)?.into_iter().map(|field| field as u32).collect();

    let mut paths = sections.open("PATHS")?;
    let (count, encoded) = (paths.count()?, paths.count()?);
    let [numbers, names, jumps] = [(); 3].map(|()| paths.integers(encoded));
    tree.paths = steps(count, &numbers?, &names?, &jumps?)?;

    let mut specs = sections.open("SPECS")?;
    let count = specs.count()?;
    let [paths, sets, kinds] = [(); 3].map(|()| specs.integers(count));
    let columns = paths?.into_iter().zip(sets?).zip(kinds?);
    tree.specs = columns
        .map(|((path, set), kind)| Spec { path: path as u32, set: set as u32, kind: kind as u32 })
        .collect();
    Ok((tables, tree))
}

/// Paths are a tree, written depth first: each entry has the number of its path, its name (negative
/// for a property), and where its next sibling is.
fn steps(
    count: usize,
    numbers: &[i32],
    names: &[i32],
    jumps: &[i32],
) -> Result<Vec<Step>, Problem> {
    let mut steps = vec![Step::default(); count];
    let mut given = vec![false; count];
    let mut seen = vec![false; numbers.len()];
    let mut open: Vec<(usize, Option<u32>)> =
        if numbers.is_empty() { vec![] } else { vec![(0, None)] };
    while let Some((entry, parent)) = open.pop() {
        let fits = seen.get(entry).is_some_and(|seen| !seen);
        let number = numbers.get(entry).filter(|_| fits).and_then(|&n| usize::try_from(n).ok());
        let Some(number) = number.filter(|&n| given.get(n) == Some(&false)) else {
            return Err("has paths that are no tree".to_owned());
        };
        (seen[entry], given[number]) = (true, true);
        steps[number] = Step { parent, name: names[entry].unsigned_abs() };
        let (has_child, has_sibling) = (jumps[entry] > 0 || jumps[entry] == -1, jumps[entry] >= 0);
        if has_sibling {
            let sibling = if has_child { entry + jumps[entry] as usize } else { entry + 1 };
            open.push((sibling, parent));
        }
        if has_child {
            open.push((entry + 1, Some(number as u32)));
        }
    }
    Ok(steps)
}

fn cut(section: &str) -> Problem {
    format!("its section {section} is cut short or broken")
}

fn claim(section: &str, count: usize) -> Problem {
    format!("its section {section} claims {count} entries, more than the file can hold")
}

/// The table of contents.
struct Sections<'a> {
    bytes: &'a [u8],
    named: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> Sections<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Problem> {
        let broken = || "its table of contents is cut short or broken".to_owned();
        let at = bytes.get(16..24).map(long).and_then(|at| usize::try_from(at).ok());
        let table = at.and_then(|at| bytes.get(at..)).ok_or_else(broken)?;
        let count = table.get(..8).map(long).ok_or_else(broken)?;
        let mut named = Vec::new();
        for entry in table[8..].chunks_exact(32).take(usize::try_from(count).unwrap_or(0)) {
            let name = entry[..16].split(|&b| b == 0).next().unwrap_or_default();
            let [start, size] = [16, 24].map(|at| usize::try_from(long(&entry[at..at + 8])));
            let range = start
                .ok()
                .zip(size.ok())
                .and_then(|(start, size)| bytes.get(start..start.checked_add(size)?));
            named.push((name, range.ok_or_else(broken)?));
        }
        Ok(Sections { bytes, named })
    }

    fn open(&self, name: &'static str) -> Result<Section<'a>, Problem> {
        let found = self.named.iter().find(|(known, _)| *known == name.as_bytes());
        let (_, rest) = found.ok_or_else(|| format!("has no section {name}"))?;
        Ok(Section { name, rest, whole: self.bytes.len() })
    }
}

/// The part of a section that is still to be read.
struct Section<'a> {
    name: &'static str,
    rest: &'a [u8],
    /// Bytes of the whole file.
    whole: usize,
}

impl<'a> Section<'a> {
    fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(size)?;
        self.rest = rest;
        Some(taken)
    }

    fn size(&mut self) -> Result<usize, Problem> {
        let size = self.take(8).map(long).and_then(|size| usize::try_from(size).ok());
        size.ok_or_else(|| cut(self.name))
    }

    /// A number of entries that the file may have.
    fn count(&mut self) -> Result<usize, Problem> {
        let count = self.size()?;
        match count <= MOST_PER_BYTE * self.whole + SMALL {
            true => Ok(count),
            false => Err(claim(self.name, count)),
        }
    }

    /// Bytes behind their number.
    fn packed(&mut self) -> Option<&'a [u8]> {
        let size = self.size().ok()?;
        self.take(size)
    }

    fn integers(&mut self, count: usize) -> Result<Vec<i32>, Problem> {
        let packed = self.packed();
        packed.and_then(|packed| integers(packed, count)).ok_or_else(|| cut(self.name))
    }
}

/// Eight bytes as a number.
pub fn long(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

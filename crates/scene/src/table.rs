//! A table of the scene file under reading: it refuses unknown keys when opened, and hands out
//! values that know where they stand.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use pliant_model::words::nearest;

use crate::error::{Problem, SceneError};
use crate::kind::other_kind;
use crate::value::Value;

/// A table whose keys have all been checked against the known ones.
pub struct Table<'a> {
    text: &'a str,
    entries: &'a DeTable<'a>,
    start: usize,
    path: String,
    known: &'static [&'static str],
}

impl<'a> Table<'a> {
    /// Opens a table; the first key (in the order of the file) that is not among `known` is an
    /// error.
    pub fn open(
        text: &'a str,
        entries: &'a DeTable<'a>,
        start: usize,
        path: String,
        known: &'static [&'static str],
    ) -> Result<Table<'a>, SceneError> {
        let table = Table { text, entries, start, path, known };
        let unknown = entries
            .keys()
            .filter(|key| !known.contains(&key.get_ref().as_ref()))
            .min_by_key(|key| key.span().start);
        match unknown {
            None => Ok(table),
            Some(key) => {
                let nearest = nearest(key.get_ref(), known).map(str::to_owned);
                // A quoted key may hold line breaks, and an error is one line.
                let name = key.get_ref().escape_debug().to_string();
                let known = known.iter().map(|key| (*key).to_owned()).collect();
                let problem = Problem::UnknownKey { name, nearest, known };
                Err(error_at(text, key.span().start, table.path, problem))
            }
        }
    }

    /// The value of a key, if it was written.
    pub fn get(&self, key: &'static str) -> Option<Value<'a>> {
        debug_assert!(self.known.contains(&key), "{key} is read, but not declared as known");
        let (_, value): (_, &'a Spanned<DeValue<'a>>) =
            self.entries.iter().find(|(name, _)| name.get_ref() == key)?;
        let path =
            if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Some(Value::new(self.text, value, path))
    }

    /// The value of a key that must be there; `expected` says what it holds.
    pub fn require(&self, key: &'static str, expected: &str) -> Result<Value<'a>, SceneError> {
        self.get(key).ok_or_else(|| {
            self.fault(Problem::MissingKey { name: key.to_owned(), expected: expected.to_owned() })
        })
    }

    /// Reads a key with `read`, or takes the default if it was not written.
    pub fn or<T>(
        &self,
        key: &'static str,
        default: T,
        read: impl FnOnce(Value<'a>) -> Result<T, SceneError>,
    ) -> Result<T, SceneError> {
        self.get(key).map_or(Ok(default), read)
    }

    /// Reads a key with `read`, if it was written.
    pub fn optional<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(Value<'a>) -> Result<T, SceneError>,
    ) -> Result<Option<T>, SceneError> {
        self.get(key).map(read).transpose()
    }

    /// Reads each item of an array (of tables); none if the key was not written.
    pub fn each<T>(
        &self,
        key: &'static str,
        read: impl Fn(Value<'a>) -> Result<T, SceneError>,
    ) -> Result<Vec<T>, SceneError> {
        let items = self.or(key, Vec::new(), |value| value.items("an array of tables"))?;
        items.into_iter().map(read).collect()
    }

    /// The one key of `alternatives` that was written. None or several is an error.
    pub fn one_of(
        &self,
        kind: &'static str,
        alternatives: &[&'static str],
    ) -> Result<(&'static str, Value<'a>), SceneError> {
        let quoted: Vec<String> = alternatives.iter().map(|name| format!("`{name}`")).collect();
        let mut written = alternatives.iter().filter_map(|&name| Some((name, self.get(name)?)));
        match (written.next(), written.next()) {
            (Some(choice), None) => Ok(choice),
            (Some((first, _)), Some((second, _))) => Err(self.fault(Problem::Refused(format!(
                "`{first}` and `{second}` exclude each other, expected one {kind} of {}",
                quoted.join(", ")
            )))),
            (None, _) => Err(self.fault(Problem::Refused(format!(
                "the {kind} is missing, expected one of {}",
                quoted.join(", ")
            )))),
        }
    }

    /// An error at the beginning of this table that says why it cannot be had.
    pub(crate) fn refuse(&self, reason: &str) -> SceneError {
        self.fault(Problem::Refused(reason.to_owned()))
    }

    /// An error at the beginning of this table.
    pub fn fault(&self, problem: Problem) -> SceneError {
        error_at(self.text, self.start, self.path.clone(), problem)
    }
}

/// Reads the text of a TOML file whose top-level keys are `known`; the error names line and key.
pub fn read_document<T>(
    text: &str,
    known: &'static [&'static str],
    read: impl FnOnce(&Table<'_>) -> Result<T, SceneError>,
) -> Result<T, SceneError> {
    let document = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        // The parser's messages may run over several lines; an error is one sentence.
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        error_at(text, offset, String::new(), Problem::Syntax(message))
    })?;
    let entries = document.get_ref();
    let mut keys: Vec<_> = entries.keys().collect();
    keys.sort_by_key(|key| key.span().start);
    let names = || keys.iter().map(|key| key.get_ref().as_ref());
    if let Some((name, problem)) = other_kind(names(), known) {
        let place = names().position(|key| key == name).map_or(0, |k| keys[k].span().start);
        return Err(error_at(text, place, name.to_owned(), Problem::Refused(problem)));
    }
    read(&Table::open(text, entries, 0, String::new(), known)?)
}

/// An error at a byte of the text.
pub(crate) fn error_at(text: &str, offset: usize, key: String, problem: Problem) -> SceneError {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    SceneError { line, column, key, problem: Box::new(problem) }
}

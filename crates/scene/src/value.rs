//! A value of the scene file under reading, with its place and its dotted path.

use toml::Spanned;
use toml::de::{DeArray, DeValue};

use pliant_model::words::{Word, nearest};

use crate::error::{Problem, SceneError};
use crate::limits::Limits;
use crate::table::{Table, error_at};

/// A value that can say where it stands.
pub struct Value<'a> {
    text: &'a str,
    value: &'a Spanned<DeValue<'a>>,
    path: String,
}

impl<'a> Value<'a> {
    pub fn new(text: &'a str, value: &'a Spanned<DeValue<'a>>, path: String) -> Value<'a> {
        Value { text, value, path }
    }

    /// A number within limits; whole numbers need no decimal point.
    pub fn number(&self, limits: Limits) -> Result<f64, SceneError> {
        let (value, written) = match self.value.get_ref() {
            DeValue::Float(float) => (float.as_str().parse::<f64>().ok(), float.to_string()),
            DeValue::Integer(integer) => (
                i128::from_str_radix(integer.as_str(), integer.radix()).ok().map(|i| i as f64),
                integer.to_string(),
            ),
            _ => return Err(self.wrong_type("a number")),
        };
        value
            .filter(|&value| limits.contain(value))
            // −0 is a zero to everybody but a hash.
            .map(|value| value + 0.0)
            .ok_or_else(|| self.out_of_range(written, limits.to_string()))
    }

    /// A whole number from `least` to `most`.
    pub fn count(&self, least: u64, most: u64) -> Result<u64, SceneError> {
        let DeValue::Integer(integer) = self.value.get_ref() else {
            return Err(self.wrong_type("a whole number"));
        };
        u64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .filter(|value| (least..=most).contains(value))
            .ok_or_else(|| {
                let allowed = format!("at least {least} and at most {most}");
                self.out_of_range(integer.to_string(), allowed)
            })
    }

    /// As [`count`](Value::count), for `most` that fits into 32 bits.
    pub fn small_count(&self, least: u32, most: u32) -> Result<u32, SceneError> {
        let count = self.count(u64::from(least), u64::from(most))?;
        Ok(u32::try_from(count).unwrap_or(most))
    }

    /// A seed of a random sequence: any whole number that TOML can hold and is not negative.
    pub fn seed(&self) -> Result<u64, SceneError> {
        self.count(0, i64::MAX as u64)
    }

    /// Text that is not empty.
    pub fn words(&self) -> Result<&'a str, SceneError> {
        match self.value.get_ref() {
            DeValue::String(words) if !words.trim().is_empty() => Ok(words.as_ref()),
            DeValue::String(_) => Err(self.wrong_type("text that is not empty")),
            _ => Err(self.wrong_type("text in quotes")),
        }
    }

    /// `true` or `false`.
    pub fn truth(&self) -> Result<bool, SceneError> {
        self.value.get_ref().as_bool().ok_or_else(|| self.wrong_type("`true` or `false`"))
    }

    /// Exactly `N` numbers within limits.
    pub fn numbers<const N: usize>(&self, limits: Limits) -> Result<[f64; N], SceneError> {
        let items = self.exactly::<N>("numbers")?;
        let mut numbers = [0.0; N];
        for (number, item) in numbers.iter_mut().zip(items) {
            *number = item.number(limits)?;
        }
        Ok(numbers)
    }

    /// Exactly `N` whole numbers from `least` to `most`.
    pub fn counts<const N: usize>(&self, least: u32, most: u32) -> Result<[u32; N], SceneError> {
        let items = self.exactly::<N>("whole numbers")?;
        let mut counts = [0; N];
        for (count, item) in counts.iter_mut().zip(items) {
            *count = item.small_count(least, most)?;
        }
        Ok(counts)
    }

    /// A list of numbers within limits.
    pub fn list(&self, limits: Limits) -> Result<Vec<f64>, SceneError> {
        self.items("a list of numbers")?.iter().map(|item| item.number(limits)).collect()
    }

    /// The items of an array; `expected` says what they should be.
    pub fn items(&self, expected: &str) -> Result<Vec<Value<'a>>, SceneError> {
        let array = self.array().ok_or_else(|| self.wrong_type(expected))?;
        let item = |(index, value)| Value::new(self.text, value, format!("{}[{index}]", self.path));
        Ok(array.iter().enumerate().map(item).collect())
    }

    /// A table with no other keys than `known`.
    pub fn table(&self, known: &'static [&'static str]) -> Result<Table<'a>, SceneError> {
        let start = self.value.span().start;
        match self.value.get_ref() {
            DeValue::Table(entries) => {
                Table::open(self.text, entries, start, self.path.clone(), known)
            }
            _ => Err(self.wrong_type("a table { … }")),
        }
    }

    /// Whether a table was written (in place of something simpler).
    pub fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    /// Whether text was written (in place of a table).
    pub fn is_words(&self) -> bool {
        self.value.get_ref().is_str()
    }

    /// One of a fixed set of names, each standing for a value.
    pub fn named<T: Copy>(
        &self,
        kind: &'static str,
        names: &[(&'static str, T)],
    ) -> Result<T, SceneError> {
        let words = self.words()?;
        match names.iter().find(|(name, _)| *name == words) {
            Some((_, value)) => Ok(*value),
            None => {
                Err(self.unknown(kind, &names.iter().map(|(name, _)| *name).collect::<Vec<_>>()))
            }
        }
    }

    /// A word of the vocabulary, its parameters at their defaults.
    pub fn word<T: Word>(&self) -> Result<T, SceneError> {
        self.word_beside(&[])
    }

    /// As [`word`](Value::word), where the caller knows `others` as well.
    pub(crate) fn word_beside<T: Word>(&self, others: &[&'static str]) -> Result<T, SceneError> {
        T::named(self.words()?).map_err(|_| self.unknown(T::KIND, &[others, T::NAMES].concat()))
    }

    /// A table of one word: the word, and what is written for it.
    pub(crate) fn one_word<T: Word>(&self) -> Result<(T, Value<'a>), SceneError> {
        let (name, options) = self.table(T::NAMES)?.one_of(T::KIND, T::NAMES)?;
        Ok((T::named(name).map_err(|_| self.unknown(T::KIND, T::NAMES))?, options))
    }

    /// The error for text that is none of the known names.
    fn unknown(&self, kind: &'static str, known: &[&'static str]) -> SceneError {
        let words = self.words().unwrap_or_default();
        self.fault(Problem::UnknownName {
            kind,
            name: words.escape_debug().to_string(),
            nearest: nearest(words, known).map(str::to_owned),
            known: known.iter().map(|name| (*name).to_owned()).collect(),
        })
    }

    /// An error at this value.
    pub fn fault(&self, problem: Problem) -> SceneError {
        error_at(self.text, self.value.span().start, self.path.clone(), problem)
    }

    /// An error at this value that says why it cannot be had.
    pub fn refuse(&self, reason: impl Into<String>) -> SceneError {
        self.fault(Problem::Refused(reason.into()))
    }

    fn array(&self) -> Option<&'a DeArray<'a>> {
        match self.value.get_ref() {
            DeValue::Array(array) => Some(array),
            _ => None,
        }
    }

    fn exactly<const N: usize>(&self, noun: &str) -> Result<Vec<Value<'a>>, SceneError> {
        let expected = format!("a list of {N} {noun}");
        let items = self.items(&expected)?;
        if items.len() == N {
            return Ok(items);
        }
        let found = format!("a list of {}", items.len());
        Err(self.fault(Problem::WrongType { expected, found }))
    }

    fn wrong_type(&self, expected: &str) -> SceneError {
        let found = match self.value.get_ref() {
            DeValue::String(words) if words.trim().is_empty() => "empty text".to_owned(),
            DeValue::String(words) => {
                let short: String = words.chars().take(40).flat_map(char::escape_debug).collect();
                format!("the text \"{short}\"")
            }
            DeValue::Integer(integer) => format!("the number {integer}"),
            DeValue::Float(float) => format!("the number {float}"),
            DeValue::Boolean(truth) => format!("`{truth}`"),
            DeValue::Datetime(date) => format!("the date {date}"),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        self.fault(Problem::WrongType { expected: expected.to_owned(), found })
    }

    fn out_of_range(&self, value: String, allowed: String) -> SceneError {
        self.fault(Problem::OutOfRange { value, allowed })
    }
}

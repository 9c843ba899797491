//! The words and values of a `.usda` file. Values are not read, only measured: where they start and
//! end. An animation of a gigabyte is one pass over its bytes.

use std::ops::Range;
use std::path::Path;

use crate::cursor::{parse as number, unexpected};
use crate::error::{IoError, Place};

/// A place in the text.
pub struct Scanner<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Scanner { path, bytes, at: 0 }
    }

    /// An error at this place.
    pub fn error(&self, problem: impl Into<String>) -> IoError {
        error_at(self.path, self.bytes, self.at, problem)
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips blanks, line ends and comments.
    pub fn skip_space(&mut self) {
        while let Some(byte) = self.byte() {
            match byte {
                b'#' => self.at += length_of_line(&self.bytes[self.at..]),
                b if b.is_ascii_whitespace() || b == b';' => self.at += 1,
                _ => break,
            }
        }
    }

    /// The next byte after blanks, which stays unread; `None` at the end.
    pub fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.byte()
    }

    /// Takes this byte, if it is next.
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, byte: u8) -> Result<(), IoError> {
        if self.take(byte) {
            return Ok(());
        }
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let found = &rest[..length_of_line(rest).min(20)];
        Err(self.error(unexpected(&format!("`{}`", char::from(byte)), found)))
    }

    /// The next word: a keyword, a type, a name.
    pub fn word(&mut self) -> &'a [u8] {
        self.skip_space();
        let rest = &self.bytes[self.at..];
        let ends = |b: &u8| b.is_ascii_whitespace() || b"=(){},;\"'<>@#".contains(b);
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// The next word up to a colon.
    pub fn time_code(&mut self) -> &'a [u8] {
        let start = self.at;
        let word = self.word();
        let length = word.iter().position(|&b| b == b':').unwrap_or(word.len());
        self.at = (self.at - word.len() + length).max(start);
        &word[..length]
    }

    /// Whether another word follows on the same line.
    pub fn word_follows(&mut self) -> bool {
        while self.byte().is_some_and(|b| b == b' ' || b == b'\t') {
            self.at += 1;
        }
        self.byte().is_some_and(|b| !b.is_ascii_whitespace() && !b"=(){},;#\"'<>@".contains(&b))
    }

    /// Where the next value starts and ends: a number, word, string, path, asset, tuple, array or
    /// dictionary.
    pub fn value(&mut self) -> Result<Range<usize>, IoError> {
        self.skip_space();
        let start = self.at;
        let mut depth = 0usize;
        loop {
            let Some(byte) = self.byte() else {
                return Err(self.error("expected the end of a value, found the end of the file"));
            };
            match byte {
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    self.at += 1;
                }
                b')' | b']' | b'}' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b'"' | b'\'' | b'@' => self.quoted(byte)?,
                b'<' => self.past(b">")?,
                b'#' if depth > 0 => self.at += length_of_line(&self.bytes[self.at..]),
                b if depth > 0 && (b.is_ascii_whitespace() || b"=,;:>".contains(&b)) => {
                    self.at += 1
                }
                _ => {
                    let rest = &self.bytes[self.at..];
                    let ends = |b: &u8| b.is_ascii_whitespace() || b"=()[]{},;:\"'<>@#".contains(b);
                    let length = rest.iter().position(ends).unwrap_or(rest.len());
                    if length == 0 {
                        return Err(self.error(unexpected("a value", &[byte])));
                    }
                    self.at += length;
                }
            }
            if depth == 0 {
                // A prim within an asset: @file@</Prim>
                if byte == b'@' && self.byte() == Some(b'<') {
                    continue;
                }
                return Ok(start..self.at);
            }
        }
    }

    /// Past a string or an asset, which may be quoted three times.
    fn quoted(&mut self, quote: u8) -> Result<(), IoError> {
        let triple = [quote; 3];
        if self.bytes[self.at..].starts_with(&triple) {
            self.at += 3;
            return self.past(&triple);
        }
        self.at += 1;
        while let Some(byte) = self.byte() {
            self.at += if byte == b'\\' && quote != b'@' { 2 } else { 1 };
            if byte == quote {
                return Ok(());
            }
            if byte == b'\n' {
                break;
            }
        }
        self.at = self.at.min(self.bytes.len());
        Err(self.error("expected the end of a string, found the end of the line"))
    }

    fn past(&mut self, end: &[u8]) -> Result<(), IoError> {
        let rest = &self.bytes[self.at..];
        match rest.windows(end.len()).position(|w| w == end) {
            Some(found) => {
                self.at += found + end.len();
                Ok(())
            }
            None => Err(self.error(unexpected(&String::from_utf8_lossy(end), b""))),
        }
    }
}

fn length_of_line(bytes: &[u8]) -> usize {
    bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len())
}

/// An error at an offset of a file.
pub fn error_at(path: &Path, bytes: &[u8], at: usize, problem: impl Into<String>) -> IoError {
    let before = &bytes[..at.min(bytes.len())];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    IoError::Syntax { path: path.to_owned(), place: Place::Line(line), problem: problem.into() }
}

/// All numbers of a value, whatever brackets are around them.
pub fn numbers(path: &Path, bytes: &[u8], span: &Range<usize>) -> Result<Vec<f64>, IoError> {
    let text = bytes.get(span.clone()).unwrap_or_default();
    let mut numbers = Vec::with_capacity(text.len() / 12);
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        if byte.is_ascii_whitespace() || b"()[],".contains(&byte) {
            at += 1;
        } else if byte == b'#' {
            at += length_of_line(&text[at..]);
        } else {
            let rest = &text[at..];
            let ends = |b: &u8| b.is_ascii_whitespace() || b"()[],#".contains(b);
            let word = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
            let fail = || error_at(path, bytes, span.start + at, unexpected("a number", word));
            numbers.push(number(word).ok_or_else(fail)?);
            at += word.len();
        }
    }
    Ok(numbers)
}

/// The strings of a value: one, or an array of them.
pub fn strings(text: &[u8]) -> Vec<String> {
    let parts = text.split(|&b| b == b'"' || b == b'\'').skip(1).step_by(2);
    parts.map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

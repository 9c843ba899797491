//! A place in the bytes of a file: words, lines and binary numbers, with errors that say where.

use std::path::Path;
use std::str::FromStr;

use crate::error::{IoError, Place};

/// How multi-byte numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    Little,
    Big,
}

/// Reads forward through a file held in memory.
#[derive(Clone)]
pub struct Cursor<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// Starts a comment that ends with the line.
    comment: Option<u8>,
    /// Errors name bytes rather than lines.
    binary: bool,
    pub endian: Endian,
}

impl<'a> Cursor<'a> {
    /// At the start of the file, or behind a UTF-8 byte-order mark.
    pub fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let (line, comment, binary, endian) = (1, None, false, Endian::Little);
        Cursor { path, bytes, at, line, comment, binary, endian }
    }

    /// Takes this byte and what follows it on a line as a comment.
    pub fn with_comments(mut self, start: u8) -> Self {
        self.comment = Some(start);
        self
    }

    /// From here on the file holds binary numbers.
    pub fn set_binary(&mut self) {
        self.binary = true;
    }

    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// An error at this place.
    pub fn error(&self, problem: impl Into<String>) -> IoError {
        let place = if self.binary { Place::Byte(self.at) } else { Place::Line(self.line) };
        IoError::Syntax { path: self.path.to_owned(), place, problem: problem.into() }
    }

    /// The next word, across lines.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_blank();
        let rest = self.rest();
        let end = rest
            .iter()
            .position(|b| b.is_ascii_whitespace() || Some(*b) == self.comment)
            .unwrap_or(rest.len());
        self.at += end;
        if end == 0 { None } else { Some(&rest[..end]) }
    }

    /// The next word, which stays unread.
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.clone().word()
    }

    /// The rest of the line, without its end; `None` at the end of the file.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        self.line += 1;
        Some(rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]))
    }

    /// The place where the next word starts, for errors about it.
    pub fn at_word(&mut self) -> Self {
        if !self.binary {
            self.skip_blank();
        }
        self.clone()
    }

    /// The next word as a number.
    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, IoError> {
        let before = self.at_word();
        let word = self.word().ok_or_else(|| before.error(missing(what)))?;
        parse(word).ok_or_else(|| before.error(unexpected(what, word)))
    }

    /// The next word as a count of things of which each takes at least `least` bytes.
    pub fn count(&mut self, what: &str, least: usize) -> Result<usize, IoError> {
        let claimed: u64 = self.number(what)?;
        self.claim(claimed, what, least)
    }

    /// A count, if what is left of the file can hold that many.
    pub fn claim(&self, claimed: u64, what: &str, least: usize) -> Result<usize, IoError> {
        let possible = self.remaining() / least.max(1) + 1;
        match usize::try_from(claimed) {
            Ok(count) if count <= possible && u32::try_from(count).is_ok() => Ok(count),
            _ => Err(self.error(format!(
                "{what} is {claimed}, but the {} bytes left cannot hold that many",
                self.remaining()
            ))),
        }
    }

    /// The next word must be this, in any case of letters.
    pub fn expect(&mut self, keyword: &str) -> Result<(), IoError> {
        let before = self.at_word();
        let word = self.word().ok_or_else(|| before.error(missing(keyword)))?;
        if word.eq_ignore_ascii_case(keyword.as_bytes()) {
            Ok(())
        } else {
            Err(before.error(unexpected(keyword, word)))
        }
    }

    /// Moves behind the next occurrence of `text`; false, at the end, when there is none.
    pub fn skip_past(&mut self, text: &[u8]) -> bool {
        let rest = self.rest();
        let found = rest.windows(text.len()).position(|w| w == text);
        let end = found.map_or(rest.len(), |at| at + text.len());
        self.line += rest[..end].iter().filter(|&&b| b == b'\n').count();
        self.at += end;
        found.is_some()
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], IoError> {
        let taken = self.rest().get(..count).ok_or_else(|| {
            self.error(format!("expected {count} bytes of {what}, found {}", self.remaining()))
        })?;
        self.at += count;
        Ok(taken)
    }

    /// The next bytes as a number.
    pub fn binary<T: Binary>(&mut self, what: &str) -> Result<T, IoError> {
        let bytes = self.take(T::SIZE, what)?;
        Ok(T::decode(bytes, self.endian))
    }

    fn skip_blank(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if Some(byte) == self.comment {
                let rest = self.rest();
                self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            } else if byte.is_ascii_whitespace() {
                self.line += usize::from(byte == b'\n');
                self.at += 1;
            } else {
                break;
            }
        }
    }
}

/// A word as a number.
pub fn parse<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

pub fn missing(what: &str) -> String {
    format!("expected {what}, found the end")
}

pub fn unexpected(what: &str, word: &[u8]) -> String {
    const SHOWN: usize = 40;
    let shown = String::from_utf8_lossy(&word[..word.len().min(SHOWN)]);
    let more = if word.len() > SHOWN { "…" } else { "" };
    format!("expected {what}, found \"{}{more}\"", shown.escape_debug())
}

/// Numbers with a binary form.
pub trait Binary: Sized {
    const SIZE: usize;
    /// From exactly `SIZE` bytes.
    fn decode(bytes: &[u8], endian: Endian) -> Self;
}

macro_rules! binary {
    ($($number:ty),*) => {$(
        impl Binary for $number {
            const SIZE: usize = size_of::<$number>();
            fn decode(bytes: &[u8], endian: Endian) -> Self {
                let mut exact = [0; size_of::<$number>()];
                for (to, from) in exact.iter_mut().zip(bytes) {
                    *to = *from;
                }
                match endian {
                    Endian::Little => <$number>::from_le_bytes(exact),
                    Endian::Big => <$number>::from_be_bytes(exact),
                }
            }
        }
    )*};
}
binary!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(text: &str) -> Cursor<'_> {
        Cursor::new(Path::new("file.txt"), text.as_bytes()).with_comments(b'#')
    }

    #[test]
    fn words_cross_lines_and_skip_comments() {
        let mut c = cursor("one # two\n\n three#four\r\n");
        assert_eq!(c.word(), Some(&b"one"[..]));
        assert_eq!(c.peek(), Some(&b"three"[..]));
        assert_eq!(c.word(), Some(&b"three"[..]));
        assert_eq!(c.word(), None);
    }

    #[test]
    fn errors_name_the_line_of_the_word() {
        let mut c = cursor("1\n2\nx 4");
        assert_eq!(c.number::<u32>("a number").unwrap(), 1);
        assert_eq!(c.number::<u32>("a number").unwrap(), 2);
        let error = c.number::<u32>("a number").unwrap_err().to_string();
        assert_eq!(error, "file.txt, line 3: expected a number, found \"x\"");
    }

    #[test]
    fn claims_are_compared_with_what_is_left() {
        assert!(cursor("3 0 0 0").count("the count", 2).is_ok());
        let error = cursor("99999999999 0").count("the count", 2).unwrap_err().to_string();
        assert!(error.contains("99999999999, but the 2 bytes left"), "{error}");
        assert!(cursor("-1").count("the count", 2).is_err());
    }

    #[test]
    fn binary_numbers_come_in_both_orders() {
        let mut c = Cursor::new(Path::new("x"), &[1, 0, 0, 0, 0, 0, 0, 1, 9]);
        c.set_binary();
        assert_eq!(c.binary::<i32>("n").unwrap(), 1);
        c.endian = Endian::Big;
        assert_eq!(c.binary::<i32>("n").unwrap(), 1);
        let error = c.binary::<u16>("tags").unwrap_err().to_string();
        assert_eq!(error, "x, byte 8: expected 2 bytes of tags, found 1");
    }
}

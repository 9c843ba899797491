//! Bytes of a large file, read when they are needed; a few pages of it are in memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::IoError;

/// Files up to this length are read as a whole, which is faster.
pub const LARGE: u64 = 64 << 20;
const PAGE: u64 = 256 << 10;
/// An animation is read along a few streams at a time: a pose or two, and what they are of.
const KEPT: usize = 16;

/// A part of a file.
#[derive(Debug)]
pub struct Paged {
    path: PathBuf,
    range: Range<u64>,
    pages: Mutex<Pages>,
}

#[derive(Debug)]
struct Pages {
    file: File,
    /// Number and bytes; what was used last is last.
    kept: Vec<(u64, Vec<u8>)>,
    failure: Option<io::Error>,
}

impl Paged {
    /// The bytes of `range` of an open file.
    pub fn new(path: &Path, file: File, range: Range<u64>) -> Self {
        let pages = Pages { file, kept: Vec::new(), failure: None };
        Paged { path: path.to_owned(), range, pages: Mutex::new(pages) }
    }

    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Up to four bytes from `at`; `None` beyond the end, and when the disk fails, which
    /// [`Paged::failure`] then tells.
    pub fn word(&self, at: u64, size: usize) -> Option<[u8; 4]> {
        let mut word = [0; 4];
        let start = self.range.start.checked_add(at)?;
        if start.checked_add(size as u64)? > self.range.end || size > 4 {
            return None;
        }
        // A panic elsewhere leaves pages whole.
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let mut done = 0;
        // Twice, where a page ends within the word.
        while done < size {
            let place = start + done as u64;
            let page = pages.page(place / PAGE)?.get((place % PAGE) as usize..)?;
            let here = page.len().min(size - done);
            word[done..done + here].copy_from_slice(&page[..here]);
            done += here;
            if here == 0 {
                return None;
            }
        }
        Some(word)
    }

    /// What went wrong since the last time.
    pub fn failure(&self) -> Option<IoError> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.failure.take().map(IoError::system(&self.path, "read"))
    }
}

impl Pages {
    fn page(&mut self, number: u64) -> Option<&[u8]> {
        if self.kept.last().is_none_or(|(last, _)| *last != number) {
            match self.kept.iter().position(|(kept, _)| *kept == number) {
                Some(place) => self.kept[place..].rotate_left(1),
                None => self.load(number),
            }
        }
        let (kept, bytes) = self.kept.last()?;
        (*kept == number).then_some(bytes)
    }

    /// The oldest page gives its memory to a new one.
    fn load(&mut self, number: u64) {
        let mut bytes = match self.kept.len() < KEPT {
            true => Vec::new(),
            false => self.kept.remove(0).1,
        };
        bytes.clear();
        let sought = self.file.seek(SeekFrom::Start(number * PAGE));
        match sought.and_then(|_| (&mut self.file).take(PAGE).read_to_end(&mut bytes)) {
            Ok(0) => self.failure = Some(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => self.kept.push((number, bytes)),
            Err(error) => self.failure = Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_file_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let bytes: Vec<u8> = (0..40 * PAGE).map(|at| (at * 7 + at / PAGE) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let (start, end) = (5, bytes.len() as u64 - 3);
        let paged = Paged::new(&path, File::open(&path).unwrap(), start..end);
        assert_eq!(paged.len(), end - start);
        // Across borders of pages, back and forth, more than are kept.
        for step in 0..500u64 {
            let at = (step * 104_729 * 13) % (paged.len() - 4);
            let place = (at + start) as usize;
            assert_eq!(paged.word(at, 4).unwrap(), bytes[place..place + 4]);
            let border = (step % 39 + 1) * PAGE - start - 2;
            let place = (border + start) as usize;
            assert_eq!(paged.word(border, 4).unwrap(), bytes[place..place + 4]);
        }
        assert_eq!(paged.word(paged.len() - 1, 1).unwrap()[0], bytes[bytes.len() - 4]);
        assert!(paged.word(paged.len() - 1, 2).is_none() && paged.word(u64::MAX, 1).is_none());
        assert!(paged.failure().is_none());
        // Cut while it is open: an error, and no end of the program.
        File::options().write(true).open(&path).unwrap().set_len(10).unwrap();
        assert!(paged.word(7 * PAGE, 4).is_none() || paged.word(23 * PAGE, 4).is_none());
        let error = paged.failure().unwrap().to_string();
        assert!(error.contains("a.bin: cannot read"), "{error}");
    }
}
